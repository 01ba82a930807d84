-- Fits of a few coefficients to many published times: what the tools for inference runtimes and for search share.
local lua_source = require("ballpark.lua_source")
local solve = require("serving_solve")
local statistics = require("ballpark.validate.statistics")

local coefficient_fit = {}

local STEP <const> = 0.02 -- of the differences that stand for derivatives

local function derivatives(residuals, x, base)
  local columns = {}
  for j = 1, #x do
    local moved = table.move(x, 1, #x, 1, {})
    moved[j] = moved[j] + STEP
    local r = residuals(moved, j, base)
    for i = 1, #r do r[i] = (r[i] - base[i]) / STEP end
    columns[j] = r
  end
  return columns
end

-- All alike, but for those that are left out.
local function weights_of(count, skipped)
  local weights = {}
  for i = 1, count do weights[i] = skipped and skipped(i) and 0 or 1 end
  return weights
end

--- The best x after some steps of Gauss and Newton with unit priors. residuals(x, j, base): logarithms of
--- predicted over measured; with j, only what coefficient j touches may differ from base.
function coefficient_fit.fit(residuals, x, steps, skipped)
  local weights
  for _ = 1, steps do
    local base = residuals(x)
    weights = weights or weights_of(#base, skipped)
    x = solve.step(derivatives(residuals, x, base), base, x, weights, 1)
  end
  return x
end

--- Figures of logarithms of predicted over measured, as of statistics.of.
function coefficient_fit.figures(list)
  local rows = {}
  for i, e in ipairs(list) do rows[i] = { error = math.exp(e) - 1, family = "" } end
  return statistics.of(rows)
end

--- Prints figures under two words.
function coefficient_fit.print(title, what, list)
  local s = coefficient_fit.figures(list)
  print(("%-9s %-45s %4d questions  mean %5.1f %%  median %5.1f %%  signed %+6.1f %%"):format(title, what, s.rows,
    100 * s.mape, 100 * s.median_ape, 100 * s.bias))
end

--- Residuals of every group of cases under coefficients that were fitted without it; prints each.
---@param cases table[]
---@param name fun(case): string
---@param residuals fun(x, j, base): number[]
function coefficient_fit.left_out(cases, name, residuals, x, steps)
  local all = {}
  for _, group in ipairs((statistics.split(cases, name))) do
    local function skipped(i) return name(cases[i]) == group end
    local without, own = coefficient_fit.fit(residuals, x, steps, skipped), {}
    for i, r in ipairs(residuals(without)) do
      if skipped(i) then
        all[i] = r
        own[#own + 1] = r
      end
    end
    coefficient_fit.print("left out", group, own)
  end
  return all
end

--- The 80 % range of measured over predicted, { low, high }.
function coefficient_fit.spread(list)
  local ratios = {}
  for i, e in ipairs(list) do ratios[i] = math.exp(-e) end
  return { statistics.quantile(ratios, 0.1), statistics.quantile(ratios, 0.9) }
end

local DIGITS <const> = 4

--- Writes a table of the catalog: `about` as its comment, and `fit`.
function coefficient_fit.write(name, about, fit)
  local here = arg[0]:match("^(.*)/[^/]*$") or "."
  local file = assert(io.open(("%s/../../lua/ballpark/catalog/%s.lua"):format(here, name), "wb"))
  file:write(about, "\nreturn ", lua_source.of(fit, DIGITS), "\n")
  file:close()
end

return coefficient_fit
