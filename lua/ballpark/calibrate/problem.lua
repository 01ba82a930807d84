-- Many measured runs and the coefficients they are to determine, held in C; rows can be left out
-- of a fit and scored all the same.
local coefficients = require("ballpark.catalog.coefficients")
local core = require("ballpark.core")
local tables = require("ballpark.tables")

local problem = {}

local Problem = {}
Problem.__index = Problem

-- A family of this many rows weighs as much as any larger one.
local FULL_WEIGHT_ROWS <const> = 30

--- Cases (of validate.cases, all with a measured step) and a list of coefficients.
---@param cases table[]
---@param list table[] of ballpark.catalog.coefficients
---@param options {even: boolean|nil, factors: boolean|nil}|nil even: every row weighs 1, whatever its
--- family; factors: coefficients are factors on what the profiles say
function problem.new(cases, list, options)
  local inputs, measured = {}, {}
  options = options or {}
  for i, case in ipairs(cases) do
    inputs[i], measured[i] = case.input, case.measured_step_s or false
  end
  return setmetatable({
    cases = cases, list = list, even = options.even,
    batch = core.batch({ inputs = inputs, measured = measured,
      coefficients = coefficients.over(list, cases, options.factors) }),
  }, Problem)
end

--- Those of the cases whose step was measured.
function problem.timed(cases)
  local list = {}
  for _, case in ipairs(cases) do
    if case.measured_step_s then list[#list + 1] = case end
  end
  return list
end

local function family_of(case) return case.row.family or "" end

-- Weight of every row in a fit to those that `use` keeps, times what each weighs by itself.
local function weights_of(self, use, each)
  local counts, used, count = {}, {}, 0
  for i, case in ipairs(self.cases) do
    used[i] = not use or use(case, i)
    if used[i] then
      local family = family_of(case)
      counts[family] = (counts[family] or 0) + 1
      count = count + 1
    end
  end
  local weights = {}
  for i, case in ipairs(self.cases) do
    local weight = self.even and 1 or math.min(1, FULL_WEIGHT_ROWS / (counts[family_of(case)] or 1))
    weights[i] = used[i] and weight * (each and each[i] or 1) or 0
  end
  return weights, count
end

--- Fits to the rows for which use(case, index) holds (all without it): { x, deviations, scale, rows }.
---@param options table|nil of core.batch's fit: iterations, loss, least_scale, most_scale; weights: of every row beside
--- what its family makes of it (1 without it)
function Problem:fit(use, options)
  local weights, count = weights_of(self, use, options and options.weights)
  local fit = self.batch:fit(tables.with(options, { weights = weights }))
  fit.rows = count
  return fit
end

--- ln(estimated / measured) of every row under x (nil: as the profiles are).
function Problem:residuals(x) return self.batch:residuals(x) end

--- Seconds of a step of every row under x.
function Problem:steps(x) return self.batch:steps(x) end

--- Standard deviation of ln(step) of every row that those of the coefficients leave.
function Problem:spreads(x, deviations) return self.batch:spreads(x, deviations) end

--- The case at index i with the values of x in its profile.
function Problem:moved(i, x)
  local case, values = self.cases[i], self:values(x)
  local profile = case.input.profile
  for j, coefficient in ipairs(self.list) do
    if coefficients.applies(coefficient, case) then profile = coefficients.with(profile, coefficient, values[j]) end
  end
  return tables.with(case, { input = tables.with(case.input, { profile = profile }) })
end

--- Values of the coefficients under x, in the order of the list.
function Problem:values(x) return self.batch:values(x) end

return problem
