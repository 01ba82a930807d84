-- The ranges of an answer about a fleet: what published points were over what was predicted for them, and the fleets
-- that would do were steps that fast or that slow.
local candidates = require("ballpark.questions.serve_search.candidate")
local halves = require("ballpark.halves")
local promise = require("ballpark.questions.serve.promise")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local sizes = require("ballpark.questions.serve_search.sizes")

local fleet_range = {}

-- Replicas beyond which an SLO counts as out of reach, over what the answer has.
local FURTHEST <const> = 16

-- What requests of `up` replicas see whose every step takes `slower` times as long, by the clock of the usual ones: a rate is so
-- much higher then, and users think so much less. Nothing where it is more than they are planned for.
local function planned(candidate, up, slower)
  local ask, share = candidate.ask, candidate.ask.fleet.utilization_frac
  if ask.users then
    local steady = candidate:of_users(ask.users.count / share / up, (ask.users.think_s + candidate.apart_s) / slower)
    return candidate.crowd(steady) <= 1 and steady
  end
  local rate = ask.load.rate_per_s * slower / up
  local steady = candidate:at(rate)
  return steady.stable and rate <= steady.capacity_per_s * share and steady
end

-- Whether so many so slow replicas meet the SLO in the mean.
local function holds(candidate, up, slower)
  local ask, steady = candidate.ask, planned(candidate, up, slower)
  if not steady then return false end
  for _, name in ipairs(candidate.limits) do
    local limit = ask.sla.limits[name]
    if limit and candidates.limited_s(steady, name, candidate.input.output_tokens) * slower > limit then return false end
  end
  return true
end

-- Fewest replicas up that hold it, or nil.
local function needed(candidate, slower, most)
  if not holds(candidate, most, slower) then return nil end
  return halves.smallest(0, most, function(up) return holds(candidate, up, slower) end)
end

-- All replicas of a group, were steps that much slower; percentiles keep the replicas they cost.
local function replicas_at(group, slower)
  local candidate, most = group.candidate, FURTHEST * group.up
  local usual, now = needed(candidate, 1, most), needed(candidate, slower, most)
  if not now then return nil end
  return sizes.with(candidate.ask, candidate.pool, math.max(1, now + group.up - usual)).replicas
end

-- All replicas of the winner's groups, and what they cost, were steps that much slower; nothing where no number would
-- do.
local function fleet_at(winner, slower)
  local replicas, cost = 0, 0
  for _, group in ipairs(winner.groups) do
    local count = replicas_at(group, slower)
    if not count then return nil end
    replicas = replicas + count
    cost = cost + count * group.candidate.ranks * group.candidate.pool.usd_h
  end
  return replicas, cost
end

-- Times as they were simulated, at the percentile of the SLO.
local function times_of(winner)
  local candidate = winner.candidate
  local borrowed, why = ranges.of_device(candidate.pool.device, candidate.engine.name)
  local unseen, reason = ranges.of_model(candidate.ask.model)
  local times = {}
  for name, part in pairs(promise.part) do
    local time = ranges.of(candidate.engine.name, candidate.ask.model, part .. "_ms",
      { borrowed, borrowed, why = why }, { unseen, unseen, why = reason })
    times[name] = { factor = time, seen = range.times(time, winner.seen[part].at_s) }
  end
  return times
end

--- The ranges of a winner by name: ttft_s, tpot_s, e2e_s as simulated, replicas and cost_usd_h of the fleet that would
--- do. The upper ends of these two are math.huge where no number of replicas would.
---@return table<string, ballpark.range>
function fleet_range.of(winner)
  local result, times = {}, times_of(winner)
  for name, time in pairs(times) do result[name] = time.seen end
  result = ranges.with_parts(result)
  local e2e = times.e2e_s.factor
  local fewest, least_usd_h = fleet_at(winner, e2e.low)
  local most, most_usd_h = fleet_at(winner, e2e.high)
  if fewest then
    result.replicas = range.new(winner.replicas, fewest, most or math.huge, e2e.why)
    result.cost_usd_h = range.new(winner.cost_usd_h, least_usd_h, most_usd_h or math.huge, e2e.why)
  end
  return result
end

return fleet_range
