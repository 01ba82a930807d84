-- Scores of predicted steps by family: what a fit prints.
local tables = require("ballpark.tables")

local profile_scores = {}

local function by_family(cases, errors)
  local groups = {}
  for i, case in ipairs(cases) do
    local group = groups[case.family] or {}
    groups[case.family] = group
    group[#group + 1] = math.exp(errors[i]) - 1
  end
  return groups
end

local function median(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

local function score(signed)
  local absolute, sum = {}, 0
  for i, e in ipairs(signed) do
    absolute[i] = math.abs(e)
    sum = sum + absolute[i]
  end
  return { n = #signed, mape = sum / #signed, median = median(absolute), bias = median(signed) }
end

--- Names of the families, sorted.
function profile_scores.families(cases)
  local set = {}
  for _, case in ipairs(cases) do set[case.family] = true end
  return tables.sorted_keys(set)
end

--- Prints error = predicted / measured - 1 per family; `errors` are ln(predicted / measured).
function profile_scores.print(title, cases, errors)
  local groups, all, sum, count = by_family(cases, errors), {}, 0, 0
  print(string.format("%s\n%-16s %5s %7s %7s %7s", title, "family", "n", "MAPE", "median", "bias"))
  for _, family in ipairs(tables.sorted_keys(groups)) do
    local s = score(groups[family])
    print(string.format("%-16s %5d %6.1f%% %6.1f%% %6.1f%%", family, s.n, 100 * s.mape, 100 * s.median, 100 * s.bias))
    if s.n >= 10 then sum, count = sum + s.mape, count + 1 end
    table.move(groups[family], 1, s.n, #all + 1, all)
  end
  local s = score(all)
  print(string.format("%-16s %5d %6.1f%% %6.1f%% %6.1f%%   mean over families of ten rows: %.1f %%", "all",
    s.n, 100 * s.mape, 100 * s.median, 100 * s.bias, 100 * sum / count))
end

return profile_scores
