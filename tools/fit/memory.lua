-- Fits the memory coefficients of training software (fields of the core's profile) to published peaks.
--
--   build/ballpark lua tools/fit/memory.lua RUNS.csv FLAGS.csv            fits, scores and prints
--   build/ballpark lua tools/fit/memory.lua RUNS.csv FLAGS.csv --write    also writes the table
--
-- FLAGS.csv as in tools/fit/profiles.lua; it doubts times, so the rows it names stay. Every class of
-- software is fitted by itself, robustly, with the priors of memory_coefficients.lua. Three scores: in the
-- fit, without the model of the row, without its family. memory_spread is how far the estimates of models
-- left out were off; of families left out for software that no fit has seen.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local coefficients = require("memory_coefficients")
local core = require("ballpark.core")
local files = require("ballpark.files")
local measured = require("measured_runs")
local profiles = require("ballpark.catalog.profiles")
local scoring = require("profile_scores")
local target = require("ballpark.validate.target")

local FULL_WEIGHT_ROWS <const> = 30

-- Least spread: what is left between twins of one run (rounding, allocator).
local LEAST_SPREAD <const> = 0.03

-- Share of a normal distribution within one standard deviation.
local ONE_DEVIATION <const> = 0.683

-- Standard deviations to either side that hold 80 % of a normal distribution.
local BAND <const> = 1.2816

local GiB <const> = 1 << 30

local function by_class(cases)
  local groups, names = {}, {}
  for _, case in ipairs(cases) do
    if not groups[case.class] then
      groups[case.class] = {}
      names[#names + 1] = case.class
    end
    table.insert(groups[case.class], case)
  end
  table.sort(names)
  return groups, names
end

local function profile_with(list, x, class)
  local profile = profiles.get(class)
  for j, coefficient in ipairs(list) do
    profile[coefficient.field] = coefficients.value(coefficient, x[j])
  end
  return profile
end

-- ln(predicted / measured) of every case under x.
local function errors_of(list, x, cases)
  local errors, profile = {}, cases[1] and profile_with(list, x, cases[1].class)
  for i, case in ipairs(cases) do
    case.input.profile = profile
    local memory = core.train_step(case.input).memory
    errors[i] = math.log(target.memory({ traits = profiles.traits(case.class) }, memory) * GiB / case.measured_bytes)
  end
  return errors
end

local function family_weights(cases)
  local counts, weights = {}, {}
  for _, case in ipairs(cases) do counts[case.family] = (counts[case.family] or 0) + 1 end
  for i, case in ipairs(cases) do
    weights[i] = math.min(1, FULL_WEIGHT_ROWS / counts[case.family])
  end
  return weights
end

local function fit(list, cases)
  local x = {}
  for j = 1, #list do x[j] = 0 end
  if #cases == 0 or #list == 0 then return x, {} end
  local found, _, deviations = core.least_squares(function(at) return errors_of(list, at, cases) end, #list,
    family_weights(cases), { iterations = 15 })
  return found, deviations
end

-- Errors of every case under a fit that never saw its group.
local function leave_out(list, cases, group_of)
  local errors, keys, seen = {}, {}, {}
  for _, case in ipairs(cases) do
    local key = group_of(case)
    if not seen[key] then
      seen[key] = true
      keys[#keys + 1] = key
    end
  end
  for _, key in ipairs(keys) do
    local rest, left, at = {}, {}, {}
    for i, case in ipairs(cases) do
      if group_of(case) == key then
        left[#left + 1], at[#at + 1] = case, i
      else
        rest[#rest + 1] = case
      end
    end
    for k, e in ipairs(errors_of(list, (fit(list, rest)), left)) do errors[at[k]] = e end
  end
  return errors
end

local function model_of(case) return case.row.model or "" end
local function family_of(case) return case.family end

-- The error that ONE_DEVIATION of the rows stay under, bias included; families weigh alike.
local function spread(errors, cases)
  local weights, items, sum, at = family_weights(cases), {}, 0, 0
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

-- How often the 80 % band of a class holds for models it has not seen.
local function print_coverage(class, errors, width)
  local inside = 0
  for _, e in ipairs(errors) do inside = inside + (math.abs(e) <= BAND * width and 1 or 0) end
  print(string.format("%-10s 80 %% band, model left out: holds for %.0f %% of %d", class,
    100 * inside / #errors, #errors))
end

local function main(path, flags, mode)
  local groups, names = by_class(measured.memory_cases(path, flags))
  local cases, fitted, unseen_model, unseen_family, rows, results = {}, {}, {}, {}, 0, {}
  for _, class in ipairs(names) do
    local list, own = coefficients.of(class), groups[class]
    if #list > 0 then
      local x, deviations = fit(list, own)
      local by_model = leave_out(list, own, model_of)
      local width = spread(by_model, own)
      append(cases, fitted, own, errors_of(list, x, own))
      append({}, unseen_model, own, by_model)
      append({}, unseen_family, own, leave_out(list, own, family_of))
      print_fit(class, list, x, deviations, width)
      print_coverage(class, by_model, width)
      results[class] = { list = list, x = x, spread = width }
      rows = rows + #own
    end
  end
  local unseen = spread(unseen_family, cases)
  print(string.format("%-10s %-20s %10.4g", "unseen", "memory_spread", unseen))
  scoring.print("in the fit", cases, fitted)
  scoring.print("model left out of the fit", cases, unseen_model)
  scoring.print("family left out of the fit", cases, unseen_family)
  if mode == "--write" then
    files.write("lua/ballpark/catalog/fitted/memory.lua", coefficients.source(results, unseen, rows))
  end
end

main(arg[1], arg[2], arg[3])
