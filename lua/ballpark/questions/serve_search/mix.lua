-- A load whose requests differ in length, on pools of different replicas: closed forms order the deals of lengths to them, the
-- simulation confirms in that order.
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

-- Simulations of the cheapest pools before it is given up.
local function trials_of(ask)
  return #ask.load.buckets * confirm.trials(tables.with(ask, { space = tables.with(ask.space, { pattern = { "aggregated" } }) }))
end

-- Simulates pools of the cheapest deal there is by what is known of all of them, until all of its own held. When that took too
-- many trials, what is left is the cheapest deal whose pools held; where there is none, the last one has its pools grow.
-- Answers that deal, or one without pools where none has the devices, its pools, and what is known of all.
local function confirmed(ask, options, answer)
  local known, trials, last = {}, trials_of(ask), {}
  while true do
    local found = deals.cheapest(ask, options, known)
    if not found.pools then return found, last, known end
    local pools, is_new = begun(ask, known, found.pools)
    local pool = first_open(pools)
    if not is_new and are_settled(pools) then return found, pools, known end
    if answer.trials >= trials then break end
    if not is_new and pool then
      pool:try()
      answer.trials, last = answer.trials + 1, pools
    end
  end
  answer.left = true
  local found = deals.cheapest(ask, options, as_held(known))
  while not found.pools and first_open(last) and answer.trials < trials + confirm.NEAREST do
    first_open(last):try()
    answer.trials = answer.trials + 1
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
  answer.planned_usd_h, answer.alone_usd_h = deals.cost(ask, pools), deals.alone(ask, options)
end

-- Of pools that are not enough, what more devices would do: helped = no bucket is without a replica whatever their number;
-- breaks = what is short; enough = { devices = so many would do, as they were simulated, or by closed forms }.
local function explain(ask, options, fitting, known, answer)
  answer.helped = true
  for _, b in ipairs(answer.nobody) do answer.helped = answer.helped and fitting[b] == 0 end
  if answer.nobody[1] or answer.left then return end
  local enough = deals.cheapest(tables.with(ask, { gpus = math.huge }), options, known)
  answer.helped = enough.pools ~= nil
  if enough.pools then answer.breaks, answer.enough = { "gpus" }, { devices = enough.devices } end
end

--- Answers a question of serving.question whose load has buckets: { kind, fits, ask, pools, cost_usd_h, devices,
--- planned_usd_h (closed forms), alone_usd_h (the best single kind of replica), gap_frac (0 = exact among the
--- options), options, trials, searched (how many kinds of replicas were dealt to), nobody = buckets that no replica
--- meets the SLO for, refused = why it does not fit; then also helped, breaks and enough, as serving.search says }.
function mix.run(ask)
  if not tables.contains(ask.space.pattern, "aggregated") then
    errors.input("space.pattern", "of pools by length each replica computes prompts and answers: give 'aggregated', or one length")
  end
  local all, fitting = deals.options(ask)
  local options = deals.kept(ask, all)
  local answer = { kind = "serving_mix", ask = ask, fits = false, options = #options, trials = 0, pools = {},
    nobody = {} }
  for b = 1, #ask.load.buckets do
    local any = false
    for _, option in ipairs(options) do any = any or option.need[b] ~= nil end
    if not any then answer.nobody[#answer.nobody + 1] = b end
  end
  local found, known
  if not answer.nobody[1] then
    local pools
    found, pools, known = confirmed(ask, options, answer)
    answer.fits = found.pools ~= nil
    complete(ask, options, found, pools, answer)
  end
  answer.searched = searched_of(all, options, found, answer)
  if not answer.fits then
    explain(ask, options, fitting, known, answer)
    answer.refused = refusal.of(answer)
  end
  return answer
end

return mix
