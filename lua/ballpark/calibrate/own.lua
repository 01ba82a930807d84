-- Calibration on a few runs of one's own: factors on some coefficients of the built-in profile, held to 1 by
-- their priors where the runs say nothing. They go the whole way to what the runs say where runs that were not
-- seen surely get better by it, and half of it where that may be chance.
local coefficients = require("ballpark.catalog.coefficients")
local core = require("ballpark.core")
local folds = require("ballpark.calibrate.folds")
local law = require("ballpark.range.law")
local problem = require("ballpark.calibrate.problem")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local own = {}

--- Fewer configurations than this say nothing about a dozen coefficients.
own.LEAST = 4

own.FOLDS = 5

-- What a run errs by itself, as a standard deviation: published repetitions of one configuration differ by 4 % in
-- the median and 21 % in the ninth decile, which is 4 and 9 % of a normal one. A fit to few rows can be nearer to
-- them by accident only.
local LEAST_SCALE <const> = 0.07

-- Of runs too few to show their own spread: that, and what a fit of an estimate leaves of it.
local FEW_SCALE <const> = 0.1

-- Standard errors by which rows that were not seen get better up to which that may be chance, and from which on it
-- surely is none. Choices of ours, by eight draws of 20 and of 8 rows of every published family that has more: with 1 and 3
-- families err as much in the mean, but one of 13 (six of 21) more than uncalibrated, with 3 and 5 none (five); less
-- than half the way, none of it where rows get worse, and the whole way always err more.
local CHANCE <const>, SURE <const> = 3, 5

-- Share of the way that is gone whatever the gain: by the same draws no smaller one errs less.
local HALF <const> = 0.5

-- What helps most rows may cost a few: no more than this on the mean of all that were not seen.
local MOST_WORSE <const> = 1.2

-- Newton steps from a start this near need few; twice as many change the mean over families by
-- less than a tenth of a point.
local ITERATIONS <const> = 4

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

--- By how many standard errors rows that were not seen get better on the mean: with few of them, some gain always
--- shows. Below 0: they get worse.
---@param before number[] ln(estimated / measured) by the built-in profile
---@param after number[] the same by calibrations that have not seen the row
function own.gain(before, after)
  local gains, sum, squares = gains_of(before, after), 0, 0
  for _, gain in ipairs(gains) do sum = sum + gain end
  local mean = sum / #gains
  for _, gain in ipairs(gains) do squares = squares + (gain - mean) ^ 2 end
  local chance = math.sqrt(squares / math.max(1, #gains - 1) / #gains)
  return mean == 0 and 0 or mean / chance
end

--- What every row weighs. Errors are counted as shares of what was measured: where an estimate grows by 1 %, that of a
--- run which took four times as long grows by a quarter of what the others' do. Without it few runs far slower than
--- their like draw the estimates of all the others up. What all runs have in common is no reason to trust them less,
--- and no run weighs more than one.
---@param residuals (number|false)[] ln(estimated / measured) by the built-in profile
---@return number[] from 0 to 1
function own.weights(residuals)
  local known, weights = {}, {}
  for i in ipairs(residuals) do known[#known + 1] = residuals[i] or nil end
  local middle = statistics.median(known)
  for i, r in ipairs(residuals) do weights[i] = r and math.min(1, math.exp(r - middle)) or 1 end
  return weights
end

-- Coefficients fitted without each fold.
local function fits_without(all, fold_of, count, options)
  local fits = {}
  options = tables.with(options, { iterations = ITERATIONS })
  for fold = 1, count do
    fits[fold] = all:fit(function(_, i) return fold_of[i] ~= fold end, options).x
  end
  return fits
end

local function scaled(x, share)
  local result = {}
  for j, value in ipairs(x) do result[j] = share * value end
  return result
end

-- Residuals of every case, a share of the way to the fit that has not seen it.
local function unseen(all, fold_of, fits, share)
  local result = {}
  for fold, x in ipairs(fits) do
    local residuals = all:residuals(scaled(x, share))
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
  return core.conformal_width(scores, weights, #scores, law.COVERAGE)
end

-- How far to go, and what that makes of cases that were not seen.
local function check(result, fold_of, count, options)
  local fits = fits_without(result.all, fold_of, count, options)
  local gain = own.gain(result.before, unseen(result.all, fold_of, fits, 1))
  result.share = HALF + (1 - HALF) * math.max(0, math.min(1, (gain - CHANCE) / (SURE - CHANCE)))
  result.after = unseen(result.all, fold_of, fits, result.share)
  result.after_mape = mean_error(result.after)
  result.half = half_width(result.after)
  if not (result.after_mape < MOST_WORSE * result.before_mape) then
    result.kept = "calibration does not help runs that it has not seen"
  end
end

-- What runs scatter by at most: around their own median. Software that takes twice the time in every run is that much
-- slower; taken for noise, its runs would say the less the slower it is.
local function scatter(residuals)
  local values = {}
  for _, r in pairs(residuals) do
    if r then values[#values + 1] = r end
  end
  return #values > 0 and math.max(LEAST_SCALE, statistics.scatter({ values })) or LEAST_SCALE
end

local function too_few(distinct)
  return ("%d different run%s too few, %d are needed (or --few)"):format(distinct,
    distinct == 1 and " is" or "s are", own.LEAST)
end

--- Calibrates to cases (of validate.cases, with measured steps and the built-in profiles).
--- Returns { all, fit, x, share, values, before, within, after, before_mape, after_mape, half, kept }: x is
--- `share` of the way to the fit, values its factors; before and within are residuals of the built-in profile and
--- under x, after, if the runs are enough to say, those of calibrations on the other folds, and half the width that
--- holds four in five of them; kept is why the built-in profile stays, or nil.
---@param cases table[]
---@param few boolean|nil go half of the way where the runs are too few for a check
function own.fit(cases, few)
  local all = problem.new(cases, coefficients.own, { even = true, factors = true })
  local result = { all = all, before = all:residuals() }
  result.before_mape = mean_error(result.before)
  local fold_of, distinct = folds.deal(cases, own.FOLDS)
  local options = { iterations = 2 * ITERATIONS, least_scale = LEAST_SCALE, most_scale = scatter(result.before),
    weights = own.weights(result.before) }
  if distinct >= own.LEAST then
    check(result, fold_of, math.min(own.FOLDS, distinct), options)
  elseif few then
    result.share = HALF
    options.least_scale, options.most_scale, options.loss = FEW_SCALE, FEW_SCALE, "huber"
  else
    result.kept = too_few(distinct)
    return result
  end
  result.fit = all:fit(nil, options)
  result.x = scaled(result.fit.x, result.share)
  result.values, result.within = all:values(result.x), all:residuals(result.x)
  return result
end

return own
