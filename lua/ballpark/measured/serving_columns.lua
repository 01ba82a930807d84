-- The columns of a table of measured serving points.
local cells = require("ballpark.measured.cells")

local serving_columns = {}

-- name, kind, what it holds.
serving_columns.list = {
  { "case_id", "text", "name of the row, unique; where it is not, that is said and every row counts" },
  { "family", "text", "group that rows belong to" },
  { "engine", "text", "vllm, sglang or trtllm; for others a generic engine stands" },
  { "engine_version", "text", "its version" },
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
  { "moe_tp", "index", "ranks that one expert is cut over, as labelled" },
  { "moe_ep", "index", "ranks that experts are dealt to, as labelled" },
  { "effective_ep", "count", "the same, as launched" },
  { "width_gpus", "count", "devices of the replica" },
  { "columns_repaired", "text", "what was repaired in the columns of parallelism" },
  { "speculative", "text", "speculative decoding, in words" },
  { "mtp_candidate", "text", "no, possible or only: may runs of these settings have had speculative decoding" },
  { "num_prompts_rule", "text", "requests the client sends: 10*conc" },
  { "step_token_budget", "count", "tokens of one step at most" },
  { "max_running", "word", "sequences at one time at most" },
  { "mem_fraction", "word", "share of memory the engine may use" },
  { "kv_cache_dtype", "text", "format of the KV cache" },
  { "recv_interval", "count", "steps between two scheduler polls for requests" },
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
  "source", "settings_match",
  "client_warmup", "prefix_caching", "defaulted_settings", "repeats",
}

serving_columns.required = { "model", "gpu", "engine", "input_len", "output_len" }

serving_columns.targets = { "ttft_ms", "tpot_ms", "e2e_ms" }

--- The row of typed values in `texts`; `wrong` is what does not read, or nil.
function serving_columns.row(texts) return cells.row(serving_columns.list, texts) end

--- Checks a header: missing columns are an error, unknown ones are returned.
function serving_columns.check(header, name) return cells.check(serving_columns, header, name) end

return serving_columns
