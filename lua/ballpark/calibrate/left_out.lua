-- Estimates of runs by a fit that saw nothing of their group.
local features = require("ballpark.range.features")
local tables = require("ballpark.tables")

local left_out = {}

local function groups_of(cases, group)
  local names = {}
  for _, case in ipairs(cases) do names[group(case)] = true end
  return tables.sorted_keys(names)
end

local function of_case(case, residual, spread)
  return { residual = residual, unlearned = spread,
    features = features.of({ input = case.input, known = case.known, open = case.open }) }
end

--- For every case of the problem: { residual = ln(estimated / measured), features, unlearned, x }, from a fit to the
--- cases of other groups for which use(case) holds.
---@param all table a ballpark.calibrate.problem
---@param group fun(case: table): string
---@param use (fun(case: table): boolean)|nil
function left_out.fit(all, group, use)
  local result = {}
  for _, name in ipairs(groups_of(all.cases, group)) do
    local fit = all:fit(function(case) return group(case) ~= name and (not use or use(case)) end)
    local residuals = all:residuals(fit.x)
    local spreads = all:spreads(fit.x, fit.deviations)
    for i, case in ipairs(all.cases) do
      if group(case) == name and residuals[i] then
        result[i] = of_case(case, residuals[i], spreads[i] or 0)
        result[i].x = fit.x
      end
    end
  end
  return result
end

return left_out
