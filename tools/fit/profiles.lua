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

local coefficients = require("ballpark.catalog.coefficients")
local files = require("ballpark.files")
local measured = require("measured_runs")
local profile_table = require("profile_table")
local problem = require("ballpark.calibrate.problem")
local scoring = require("profile_scores")

local list = coefficients.published

local function print_coefficients(values, deviations)
  for j, coefficient in ipairs(list) do
    print(string.format("%-20s %-12s %10.4g   prior %10.4g   learned %3.0f %%", coefficient[1],
      coefficient[2], values[j], coefficient[3], 100 * (1 - math.min(1, deviations[j]))))
  end
end

local function sound(case) return not case.flagged end

local function leave_out(all)
  local errors = {}
  for _, family in ipairs(scoring.families(all.cases)) do
    local fit = all:fit(function(case) return sound(case) and case.family ~= family end)
    local residuals = all:residuals(fit.x)
    for i, case in ipairs(all.cases) do
      if case.family == family then errors[i] = residuals[i] end
    end
  end
  scoring.print("family left out of the fit", all.cases, errors)
end

local function main(path, flags, mode)
  local all = problem.new(measured.cases(path, flags), list)
  if mode == "--leave-out" then return leave_out(all) end
  local fit = all:fit(sound)
  local values = all:values(fit.x)
  print_coefficients(values, fit.deviations)
  scoring.print("in the fit", all.cases, all:residuals(fit.x))
  if mode == "--write" then
    files.write("lua/ballpark/catalog/fitted/profile.lua", profile_table.source(list, values, fit.rows))
    files.write("core/kernel/describe/common_fit.h", profile_table.header(list, values, fit.rows))
  end
end

main(arg[1], arg[2], arg[3])
