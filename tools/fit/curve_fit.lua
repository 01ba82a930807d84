-- Fits one curve: the coefficients of a kernel of the core to a set of timings. The kernel itself is
-- called, so that what is reported is the error of what is shipped.
local core = require("ballpark.core")
local statistics = require("ballpark.validate.statistics")

local curve_fit = {}

-- Width of the priors, in e-folds: weak, a coefficient may move by a factor of seven at no real cost.
local WIDTH <const> = 2

-- A fit without one of many groups starts at the fit to all, which it can hardly leave: one step of
-- Gauss and Newton does. Without one of a few groups it starts afresh.
local FEW_GROUPS <const> = 12

local function values(parameters, x)
  local result = {}
  for j, p in ipairs(parameters) do
    result[p.name] = math.min(math.max(p.start * math.exp(WIDTH * x[j]), p.min), p.max)
  end
  return result
end

-- Log errors of `rows` under x.
local function residuals(set, x)
  local time = set.model(values(set.parameters, x))
  local r = {}
  for i, row in ipairs(set.rows) do r[i] = math.log(time(row) / row.time_s) end
  return r
end

-- Median and 90th percentile of |predicted / measured - 1|.
local function spread(log_errors)
  local errors = {}
  for i, r in ipairs(log_errors) do errors[i] = math.abs(math.exp(r) - 1) end
  return statistics.median(errors), statistics.quantile(errors, 0.9)
end

local function groups_of(rows)
  local by_key, keys = {}, {}
  for i, row in ipairs(rows) do
    if not by_key[row.group] then
      by_key[row.group] = {}
      keys[#keys + 1] = row.group
    end
    table.insert(by_key[row.group], i)
  end
  return by_key, keys
end

local function subset(set, skipped)
  local rows = {}
  for _, row in ipairs(set.rows) do
    if row.group ~= skipped then rows[#rows + 1] = row end
  end
  return { rows = rows, parameters = set.parameters, model = set.model }
end

local function ones(n)
  local weights = {}
  for i = 1, n do weights[i] = 1 end
  return weights
end

local function fit(set, iterations)
  return core.least_squares(function(x) return residuals(set, x) end, #set.parameters,
    ones(#set.rows), { iterations = iterations })
end

local function recentred(parameters, at)
  local result = {}
  for j, p in ipairs(parameters) do
    result[j] = { name = p.name, start = math.max(at[p.name], 1e-12), min = p.min, max = p.max }
  end
  return result
end

-- Every group predicted by a fit that never saw it.
local function leave_out(set, best)
  local by_key, keys = groups_of(set.rows)
  local few = #keys <= FEW_GROUPS
  local errors = {}
  for _, key in ipairs(keys) do
    local rest = subset(set, key)
    if not few then rest.parameters = recentred(set.parameters, best) end
    local time = rest.model(values(rest.parameters, (fit(rest, few and 40 or 1))))
    for _, i in ipairs(by_key[key]) do
      errors[#errors + 1] = math.log(time(set.rows[i]) / set.rows[i].time_s)
    end
  end
  return errors, #keys
end

--- Fits `set` = { rows = { { time_s, group, ... } }, parameters = { { name, start, min, max } },
--- model = function(values) -> function(row) -> seconds }. Returns the values and what they are worth.
function curve_fit.run(set)
  local x, all = fit(set, 60)
  local result = values(set.parameters, x)
  local held_out, groups = leave_out(set, result)
  local quality = { points = #set.rows, groups = groups }
  quality.median, quality.p90 = spread(all)
  quality.held_out_median, quality.held_out_p90 = spread(held_out)
  return result, quality
end

return curve_fit
