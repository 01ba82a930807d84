-- Ranges of what few measurements are published of: diffusion, speech, rerankers. Factors of time that four of five
-- of the rows of ballpark.catalog.published_media lie within, taken wide because the rows are few.
local range = require("ballpark.range")

local media = {}

-- Measured over estimated time: low and high end, how many rows stand behind them, what of.
local SPREAD <const> = {
  rerank = { 0.7, 2, 2, "MiniLM cross-encoders on one V100 whose lengths are assumed" },
  transcribe = { 0.6, 2.1, 18, "Whisper on four NVIDIA devices and a processor, software of 2023 and later (recalled), to three of which "
    .. "its software was fitted" },
  speak = { 0.6, 1.6, 1, "the first sound of Orpheus, on a device that is assumed" },
  speak_streams = { 0.6, 7, 1, "live streams of Orpheus, a seventh of those whose tokens are written in time" },
  diffusion = { 0.73, 1.4, 18, "Stable Diffusion and FLUX on NVIDIA devices" },
}

-- Nothing published is at hand: as wide as the first token of language models, and a half more (assumption).
local UNMEASURED <const> = { image_prompt = { 0.6, 1.8, "no measured prompt with images" } }

--- The range of a time as factors on it, with what makes it wide.
---@param question string
---@return ballpark.range
function media.of(question)
  local row = UNMEASURED[question]
  if row then return range.new(1, row[1], row[2], { range.beyond(row[3]) }) end
  row = SPREAD[question]
  return range.new(1, row[1], row[2], { ("%d published row" .. (row[3] > 1 and "s" or "") .. ", of %s"):format(row[3], row[4]) })
end

--- The range of a figure that goes with the time, or of a rate.
---@param question string
---@param value number
---@param is_rate boolean|nil
function media.around(question, value, is_rate)
  local time = media.of(question)
  if is_rate then return range.new(value, value / time.high, value / time.low, time.why) end
  return range.times(time, value)
end

return media
