-- Fits the coefficients of serving engines to measured serving points and writes the catalog's table.
--
--   build/ballpark lua tools/fit/serving.lua POINTS.csv [MODELS_DIR]
--
-- All rows count, with a loss that large errors hardly move; nothing looks at a model or a device. Beside
-- the errors of the fit it prints those of every (model, device) under coefficients that never saw it.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local csv = require("ballpark.csv")
local engines = require("ballpark.catalog.engines")
local serving = require("ballpark.validate.serving")
local range = require("ballpark.range")
local serving_range = require("ballpark.range.serving")
local solve = require("serving_solve")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local WIDTH <const> = 0.7   -- of the priors, in e-folds
local TTFT_WEIGHT <const> = 0.5 -- the time to the first token scatters twice as much from build to build

local priors = {
  common = { launch = 0.3, stream = 1.1, moe = 1.1, expert_launch = 0.7, expert_setup = 0.4, expert_spread = 2,
    collective = 0.5, sequence_s = 1.5e-5 },
  engine = { step_s = 1.2e-3, kernel_s = 2.5e-6, eager_kernel_s = 2.5e-5, front_s = 0.02,
    front_token_s = 3e-6, submit_s = 2e-3, front_sequence_s = 5e-4, lag_steps = 0.2 },
  -- The others send a first token at once, whatever the interval.
  sglang = { stream_wait = 0.2 },
}

-- { field, engine (nil: all), start }
local coefficients = {}
for _, field in ipairs(tables.sorted_keys(priors.common)) do
  coefficients[#coefficients + 1] = { field = field, start = priors.common[field] }
end
for _, name in ipairs(engines.fitted()) do
  local own = tables.with(priors.engine, priors[name] or {})
  for _, field in ipairs(tables.sorted_keys(own)) do
    coefficients[#coefficients + 1] = { field = field, engine = name, start = own[field] }
  end
end

local function value(j, x) return coefficients[j].start * math.exp(WIDTH * x[j]) end

local function apply(case, x)
  for j, c in ipairs(coefficients) do
    if (not c.engine or c.engine == case.row.engine) then
      case.input.engine[c.field] = value(j, x) * (case.shares[c.field] or 1)
    end
  end
end

local function row_residuals(case, x)
  apply(case, x)
  local p, m = serving.predict(case), serving.measured(case.row)
  return math.log(p.tpot_ms / m.tpot_ms), TTFT_WEIGHT * math.log(p.ttft_ms / m.ttft_ms)
end

-- Only cases of `engine` (nil: all) are predicted anew; the others keep `base`.
local function residuals(cases, x, engine, base)
  local r = {}
  for i, case in ipairs(cases) do
    if engine and case.row.engine ~= engine then
      r[2 * i - 1], r[2 * i] = base[2 * i - 1], base[2 * i]
    else
      r[2 * i - 1], r[2 * i] = row_residuals(case, x)
    end
  end
  return r
end

local STEP <const> = 0.05 -- of the numerical derivatives
local ITERATIONS <const> = 2

local function jacobian(cases, x, base)
  local columns = {}
  for j, c in ipairs(coefficients) do
    local moved = table.move(x, 1, #x, 1, {})
    moved[j] = moved[j] + STEP
    local r = residuals(cases, moved, c.engine, base)
    for i = 1, #r do r[i] = (r[i] - base[i]) / STEP end
    columns[j] = r
  end
  return columns
end

local function fit(cases, iterations)
  local x = {}
  for j, c in ipairs(coefficients) do -- from where the last fit ended
    local shipped = engines.get(c.engine or "vllm")[c.field]
    x[j] = shipped and math.log(shipped / c.start) / WIDTH or 0
  end
  local base = residuals(cases, x)
  local columns
  for k = 1, iterations do
    columns = jacobian(cases, x, base)
    x = solve.step(columns, base, x, nil, 1)
    base = residuals(cases, x)
    io.write(("iteration %d: %.4f\n"):format(k, solve.loss(base)))
    io.flush()
  end
  return x, base, jacobian(cases, x, base)
end

local function add_errors(errors, case)
  local p, m = serving.predict(case), serving.measured(case.row)
  for _, metric in ipairs(serving.metrics) do
    errors[metric] = errors[metric] or {}
    table.insert(errors[metric], math.abs(p[metric] / m[metric] - 1))
    local ratio, around = m[metric] / p[metric], serving_range.of(case.row.engine, metric)
    errors.held = errors.held or {}
    errors.held[metric] = (errors.held[metric] or 0) + (range.holds(around, ratio) and 1 or 0)
  end
end

local function show(title, errors)
  io.write(title, "\n")
  for _, metric in ipairs(serving.metrics) do
    local list, sum = errors[metric], 0
    for _, e in ipairs(list) do sum = sum + e end
    io.write(("  %-8s %5d rows  mean %5.1f %%  median %5.1f %%  %5.1f %% in the shipped 80 %% range\n"):format(metric,
      #list, 100 * sum / #list, 100 * statistics.median(list), 100 * errors.held[metric] / #list))
  end
end

-- Every (model, device) under coefficients of the others: the fit, moved by what a step of Gauss and Newton
-- without the group differs from one with it.
local function leave_out(cases, x, base, columns)
  local groups, errors = {}, {}
  for i, case in ipairs(cases) do
    local key = case.row.model .. " " .. case.row.gpu
    groups[key] = groups[key] or {}
    groups[key][i] = true
  end
  local all = solve.step(columns, base, x, nil, 1)
  for _, key in ipairs(tables.sorted_keys(groups)) do
    local at = solve.step(columns, base, x, function(i) return groups[key][(i + 1) // 2] end, 1)
    for j = 1, #at do at[j] = x[j] + at[j] - all[j] end
    for i, case in ipairs(cases) do
      if groups[key][i] then
        apply(case, at)
        add_errors(errors, case)
      end
    end
  end
  return errors
end

local function write(x)
  local parts = { common = {} }
  for j, c in ipairs(coefficients) do
    local part = c.engine or "common"
    parts[part] = parts[part] or {}
    table.insert(parts[part], ("%s = %.4g"):format(c.field, value(j, x)))
  end
  local file = assert(io.open(here .. "/../../lua/ballpark/catalog/fitted/engine.lua", "wb"))
  file:write("-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,\n"
    .. "-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.\nreturn {\n")
  for _, name in ipairs(tables.sorted_keys(parts)) do
    file:write(("  %s = { %s },\n"):format(name, table.concat(parts[name], ", ")))
  end
  file:write("}\n")
  file:close()
end

local function main(path, models)
  assert(path, "usage: serving.lua POINTS.csv [MODELS_DIR]")
  local cases, refused = serving.cases(serving.read(csv.read(path), path), { models = models })
  io.write(("%d rows, %d refused; ballpark %s\n"):format(#cases, #refused, core.version))
  local x, base, columns = fit(cases, ITERATIONS)
  local errors = {}
  for _, case in ipairs(cases) do
    apply(case, x)
    add_errors(errors, case)
  end
  show("fit", errors)
  show("each (model, device) left out", leave_out(cases, x, base, columns))
  write(x)
end

main(arg[1], arg[2])
