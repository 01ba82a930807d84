-- A load whose requests differ in length, on pools of different replicas: which lengths go where for least cost.
local best = require("ballpark.search.best")
local candidates = require("ballpark.questions.serve_search.candidates")
local confirm = require("ballpark.questions.serve_search.confirm")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local refusal = require("ballpark.questions.serve.refusal")
local searched = require("ballpark.search.searched")
local sizes = require("ballpark.questions.serve_search.sizes")
local tables = require("ballpark.tables")

local mix = {}

-- Kinds of replicas of each device, the cheapest for each bucket and for all of them, that buckets are dealt to.
local KEPT <const> = 8
-- Deals that are simulated, the later ones without the kinds of replicas that no number of them made enough.
local DEALS <const> = 4
-- Deals looked at before the best one so far is taken, with its distance from the bound.
local NODES <const> = 200000
-- Halvings of a rate; simulated requests and their lengths per pool; simulations before giving up.
local HALVINGS <const>, REQUESTS <const>, SAMPLES <const>, TRIALS <const> = 14, 3000, 200, 32

-- The question of one bucket alone.
local function of_bucket(ask, bucket)
  local load = tables.with(ask.load, { rate_per_s = bucket.share * ask.load.rate_per_s,
    input_tokens = bucket.input_tokens, output_tokens = bucket.output_tokens })
  load.buckets = nil
  return tables.with(ask, { load = load, space = tables.with(ask.space, { pattern = { "aggregated" } }) })
end

local function holds(candidate, rate)
  local steady, ask = candidate:at(rate), candidate.ask
  if not steady.stable or rate > steady.capacity_per_s * ask.fleet.utilization_frac then return false end
  for name, limit in pairs(ask.sla.limits) do
    if steady[name] > limit then return false end
  end
  return true
end

-- Most requests per second of a bucket that one replica takes, or nil.
local function rate_of(candidate)
  local share = candidate.ask.fleet.utilization_frac
  local high = share * candidate:at(1e-6).capacity_per_s
  if holds(candidate, high) then return high end
  local low = 1e-6 * high
  if not holds(candidate, low) then return nil end
  for _ = 1, HALVINGS do
    local middle = 0.5 * (low + high)
    if holds(candidate, middle) then low = middle else high = middle end
  end
  return low
end

-- Kinds of replicas by their place in the space: { candidate, need = replicas each bucket takes, cost_usd_h of one }; and how
-- many kinds have the memory for each bucket.
local function options_of(ask)
  local by_place, list, fitting = {}, {}, {}
  for b, bucket in ipairs(ask.load.buckets) do
    local found = candidates.all(of_bucket(ask, bucket)).list
    fitting[b] = #found
    for _, candidate in ipairs(found) do
      local rate = rate_of(candidate)
      if rate then
        local option = by_place[candidate.place]
        if not option then
          option = { candidate = candidate, need = {}, cost_usd_h = candidate.ranks * candidate.pool.usd_h }
          by_place[candidate.place], list[#list + 1] = option, option
        end
        option.need[b] = candidate.ask.load.rate_per_s / rate
      end
    end
  end
  return list, fitting
end

local function price(option, b) return option.need[b] and option.need[b] * option.cost_usd_h or math.huge end

-- Size, devices and cost of a pool of an option that takes `need` replicas.
local function pool_of(ask, option, need)
  local size = sizes.with(ask, option.candidate.pool, math.max(1, math.ceil(need - 1e-9)))
  return size, size.most * option.candidate.ranks, size.replicas * option.cost_usd_h
end

-- What an option costs for all buckets together.
local function price_of_all(option, buckets)
  local sum = 0
  for b = 1, #buckets do sum = sum + price(option, b) end
  return sum
end

-- The same in whole replicas with their spares, and the devices of those: at low rates a small device costs less of them than a
-- share of a large one.
local function whole_price(ask, option)
  local need = 0
  for b = 1, #ask.load.buckets do need = need + (option.need[b] or math.huge) end
  if need == math.huge then return math.huge, math.huge end
  local _, devices, cost = pool_of(ask, option, need)
  return cost, devices
end

local function devices_of(options)
  local seen, count = {}, 0
  for _, option in ipairs(options) do
    local name = option.candidate.pool.device
    if not seen[name] then seen[name], count = true, count + 1 end
  end
  return count
end

-- The options that are among the cheapest of some bucket, or of all together.
local function kept(ask, options)
  local marked, out, buckets, most = {}, {}, ask.load.buckets, KEPT * devices_of(options)
  local function mark(cost_of)
    options = best.sorted(options, function(option) return { cost_of(option), option.candidate.place } end)
    for _, option in ipairs(best.first(options, most)) do
      if cost_of(option) < math.huge then marked[option] = true end
    end
  end
  for b = 1, #buckets do mark(function(option) return price(option, b) end) end
  mark(function(option) return price_of_all(option, buckets) end)
  mark(function(option) return (whole_price(ask, option)) end)
  for _, option in ipairs(options) do
    if marked[option] then out[#out + 1] = option end
  end
  return out
end

-- Deals bucket after bucket; a deal whose pools so far, or whose buckets' shares of replicas, cost no less than
-- the best is left.
local function dealt(ask, options)
  local buckets, need, deal = #ask.load.buckets, {}, {}
  local rest = { [buckets + 1] = 0 }
  for b = buckets, 1, -1 do
    local least = math.huge
    for _, option in ipairs(options) do least = math.min(least, price(option, b)) end
    rest[b] = rest[b + 1] + least
  end
  local found = { cost = math.huge, nodes = 0, bound = rest[1] }
  local function cost_now()
    local cost, devices = 0, 0
    for i, option in ipairs(options) do
      if need[i] then
        local _, more, usd = pool_of(ask, option, need[i])
        cost, devices = cost + usd, devices + more
      end
    end
    return cost, devices
  end
  local function step(b, shares)
    found.nodes = found.nodes + 1
    local cost, devices = cost_now()
    if devices > ask.gpus or math.max(cost, shares + rest[b]) >= found.cost or found.nodes > NODES then return end
    if b > buckets then
      found.cost, found.deal, found.devices = cost, table.move(deal, 1, buckets, 1, {}), devices
      return
    end
    for i, option in ipairs(options) do
      if option.need[b] then
        local before = need[i]
        need[i], deal[b] = (before or 0) + option.need[b], i
        step(b + 1, shares + price(option, b))
        need[i] = before
      end
    end
  end
  step(1, 0)
  found.exact = found.nodes <= NODES
  return found
end

-- Pools of a deal: { candidate, buckets, share, up, replicas, most, devices, cost_usd_h }.
local function pools_of(ask, options, deal)
  local pools, by_option = {}, {}
  for b, i in ipairs(deal) do
    local pool = by_option[i]
    if not pool then
      pool = { option = options[i], candidate = options[i].candidate, buckets = {}, need = 0, share = 0, more = 0 }
      by_option[i], pools[#pools + 1] = pool, pool
    end
    pool.buckets[#pool.buckets + 1] = b
    pool.need, pool.share = pool.need + options[i].need[b], pool.share + ask.load.buckets[b].share
  end
  return pools
end

local function sized(ask, pool)
  local size, _, cost = pool_of(ask, pool.option, math.ceil(pool.need - 1e-9) + pool.more)
  pool.up, pool.replicas, pool.most, pool.cost_usd_h = size.up, size.replicas, size.most, cost
  pool.devices = size.replicas * pool.candidate.ranks
end

-- Lengths of a pool's requests, in the shares of its buckets.
local function samples_of(ask, pool)
  local list = {}
  for _, b in ipairs(pool.buckets) do
    local bucket = ask.load.buckets[b]
    for _ = 1, math.max(1, math.floor(SAMPLES * bucket.share / pool.share + 0.5)) do
      list[#list + 1] = { input_tokens = bucket.input_tokens, output_tokens = bucket.output_tokens }
    end
  end
  return list
end

-- Keeps what was seen, which says how many are in flight for the next time.
local function simulated(ask, pool, requests)
  local rate = pool.share * ask.load.rate_per_s
  local least = confirm.requests(ask.sla, requests, pool.seen and rate * pool.seen.e2e.mean_s or 0)
  pool.seen = core.serve(tables.with(pool.candidate:setup(), { replicas = pool.up, samples = samples_of(ask, pool),
    percentile = ask.sla.percentile,
    load = { arrivals = "open", rate_per_s = rate, lengths = "empirical", requests = least,
      trim_frac = confirm.TRIM_FRAC, seed = ask.load.seed } }))
  return pool.seen
end

-- Adds replicas to a pool until its simulated requests meet the SLO; whether they do.
local function confirmed(ask, pool, answer)
  while answer.trials < TRIALS do
    sized(ask, pool)
    pool.broken, pool.seen, pool.unsettled = confirm.tried(function(requests)
      return simulated(ask, pool, requests)
    end, ask.sla, confirm.requests(ask.sla, REQUESTS, 0))
    answer.trials = answer.trials + 1
    if not next(pool.broken) then return true end
    pool.more = pool.more + 1
  end
  return false
end

-- The cheapest deal with all buckets in one pool, by closed forms.
local function alone(ask, options)
  local least
  for _, option in ipairs(options) do
    local cost, devices = whole_price(ask, option)
    if cost < (least or math.huge) and devices <= ask.gpus then least = cost end
  end
  return least
end

-- How much of the kinds of replicas was dealt to, and what kept the rest from it. A deal at the bound of all kinds is
-- the cheapest whatever was left out.
local function searched_of(all, options, found, answer)
  local why = {}
  if #options < #all and not (found and found.cost <= found.bound) then
    why[1] = ("lengths were dealt to %d of %d kinds of replicas, the cheapest of each"):format(#options, #all)
  end
  if found and not found.exact then why[#why + 1] = ("%d deals were looked at"):format(NODES) end
  if found and found.deal and answer.trials >= TRIALS and not answer.fits then
    why[#why + 1] = ("%d fleets were simulated"):format(TRIALS)
  end
  return searched.of(#all, #options, why[1] and table.concat(why, "; "))
end

-- Mean time of the requests of all pools.
local function mean_s(pools)
  local sum = 0
  for _, pool in ipairs(pools) do sum = sum + pool.share * pool.seen.e2e.mean_s end
  return sum
end

local function complete(ask, options, found, answer)
  answer.pools, answer.fits, answer.cost_usd_h, answer.devices = pools_of(ask, options, found.deal), true, 0, 0
  for _, pool in ipairs(answer.pools) do
    answer.fits = confirmed(ask, pool, answer) and answer.fits
    answer.cost_usd_h, answer.devices = answer.cost_usd_h + pool.cost_usd_h, answer.devices + pool.devices
  end
  answer.fits = answer.fits and answer.devices <= ask.gpus
  answer.e2e_s = answer.fits and mean_s(answer.pools) or nil
  answer.gap_frac = found.exact and 0 or 1 - found.bound / found.cost
  answer.planned_usd_h, answer.alone_usd_h = found.cost, alone(ask, options)
end

-- Of pools that are not enough, what more devices would do: helped = no bucket is without a replica whatever their number;
-- breaks = what is short; enough = { devices = so many would do, as they were simulated, or by closed forms }.
local function explain(ask, options, fitting, answer)
  answer.helped = true
  for _, b in ipairs(answer.nobody) do answer.helped = answer.helped and fitting[b] == 0 end
  if answer.nobody[1] or answer.devices and answer.devices <= ask.gpus then return end
  answer.breaks = { "gpus" }
  answer.enough = { devices = answer.devices or dealt(tables.with(ask, { gpus = math.huge }), options).devices }
end

-- The options without those of pools that the simulation never found enough.
local function without_hopeless(options, pools)
  local hopeless, left = {}, {}
  for _, pool in ipairs(pools) do hopeless[pool.option] = next(pool.broken) ~= nil end
  for _, option in ipairs(options) do
    if not hopeless[option] then left[#left + 1] = option end
  end
  return left
end

-- The answer with the first deal that the simulation holds, of a few, else with the first of all; and what was found of it.
local function simulated_deal(ask, options, answer)
  local left, of_first, first = options, nil, nil
  for _ = 1, DEALS do
    local found = dealt(ask, left)
    of_first = of_first or found
    if not found.deal then break end
    local this = tables.with(answer)
    complete(ask, left, found, this)
    if this.fits then return this, found end
    first = first or this
    local rest = without_hopeless(left, this.pools)
    if #rest == #left then break end
    left = rest
  end
  return first or answer, of_first
end

--- Answers a question of serving.question whose load has buckets: { kind, fits, ask, pools, cost_usd_h, devices,
--- planned_usd_h (closed forms), alone_usd_h (the best single kind of replica), gap_frac (0 = exact among the
--- options), options, trials, searched (how many kinds of replicas were dealt to), nobody = buckets that no replica
--- meets the SLO for, refused = why it does not fit; then also helped, breaks and enough, as serving.search says }.
function mix.run(ask)
  if not tables.contains(ask.space.pattern, "aggregated") then
    errors.input("space.pattern", "of pools by length each replica computes prompts and answers: give 'aggregated', or one length")
  end
  local all, fitting = options_of(ask)
  local options = kept(ask, all)
  local answer = { kind = "serving_mix", ask = ask, fits = false, options = #options, trials = 0, pools = {},
    nobody = {} }
  for b = 1, #ask.load.buckets do
    local any = false
    for _, option in ipairs(options) do any = any or option.need[b] ~= nil end
    if not any then answer.nobody[#answer.nobody + 1] = b end
  end
  local found
  if not answer.nobody[1] then answer, found = simulated_deal(ask, options, answer) end
  answer.searched = searched_of(all, options, found, answer)
  if not answer.fits then
    explain(ask, options, fitting, answer)
    answer.refused = refusal.of(answer)
  end
  return answer
end

return mix
