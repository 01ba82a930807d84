-- How plans of one job may be off against each other. An estimate that is a tenth too short for all of them is no
-- reason to choose another; what counts is what one plan's step may be off by and another's not. Two things do that:
-- the coefficients that the fit leaves open, which move all plans at once but not alike, and what belongs to a plan
-- and those near it, or to it alone. The law (ballpark.catalog.fitted.between_plans) is learned from jobs that were published with
-- several plans, each predicted by a fit that saw nothing of its family. How far plans are off against each other
-- differs from source to source, so that the scale of a new one is not known: Student's t.
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

--- Degrees of freedom of the scale, by how much it differs from source to source.
between_plans.FREEDOM = shipped.freedom

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
---@param law {coefficients: number, plan: number, reach: number, own: number}|nil of the catalog unless another is tried
---@return number[]
function between_plans.covariance(plans, moves, law)
  law = law or shipped
  local n, list = #plans, {}
  for i = 1, n do
    for j = 1, i do
      local value = between_plans.SHARED + law.coefficients ^ 2 * product(moves[i], moves[j])
        + law.plan ^ 2 * math.exp(-between_plans.distance(plans[i], plans[j]) / law.reach)
        + (i == j and law.own ^ 2 or 0)
      list[(i - 1) * n + j], list[(j - 1) * n + i] = value, value
    end
  end
  return list
end

-- Normal numbers that have nothing to do with each other.
local function independent(count, samples, seed)
  local mean, covariance = {}, {}
  for i = 1, count do
    mean[i] = 0
    for j = 1, count do covariance[(i - 1) * count + j] = i == j and 1 or 0 end
  end
  return core.joint_draws({ mean = mean, covariance = covariance, samples = samples, seed = seed })
end

-- What the scales are drawn by, beside the seed of the plans.
local OTHER_SEED <const> = 7919

-- Scales of a Student's t: the root of freedom over a sum of so many squares of normal numbers, per draw.
local function scales(freedom, samples, seed)
  local list = {}
  for k = 1, samples do list[k] = 0 end
  for _, numbers in ipairs(independent(freedom, samples, seed + OTHER_SEED)) do
    for k = 1, samples do list[k] = list[k] + numbers[k] ^ 2 end
  end
  for k = 1, samples do list[k] = math.sqrt(freedom / list[k]) end
  return list
end

--- Draws of ln(step) of plans of one job: per plan a list, draw k of all plans from the same coefficients and of the same
--- scale.
---@param estimates number[] ln of the estimated steps
---@param covariance number[] of between_plans.covariance
---@param samples integer even
---@param seed integer|nil
---@param freedom integer|nil of the scale, FREEDOM unless runs of the job have told more
---@return number[][]
function between_plans.draws(estimates, covariance, samples, seed, freedom)
  seed = seed or 1
  local list = core.joint_draws({ mean = estimates, covariance = covariance, samples = samples, seed = seed })
  local scale = scales(freedom or between_plans.FREEDOM, samples, seed)
  for i, draws in ipairs(list) do
    for k = 1, samples do draws[k] = estimates[i] + scale[k] * (draws[k] - estimates[i]) end
  end
  return list
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
