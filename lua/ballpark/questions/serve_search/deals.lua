-- Which buckets of lengths go to which kinds of replicas for least cost.
local best = require("ballpark.search.best")
local candidate = require("ballpark.questions.serve_search.candidate")
local candidates = require("ballpark.questions.serve_search.candidates")
local sizes = require("ballpark.questions.serve_search.sizes")
local tables = require("ballpark.tables")

local deals = {}

-- Kinds of replicas of each device, the cheapest for each bucket and for all of them, that buckets are dealt to.
local KEPT <const> = 8
--- Deals looked at before the best one so far is taken, with its distance from the bound.
deals.NODES = 200000
-- Halvings of a rate.
local HALVINGS <const> = 14

-- The question of one bucket alone, at a rate.
local function of_bucket(ask, bucket)
  local load = tables.with(ask.load, { rate_per_s = bucket.share * ask.load.rate_per_s,
    input_tokens = bucket.input_tokens, output_tokens = bucket.output_tokens })
  load.buckets = nil
  local alone = tables.with(ask, { load = load, space = tables.with(ask.space, { pattern = { "aggregated" } }) })
  alone.users = nil
  return alone
end

local function holds(one, rate)
  local steady, ask = one:at(rate), one.ask
  if not steady.stable or rate > steady.capacity_per_s * ask.fleet.utilization_frac then return false end
  for name, limit in pairs(ask.sla.limits) do
    if candidate.limited_s(steady, name, one.input.output_tokens) > limit then return false end
  end
  return true
end

-- Most requests per second of a bucket that one replica takes within the SLO, or nil; and whatever the SLO.
local function rate_of(one)
  local share = one.ask.fleet.utilization_frac
  local most = share * one:at(1e-6).capacity_per_s
  if holds(one, most) then return most, most end
  local low, high = 1e-6 * most, most
  if not holds(one, low) then return nil end
  for _ = 1, HALVINGS do
    local middle = 0.5 * (low + high)
    if holds(one, middle) then low = middle else high = middle end
  end
  return low, most
end

--- Kinds of replicas by their place in the space: { candidate, rates = most requests per second of each bucket that one takes
--- within the SLO, and most = whatever the SLO, cost_usd_h of one }; and how many kinds have the memory for each bucket. They are the same at any rate of the load.
function deals.kinds(ask)
  local by_place, list, fitting = {}, {}, {}
  for b, bucket in ipairs(ask.load.buckets) do
    local found = candidates.all(of_bucket(ask, bucket)).list
    fitting[b] = #found
    for _, one in ipairs(found) do
      local rate, most = rate_of(one)
      if rate then
        local kind = by_place[one.place]
        if not kind then
          kind = { candidate = one, rates = {}, most = {}, cost_usd_h = one.ranks * one.pool.usd_h }
          by_place[one.place], list[#list + 1] = kind, kind
        end
        kind.rates[b], kind.most[b] = rate, most
      end
    end
  end
  return list, fitting
end

-- Kinds of replicas with alone = how many of them each bucket takes in a pool of its own, and beside = of a pool with others: there it
-- takes its share of the work, and the percentile of all is kept though it is slower than they are.
local function options_of(ask, kinds)
  local list = {}
  for i, kind in ipairs(kinds) do
    local alone, beside = {}, {}
    for b, rate in pairs(kind.rates) do
      local asked_per_s = ask.load.buckets[b].share * ask.load.rate_per_s
      alone[b], beside[b] = asked_per_s / rate, asked_per_s / kind.most[b]
    end
    list[i] = tables.with(kind, { alone = alone, beside = beside, sizes = {} })
  end
  return list
end

-- What so many replicas of an option cost, whole or not.
local function price(option, need) return need and need * option.cost_usd_h or math.huge end

--- Whole replicas for what takes `need` of them.
function deals.whole(need) return math.max(1, math.ceil(need - 1e-9)) end

--- Cost and devices, those of a roll-out included, of so many replicas of an option with their spares.
function deals.price(ask, option, up)
  local size = option.sizes[up] or sizes.with(ask, option.candidate.pool, up)
  option.sizes[up] = size
  return size.replicas * option.cost_usd_h, size.most * option.candidate.ranks
end

-- Replicas of an option that all buckets together take at least.
local function need_of_all(option, buckets)
  local sum = 0
  for b = 1, #buckets do sum = sum + (option.beside[b] or math.huge) end
  return sum
end

-- The same in whole replicas with their spares, and the devices of those: at low rates a small device costs less of them than a
-- share of a large one.
local function whole_price(ask, option)
  local need = need_of_all(option, ask.load.buckets)
  if need == math.huge then return math.huge, math.huge end
  return deals.price(ask, option, deals.whole(need))
end

local function devices_of(options)
  local seen, count = {}, 0
  for _, option in ipairs(options) do
    local name = option.candidate.pool.device
    if not seen[name] then seen[name], count = true, count + 1 end
  end
  return count
end

--- The kinds that are among the cheapest of some bucket, or of all together, as options: with alone and beside = how many of them
--- each bucket takes by itself, and in a pool with others at least.
function deals.options(ask, kinds)
  local options = options_of(ask, kinds)
  local marked, out, buckets, most = {}, {}, ask.load.buckets, KEPT * devices_of(options)
  local function mark(cost_of)
    options = best.sorted(options, function(option) return { cost_of(option), option.candidate.place } end)
    for _, option in ipairs(best.first(options, most)) do
      if cost_of(option) < math.huge then marked[option] = true end
    end
  end
  for b = 1, #buckets do mark(function(option) return price(option, option.alone[b]) end) end
  mark(function(option) return price(option, need_of_all(option, buckets)) end)
  mark(function(option) return (whole_price(ask, option)) end)
  for _, option in ipairs(options) do
    if marked[option] then out[#out + 1] = option end
  end
  return out
end

--- The cheapest deal with all buckets in one pool, by closed forms.
function deals.alone(ask, options)
  local least
  for _, option in ipairs(options) do
    local cost, devices = whole_price(ask, option)
    if cost < (least or math.huge) and devices <= ask.gpus then least = cost end
  end
  return least
end

--- Cost and devices of pools { option, buckets, need } by closed forms.
function deals.cost(ask, pools)
  local cost, devices = 0, 0
  for _, pool in ipairs(pools) do
    local usd, more = deals.price(ask, pool.option, deals.whole(pool.need))
    cost, devices = cost + usd, devices + more
  end
  return cost, devices
end

-- Replicas of an option that a pool of these buckets takes at least.
local function need_of(option, list)
  if not list[2] then return option.alone[list[1]] end
  local sum = 0
  for _, b in ipairs(list) do sum = sum + option.beside[b] end
  return sum
end

-- The pools of a deal: a list of options by bucket.
local function pools_of(ask, options, deal)
  local pools, by_option = {}, {}
  for b, i in ipairs(deal) do
    local pool = by_option[i]
    if not pool then
      pool = { option = options[i], buckets = {}, share = 0 }
      by_option[i], pools[#pools + 1] = pool, pool
    end
    pool.buckets[#pool.buckets + 1] = b
    pool.share = pool.share + ask.load.buckets[b].share
  end
  for _, pool in ipairs(pools) do pool.need, pool.key = need_of(pool.option, pool.buckets), deals.key(pool) end
  return pools
end

--- The name of a pool { option, buckets }, to know it again.
function deals.key(pool) return pool.option.candidate.place .. " " .. table.concat(pool.buckets, " ") end

--- The cheapest deal of buckets to options: { pools = each { option, buckets, need = replicas by closed forms, share, key },
--- cost, devices, bound = least that any deal costs by closed forms, exact }; without pools where no deal has the devices.
--- Deals bucket after bucket; a deal whose pools so far, or whose buckets' shares of replicas, cost no less than the best is
--- left. What `known` says of a pool by its key, { cost_usd_h, devices }, is more than closed forms know of it.
---@param together boolean|nil all buckets to one option
function deals.cheapest(ask, options, known, together)
  local buckets, deal, keys = #ask.load.buckets, {}, {}
  -- Of each option what its buckets take at least, and those of it that has one alone.
  local beside, alone = {}, {}
  local rest = { [buckets + 1] = 0 }
  for b = buckets, 1, -1 do
    local least = math.huge
    for _, option in ipairs(options) do least = math.min(least, price(option, option.beside[b])) end
    rest[b] = rest[b + 1] + least
  end
  local found, nodes = { cost = math.huge, bound = rest[1] }, 0
  local function cost_now(is_whole)
    local cost, devices = 0, 0
    for i, option in ipairs(options) do
      if beside[i] then
        local pool, need = is_whole and known[keys[i]], is_whole and alone[i] or beside[i] -- one that is alone may get company
        local usd, more
        if pool then usd, more = pool.cost_usd_h, pool.devices else usd, more = deals.price(ask, option, deals.whole(need)) end
        cost, devices = cost + usd, devices + more
      end
    end
    return cost, devices
  end
  local function step(b, shares)
    nodes = nodes + 1
    local cost, devices = cost_now(b > buckets)
    if devices > ask.gpus or math.max(cost, shares + rest[b]) >= found.cost or nodes > deals.NODES then return end
    if b > buckets then
      found.cost, found.devices, found.deal = cost, devices, table.move(deal, 1, buckets, 1, {})
      return
    end
    for i, option in ipairs(options) do
      if option.alone[b] and (not together or b == 1 or i == deal[1]) then
        local before, single, key = beside[i], alone[i], keys[i]
        beside[i], alone[i] = (before or 0) + option.beside[b], not before and option.alone[b] or nil
        deal[b], keys[i] = i, (key or option.candidate.place) .. " " .. b
        step(b + 1, shares + price(option, option.beside[b]))
        beside[i], alone[i], keys[i] = before, single, key
      end
    end
  end
  step(1, 0)
  found.exact = nodes <= deals.NODES
  found.pools = found.deal and pools_of(ask, options, found.deal)
  return found
end

return deals
