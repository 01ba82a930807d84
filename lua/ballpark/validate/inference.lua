-- Predictions against published results of inference that is no language model: encoders, image networks,
-- recommendation, nearest-neighbour search.
local columns = require("ballpark.measured.inference_columns")
local inference_case = require("ballpark.validate.inference_case")
local range = require("ballpark.range")
local ranges = require("ballpark.range.inference")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")

local inference = {}

inference.metrics = { "encoder", "vision", "convnet", "recommendation", "search", "recall", "unknown" }

--- Rows of a table's text, the names of columns nobody knows, and how many rows are about something else.
function inference.read(text, name)
  local all, ignored = table_rows.read(columns, text, name)
  local rows, others = {}, 0
  for _, row in ipairs(all) do
    if inference_case.other(row) then others = others + 1 else rows[#rows + 1] = row end
  end
  return rows, ignored, others
end

local function blank_result(row, metric, measured)
  return { case_id = row.id or ("line " .. row.line), family = row.family, row = row, metric = metric,
    measured = measured, status = "uncovered", assumed = {} }
end

--- Ratio of predicted to measured time: rates count the other way round.
function inference.ratio(case)
  local ratio = case.predict() / case.row.value
  return case.rate and 1 / ratio or ratio
end

-- The 80 % range of a prediction: of the time, so that of a rate is turned round.
local function add_range(result, case)
  local time = ranges.of(case.kind)
  result.range = range.times(case.rate and range.under(time, 1) or time, result.predicted)
  result.inside = range.holds(result.range, result.measured)
end

local function answered(row, case)
  local result = blank_result(row, case.kind, row.value)
  result.status, result.predicted, result.assumed = "ok", case.predict(), case.assumed
  result.error = inference.ratio(case) - 1
  add_range(result, case)
  return result
end

local function recall_result(row, case)
  local result = blank_result(row, "recall", case.recall)
  result.status, result.predicted = "ok", case.predict_recall()
  result.error = result.predicted / case.recall - 1
  return result
end

-- What is predicted of a row: its time or rate, and its recall where it has one.
local function results_of(row)
  local case = inference_case.of(row)
  return { answered(row, case), case.recall and recall_result(row, case) or nil }
end

--- Predicts every row: { metrics, groups, rows, group_column } as of serving; metrics are kinds of network.
---@param rows table[] from inference.read
---@param options {group: string|nil}|nil
function inference.run(rows, options)
  local all = {}
  for _, row in ipairs(rows) do
    local results, reason = table_rows.attempt(results_of, row)
    if not results then
      results = { blank_result(row, "unknown", row.value) }
      results[1].reason = reason
    end
    table.move(results, 1, #results, #all + 1, all)
  end
  return statistics.by_metric(all, inference.metrics, options and options.group or "family")
end

return inference
