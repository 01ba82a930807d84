-- torchtitan: a TOML file for its trainer, or, since configurations are Python functions of a registry, a script with
-- its command line. Setting names are section.key.
local all_weights = require("ballpark.emit.all_weights")
local backwards = require("ballpark.emit.backwards")
local offload = require("ballpark.questions.training.offload")
local schedules = require("ballpark.schedules")
local script = require("ballpark.emit.script")
local tables = require("ballpark.tables")
local write = require("ballpark.emit.write")

local torchtitan = { title = "torchtitan", classes = { "fsdp" } }

local STAGES_BY_HAND <const> = "write the stages by hand: parallelism.module_fqns_per_model_part"

local function schedule(value, c)
  local facts = schedules.of(value) or {}
  local name = c.plan.vpp > 1 and facts.torch_interleaved or facts.torch
  return name and { { "parallelism.pipeline_parallel_schedule", name } } or nil
end

-- A pipeline is told the size of its micro-batches in a TOML file, their number on a command line.
local function pipeline(value, name, of_batches)
  return { { "parallelism.pipeline_parallel_degree", value }, value > 1 and { name, of_batches } or nil }
end

-- Context-parallel ranks shard weights together with those of data_parallel_shard_degree.
local function shards(c)
  if c.plan.zero < 2 then return 1 end
  return math.max(1, c.plan.shard // c.plan.cp)
end

local function degrees(_, c)
  return { { "parallelism.data_parallel_replicate_degree", c.plan.dp // shards(c) },
    { "parallelism.data_parallel_shard_degree", shards(c) } }
end

local RESHARD = { [2] = "never", [3] = "always" }

local function zero(stage)
  return RESHARD[stage] and { { "parallelism.fsdp_reshard_after_forward", RESHARD[stage] } } or nil
end

-- Without a word, weights are gathered anew in backward.
local function read_zero(set)
  local reshard = set["parallelism.fsdp_reshard_after_forward"]
  if reshard == "never" then return 2 end
  if reshard == "always" then return 3 end
  return (set["parallelism.data_parallel_shard_degree"] or -1) == 1 and 0 or 3
end

local function cannot_zero(stage, c)
  if stage == 1 then return "optimizer states are sharded with the weights or not at all" end
  if stage == 0 and c.plan.cp > 1 then return "context-parallel ranks shard the weights always" end
end

local function cannot_shard(value, c)
  if c.plan.zero < 2 then return value ~= c.ranks and "only what weights are sharded over can be said" or nil end
  return (value % c.plan.cp ~= 0 or c.plan.dp % shards(c) ~= 0)
    and "states are sharded over whole groups of context-parallel ranks" or nil
end

-- Every n-th layer recomputes where that is the share.
local function every(share)
  local n = math.floor(1 / share + 0.5)
  return n > 1 and 1 / n == share and n or nil
end

local function recompute(value, c)
  local share = c.plan.recompute_share
  if value == "full" and share < 1 and every(share) then
    return { { "activation_checkpoint.mode", "selective" },
      { "activation_checkpoint.selective_ac_option", tostring(every(share)) } }
  end
  local set = { { "activation_checkpoint.mode", value } }
  if value == "selective" then set[2] = { "activation_checkpoint.selective_ac_option", "op" } end
  return set
end

local function cannot_share(share, c)
  if share == 1 then return nil end
  if c.plan.recompute ~= "full" or not every(share) then
    return "only every n-th layer can recompute, wholly"
  end
end

-- Without a pipeline a local batch is one micro-batch and the rest is accumulated.
local function local_batch(value, c)
  local sequences = c.plan.pp > 1 and value * c.time.micro_batches or value
  return { { "training.local_batch_size", sequences } }
end

local NO_MODULES = { usual = false, cannot = "no setting for single modules" }

local TYPES = { bf16 = "bfloat16", fp32 = "float32" }

local function cannot_precision(value)
  if TYPES[value] then return nil end
  if value == "fp16" or value == "tf32" then return "mixed precision is bfloat16 or float32" end
  return "8- and 4-bit matmuls come from a model converter, whose name depends on the version"
end

-- torch.distributed.pipelining runs rounds of at least pp micro-batches, all of the same size.
local function cannot_interleave(_, c)
  local count = c.time.micro_batches
  local rounds = math.max(1, count // c.plan.pp)
  if count % rounds == 0 then return nil end
  return ("interleaving needs rounds of as many micro-batches each, and %d do not make %d"):format(count, rounds)
end

-- Virtual stages of a rank where each has so many layers, the last of them fewer.
local function stages_of(layers, each, pp)
  local chunks = backwards.times(-layers, each)
  return chunks and math.max(1, -chunks // pp)
end

local function layers_of_stage(value, c)
  local chunks = c.plan.pp * value
  return (c.model.layers + chunks - 1) // chunks
end

local function cannot_stages(value, c)
  local each = layers_of_stage(value, c)
  local made = stages_of(c.model.layers, each, c.plan.pp)
  if made == value then return cannot_interleave(value, c) end
  return ("stages of %d layers are fewer than %d for each rank"):format(each, value)
end

-- Schedules of more than one stage to a rank run two of them where no setting says how many layers a stage has
-- (torchtitan, distributed/pipeline_parallel.py; recalled).
local TWO <const> = 2
local INTERLEAVED <const> = {}
for _, facts in ipairs(schedules.all) do
  if facts.torch_interleaved then INTERLEAVED[facts.torch_interleaved:lower()] = true end
end

local function read_virtual(set, c)
  if c.plan.pp == 1 then return nil end
  local each = set["parallelism.pipeline_parallel_layers_per_stage"]
  if each then return stages_of(c.model.layers, each, c.plan.pp) end
  local name = tostring(set["parallelism.pipeline_parallel_schedule"]):lower()
  return INTERLEAVED[name] and not c.is_ours and TWO or nil
end

-- Weights are sharded over what the replicas leave, where the file does not say over how many.
local function read_shard(set, c)
  if c.plan.zero < 2 then return c.ranks end
  local sharded = set["parallelism.data_parallel_shard_degree"] or -1
  if sharded > 0 then return sharded * c.plan.cp end
  return backwards.times(c.ranks, set["parallelism.data_parallel_replicate_degree"] or 1)
end

-- Optimizers by their class in torch.
local OPTIMIZERS <const> = { adam = "adam", adamw = "adam", sgd = "sgd", muon = "muon", lion = "lion", adafactor = "adafactor",
  adamw8bit = "adam_8bit" }

-- Values that say what is read without them.
local PLAIN <const> = { ["model.name"] = true, ["model.flavor"] = true, ["compile.enable"] = true, ["training.global_batch_size"] = true, ["optimizer.name"] = { "Adam", "AdamW" },
  ["optimizer.implementation"] = { "for-loop", "foreach", "fused" } }

-- Rounds of a pipeline as the estimate has them in files that emit wrote.
local OWN <const> = { ["parallelism.num_pp_microbatches"] = true }

-- What both forms have.
local COMMON <const> = tables.with(all_weights.rows, {
  tp = { name = "parallelism.tensor_parallel_degree" },
  vpp = { usual = 1, set = function(value, c)
    return { { "parallelism.pipeline_parallel_layers_per_stage", layers_of_stage(value, c) } }
  end, cannot = cannot_stages, read = read_virtual },
  dp = { set = degrees, read = function(set, c)
    local replicas = set["parallelism.data_parallel_replicate_degree"] or 1
    local sharded = set["parallelism.data_parallel_shard_degree"] or -1
    return sharded > 0 and replicas * sharded or c:left_over()
  end },
  cp = { name = "parallelism.context_parallel_degree" },
  ep = { name = "parallelism.expert_parallel_degree" },
  zero = { set = zero, cannot = cannot_zero, implied = function() return true end, read = read_zero },
  shard = { cannot = cannot_shard, implied = function() return true end, read = read_shard },
  recompute_norms = NO_MODULES, recompute_activation = NO_MODULES, recompute_up_proj = NO_MODULES,
  recompute_mlp = NO_MODULES, recompute_moe = NO_MODULES, recompute_shared = NO_MODULES,
  schedule = { set = schedule, cannot = function(value)
    return not (schedules.of(value) or {}).torch and "no such schedule in torch.distributed.pipelining" or nil
  end },
  precision = { set = function(value) return { { "training.mixed_precision_param", TYPES[value] or "bfloat16" } } end,
    cannot = cannot_precision },
  flash = { usual = true, cannot = "attention is torch's fused one" },
  overlap_dp = { usual = true, cannot = "gradient traffic overlaps always" },
  overlap_ep = { usual = false, cannot = "no setting overlaps expert all-to-alls" },
  grad_bytes = { usual = 4, cannot = "gradients are reduced in float32" },
  master_bytes = { values = { 4, 0 }, set = function(value)
    return { { "training.dtype", value == 4 and "float32" or "bfloat16" } }
  end },
  offload = { usual = "none", set = function(value)
    return value == "optimizer_weights" and { { "training.enable_cpu_offload", true } } or nil
  end, cannot = function(value)
    if offload.uses_drives(value) then return "no setting moves states to drives" end
    return value == "optimizer" and "enable_cpu_offload moves the weights as well" or nil
  end },
  offload_activations = { usual = 0, cannot = "no setting moves activations to the host" },
  cross_entropy = { usual = "fused", cannot = "torch.compile fuses the loss as it can" },
  split = { usual = "layers", cannot = STAGES_BY_HAND },
  first_layers = { usual = 0, cannot = STAGES_BY_HAND }, last_layers = { usual = 0, cannot = STAGES_BY_HAND },
  quantized_params = { usual = false, cannot = "16-bit weights are kept beside the 8-bit ones" },
})

-- Tensor-parallel traffic beside matmuls comes with torch.compile, which the trainer insists on (recalled).
local function async(name)
  return { usual = false, set = function() return { { "compile.enable", true }, { name, true } } end }
end

local function every_nth(set)
  local option = set["activation_checkpoint.mode"] == "selective" and set["activation_checkpoint.selective_ac_option"]
  return math.tointeger(tonumber(option or nil))
end

local function read_recompute(set)
  return every_nth(set) and "full" or set["activation_checkpoint.mode"]
end

local TOML_ROWS <const> = tables.with(COMMON, {
  pp = { set = function(value, c)
    return pipeline(value, "parallelism.pipeline_parallel_microbatch_size", c.plan.micro_batch)
  end, read = "parallelism.pipeline_parallel_degree" },
  etp = { name = "parallelism.expert_tensor_parallel_degree" },
  sequence_parallel = { usual = true, cannot = "tensor parallelism comes with sequence parallelism" },
  recompute = { set = recompute, read = read_recompute },
  recompute_share = { cannot = cannot_share, implied = function() return true end, read = function(set)
    return 1 / (every_nth(set) or 1)
  end },
  micro_batch = { set = local_batch, read = function(set, c)
    return c.plan.pp > 1 and (set["parallelism.pipeline_parallel_microbatch_size"] or 1)
      or set["training.local_batch_size"]
  end },
  overlap_tp = async("parallelism.enable_async_tensor_parallel"),
  optimizer = { set = function(value) return value == "adam" and { { "optimizer.name", "AdamW" } } or nil end,
    cannot = function(value)
      return value ~= "adam" and "the optimizer is Adam or AdamW, states in the weights' format" or nil
    end, read = function(set) return OPTIMIZERS[tostring(set["optimizer.name"]):lower()] end },
})

local LINE_ROWS <const> = tables.with(COMMON, {
  pp = { set = function(value, c) return pipeline(value, "parallelism.num_pp_microbatches", c.time.micro_batches) end,
    read = "parallelism.pipeline_parallel_degree" },
  etp = { usual = 1, cannot = "no tensor parallelism inside an expert" },
  sequence_parallel = { set = function(value) return { { "parallelism.enable_sequence_parallel", value } } end },
  recompute = { set = function(value) return { { "activation_checkpoint", value } } end },
  recompute_share = { usual = 1, cannot = "all layers recompute or none" },
  micro_batch = { set = function(value, c)
    return { { "training.num_tokens_per_microbatch_per_dp_rank", value * c.job.seq_len } }
  end, read = function(set, c)
    local tokens = set["training.num_tokens_per_microbatch_per_dp_rank"]
    return backwards.times(tokens, c.job.seq_len)
  end },
  overlap_tp = async("compile.enable_async_tensor_parallel"),
  optimizer = { usual = "adam", set = function(value)
    return value == "adam_bf16" and { { "optimizer.implementation", "fused_opt_states_bf16" } } or nil
  end, cannot = function(value)
    return value ~= "adam_bf16" and "set optimizer.param_groups in the configuration's Python" or nil
  end },
})

-- The shape of a model is registered in torchtitan's own code.
local function job_of(c, settings, reason)
  if c.steps then settings[#settings + 1] = { "training.steps", c.steps } end
  return settings, { { field = "model", value = c.model.name, reason = reason } }
end

local function toml_shape(c)
  return job_of(c, { { "training.seq_len", c.job.seq_len }, { "training.global_batch_size", c.job.global_batch } },
    "the shape is a flavor of torchtitan's registry: set model.name and model.flavor")
end

local function line_shape(c)
  return job_of(c, { { "training.max_context_length", c.job.seq_len },
    { "training.num_tokens_per_train_step", c.job.global_batch * c.job.seq_len } },
    "the shape comes with a configuration of torchtitan's registry: set MODULE and CONFIG")
end

-- Sections in the order in which they first appear.
local function by_section(settings)
  local order, sections = {}, {}
  for _, pair in ipairs(settings) do
    local section, key = pair[1]:match("^([%w_]+)%.([%w_]+)$")
    if not sections[section] then
      sections[section] = {}
      order[#order + 1] = section
    end
    table.insert(sections[section], key .. " = " .. write.toml(pair[2]))
  end
  return order, sections
end

local function write_toml(settings, header)
  local out = { write.comments(header, "#") }
  local order, sections = by_section(settings)
  for _, section in ipairs(order) do
    out[#out + 1] = "\n[" .. section .. "]\n" .. table.concat(sections[section], "\n") .. "\n"
  end
  return table.concat(out)
end

-- What recomputes is a command of its own behind the settings; a flag that is off has "no-" in front of its last part.
local function as_flag(pair)
  if pair[2] ~= false then return pair end
  return { (pair[1]:gsub("[%w_]+$", function(key) return "no-" .. key:gsub("_", "-") end)), true }
end

local function write_line(settings, header, c)
  local flags, last = {}, ""
  for _, pair in ipairs(settings) do
    if pair[1] == "activation_checkpoint" then
      last = " activation_checkpoint:" .. pair[2]
    else
      flags[#flags + 1] = as_flag(pair)
    end
  end
  return table.concat({
    "#!/bin/bash\n", write.comments(header, "#"),
    "# Run on every node with NODE_RANK and MASTER_ADDR set; MODULE and CONFIG name the configuration.\n",
    "set -euo pipefail\n", script.array(flags), script.torchrun(c),
    "    -m torchtitan.train --module \"${MODULE:?of torchtitan}\" --config \"${CONFIG:?of the module}\" \\\n",
    "    \"${ARGS[@]}\" \"$@\"", last, "\n",
  })
end

-- Where no batch is stated, or -1, it is the local batch of every data-parallel rank (torchtitan, config/job_config.py;
-- recalled), a local one of 8 where none is stated (emit/known/torchtitan.lua).
local LOCAL_BATCH <const> = 8

local function batch_of(set, devices)
  local stated = set["training.global_batch_size"]
  if stated and stated ~= -1 then return stated end
  if not devices then return nil end
  local ranks = 1.0 * devices -- whole numbers of Lua wrap
  for _, way in ipairs({ "tensor", "pipeline", "context" }) do
    ranks = ranks // (set["parallelism." .. way .. "_parallel_degree"] or 1)
  end
  local batch = ranks * (set["training.local_batch_size"] or LOCAL_BATCH)
  return math.tointeger(batch) or batch
end

local function toml_job(set, devices)
  local batch = batch_of(set, devices)
  return { seq_len = set["training.seq_len"], global_batch = batch, steps = set["training.steps"] }
end

-- Models of the catalog by their names in torchtitan's registry, of a flavor that is their size (its models' __init__.py,
-- recalled).
local REGISTRY <const> = { llama3 = "llama-3.1-%s", qwen3 = "qwen3-%s", deepseek_v3 = { ["671B"] = "deepseek-v3" } }

local function toml_model(set)
  local entry, flavor = REGISTRY[set["model.name"] or ""], set["model.flavor"]
  if not entry or not flavor then return nil end
  return type(entry) == "table" and entry[flavor] or type(entry) == "string" and entry:format(flavor) or nil
end

local function line_job(set)
  local length, tokens = set["training.max_context_length"], set["training.num_tokens_per_train_step"]
  return { seq_len = length, global_batch = backwards.times(tokens, length), steps = set["training.steps"] }
end

torchtitan.versions = {
  { name = "238fa99", date = "2026-02-23", rows = TOML_ROWS, plain = PLAIN, shape = toml_shape, job = toml_job, named = toml_model,
    write = write_toml },
  { name = "b5bcd76", date = "2026-08-21", rows = LINE_ROWS, plain = PLAIN, own = OWN, shape = line_shape, job = line_job,
    write = write_line },
}

return torchtitan
