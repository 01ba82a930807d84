-- Predictions against published results of inference that is no language model: encoders, image networks,
-- recommendation, nearest-neighbour search.
local columns = require("ballpark.measured.inference_columns")
local inference_case = require("ballpark.validate.inference_case")
local runtimes = require("ballpark.catalog.runtimes")
local search_hosts = require("ballpark.catalog.search_hosts")
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
  local spread = runtimes.spread(case.kind)
  if case.kind == "search" then spread = select(2, search_hosts.law()) end
  local low, high = spread[1], spread[2]
  if case.rate then low, high = 1 / high, 1 / low end
  result.low, result.high = result.predicted * low, result.predicted * high
  result.inside = result.measured >= result.low and result.measured <= result.high
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

--- Predicts every row: { metrics, groups, rows, group_column } as of serving; metrics are kinds of network.
---@param rows table[] from inference.read
---@param options {group: string|nil}|nil
function inference.run(rows, options)
  local all = {}
  for _, row in ipairs(rows) do
    local case, reason = inference_case.of(row)
    if case then
      all[#all + 1] = answered(row, case)
      if case.recall then all[#all + 1] = recall_result(row, case) end
    else
      local result = blank_result(row, "unknown", row.value)
      result.reason = reason
      all[#all + 1] = result
    end
  end
  return statistics.by_metric(all, inference.metrics, options and options.group or "family")
end

return inference
