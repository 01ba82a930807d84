-- The columns of a table of what serving engines printed of their memory when they started.
local cells = require("ballpark.measured.cells")

local memory_columns = {}

-- name, kind, what it holds.
memory_columns.list = {
  { "case_id", "text", "name of the row" },
  { "source", "text", "where it was printed" },
  { "family", "text", "group of rows of one source, for means over families" },
  { "year", "count", "when; tells vLLM before V1 where no version is stated" },
  { "engine", "text", "vllm, sglang, tensorrt-llm, with words behind it or not" },
  { "engine_version", "text", "release" },
  { "device", "text", "device, a catalog name or a common label; may be blank where its memory is stated" },
  { "device_mem_gib", "number", "memory that the program saw, GiB" },
  { "gpus", "count", "devices of the replica; blank = 1" },
  { "model", "word", "catalog name or Hugging Face id" },
  { "dtype_or_quant", "word", "format of the weights: bf16, fp8, int8 w8a8, int4 w4a16, bnb 4-bit; blank = as published" },
  { "kv_dtype", "word", "format of the KV cache, or auto" },
  { "tp", "count", "tensor-parallel ranks; blank = what the devices leave" },
  { "pp", "count", "pipeline stages" },
  { "gpu_memory_utilization", "number", "the engine's share of memory; blank = its default" },
  { "max_model_len", "count", "tokens of a request at most, as the engine was told" },
  { "max_num_seqs", "count", "sequences that run at one time at most" },
  { "max_num_batched_tokens", "count", "tokens of a step at most" },
  { "enforce_eager", "word", "True: no captured graphs" },
  { "max_loras", "count", "LoRA adapters that it had room for at one time" },
  { "max_lora_rank", "count", "rank that this room was made for" },
  { "block_size", "count", "tokens of a block of the KV cache" },
  { "model_load_gib_per_gpu", "number", "measured: weights on a device, GiB" },
  { "activation_peak_gib", "number", "measured: workspace of the profiled step, GiB" },
  { "kv_memory_gib_per_gpu", "number", "measured: KV cache on a device, GiB" },
  { "kv_tokens", "number", "measured: tokens that the KV cache of the replica holds" },
  { "max_concurrency", "number", "measured: requests of max_model_len at one time" },
  { "fits", "flag", "measured: whether the engine started" },
  { "notes", "text", "what else the source says" },
}

memory_columns.required = { "engine", "model" }

memory_columns.targets = { "model_load_gib_per_gpu", "kv_tokens", "fits" }

-- What a published table may have besides.
memory_columns.beside = { "non_torch_gib", "gpu_blocks" }

--- The row of typed values in `texts`; `wrong` is what does not read.
function memory_columns.row(texts)
  local row = cells.row(memory_columns.list, texts)
  row.family = row.family or ""
  return row
end

--- Checks a header: missing columns are an error, unknown ones are returned.
function memory_columns.check(header, name) return cells.check(memory_columns, header, name) end

return memory_columns
