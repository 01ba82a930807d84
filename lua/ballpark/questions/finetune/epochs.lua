-- The steps that a run takes. A data loader ends every epoch with what is left of the examples: a batch larger than the
-- data set is one step of what there is.
local errors = require("ballpark.errors")

local epochs = {}

-- Up to the next whole number, but for what adding up in floating point is off by.
local function up(value) return math.ceil(value * (1 - 1e-12)) end

--- Examples as said, else the samples whose lengths are; nil where neither is.
---@param input table of finetune{}
---@return number|nil
function epochs.examples(input)
  local samples = type(input.lengths) == "table" and input.lengths.samples
  return input.examples or type(samples) == "table" and #samples or nil
end

--- Steps of a run over so many sequences an epoch: { sequences (of a whole step), whole (how many of those), shorter = { {
--- sequences, count } } (that end an epoch with fewer) }.
---@param sequences number of an epoch
---@param count number of epochs; a part of one is a shorter one
---@param batch integer sequences of a step, at most
---@return table
function epochs.steps(sequences, count, batch)
  local whole = math.floor(count)
  local parts = { { sequences = up(sequences), count = whole }, { sequences = up((count - whole) * sequences), count = 1 } }
  local steps = { whole = 0, shorter = {}, sequences = math.min(batch, parts[whole > 0 and 1 or 2].sequences) }
  for _, part in ipairs(parts) do
    local rest = part.sequences % steps.sequences
    steps.whole = steps.whole + part.count * (part.sequences // steps.sequences)
    if rest > 0 and part.count > 0 then steps.shorter[#steps.shorter + 1] = { sequences = rest, count = part.count } end
  end
  return steps
end

--- Epochs of a run as said, 1.
---@param input table of finetune{}
---@return number
function epochs.count(input) return errors.positive("epochs", input.epochs or 1) end

return epochs
