-- Predictions against measured local inference: prompt and generation speed, by row.
local columns = require("ballpark.measured.local_columns")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local local_case = require("ballpark.validate.local_case")
local range = require("ballpark.range")
local ranges = require("ballpark.range.local_inference")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")

local local_inference = {}

local_inference.metrics = { "generation", "prompt" }

local_inference.columns = columns.list

--- What rows may be grouped by besides columns.
local_inference.traits = { { "engine_key" }, { "architecture" }, { "nearness" } }

--- Rows of a table's text, and the names of columns nobody knows.
function local_inference.read(text, name) return table_rows.read(columns, text, name) end

-- What the row measured, by metric.
local function measured_of(row)
  return { { "prompt", row.pp_tokens_per_s }, { "generation", row.tg_tokens_per_s } }
end

local function uncovered(row, metric, measured, reason)
  return { case_id = row.case_id or ("line " .. row.line), family = row.family, row = row, metric = metric,
    measured = measured, status = "uncovered", reason = reason, assumed = {} }
end

--- Cases of the rows that can be predicted, and of the others { row, reason }.
function local_inference.cases(rows)
  local cases, refused = {}, {}
  for _, row in ipairs(rows) do
    local case, reason = table_rows.attempt(local_case.of, row)
    if case then
      cases[#cases + 1] = case
    elseif row.pp_tokens_per_s or row.tg_tokens_per_s then
      refused[#refused + 1] = { row = row, reason = reason }
    end
  end
  return cases, refused
end

--- What a case is to the fit: the engine's key, the catalog's device, its architecture, and whether nobody says which of
--- two engines ran.
function local_inference.about(case)
  local resolved = case.resolved
  return { key = resolved.key, device = resolved.input.device.name, architecture = resolved.architecture, sequences = resolved.input.sequences,
    vendor = resolved.input.device.vendor, kinds = ranges.kinds(resolved.input.model),
    unsaid_engine = (case.row.engine or ""):find("not stated", 1, true) ~= nil }
end

--- The answer of a case in one of its metrics: measured, predicted, range, what was assumed.
---@param case table of local_case.of
---@param metric table one of its metrics
---@param out table what the kernel says
---@param seen table|nil what its fit has seen, that of the catalog unless given
function local_inference.answered(case, metric, out, seen)
  local row, about = case.row, local_inference.about(case)
  local predicted = metric.predict(out)
  local around = range.times(ranges.of(metric.metric, about, seen), predicted)
  return { case_id = row.case_id or ("line " .. row.line), family = row.family, row = row, metric = metric.metric,
    measured = metric.measured, predicted = predicted, error = metric.measured / predicted - 1, status = "ok",
    assumed = case.resolved.assumed, range = around, inside = range.holds(around, metric.measured),
    traits = { engine_key = about.key, architecture = about.architecture, nearness = ranges.nearness(metric.metric, about, seen) } }
end

--- Predicts every row: { metrics, groups, rows, group_column }. With a study every case is predicted by a fit that never
--- saw its group.
---@param rows table[] of read
---@param options {group: string|nil, study: fun(cases: table[]): fun(case: table): table, table}|nil study: of cases, gives
--- for each what the kernel says and what its fit has seen
function local_inference.run(rows, options)
  options = options or {}
  local cases, refused = local_inference.cases(rows)
  local predict = options.study and options.study(cases)
    or function(case) return core.local_inference(case.resolved.input), nil end
  local all = {}
  for _, case in ipairs(cases) do
    local out, seen = predict(case)
    for _, metric in ipairs(case.metrics) do all[#all + 1] = local_inference.answered(case, metric, out, seen) end
  end
  for _, item in ipairs(refused) do
    for _, pair in ipairs(measured_of(item.row)) do
      if pair[2] then all[#all + 1] = uncovered(item.row, pair[1], pair[2], item.reason) end
    end
  end
  return statistics.by_metric(all, local_inference.metrics, options.group or "family")
end

--- Columns that rows may be left out of the fit by.
local_inference.leavable = { "device", "family", "engine" }

--- Refuses a column that rows cannot be left out by.
function local_inference.check_left_out(column)
  for _, known in ipairs(local_inference.leavable) do
    if known == column then return end
  end
  errors.choice("--leave-out", column, local_inference.leavable)
end

return local_inference
