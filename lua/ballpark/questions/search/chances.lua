-- How likely each of the first plans of a search is the fastest: the same draws of what the fit leaves open for all of
-- them.
local between_plans = require("ballpark.range.between_plans")
local extent = require("ballpark.questions.search.extent")
local objectives = require("ballpark.search.objectives")
local own = require("ballpark.questions.training.facts").own
local rivals = require("ballpark.questions.search.rivals")
local step_input = require("ballpark.resolve.step_input")
local training = require("ballpark.range.training")

local chances = {}

-- Plans that compete. Those behind them are estimated slower, and have a small chance each.
local COMPARED <const> = 64

-- Even, and enough for a chance to be known within 2 points.
local DRAWS <const> = 2000

--- Steps within this share are as good as the fastest.
chances.NEAR = 0.03

-- Whether the order of plans is that of their steps: on one system, by an objective that goes with the time.
local function goes_by_time(answer)
  if answer.systems then return false end
  for _, plan in ipairs(answer.plans) do
    if plan.score ~= objectives.value(answer.found.objective, plan, plan.input.cluster.network.devices) then
      return false
    end
  end
  return objectives.follows_time(answer.found.objective)
end

--- Of the first plans of a space, as a search keeps them: { index, fastest, near } each, in their order; nil where the
--- core has no estimate of one.
---@param input table what was searched, complete
---@return table[]|nil
function chances.of(input)
  local kept, inputs, plans, steps = rivals.of(input), {}, {}, {}
  for i = 1, math.min(COMPARED, #kept) do
    inputs[i] = step_input.plain(input, kept[i].plan)
    plans[i], steps[i] = between_plans.meant(inputs[i]), math.log(kept[i].time.step_s)
  end
  local moves = training.moves({ class = input.case.class, input = inputs[1] }, inputs)
  for _, move in ipairs(moves) do
    if not move then return nil end
  end
  local draws = between_plans.draws(steps, between_plans.covariance(plans, moves), DRAWS)
  local fastest, near = between_plans.chances(draws, chances.NEAR)
  local list = {}
  for i = 1, #plans do list[i] = { index = kept[i].index, fastest = fastest[i], near = near[i] } end
  return list
end

-- Puts them into the plans of an answer that are among those.
local function mark(answer, list)
  local by_index = {}
  for _, item in ipairs(list) do by_index[item.index] = item end
  for _, plan in ipairs(answer.plans) do
    local item = by_index[plan.index]
    plan.fastest_chance, plan.near_chance = item and item.fastest, item and item.near
  end
end

-- Plans that people are told the chance of; machine formats have it of every plan.
local TOLD <const> = 3

-- "#1 13 %, #2 8 %".
local function words(list, figure, count)
  local texts = {}
  for i = 1, math.min(count, #list) do texts[i] = ("#%d %.0f %%"):format(i, 100 * list[i][figure]) end
  return table.concat(texts, ", ")
end

-- What follows the chances: which plans tie, or how near the first one is.
local function rest(answer, found)
  local ties = extent.ties(answer.plans, answer.found.objective)
  if ties < 2 then return words(found, "near", 1) .. " to be within 3 % of it" end
  return extent.tied(ties, answer) .. " below are within 1 %"
end

--- Facts of how likely the first plans are the best, and marks the plans of the answer with their chances; whether
--- there are any.
function chances.add(list, answer)
  if #answer.plans == 0 or not goes_by_time(answer) then return false end
  local found = chances.of(answer.input)
  if not found or #found < 2 then return false end
  mark(answer, found)
  list[#list + 1] = own("fastest_chance", found[1].fastest, { title = "Chances",
    text = words(found, "fastest", math.min(TOLD, #answer.plans)) .. " to be the fastest of the {rivals} best; "
      .. rest(answer, found) })
  list[#list + 1] = own("near_chance", found[1].near, { hide = true })
  list[#list + 1] = own("rivals", #found, { hide = true })
  return true
end

return chances
