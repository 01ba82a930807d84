-- The 80 % range of an answer about a fleet: what published points were over what was predicted for them.
local range = require("ballpark.range.serving")
local sizes = require("ballpark.questions.serve_search.sizes")

local spread = {}

-- Replicas beyond which a promise counts as out of reach, over what the answer has.
local FURTHEST <const> = 16

-- Whether `up` replicas whose every step takes `slower` times as long hold the promise in the mean. Such a
-- replica under a rate is one of the usual speed under a rate and limits that are so much tighter.
local function holds(candidate, up, slower)
  local ask = candidate.ask
  local rate = ask.load.rate_per_s * slower / up
  local steady = candidate:at(rate)
  if not steady.stable or rate > steady.capacity_per_s * ask.fleet.utilization_frac then return false end
  for _, name in ipairs(candidate.limits) do
    local limit = ask.sla.limits[name]
    if limit and steady[name] * slower > limit then return false end
  end
  return true
end

-- Fewest replicas up that hold it, or nil.
local function needed(candidate, slower, most)
  if not holds(candidate, most, slower) then return nil end
  local low, high = 1, most
  while low < high do
    local middle = (low + high) // 2
    if holds(candidate, middle, slower) then high = middle else low = middle + 1 end
  end
  return low
end

-- All replicas of a group, were steps that much slower; percentiles keep the replicas they cost.
local function replicas_at(group, slower)
  local candidate, most = group.candidate, FURTHEST * group.up
  local usual, now = needed(candidate, 1, most), needed(candidate, slower, most)
  if not now then return nil end
  return sizes.with(candidate.ask, candidate.pool, math.max(1, now + group.up - usual)).replicas
end

local function fleet_at(winner, slower)
  local replicas, cost = 0, 0
  for _, group in ipairs(winner.groups) do
    local count = replicas_at(group, slower)
    if not count then return nil end
    replicas = replicas + count
    cost = cost + count * group.candidate.ranks * group.candidate.pool.usd_h
  end
  return { replicas = replicas, cost_usd_h = cost }
end

--- The range of a winner: { ttft_s, tpot_s, e2e_s = { low, high } as factors of a time, fast, slow = { replicas,
--- cost_usd_h } of the fleet that would do; slow is nil where no number of replicas would }.
function spread.of(winner)
  local engine, device = winner.candidate.engine.name, range.of_device(winner.candidate.pool.device)
  local function ends(metric) return { range.of(engine, metric, device, device) } end
  local e2e = ends("e2e_ms")
  return { ttft_s = ends("ttft_ms"), tpot_s = ends("tpot_ms"), e2e_s = e2e,
    fast = fleet_at(winner, e2e[1]), slow = fleet_at(winner, e2e[2]) }
end

return spread
