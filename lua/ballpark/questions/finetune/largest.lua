-- The largest micro-batch and the longest sequence with which a step surely fits.
local case = require("ballpark.questions.finetune.case")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local halves = require("ballpark.halves")
local tables = require("ballpark.tables")

local largest = {}

local function holds(evaluate, value)
  local chance = errors.try(evaluate, value)
  return chance ~= nil and chance >= fits.SURE
end

-- The largest value from `first` to `most` that holds, up to a part in `grain` of it: doubled, then by halves; nil where
-- not even the first does.
local function find(first, most, grain, evaluate)
  if not holds(evaluate, first) then return nil end
  local low = first
  while 2 * low <= most and holds(evaluate, 2 * low) do low = 2 * low end
  return halves.largest(low, math.min(2 * low, most + 1), function(value) return holds(evaluate, value) end, grain)
end

local MOST_BATCH <const>, FIRST_LENGTH <const>, MOST_LENGTH <const> = 256, 256, 1 << 20

-- Lengths are known to an eighth: memory is known to less.
local GRAIN <const> = 8

--- { micro_batch, seq_len (with one example at a time) } of an input of finetune{}, nil each where nothing fits; no length
--- where answers are generated.
---@param input table
---@param answer table of case.of
function largest.of(input, answer)
  local devices = answer.input.cluster.network.devices
  local found = {}
  found.micro_batch = find(1, MOST_BATCH, MOST_BATCH, function(count)
    return case.chance(tables.with(input, { micro_batch = count, batch = count * devices }))
  end)
  if not answer.generation then
    local longest = (input.model.max_seq or 0) > 0 and input.model.max_seq or MOST_LENGTH
    found.seq_len = find(math.min(FIRST_LENGTH, longest), math.min(MOST_LENGTH, longest), GRAIN, function(length)
      return case.chance(tables.with(input, { seq_len = length, micro_batch = 1, batch = devices }))
    end)
  end
  return found
end

return largest
