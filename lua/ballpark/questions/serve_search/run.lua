-- The cheapest fleet that meets an SLO: closed forms order all fleets, the simulation confirms in that order.
local best = require("ballpark.search.best")
local candidates = require("ballpark.questions.serve_search.candidates")
local clients = require("ballpark.questions.serve_search.clients")
local comparable = require("ballpark.questions.serve_search.comparable")
local confirm = require("ballpark.questions.serve_search.confirm")
local day = require("ballpark.questions.serve_search.day")
local fleet = require("ballpark.questions.serve.fleet")
local fleet_range = require("ballpark.questions.serve_search.fleet_range")
local errors = require("ballpark.errors")
local fleets = require("ballpark.questions.serve_search.fleets")
local mix = require("ballpark.questions.serve_search.mix")
local open_size = require("ballpark.questions.serve_search.open_size")
local question = require("ballpark.questions.serve_search.question")
local rejected = require("ballpark.questions.serve_search.rejected")
local refusal = require("ballpark.questions.serve.refusal")
local searched = require("ballpark.search.searched")
local tables = require("ballpark.tables")
local words = require("ballpark.questions.serve.words")

local search = {}

-- Least value of each part of the SLO in the mean, over fitting plans with all devices; and the fleet
-- that is nearest to the SLO, with what it breaks.
local function reachable(list, limits)
  local reach = { best = {} }
  for _, candidate in ipairs(list) do
    local last = #candidate.sizes
    local up = last > 0 and candidate.sizes[last].up
    local steady = up and candidate:planned(up)
    for name in pairs(steady and steady.stable and limits or {}) do
      reach.best[name] = math.min(reach.best[name] or math.huge, steady[name])
    end
    if up then
      local broken = candidate:broken(up)
      reach.rate_per_s = not candidate.ask.users and math.max(reach.rate_per_s or 0,
        up * steady.capacity_per_s * candidate.ask.fleet.utilization_frac) or nil
      reach[#reach + 1] = { candidate = candidate, last = last, broken = broken }
    end
  end
  local near = best.nearest(reach, function(one) return confirm.worst(one.broken) end)
  if near then
    reach.nearest = fleet.new({ { near.candidate, near.last } })
    reach.nearest.failed = near.broken
  end
  return reach
end

-- The plan that misses least memory.
local function least_missing(unfit)
  return (best.nearest(unfit, function(candidate) return candidate:missing_bytes() end))
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

-- How often, and up to how many, more devices are tried for a fleet that would do.
local ATTEMPTS <const>, MOST_DEVICES <const> = 4, 1000000

-- The same question of any number of replicas, where it states how many there are.
local function of_any_size(input)
  if not (input.space and input.space.replicas) then return nil end
  local space = tables.with(input.space)
  space.replicas = nil
  return tables.with(input, { space = space })
end

-- The cheapest fleet that meets the SLO in the mean, where there is one.
local function in_the_mean(input) return fleets.all(candidates.all(question.new(input)))[1] end

-- The same with more devices.
local function with_more(input, ask, reachable_per_s)
  local times = reachable_per_s and math.max(2, math.ceil(ask.load.rate_per_s / reachable_per_s)) or 2
  for _ = 1, ATTEMPTS do
    if times * input.gpus > MOST_DEVICES then return nil end
    local found = in_the_mean(tables.with(input, { gpus = times * input.gpus }))
    if found then return found end
    times = 2 * times
  end
end

-- Names of what is broken: what no number of devices mends before what more of them would.
local function worst_first(alone, failed)
  local names = names_of(alone)
  for _, name in ipairs(names_of(failed)) do
    if not alone[name] then names[#names + 1] = name end
  end
  return names
end

-- What a request that is alone breaks of each, by name.
local function broken_alone(list)
  local all = {}
  for i, candidate in ipairs(list) do all[i] = candidate:broken_alone() end
  return all
end

-- Why nothing meets the SLO: parts, the worst first, and what can be had.
local function explain(answer, input, found, outcome)
  local reach = reachable(found.list, answer.ask.sla.limits)
  answer.reachable, answer.reachable_per_s = reach.best, reach.rate_per_s
  answer.nearest = outcome.nearest or reach.nearest
  local alone = best.nearest(broken_alone(found.list), confirm.worst)
  answer.helped = #found.list == 0 or not next(alone)
  if outcome.short[1] and not outcome.failed[1] then
    answer.breaks, answer.nearest = { "memory" }, nil
  elseif answer.nearest then
    answer.breaks = worst_first(answer.helped and {} or alone, answer.nearest.failed)
    if not answer.breaks[1] then answer.breaks, answer.nearest = { "gpus" }, nil end -- of two pools, which are not one of them
  elseif #found.list == 0 then
    answer.breaks, answer.missing = { "memory" }, least_missing(found.unfit)
  else
    answer.breaks = { "gpus" }
  end
  local free = of_any_size(input)
  answer.enough = free and in_the_mean(free)
  if not answer.enough and (open_size.is_short(answer.breaks) or answer.ask.users and answer.helped) then
    answer.enough = with_more(free or input, answer.ask, reach.rate_per_s)
  end
end

-- One replica of a group as what serve{} would have answered for it: to show, and to launch.
local function replica_of(winner, group)
  local candidate = group.candidate
  local input = candidate:setup()
  input.load = confirm.load(winner)
  return { kind = "serving", fits = true, input = input, assumed = {}, origin = candidate.pool.origin,
    memory = candidate.memory, steady = group.steady, seen = winner.seen, replicas = group.replicas,
    role = group.role, max_model_len = candidate.ask.max_model_len }
end

-- The rate at which users come to a fleet, as it was simulated.
local function settle(answer)
  local ask, seen = answer.ask, answer.winner.seen
  local rate = ask.users.count / (ask.users.think_s + seen.e2e.mean_s)
  ask.mean_per_s, ask.load.rate_per_s = rate, rate
  answer.clients = { users = ask.users.count, think_s = ask.users.think_s, rate_per_s = rate, e2e_s = seen.e2e.mean_s, settled = true }
end

local function complete(answer)
  if answer.ask.users then settle(answer) end
  answer.kinds = {}
  for i, group in ipairs(answer.winner.groups) do answer.kinds[i] = replica_of(answer.winner, group) end
  answer.best, answer.link = answer.kinds[1], words.link(confirm.setup(answer.winner))
  answer.smaller = rejected.smaller(answer.winner)
  answer.range = fleet_range.of(answer.winner)
  answer.comparable = answer.winner.groups[2] == nil and comparable.of(answer.winner.groups[1]) or nil
  answer.day = answer.ask.day and day.of(answer.winner) or nil
end

-- The winner may have been found by adding replicas to one that failed.
local function with_winner(list, winner)
  if not winner or tables.contains(list, winner) then return list end
  local all = table.move(list, 1, #list, 1, {})
  best.insert(all, winner, fleet.ranks)
  return all
end

-- How much of the space was looked at. What is dearer than the winner does not matter: neither fleets that were not
-- simulated nor pairs that were left out.
local function searched_of(ask, found, left_out, outcome)
  local why, missed, size = {}, 0, found.tried + left_out.paired + left_out.pairs
  if outcome.left > 0 then
    missed = outcome.left
    why[1] = (outcome.winner and "%d fleets were simulated, and not all that are cheaper than the winner"
      or "%d fleets were simulated and failed, dearer ones were not tried"):format(outcome.trials)
  end
  if left_out.pairs > 0 and left_out.least_usd_h < (outcome.winner and outcome.winner.cost_usd_h or math.huge) then
    missed = missed + left_out.pairs
    why[#why + 1] = ("%d pairs of replicas, one for prefill and one for decode, were left out"):format(left_out.pairs)
  end
  why[#why + 1] = confirm.few_requests(ask)
  return searched.of(size, size - missed, why[1] and table.concat(why, "; "))
end

-- Fleets of which none is both cheaper and faster, of those that did not fail when they were simulated.
local function front_of(list)
  local held = {}
  for _, one in ipairs(list) do
    if not one.failed then held[#held + 1] = one end
  end
  return best.front(held, function(one) return { one.cost_usd_h, one.steady.ttft_s, one.steady.tpot_s } end)
end

-- Of users the kinds of replicas are the same at every rate that is tried.
local function of_lengths(ask)
  if not ask.users then return mix.run(ask) end
  local kinds
  return clients.of_lengths(ask, function(rated)
    kinds = kinds or mix.kinds(rated)
    return mix.run(rated, kinds)
  end)
end

local function answered(input)
  local ask = question.new(input)
  if ask.load.buckets and ask.day then errors.input("load.arrivals", "goes through a day with requests of one length; of buckets give the peak's rate") end
  if ask.load.buckets then return of_lengths(ask) end
  local found = candidates.all(ask)
  local list, left_out = fleets.all(found)
  local outcome = confirm.first(list, ask)
  local answer = { kind = "serving_search", ask = ask, fits = outcome.winner ~= nil, winner = outcome.winner,
    fleets = with_winner(list, outcome.winner), tried = found.tried, fitting = #found.list, trials = outcome.trials,
    rejected = rejected.tally(found, outcome), assumed = found.assumed,
    searched = searched_of(ask, found, left_out, outcome) }
  answer.front = front_of(answer.fleets)
  if outcome.winner then
    complete(answer)
  else
    explain(answer, input, found, outcome)
    answer.refused = refusal.of(answer)
  end
  return answer
end

--- Answers serve_search{}, or as serving.mix does where the load has buckets: { kind, fits, ask, winner, best, fleets
--- (cheapest first, in the mean), front, tried, fitting, rejected, trials, searched (how much of the space was looked at) };
--- where nothing meets the SLO instead of winner, best and kinds (of its replicas, the first is best): breaks,
--- nearest, reachable, refused (why, in a line), and enough, a fleet of more devices that would hold it in the mean. Of a
--- load of users also clients = { users, think_s, rate_per_s, e2e_s, settled (whether rate and answers agree), by_chance
--- (whether they are taken to come so at that rate) }.
function search.run(input) return open_size.found(input, answered) end

return search
