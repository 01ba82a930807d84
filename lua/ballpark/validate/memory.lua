-- Predictions against what serving engines printed of their memory when they started: weights, tokens of the KV cache,
-- and whether they started at all.
local columns = require("ballpark.measured.memory_columns")
local errors = require("ballpark.errors")
local facts_of = require("ballpark.measured.memory_facts")
local range = require("ballpark.range")
local replica = require("ballpark.questions.replica.run")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")
local units = require("ballpark.units")

local memory = {}

memory.metrics = { "weights_gib", "kv_tokens", "fits" }

--- Rows of a table's text, and the names of columns nobody knows.
function memory.read(text, name) return table_rows.read(columns, text, name) end

--- What replica{} answers to a row.
---@param row table
---@param models string|nil a folder of configs
function memory.answer(row, models) return replica.run((facts_of.of(row, models))) end

-- What an engine prints as loaded: weights, the table of positions, room for adapters.
local function loaded_bytes(held) return held.weights_bytes + held.rotary_bytes + held.adapters_bytes end

-- Bytes of so many tokens of cache on a device.
local function cache_bytes(tokens, answer)
  local out = answer.memory
  return out.pool_bytes > 0 and tokens * out.pool_bytes / answer.cache.tokens or 0
end

-- GiB that are held beyond the device with so many tokens of cache beside the weights; below 0 where they have room.
local function beyond_gib(tokens, answer)
  return (cache_bytes(tokens, answer) + loaded_bytes(answer.memory) - answer.input.device.memory_bytes) / units.GiB(1)
end

-- Tokens of the cache of a replica that a row states. Some tables add up the tokens that every device of a replica has
-- a share of: what no device can hold is read so if it has room then. More than that no engine can have printed.
local function stated_tokens(row, answer)
  local tokens, devices = row.kv_tokens, answer.input.network.devices
  if beyond_gib(tokens, answer) <= 0 then return tokens end
  if devices > 1 and beyond_gib(tokens / devices, answer) <= 0 then
    return tokens / devices, ("kv_tokens added up over %d devices, each of which has a part of every token"):format(devices)
  end
  errors.input("kv_tokens", ("take %.4g GiB of a device beside %.4g GiB of weights, and it has %.4g GiB"):format(
    cache_bytes(tokens, answer) / units.GiB(1), loaded_bytes(answer.memory) / units.GiB(1),
    answer.input.device.memory_bytes / units.GiB(1)))
end

-- What a row states of each metric; nil where it has no such figure. Of an engine that refused to start the cache is
-- what it would have had.
local STATED <const> = {
  weights_gib = function(row) return row.model_load_gib_per_gpu end,
  kv_tokens = function(row) return row.kv_tokens end,
  fits = function(row) return row.fits ~= nil and (row.fits and 1 or 0) or nil end,
}

local PREDICTED <const> = {
  weights_gib = function(_, answer) return loaded_bytes(answer.memory) / units.GiB(1) end,
  kv_tokens = function(_, answer) return math.max(0, answer.cache.tokens) end,
  fits = function(_, answer) return answer.fits and 1 or 0 end,
}

-- What is predicted of a metric and what was measured of the same, and how that was read; raises what cannot be.
local function compared(metric, row, answer)
  local predicted = PREDICTED[metric](row, answer)
  if metric == "kv_tokens" then return { predicted, stated_tokens(row, answer) } end
  return { predicted, STATED[metric](row) }
end

local function result_of(row, metric, answer, reason)
  local result = { case_id = row.case_id or ("line " .. row.line), family = row.family, row = row, metric = metric,
    measured = STATED[metric](row), status = "uncovered", assumed = answer and answer.assumed or {}, reason = reason }
  if not answer then return result end
  local both, why = table_rows.attempt(compared, metric, row, answer)
  result.reason = why
  if not both then return result end
  result.status, result.predicted, result.measured = "ok", both[1], both[2]
  if both[3] then result.assumed = table.move(answer.assumed, 1, #answer.assumed, 2, { both[3] }) end
  if metric == "kv_tokens" and answer.cache.range then
    result.range = answer.cache.range
    result.inside = range.holds(result.range, result.measured)
  end
  -- Wrong is wrong: a start that was refused has no share by which it is missed.
  result.error = metric == "fits" and math.abs(result.predicted - result.measured)
    or result.predicted / result.measured - 1
  return result
end

--- Predicts every row: { metrics, groups, rows, group_column } as of validate.serving; the mean error of fits is the
--- share of rows that are wrong.
---@param rows table[] from memory.read
---@param options {group: string|nil, models: string|nil}|nil
function memory.run(rows, options)
  local all, models = {}, options and options.models
  for _, row in ipairs(rows) do
    local answer, reason = table_rows.attempt(memory.answer, row, models)
    for _, metric in ipairs(memory.metrics) do
      if STATED[metric](row) then all[#all + 1] = result_of(row, metric, answer, reason) end
    end
  end
  return statistics.by_metric(all, memory.metrics, options and options.group or "family")
end

return memory
