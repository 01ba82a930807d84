-- How far peak memory of fine-tuning is off, by published peaks of sources that were left out (tools/fit/finetuning_range.lua).
-- A source is a table or a notebook: those of one product differ as much as products do.
local learn = require("ballpark.range.learn")
local shipped = require("ballpark.catalog.fitted.finetuning_range")

local finetuning = {}

--- What a peak's uncertainty goes by: whether nobody says how long samples are.
---@param unsaid_lengths boolean|nil
function finetuning.features(unsaid_lengths) return { unsaid_lengths and 1 or 0 } end

--- Half of the range of a peak, in e-folds.
---@param unsaid_lengths boolean|nil
function finetuning.half(unsaid_lengths)
  return learn.half(shipped.memory, finetuning.features(unsaid_lengths))
end

return finetuning
