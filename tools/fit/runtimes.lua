-- Fits the coefficients of inference runtimes to published latencies and rates of encoders, image networks and
-- recommendation models, and writes the catalog's table with the 80 % ranges.
--
--   build/ballpark lua tools/fit/runtimes.lua PUBLISHED.csv
--
-- Rows that ask the same question count once, by their median. Beside the errors of the fit it prints those of
-- every (source, device) under coefficients that never saw it; the ranges are from these.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local coefficient_fit = require("coefficient_fit")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local inference = require("ballpark.validate.inference")
local inference_case = require("ballpark.validate.inference_case")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local WIDTH <const> = 0.6 -- of the priors, in e-folds
local STEPS <const>, STEPS_LEFT_OUT <const> = 10, 4

local priors = {
  common = { launch = 0.7, score_passes = 5, gather = 0.5, conv = 0.7 },
  tensorrt = { conv = 0.7, matmul = 1, passes = 12, host_kernel_s = 3e-6, call_s = 1e-4 },
  fastertransformer = { matmul = 1, passes = 16, host_kernel_s = 5e-6, call_s = 1e-4, quantize = 0.5 },
  compiled = { matmul = 1, passes = 30, host_kernel_s = 1e-5, call_s = 2e-4 },
  xla = { matmul = 1, passes = 30, host_kernel_s = 1e-5, call_s = 2e-4 },
  eager = { conv = 0.7, matmul = 1, passes = 45, host_kernel_s = 2.5e-5, call_s = 1e-3 },
  neuron = { matmul = 1, passes = 20, host_kernel_s = 5e-6, call_s = 3e-4 },
  triton = { call_s = 1e-3, input_bytes_s = 1e9 },
  triton_concurrent = { call_s = 1e-3, input_bytes_s = 2.5e9 },
  pipeline = { call_s = 3e-3 },
}

local coefficients = {}
for _, group in ipairs(tables.sorted_keys(priors)) do
  for _, field in ipairs(tables.sorted_keys(priors[group])) do
    coefficients[#coefficients + 1] = { group = group, field = field, start = priors[group][field] }
  end
end

-- Speeds are known best: kernels are those of the curves. Launches stay near their start (assumption): data pipelines
-- around a benchmark would be taken for them.
local NARROW <const> = { matmul = 0.05, launch = 0.2, host_kernel_s = 0.2 }

local function value(j, x)
  local c = coefficients[j]
  return c.start * math.exp((NARROW[c.field] or WIDTH) * x[j])
end

-- The runtime of a case under x: its class, with a server's call on top.
local function apply(case, x)
  local runtime, call_s = case.input.runtime, 0
  for j, c in ipairs(coefficients) do
    if c.group == "common" or c.group == case.runtime or c.group == case.server then
      if c.field == "call_s" then call_s = call_s + value(j, x) else runtime[c.field] = value(j, x) end
    end
  end
  runtime.call_s = call_s
end

local function touches(c, case)
  return c.group == "common" or c.group == case.runtime or c.group == case.server
end

local function residuals_of(cases)
  return function(x, j, base)
    local r = {}
    for i, case in ipairs(cases) do
      if j and not touches(coefficients[j], case) then
        r[i] = base[i]
      else
        apply(case, x)
        r[i] = math.log(inference.ratio(case))
      end
    end
    return r
  end
end

-- Percentiles and rates under a bound follow from queues, not from these coefficients.
local function usable(row)
  local stat = row.said.stat
  return row.said.scenario ~= "Server" and (stat == nil or stat == "avg" or stat == "median" or stat == "p50")
end

local function question(row)
  return table.concat({ row.family, row.model, row.gpu, row.engine or "", row.precision_weights or "",
    row.batch_or_concurrency or "", row.input_len or "", row.metric_kind, row.said.bench or "", row.gpus or 1,
    tostring((row.notes or ""):find("padding removed") ~= nil) }, "|")
end

-- One case for all rows with the same question, with their median as its value.
local function cases_of(rows)
  local names, parts = statistics.split(rows, question)
  local cases = {}
  for _, name in ipairs(names) do
    local values = {}
    for i, row in ipairs(parts[name]) do values[i] = row.value end
    local row = tables.with(parts[name][1], { value = statistics.median(values) })
    local case = errors.try(inference_case.of, row)
    if case and case.kind ~= "search" then cases[#cases + 1] = case end
  end
  return cases
end

local function source_and_device(case) return case.row.family .. " on " .. case.row.gpu end

-- Residuals by kind of network, printed.
local function by_kind(title, cases, r)
  local lists = {}
  for i, case in ipairs(cases) do
    lists[case.kind] = lists[case.kind] or {}
    table.insert(lists[case.kind], r[i])
  end
  for _, kind in ipairs(tables.sorted_keys(lists)) do coefficient_fit.print(title, kind, lists[kind]) end
  return lists
end

local function write(x, lists, count)
  local fit = { errors = {}, spread = {}, questions = count }
  for j, c in ipairs(coefficients) do
    fit[c.group] = fit[c.group] or {}
    fit[c.group][c.field] = value(j, x)
  end
  for kind, list in pairs(lists) do
    local s = coefficient_fit.figures(list)
    fit.errors[kind] = { mean = s.mape, median = s.median_ape }
    fit.spread[kind] = coefficient_fit.spread(list)
  end
  coefficient_fit.write("fitted/runtime", "-- Coefficients of inference runtimes, written by tools/fit/runtimes.lua; do "
    .. "not edit.\n-- Fitted to FasterTransformer's guides, NVIDIA DeepLearningExamples, MLPerf inference v4.1 and AWS "
    .. "Neuron.\n-- errors: of the times, every (source, device) predicted without it; spread: their 80 % ranges, "
    .. "measured\n-- over predicted.", fit)
end

local function main(path)
  assert(path, "usage: runtimes.lua PUBLISHED.csv")
  local all = inference.read(csv.read(path), path)
  local rows = {}
  for _, row in ipairs(all) do
    if usable(row) then rows[#rows + 1] = row end
  end
  local cases, x = cases_of(rows), {}
  local residuals = residuals_of(cases)
  for j = 1, #coefficients do x[j] = 0 end
  by_kind("before", cases, residuals(x))
  x = coefficient_fit.fit(residuals, x, STEPS)
  by_kind("fitted", cases, residuals(x))
  for j, c in ipairs(coefficients) do print(("  %-18s %-15s %.4g"):format(c.group, c.field, value(j, x))) end
  local left_out = coefficient_fit.left_out(cases, source_and_device, residuals, x, STEPS_LEFT_OUT)
  write(x, by_kind("left out", cases, left_out), #cases)
end

main(arg[1])
