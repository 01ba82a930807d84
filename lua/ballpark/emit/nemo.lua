-- NeMo 2: a Python function that changes a recipe. The fields are Megatron Core's, at NeMo's places.
local expert_layers = require("ballpark.emit.expert_layers")
local known = require("ballpark.emit.known")
local megatron_rows = require("ballpark.emit.megatron_rows")
local shape = require("ballpark.emit.megatron_shape")
local tables = require("ballpark.tables")
local write = require("ballpark.emit.write")

local nemo = { title = "NeMo 2", classes = { "megatron" }, software = "NeMo", versions = { { name = "8cfedd7", date = "2025-09-20" } } }

-- Where NeMo keeps what Megatron-LM has a flag for; the rest of the names is the flag's own.
local STRATEGY, DDP, DATA, OPTIMIZER = "trainer.strategy.", "trainer.strategy.ddp.", "data.", "optim.config."
local PLACE = {
  ["tensor-model-parallel-size"] = STRATEGY, ["pipeline-model-parallel-size"] = STRATEGY,
  ["context-parallel-size"] = STRATEGY, ["expert-model-parallel-size"] = STRATEGY,
  ["expert-tensor-parallel-size"] = STRATEGY, ["sequence-parallel"] = STRATEGY,
  ["use-distributed-optimizer"] = DDP, ["use-tp-pp-dp-mapping"] = STRATEGY,
  ["pipeline-model-parallel-layout"] = STRATEGY,
  ["use-megatron-fsdp"] = DDP, ["data-parallel-sharding-strategy"] = DDP,
  ["overlap-grad-reduce"] = DDP, ["overlap-param-gather"] = DDP, ["fp8-param-gather"] = DDP,
  ["micro-batch-size"] = DATA, ["global-batch-size"] = DATA, ["seq-length"] = DATA,
  ["optimizer"] = OPTIMIZER, ["optimizer-cpu-offload"] = OPTIMIZER,
  ["optimizer-offload-fraction"] = OPTIMIZER, ["use-precision-aware-optimizer"] = OPTIMIZER,
  ["sgd-momentum"] = OPTIMIZER,
}

-- Formats of moments as torch's types; 8-bit ones are kept in bytes (as Megatron-LM's own flag does it).
local MOMENTS <const> = { bf16 = "torch.bfloat16", fp8 = "torch.uint8" }

-- Flags whose field has another name or sense.
local RENAMED = {
  ["num-virtual-stages-per-pipeline-rank"] = function(v)
    return STRATEGY .. "virtual_pipeline_model_parallel_size", v
  end,
  ["microbatch-group-size-per-virtual-pipeline-stage"] = function(v)
    return STRATEGY .. "microbatch_group_size_per_vp_stage", v
  end,
  ["decoder-first-pipeline-num-layers"] = function(v) return "model.config.num_layers_in_first_pipeline_stage", v end,
  ["decoder-last-pipeline-num-layers"] = function(v) return "model.config.num_layers_in_last_pipeline_stage", v end,
  ["exp-avg-dtype"] = function(v) return OPTIMIZER .. "exp_avg_dtype", MOMENTS[v] end,
  ["exp-avg-sq-dtype"] = function(v) return OPTIMIZER .. "exp_avg_sq_dtype", MOMENTS[v] end,
  ["ckpt-format"] = function(v) return STRATEGY .. "save_ckpt_format", v end,
  ["train-iters"] = function(v) return "trainer.max_steps", v end,
  ["accumulate-allreduce-grads-in-fp32"] = function() return DDP .. "grad_reduce_in_fp32", true end,
  ["grad-reduce-in-bf16"] = function() return DDP .. "grad_reduce_in_fp32", false end,
  ["bf16"] = function() return "trainer.plugins.precision", "bf16-mixed" end,
  ["fp16"] = function() return "trainer.plugins.precision", "16-mixed" end,
  ["fp8-format"] = function(v) return "trainer.plugins.fp8", v end,
  ["fp8-recipe"] = function(v) return "trainer.plugins.fp8_recipe", v end,
  ["fp4-format"] = function(v) return "trainer.plugins.fp4", v end,
  ["fp4-recipe"] = function(v) return "trainer.plugins.fp4_recipe", v end,
  ["swiglu"] = function() return "model.config.gated_linear_unit", true end,
  ["untie-embeddings-and-output-weights"] = function()
    return "model.config.share_embeddings_and_output_weights", false
  end,
  ["disable-bias-linear"] = function() return "model.config.add_bias_linear", false end,
  ["group-query-attention"] = function() return nil end, -- follows from num_query_groups
  ["use-rope-scaling"] = function() return nil end, -- follows from scale_factor
  ["rope-scaling-factor"] = function(v) return "model.config.scale_factor", v end,
  ["rotary-seq-len-interpolation-factor"] = function(v) return "model.config.seq_len_interpolation_factor", v end,
  ["moe-layer-freq"] = function(v) return "model.config.moe_layer_freq", expert_layers.list(v) end,
  ["num-experts"] = function(v) return "model.config.num_moe_experts", v end,
}

-- Groups that each share the optimizer's states are made by the strategy and told to the buffers of gradients.
local TWICE <const> = { ["num-distributed-optimizer-instances"] = { STRATEGY, DDP } }

local function place(pair)
  local renamed = RENAMED[pair[1]]
  if renamed then return renamed(pair[2]) end
  return (PLACE[pair[1]] or "model.config.") .. pair[1]:gsub("%-", "_"), pair[2]
end

local function placed(pairs_of)
  local set = {}
  for _, pair in ipairs(pairs_of or {}) do
    local name, value = place(pair)
    for _, where in ipairs(TWICE[pair[1]] or {}) do set[#set + 1] = { where .. pair[1]:gsub("%-", "_"), value } end
    if name and not TWICE[pair[1]] then set[#set + 1] = { name, value } end
  end
  return set
end

-- Megatron's row with its settings put where NeMo has them.
local function moved(row)
  local copy = tables.with(row)
  if row.name or row.set then
    copy.name = nil
    copy.set = function(value, c)
      return placed(row.set and row.set(value, c) or row.name and { { row.name, value } })
    end
  end
  return copy
end

nemo.rows = {}
for field, row in pairs(megatron_rows.make()) do nemo.rows[field] = moved(row) end

nemo.rows.lora_rank = { usual = 0, name = "peft.dim" }
nemo.rows.trained_layers = { usual = 0, cannot = "freeze the others by hand" }
nemo.rows.lora_targets = { usual = "all", cannot = "set peft.target_modules by hand" }
nemo.rows.lora_dropout = { usual = 0, name = "peft.dropout" }
nemo.rows.lora_ends = { usual = false, cannot = "embedding and head stay frozen" }
nemo.rows.base_format = { usual = "bitsandbytes", cannot = "set the quantisation of the frozen weights in peft by hand" }
nemo.rows.base_bits = { usual = 16, cannot = "set the quantisation of the frozen weights in peft by hand" }

-- A flag says that layers are offloaded, beside how many.
local layers_offloaded = nemo.rows.offload_activations
nemo.rows.offload_activations = tables.with(layers_offloaded, { set = function(value, c)
  local set = layers_offloaded.set(value, c)
  if set[1] then table.insert(set, 1, { "model.config.cpu_offloading", true }) end
  return set
end })

-- NeMo fuses the loss unless it is told not to.
local FUSED <const> = "model.config.cross_entropy_loss_fusion"
nemo.rows.cross_entropy = { set = function(value) return { { FUSED, value == "fused" } } end,
  cannot = nemo.rows.cross_entropy.cannot }

-- A field of the configurations with latent attention only; the others know the length of a sequence.
local POSITIONS <const> = "model.config.max_position_embeddings"

--- Settings of machine, model and job.
function nemo.shape(c)
  local set, missing = shape.of(c)
  local all = { { "trainer.num_nodes", c.nodes }, { "trainer.devices", c.devices_per_node } }
  for _, pair in ipairs(placed(set)) do
    if pair[1] ~= POSITIONS or (c.model.kv_lora_rank or 0) > 0 then all[#all + 1] = pair end
  end
  all[#all + 1] = { "model.config.seq_length", c.job.seq_len }
  return all, missing
end

-- Settings with a value that says what is read without it.
nemo.plain = { ["model.config.moe_layer_freq"] = expert_layers.are_all,
  ["model.config.moe_grouped_gemm"] = true, ["model.config.moe_token_dispatcher_type"] = { "alltoall", "allgather", "flex" },
  ["model.config.attention_backend"] = { "auto", "flash", "fused" }, ["model.config.cp_comm_type"] = { "p2p" },
  ["model.config.add_bias_linear"] = true, ["model.config.seq_length"] = true, ["model.config.max_position_embeddings"] = true,
  [STRATEGY .. "save_ckpt_format"] = true, [DDP .. "overlap_param_gather"] = true,
  [DDP .. "num_distributed_optimizer_instances"] = true, ["trainer.plugins.precision"] = { "32", "32-true", "bf16", "bf16-mixed", "bf16-true" },
  [DDP .. "use_distributed_optimizer"] = true, [DDP .. "use_megatron_fsdp"] = true,
  ["trainer.num_nodes"] = true, ["trainer.devices"] = true, ["model.config.multi_latent_attention"] = true,
  ["model.config.recompute_granularity"] = { "selective" }, ["model.config.recompute_modules"] = { "core_attn" } }
nemo.own = { [STRATEGY .. "pipeline_model_parallel_layout"] = true }

-- Other words of Lightning for a precision of plugins.
local PRECISIONS <const> = { ["bf16"] = "bf16-mixed", ["bf16-true"] = "bf16-mixed", ["16"] = "16-mixed", ["16-true"] = "16-mixed",
  ["fp16"] = "16-mixed" }

-- Where NeMo's default is not Megatron-LM's: what its fields are worth that a recipe does not state.
local DEFAULTS <const> = { [DDP .. "data_parallel_sharding_strategy"] = { beside = DDP .. "use_megatron_fsdp", value = "no_shard" },
  [OPTIMIZER .. "optimizer_offload_fraction"] = { beside = OPTIMIZER .. "optimizer_cpu_offload", value = 0.0 } }

-- The fields of a recipe in words that have a flag, with the defaults that Megatron-LM does not have.
local function filled(set)
  local full = tables.with(set)
  local precision = set["trainer.plugins.precision"]
  full["trainer.plugins.precision"] = PRECISIONS[tostring(precision)] or precision
  if full["trainer.max_steps"] == -1 then full["trainer.max_steps"] = nil end -- Lightning's word for no end
  if full["model.config.cpu_offloading"] ~= true then full["model.config.cpu_offloading_num_layers"] = nil end
  for name, default in pairs(DEFAULTS) do
    if set[name] == nil and set[default.beside] then full[name] = default.value end
  end
  return full
end

-- By NeMo's name: the flags of Megatron-LM that say the same, with the value that a flag without one stands for.
local flags_of_fields

local function flags_by_field()
  if flags_of_fields then return flags_of_fields end
  local by_field = {}
  local settings = known.of("megatron", "d98e8a6")
  for _, name in ipairs(tables.sorted_keys(settings)) do
    local setting = settings[name]
    local field, value = place({ name, setting.kind == "flag" or (setting.choices or {})[1] or "" })
    if field then
      by_field[field] = by_field[field] or {}
      table.insert(by_field[field], { name = name, kind = setting.kind, value = value, choices = setting.choices })
    end
  end
  flags_of_fields = by_field
  return by_field
end

-- The value of a flag that NeMo says as `value`, nil where it is another flag's.
local function value_of(flag, value)
  if flag.kind == "flag" then return value == flag.value or nil end
  for _, choice in ipairs(flag.choices or {}) do
    if select(2, place({ flag.name, choice })) == value then return choice end
  end
  if not flag.choices then return value end
end

--- Fields of a recipe as Megatron-LM's flags; what has none stays as it is.
---@param set table<string, any>
function nemo.as_flags(set)
  set = filled(set)
  local flags, by_field = {}, flags_by_field()
  for field, value in pairs(set) do
    local found = by_field[field]
    for _, flag in ipairs(found or {}) do
      local said = value_of(flag, value)
      if said ~= nil then flags[flag.name] = said end
    end
    if not found then flags[field] = value end
  end
  flags["num-distributed-optimizer-instances"] = set[STRATEGY .. "num_distributed_optimizer_instances"]
  flags["cross-entropy-loss-fusion"] = set[FUSED] ~= false or nil
  flags["group-query-attention"] = flags["num-query-groups"] and true
  flags["use-rope-scaling"] = flags["rope-scaling-factor"] and true
  return flags
end

nemo.model, nemo.job = shape.read, shape.read_job
-- Read as Megatron-LM's rows, with what NeMo has besides.
nemo.read_rows = tables.with(megatron_rows.make(), { lora_rank = nemo.rows.lora_rank, lora_dropout = nemo.rows.lora_dropout })

function nemo.write(settings, header)
  local out, seen, of_torch = { write.comments(header, "#"), "\n\ndef apply(recipe):\n" }, {}, false
  for _, pair in ipairs(settings) do
    local is_type = tostring(pair[2]):find("^torch%.")
    local line = "    recipe." .. pair[1] .. " = " .. (is_type and pair[2] or write.python(pair[2])) .. "\n"
    if not seen[line] then out[#out + 1] = line end
    seen[line], of_torch = true, of_torch or is_type
  end
  if of_torch then table.insert(out, 2, "import torch\n") end
  out[#out + 1] = "    return recipe\n"
  return table.concat(out)
end

return nemo
