-- The columns of a table of measured serving points. Blank cells are unknown (nil); a cell that does
-- not read is kept as a complaint of its row.
local errors = require("ballpark.errors")

local serving_columns = {}

-- name, kind, what it holds. count: whole number of at least 1; index: of at least 0.
serving_columns.list = {
  { "case_id", "text", "name of the row, unique" },
  { "family", "text", "group that rows belong to" },
  { "engine", "text", "vllm, sglang or trtllm" },
  { "model", "text", "catalog name, Hugging Face id, or a config found with --models" },
  { "gpu", "text", "device, a catalog name or a common label" },
  { "precision", "text", "format of the checkpoint" },
  { "gemm_quant", "text", "format of dense matmuls" },
  { "moe_quant", "text", "format of experts" },
  { "input_len", "count", "tokens of a prompt" },
  { "output_len", "count", "tokens of an answer" },
  { "concurrency", "count", "requests in flight" },
  { "batch_per_dp", "count", "requests in flight per attention group" },
  { "tp", "count", "tensor-parallel ranks of an attention group" },
  { "pp", "count", "pipeline stages" },
  { "attention_dp", "count", "attention groups" },
  { "moe_ep", "index", "ranks that experts are dealt to, as labelled" },
  { "effective_ep", "count", "the same, as launched" },
  { "width_gpus", "count", "devices of the replica" },
  { "columns_repaired", "text", "what was repaired in the columns of parallelism" },
  { "speculative", "text", "drafting, in words" },
  { "num_prompts_rule", "text", "requests the client sends: 10*conc" },
  { "step_token_budget", "count", "tokens of one step at most" },
  { "max_running", "text", "sequences at one time at most" },
  { "mem_fraction", "text", "share of memory the engine may use" },
  { "kv_cache_dtype", "text", "format of keys and values" },
  { "recv_interval", "count", "steps between two looks for requests" },
  { "stream_interval", "count", "tokens that are sent together" },
  { "cuda_graph_max_bs", "index", "largest batch with a captured graph" },
  { "chunked_prefill", "text", "on or off" },
  { "other_settings", "text", "further settings, name=value; ..." },
  { "protocol", "text", "how it was measured, in words" },
  { "ttft_ms", "number", "measured time to the first token" },
  { "tpot_ms", "number", "measured time per token after the first" },
  { "e2e_ms", "number", "measured time to the last token" },
}

-- Accepted and not needed: facts beside the numbers.
serving_columns.beside = {
  "source", "engine_version", "moe_tp", "settings_match", "mtp_candidate",
  "client_warmup", "prefix_caching", "defaulted_settings", "repeats",
}

serving_columns.required = { "model", "gpu", "engine", "input_len", "output_len" }

serving_columns.targets = { "ttft_ms", "tpot_ms", "e2e_ms" }

local function number_of(text)
  local value = text:find("^[+-]?%.?%d[%d%.]*[eE]?[+-]?%d*$") and tonumber(text)
  return value and value > 0 and value < math.huge and value or nil
end

local function whole_of(text, least)
  local value = text:find("^%d+%.?0*$") and math.tointeger(tonumber(text))
  return value and value >= least and value or nil
end

local readers = {
  text = function(text) return text end,
  number = function(text) return number_of(text), "a number above 0" end,
  count = function(text) return whole_of(text, 1), "a whole number of at least 1" end,
  index = function(text) return whole_of(text, 0), "a whole number of at least 0" end,
}

--- The row of typed values in `cells`; `wrong` is what does not read, or nil.
function serving_columns.row(cells)
  local row = {}
  for _, column in ipairs(serving_columns.list) do
    local name = column[1]
    local text = (cells[name] or ""):match("^%s*(.-)%s*$")
    if text ~= "" then
      local value, expected = readers[column[2]](text)
      row[name] = value
      if value == nil and not row.wrong then
        row.wrong = ("%s: '%s' is not %s"):format(name, text, expected)
      end
    end
  end
  return row
end

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do set[type(name) == "table" and name[1] or name] = true end
  return set
end

--- Checks a header: missing columns are an error, unknown ones are returned.
function serving_columns.check(header, name)
  local there, missing, ignored = set_of(header), {}, {}
  for _, column in ipairs(serving_columns.required) do
    if not there[column] then missing[#missing + 1] = column end
  end
  local target = false
  for _, column in ipairs(serving_columns.targets) do target = target or there[column] end
  if not target then missing[#missing + 1] = "one of " .. table.concat(serving_columns.targets, ", ") end
  if #missing > 0 then errors.input(name, "columns missing: " .. table.concat(missing, ", ")) end
  local known, beside = set_of(serving_columns.list), set_of(serving_columns.beside)
  for _, column in ipairs(header) do
    if not known[column] and not beside[column] then ignored[#ignored + 1] = column end
  end
  return ignored
end

return serving_columns
