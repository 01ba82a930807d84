-- Fleets that meet an SLO in the mean, by closed forms, cheapest first.
local fleet = require("ballpark.questions.serve.fleet")

local fleets = {}

-- Kinds of replicas of a half, the cheapest, that are paired with each other: dearer ones would have to
-- make up for their cost in the other half, which closed forms hardly change.
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

-- The cheapest halves by what they must share: device, terms, formats, engine.
local function halves(candidates)
  local by_kind, order = {}, {}
  for _, candidate in ipairs(candidates) do
    local one, pool = smallest(candidate), candidate.pool
    local kind = by_kind[pool] and by_kind[pool][candidate.flavour]
    if one and not kind then
      kind = {}
      by_kind[pool] = by_kind[pool] or {}
      by_kind[pool][candidate.flavour] = kind
      order[#order + 1] = kind
    end
    if one then kind[#kind + 1] = one end
  end
  for _, kind in ipairs(order) do
    table.sort(kind, fleet.before)
    for i = #kind, PAIRED + 1, -1 do kind[i] = nil end
  end
  return by_kind
end

-- Two halves with as many replicas of the second as the whole SLO takes.
local function paired(prompts, answers, gpus)
  local first, second = prompts.groups[1], answers.groups[1]
  local pair = fleet.new({ { first.candidate, first.index }, { second.candidate, second.index } })
  if pair:most_devices() > gpus then return nil end
  while pair and next(pair:broken()) do pair = pair:larger(2) end
  return pair
end

local function add_pairs(list, kind, others, gpus)
  for _, prompts in ipairs(kind) do
    for _, answers in ipairs(others) do
      local pair = paired(prompts, answers, gpus)
      if pair then list[#list + 1] = pair end
    end
  end
end

local function add_disaggregated(list, found)
  local prompts, answers = halves(found.prompts), halves(found.answers)
  for _, pool in ipairs(found.ask.pools) do
    for flavour, kind in pairs(prompts[pool] or {}) do
      add_pairs(list, kind, (answers[pool] or {})[flavour] or {}, found.ask.gpus)
    end
  end
end

--- The fleets of what serving.candidates found.
function fleets.all(found)
  local list = {}
  add_aggregated(list, found)
  add_disaggregated(list, found)
  table.sort(list, fleet.before)
  return list
end

return fleets
