-- Predictions against measured serving points: times to the first token, per token and to the last
-- one, each row simulated with its own engine settings and client.
local columns = require("ballpark.measured.serving_columns")
local errors = require("ballpark.errors")
local facts_of = require("ballpark.measured.serving_facts")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local resolved_load = require("ballpark.resolve.serving.load")
local serving_case = require("ballpark.validate.serving_case")
local simulate = require("ballpark.questions.serve.simulate")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local traits = require("ballpark.validate.traits")

local serving = {}

serving.metrics = { "ttft_ms", "tpot_ms", "e2e_ms" }

--- Rows of a table's text, and the names of columns nobody knows.
function serving.read(text, name) return table_rows.read(columns, text, name) end

-- Tokens of a mean answer: of lengths that differ, the column has the longest.
local function mean_output(row)
  local load = resolved_load.of({ protocol = facts_of.protocol(row) })
  return row.output_len * (1 + (load.spread or 1)) / 2
end

--- Measured times of a row in ms. E2E follows from the others where it was not measured.
function serving.measured(row)
  local e2e = row.e2e_ms
  if not e2e and row.ttft_ms and row.tpot_ms and row.output_len then
    e2e = row.ttft_ms + row.tpot_ms * (mean_output(row) - 1)
  end
  return { ttft_ms = row.ttft_ms, tpot_ms = row.tpot_ms, e2e_ms = e2e }
end

local function means_of(case, input)
  local seen, said = simulate.run(case, input)
  return simulate.means(seen), said, seen
end

local function in_ms(means)
  return { ttft_ms = 1e3 * means.ttft_s, tpot_ms = 1e3 * means.tpot_s, e2e_ms = 1e3 * means.e2e_s }
end

--- Predicted times in ms of a case, and what else than case.assumed had to be assumed for them, if anything.
function serving.predict(case)
  local means, said = means_of(case, case.input)
  return in_ms(means), said
end

-- The mean times that a case is reported with, in s, their ranges and the log widths of its own; what was assumed
-- beside is said of the case. The simulations of the ranges say no more.
local function reported(case)
  local means, said, seen = means_of(case, case.input)
  case.assumed[#case.assumed + 1] = said
  local function run(input) return (means_of(case, input)) end
  local answer = { means = means }
  answer.range, answer.widths = ranges.around(case, means, ranges.left_open(case, case.input, means, run, seen))
  return answer
end

--- Cases of all rows that can be simulated, and { row, reason } of the others.
function serving.cases(rows, options)
  local context = { models = options and options.models }
  local cases, refused = {}, {}
  for _, row in ipairs(rows) do
    local case, reason = table_rows.attempt(serving_case.of, row, context)
    if case then cases[#cases + 1] = case else refused[#refused + 1] = { row = row, reason = reason } end
  end
  return cases, refused
end

local function blank(row, metric, measured)
  return { case_id = row.case_id or ("line " .. row.line), family = row.family or "", row = row,
    metric = metric, measured = measured, status = "uncovered", assumed = {} }
end

-- A prediction with its range.
local function predict_into(result, answer)
  local name = result.metric:gsub("_ms$", "_s")
  result.status, result.assumed, result.predicted = "ok", answer.case.assumed, 1e3 * answer.means[name]
  result.down, result.up = answer.widths[name][1], answer.widths[name][2]
  result.range = range.times(answer.range[name], 1e3)
  result.error = result.predicted / result.measured - 1
  result.inside = range.holds(result.range, result.measured)
end

-- An engine of one's own has its coefficients beside the settings of the row.
local function case_of(row, context)
  local case, own = serving_case.of(row, context), context.engine
  if not own then return case end
  if own.name ~= case.input.engine.name then
    errors.input("engine", ("is %s, the engine given is %s"):format(case.input.engine.name, own.name))
  end
  case.input.engine = tables.with(case.input.engine, own)
  return case
end

--- What is said of a row: { case, means and range (in s, by ttft_s, tpot_s and e2e_s), widths }, or nil and why nothing
--- is.
---@param row table
---@param context table remembers models and devices; may hold models (a folder of configs) and engine
function serving.explained(row, context)
  local case, reason = table_rows.attempt(case_of, row, context)
  if not case then return nil, reason end
  local answer
  answer, reason = table_rows.attempt(reported, case)
  if not answer then return nil, reason end
  answer.case = case
  return answer
end

local function add_row(row, context, all)
  local measured = serving.measured(row)
  local predicted, reason = serving.explained(row, context)
  local groups = predicted and traits.serving(predicted.case.input)
  for _, metric in ipairs(serving.metrics) do
    if measured[metric] then
      local result = blank(row, metric, measured[metric])
      if predicted then
        result.traits = groups
        predict_into(result, predicted)
      else
        result.reason = reason
      end
      all[#all + 1] = result
    end
  end
end

-- Figures by metric of the rows that are not named, as `metrics` of all.
local function kept(all, skipped)
  local rest = {}
  for _, result in ipairs(all) do
    if not skipped[result.case_id] then rest[#rest + 1] = result end
  end
  return statistics.by_metric(rest, serving.metrics, "family").metrics
end

--- Predicts every row: { metrics = {ttft_ms = figures, ...}, groups (by metric and `group`), rows, kept (metrics without
--- the rows of `skipped`) }.
---@param rows table[] from serving.read
---@param options {models: string|nil, group: string|nil, engine: table|nil (fields that replace the catalog's), skipped: table<string, boolean>|nil}|nil
function serving.run(rows, options)
  options = options or {}
  local context, all = { models = options.models, engine = options.engine }, {}
  for _, row in ipairs(rows) do add_row(row, context, all) end
  local answer = statistics.by_metric(all, serving.metrics, options.group or "family")
  answer.kept = options.skipped and kept(all, options.skipped)
  return answer
end

return serving
