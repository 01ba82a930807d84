-- Calibration on a few runs of one's own: factors on a dozen coefficients of the built-in profile, held
-- to 1 by their priors where the runs say nothing, and used only where they help runs that they have
-- not seen.
local coefficients = require("ballpark.calibrate.coefficients")
local core = require("ballpark.core")
local folds = require("ballpark.calibrate.folds")
local learn = require("ballpark.intervals.learn")
local problem = require("ballpark.calibrate.problem")
local profile_fields = require("ballpark.calibrate.profile_fields")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local own = {}

--- Fewer configurations than this say nothing about a dozen coefficients.
own.LEAST = 4

own.FOLDS = 5

-- Standard errors by which rows that were not seen have to get better on the mean: three to one that it is not
-- chance. A choice of ours: with less, some families of ten published runs get worse, with more, twenty runs are
-- too few to learn from.
local SURE <const> = 0.7

-- What helps most rows may cost a few: no more than this on the mean of all.
local MOST_WORSE <const> = 1.1

-- Newton steps from a start this near need few.
local ITERATIONS <const> = 8

local function mean_error(residuals)
  local sum, count = 0, 0
  for _, r in pairs(residuals) do
    if r then sum, count = sum + math.abs(math.exp(r) - 1), count + 1 end
  end
  return count > 0 and sum / count or nil
end

-- By how much errors get smaller, row by row, without the tenth of the rows where it differs most from the rest:
-- one bad row decides nothing.
local function gains_of(before, after)
  local gains = {}
  for i, r in ipairs(before) do
    gains[i] = math.abs(math.exp(r) - 1) - math.abs(math.exp(after[i]) - 1)
  end
  local middle = statistics.median(gains)
  table.sort(gains, function(a, b) return math.abs(a - middle) < math.abs(b - middle) end)
  return table.move(gains, 1, math.max(1, #gains * 9 // 10), 1, {})
end

--- Whether rows that were not seen get better by more than chance: with few of them, some gain always shows.
---@param before number[] ln(estimated / measured) by the built-in profile
---@param after number[] the same by calibrations that have not seen the row
function own.helps(before, after)
  local gains, sum, squares = gains_of(before, after), 0, 0
  for _, gain in ipairs(gains) do sum = sum + gain end
  local mean = sum / #gains
  for _, gain in ipairs(gains) do squares = squares + (gain - mean) ^ 2 end
  return mean > SURE * math.sqrt(squares / math.max(1, #gains - 1) / #gains)
end

--- Residuals of every case by a calibration on the other folds.
---@return number[] residuals ln(estimated / measured)
local function cross_validate(all, fold_of, count)
  local result = {}
  for fold = 1, count do
    local fit = all:fit(function(_, i) return fold_of[i] ~= fold end, { iterations = ITERATIONS })
    local residuals = all:residuals(fit.x)
    for i in ipairs(all.cases) do
      if fold_of[i] == fold then result[i] = residuals[i] end
    end
  end
  return result
end

-- Half width that holds four in five runs which the calibration has not seen.
local function half_width(residuals)
  local scores, weights = {}, {}
  for i, r in ipairs(residuals) do scores[i], weights[i] = math.abs(r), 1 end
  return core.conformal_width(scores, weights, #scores, learn.COVERAGE)
end

--- Calibrates to cases (of validate.cases, with measured steps and the built-in profiles).
--- Returns { all, fit, values, before, after, before_mape, after_mape, half, kept }: before and after are
--- residuals of the built-in profile and of calibrations on the other folds; kept is why the built-in
--- profile stays, or nil.
---@param cases table[]
function own.fit(cases)
  local all = problem.new(cases, coefficients.own, { even = true, factors = true })
  local result = { all = all, before = all:residuals() }
  result.before_mape = mean_error(result.before)
  local fold_of, distinct = folds.deal(cases, own.FOLDS)
  if distinct < own.LEAST then
    result.kept = ("%d different run%s too few, %d are needed"):format(distinct,
      distinct == 1 and " is" or "s are", own.LEAST)
    return result
  end
  result.after = cross_validate(all, fold_of, math.min(own.FOLDS, distinct))
  result.after_mape = mean_error(result.after)
  result.half = half_width(result.after)
  result.fit = all:fit(nil, { iterations = 2 * ITERATIONS })
  result.values = all:values(result.fit.x)
  if not own.helps(result.before, result.after) or result.after_mape > MOST_WORSE * result.before_mape then
    result.kept = "calibration does not help runs that it has not seen"
  end
  return result
end

--- The profile with the factors over it, for a case of the same class of software.
function own.over(profile, values)
  local result, limits = tables.with(profile), profile_fields.limits()
  for j, coefficient in ipairs(coefficients.own) do
    local name = coefficient[1]
    local value = (result[name] or 1) * values[j]
    result[name] = math.min(limits[name].max, math.max(limits[name].min, value))
  end
  return result
end

return own
