-- What simulated requests see of a fleet, and the cheapest fleet for which that meets the SLO.
local best = require("ballpark.search.best")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.serve.fleet")
local growth = require("ballpark.questions.serve_search.growth")
local promise = require("ballpark.questions.serve.promise")
local space = require("ballpark.questions.serve_search.space")
local tables = require("ballpark.tables")

local confirm = {}

-- Simulations of the cheapest first, each some milliseconds, for every kind of device and every two flavours, as 16 and
-- 8 bit are: what a wider space has besides would else use up what a narrower one takes to find its fleet. And simulations
-- before the search gives up, of the nearest first.
local TRIALS <const>, FLAVOURS <const> = 48, 2
confirm.NEAREST = 24

-- Of two pools either may grow.
local PAIRED <const> = 1.5

--- Simulations of the cheapest first.
function confirm.trials(ask)
  local each = tables.contains(ask.space.pattern, "disaggregated") and math.ceil(PAIRED * TRIALS) or TRIALS
  return each * #ask.pools * math.max(1, space.flavours(ask.space) // FLAVOURS)
end

-- Requests of a simulation: so many that twenty of them are beyond the SLO's percentile; in large fleets each
-- replica has enough of them to fill up. The first and the last tenth of the arrivals, while it fills and drains, are
-- not counted: a tenth comes while one request is answered, or more do.
local REQUESTS <const>, BEYOND <const>, PER_REPLICA <const> = 2000, 20, 200
confirm.TRIM_FRAC = 0.1
-- What holds is simulated again, with so many times the requests, of so many or fewer: a percentile of few is met by
-- luck, and many take their time. Where NO_LUCK are beyond it already, more say little: how many
-- those should be is known to one part in 45, the root of it.
local LONGER <const>, MANY <const>, NO_LUCK <const> = 4, 100000, 2000
-- Percentiles farther apart than that have not settled.
local SETTLED <const> = 0.1
-- A percentile that is over its limit by no more than this share may come of few requests (chosen: half of what settles).
local NEARLY <const> = 0.05

--- Replicas that are simulated: a larger fleet is operated in parts, each behind a router of its own and with its share of
--- the load (assumption), and one part stands for all. Where its smaller pool would be of fewer than FEW, requests would
--- queue up before it as they do not before the whole: up to MOST replicas are simulated for those (chosen: twenty drawn
--- fleets cost within 1 % of what they do where all replicas are simulated).
local PART <const>, FEW <const> = 64, 16
confirm.MOST = 256

--- The share of a fleet that is simulated: whole replicas of its smaller pool.
function confirm.share(this)
  local all, least = 0, math.huge
  for _, group in ipairs(this.groups) do all, least = all + group.up, math.min(least, group.up) end
  if all <= PART then return 1 end
  local few = math.min(FEW, least * confirm.MOST // all, least)
  return math.max(1, few, least * PART // all) / least
end

local function simulated_of(group, share) return math.max(1, (group.up * share + 0.5) // 1) end

--- What makes a fleet of a replica, as core.serve takes it: with one pool or two, spares down. The links of the pool
-- for prefill are shared; a transfer takes at least what one replica's links need for it.
---@param share number|nil of its replicas; all unless said
function confirm.setup(this, share)
  local first, last = this.groups[1], this.groups[#this.groups]
  local ranks = math.max(first.candidate.ranks, last.candidate.ranks)
  local setup = tables.with(first.candidate:setup(), { plan = last.candidate.plan, replicas = simulated_of(last, share or 1),
    network = first.candidate.pool.network(ranks) })
  if first == last then return setup end
  local prompts = simulated_of(first, share or 1)
  setup.prefill_pool = tables.with({ replicas = prompts, plan = first.candidate.plan }, fleet.link(first, prompts))
  return setup
end

--- Requests that are beyond the percentile of an SLO when so many are simulated, and how many tell it.
function confirm.beyond(sla, requests) return requests * (100 - sla.percentile) / 100, BEYOND end

-- Requests of which so many are beyond the percentile of an SLO.
local function requests_with(sla, beyond) return math.floor(beyond * 100 / (100 - sla.percentile) + 0.5) end

--- That a percentile is met, or missed, by luck, as few of the requests that the load is to have are beyond it; nil where that
--- is not so.
function confirm.few_requests(ask)
  if not ask.load.requests then return nil end
  local beyond, enough = confirm.beyond(ask.sla, ask.load.requests)
  return beyond < enough and ("P%g of the %d requests of the load rests on %.3g of them: %d would do"):format(
    ask.sla.percentile, ask.load.requests, beyond, math.ceil(enough * 100 / (100 - ask.sla.percentile) - 1e-9)) or nil
end

--- Requests to simulate, of `least` or more, for enough of them to be beyond the SLO's percentile, and for the
--- arrivals that are not counted to be as many as those in flight.
function confirm.requests(sla, least, in_flight)
  return math.max(least, requests_with(sla, BEYOND),
    math.ceil(in_flight / confirm.TRIM_FRAC))
end

-- Requests in flight at a share of a fleet, in the mean.
local function in_flight(this, share)
  local ask, e2e_s = this.candidate.ask, this.steady.e2e_s
  local users = ask.users
  return share * e2e_s * (users and users.count / (users.think_s + e2e_s) or ask.load.rate_per_s)
end

local function requests_of(this)
  local share = confirm.share(this)
  return confirm.requests(this.candidate.ask.sla, math.max(REQUESTS, PER_REPLICA * simulated_of(this, share)),
    in_flight(this, share))
end

-- How a share of what is asked of a fleet comes, as core.serve takes it. Users were there before: they begin at some point of
-- their round of an answer and of thinking, since all at once they would stay in step for long.
local function arrivals_of(this, share)
  local ask = this.candidate.ask
  local users = ask.users
  if not users then return { rate_per_s = share * ask.load.rate_per_s } end
  return { arrivals = "closed", concurrency = math.max(1, math.floor(share * users.count + 0.5)), think_s = users.think_s,
    ramp_s = ask.load.ramp_s or this.steady.e2e_s }
end

-- What core.serve answers of a share of a fleet under its load with these changes.
local function served(this, share, changes)
  local ask = this.candidate.ask
  return core.serve(tables.with(confirm.setup(this, share), { percentile = ask.sla.percentile, samples = ask.samples,
    load = tables.with(ask.load, changes) }))
end

--- What requests see of a fleet with its spares down, behind a router: as core.serve answers.
---@param requests integer|nil how many, unless the load says; as many as it takes
function confirm.simulated(this, requests)
  local ask, share = this.candidate.ask, confirm.share(this)
  return served(this, share, tables.with(arrivals_of(this, share), { requests = ask.load.requests or requests or requests_of(this),
    trim_frac = confirm.TRIM_FRAC }))
end

-- A fleet that cannot keep up is farther from the SLO than any that can.
local OVERLOAD <const> = 1e9

--- How far the worst part of what is broken is from its limit.
function confirm.worst(broken)
  local load = broken.rate or broken.room
  if load then return OVERLOAD * load end
  local most = 0
  for _, ratio in pairs(broken) do most = math.max(most, ratio) end
  return most
end

-- Parts of the SLO whose percentile moved when more requests were simulated, each by what share.
local function unsettled(short, long, sla)
  local list = {}
  for name in pairs(sla.limits) do
    local moved = long[promise.part[name]].at_s / short[promise.part[name]].at_s - 1
    if math.abs(moved) > SETTLED then list[name] = moved end
  end
  return list
end

--- What is broken as run(requests) simulates. What holds, or nearly does, is simulated with more requests, unless they are
--- `fixed`, and these say. Then what was seen last, and parts whose percentile has not settled.
function confirm.tried(run, sla, requests, fixed)
  local short, more = run(requests), math.max(requests, math.min(LONGER * requests, MANY, requests_with(sla, NO_LUCK)))
  local broken = promise.broken(short, sla)
  if confirm.worst(broken) > 1 + NEARLY or fixed or more == requests then return broken, short, {} end
  local long = run(more)
  return promise.broken(long, sla), long, unsettled(short, long, sla)
end

--- The load of one replica, as core.serve takes it.
function confirm.load(this)
  local ask = this.candidate.ask
  return tables.with(ask.load, arrivals_of(this, 1 / this.up))
end

-- Seconds that requests take less in the mean, for each USD per hour that the larger fleet costs more.
local function gain_of(this, more)
  return (this.steady.e2e_s - more.steady.e2e_s) / (more.cost_usd_h - this.cost_usd_h)
end

-- What a fleet is tried by. One that came of a leap stands for all sizes behind the one that failed, of which the cheapest may
-- hold as well: it has its turn before a fleet that costs more than that.
local function turn_of(this)
  return fleet.ranks(not this.holds and this.least or this)
end

-- Share by which a step has to bring the worst part nearer to its limit for another like it (chosen).
local HELPS <const> = 0.02

-- Whether more replicas for prefill would do nothing for the answers: the last ones did nothing.
local function has_enough_prompts(this, broken)
  local step = this.step
  return step ~= nil and step.group == 1 and not step.held
    and confirm.worst(broken) > (1 - HELPS) * confirm.worst(step.from.failed)
end

-- The next larger fleets, with more of what is too slow: replicas for prefill for the first token. The time of a token
-- depends on both pools, as prompts that are done at once are answered at once: more of either may be the cheaper way.
-- Where only the whole is too slow, first the one whose pool shortens it most for its price, then the other.
local function enlarged(this, broken)
  local prompts = growth.larger(this, 1)
  if not this.groups[2] or broken.ttft_s then return { prompts } end
  local answers = growth.larger(this, 2)
  if not prompts or not answers then return { answers or prompts } end
  if has_enough_prompts(this, broken) then return { answers } end
  if broken.tpot_s or not broken.e2e_s then return { answers, prompts } end
  if gain_of(this, prompts) > gain_of(this, answers) then return { prompts, answers } end
  return { answers, prompts }
end

-- The kinds of its replicas, and a pair by its replicas, to know them again.
local function kind_of(this)
  local parts = {}
  for i, group in ipairs(this.groups) do parts[i] = group.candidate.place end
  return table.concat(parts, " ")
end

local function key_of(this)
  local parts = {}
  for i, group in ipairs(this.groups) do parts[i] = ("%d %d"):format(group.candidate.place, group.index) end
  return table.concat(parts, " ")
end

-- What fn(...) returns; nil where a replica's cache does not hold the longest request that was drawn, which no number of
-- replicas mends.
local function with_room(fn, ...)
  local outcome = table.pack(errors.attempt(fn, ...))
  if outcome[1] then return table.unpack(outcome, 2, outcome.n) end
  if outcome[2].path ~= "memory" then error(outcome[2], 0) end
  return nil
end

--- What is broken of a fleet as it is simulated; nil where its replicas have no room.
function confirm.broken(this)
  local sla = this.candidate.ask.sla
  local broken, seen, moved = with_room(confirm.tried, function(requests) return confirm.simulated(this, requests) end,
    sla, requests_of(this), this.candidate.ask.load.requests)
  if broken then this.seen, this.unsettled = seen, moved end
  return broken
end

-- Requests that come one at a time meet another so rarely that it is this share of those beyond the percentile.
local MEETING_FRAC <const> = 0.01

--- Whether requests break the SLO even where each finds its replicas idle, which no number of them mends.
function confirm.is_hopeless(this)
  local sla = this.candidate.ask.sla
  local beyond_frac = 1 - sla.percentile / 100
  local seen = with_room(served, this, 0, { rate_per_s = MEETING_FRAC * beyond_frac / this.steady.e2e_s, burstiness = 1,
    trim_frac = 0, requests = this.candidate.ask.load.requests or confirm.requests(sla, REQUESTS, 0) })
  return seen ~= nil and next(promise.broken(seen, sla)) ~= nil
end

-- Replicas for prefill by what their prompts broke: the first token does not depend on what decodes beside them.
local function late_prompts()
  local seen = {}
  local known = {}

  -- What is known to be broken of a pair, as with as many replicas for prefill or more beside other ones for decode.
  function known.of(this)
    local group = this.groups[1]
    local worst = this.groups[2] and seen[group.candidate]
    return worst and worst.index >= group.index and { ttft_s = worst.ratio } or nil
  end

  function known.add(this, broken)
    local group = this.groups[1]
    local worst = seen[group.candidate]
    if this.groups[2] and broken.ttft_s and not (worst and worst.index >= group.index) then
      seen[group.candidate] = { index = group.index, ratio = broken.ttft_s }
    end
  end
  return known
end

-- Place in the queue of what is likeliest to hold: between one that failed and one that held, or else the one that came of
-- the fleet that failed least; nothing where one holds and none is between.
local function nearest_of(queue)
  local at, least
  for i, this in ipairs(queue) do
    local step = this.step
    if this.holds then return nil end
    if step and step.held then return i end
    local miss = step and confirm.worst(step.from.failed) or math.huge
    if not at or miss < least then at, least = i, miss end
  end
  return at
end

--- Simulates the cheapest fleet there is; one that fails comes back with more replicas, unless no number of them would do.
--- One that holds after a leap waits for the cheaper ones, those between it and what failed among them. When that took too
--- many trials, what is nearest to the SLO is followed until it holds. Answers { trials, failed = what each fleet
--- that failed broke, short = fleets that do not hold the longest request, winner, or nearest; left = fleets that were not
--- simulated, cheaper than the winner if there is one }.
function confirm.first(fleets, ask)
  local trials = confirm.trials(ask)
  -- After half of them only the first of several larger fleets is tried, so that the rest of them lead far enough.
  local broad = trials // 2
  local queue, outcome = table.move(fleets, 1, #fleets, 1, {}), { trials = 0, failed = {}, short = {}, left = 0 }
  local known, hopeless, late = {}, {}, late_prompts()
  for _, this in ipairs(queue) do known[key_of(this)] = this end
  -- A middle that has failed before, on the way of another group, is not tried again: what lies behind it is.
  local function add(this)
    if not this then return end
    local key = key_of(this)
    local before = known[key]
    if not before then
      known[key] = this
      best.insert(queue, this, turn_of)
    elseif before.failed and this.step.held then
      add(growth.between(before, this.step.held, this.step.group))
    end
  end
  local function has_hope(this)
    local kind = kind_of(this)
    if hopeless[kind] == nil then hopeless[kind] = confirm.is_hopeless(this) end
    return not hopeless[kind]
  end
  local function failed(this, broken)
    this.failed = broken
    outcome.failed[#outcome.failed + 1] = this
    local step = this.step
    if step and step.held then return add(growth.between(this, step.held, step.group)) end
    if not has_hope(this) then return end
    for i, more in ipairs(enlarged(this, broken)) do
      if i == 1 or outcome.trials < broad then add(more) end
    end
  end
  local function tried(this)
    local broken = confirm.broken(this)
    outcome.trials = outcome.trials + 1
    if not broken then
      outcome.short[#outcome.short + 1] = this
    elseif next(broken) then
      late.add(this, broken)
      failed(this, broken)
    else
      this.holds = true
      best.insert(queue, this, turn_of)
      if this.step then add(growth.between(this.step.from, this, this.step.group)) end
    end
  end
  local function take(at)
    local this = table.remove(queue, at)
    local broken = late.of(this)
    if broken then failed(this, broken) else tried(this) end
  end
  while queue[1] and not queue[1].holds and outcome.trials < trials do take(1) end
  local at = nearest_of(queue)
  while at and outcome.trials < trials + confirm.NEAREST do
    take(at)
    at = nearest_of(queue)
  end
  for i, this in ipairs(queue) do
    if this.holds then
      outcome.winner, outcome.left = this, i - 1
      return outcome
    end
  end
  outcome.left = #queue
  outcome.nearest = best.nearest(outcome.failed, function(this) return confirm.worst(this.failed) end)
  return outcome
end

return confirm
