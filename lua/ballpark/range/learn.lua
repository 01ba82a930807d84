-- Intervals from residuals of estimates whose fit never saw the family of the run:
--   half^2 = (width * spread)^2 + between^2
-- `between` is what sources of a cell (a class of software on a kind of device) differ by, ballpark.range.sources.
--
-- The spread of an estimate has two parts, independent of each other. One goes by its features: ln|residual| is
-- regressed on them. The other is what the coefficients leave open that no measurement pinned down, which the fit
-- of the coefficients says itself. Residuals over that spread are exchangeable enough for a conformal quantile, in
-- which every family (a source, one kind of error) counts once.
local core = require("ballpark.core")
local coverage = require("ballpark.range.law").COVERAGE
local log_widths = require("ballpark.range.log_widths")
local sources = require("ballpark.range.sources")

local learn = {}

-- Families with fewer rows count in proportion.
local FULL_ROWS <const> = 10

-- With fewer families than one part in five of them stands for, the worst may be in none.
local LEAST_FAMILIES <const> = 5

-- Families from which on a correction for few of them asks for less than all.
local FEW <const> = 10

-- Residuals below this are luck: they would dominate a mean of logarithms.
local LEAST_RESIDUAL <const> = 0.01

-- Prior widths: of the level (wide), and of what one feature can do, a factor of about 1.5.
local LEVEL_WIDTH <const> = 3
local FEATURE_WIDTH <const> = 1

-- Middle of the levels that occur: a tenth.
local LEVEL <const> = math.log(0.1)

-- A spread is the geometric mean of residuals; of a normal distribution that is this many standard deviations,
-- exp(-(Euler's constant + ln 2) / 2).
local NORMAL_MEAN <const> = 0.5298

--- What a whole family counts as by its rows: rows^(1 - power). At 1 all count alike; at this one large ones count a little
--- more, so that ranges hold some four in five of families and of rows: a choice of ours.
learn.FAMILIES_AND_ROWS = 0.75

-- Weights of samples, which sum up to the number of whole families, and that number.
local function family_weights(samples, power)
  local counts, weights, groups, sum = {}, {}, 0, 0
  for _, sample in ipairs(samples) do counts[sample.family] = (counts[sample.family] or 0) + 1 end
  for i, sample in ipairs(samples) do
    local count = counts[sample.family]
    local whole = math.min(1, count / FULL_ROWS)
    weights[i] = whole / count ^ (power or 1)
    groups, sum = groups + whole / count, sum + weights[i]
  end
  for i, weight in ipairs(weights) do weights[i] = weight * groups / sum end
  return weights, groups
end

-- Both parts of a spread: ln of that of the features, standard deviation of what was not learned.
local function together(log_known, unlearned)
  local known, open = math.exp(log_known), NORMAL_MEAN * (unlearned or 0)
  return math.sqrt(known * known + open * open)
end

-- ln of the spread that x gives a sample; x[1] is the level.
local function log_spread(x, sample)
  local sum = LEVEL + LEVEL_WIDTH * x[1]
  for j, value in ipairs(sample.features) do sum = sum + FEATURE_WIDTH * x[j + 1] * value end
  return math.log(together(sum, sample.unlearned))
end

local function regress(samples, weights)
  local logs = {}
  for i, sample in ipairs(samples) do
    logs[i] = math.log(math.max(LEAST_RESIDUAL, math.abs(sample.residual)))
  end
  return (core.least_squares(function(x)
    local residuals = {}
    for i, sample in ipairs(samples) do residuals[i] = log_spread(x, sample) - logs[i] end
    return residuals
  end, #samples[1].features + 1, weights, { loss = "huber" }))
end

--- Spread of an estimate with these features, in ln(estimated / measured); unlearned: see training.unlearned.
function learn.spread(law, features, unlearned)
  local sum = law.level
  for j, slope in ipairs(law.slopes) do sum = sum + slope * features[j] end
  return together(sum, unlearned)
end

-- The width that holds of scores: their conformal quantile, every family of the weight that `power` says.
local function holding(scores, samples, power)
  local weights, groups = family_weights(samples, power)
  local counted = groups >= FEW and groups or #scores
  for i, weight in ipairs(weights) do weights[i] = weight * counted / groups end
  return core.conformal_width(scores, weights, counted, coverage)
end

-- The share-th conformal quantile of what ranges lack, every family of the weight that `power` says. The correction for few
-- samples counts families where there are FEW of them or more: learned without each family in turn, ranges of published
-- steps so hold 80 % of the rows left out and 84 % in the mean of families (79 and 83 with all families alike). Peaks of
-- memory are of so few families that this would ask for nearly all of them (94 % held in the mean of families): there rows
-- count (87 %).
--
-- A score is the width at which a range just holds its sample, whose own family is no source of its cell.
local function width(law, samples, effects, power)
  local scores = {}
  for i, sample in ipairs(samples) do
    local own = effects and sample.cell and effects[sample.cell][sample.family] or nil
    local between = sources.half(law.sources, sample.cell, own)
    scores[i] = math.sqrt(math.max(0, sample.residual ^ 2 - between ^ 2))
      / learn.spread(law, sample.features, sample.unlearned)
  end
  return holding(scores, samples, power)
end

--- The law of samples { family, residual = ln(estimated / measured), features, unlearned, cell }: { level, slopes, width,
--- sources }. nil when the families are too few. Samples without a cell say nothing of sources. power: as in
--- learn.FAMILIES_AND_ROWS, 1 where it is nil.
---@param samples table[]
---@param power number|nil
---@return table|nil
function learn.law(samples, power)
  if #samples == 0 then return nil end
  local weights, groups = family_weights(samples)
  if groups < LEAST_FAMILIES then return nil end
  local x = regress(samples, weights)
  local law = { level = LEVEL + LEVEL_WIDTH * x[1], slopes = {} }
  for j = 2, #x do law.slopes[j - 1] = math.max(0, FEATURE_WIDTH * x[j]) end
  local effects
  law.sources, effects = sources.learn(samples)
  law.width = width(law, samples, effects, power)
  return law.width < math.huge and law or nil
end

--- How much wider the law would have to be to hold for other samples.
function learn.widening(law, samples) return width(law, samples) / law.width end

--- Half width of the range in ln(estimated / measured), of one more source of the cell.
function learn.half(law, features, unlearned, cell)
  return log_widths.together(law.width * learn.spread(law, features, unlearned), sources.half(law.sources, cell))
end

--- How many times as wide the ranges of a law would have to be to hold for other samples.
---@param power number|nil as in learn.law
function learn.times(law, samples, power)
  local scores = {}
  for i, sample in ipairs(samples) do
    scores[i] = math.abs(sample.residual) / learn.half(law, sample.features, sample.unlearned, sample.cell)
  end
  return holding(scores, samples, power)
end

return learn
