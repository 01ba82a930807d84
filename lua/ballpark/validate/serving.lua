-- Predictions against measured serving points: times to the first token, per token and to the last
-- one, each row simulated with its own engine settings and client.
local columns = require("ballpark.measured.serving_columns")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local log_widths = require("ballpark.range.log_widths")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local serving_case = require("ballpark.validate.serving_case")
local serving_pools = require("ballpark.validate.serving_pools")
local serving_unknown = require("ballpark.validate.serving_unknown")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local traits = require("ballpark.validate.traits")

local serving = {}

serving.metrics = { "ttft_ms", "tpot_ms", "e2e_ms" }

--- Rows of a table's text, and the names of columns nobody knows.
function serving.read(text, name) return table_rows.read(columns, text, name) end

--- Measured times of a row in ms. E2E follows from the others where it was not measured.
function serving.measured(row)
  local e2e = row.e2e_ms
  if not e2e and row.ttft_ms and row.tpot_ms and row.output_len then
    e2e = row.ttft_ms + row.tpot_ms * (row.output_len - 1)
  end
  return { ttft_ms = row.ttft_ms, tpot_ms = row.tpot_ms, e2e_ms = e2e }
end

-- What was measured did run: where our count leaves no room, all clients are taken to fit, and the row
-- says so.
local function with_least_pool(input)
  local load = input.load
  return tables.with(input, { pool_tokens = (load.input_tokens + load.output_tokens + 64) * load.concurrency })
end

local function simulate(input)
  local out = core.serve(input)
  return { ttft_s = out.ttft.mean_s, tpot_s = out.tpot.mean_s }
end

local function answered(case, run)
  local ok, means = pcall(run, case.input, case.pools)
  if ok then return means end
  if not errors.is(means) or means.path ~= "memory" then error(means, 0) end
  return run(with_least_pool(case.input), case.pools),
    "memory: by our count it does not fit; all clients taken to have room"
end

--- Predicted times in ms of a case, and what else than case.assumed had to be assumed for them, if anything.
function serving.predict(case)
  local means, said = answered(case, case.pools and serving_pools.run or simulate)
  local ttft, tpot = 1e3 * means.ttft_s, 1e3 * means.tpot_s
  return { ttft_ms = ttft, tpot_ms = tpot, e2e_ms = ttft + tpot * (case.row.output_len - 1) }, said
end

-- The times that a row is reported with, for which the row says what was assumed; ranges around them say no more.
local function reported(case)
  local times, said = serving.predict(case)
  case.assumed[#case.assumed + 1] = said
  return times
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

local function answer(row, metric, measured)
  return { case_id = row.case_id or ("line " .. row.line), family = row.family or "", row = row,
    metric = metric, measured = measured, status = "uncovered", assumed = {} }
end

--- What widens the range of a case predicted as `predicted`: { metric = { down, up } }, in e-folds.
function serving.widths(case, predicted)
  local widths, device = serving_unknown.widths(case, predicted, serving.predict), ranges.of_device(case.input.device)
  for _, width in pairs(widths) do
    width[1], width[2] = log_widths.together(width[1], device), log_widths.together(width[2], device)
  end
  return widths
end

-- The 80 % range of a prediction.
local function add_range(result, engine, width)
  result.down, result.up = width[1], width[2]
  result.range = range.times(ranges.of(engine, result.metric, width), result.predicted)
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

local function add_row(row, context, all)
  local measured = serving.measured(row)
  local case, reason = table_rows.attempt(case_of, row, context)
  local predicted, widths
  if case then predicted, reason = table_rows.attempt(reported, case) end
  local groups = predicted and traits.serving(case.input)
  if predicted then widths = serving.widths(case, predicted) end
  for _, metric in ipairs(serving.metrics) do
    if measured[metric] then
      local result = answer(row, metric, measured[metric])
      if predicted then
        result.status, result.predicted, result.assumed = "ok", predicted[metric], case.assumed
        result.traits = groups
        result.error = predicted[metric] / measured[metric] - 1
        add_range(result, case.input.engine.name, widths[metric])
      else
        result.reason = reason
      end
      all[#all + 1] = result
    end
  end
end

--- Predicts every row: { metrics = {ttft_ms = figures, ...}, groups (by metric and `group`), rows }.
---@param rows table[] from serving.read
---@param options {models: string|nil, group: string|nil, engine: table|nil (fields that replace the catalog's)}|nil
function serving.run(rows, options)
  options = options or {}
  local context, all = { models = options.models, engine = options.engine }, {}
  for _, row in ipairs(rows) do add_row(row, context, all) end
  return statistics.by_metric(all, serving.metrics, options.group or "family")
end

return serving
