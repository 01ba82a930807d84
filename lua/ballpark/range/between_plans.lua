-- How plans of one job may be off against each other. An estimate that is a tenth too short for all of them is no
-- reason to choose another; what counts is what one plan's step may be off by and another's not. Two things do that:
-- the coefficients that the fit leaves open, which move all plans at once but not alike, and what belongs to a plan
-- and those near it. The law (ballpark.catalog.fitted.between_plans) is learned from jobs that were published with
-- several plans, each predicted by a fit that saw nothing of its family.
local core = require("ballpark.core")
local fields = require("ballpark.fields")
local shipped = require("ballpark.catalog.fitted.between_plans")
local tables = require("ballpark.tables")

local between_plans = {}

--- What is off alike in all plans of a job, as a variance: an e-fold, more than it ever is, so that nothing hangs on it.
between_plans.SHARED = 1

--- What a measured step differs by when the same is run again, as a deviation of its logarithm: an assumption, for runs
--- of some dozens of steps on the same machines. Published repetitions, of other releases, differ by 4 % in the median.
between_plans.REPEAT = 0.02

--- Degrees of freedom of the scale, which differs from job to job (Student's t): a choice of ours, for jobs whose plans
--- are several times as far off against each other as others' are.
between_plans.FREEDOM = 4

local compared

-- Fields in which plans differ of themselves; replicas follow from the others.
local function fields_of_plans()
  if compared then return compared end
  compared = {}
  local follows = tables.set(fields.that_set("replicas"))
  for _, field in ipairs(fields.input("train_step", "plan")) do
    if field.kind ~= "note" and not follows[field.name] then compared[#compared + 1] = field end
  end
  return compared
end

local function apart(field, a, b)
  if a == nil then a = field.default end
  if b == nil then b = field.default end
  if a == b then return 0 end
  if math.type(a) == "integer" and math.type(b) == "integer" and a > 0 and b > 0 then
    return math.abs(math.log(a / b, 2))
  end
  return 1
end

--- The plan of an input of core.train_step without the settings that make no difference to it, as those of
--- tensor-parallel traffic where there is none.
---@param input table
---@return table
function between_plans.meant(input)
  local means, plan = core.plan_means(input), {}
  for name, value in pairs(input.plan) do
    if means[name] ~= false then plan[name] = value end
  end
  return plan
end

--- How far two plans are from each other: doublings of every number in which they differ, and 1 for every other
--- setting; 0 for the same.
---@param a table
---@param b table
---@return number
function between_plans.distance(a, b)
  local sum = 0
  for _, field in ipairs(fields_of_plans()) do sum = sum + apart(field, a[field.name], b[field.name]) end
  return sum
end

local function product(a, b)
  local sum = 0
  for j = 1, #a do sum = sum + a[j] * b[j] end
  return sum
end

--- The covariance of ln(measured / estimated) of plans of one job, row by row, in e-folds squared.
---@param plans table[] of core.train_step
---@param moves number[][] of ballpark.range.training
---@param law {coefficients: number, plan: number, reach: number}|nil of the catalog unless another is tried
---@return number[]
function between_plans.covariance(plans, moves, law)
  law = law or shipped
  local n, list = #plans, {}
  for i = 1, n do
    for j = 1, i do
      local value = between_plans.SHARED + law.coefficients ^ 2 * product(moves[i], moves[j])
        + law.plan ^ 2 * math.exp(-between_plans.distance(plans[i], plans[j]) / law.reach)
      list[(i - 1) * n + j], list[(j - 1) * n + i] = value, value
    end
  end
  return list
end

--- Draws of ln(step) of plans of one job: per plan a list, draw k of all plans from the same coefficients.
---@param estimates number[] ln of the estimated steps
---@param covariance number[] of between_plans.covariance
---@param samples integer even
---@param seed integer|nil
---@return number[][]
function between_plans.draws(estimates, covariance, samples, seed)
  return core.joint_draws({ mean = estimates, covariance = covariance, samples = samples, seed = seed or 1 })
end

-- Steps that differ by less are the same plan in other words.
local SAME <const> = 1e-9

--- The chance of each plan to be the fastest of all, and to be within a share of the fastest. Plans that take the same
--- time share the first.
---@param draws number[][] ln(step) by plan
---@param within number
---@return number[] fastest
---@return number[] near
function between_plans.chances(draws, within)
  local samples, limit = #(draws[1] or {}), math.log(1 + within)
  local fastest, near = {}, {}
  for i = 1, #draws do fastest[i], near[i] = 0, 0 end
  for k = 1, samples do
    local least, same = math.huge, {}
    for i = 1, #draws do least = math.min(least, draws[i][k]) end
    for i = 1, #draws do
      local behind = draws[i][k] - least
      if behind <= SAME then same[#same + 1] = i end
      if behind <= limit then near[i] = near[i] + 1 end
    end
    for _, i in ipairs(same) do fastest[i] = fastest[i] + 1 / #same end
  end
  for i = 1, #draws do fastest[i], near[i] = fastest[i] / samples, near[i] / samples end
  return fastest, near
end

return between_plans
