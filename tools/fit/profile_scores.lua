-- Scores of predictions by family: what a fit prints.
local statistics = require("ballpark.validate.statistics")

local profile_scores = {}

local function family_of(case) return case.family end

--- Names of the families, sorted.
function profile_scores.families(cases) return (statistics.split(cases, family_of)) end

local function line(name, s)
  return ("%-16s %5d %6.1f%% %6.1f%% %6.1f%%"):format(name, s.rows, 100 * s.mape, 100 * s.median_ape, 100 * s.bias)
end

--- Prints error = predicted / measured - 1 per family; `errors` are ln(predicted / measured).
function profile_scores.print(title, cases, errors)
  local rows = {}
  for i, case in ipairs(cases) do rows[i] = { error = math.exp(errors[i]) - 1, family = case.family } end
  print(("%s\n%-16s %5s %7s %7s %7s"):format(title, "family", "n", "MAPE", "median", "bias"))
  local names, parts = statistics.split(rows, family_of)
  for _, name in ipairs(names) do print(line(name, statistics.of(parts[name]))) end
  local all = statistics.summary(rows)
  print(("%s   mean over families of ten rows: %.1f %%"):format(line("all", all), 100 * (all.mean_family_mape or 0)))
end

return profile_scores
