-- MaxText: a YAML file over its base.yml. Degrees are inside a slice (ici_*) or across slices (dcn_*).
local all_weights = require("ballpark.emit.all_weights")
local backwards = require("ballpark.emit.backwards")
local divisors = require("ballpark.divisors")
local errors = require("ballpark.errors")
local offload = require("ballpark.questions.training.offload")
local tables = require("ballpark.tables")
local write = require("ballpark.emit.write")

local maxtext = { title = "MaxText", classes = { "jax", "tpu" }, versions = { { name = "0.2.4", date = "2026-08-22" } } }

local EQUAL_STAGES <const> = "stages are of equal layers"

-- As FSDP and context parallelism share the weights, the degree named fsdp is without cp.
local function fsdp(c)
  if c.plan.zero < 3 then return 1 end
  return math.max(1, c.plan.shard // c.plan.cp)
end

-- The axes, innermost first: what talks most goes inside the slice.
local function axes(c)
  local plan = c.plan
  local tensor = plan.sequence_parallel and plan.tp > 1 and "tensor_sequence" or "tensor"
  local sharded = fsdp(c)
  local list = { { tensor, plan.tp }, { "context", plan.cp } }
  local expert = c.model.experts > 0 and divisors.greatest(plan.ep, sharded) or 1
  list[#list + 1] = { "expert", expert }
  list[#list + 1] = { "fsdp", sharded // expert }
  list[#list + 1] = { "data", plan.dp // sharded }
  list[#list + 1] = { "pipeline", plan.pp }
  return list
end

--- Degree of every axis inside and across slices, and how many devices of a slice are used.
local function degrees(c)
  local slice = math.min(c.network.domain or 1, c.network.devices)
  local left, list = slice, {}
  for _, axis in ipairs(axes(c)) do
    local inside = divisors.greatest(axis[2], left)
    left = left // inside
    list[#list + 1] = { name = axis[1], inside = inside, across = axis[2] // inside }
  end
  return list, slice, left
end

local function axis_settings(c)
  local set = {}
  for _, axis in ipairs((degrees(c))) do
    set[#set + 1] = { "ici_" .. axis.name .. "_parallelism", axis.inside }
    set[#set + 1] = { "dcn_" .. axis.name .. "_parallelism", axis.across }
  end
  return set
end

local AXES = function() return true end -- said by the degrees of the axes

local function stages(value, c)
  local chunks = value * c.plan.vpp
  local set = { { "num_pipeline_microbatches", c.time.micro_batches },
    { "num_layers_per_pipeline_stage", (c.model.layers + chunks - 1) // chunks } }
  if c.plan.vpp > 1 then set[3] = { "num_pipeline_repeats", c.plan.vpp } end
  return set
end

-- Without a pipeline the micro-batches of a step are accumulated.
local function batch(value, c)
  local m, devices = c.time.micro_batches, c.network.devices
  local at_once = value * c.plan.dp * (c.plan.pp > 1 and m or 1)
  local each = at_once % devices == 0 and at_once // devices or at_once / devices
  return { { "per_device_batch_size", each }, { "gradient_accumulation_steps", c.plan.pp > 1 and 1 or m } }
end

local TYPES = { fp32 = "float32", fp16 = "float16", bf16 = "bfloat16", fp8 = "bfloat16", int8 = "bfloat16" }
local QUANTIZATION = { fp8 = "fp8", int8 = "int8" }

local function precision(value)
  local set = { { "dtype", TYPES[value] or "bfloat16" } }
  if QUANTIZATION[value] then set[2] = { "quantization", QUANTIZATION[value] } end
  return set
end

-- Quantised matmuls by Qwix and by Transformer Engine, by the format that they multiply in.
local READ_QUANTIZATION <const> = { int8 = "int8", te_mxfp8 = "mxfp8", te_nvfp4 = "nvfp4", te_nvfp4_no_rht = "nvfp4" }
for _, name in ipairs({ "fp8", "fp8_full", "fp8_gpu", "nanoo_fp8", "fp8_nanoo", "fp8_e4m3", "fp8_e5m2", "te_fp8_delayedscaling",
  "te_fp8_currentscaling" }) do READ_QUANTIZATION[name] = "fp8" end
local READ_TYPES <const> = { float32 = "fp32", float16 = "fp16", bfloat16 = "bf16" }

local function read_precision(set) return READ_QUANTIZATION[set.quantization] or READ_TYPES[set.dtype] end

local READ_OPTIMIZER <const> = { adamw = "adam", adam_pax = "adam", sgd = "sgd", muon = "muon", adafactor = "adafactor" }

local function read_optimizer(set)
  local name = READ_OPTIMIZER[set.opt_type or "adamw"]
  return name == "adam" and set.mu_dtype == "bfloat16" and "adam_bf16" or name
end

-- Policies that keep all matmuls, and none; the others keep some and are none of the plan's.
local READ_REMAT <const> = { full = "full", minimal = "selective" }

-- Values that say what is read without them: attention by any fused kernel, one rank of an axis.
maxtext.plain = { attention = { "flash", "cudnn_flash_te", "cudnn_flash_jax", "autoselected" }, opt_type = { "adam_pax" },
  quantization = { "" }, mu_dtype = { "float32", "" }, ici_fsdp_parallelism = { 1, -1 }, dcn_data_parallelism = { 1, -1 },
  ici_data_parallelism = { 1, -1 } }

local REMAT = { none = "minimal", selective = "minimal", full = "full" }
local BY_POLICY = { usual = false, cannot = "a policy names tensors to keep, not modules to compute again" }
local OPTIMIZER = { adam = "adamw", adam_bf16 = "adamw", muon = "muon", sgd = "sgd" }

local function optimizer(value)
  if not OPTIMIZER[value] then return nil end
  local set = { { "opt_type", OPTIMIZER[value] } }
  if value == "adam_bf16" then set[2] = { "mu_dtype", "bfloat16" } end
  return set
end

local function cannot_ep(value, c)
  return value > 1 and divisors.greatest(value, fsdp(c)) ~= value
    and "expert ranks are a part of the fsdp ranks (" .. fsdp(c) .. ")" or nil
end

local function cannot_zero(stage, c)
  if stage == 2 then return "gradients are sharded with the weights or not at all" end
  return stage == 3 and fsdp(c) == 1 and "fsdp ranks say it, and there are none" or nil
end

-- A degree inside a slice times that across.
local function degree(set, axis)
  return (set["ici_" .. axis .. "_parallelism"] or 1) * (set["dcn_" .. axis .. "_parallelism"] or 1)
end

-- A number that the file says; -1 leaves it to the program.
local function stated(value) return value and value > 0 and value or nil end

local AXIS_NAMES <const> = { "tensor", "tensor_sequence", "context", "pipeline", "data", "expert", "fsdp" }

--- The settings with the degree that the file leaves to the devices, -1: of the axis that says so, of one slice.
---@param set table<string, any>
---@param devices integer|nil
function maxtext.as_flags(set, devices)
  local full, open, others = tables.with(set), nil, 1.0
  for _, axis in ipairs(AXIS_NAMES) do
    for _, where in ipairs({ "dcn_", "ici_" }) do
      local name = where .. axis .. "_parallelism"
      if full[name] == -1 then
        open, full[name] = where == "ici_" and name or open or name, 1
      end
      others = others * (full[name] or 1)
    end
  end
  if not open then return full end
  if not devices then errors.usage(open .. " is -1, what the devices leave: say how many, as --devices 64") end
  full[open] = math.tointeger(devices / others)
  if not full[open] then errors.usage(("%s is -1, and %d devices are no multiple of the other degrees' %.0f"):format(open, devices, others)) end
  return full
end

local function sharded(set) return degree(set, "fsdp") * degree(set, "expert") end

local function devices_of(set)
  return degree(set, "tensor") * degree(set, "tensor_sequence") * degree(set, "context") * degree(set, "pipeline")
    * degree(set, "data") * sharded(set)
end

maxtext.rows = tables.with(all_weights.rows, {
  tp = { set = function(_, c) return axis_settings(c) end, cannot = function(_, c)
    local _, slice, left = degrees(c)
    return left > 1 and ("the degrees fill %d of the %d devices of a slice"):format(slice // left, slice) or nil
  end, read = function(set) return degree(set, "tensor") * degree(set, "tensor_sequence") end },
  pp = { usual = 1, set = stages, read = function(set) return degree(set, "pipeline") end },
  vpp = { usual = 1, read = function(set) return stated(set.num_pipeline_repeats) end, implied = function() return true end, cannot = function(_, c)
    return c.time.micro_batches % c.plan.pp ~= 0 and "repeats need micro-batches in multiples of the stages" or nil
  end },
  dp = { implied = AXES, read = function(set) return sharded(set) * degree(set, "data") end },
  cp = { implied = AXES, read = function(set) return degree(set, "context") end },
  ep = { implied = AXES, cannot = cannot_ep, read = function(set) return degree(set, "expert") end },
  etp = { usual = 1, cannot = "no tensor parallelism inside an expert" },
  zero = { set = function(stage) return stage == 1 and { { "shard_optimizer_over_data", true } } or nil end,
    cannot = cannot_zero, implied = AXES, read = function(set)
      return sharded(set) > 1 and 3 or set.shard_optimizer_over_data and 1 or 0
    end },
  shard = { implied = AXES, read = function(set, c)
    return c.plan.zero == 3 and sharded(set) * c.plan.cp or c.ranks
  end, cannot = function(value, c)
    if c.plan.zero == 3 and value % c.plan.cp ~= 0 then return "context ranks share weights whole" end
    return c.plan.zero < 3 and value ~= c.ranks and "states are sharded over all data-parallel ranks" or nil
  end },
  sequence_parallel = { implied = AXES, read = function(set)
    if degree(set, "tensor_sequence") > 1 then return true end
    if degree(set, "tensor") > 1 then return false end
  end },
  recompute = { set = function(value) return { { "remat_policy", REMAT[value] } } end, cannot = function(value)
    return value == "none" and "every policy recomputes something; minimal keeps all matmuls" or nil
  end, read = function(set) return READ_REMAT[set.remat_policy] end, unsaid = "full" },
  recompute_share = { usual = 1, cannot = "the policy is for all layers" },
  recompute_norms = { usual = true, cannot = "every policy recomputes the norms" },
  recompute_activation = { usual = true, cannot = "every policy recomputes activation functions" },
  recompute_up_proj = BY_POLICY, recompute_mlp = BY_POLICY, recompute_moe = BY_POLICY, recompute_shared = BY_POLICY,
  micro_batch = { set = batch, read = function(set, c)
    local at_once = set.per_device_batch_size and set.per_device_batch_size * devices_of(set)
    local each = backwards.times(at_once, c.plan.dp * (c.plan.pp > 1 and (stated(set.num_pipeline_microbatches) or c.plan.pp) or 1))
    return each and math.tointeger(each)
  end },
  schedule = { cannot = function(value)
    return value ~= "gpipe" and "its pipeline is circular and flushes like GPipe" or nil
  end, implied = function() return true end, read = function() return "gpipe" end },
  precision = { set = precision, cannot = function(value)
    return not TYPES[value] and "no such quantization" or nil
  end, read = read_precision },
  flash = { set = function(value, c)
    local fused = c.device.vendor == "Google" and "flash" or "cudnn_flash_te"
    return { { "attention", value and fused or "dot_product" } }
  end, read = function(set) return set.attention ~= "dot_product" end },
  overlap_dp = { usual = true, cannot = "XLA overlaps by its own flags" },
  overlap_tp = { usual = false, cannot = "XLA overlaps by its own flags" },
  overlap_ep = { usual = false, cannot = "XLA overlaps by its own flags" },
  grad_bytes = { values = { 4, 2 }, set = function(value) return { { "grad_dtype", value == 4 and "float32" or "bfloat16" } } end },
  master_bytes = { values = { 4, 0 }, set = function(value)
    return { { "weight_dtype", value == 4 and "float32" or "bfloat16" } }
  end },
  optimizer = { set = optimizer, read = read_optimizer, cannot = function(value)
    if not OPTIMIZER[value] then return "no such optimizer" end
    return value == "adam_bf16" and "only the first moment has a format of its own" or nil
  end },
  offload = { usual = "none", set = function(value)
    local set = { { "optimizer_memory_host_offload", true } }
    if offload.moves_weights(value) then set[2] = { "parameter_memory_host_offload", true } end
    return set
  end, cannot = function(value) return offload.uses_drives(value) and "memory of the host, not its drives" or nil end },
  offload_activations = { usual = 0, cannot = "which tensors wait on the host is said by a remat_policy of one's own" },
  cross_entropy = { usual = "fused", cannot = "XLA fuses the loss as it can" },
  split = { usual = "layers", cannot = EQUAL_STAGES },
  first_layers = { usual = 0, cannot = EQUAL_STAGES }, last_layers = { usual = 0, cannot = EQUAL_STAGES },
  quantized_params = { usual = false, cannot = "16-bit weights are kept" },
})

-- What is said by other settings than those of a shape.
local function missing_of(m)
  local list = { { field = "model", value = m.name,
    reason = "set decoder_block (or model_name) to its kind of layer" } }
  if not m.rope and (m.learned_positions or 0) == 0 then
    list[#list + 1] = { field = "model.rope", value = "not known",
      reason = "base and scaling of rotary positions are MaxText's unless you set them" }
  elseif m.rope and m.rope.scaling then
    list[#list + 1] = { field = "model.rope.scaling", value = m.rope.scaling, reason = "set rope_type by hand" }
  end
  local layers = (m.encoder or {}).layers or 0
  if layers > 0 then
    list[#list + 1] = { field = "model.encoder.layers", value = layers, reason = "these settings are a decoder's" }
  end
  if m.experts > 0 then
    list[#list + 1] = { field = "model.router", value = m.router and m.router.score or "not known",
      reason = "score function, groups and scale of the router come with decoder_block" }
  end
  return list
end

-- Settings that say a field of the model as it is.
local NAMES <const> = { hidden = "base_emb_dim", layers = "base_num_decoder_layers", heads = "base_num_query_heads",
  kv_heads = "base_num_kv_heads", head_dim = "head_dim", vocab = "vocab_size", experts = "num_experts",
  topk = "num_experts_per_tok", moe_ffn = "base_moe_mlp_dim" }

--- Shape and job. The kind of layer (decoder_block) has a name in MaxText that a shape does not tell.
function maxtext.shape(c)
  local m, set = c.model, {}
  local function add(name, value) set[#set + 1] = { name, value } end
  add(NAMES.hidden, m.hidden)
  add(NAMES.layers, m.layers)
  add(NAMES.heads, m.heads)
  add(NAMES.kv_heads, m.kv_heads)
  add(NAMES.head_dim, m.head_dim)
  if (m.ffn_hidden or 0) > 0 then add("base_mlp_dim", m.ffn_hidden) end
  if (m.vocab or 0) > 0 then add(NAMES.vocab, m.vocab) end
  if m.experts > 0 then
    add(NAMES.experts, m.experts)
    add(NAMES.topk, m.topk)
    add(NAMES.moe_ffn, m.moe_ffn)
  end
  add("logits_via_embedding", m.tied_embeddings or false)
  if m.rope then add("rope_max_timescale", math.tointeger(m.rope.base) or m.rope.base) end
  add("max_target_length", c.job.seq_len)
  if c.steps then add("steps", c.steps) end
  return set, missing_of(m)
end

--- The model that settings describe; nil where they describe none.
function maxtext.model(set)
  if not set[NAMES.layers] or not set[NAMES.hidden] or not set[NAMES.heads] then return nil end
  local m = { ffn_hidden = set.base_mlp_dim, tied_embeddings = set.logits_via_embedding or false }
  for field, name in pairs(NAMES) do m[field] = set[name] end
  if set.rope_max_timescale then m.rope = { base = set.rope_max_timescale } end
  return m
end

function maxtext.job(set)
  local each = set.per_device_batch_size
  local steps = set.steps ~= -1 and set.steps or nil -- -1: those of the learning rate's schedule (recalled)
  return { seq_len = set.max_target_length, steps = steps, global_batch = each
    and math.tointeger(each * devices_of(set) * (set.gradient_accumulation_steps or 1)) }
end

function maxtext.write(settings, header)
  local out = { write.comments(header, "#") }
  for _, pair in ipairs(settings) do out[#out + 1] = pair[1] .. ": " .. write.toml(pair[2]) .. "\n" end
  return table.concat(out)
end

return maxtext
