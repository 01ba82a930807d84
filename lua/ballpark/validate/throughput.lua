-- Predictions against published throughput of serving engines at full load: tokens of answers per second in the
-- closed form's steady state, with as many sequences as the batch says, or as the engine and its cache hold.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local ranges = require("ballpark.ranges")
local serving_case = require("ballpark.validate.serving_case")
local serving_formats = require("ballpark.serving.formats")
local statistics = require("ballpark.validate.statistics")

local throughput = {}

throughput.metrics = { "tokens_per_s" }

-- Other names that published tables use.
local aliases = { id = "case_id", precision_weights = "precision", precision_kv = "kv_cache_dtype",
  batch_or_concurrency = "concurrency" }

--- Column and what it holds; tokens_per_s may also be value with metric_kind.
throughput.columns = {
  { "case_id", "name of the row; its letters before the number are the family where that is blank" },
  { "family", "group that rows belong to" },
  { "engine", "vllm, sglang or trtllm, perhaps with its version" },
  { "model", "catalog name, Hugging Face id, or a config found with --models" },
  { "gpu", "device, a catalog name or a common label" },
  { "gpus", "devices that share the work" },
  { "tp", "tensor-parallel ranks; blank: the width that gives most" },
  { "pp", "pipeline stages" },
  { "precision", "format of the weights" },
  { "kv_cache_dtype", "format of keys and values" },
  { "input_len", "tokens of a prompt" },
  { "output_len", "tokens of an answer" },
  { "concurrency", "batch, or requests in flight; blank or max: as many as there is room for" },
  { "tokens_per_s", "measured tokens of answers per second, all devices" },
  { "metric_kind", "tokens_per_s or tokens_per_s_per_gpu: what value is; rows of other kinds are passed over" },
  { "value", "the number of metric_kind" },
  { "notes", "how it was measured, in words" },
}

local kinds = { tokens_per_s = true, tokens_per_s_per_gpu = true }

-- Words of notes that say that something else than the steady state of a full engine was measured.
local other_measures = {
  { "online serving", "a given rate of requests" }, { "scenario=Server", "a rate that holds a promise" },
  { "scenario=Interactive", "a rate that holds a promise" },
  { "static batching", "batches that wait for their longest" },
  { "beamsearch", "beam search" }, { "offload", "weights outside of the device" },
  { "[Pp]refill", "prompts, not answers" }, { "prompt processing", "prompts, not answers" },
  { "speculat", "drafts" }, { "MTP", "drafts" },
}

local function typed(cells, line)
  local row = { line = line }
  for name, text in pairs(cells) do
    if text ~= "" then row[aliases[name] or name] = text end
  end
  if (row.concurrency or ""):find("^max") then row.concurrency = nil end
  row.family = row.family or (row.case_id or ""):match("^(.-)%-?%d*$")
  return row
end

--- Rows of a table's text that measure tokens per second, and how many measure something else.
function throughput.read(text, name)
  local header, records = csv.records(text, name)
  local there = {}
  for _, column in ipairs(header) do there[aliases[column] or column] = true end
  for _, column in ipairs({ "model", "gpu", "engine", "input_len", "output_len" }) do
    if not there[column] then errors.input(name, "columns missing: " .. column) end
  end
  if not there.tokens_per_s and not (there.metric_kind and there.value) then
    errors.input(name, "columns missing: tokens_per_s, or metric_kind and value")
  end
  local rows, others = {}, 0
  for _, record in ipairs(records) do
    local row = typed(record.cells, record.line)
    if row.metric_kind == nil or kinds[row.metric_kind] then rows[#rows + 1] = row else others = others + 1 end
  end
  return rows, others
end

local function number(row, column)
  local value = tonumber(row[column])
  if row[column] and not (value and value > 0 and value < math.huge) then
    errors.input(column, ("'%s' is not a number above 0"):format(row[column]))
  end
  return value
end

local function count(row, column)
  local value = number(row, column)
  return value and math.max(1, math.floor(value + 0.5))
end

local function needed(row, column, read)
  local value = read(row, column)
  if not value then errors.input(column, "is blank") end
  return value
end

local function engine_of(row)
  local name = (row.engine or ""):lower():match("^[%a%-_]+") or ""
  local known = errors.catch(engines.get, name) == nil and engines.get(name) or nil
  if not known then errors.input("engine", ("'%s' is not modelled"):format(row.engine or "")) end
  return known
end

local function check_measure(row)
  for _, item in ipairs(other_measures) do
    if (row.notes or ""):find(item[1]) then errors.input("notes", "say " .. item[2]) end
  end
end

-- Tokens of answers per second and device of one replica.
local function per_device(case, tp, pp)
  local cluster = catalog.cluster({ device = case.row.gpu, devices = tp * pp })
  local plan = { tp = tp, pp = pp, weights = case.weights, experts = case.experts, kv = case.kv }
  if (case.model.experts or 0) > 0 then plan.ep = 1 end
  local out = core.infer_load({ model = case.model, device = cluster.device, network = cluster.network,
    curves = serving_case.curves(cluster.device), engine = case.engine, plan = plan,
    concurrency = case.concurrency or case.engine.max_running, input_tokens = case.input_tokens,
    output_tokens = case.output_tokens })
  return out.output_tok_s / (tp * pp), out.running
end

-- Widths to try where none is stated: all that fill the devices with replicas.
local function widths(gpus) return ranges.list(1, gpus, nil, 2) end

local function best_width(case, gpus, pp)
  local best, running, width, problem
  for _, tp in ipairs(widths(gpus)) do
    local ok, rate, k = pcall(per_device, case, tp, pp)
    if ok and (not best or rate > best) then best, running, width = rate, k, tp end
    problem = not ok and rate or problem
  end
  if not best then error(problem, 0) end
  case.assumed[#case.assumed + 1] = ("tp %d, the width that gives most"):format(width)
  return best, running
end

local function case_of(row, models)
  local case = { row = row, assumed = {}, engine = engine_of(row), model = serving_case.model(row.model, models) }
  case.weights, case.experts, case.assumed[1] = serving_formats.weights(row, case.model)
  local said
  case.kv, said = serving_formats.kv(row, case.engine.name, case.weights, case.experts)
  case.assumed[#case.assumed + 1] = said
  case.input_tokens, case.output_tokens = needed(row, "input_len", number), needed(row, "output_len", number)
  if case.output_tokens < 2 then errors.input("output_len", "answers of one token are prompts only") end
  case.concurrency = count(row, "concurrency")
  return case
end

local function measured_of(row)
  return needed(row, row.metric_kind and "value" or "tokens_per_s", number)
end

--- Predicted value of a row, in the row's own measure, and what was assumed.
function throughput.predict(row, models)
  check_measure(row)
  local case = case_of(row, models)
  local tp, pp = count(row, "tp"), count(row, "pp") or 1
  local gpus = count(row, "gpus") or (tp or 1) * pp
  local rate, running
  if tp then
    rate, running = per_device(case, tp, pp)
  else
    rate, running = best_width(case, gpus, pp)
  end
  if not case.concurrency then
    case.assumed[#case.assumed + 1] = ("%.0f sequences per replica, as many as there is room for"):format(running)
  end
  return row.metric_kind == "tokens_per_s_per_gpu" and rate or rate * gpus, case.assumed
end

local function result_of(row, models)
  local result = { case_id = row.case_id or ("line " .. row.line), family = row.family, row = row,
    metric = "tokens_per_s", status = "uncovered", assumed = {} }
  local ok, problem = pcall(function()
    result.measured = measured_of(row)
    result.predicted, result.assumed = throughput.predict(row, models)
    result.error = result.predicted / result.measured - 1
    result.status = "ok"
  end)
  if not ok then
    if not errors.is(problem) or problem.message:find("^unknown field") then error(problem, 0) end
    result.reason = tostring(problem)
  end
  return result
end

--- Predicts every row: { metrics, groups, rows } as validate.serving does.
function throughput.run(rows, options)
  local column = options and options.group or "family"
  local answer = { rows = {}, metrics = {}, groups = {}, group_column = column }
  for i, row in ipairs(rows) do answer.rows[i] = result_of(row, options and options.models) end
  answer.metrics.tokens_per_s = statistics.summary(answer.rows)
  local names, parts = statistics.split(answer.rows, function(r) return r.row[column] or "(blank)" end)
  for _, name in ipairs(names) do
    local group = statistics.summary(parts[name])
    group.group, group.metric = name, "tokens_per_s"
    answer.groups[#answer.groups + 1] = group
  end
  return answer
end

return throughput
