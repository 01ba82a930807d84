-- The cheapest fleet that holds a promise: closed forms order all plans, the simulation confirms in that order.
local candidates = require("ballpark.serving.candidates")
local core = require("ballpark.core")
local question = require("ballpark.serving.question")
local serving = require("ballpark.serving")

local search = {}

-- Simulations before the search gives up: each is some milliseconds.
local TRIALS <const> = 48
-- Requests of a simulation: twenty of them are beyond the 99th percentile.
local REQUESTS <const> = 2000

local PART <const> = { ttft_s = "ttft", tpot_s = "tpot", e2e_s = "e2e" }

-- Cheaper first; of equal cost the faster, then the order of the space.
local function before(a, b)
  if a.cost_usd_h ~= b.cost_usd_h then return a.cost_usd_h < b.cost_usd_h end
  if a.steady.e2e_s ~= b.steady.e2e_s then return a.steady.e2e_s < b.steady.e2e_s end
  if a.place ~= b.place then return a.place < b.place end
  return a.index < b.index
end

local function fleet_of(candidate, index, place)
  local up = candidate.ups[index]
  return { candidate = candidate, index = index, place = place, up = up, replicas = up + candidate.ask.spares,
    devices = (up + candidate.ask.spares) * candidate.ranks, cost_usd_h = candidate:cost(up),
    steady = candidate:steady(up) }
end

-- Fleets that hold the promise in the mean, cheapest first.
local function ordered(list)
  local fleets = {}
  for place, candidate in ipairs(list) do
    local index = candidate:fewest()
    if index then fleets[#fleets + 1] = fleet_of(candidate, index, place) end
  end
  table.sort(fleets, before)
  return fleets
end

local function simulated(fleet)
  local setup, load = fleet.candidate:setup(), {}
  for key, value in pairs(fleet.candidate.ask.load) do load[key] = value end
  load.rate_per_s, load.requests = load.rate_per_s / fleet.up, load.requests or REQUESTS
  setup.load = load
  return core.serve(setup), load
end

-- What the simulated requests break: value over limit per part of the promise.
local function broken_in(seen, sla)
  local list = {}
  for name, limit in pairs(sla.limits) do
    local value = seen[PART[name]][("p%d_s"):format(sla.percentile)]
    if value > limit then list[name] = value / limit end
  end
  return list
end

-- A fleet that cannot keep up is farther from the promise than any that can.
local OVERLOAD <const> = 1e9

local function worst(broken)
  if broken.rate then return OVERLOAD * broken.rate end
  local most = 0
  for _, ratio in pairs(broken) do most = math.max(most, ratio) end
  return most
end

local function insert(queue, fleet)
  local at = 1
  while queue[at] and before(queue[at], fleet) do at = at + 1 end
  table.insert(queue, at, fleet)
end

-- Simulates the cheapest fleet there is; one that fails comes back with more replicas.
local function confirm(fleets, sla)
  local queue, outcome = table.move(fleets, 1, #fleets, 1, {}), { trials = 0 }
  while queue[1] and outcome.trials < TRIALS do
    local fleet = table.remove(queue, 1)
    fleet.seen, fleet.load = simulated(fleet)
    outcome.trials = outcome.trials + 1
    local broken = broken_in(fleet.seen, sla)
    if not next(broken) then
      outcome.winner = fleet
      return outcome
    end
    if not outcome.nearest or worst(broken) < worst(outcome.nearest.broken) then
      outcome.nearest, fleet.broken = fleet, broken
    end
    local candidate = fleet.candidate
    if candidate.ups[fleet.index + 1] then insert(queue, fleet_of(candidate, fleet.index + 1, fleet.place)) end
  end
  outcome.gave_up = queue[1] ~= nil
  return outcome
end

-- Least value of each part of the promise in the mean, over fitting plans with all devices; and the fleet
-- that is nearest to the promise, with what it breaks.
local function reachable(list, limits)
  local reach = { best = {} }
  for place, candidate in ipairs(list) do
    local up = candidate.ups[#candidate.ups]
    local steady = up and candidate:steady(up)
    for name in pairs(steady and steady.stable and limits or {}) do
      reach.best[name] = math.min(reach.best[name] or math.huge, steady[name])
    end
    if up then
      local broken = candidate:broken(up)
      reach.rate_per_s = math.max(reach.rate_per_s or 0,
        up * steady.capacity_per_s * candidate.ask.utilization_frac)
      if not reach.nearest or worst(broken) < worst(reach.nearest.broken) then
        reach.nearest = fleet_of(candidate, #candidate.ups, place)
        reach.nearest.broken = broken
      end
    end
  end
  return reach
end

-- The plan that misses least memory.
local function least_missing(unfit)
  local best
  for _, candidate in ipairs(unfit) do
    if not best or candidate.memory.pool_bytes > best.memory.pool_bytes then best = candidate end
  end
  return best
end

local function names_of(broken)
  local names = {}
  for name in pairs(broken) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    if broken[a] ~= broken[b] then return broken[a] > broken[b] end
    return a < b
  end)
  return names
end

-- Why nothing holds the promise: parts, the worst first, and what can be had.
local function explain(answer, found, outcome)
  local reach = reachable(found.list, answer.ask.sla.limits)
  answer.reachable, answer.reachable_per_s = reach.best, reach.rate_per_s
  answer.nearest = outcome.nearest or reach.nearest
  answer.gave_up = outcome.gave_up
  if answer.nearest then
    answer.breaks = names_of(answer.nearest.broken)
  elseif #found.list == 0 then
    answer.breaks, answer.missing = { "memory" }, least_missing(found.unfit)
  else
    answer.breaks = { "gpus" }
  end
end

-- The winner as what serve{} would have answered for one replica of it: to show, and to launch.
local function replica_of(fleet)
  local candidate = fleet.candidate
  local input = candidate:setup()
  input.load = fleet.load
  return { kind = "serving", fits = true, input = input, assumed = {}, origin = candidate.pool.origin,
    memory = candidate.memory, steady = fleet.steady, seen = fleet.seen, replicas = fleet.replicas }
end

--- Answers serve_search{}: { kind, fits, ask, winner, best, fleets (cheapest first, in the mean), tried, fitting,
--- refused, trials }; where nothing holds the promise instead of winner and best: breaks, nearest, reachable.
function search.run(input)
  local ask = question.new(input)
  local engine, said = serving.engine(ask.engine)
  local found = candidates.all(ask, engine)
  local fleets = ordered(found.list)
  local outcome = confirm(fleets, ask.sla)
  local answer = { kind = "serving_search", ask = ask, fits = outcome.winner ~= nil, winner = outcome.winner,
    fleets = fleets, tried = found.tried, fitting = #found.list, refused = found.refused, trials = outcome.trials,
    assumed = { said }, engine = engine }
  if outcome.winner then
    answer.best = replica_of(outcome.winner)
  else
    explain(answer, found, outcome)
  end
  return answer
end

return search
