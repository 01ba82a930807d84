-- The columns of a table of published throughput, and which of its rows are of the output tokens per second.
local cells = require("ballpark.measured.cells")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local notes = require("ballpark.measured.notes")
local tables = require("ballpark.tables")

local throughput_columns = {}

-- Other names that published tables use.
local aliases = { id = "case_id", precision_weights = "precision", precision_kv = "kv_cache_dtype",
  batch_or_concurrency = "concurrency" }

--- Column and what it holds; tokens_per_s may also be value with metric_kind.
throughput_columns.list = {
  { "case_id", "name of the row; its letters before the number are the family where that is blank" },
  { "family", "group that rows belong to" },
  { "engine", "vllm, sglang or trtllm with its version, or TensorRT; without one they are those of 2024, vLLM before 0.8 and trtllm before 0.14; "
    .. "FasterTransformer, Megatron-LM and Optimum Habana run static batches; one sequence or a static batch of llama.cpp and its kind is local inference; for others a generic engine stands, without captured graphs for those whose release had none" },
  { "model", "catalog name, Hugging Face id, or a config found with --models" },
  { "gpu", "device, a catalog name or a common label" },
  { "gpus", "devices that share the work" },
  { "tp", "tensor-parallel ranks; blank: the width that gives most, of experts with attention groups where these give more" },
  { "ep", "ranks the experts are dealt to; blank: 1, or all where attention is in groups" },
  { "pp", "pipeline stages" },
  { "precision", "format of the weights; blank: as published, or what MLPerf's submissions use" },
  { "kv_cache_dtype", "format of the KV cache" },
  { "input_len", "tokens of a prompt; blank: those of the data set that the notes name, or of a batch of stated size "
    .. "128" },
  { "output_len", "tokens of an answer; 0 where notes say prefill or prompt processing: the rate is that of prompts" },
  { "concurrency", "batch, or requests in flight; blank or max: as many as there is room for" },
  { "tokens_per_s", "measured output tokens per second, all devices" },
  { "metric_kind", "tokens_per_s, tokens_per_s_per_gpu, or latency_ms of one static batch: what value is; rows of "
    .. "other kinds are passed over" },
  { "value", "the number of metric_kind" },
  { "notes", "how it was measured, in words: static batch; attention DP; translation, whose answers end by themselves; a month and its "
    .. "year, as of vllm and trtllm without a release; MLPerf with scenario=, dataset=" },
}

local kinds = { tokens_per_s = true, tokens_per_s_per_gpu = true }

-- A batch that is sent whole and waited for; its time is a throughput.
local function is_static(row)
  local said = row.notes or ""
  return row.metric_kind == "latency_ms" or said:find("static batch", 1, true) ~= nil
    or said:find("fixed batch", 1, true) ~= nil
end

local function typed(texts, line)
  local row = { line = line }
  for _, name in ipairs(tables.sorted_keys(texts)) do
    if texts[name] ~= "" then row[aliases[name] or name] = texts[name] end
  end
  if (row.concurrency or ""):find("^max") then row.concurrency = nil end
  row.family = row.family or (row.case_id or ""):match("^(.-)%-?%d*$")
  row.static, row.said = is_static(row), notes.pairs(row.notes)
  return row
end

-- Whether a row is of output tokens per second. Latencies without answers are of encoders, which
-- `validate inference` answers.
local function measures_tokens(row)
  if row.metric_kind == nil or kinds[row.metric_kind] then return true end
  local quantile = row.said.stat and row.said.stat:find("^p%d")
  return row.metric_kind == "latency_ms" and not quantile and (csv.number(row.output_len) or 0) > 1
end

local function check(header, name)
  local there = {}
  for _, column in ipairs(header) do there[aliases[column] or column] = true end
  for _, column in ipairs({ "model", "gpu", "engine", "input_len", "output_len" }) do
    if not there[column] then errors.input(name, "columns missing: " .. column) end
  end
  if not there.tokens_per_s and not (there.metric_kind and there.value) then
    errors.input(name, "columns missing: tokens_per_s, or metric_kind and value")
  end
end

--- Rows of a table's text that measure tokens per second, and how many measure something else. A row has `static`,
--- whether it is of one batch sent whole, and `said`, the pairs of its notes.
function throughput_columns.read(text, name)
  local header, records = csv.records(text, name)
  check(header, name)
  local rows, others = {}, 0
  for _, record in ipairs(records) do
    local row = typed(record.cells, record.line)
    if measures_tokens(row) then rows[#rows + 1] = row else others = others + 1 end
  end
  return rows, others
end

local function number(row, column, least)
  local value = csv.number(row[column])
  if row[column] and not (value and (value > 0 or value == least) and value < math.huge) then
    errors.input(column, ("'%s' is not a number above 0"):format(row[column]))
  end
  local expected = value and value > 0 and cells.out_of_range(value)
  if expected then errors.input(column, ("'%s' is not %s"):format(row[column], expected)) end
  return value
end

--- The number above 0 in a column; nil where it is blank.
throughput_columns.number = number

--- The same as a whole number.
function throughput_columns.count(row, column)
  local value = number(row, column)
  local whole = value and math.tointeger(math.floor(value + 0.5))
  if value and not whole then errors.input(column, ("'%s' is too large for a whole number"):format(row[column])) end
  return whole and math.max(1, whole)
end

--- The number in a column, above 0 or at `least`; blank is an error of the row.
function throughput_columns.needed(row, column, least)
  return number(row, column, least) or errors.input(column, "is blank")
end

return throughput_columns
