-- Among plans that are next to equally good the one with the fewest kinds of parallelism is the one to
-- run: fewer settings to get right, less that can break.
local fields = require("ballpark.fields")
local objectives = require("ballpark.search.objectives")
local own = require("ballpark.questions.training.facts").own
local plan_text = require("ballpark.questions.training.plan_text")
local rivals = require("ballpark.questions.search.rivals")

local simpler = {}

-- How near the best a simpler plan has to come: a choice of ours.
local NEAR_FRAC <const> = 0.01

-- What is in the way of running a plan: how many kinds of parallelism it uses, the product of their ranks, and whether
-- ranks share the weights.
local function effort(plan, parallelism)
  local kinds, product = 0, 1
  for _, field in ipairs(parallelism) do
    if plan[field] > 1 then kinds, product = kinds + 1, product * plan[field] end
  end
  return { kinds, product, plan.zero == 3 and 1 or 0 }
end

local function is_less(one, than)
  for i, value in ipairs(one) do
    if value ~= than[i] then return value < than[i] end
  end
  return false
end

--- The simplest of the plans within one per cent of the best, as the search keeps them; nil when that is
--- the best itself. What few or no published runs have has to be better than that, as for a place in the search.
---@param input table what was searched, complete
---@param best table the best plan, as the search keeps it
---@param objective string that plans are ordered by
function simpler.of(input, best, objective)
  local parallelism = fields.that_set("parallelism")
  local chosen, least = nil, effort(best.plan, parallelism)
  local limit = objectives.behind(objective, best, best.score)
  limit = limit + NEAR_FRAC * math.abs(limit)
  for _, kept in ipairs(rivals.of(input)) do
    local near = objectives.behind(objective, kept, kept.score) <= limit
    local these = effort(kept.plan, parallelism)
    if near and is_less(these, least) then chosen, least = kept, these end
  end
  return chosen
end

--- Facts of the plan that is nearly as good and easier to run, where there is one.
function simpler.add(list, answer)
  local plan = simpler.of(answer.input, answer.found.plans[1], answer.found.objective)
  if not plan then return end
  local slower = plan.time.step_s / answer.best.time.step_s - 1
  list[#list + 1] = own("simpler_plan", plan_text.short(plan.plan), { text = "within 1 %: {simpler_plan}: {simpler_step_s} "
    .. (slower < 0 and "(no slower)" or "({simpler_frac} slower)") })
  list[#list + 1] = own("simpler_step_s", plan.time.step_s, { hide = true })
  list[#list + 1] = own("simpler_frac", slower, { hide = true })
end

return simpler
