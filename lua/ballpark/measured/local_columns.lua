-- The columns of a table of measured local inference.
local cells = require("ballpark.measured.cells")

local local_columns = {}

-- name, kind, what it holds.
local_columns.list = {
  { "case_id", "text", "name of the row" },
  { "family", "text", "source that rows belong to" },
  { "year", "count", "of the measurement, and so of the software where its build is not said" },
  { "engine", "text", "llama.cpp, Ollama, exllama, MLX, MLC, Transformers, vLLM, … with its version or build" },
  { "backend", "text", "CUDA, Metal, ROCm, Vulkan, SYCL or CPU; blank = what the vendor's devices are mostly run with" },
  { "device", "text", "a catalog name or a common label" },
  { "device_type", "text", "cpu: the engine ran on the processor, whatever GPU is beside it" },
  { "devices", "count", "that share the model; blank = 1" },
  { "host", "text", "machine around the device; notes may say what a mark in it means" },
  { "model", "text", "catalog name, Hugging Face id, name of a GGUF file, Ollama tag" },
  { "quant", "text", "format of the weights; blank = what the model's name says, else Q4_K_M" },
  { "bits_per_weight", "number", "where the format says a kind of file and no size (EXL2)" },
  { "model_size_gib", "number", "size of the file; blank = by the format" },
  { "batch", "count", "sequences at one time, in lock-step, whose rates are added up; blank = 1" },
  { "prompt_tokens", "count", "of the prompt; blank = 512 for its speed" },
  { "gen_tokens", "count", "generated; blank = 128" },
  { "depth_tokens", "index", "in the cache before prompt or generation; blank = 0" },
  { "n_ubatch", "count", "tokens of a prompt in one pass at most; blank = as the engine does" },
  { "ngl", "text", "layers on the device, a number or all" },
  { "n_cpu_moe", "index", "layers whose experts are with the host" },
  { "flash_attn", "flag", "fused attention; blank = on, of llama.cpp before 2025 off" },
  { "kv_dtype", "text", "format of the KV cache; blank = f16" },
  { "pp_tokens_per_s", "number", "tokens of the prompt per second" },
  { "tg_tokens_per_s", "number", "tokens generated per second; of Transformers and vLLM, where the prompt is stated and not its "
    .. "speed, over the whole call" },
  { "notes", "text", "file NAME: where the model's name is of its architecture only; CPU only; split between GPU and CPU: as "
    .. "many layers on the device as fit" },
}

local_columns.required = { "model", "device", "engine" }

local_columns.targets = { "pp_tokens_per_s", "tg_tokens_per_s" }

-- What a published table may have besides.
local_columns.beside = { "source", "engine_version", "device_mem_gb", "mem_bw_gbs", "params_b", "active_params_b",
  "other_tokens_per_s", "other_kind", "mem_used_gb", "fits", "power_w", "weights_read_gb_per_token",
  "weights_read_from", "bandwidth_fraction" }

--- The row of typed values in `texts`: `wrong` is what does not read.
function local_columns.row(texts)
  local row = cells.row(local_columns.list, texts)
  row.family = row.family or ""
  return row
end

--- Checks a header: missing columns are an error, unknown ones are returned.
function local_columns.check(header, name) return cells.check(local_columns, header, name) end

return local_columns
