-- Predictions against what serving engines printed of their memory when they started: weights, tokens of the KV cache,
-- and whether they started at all.
local columns = require("ballpark.measured.memory_columns")
local errors = require("ballpark.errors")
local facts_of = require("ballpark.measured.memory_facts")
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

-- Bytes of the measured cache on a device: a table may count the blocks of all ranks, or be of another model.
local function cache_bytes(row, answer)
  local out = answer.memory
  return out.pool_bytes > 0 and row.kv_tokens * out.pool_bytes / answer.cache.tokens or 0
end

-- Rows that no engine can have printed: their cache and their weights are more than the device.
local function check_possible(row, answer)
  local held, all = cache_bytes(row, answer) + answer.memory.weights_bytes, answer.input.device.memory_bytes
  if held > all then
    errors.input("kv_tokens", ("take %.4g GiB of a device beside %.4g GiB of weights, and it has %.4g GiB"):format(
      cache_bytes(row, answer) / units.GiB(1), answer.memory.weights_bytes / units.GiB(1), all / units.GiB(1)))
  end
end

-- What is measured and predicted of each metric; nil where the row has no such figure.
local MEASURED <const> = {
  weights_gib = function(row) return row.model_load_gib_per_gpu end,
  -- Of an engine that refused to start the cache is what it would have had.
  kv_tokens = function(row) return row.kv_tokens end,
  fits = function(row) return row.fits ~= nil and (row.fits and 1 or 0) or nil end,
}

local PREDICTED <const> = {
  weights_gib = function(_, answer) return answer.memory.weights_bytes / units.GiB(1) end,
  kv_tokens = function(row, answer)
    check_possible(row, answer)
    return math.max(0, answer.cache.tokens)
  end,
  fits = function(_, answer) return answer.fits and 1 or 0 end,
}

local function result_of(row, metric, measured, answer, reason)
  local result = { case_id = row.case_id or ("line " .. row.line), family = row.family, row = row, metric = metric,
    measured = measured, status = "uncovered", assumed = answer and answer.assumed or {}, reason = reason }
  if not answer then return result end
  local predicted, why = table_rows.attempt(PREDICTED[metric], row, answer)
  result.predicted, result.reason = predicted, why
  if not predicted then return result end
  result.status = "ok"
  -- Wrong is wrong: a start that was refused has no share by which it is missed.
  result.error = metric == "fits" and math.abs(predicted - measured) or predicted / measured - 1
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
      local measured = MEASURED[metric](row)
      if measured then all[#all + 1] = result_of(row, metric, measured, answer, reason) end
    end
  end
  return statistics.by_metric(all, memory.metrics, options and options.group or "family")
end

return memory
