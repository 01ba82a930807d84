-- What simulated requests see of a fleet, and the cheapest fleet for which that meets the SLO.
local best = require("ballpark.search.best")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.serve.fleet")
local promise = require("ballpark.questions.serve.promise")
local space = require("ballpark.questions.serve_search.space")
local tables = require("ballpark.tables")

local confirm = {}

-- Simulations before the search gives up, each some milliseconds, for every kind of device and every two flavours, as 16 and
-- 8 bit are: what a wider space has besides would else use up what a narrower one takes to find its fleet.
local TRIALS <const>, FLAVOURS <const> = 48, 2

local function trials_of(ask)
  return TRIALS * #ask.pools * math.max(1, space.flavours(ask.space) // FLAVOURS)
end

-- Requests of a simulation: so many that twenty of them are beyond the SLO's percentile; in large fleets each
-- replica has enough of them to fill up. The first and the last tenth of the arrivals, while it fills and drains, are
-- not counted: a tenth comes while one request is answered, or more do.
local REQUESTS <const>, BEYOND <const>, PER_REPLICA <const> = 2000, 20, 200
confirm.TRIM_FRAC = 0.1
-- What holds is simulated again, with so many times the requests, of so many or fewer: a percentile of few is met by
-- luck, and many take their time.
local LONGER <const>, MANY <const> = 4, 100000
-- Percentiles farther apart than that have not settled.
local SETTLED <const> = 0.1

--- Replicas that are simulated at most: a larger fleet is operated in parts, each behind a router of its own and with its
--- share of the load (assumption), and one part stands for all.
confirm.PART = 256

--- The share of a fleet that is simulated: whole replicas of its smaller pool.
function confirm.share(this)
  local all, least = 0, math.huge
  for _, group in ipairs(this.groups) do all, least = all + group.up, math.min(least, group.up) end
  return all > confirm.PART and math.max(1, least * confirm.PART // all) / least or 1
end

local function simulated_of(group, share) return math.max(1, (group.up * share + 0.5) // 1) end

--- What makes a fleet of a replica, as core.serve takes it: with one pool or two, spares down. The links of the pool
-- for prefill are shared; a transfer takes at least what one replica's links need for it.
---@param share number|nil of its replicas; all unless said
function confirm.setup(this, share)
  local first, last = this.groups[1], this.groups[#this.groups]
  local pool, ranks = first.candidate.pool, math.max(first.candidate.ranks, last.candidate.ranks)
  local setup = tables.with(first.candidate:setup(), { plan = last.candidate.plan, replicas = simulated_of(last, share or 1),
    network = pool.network(ranks) })
  if first == last then return setup end
  local prompts = simulated_of(first, share or 1)
  setup.prefill_pool = { replicas = prompts, plan = first.candidate.plan, link_latency_s = fleet.transfer_s(first),
    link_bytes_s = pool.nic_bytes_s * first.candidate.ranks * prompts }
  return setup
end

--- Requests that are beyond the percentile of an SLO when so many are simulated, and how many tell it.
function confirm.beyond(sla, requests) return requests * (100 - sla.percentile) / 100, BEYOND end

--- Requests to simulate, of `least` or more, for enough of them to be beyond the SLO's percentile, and for the
--- arrivals that are not counted to be as many as those in flight.
function confirm.requests(sla, least, in_flight)
  return math.max(least, math.floor(BEYOND * 100 / (100 - sla.percentile) + 0.5),
    math.ceil(in_flight / confirm.TRIM_FRAC))
end

local function requests_of(this)
  local ask, share = this.candidate.ask, confirm.share(this)
  return confirm.requests(ask.sla, math.max(REQUESTS, PER_REPLICA * simulated_of(this, share)),
    share * ask.load.rate_per_s * this.steady.e2e_s)
end

--- What requests see of a fleet with its spares down, behind a router: as core.serve answers.
---@param requests integer|nil how many, unless the load says; as many as it takes
function confirm.simulated(this, requests)
  local ask, share = this.candidate.ask, confirm.share(this)
  return core.serve(tables.with(confirm.setup(this, share), { percentile = ask.sla.percentile, load = tables.with(ask.load,
    { rate_per_s = share * ask.load.rate_per_s, requests = ask.load.requests or requests or requests_of(this),
      trim_frac = confirm.TRIM_FRAC }) }))
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

--- What is broken as run(requests) simulates; what holds has to hold for more requests as well, unless they are
--- `fixed`. Then what was seen last, and parts whose percentile has not settled.
function confirm.tried(run, sla, requests, fixed)
  local short, more = run(requests), math.max(requests, math.min(LONGER * requests, MANY))
  local broken = promise.broken(short, sla)
  if next(broken) or fixed or more == requests then return broken, short, {} end
  local long = run(more)
  return promise.broken(long, sla), long, unsettled(short, long, sla)
end

--- The load of one replica, as core.serve takes it.
function confirm.load(this)
  local load = this.candidate.ask.load
  return tables.with(load, { rate_per_s = load.rate_per_s / this.up })
end

-- A fleet that cannot keep up is farther from the SLO than any that can.
local OVERLOAD <const> = 1e9

--- How far the worst part of what is broken is from its limit.
function confirm.worst(broken)
  if broken.rate then return OVERLOAD * broken.rate end
  local most = 0
  for _, ratio in pairs(broken) do most = math.max(most, ratio) end
  return most
end

-- Seconds that requests take less in the mean, for each USD per hour that the larger fleet costs more.
local function gain_of(this, more)
  return (this.steady.e2e_s - more.steady.e2e_s) / (more.cost_usd_h - this.cost_usd_h)
end

-- The next larger fleets, with more of what is too slow: prompts for the first token, answers for the time of a token.
-- Where only the whole is too slow, first the one whose pool shortens it most for its price, then the other.
local function enlarged(this, broken)
  local prompts = this:larger(1)
  if not this.groups[2] or broken.ttft_s then return { prompts } end
  local answers = this:larger(2)
  if not prompts or not answers then return { answers or prompts } end
  if broken.tpot_s or not broken.e2e_s then return { answers } end
  if gain_of(this, prompts) > gain_of(this, answers) then return { prompts, answers } end
  return { answers, prompts }
end

-- A pair by its replicas, to know it again.
local function key_of(this)
  local parts = {}
  for i, group in ipairs(this.groups) do parts[i] = ("%d %d"):format(group.candidate.place, group.index) end
  return table.concat(parts, " ")
end

-- What is broken of a fleet as it is simulated; nil where a replica's cache does not hold the longest request that was
-- drawn, which no number of replicas mends.
local function broken_of(this, sla)
  local ok, broken, seen, moved = errors.attempt(confirm.tried, function(requests) return confirm.simulated(this, requests) end,
    sla, requests_of(this), this.candidate.ask.load.requests)
  if ok then
    this.seen, this.unsettled = seen, moved
    return broken
  end
  if broken.path ~= "memory" then error(broken, 0) end
  return nil
end

--- Simulates the cheapest fleet there is; one that fails comes back with more replicas. Answers { trials, failed =
--- what each fleet that failed broke, short = fleets that do not hold the longest request, winner, or nearest; left =
--- fleets that were not simulated }.
function confirm.first(fleets, ask)
  local sla, trials = ask.sla, trials_of(ask)
  -- After half of them only the first of several larger fleets is tried, so that the rest of them lead far enough.
  local broad = trials // 2
  local queue, outcome = table.move(fleets, 1, #fleets, 1, {}), { trials = 0, failed = {}, short = {} }
  local known = {}
  for _, this in ipairs(queue) do known[key_of(this)] = true end
  while queue[1] and outcome.trials < trials do
    local this = table.remove(queue, 1)
    local broken = broken_of(this, sla)
    outcome.trials = outcome.trials + 1
    if broken and not next(broken) then
      outcome.winner = this
      return outcome
    end
    if broken then
      this.failed = broken
      outcome.failed[#outcome.failed + 1] = this
      for i, more in ipairs(enlarged(this, broken)) do
        local key = key_of(more)
        if not known[key] and (i == 1 or outcome.trials < broad) then best.insert(queue, more, fleet.ranks) end
        known[key] = true
      end
    else
      outcome.short[#outcome.short + 1] = this
    end
  end
  outcome.left = #queue
  outcome.nearest = best.nearest(outcome.failed, function(this) return confirm.worst(this.failed) end)
  return outcome
end

return confirm
