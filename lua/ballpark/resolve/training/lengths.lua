-- How long the samples of a data set are, and what a micro-batch of them computes: packed samples fill the whole length,
-- others are padded to the longest of their micro-batch.
--
-- Lengths that are told by mean and standard deviation are taken as gamma-distributed, which is positive, skewed and
-- has no other parameters. Between percentiles they are taken as even, beyond the last as exponential. Samples are taken
-- as they are.
local data_sets = require("ballpark.catalog.data_sets")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local lengths = {}

-- Points that stand for a distribution: each for as many micro-batches.
local POINTS <const> = 8

-- Cells that a density is summed over.
local CELLS <const> = 2000

-- How much wider each cell beyond them is.
local WIDER <const> = 1.01

--- Tokens of the longest sequence of fine-tuning where nobody says them (assumption: that of most published recipes).
lengths.USUAL = 2048

-- The same of an embedder, whose example is a question and its passage: two texts of 80 tokens, as passages of MS MARCO
-- have (some 56 words; recalled).
local USUAL_PAIR <const> = 160

-- The same of a model with a vision tower: an image of 640 x 480 pixels and some words. The image takes 256 places of Gemma 3
-- and 391 of Qwen2-VL; a tower that sees images as they are says how many itself, as Pixtral, whose patches are 1,200.
local USUAL <const>, IMAGE_TOK <const> = { pixels = 640 * 480, words = 121 }, 391

-- The same of an encoder-decoder, what it writes for the 512 tokens that it reads: T5's targets (Raffel et al.,
-- arXiv:1910.10683, section 3.1.4).
local USUAL_TARGET <const> = 114

-- Places of an image and its words where a model reads images, else nil. Towers with a table of positions for one size see
-- that size alone.
local function of_image(model, sample)
  local tower = model.encoder or {}
  local patch, learned = tower.patch_size or 0, (tower.learned_positions or 0) > 0
  local one_size = (model.image_size or 0) > 0 and learned or (model.image_tok or 0) > 0
  if patch > 0 and not one_size then return math.floor(sample.pixels / (patch ^ 2 * (tower.merge or 1))) + sample.words end
  return (patch > 0 or (model.image_tok or 0) > 0) and IMAGE_TOK + sample.words or nil
end

--- Whether a model embeds texts: an encoder, or a decoder without a head.
function lengths.is_of_pairs(model) return model.arch == "encoder" or model.lm_head == false end

--- Whether the usual length of a model is that of a sample, of which others differ little, and no limit.
function lengths.is_of_sample(model) return lengths.is_of_pairs(model) or of_image(model, USUAL) ~= nil end

--- Tokens of the longest sequence of a model where nobody says them.
---@param sample table|boolean|nil of images: { pixels, words } of one, of catalog.image_sets; true: a usual one; false: no images;
--- nil: as the model has a tower
function lengths.usual(model, sample)
  local one = type(sample) == "table" and sample or USUAL
  local image = sample ~= false and of_image(model, one) or sample and IMAGE_TOK + one.words
  local usual = lengths.is_of_pairs(model) and USUAL_PAIR or image
    or (model.cross_layers or 0) > 0 and USUAL_TARGET or lengths.USUAL
  return (model.max_seq or 0) > 0 and math.min(usual, model.max_seq) or usual
end

--- What may be said of lengths.
lengths.fields = {
  { "mean", "mean tokens of a sample" },
  { "deviation", "standard deviation of the tokens of a sample; blank: the mean times 0.8" },
  { "p50", "tokens that half of the samples have at most; likewise p1 to p99.9, at least two of them" },
  { "samples", "list of the tokens of every sample" },
  { "longest", "tokens of the longest sample: the longest sequence, where that is not said" },
  { "name", "of a data set, beside longer alone" },
  { "longer", "what becomes of samples beyond the longest length: cut to it, or dropped" },
}

-- Instruction data sets are about as spread as an exponential distribution: Alpaca 0.75, the mixture of agents of
-- ms-swift's benchmark 0.79.
local USUAL_SPREAD <const> = 0.8

--- What it may as well be where nobody says it, as shares of the mean: half, and half as much again (assumption).
lengths.SPREADS = { 0.5 * USUAL_SPREAD, 1.5 * USUAL_SPREAD }

-- The share of samples of at most x tokens where all are as long.
local function alike(mean)
  return function(x) return x >= mean and 1 or 0 end
end

-- The same by the gamma density summed over cells; x grows from call to call.
local function gamma(mean, deviation, width)
  if deviation < width then return alike(mean) end
  local shape = (mean / deviation) ^ 2
  local scale = mean / shape
  local at, sum, all = 0, 0, 0
  local function density(x) return math.exp((shape - 1) * math.log(x / mean) - (x - mean) / scale) end
  local function cell(i) return density((i - 0.5) * width) * width end
  for i = 1, CELLS do all = all + cell(i) end
  -- What is longer counts in the sum alone: wider and wider cells.
  local from, wide = CELLS * width, width
  repeat
    local mass = density(from + wide / 2) * wide
    all, from, wide = all + mass, from + wide, wide * WIDER
  until from > mean and not (mass > 1e-9 * all)
  if not (all > 0) then return alike(mean) end
  return function(x)
    while at < x / width - 0.5 do
      at = at + 1
      sum = sum + cell(at)
    end
    return sum / all
  end
end

-- The same of percentiles { { share, tokens } }, in their order.
local function between(points)
  local last, before = points[#points], points[#points - 1]
  local decay = math.log((1 - before[1]) / (1 - last[1])) / (last[2] - before[2])
  return function(x)
    if x >= last[2] then return 1 - (1 - last[1]) * math.exp(-decay * (x - last[2])) end
    local low = { 0, 0 }
    for _, point in ipairs(points) do
      if x < point[2] then return low[1] + (point[1] - low[1]) * (x - low[2]) / (point[2] - low[2]) end
      low = point
    end
  end
end

-- The same of samples.
local function counted(samples)
  local sorted = table.move(samples, 1, #samples, 1, {})
  table.sort(sorted)
  local at = 0
  return function(x)
    while at < #sorted and sorted[at + 1] <= x do at = at + 1 end
    return at / #sorted
  end
end

local function share_below(about, width)
  if about.samples then return counted(about.samples) end
  if about.percentiles then return between(about.percentiles) end
  return gamma(about.mean, about.deviation or USUAL_SPREAD * about.mean, width)
end

-- The distribution function over cells up to the longest length; what is longer goes to the last cell or away.
local function distribution(about, longest)
  local width, below = longest / CELLS, {}
  local share = share_below(about, width)
  for i = 1, CELLS do below[i] = share(i < CELLS and i * width or longest) end
  local all = about.longer == "dropped" and below[CELLS] or 1
  if not (all > 0) then errors.input("lengths", "no sample is as short as the longest length") end
  for i = 1, CELLS do below[i] = below[i] / all end
  below[CELLS] = 1
  return below, width
end

--- Share of the samples that are left where those beyond the longest length are dropped; else all.
---@param about table of lengths.checked
---@param longest integer
---@return number
function lengths.left(about, longest)
  if about.longer ~= "dropped" then return 1 end
  return share_below(about, longest / CELLS)(longest)
end

-- The tokens that a share of micro-batches of `count` samples stay below.
local function quantile(below, width, count, share)
  local wanted = share ^ (1 / count)
  for i = 1, CELLS do
    if below[i] >= wanted then return i * width end
  end
  return CELLS * width
end

-- Means of the tokens and of their squares.
local function means_of(below, width)
  local sum, squares, before = 0, 0, 0
  for i = 1, CELLS do
    local tokens = (i - 0.5) * width
    sum, squares = sum + (below[i] - before) * tokens, squares + (below[i] - before) * tokens ^ 2
    before = below[i]
  end
  return sum, squares
end

local function whole(tokens, longest) return math.max(1, math.min(longest, math.floor(tokens + 0.5))) end

-- ZeRO stage from which gradients are reduced after every micro-batch, so that all ranks wait for the longest of it. Below
-- it they wait once a step.
local WAITS_EACH <const> = 2

local function mean_of(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum / #list
end

-- Lengths that a step goes by where ranks wait for each other: those of the longest micro-batch of all ranks, or, after
-- several, by as much more than a rank's own as sums of so many are apart.
local function slowest_of(points, of_all, waits)
  local more, list = (mean_of(of_all) - mean_of(points)) / math.sqrt(waits), {}
  for i, tokens in ipairs(points) do list[i] = waits > 1 and tokens + more or of_all[i] end
  return list
end

--- What micro-batches of `count` samples have, at most `longest` tokens each: { points = lengths that their sequences
--- are padded to, each of as many micro-batches; slowest = the same of the rank that the others wait for; tokens = mean of a
--- sample, without padding }.
---@param about table of lengths.checked
---@param longest integer
---@param count integer
---@param ranks {dp: integer, zero: integer, micro_batches: integer}|nil that wait for each other; nil: one
function lengths.of(about, longest, count, ranks)
  local below, width = distribution(about, longest)
  local points, of_all, dp = {}, {}, ranks and ranks.dp or 1
  for i = 1, POINTS do
    local share = (i - 0.5) / POINTS
    points[i] = whole(quantile(below, width, count, share), longest)
    of_all[i] = whole(quantile(below, width, count * dp, share), longest)
  end
  local slowest = dp > 1 and slowest_of(points, of_all, ranks.zero < WAITS_EACH and ranks.micro_batches or 1) or points
  for i, tokens in ipairs(slowest) do slowest[i] = whole(tokens, longest) end
  return { points = points, slowest = slowest, tokens = math.min(longest, (means_of(below, width))) }
end

--- Tokens that attention stays inside where samples fill sequences together: those of the sample that a token is in, in the
--- mean over tokens; 0 of software that does not keep them apart.
---@param about table of lengths.checked
---@param longest integer
---@param traits table of the software
---@param year integer of it
function lengths.apart(about, longest, traits, year)
  if not traits.packs_apart or year < traits.packs_apart then return 0 end
  local mean, squares = means_of(distribution(about, longest))
  return math.min(longest, squares / mean)
end

-- Percentiles { { share, tokens } } of p50 = 300, p90 = 900, ...; nil where there are none.
local function percentiles_of(said)
  local list = {}
  for _, name in ipairs(tables.sorted_keys(said)) do
    local tokens = said[name]
    local digits = tostring(name):match("^p(%d+%.?%d*)$")
    local share = digits and tonumber(digits) / 100
    if share then
      if share <= 0 or share >= 1 then errors.input("lengths." .. name, "is not between p0 and p100") end
      list[#list + 1] = { share, errors.positive("lengths." .. name, tokens) }
    end
  end
  if not list[1] then return nil end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  if not list[2] then errors.input("lengths", "need two percentiles at least, as p50 = 300, p99 = 2000") end
  for i = 2, #list do
    if list[i][2] <= list[i - 1][2] then errors.input("lengths", "percentiles must grow with their share") end
  end
  return list
end

local function check_samples(samples)
  if type(samples) ~= "table" or #samples == 0 then errors.input("lengths.samples", "must be a list of tokens") end
  for i, tokens in ipairs(samples) do errors.positive(("lengths.samples[%d]"):format(i), tokens) end
end

local function known_fields(said)
  if said.name ~= nil then return { "name", "longer" } end
  local names = { "mean", "deviation", "longer", "longest", "samples" }
  for name in pairs(said) do
    if tostring(name):find("^p%d+%.?%d*$") then names[#names + 1] = name end
  end
  return names
end

local LONGER <const> = { "cut", "dropped" }

-- Deviations in means beyond which no data set lies: the sum over a longer tail has no end.
local MOST_DEVIATION <const> = 1000

--- What is said of lengths, whole: { mean, deviation }, { percentiles } or { samples }, and longer.
---@param said string|table name of a data set, or fields as lengths.fields says
---@return table
function lengths.checked(said)
  if type(said) == "string" then said = { name = said } end
  if type(said) ~= "table" then errors.input("lengths", "must be a table, a file or the name of a data set") end
  errors.only("lengths", said, known_fields(said), "input")
  if said.longer ~= nil and not tables.contains(LONGER, said.longer) then
    errors.choice("lengths.longer", tostring(said.longer), LONGER)
  end
  if said.longest ~= nil then errors.whole("lengths.longest", said.longest) end
  if said.name ~= nil then
    local set = data_sets[tostring(said.name):lower()] or errors.choice("lengths", tostring(said.name), tables.sorted_keys(data_sets))
    return tables.with(set, { longer = said.longer })
  end
  local percentiles = percentiles_of(said)
  if percentiles then return { percentiles = percentiles, longer = said.longer, longest = said.longest } end
  if said.samples ~= nil then
    check_samples(said.samples)
    return said
  end
  errors.positive("lengths.mean", said.mean)
  if said.deviation ~= nil and errors.number("lengths.deviation", said.deviation, 0) > MOST_DEVIATION * said.mean then
    errors.input("lengths.deviation", ("must be at most %d times the mean, got %g"):format(MOST_DEVIATION, said.deviation))
  end
  return said
end

--- Tokens of the longest sample; nil where nobody says them.
---@param about table of lengths.checked
---@return integer|nil
function lengths.longest(about)
  if not about.samples then return about.longest end
  local most = 1
  for _, tokens in ipairs(about.samples) do most = math.max(most, tokens) end
  return math.ceil(most)
end

--- Tokens of the longest of so many samples, as one of them in that many is longer: at most `longest`.
---@param about table of lengths.checked
---@param longest integer
---@param samples integer
function lengths.longest_of(about, longest, samples)
  local below, width = distribution(about, longest)
  return whole(quantile(below, width, 1, 1 - 1 / (samples + 1)), longest)
end

-- Blocks of other lengths that PyTorch's allocator keeps once sequences of all lengths went by, over the logits of a
-- mean micro-batch: by the published peaks of ms-swift (LoRA at 512 to 8192 tokens, 1.8 to 7 billion parameters) they
-- are 1.2 to 1.9 times the logits of the longest, which are the largest blocks. Scores of attention that is not fused are
-- as large or larger, and by its peaks of ChatGLM3-6B as many times those of a mean micro-batch.
local CACHED <const> = 2.5

--- Bytes that the allocator holds beyond what it needs where lengths vary, and gives back when memory runs short. What is
--- needed at another time than the loss is taken from those of the loss; those of scores are of the time of the peak.
---@param memory table of the longest micro-batch
---@param share table of lengths.share
---@param traits table of the software: the segments of its allocator may grow (expandable), which leaves no such blocks
function lengths.cached_bytes(memory, share, traits)
  if traits.expandable then return 0 end
  local of_loss = CACHED * share.mean * memory.loss_bytes - memory.above_loss_bytes
  return math.max(0, of_loss, CACHED * share.squares * memory.scores_bytes)
end

--- Micro-batches over the longest: { mean of their lengths, squares = mean of the squares of these }.
function lengths.share(held, longest)
  local sum, squares = 0, 0
  for _, tokens in ipairs(held.points) do
    sum, squares = sum + tokens / longest, squares + (tokens / longest) ^ 2
  end
  return { mean = sum / #held.points, squares = squares / #held.points }
end

--- The same of samples that all fill the length.
function lengths.full(longest) return { points = { longest }, slowest = { longest }, tokens = longest } end

return lengths
