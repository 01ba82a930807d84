-- Learns how wide the range of a peak of fine-tuning has to be, from published peaks; no coefficient is fitted to them.
--
--   build/ballpark lua tools/fit/finetuning_range.lua FINETUNING.csv          learns and prints
--   build/ballpark lua tools/fit/finetuning_range.lua FINETUNING.csv --write    also writes the table
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local coverage = require("coverage")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local finetuning = require("ballpark.range.finetuning")
local learn = require("ballpark.range.learn")
local lua_source = require("ballpark.lua_source")
local rows_of = require("ballpark.validate.finetuning")
local target = require("ballpark.validate.target")
local training_open = require("ballpark.range.training_open")
local widths = require("ballpark.range.log_widths")

local HEADER = [[
-- How far peaks of fine-tuning are off, written by tools/fit/finetuning_range.lua; do not edit. As the memory of
-- training_range.lua; the feature is that of ballpark.range.finetuning.
-- %d peaks.
return ]]

local GiB <const> = 1 << 30

-- ln(predicted / measured) of a peak beyond what the row leaves open.
local function residual(case)
  local whole = case.whole
  local wide = training_open.widths(whole, whole.out).memory
  return -widths.beyond(math.log(case.measured_bytes / (target.memory(whole, whole.out.memory) * GiB)), wide[1], wide[2])
end

local function main(path, mode)
  local samples = {}
  for _, case in ipairs(rows_of.cases(rows_of.read(csv.read(path), path))) do
    if case.measured_bytes then
      samples[#samples + 1] = { family = case.row.source or case.row.family, residual = residual(case),
        features = finetuning.features(case.whole.unsaid_lengths) }
    end
  end
  local fitted = { memory = assert(learn.law(samples)) }
  coverage.print("peak memory, source left out", samples)
  if mode == "--write" then
    files.write("lua/ballpark/catalog/fitted/finetuning_range.lua", HEADER:format(#samples) .. lua_source.of(fitted, 4) .. "\n")
  end
end

main(arg[1], arg[2])
