-- What simulated requests see of a fleet, and the cheapest fleet for which that holds the promise.
local core = require("ballpark.core")
local draw = require("ballpark.serving.draw")
local fleet = require("ballpark.serving.fleet")
local tables = require("ballpark.tables")

local confirm = {}

-- Simulations before the search gives up: each is some milliseconds.
local TRIALS <const> = 48
-- Requests of a simulation: twenty of them are beyond the 99th percentile.
local REQUESTS <const> = 2000

--- The name of a part of the promise in what a simulation says.
confirm.part = { ttft_s = "ttft", tpot_s = "tpot", e2e_s = "e2e" }

local function spread_of(values)
  table.sort(values)
  local function at(share)
    local place = 1 + share * (#values - 1)
    local below = math.floor(place)
    local low, high = values[below], values[below + 1] or values[below]
    return low + (place - below) * (high - low)
  end
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return { mean_s = sum / #values, p50_s = at(0.5), p90_s = at(0.9), p99_s = at(0.99) }
end

-- One replica of a group; its share of the requests comes as a stream of its own.
local function group_answers(group, requests, rate_per_s, load, changes)
  local setup = group.candidate:setup()
  return core.serve(tables.with(setup, { load = load, trace = draw.at(requests, rate_per_s / group.up, changes),
    answers = true })).answers
end

-- Prompts leave their pool as a Poisson stream again (Burke's theorem holds for M/M/c, here it is taken
-- for granted), so that the two pools are simulated one after the other, with the same requests.
local function disaggregated(this, load, count)
  local requests, prompts, answers = draw.requests(load, count), this.groups[1], this.groups[2]
  local sent_s, input = fleet.transfer_s(prompts), load.input_tokens or 1024
  local first = group_answers(prompts, requests, load.rate_per_s, {}, { output_tokens = 1 })
  local rest = group_answers(answers, requests, load.rate_per_s, { prefix_tokens = 1e9 })
  local ttft, tpot, e2e = {}, {}, {}
  for i, request in ipairs(requests) do
    ttft[i] = first[i].ttft_s
    e2e[i] = first[i].ttft_s + sent_s * request.input_tokens / input + rest[i].e2e_s
    if request.output_tokens > 1 then tpot[#tpot + 1] = (e2e[i] - ttft[i]) / (request.output_tokens - 1) end
  end
  return { ttft = spread_of(ttft), tpot = #tpot > 0 and spread_of(tpot) or spread_of({ 0 }), e2e = spread_of(e2e) }
end

--- What requests see of a fleet with its spares down: { ttft, tpot, e2e }, each with mean_s and percentiles.
function confirm.simulated(this)
  local load = this.candidate.ask.load
  local count = load.requests or REQUESTS
  if this.groups[2] then return disaggregated(this, load, count) end
  return core.serve(tables.with(this.candidate:setup(), { load = confirm.load(this) }))
end

--- The load of one replica of an aggregated fleet, as core.serve takes it.
function confirm.load(this)
  local load = this.candidate.ask.load
  return tables.with(load, { rate_per_s = load.rate_per_s / this.up, requests = load.requests or REQUESTS })
end

--- What simulated requests break: value over limit per part of the promise.
function confirm.broken(seen, sla)
  local list = {}
  for name, limit in pairs(sla.limits) do
    local value = seen[confirm.part[name]][("p%d_s"):format(sla.percentile)]
    if value > limit then list[name] = value / limit end
  end
  return list
end

-- A fleet that cannot keep up is farther from the promise than any that can.
local OVERLOAD <const> = 1e9

--- How far the worst part of what is broken is from its limit.
function confirm.worst(broken)
  if broken.rate then return OVERLOAD * broken.rate end
  local most = 0
  for _, ratio in pairs(broken) do most = math.max(most, ratio) end
  return most
end

local function insert(queue, this)
  local at = 1
  while queue[at] and fleet.before(queue[at], this) do at = at + 1 end
  table.insert(queue, at, this)
end

-- The next larger fleet, with more of what is too slow: prompts for the first token, answers for all else.
local function enlarged(this, broken)
  if not this.groups[2] then return this:larger(1) end
  if broken.ttft_s then return this:larger(1) end
  return this:larger(2) or this:larger(1)
end

--- Simulates the cheapest fleet there is; one that fails comes back with more replicas. Answers { trials, failed =
--- what each fleet that failed broke, winner, or nearest and gave_up }.
function confirm.first(fleets, sla)
  local queue, outcome = table.move(fleets, 1, #fleets, 1, {}), { trials = 0, failed = {} }
  while queue[1] and outcome.trials < TRIALS do
    local this = table.remove(queue, 1)
    this.seen = confirm.simulated(this)
    outcome.trials = outcome.trials + 1
    local broken = confirm.broken(this.seen, sla)
    if not next(broken) then
      outcome.winner = this
      return outcome
    end
    this.failed = broken
    outcome.failed[#outcome.failed + 1] = this
    if not outcome.nearest or confirm.worst(broken) < confirm.worst(outcome.nearest.failed) then
      outcome.nearest = this
    end
    local more = enlarged(this, broken)
    if more then insert(queue, more) end
  end
  outcome.gave_up = queue[1] ~= nil
  return outcome
end

return confirm
