-- The fit of one class's memory coefficients to its published peaks, and the errors of runs that a fit did not see.
local coefficients = require("memory_coefficients")
local core = require("ballpark.core")
local profiles = require("ballpark.catalog.profiles")
local target = require("ballpark.validate.target")

local memory_fit = {}

local FULL_WEIGHT_ROWS <const> = 30

local GiB <const> = 1 << 30

--- Cases by their class of software, and the names of the classes, sorted.
function memory_fit.by_class(cases)
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

--- ln(predicted / measured) of every case under x; of classes without coefficients, as they are shipped.
function memory_fit.errors_of(list, x, cases)
  local errors, profile = {}, #list > 0 and cases[1] and profile_with(list, x, cases[1].class)
  for i, case in ipairs(cases) do
    case.input.profile = profile or case.input.profile
    local memory = core.train_step(case.input).memory
    errors[i] = math.log(target.memory({ traits = profiles.traits(case.class) }, memory) * GiB / case.measured_bytes)
  end
  return errors
end

--- Weights of cases: families of many rows count no more than FULL_WEIGHT_ROWS of them.
function memory_fit.family_weights(cases)
  local counts, weights = {}, {}
  for _, case in ipairs(cases) do counts[case.family] = (counts[case.family] or 0) + 1 end
  for i, case in ipairs(cases) do
    weights[i] = math.min(1, FULL_WEIGHT_ROWS / counts[case.family])
  end
  return weights
end

--- The coefficients of a list that fit the cases, in widths from their priors, and how far they are open.
function memory_fit.fit(list, cases)
  local x = {}
  for j = 1, #list do x[j] = 0 end
  if #cases == 0 or #list == 0 then return x, {} end
  local found, _, deviations = core.least_squares(function(at) return memory_fit.errors_of(list, at, cases) end, #list,
    memory_fit.family_weights(cases), { iterations = 15 })
  return found, deviations
end

--- Errors of every case under a fit that never saw its group.
function memory_fit.leave_out(list, cases, group_of)
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
    for k, e in ipairs(memory_fit.errors_of(list, (memory_fit.fit(list, rest)), left)) do errors[at[k]] = e end
  end
  return errors
end

local function family_of(case) return case.family end

--- Errors of all cases under fits that saw nothing of their families, in the order of the cases.
function memory_fit.unseen(cases)
  local groups, names = memory_fit.by_class(cases)
  local error_of, errors = {}, {}
  for _, class in ipairs(names) do
    local found = memory_fit.leave_out(coefficients.of(class), groups[class], family_of)
    for i, case in ipairs(groups[class]) do error_of[case] = found[i] end
  end
  for i, case in ipairs(cases) do errors[i] = error_of[case] end
  return errors
end

--- How many families are among cases.
function memory_fit.families(cases)
  local seen, count = {}, 0
  for _, case in ipairs(cases) do
    count = count + (seen[case.family] and 0 or 1)
    seen[case.family] = true
  end
  return count
end

return memory_fit
