-- How long the samples of a data set are, and what a micro-batch of them computes: packed samples fill the whole length,
-- others are padded to the longest of their micro-batch.
--
-- Lengths that are told by mean and standard deviation are taken as gamma-distributed, which is positive, skewed and
-- has no other parameters.
local errors = require("ballpark.errors")

local lengths = {}

-- Points that stand for a distribution: each for as many micro-batches.
local POINTS <const> = 8

-- Cells that a density is summed over.
local CELLS <const> = 2000

--- Tokens of the longest sequence of fine-tuning where nobody says them (assumption: that of most published recipes).
lengths.USUAL = 2048

--- What may be said of lengths.
lengths.fields = {
  { "mean", "mean tokens of a sample" },
  { "deviation", "standard deviation of the tokens of a sample; blank: the mean times 0.8" },
  { "longer", "what becomes of samples beyond the longest length: cut to it, or dropped" },
}

-- Instruction data sets are about as spread as an exponential distribution: Alpaca 0.75, the mixture of agents of
-- ms-swift's benchmark 0.79.
local USUAL_SPREAD <const> = 0.8

-- Masses of cells up to the longest length, by the gamma density; what is longer goes to the last cell or away.
local function masses(mean, deviation, longest, dropped)
  local shape = (mean / deviation) ^ 2
  local scale = mean / shape
  local width, list, sum, all = longest / CELLS, {}, 0, 0
  local function density(x) return math.exp((shape - 1) * math.log(x / mean) - (x - mean) / scale) end
  for i = 1, CELLS do
    list[i] = density((i - 0.5) * width) * width
    sum = sum + list[i]
  end
  if not dropped then
    -- The tail by the same cells, up to where nothing is left.
    local x, tail = longest + 0.5 * width, 0
    repeat
      local mass = density(x) * width
      tail, x = tail + mass, x + width
    until mass < 1e-9 * (sum + tail) and x > mean
    list[CELLS] = list[CELLS] + tail
    sum = sum + tail
  end
  if not (sum > 0) then errors.input("lengths.mean", "no sample is as short as the longest length") end
  for i = 1, CELLS do
    all = all + list[i] / sum
    list[i] = all -- now the distribution function
  end
  return list, width
end

-- The tokens that a share of micro-batches of `count` samples stay below.
local function quantile(below, width, count, share)
  local wanted = share ^ (1 / count)
  for i = 1, CELLS do
    if below[i] >= wanted then return i * width end
  end
  return CELLS * width
end

local function mean_of(below, width)
  local sum, before = 0, 0
  for i = 1, CELLS do
    sum = sum + (below[i] - before) * (i - 0.5) * width
    before = below[i]
  end
  return sum
end

local function whole(tokens, longest) return math.max(1, math.min(longest, math.floor(tokens + 0.5))) end

--- What micro-batches of `count` samples have, at most `longest` tokens each: { points = lengths that their sequences
--- are padded to, each of as many micro-batches; tokens = mean of a sample, without padding }.
---@param about {mean: number, deviation: number|nil, longer: string|nil}
---@param longest integer
---@param count integer
function lengths.of(about, longest, count)
  local deviation = about.deviation or USUAL_SPREAD * about.mean
  local below, width = masses(about.mean, deviation, longest, about.longer == "dropped")
  local points = {}
  for i = 1, POINTS do points[i] = whole(quantile(below, width, count, (i - 0.5) / POINTS), longest) end
  return { points = points, tokens = math.min(longest, mean_of(below, width)) }
end

-- Blocks of other lengths that PyTorch's allocator keeps once sequences of all lengths went by, over the logits of a
-- mean micro-batch: by the published peaks of ms-swift (LoRA at 512 to 8192 tokens, 1.8 to 7 billion parameters) they
-- are 1.2 to 1.9 times the logits of the longest, which are the largest blocks.
local CACHED_LOGITS <const> = 2.5

--- Bytes that the allocator holds beyond what it needs where lengths vary, and gives back when memory runs short.
---@param logits_bytes number of the longest micro-batch
---@param share number mean length of a micro-batch over the longest
function lengths.cached_bytes(logits_bytes, share) return CACHED_LOGITS * share * logits_bytes end

--- The mean length of micro-batches over the longest.
function lengths.share(held, longest)
  local sum = 0
  for _, tokens in ipairs(held.points) do sum = sum + tokens end
  return sum / #held.points / longest
end

--- The same of samples that all fill the length.
function lengths.full(longest) return { points = { longest }, tokens = longest } end

return lengths
