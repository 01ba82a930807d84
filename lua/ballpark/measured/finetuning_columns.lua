-- The columns of a table of measured fine-tuning runs.
local cells = require("ballpark.measured.cells")

local columns = {}

-- name, kind, what it holds.
columns.list = {
  { "case_id", "text", "name of the row, unique" },
  { "family", "text", "group that rows belong to (source, series of runs)" },
  { "source", "text", "where it was published" },
  { "year", "count", "year of the software" },
  { "framework", "text", "training software" },
  { "kernels", "text", "what it runs with: unsloth, compile, chunked CE, optimizer in backward, joined by +" },
  { "device", "text", "device, a catalog name or a common label" },
  { "gpus", "count", "devices in all; blank: one" },
  { "nodes", "count", "hosts; blank: one" },
  { "model", "text", "published name of the model" },
  { "params_b", "number", "parameters in billions, as stated" },
  { "method", "word", "full, lora, qlora, lora+embeddings, adapter" },
  { "base_bits", "number", "bits of the frozen weights; 4.5: 4-bit weights whose scales are not quantised" },
  { "rank", "count", "rank of adapters" },
  { "target_modules", "text", "matrices with adapters, in words: all linear, attention qkv, q_proj v_proj" },
  { "batch_per_gpu", "count", "sequences of a micro-batch" },
  { "grad_accum", "count", "micro-batches of a step; blank: one" },
  { "seq_len", "count", "longest sequence in tokens" },
  { "seq_kind", "text", "what seq_len is: fixed, packed, the longest sample of a named data set, a limit; 'mean A ± B tokens' "
    .. "says how long samples are" },
  { "grad_checkpointing", "flag", "backward computes every layer again" },
  { "flash_attn", "flag", "fused attention" },
  { "optimizer", "text", "AdamW, 8-bit AdamW, paged_adamw_8bit, ..." },
  { "precision", "word", "format of the matmuls" },
  { "sharding", "text", "none, DDP, FSDP, ZeRO-2, layers split over the GPUs (device_map)" },
  { "cpu_offload", "text", "what waits in host memory: activations, optimizer, weights; 0: nothing" },
  { "peak_mem_per_gpu_gb", "number", "measured peak memory per device, in mem_unit" },
  { "mem_unit", "text", "GiB, or GB (1e9); else as GiB" },
  { "mem_stat", "text", "what was read: allocated, active, reserved, or of the device; blank: of the device" },
  { "oom", "flag", "1: the run did not fit" },
  { "samples_per_s", "number", "measured sequences per second over all devices" },
  { "tokens_per_s", "number", "measured tokens per second over all devices" },
  { "step_s", "number", "measured seconds of an optimizer step, or of a micro-batch where notes say so" },
  { "notes", "text", "facts beside the numbers: gptq, bnb, one microbatch, cumulative options (kernels are all there are)" },
}

-- Accepted and not needed.
columns.beside = { "device_mem_gb", "trainable_params_m", "peak_mem_total_gb", "train_time_s" }

columns.required = { "case_id", "model", "device", "method" }

columns.targets = { "peak_mem_per_gpu_gb", "samples_per_s", "tokens_per_s", "step_s", "oom" }

local GB_PER_GiB <const> = (1 << 30) / 1e9

--- Says for each row what is asked in the words of tables of training: peak_mem in GiB, step_s of an optimizer step,
--- tokens_per_s_per_gpu, status.
local function set_targets(row)
  local peak = row.peak_mem_per_gpu_gb
  row.peak_mem = peak and ((row.mem_unit or ""):find("1e9", 1, true) and peak / GB_PER_GiB or peak)
  row.status = row.oom and "oom" or nil
  local gpus, accumulated = row.gpus or 1, row.grad_accum or 1
  local sequences = row.batch_per_gpu and row.batch_per_gpu * accumulated * gpus
  local each = (row.notes or ""):find("micro%-?batch iteration") and accumulated or 1
  if row.step_s then row.step_s = row.step_s * each
  elseif row.samples_per_s and sequences then row.step_s = sequences / row.samples_per_s end
  row.tokens_per_s_per_gpu = row.tokens_per_s and not row.step_s and row.tokens_per_s / gpus or nil
  row.gpu = row.device
end

--- The row of typed values in `texts`; `wrong` is what does not read, or nil.
---@param texts table<string, string>
---@return table row
function columns.row(texts)
  local row = cells.row(columns.list, texts)
  local decimals = (texts.params_b or ""):match("%.(%d+)%s*$")
  row.params_rounding_b = 0.5 * 10.0 ^ -(decimals and #decimals or 0)
  set_targets(row)
  return row
end

--- Checks a header: missing columns are an error, unknown ones are returned.
function columns.check(header, name) return cells.check(columns, header, name) end

return columns
