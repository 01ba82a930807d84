-- Fits the memory coefficients of training software (fields of the core's profile) to published peaks.
--
--   build/ballpark lua tools/fit/memory.lua RUNS.csv FLAGS.csv            fits, scores and prints
--   build/ballpark lua tools/fit/memory.lua RUNS.csv FLAGS.csv --write    also writes the table
--
-- FLAGS.csv as in tools/fit/profiles.lua; it doubts times, so the rows it names stay. Every class of
-- software is fitted by itself, robustly, with the priors of memory_coefficients.lua, which are what a class without a
-- run has. Three scores: in the fit, without the model of the row, without its family. memory_spread is how far the
-- estimates of families left out were off: of the class, or of all where it has few.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local coefficients = require("memory_coefficients")
local files = require("ballpark.files")
local measured = require("measured_runs")
local memory_fit = require("memory_fit")
local scoring = require("profile_scores")

-- Least spread: what is left between twins of one run (rounding, allocator).
local LEAST_SPREAD <const> = 0.03

-- Share of a normal distribution within one standard deviation.
local ONE_DEVIATION <const> = 0.683

-- Families of a class from which on they say how far another one is off; with fewer, all classes do.
local LEAST_FAMILIES <const> = 3

-- Standard deviations to either side that hold 80 % of a normal distribution.
local BAND <const> = 1.2816

local function model_of(case) return case.row.model or "" end

-- The error that ONE_DEVIATION of the rows stay under, bias included; families weigh alike.
local function spread(errors, cases)
  local weights, items, sum, at = memory_fit.family_weights(cases), {}, 0, 0
  for i, e in ipairs(errors) do
    items[i] = { math.abs(e), weights[i] }
    sum = sum + weights[i]
  end
  table.sort(items, function(a, b) return a[1] < b[1] end)
  for _, item in ipairs(items) do
    at = at + item[2]
    if at >= ONE_DEVIATION * sum then return math.max(LEAST_SPREAD, item[1]) end
  end
  return LEAST_SPREAD
end

local function append(all, errors, cases, class_errors)
  for i, case in ipairs(cases) do
    all[#all + 1], errors[#errors + 1] = case, class_errors[i]
  end
end

local function print_fit(class, list, x, deviations, width)
  for j, coefficient in ipairs(list) do
    print(string.format("%-10s %-20s %10.4g   prior %10.4g   learned %3.0f %%", class, coefficient.field,
      coefficients.value(coefficient, x[j]), coefficients.value(coefficient, 0),
      100 * (1 - math.min(1, deviations[j] or 1))))
  end
  print(string.format("%-10s %-20s %10.4g", class, "memory_spread", width))
end

-- How often the 80 % band of a class holds for families it has not seen.
local function print_coverage(class, errors, width)
  local inside = 0
  for _, e in ipairs(errors) do inside = inside + (math.abs(e) <= BAND * width and 1 or 0) end
  print(string.format("%-10s 80 %% band, family left out: holds for %.0f %% of %d", class,
    100 * inside / #errors, #errors))
end

-- The fits of all classes that have coefficients; without a run of the class its priors.
local function fits_of(groups, unseen)
  local results = {}
  for _, class in ipairs(coefficients.classes()) do
    local list, own = coefficients.of(class), groups[class] or {}
    local x, deviations = memory_fit.fit(list, own)
    local errors = memory_fit.unseen(own)
    local width = memory_fit.families(own) >= LEAST_FAMILIES and spread(errors, own) or unseen
    print_fit(class, list, x, deviations, width)
    if #own > 0 then print_coverage(class, errors, width) end
    results[class] = { list = list, x = x, spread = width }
  end
  return results
end

local function main(path, flags, mode)
  local cases = measured.memory_cases(path, flags)
  local groups, names = memory_fit.by_class(cases)
  local all, fitted, unseen_model, rows = {}, {}, {}, 0
  local unseen_family = memory_fit.unseen(cases)
  local unseen = spread(unseen_family, cases)
  local results = fits_of(groups, unseen)
  for _, class in ipairs(names) do
    local list, own = coefficients.of(class), groups[class]
    append(all, fitted, own, memory_fit.errors_of(list, results[class] and results[class].x or {}, own))
    append({}, unseen_model, own, memory_fit.leave_out(list, own, model_of))
    rows = rows + (#list > 0 and #own or 0)
  end
  print(string.format("%-10s %-20s %10.4g", "unseen", "memory_spread", unseen))
  scoring.print("in the fit", all, fitted)
  scoring.print("model left out of the fit", all, unseen_model)
  scoring.print("family left out of the fit", cases, unseen_family)
  if mode == "--write" then
    files.write("lua/ballpark/catalog/fitted/memory.lua", coefficients.source(results, unseen, rows))
  end
end

main(arg[1], arg[2], arg[3])
