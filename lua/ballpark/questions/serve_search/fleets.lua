-- Fleets that meet an SLO in the mean, by closed forms, cheapest first.
local best = require("ballpark.search.best")
local fleet = require("ballpark.questions.serve.fleet")
local halves = require("ballpark.halves")

local fleets = {}

-- Kinds of replicas of a half, the cheapest, that are paired with each other: dearer ones would have to
-- make up for their cost in the other half, which closed forms hardly change. What may be lost by it is said.
local PAIRED <const> = 6

local function smallest(candidate)
  local index = candidate:fewest()
  return index and fleet.new({ { candidate, index } })
end

local function add_aggregated(list, found)
  for _, candidate in ipairs(found.aggregated) do
    local one = smallest(candidate)
    if one then list[#list + 1] = one end
  end
end

-- The halves by what they must share: device, terms, formats, engine; the cheapest first.
local function halves_of(candidates)
  local by_kind, order = {}, {}
  for _, candidate in ipairs(candidates) do
    local one, pool = smallest(candidate), candidate.pool
    local kind = by_kind[pool] and by_kind[pool][candidate.flavour]
    if one and not kind then
      kind = { pool = pool, flavour = candidate.flavour }
      by_kind[pool] = by_kind[pool] or {}
      by_kind[pool][candidate.flavour] = kind
      order[#order + 1] = kind
    end
    if one then kind[#kind + 1] = one end
  end
  for _, kind in ipairs(order) do by_kind[kind.pool][kind.flavour] = best.sorted(kind, fleet.ranks) end
  return by_kind
end

-- A pair with as many replicas of the second half as the whole SLO takes; nil where there are not so many devices, or it costs
-- as much as the one that is held. More replicas never break what fewer keep.
local function with_answers(pair, held)
  if not next(pair:broken()) then return pair end
  local least -- of the replicas looked at that are enough
  local function is_enough(more)
    local larger = pair:larger(2, more)
    if larger and held and larger.cost_usd_h >= held.cost_usd_h then larger = nil end
    local enough = not larger or not next(larger:broken())
    if enough then least = larger end
    return enough
  end
  local more = 1
  while not is_enough(more) do more = 2 * more end
  halves.smallest(more // 2, more, is_enough)
  return least
end

-- Two halves that keep the whole SLO, none where there are not so many devices: with as few replicas of the first half as
-- it takes, and as cheap as may be. Prompts that are done sooner leave answers more time: so many more replicas of the first
-- half are tried as make the pair cheaper, by steps of 1, 2, 4 and so on to either side, as long as one does.
local function paired(prefill, decode, gpus)
  local first, second = prefill.groups[1], decode.groups[1]
  local pair = fleet.outline({ { first.candidate, first.index }, { second.candidate, second.index } })
  if pair:most_devices() > gpus then return {} end
  local fewest = with_answers(pair)
  local held, more = fewest, 0
  -- Whether a pair with `step` more of them may be cheaper, and so may one with more yet.
  local function tried(step)
    if more + step < 0 then return false end
    local prompts = more + step == 0 and pair or pair:larger(1, more + step)
    if not prompts or (held and prompts.cost_usd_h >= held.cost_usd_h) then return false end
    local other = with_answers(prompts, held)
    if not other then return true end
    held, more = other, more + step
    return true
  end
  local before
  repeat
    before = more
    for _, side in ipairs({ 1, -1 }) do
      local step = 1
      while tried(side * step) do step = 2 * step end
    end
  until more == before
  return { held and held:complete(), held ~= fewest and fewest and fewest:complete() or nil }
end

-- Counts the pairs that are left out, and the least that one of them costs: what both halves do alone, for a pair
-- never has fewer replicas than its halves.
local function leave_out(left_out, kind, others)
  left_out.pairs = left_out.pairs + #kind * #others
    - math.min(PAIRED, #kind) * math.min(PAIRED, #others)
  local function cost_of(i, j)
    return kind[i] and others[j] and kind[i].cost_usd_h + others[j].cost_usd_h or math.huge
  end
  left_out.least_usd_h = math.min(left_out.least_usd_h, cost_of(PAIRED + 1, 1), cost_of(1, PAIRED + 1))
end

local function add_pairs(list, left_out, kind, others, gpus)
  for _, prefill in ipairs(best.first(kind, PAIRED)) do
    for _, decode in ipairs(best.first(others, PAIRED)) do
      left_out.paired = left_out.paired + 1
      for _, pair in ipairs(paired(prefill, decode, gpus)) do list[#list + 1] = pair end
    end
  end
  leave_out(left_out, kind, others)
end

local function add_disaggregated(list, left_out, found)
  local prefill, decode = halves_of(found.prefill), halves_of(found.decode)
  for _, pool in ipairs(found.ask.pools) do
    for flavour, kind in pairs(prefill[pool] or {}) do
      add_pairs(list, left_out, kind, (decode[pool] or {})[flavour] or {}, found.ask.gpus)
    end
  end
end

--- The fleets of what serving.candidates found; and of pairs of halves how many were paired, how many were left out,
--- and the least that one of these costs: { paired, pairs, least_usd_h }.
function fleets.all(found)
  local list, left_out = {}, { paired = 0, pairs = 0, least_usd_h = math.huge }
  add_aggregated(list, found)
  add_disaggregated(list, left_out, found)
  return best.sorted(list, fleet.ranks), left_out
end

return fleets
