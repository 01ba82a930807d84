-- The columns of a table of measured training runs.
local cells = require("ballpark.measured.cells")
local notes = require("ballpark.measured.notes")
local packages = require("ballpark.measured.packages")
local schedules = require("ballpark.schedules")

local columns = {}

-- name, kind, what it holds.
columns.list = {
  { "case_id", "text", "name of the row, unique; where it is not, that is said and every row counts; blank: its line" },
  { "family", "text", "group that rows belong to (source, series of runs)" },
  { "source", "text", "where it was published" },
  { "year", "count", "year of the software" },
  { "model", "text", "published name of the model" },
  { "arch", "text", "dense, moe, encoder or vision" },
  { "params_b", "number", "parameters in billions, as stated" },
  { "layers", "count", "transformer layers", also = { "num_layers", "n_layers", "num_hidden_layers" } },
  { "hidden", "count", "width of the residual stream", also = { "hidden_size" } },
  { "heads", "count", "attention heads", also = { "num_heads", "num_attention_heads" } },
  { "kv_heads", "count", "key/value heads", also = { "num_kv_heads", "num_key_value_heads" } },
  { "ffn_hidden", "count", "width of the feed-forward part; of one expert in a MoE model",
    also = { "intermediate_size", "ffn_hidden_size" } },
  { "vocab", "count", "vocabulary rows", also = { "vocab_size" } },
  { "experts", "index", "routed experts of a MoE layer" },
  { "topk", "index", "experts a token visits" },
  { "seq_len", "count", "tokens of a sequence", also = { "seq_length", "sequence_length" } },
  { "gpu", "text", "device, a catalog name or a common label", also = { "device", "gpu_type", "accelerator" } },
  { "gpu_label", "text", "device as the source calls it" },
  { "gpus", "count", "devices in all",
    also = { "gpus_total", "num_gpus", "n_gpus", "gpu_count", "devices", "num_devices", "world_size" } },
  { "gpus_per_node", "count", "devices in one host" },
  { "interconnect_intra", "text", "links inside a node, in words" },
  { "interconnect_inter", "text", "network between nodes, in words" },
  { "precision", "word", "format of the matmuls" },
  { "precision_label", "text", "the same in the source's words, read where precision or fp8_recipe is blank" },
  { "fp8_recipe", "word", "scales of 8-bit matmuls: delayed, current, tensorwise, rowwise, blockwise or mxfp8" },
  { "flash", "flag", "fused attention" },
  { "tp", "count", "tensor-parallel ranks" },
  { "pp", "count", "pipeline stages" },
  { "vpp", "word", "virtual stages per device; 'max' = one layer per chunk" },
  { "schedule", "text", "pipeline schedule: " .. schedules.names() },
  { "schedule_label", "text", "the same in the source's words, read where schedule is blank" },
  { "dp", "count", "ranks that split the batch" },
  { "cp", "count", "context-parallel ranks" },
  { "ep", "count", "expert-parallel ranks" },
  { "offload_layers", "count", "layers whose activations go to the host; also as 'CPU offload N layers' in notes" },
  { "offload", "word", "states on the host, as in a plan (optimizer, optimizer_weights, ...); also as 'CPU offload' in "
    .. "notes, of optimizer and weights" },
  { "etp", "count", "tensor-parallel ranks that cut each expert; also as ETP=4 in notes" },
  { "zero", "index", "ZeRO stage, 3 for FSDP", also = { "zero_stage" } },
  { "sharding_label", "text", "sharding in words: 'FSDP x128, DP x2'" },
  { "dp_shard", "text", "ranks that states are sharded over, or all" },
  { "sequence_parallel", "flag", "activations between tensor-parallel regions are split" },
  { "tp_overlap", "word", "how tensor-parallel traffic runs under matmuls: none, async (PyTorch), userbuffer "
    .. "(Megatron)", also = { "overlap_tp" } },
  { "ep_overlap", "flag", "expert traffic runs under compute of another micro-batch; also as ep_overlap in stage" },
  { "recompute", "word", "none, selective or full" },
  { "recompute_layers", "count", "layers of a stage that full recomputation covers; also as 'block, 5 layers' in recompute "
    .. "or notes" },
  { "recompute_modules", "text", "modules that backward computes again, in Megatron Core's words: core_attn+layernorm" },
  { "optimizer", "text", "adam, adam_8bit, paged_adam_8bit, adam_bf16, muon, adafactor, lion, momentum or sgd" },
  { "optimizer_label", "text", "the optimizer in words joined by +: 8bit, in_backward" },
  { "lora_rank", "index", "rank of adapters; 0 where all weights are trained" },
  { "base_bits", "count", "bits of the frozen weights under adapters: 16, 8 or 4" },
  { "packed", "flag", "samples fill sequences together; 0: each is padded to the length" },
  { "micro_batch", "count", "sequences of a micro-batch", also = { "micro_batch_size", "mbs" } },
  { "grad_accum", "count", "micro-batches of a rank in a step: the batch, where global_batch_seqs is blank",
    also = { "gradient_accumulation_steps" } },
  { "global_batch_seqs", "count", "sequences of a step", also = { "global_batch", "global_batch_size", "gbs" } },
  { "step_s", "number", "measured seconds of a step" },
  { "tokens_per_s_per_gpu", "number", "measured tokens per second and device" },
  { "tflops_per_gpu", "number", "measured TFLOP/s per device, by flops_convention" },
  { "flops_convention", "text", "hw_with_recompute, model or unknown" },
  { "attention_counted", "word", "attention in tflops_per_gpu or mfu_pct: full, causal (half) or none" },
  { "mfu_pct", "number", "measured model FLOP utilisation in percent" },
  { "peak_mem", "number", "measured peak memory per device in GiB" },
  { "status", "text", "oom, crashed or failed: the configuration did not run" },
  { "framework", "text", "training software; blank: what source names", also = { "software" } },
  { "software_version", "text", "its release; 25.09 and v24.11.1 say the year where that is blank" },
  { "cuda_graph", "word", "captured graphs: none, local or transformer_engine (layers), full_iteration; on = some" },
  { "compiled", "flag", "torch.compile: elementwise operations are fused" },
  { "moe_dispatcher", "word", "how tokens go to experts: alltoall, allgather, deepep or hybridep" },
  { "moe_routing", "word", "balanced (forced) or natural" },
}

for _, column in ipairs(columns.list) do
  if column.also then column[3] = column[3] .. "; also called " .. table.concat(column.also, ", ") end
end

-- Accepted and not needed: facts beside the numbers.
columns.beside = { "stage", "complete", "notes" }

columns.required = { "model", "gpu", "gpus", "seq_len", { "global_batch_seqs", "grad_accum" } }

columns.targets = { "tokens_per_s_per_gpu", "step_s", "tflops_per_gpu", "mfu_pct", "peak_mem", "status" }

-- How experts are cut, which notes may say in place of the column; both may, alike.
local function take_etp(row, said)
  if not said then return end
  local value, problem = cells.value("notes: ETP", "count", said)
  if row.etp and value and value ~= row.etp then
    problem = ("etp: the column says %d, notes say ETP=%d"):format(row.etp, value)
  end
  row.etp, row.wrong = row.etp or value, row.wrong or problem
end

-- What is on the host, which notes may say in place of the columns.
local function take_offload(row, text)
  row.offload_layers = row.offload_layers or math.tointeger(tonumber(text:match("CPU offload (%d+) layers")))
  row.offload = row.offload or (text .. ";"):match("CPU offload;") and "optimizer_weights" or nil
end

-- Layers that Megatron's block method recomputes, of each stage.
local function take_layers(row, texts)
  local said = ((texts.recompute or "") .. "; " .. (texts.notes or "")):lower():match("block%D-(%d+)%s+layers")
  row.recompute_layers = row.recompute_layers or math.tointeger(tonumber(said))
end

-- Overlap of expert traffic, which a step of a ladder of optimisations may be called after.
local function take_overlap(row, text)
  if row.ep_overlap == nil and text:lower():find("ep.?overlap") then row.ep_overlap = true end
end

--- The row of typed values in `texts`; `wrong` is what does not read, or nil. `params_rounding_b` is the
--- rounding of params_b (half a unit of its last digit) in billions.
---@param texts table<string, string>
---@return table row
function columns.row(texts)
  local row = cells.row(columns.list, texts)
  local decimals = (texts.params_b or ""):match("%.(%d+)%s*$")
  take_etp(row, notes.pairs(texts.notes).ETP)
  take_offload(row, texts.notes or "")
  take_overlap(row, texts.stage or "")
  take_layers(row, texts)
  row.params_rounding_b = 0.5 * 10.0 ^ -(decimals and #decimals or 0)
  return packages.as_dies(row)
end

--- Checks a header: missing columns are an error, unknown ones are returned.
---@param header string[]
---@param name string the file's name
---@return string[] ignored
function columns.check(header, name) return cells.check(columns, header, name) end

return columns
