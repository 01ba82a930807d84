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

-- What requests of `up` replicas see whose every step takes at.slower times as long, by the clock of the usual ones, of a load
-- that is at.more times as large: a rate is so much higher then, and users think so much less. Nothing where it is more than
-- they are planned for.
local function planned(candidate, up, at)
  local ask, share = candidate.ask, candidate.ask.fleet.utilization_frac
  if ask.users then
    local steady = candidate:of_users(at.more * ask.users.count / share / up, (ask.users.think_s + candidate.apart_s) / at.slower)
    return candidate.crowd(steady) <= 1 and steady
  end
  local rate = ask.load.rate_per_s * at.slower * at.more / up
  local steady = candidate:at(rate)
  return steady.stable and rate <= steady.capacity_per_s * share and steady
end

-- Whether so many so slow replicas meet the SLO in the mean.
local function holds(candidate, up, at)
  local ask, steady = candidate.ask, planned(candidate, up, at)
  if not steady then return false end
  for _, name in ipairs(candidate.limits) do
    local limit = ask.sla.limits[name]
    if limit and candidates.limited_s(steady, name, candidate.input.output_tokens) * at.slower > limit then return false end
  end
  return true
end

-- Fewest replicas up that hold it, or nil.
local function needed(candidate, at, most)
  if not holds(candidate, most, at) then return nil end
  return halves.smallest(0, most, function(up) return holds(candidate, up, at) end)
end

local USUAL <const> = { slower = 1, more = 1 }

-- All replicas of a group, were steps that much slower and the load that much larger; percentiles keep the replicas they
-- cost.
local function replicas_at(group, at)
  local candidate, most = group.candidate, math.ceil(FURTHEST * group.up * math.max(1, at.more))
  local usual, now = needed(candidate, USUAL, most), needed(candidate, at, most)
  if not now then return nil end
  return sizes.with(candidate.ask, candidate.pool, math.max(1, now + group.up - usual)).replicas
end

-- The winner's fleet with count_of(group) replicas of each group; nothing where that is none of them.
local function fleet_with(winner, count_of)
  local fleet = { replicas = 0, devices = 0, cost_usd_h = 0 }
  for _, group in ipairs(winner.groups) do
    local count = count_of(group)
    if not count then return nil end
    local devices = count * group.candidate.ranks
    fleet.replicas, fleet.devices = fleet.replicas + count, fleet.devices + devices
    fleet.cost_usd_h = fleet.cost_usd_h + devices * group.candidate.pool.usd_h
  end
  return fleet
end

-- As so slow steps and so large a load need it; nothing where no number would do.
local function fleet_at(winner, at)
  return fleet_with(winner, function(group) return replicas_at(group, at) end)
end

--- The fleet that the winner would be for a load `more` times as large: { replicas, devices, cost_usd_h }; nil where no number
--- of its replicas would do.
function fleet_range.for_load(winner, more) return fleet_at(winner, { slower = 1, more = more }) end

--- The winner's fleet where one replica carries any load, and others are spare: no range reaches below it.
function fleet_range.least(winner)
  return fleet_with(winner, function(group) return sizes.with(group.candidate.ask, group.candidate.pool, 1).replicas end)
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

--- In words that no number of replicas does at the upper end of a range.
fleet_range.NONE = "were steps as slow as one published point in ten is, no number of such replicas would meet the SLO"

--- The ranges of a winner by name: ttft_s, tpot_s, e2e_s as simulated, replicas, devices and cost_usd_h of the fleet that would
--- do. The upper ends of these three are math.huge where no number of replicas would.
---@return table<string, ballpark.range>
function fleet_range.of(winner)
  local result, times = {}, times_of(winner)
  for name, time in pairs(times) do result[name] = time.seen end
  result = ranges.with_parts(result)
  local e2e = times.e2e_s.factor
  local least, most = fleet_at(winner, { slower = e2e.low, more = 1 }), fleet_at(winner, { slower = e2e.high, more = 1 })
  for _, name in ipairs(least and { "replicas", "devices", "cost_usd_h" } or {}) do
    result[name] = range.new(winner[name], least[name], most and most[name] or math.huge, e2e.why)
  end
  return result
end

return fleet_range
