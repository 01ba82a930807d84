-- Fits the coefficients of training software (fields of the core's profile) to published steps.
--
--   build/ballpark lua tools/fit/profiles.lua RUNS.csv FLAGS.csv            fits and prints
--   build/ballpark lua tools/fit/profiles.lua RUNS.csv FLAGS.csv --write    also writes the table
--   build/ballpark lua tools/fit/profiles.lua RUNS.csv FLAGS.csv --leave-out
--                                        fits again without each family and scores it there
--
-- FLAGS.csv names rows that disagree with their own twins (columns case_id, flag, reason): they are
-- left out of the fit, and scored like all others.
--
-- A coefficient belongs to all software, to a class of software or to an era; never to a row, a model
-- or a source. Each has a prior (value and width); families weigh alike from thirty rows on.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local least_squares = require("least_squares")
local scoring = require("profile_scores")
local coefficients = require("profile_coefficients")
local validate = require("ballpark.validate")

local FULL_WEIGHT_ROWS <const> = 30

local function read_all(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function flagged_ids(path)
  local ids = {}
  local _, records = csv.records(read_all(path), path)
  for _, record in ipairs(records) do ids[record.cells.case_id] = true end
  return ids
end

local function load_cases(path, flags)
  local cases, flagged = {}, flagged_ids(flags)
  for _, case in ipairs((validate.cases((validate.read(read_all(path), path))))) do
    case.family = case.row.family
    case.flagged = flagged[case.row.case_id]
    case.older_kernels = case.input.profile.attention > 1
    if case.measured_step_s then cases[#cases + 1] = case end
  end
  return cases
end

local function sound(cases)
  local kept = {}
  for _, case in ipairs(cases) do
    if not case.flagged then kept[#kept + 1] = case end
  end
  return kept
end

local function family_weights(cases)
  local counts, weights = {}, {}
  for _, case in ipairs(cases) do counts[case.family] = (counts[case.family] or 0) + 1 end
  for i, case in ipairs(cases) do weights[i] = math.min(1, FULL_WEIGHT_ROWS / counts[case.family]) end
  return weights
end

local function set(coefficient, case, value)
  local target = case.input[coefficient.table or "profile"]
  for part in (coefficient.within or ""):gmatch("[^.]+") do target = target[part] end
  target[coefficient.field] = coefficient.times and coefficient.times(case, value) or value
end

local function apply(x, cases)
  for _, case in ipairs(cases) do
    for j, coefficient in ipairs(coefficients) do
      if coefficient.applies(case) then set(coefficient, case, coefficients.value(coefficient, x[j])) end
    end
  end
end

local function errors_of(x, cases)
  apply(x, cases)
  local errors = {}
  for i, case in ipairs(cases) do
    errors[i] = math.log(core.train_step(case.input).time.step_s / case.measured_step_s)
  end
  return errors
end

local function fit(all)
  local cases = sound(all)
  return least_squares.fit(function(x) return errors_of(x, cases) end, #coefficients,
    family_weights(cases), 20)
end

local function print_coefficients(x, deviations)
  for j, coefficient in ipairs(coefficients) do
    print(string.format("%-20s %-12s %10.4g   prior %10.4g   learned %3.0f %%", coefficient.field,
      coefficient.scope, coefficients.value(coefficient, x[j]), coefficient.prior,
      100 * (1 - math.min(1, deviations[j]))))
  end
end

local function without(cases, family)
  local kept, left = {}, {}
  for _, case in ipairs(cases) do
    local list = case.family == family and left or kept
    list[#list + 1] = case
  end
  return kept, left
end

local function leave_out(cases)
  local all, left_errors = {}, {}
  for _, family in ipairs(scoring.families(cases)) do
    local kept, left = without(cases, family)
    local errors = errors_of((fit(kept)), left)
    for i, case in ipairs(left) do
      all[#all + 1], left_errors[#left_errors + 1] = case, errors[i]
    end
    io.stderr:write("left out ", family, "\n")
  end
  scoring.print("family left out of the fit", all, left_errors)
end

local function main(path, flags, mode)
  local cases = load_cases(path, flags)
  if mode == "--leave-out" then return leave_out(cases) end
  local x, _, deviations = fit(cases)
  print_coefficients(x, deviations)
  scoring.print("in the fit", cases, errors_of(x, cases))
  if mode == "--write" then
    files.write("lua/ballpark/catalog/profile_fit.lua", coefficients.source(x, #sound(cases)))
  end
end

main(arg[1], arg[2], arg[3])
