-- DeepSpeed: its JSON configuration. How a model is cut (tensor, pipeline, sequence) is said by the
-- client's code, not here; JSON has no comments, so they are the value of "_comment".
local backwards = require("ballpark.emit.backwards")
local json = require("ballpark.json")
local offload = require("ballpark.questions.training.offload")

local deepspeed = { title = "DeepSpeed", classes = { "deepspeed" }, versions = { { name = "0.19.5", date = "2026-08-22" } } }

local CLIENT = "said by the client's code (its mpu), not by the configuration"

local function client(usual) return { usual = usual, cannot = CLIENT, elsewhere = true } end

local EXACT = { fp32 = true, tf32 = true }

-- 8- and 4-bit recipes are the client's layers in bf16 training.
local function formats(value)
  if EXACT[value] then return { { "bf16.enabled", false }, { "fp16.enabled", false } } end
  return { { (value == "fp16" and "fp16" or "bf16") .. ".enabled", true } }
end

local function cannot_format(value)
  if value == "bf16" or value == "fp16" or value == "fp32" then return nil end
  if value == "tf32" then return "set torch's allow_tf32 yourself" end
  return "runs in bf16 as it stands: matmuls in fewer bits are said by the client's layers, not by the configuration"
end

local ACCUMULATE = { [4] = "fp32", [2] = "bf16" }

local function gradients(bytes, c)
  local kind = ACCUMULATE[bytes]
  if bytes == 2 and c.plan.precision == "fp16" then kind = "fp16" end
  return { { "data_types.grad_accum_dtype", kind } }
end

-- Zero-redundancy inside groups of fewer than all ranks: MiCS, a form of stage 3.
local function groups(value, c)
  if c.plan.zero ~= 3 or value == c.ranks then return nil end
  return { { "zero_optimization.mics_shard_size", value } }
end

local OPTIMIZER = { adam = "AdamW", lion = "Lion", muon = "Muon", sgd = "SGD" }

-- Where the drives are mounted, in DeepSpeed's own example: to be changed by whoever runs it.
local DRIVES <const> = "/local_nvme"

local function place(set, what, on_drives)
  local path = "zero_optimization." .. what
  set[#set + 1] = { path .. ".device", on_drives and "nvme" or "cpu" }
  if on_drives then set[#set + 1] = { path .. ".nvme_path", DRIVES } end
end

-- States are read and written beside the update, as the estimate supposes.
local function placed(value, c)
  local set, drives = {}, offload.uses_drives(value) and c.plan.zero == 3
  place(set, "offload_optimizer", drives)
  if drives then
    set[#set + 1] = { "zero_optimization.offload_optimizer.pipeline_read", true }
    set[#set + 1] = { "zero_optimization.offload_optimizer.pipeline_write", true }
  end
  if offload.moves_weights(value) and c.plan.zero == 3 then place(set, "offload_param", drives) end
  return set
end

local function cannot_offload(value, c)
  if c.plan.zero == 0 then return "offloading is a part of ZeRO" end
  if c.plan.zero == 3 then return nil end
  if offload.uses_drives(value) then return "only stage 3 offloads to drives" end
  return offload.moves_weights(value) and "weights are offloaded in stage 3 only" or nil
end

-- What moves to the host are the inputs of layers that recompute.
local function cannot_checkpoints(share, c)
  if c.plan.recompute ~= "full" then return "only checkpoints of layers that recompute are offloaded" end
  return share < 1 and "checkpoints are offloaded all or none" or nil
end

local function batch_parts(set)
  return set.train_batch_size, set.train_micro_batch_size_per_gpu, set.gradient_accumulation_steps
end

-- Of batch, micro-batch, accumulation and ranks, DeepSpeed works out the one that is not stated: ranks where the three
-- others are, else they are what the devices leave. "auto" is stated by the client.
local function read_ranks(set, c)
  local batch, micro, steps = batch_parts(set)
  return micro and steps and backwards.times(batch, micro * steps) or c:left_over()
end

local function read_micro_batch(set, c)
  local batch, micro, steps = batch_parts(set)
  return micro or steps and c.network.devices and backwards.times(batch, steps * c.plan.dp)
end

-- Weights beside the states and on the same medium, or states alone.
local MEDIA <const> = { cpu = "", nvme = "_nvme" }

local function read_offload(set)
  local states = set["zero_optimization.offload_optimizer.device"]
  if not MEDIA[states] then return "none" end
  local weights = set["zero_optimization.offload_param.device"] == states and set["zero_optimization.stage"] == 3
  return "optimizer" .. (weights and "_weights" or "") .. MEDIA[states]
end

-- fp32 unless a section says otherwise; "auto" is the client's.
local function read_precision(set)
  local half, brain = set["fp16.enabled"], set["bf16.enabled"]
  if brain == true then return "bf16" end
  if half == true then return "fp16" end
  return brain ~= "auto" and half ~= "auto" and "fp32" or nil
end

-- Its own optimizers and those that it takes from torch and bitsandbytes. Those that send 1 bit of the gradients are
-- none of them.
local READ_OPTIMIZER <const> = { adam = "adam", adamw = "adam", lion = "lion", muon = "muon", adam8bit = "adam_8bit", adamw8bit = "adam_8bit",
  pagedadam8bit = "paged_adam_8bit", pagedadamw8bit = "paged_adam_8bit", adafactor = "adafactor" }

local function read_optimizer(set)
  local name = tostring(set["optimizer.type"]):lower()
  if name == "sgd" then return (tonumber(set["optimizer.params.momentum"]) or 0) > 0 and "momentum" or "sgd" end
  return READ_OPTIMIZER[name]
end

-- Settings with a value that says what is read without them.
deepspeed.plain = { train_batch_size = true, gradient_accumulation_steps = true, train_micro_batch_size_per_gpu = true,
  ["zero_optimization.offload_optimizer.nvme_path"] = true, ["zero_optimization.offload_param.nvme_path"] = true,
  ["optimizer.type"] = { "Adam", "AdamW" } }

deepspeed.rows = {
  tp = client(1), pp = client(1), vpp = client(1), cp = client(1), ep = client(1), etp = client(1),
  dp = { implied = function() return true end, read = read_ranks }, -- train_batch_size over micro-batch and accumulation
  zero = { name = "zero_optimization.stage", unsaid = 0 },
  shard = { set = groups, read = function(set, c)
    local size = set["zero_optimization.mics_shard_size"] or -1
    return c.plan.zero == 3 and size > 0 and size or c.ranks
  end, implied = function(value, c) return value == c.ranks end, cannot = function(value, c)
    return value ~= c.ranks and c.plan.zero ~= 3 and "only stage 3 shards over fewer ranks (mics_shard_size)" or nil
  end },
  sequence_parallel = client(false),
  recompute = { usual = "none", elsewhere = true, set = function()
    return { { "activation_checkpointing.partition_activations", false } }
  end, cannot = "which layers recompute is said by the client's code" },
  recompute_share = client(1), recompute_norms = client(false), recompute_activation = client(false),
  recompute_up_proj = client(false), recompute_mlp = client(false), recompute_moe = client(false),
  recompute_shared = client(false),
  micro_batch = { name = "train_micro_batch_size_per_gpu", read = read_micro_batch },
  schedule = { usual = "1f1b", cannot = "its pipeline engine runs 1F1B" },
  precision = { set = formats, cannot = cannot_format, read = read_precision },
  flash = client(true),
  overlap_dp = { set = function(value) return { { "zero_optimization.overlap_comm", value } } end },
  overlap_tp = client(false), overlap_ep = client(false),
  grad_bytes = { values = { 4, 2 }, set = gradients },
  master_bytes = { usual = 4, cannot = "16-bit training keeps fp32 master weights" },
  optimizer = { read = read_optimizer, set = function(value) return OPTIMIZER[value] and { { "optimizer.type", OPTIMIZER[value] } } or nil end,
    cannot = function(value) return not OPTIMIZER[value] and "give the optimizer to deepspeed.initialize" or nil end },
  offload = { usual = "none", set = function(value, c)
    return c.plan.zero > 0 and placed(value, c) or nil
  end, cannot = cannot_offload, read = read_offload },
  offload_activations = { usual = 0, set = function(share, c)
    return not cannot_checkpoints(share, c) and { { "activation_checkpointing.cpu_checkpointing", true } } or nil
  end, cannot = cannot_checkpoints, read = function(set)
    return set["activation_checkpointing.cpu_checkpointing"] and 1.0 or 0.0
  end },
  trained_layers = client(0),
  lora_rank = client(0), base_bits = client(16), base_format = client("bitsandbytes"),
  lora_targets = client("all"), lora_dropout = client(0), lora_ends = client(false), cross_entropy = client("plain"), split = client("layers"),
  first_layers = client(0), last_layers = client(0),
  quantized_params = { usual = false, cannot = "16-bit weights are kept" },
}

--- Batch and accumulation; the model is the client's.
function deepspeed.shape(c)
  return { { "train_batch_size", c.job.global_batch },
    { "gradient_accumulation_steps", c.time.micro_batches } },
    { { field = "model", value = c.model.name, reason = "the model is built by the client's code" },
      { field = "job.seq_len", value = c.job.seq_len, reason = CLIENT } }
end

--- The batch, which follows from its parts where it is not stated.
function deepspeed.job(set, devices)
  local batch, micro, steps = batch_parts(set)
  local product = micro and steps and devices and 1.0 * micro * steps * devices -- whole numbers of Lua wrap
  return { global_batch = batch or product and (math.tointeger(product) or product) }
end

local function put(tree, path, value)
  local node = tree
  for part in path:gmatch("([%w_]+)%.") do
    node[part] = node[part] or {}
    node = node[part]
  end
  node[path:match("([%w_]+)$")] = value
end

function deepspeed.write(settings, header)
  local tree = { _comment = header }
  for _, pair in ipairs(settings) do put(tree, pair[1], pair[2]) end
  return json.encode(tree, true) .. "\n"
end

return deepspeed
