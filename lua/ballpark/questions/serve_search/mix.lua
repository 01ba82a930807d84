-- A load whose requests differ in length, on pools of different replicas: closed forms order the deals of lengths to them, the
-- simulation confirms in that order.
local best = require("ballpark.search.best")
local confirm = require("ballpark.questions.serve_search.confirm")
local deals = require("ballpark.questions.serve_search.deals")
local errors = require("ballpark.errors")
local length_pool = require("ballpark.questions.serve_search.length_pool")
local refusal = require("ballpark.questions.serve.refusal")
local searched = require("ballpark.search.searched")
local tables = require("ballpark.tables")

local mix = {}

-- How much of the kinds of replicas was dealt to, and what kept the rest from it. A deal at the bound of all kinds is
-- the cheapest whatever was left out.
local function searched_of(all, options, found, answer)
  local why = {}
  if #options < #all and not (found and found.cost <= found.bound) then
    why[1] = ("lengths were dealt to %d of %d kinds of replicas, the cheapest of each"):format(#options, #all)
  end
  if found and not found.exact then why[#why + 1] = ("%d deals were looked at"):format(deals.NODES) end
  if answer.left then
    why[#why + 1] = (answer.fits and "%d pools were simulated, and not all that are cheaper"
      or "%d pools were simulated"):format(answer.trials)
  end
  why[#why + 1] = confirm.few_requests(answer.ask)
  return searched.of(#all, #options, why[1] and table.concat(why, "; "))
end

-- Mean time of the requests of all pools.
local function mean_s(pools)
  local sum = 0
  for _, pool in ipairs(pools) do sum = sum + pool.share * pool.seen.e2e.mean_s end
  return sum
end

-- The pools of a deal as they are known, by their keys; and whether one of them is new.
local function begun(ask, known, dealt)
  local list, is_new = {}, false
  for i, pool in ipairs(dealt) do
    is_new = is_new or not known[pool.key]
    known[pool.key] = known[pool.key] or length_pool.new(ask, pool)
    list[i] = known[pool.key]
  end
  return list, is_new
end

local function first_open(pools)
  for _, pool in ipairs(pools) do
    if pool.next then return pool end
  end
end

local function are_settled(pools)
  for _, pool in ipairs(pools) do
    if not pool:is_settled() then return false end
  end
  return true
end

local NEVER <const> = { cost_usd_h = math.huge, devices = math.huge }

-- What deals may cost of pools that held, as they did.
local function as_held(known)
  return setmetatable({}, { __index = function(_, key)
    local held = known[key] and known[key].held
    return held and { cost_usd_h = held.cost_usd_h, devices = held:most_devices() } or NEVER
  end })
end

-- Pools that buckets may make, as two make three: of all of them each has as many simulations as one length, of up to so many.
local POOLS <const> = 7

local function pools_of(ask) return math.min(POOLS, 2 ^ #ask.load.buckets // 1 - 1) end

-- Simulations of the cheapest pools before it is given up, for one length.
local function trials_of(ask)
  return confirm.trials(tables.with(ask, { space = tables.with(ask.space, { pattern = { "aggregated" } }) }))
end

-- Simulates pools of the cheapest deal there is by what is known of all of them, until all of its own held or so many trials are
-- over. Answers that deal, or one without pools where none has the devices; whether its pools held; and its pools.
local function followed(ask, options, known, answer, trials, together)
  local last = {}
  while true do
    local found = deals.cheapest(ask, options, known, together)
    if not found.pools then return found, false, last end
    local pools, is_new = begun(ask, known, found.pools)
    local pool = first_open(pools)
    if not is_new and are_settled(pools) then return found, true, pools end
    if answer.trials >= trials then
      answer.left = true
      return found, false, last
    end
    if not is_new and pool then
      pool:try()
      answer.trials, last = answer.trials + 1, pools
    end
  end
end

-- Of pools that are known and may grow, the one that failed nearest to the SLO.
local function nearest_of(known)
  local list = {}
  for _, key in ipairs(tables.sorted_keys(known)) do list[#list + 1] = known[key] end
  return (best.nearest(list, function(pool) return pool.next and pool.failed and confirm.worst(pool.failed.failed) end))
end

-- Simulates so many more times what first_of() says, as long as it says one.
local function grow(answer, first_of)
  local most, pool = answer.trials + confirm.NEAREST, first_of()
  while pool and answer.trials < most do
    pool:try()
    answer.trials = answer.trials + 1
    pool = first_of()
  end
end

-- The cheapest deal whose pools held: first of those to one kind of replicas, which are few, then of all. What takes too many
-- trials is left to the nearest: of one kind, it grows until it holds, or its smallest number is known. Answers that deal, or one
-- without pools, its pools, and what is known of all. Users, who ask of one pool as of another, are simulated with one.
local function confirmed(ask, options, answer)
  local known, trials = {}, trials_of(ask)
  followed(ask, options, known, answer, trials, true)
  if answer.left then
    local nearest
    grow(answer, function()
      nearest = nearest or nearest_of(known)
      return nearest and nearest.next and nearest or nil
    end)
  end
  local together = ask.users ~= nil
  if not together then answer.left = nil end
  local found, held, last = followed(ask, options, known, answer, answer.trials + (together and 0 or pools_of(ask) * trials), together)
  if held or not answer.left then return found, last, known end
  found = deals.cheapest(ask, options, as_held(known))
  if not found.pools then
    grow(answer, function() return first_open(last) end)
    found = deals.cheapest(ask, options, as_held(known))
  end
  return found, found.pools and begun(ask, known, found.pools) or last, known
end

-- What is answered of pools: of those that were simulated, where they do not all hold.
local function complete(ask, options, planned, pools, answer)
  for _, pool in ipairs(pools) do
    local shown = pool:shown()
    if shown then answer.pools[#answer.pools + 1] = shown end
  end
  answer.cost_usd_h, answer.devices = tables.total(answer.pools, "cost_usd_h"), tables.total(answer.pools, "devices")
  answer.e2e_s = answer.fits and mean_s(answer.pools) or nil
  answer.gap_frac = planned.exact and 0 or 1 - planned.bound / planned.cost
  if not ask.users then answer.planned_usd_h, answer.alone_usd_h = deals.cost(ask, pools), deals.alone(ask, options) end
end

-- Of pools that are not enough, what more replicas or devices would do: helped = no bucket is without a replica whatever their number;
-- breaks = what is short; enough = { devices = so many would do, as they were simulated, or by closed forms }.
local function explain(ask, options, fitting, known, answer)
  answer.helped = true
  for _, b in ipairs(answer.nobody) do answer.helped = answer.helped and fitting[b] == 0 end
  if answer.nobody[1] or answer.left then return end
  -- What failed with a stated number of replicas says nothing of pools of any size.
  local enough = deals.cheapest(tables.with(ask, { gpus = math.huge }), options, ask.space.replicas and {} or known, ask.users ~= nil)
  answer.helped = enough.pools ~= nil
  if enough.pools then answer.breaks, answer.enough = { "gpus" }, { devices = enough.devices } end
end

--- Kinds of replicas that lengths may be dealt to, { list, fitting }, as deals.kinds says.
function mix.kinds(ask)
  if not tables.contains(ask.space.pattern, "aggregated") then
    errors.input("space.pattern", "of pools by length each replica computes prompts and answers: give 'aggregated', or one length")
  end
  local list, fitting = deals.kinds(ask)
  return { list = list, fitting = fitting }
end

--- Answers a question of serving.question whose load has buckets: { kind, fits, ask, pools, cost_usd_h, devices,
--- planned_usd_h (closed forms), alone_usd_h (the best single kind of replica), gap_frac (0 = exact among the
--- options), options, trials, searched (how many kinds of replicas were dealt to), nobody = buckets that no replica
--- meets the SLO for, refused = why it does not fit; then also helped, breaks and enough, as serving.search says }.
---@param kinds table|nil of mix.kinds for the same question at another rate
function mix.run(ask, kinds)
  kinds = kinds or mix.kinds(ask)
  local options = deals.options(ask, kinds.list)
  local answer = { kind = "serving_mix", ask = ask, fits = false, options = #options, trials = 0, pools = {},
    nobody = {} }
  for b = 1, #ask.load.buckets do
    local any = false
    for _, option in ipairs(options) do any = any or option.alone[b] ~= nil end
    if not any then answer.nobody[#answer.nobody + 1] = b end
  end
  local found, known
  if not answer.nobody[1] then
    local pools
    found, pools, known = confirmed(ask, options, answer)
    answer.fits = found.pools ~= nil
    complete(ask, options, found, pools, answer)
  end
  answer.searched = searched_of(kinds.list, options, found, answer)
  if not answer.fits then
    explain(ask, options, kinds.fitting, known, answer)
    answer.refused = refusal.of(answer)
  end
  return answer
end

return mix
