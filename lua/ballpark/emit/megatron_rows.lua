-- What Megatron-LM's flags say of a plan; NeMo sets the same fields by other paths. Names as in the
-- project's arguments (2025/2026): a field of its configuration with dashes.
local all_weights = require("ballpark.emit.all_weights")
local backwards = require("ballpark.emit.backwards")
local expert_layers = require("ballpark.emit.expert_layers")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")
local tables = require("ballpark.tables")

local rows = {}

-- Layers are computed again wholly or by modules, not some this way and some that.
local function cannot_both(_, c)
  return c.plan.recompute == "full" and "granularity is full or selective for all layers" or nil
end

--- Values of flags that say what is read without them: how experts are run, names of a fused attention, how a checkpoint
--- is kept.
rows.plain = { ["moe-layer-freq"] = expert_layers.are_all, ["moe-grouped-gemm"] = true,
  ["moe-token-dispatcher-type"] = { "alltoall", "allgather", "flex" },
  ["attention-backend"] = { "auto", "flash", "fused" }, ["ckpt-format"] = true, ["cp-comm-type"] = { "p2p" },
  ["overlap-param-gather"] = true, ["disable-bias-linear"] = true,
  ["multi-latent-attention"] = true, ["recompute-granularity"] = { "selective" },
  ["recompute-modules"] = { "core_attn" }, ["use-distributed-optimizer"] = true, ["use-megatron-fsdp"] = true }

--- Settings that say what the estimate has in files that emit wrote: stages by hand.
rows.own = { ["pipeline-model-parallel-layout"] = true }

local function has_module(set, name)
  local list = set["recompute-modules"]
  for _, module in ipairs(type(list) == "table" and list or { list }) do
    if module == name then return true end
  end
  return false
end

local function by_module(name)
  return { usual = false, implied = function() return true end, cannot = cannot_both,
    read = function(set) return set["recompute-granularity"] ~= "full" and has_module(set, name) end }
end

local function flag(name) return function(value) return value and { { name, true } } or nil end end

-- Neither even nor even with embedding and loss as a layer each: say what every chunk holds (E embedding,
-- t layer, m multi-token prediction, L loss).
local function layout(c)
  local chunks, parts = c:chunks(), {}
  for i, layers in ipairs(chunks) do parts[i] = ("t"):rep(layers) end
  parts[1] = "E" .. parts[1]
  parts[#parts] = parts[#parts] .. ("m"):rep(c.model.mtp_layers or 0) .. "L"
  return table.concat(parts, "|")
end

local function even(c, extra) return (c.model.layers + extra) % (c.plan.pp * c.plan.vpp) == 0 end

-- With a layout the number of virtual stages follows from it.
local function pipeline(value, c)
  local set = { { "pipeline-model-parallel-size", value } }
  if value == 1 or c:is_cut() or even(c, 0) then return set end
  if even(c, 2) then
    set[2] = { "account-for-embedding-in-pipeline-split", true }
    set[3] = { "account-for-loss-in-pipeline-split", true }
  else
    set[2] = { "pipeline-model-parallel-layout", layout(c) }
  end
  return set
end

-- Groups of micro-batches are of pp where nothing is said.
local function virtual(value, c)
  local set = {}
  if c:is_cut() or even(c, 0) or even(c, 2) then set[1] = { "num-virtual-stages-per-pipeline-rank", value } end
  if c:group() > c.plan.pp then set[#set + 1] = { "microbatch-group-size-per-virtual-pipeline-stage", c:group() } end
  return set
end

local function cannot_virtual(_, c)
  if c.time.micro_batches >= c.plan.pp then return nil end
  return ("interleaving needs at least pp micro-batches, and there are %d"):format(c.time.micro_batches)
end

local STRATEGY = { [2] = "optim_grads", [3] = "optim_grads_params" }
local STAGES <const> = { no_shard = 0, optim = 1, optim_grads = 2, optim_grads_params = 3 }

-- Megatron-FSDP shards what its strategy says, all unless it is told.
local function read_zero(set)
  local stage = set["use-megatron-fsdp"] and STAGES[set["data-parallel-sharding-strategy"] or "optim_grads_params"]
  return stage or set["use-distributed-optimizer"] and 1 or nil
end

local function zero(stage)
  if stage == 1 then return { { "use-distributed-optimizer", true } } end
  return { { "use-distributed-optimizer", true }, { "use-megatron-fsdp", true },
    { "data-parallel-sharding-strategy", STRATEGY[stage] }, { "ckpt-format", "fsdp_dtensor" } }
end

-- Layers that recompute in every chunk.
local function recomputed_layers(c)
  local per_chunk = c:chunks()[1]
  return math.floor(c.plan.recompute_share * per_chunk + 0.5), per_chunk
end

local function full_recompute(c)
  local set = { { "recompute-granularity", "full" } }
  if c.plan.recompute_share == 1 then
    set[2], set[3] = { "recompute-method", "uniform" }, { "recompute-num-layers", 1 }
  else
    set[2], set[3] = { "recompute-method", "block" }, { "recompute-num-layers", (recomputed_layers(c)) }
  end
  return set
end

local function modules(c) return recompute_modules.named(c.plan, c.estimate.input.model) end

local function recompute(value, c)
  if value == "full" then return full_recompute(c) end
  local list = modules(c)
  if #list == 0 then return nil end
  return { { "recompute-granularity", "selective" }, { "recompute-modules", list } }
end

local function cannot_share(share, c)
  if share == 1 then return nil end
  if c.plan.recompute == "selective" then return "selective recomputation is for all layers or none" end
  local layers, per_chunk = recomputed_layers(c)
  if layers / per_chunk ~= share then
    return ("rounded to %d of the %d layers of a chunk"):format(layers, per_chunk)
  end
end

-- Selective recomputation of a share of the layers is read back from what is said of it, not from its module.
local function cannot_selective(value, c)
  return value == "selective" and c.plan.recompute_share ~= 1 and "selective recomputation is for all layers or none" or nil
end

local up_proj = by_module("mla_up_proj")
up_proj.usual, up_proj.unsaid = nil, false
function up_proj.cannot(value, c)
  return not value and cannot_selective(c.plan.recompute, c) or value and cannot_both(value, c) or nil
end

local PRECISION = {
  fp16 = { { "fp16", true } },
  bf16 = { { "bf16", true } },
  fp8 = { { "bf16", true }, { "fp8-format", "hybrid" }, { "fp8-recipe", "tensorwise" } },
  mxfp8 = { { "bf16", true }, { "fp8-format", "e4m3" }, { "fp8-recipe", "mxfp8" } },
  nvfp4 = { { "bf16", true }, { "fp4-format", "e2m1" }, { "fp4-recipe", "nvfp4" } },
}

local function cannot_precision(value)
  if PRECISION[value] or value == "fp32" then return nil end
  if value == "tf32" then return "no flag: set NVIDIA_TF32_OVERRIDE or torch's allow_tf32 yourself" end
  return "no recipe for " .. value
end

-- Recipes of 8 bit by their name. Their scales differ in number and in when they are worked out; where a plan has one
-- format for several, emit writes one of them.
local RECIPES <const> = { delayed = "fp8", tensorwise = "fp8", blockwise = "fp8", custom = "fp8", mxfp8 = "mxfp8" }
local FORMATS <const> = { hybrid = true, e4m3 = true }

local function read_precision(set)
  if set["fp4-format"] == "e2m1" then return "nvfp4" end
  local recipe = RECIPES[set["fp8-recipe"] or "delayed"]
  if FORMATS[set["fp8-format"]] and recipe then return recipe end
  return set.bf16 and "bf16" or set.fp16 and "fp16" or nil
end

local function gradients(bytes, c)
  if c.plan.precision == "fp32" or c.plan.precision == "tf32" then return nil end
  if bytes == 4 then return { { "accumulate-allreduce-grads-in-fp32", true } } end
  return c.plan.precision ~= "fp16" and { { "grad-reduce-in-bf16", true } } or nil
end

local function cannot_gradients(bytes, c)
  local exact = c.plan.precision == "fp32" or c.plan.precision == "tf32"
  return exact and bytes ~= 4 and "fp32 training accumulates in fp32" or nil
end

-- Moments in fewer bits are a part of the distributed optimizer.
local MOMENTS = { adam_bf16 = "bf16", adam_8bit = "fp8" }
local OPTIMIZER = { adam = "adam", adam_bf16 = "adam", adam_8bit = "adam", muon = "muon", sgd = "sgd",
  momentum = "sgd", lion = "lion" }

local function optimizer(value, c)
  if not OPTIMIZER[value] then return nil end
  local set, moments = { { "optimizer", OPTIMIZER[value] } }, MOMENTS[value]
  if OPTIMIZER[value] == "sgd" then set[2] = { "sgd-momentum", value == "sgd" and 0.0 or 0.9 } end
  if moments and c.plan.zero > 0 and c.plan.offload == "none" then
    set[2] = { "use-precision-aware-optimizer", true }
  end
  if moments and c.plan.zero > 0 then
    set[#set + 1] = { "exp-avg-dtype", moments }
    set[#set + 1] = { "exp-avg-sq-dtype", moments }
  end
  return set
end

local function cannot_optimizer(value, c)
  if not OPTIMIZER[value] then return "no such optimizer" end
  if MOMENTS[value] and c.plan.zero == 0 then
    return "moments in fewer bits need the distributed optimizer (zero 1)"
  end
end

local BY_MOMENTS <const> = { bf16 = "adam_bf16", fp16 = "adam_bf16", fp8 = "adam_8bit" }
local READ_OPTIMIZER <const> = { muon = "muon", dist_muon = "muon", lion = "lion" }

-- Moments of one format, where the optimizer is told that it may keep them so.
local function read_moments(set)
  local first, second = set["exp-avg-dtype"], set["exp-avg-sq-dtype"]
  return set["use-precision-aware-optimizer"] and first == second and BY_MOMENTS[first] or nil
end

local function read_optimizer(set)
  local name = set.optimizer
  if name == "sgd" then return set["sgd-momentum"] == 0 and "sgd" or "momentum" end
  if name == nil or name == "adam" then return read_moments(set) or name end
  return READ_OPTIMIZER[name]
end

-- A part of the states cannot be said.
local function read_offload(set)
  local is_all = (set["optimizer-offload-fraction"] or 1) == 1
  return set["optimizer-cpu-offload"] and is_all and "optimizer" or nil
end

-- Fused kernels by any name, unless attention is told to be torch's own.
local ATTENTION <const> = { auto = true, flash = true, fused = true, unfused = false, ["local"] = false }

local OFFLOAD = { { "optimizer-cpu-offload", true }, { "optimizer-offload-fraction", 1.0 },
  { "use-precision-aware-optimizer", true } }

local CANNOT_OFFLOAD = {
  optimizer_weights = "weights stay on the device",
  optimizer_nvme = "states are offloaded to memory of the host, not to drives",
  optimizer_weights_nvme = "weights stay on the device, and states are offloaded to memory of the host",
}

-- Layers whose activations wait in host memory: Transformer Engine's offloading, which Megatron Core has for
-- one stage without recomputation.
local function offloads_layers(c) return c.plan.pp == 1 and c.plan.recompute == "none" and #modules(c) == 0 end

local function offloaded_layers(share, c)
  if not offloads_layers(c) then return nil end
  return { { "cpu-offloading-num-layers", math.floor(share * c.model.layers + 0.5) } }
end

local function cannot_offload_layers(share, c)
  if not offloads_layers(c) then return "layers are offloaded without pipeline and without recomputation only" end
  local layers = share * c.model.layers
  if layers ~= math.floor(layers) then return ("rounded to %d layers"):format(math.floor(layers + 0.5)) end
end

local function overlap_dp(value, c)
  if not value then return nil end
  local set = { { "overlap-grad-reduce", true } }
  if c.plan.zero > 0 then set[2] = { "overlap-param-gather", true } end
  return set
end

-- fp16 training reduces what it has, unless it is told to accumulate in fp32.
local function read_gradients(set)
  if set["accumulate-allreduce-grads-in-fp32"] then return 4 end
  return (set["grad-reduce-in-bf16"] or set.fp16) and 2 or nil
end

-- Virtual stages by their number, by the layers of one, or by the stages of a layout.
local function read_virtual(set, c)
  local layout_of, each = set["pipeline-model-parallel-layout"], set["num-layers-per-virtual-pipeline-stage"]
  if layout_of then return (select(2, layout_of:gsub("|", "")) + 1) // c.plan.pp end
  if each then return backwards.times(c.model.layers, c.plan.pp * each) end
  return set["num-virtual-stages-per-pipeline-rank"]
end

local function read_recompute(set)
  if set["recompute-granularity"] == "full" then return "full" end
  local named = set["recompute-modules"]
  local selective = set["recompute-activations"] or set["recompute-granularity"] == "selective" and not named
  return (selective or has_module(set, "core_attn")) and "selective" or "none"
end

-- By blocks, so many layers of every chunk recompute.
local function read_share(set, c)
  if set["recompute-granularity"] ~= "full" or set["recompute-method"] ~= "block" then return 1.0 end
  local first = (set["pipeline-model-parallel-layout"] or ""):match("^E(t*)")
  local chunk = first and #first or c:is_cut() and c:chunks()[1] or c.model.layers // (c.plan.pp * c.plan.vpp)
  local layers = set["recompute-num-layers"]
  return layers and chunk > 0 and layers / chunk or nil
end

--- Rows by field of the plan, see emit/settings.lua.
function rows.make()
  return tables.with(all_weights.rows, {
    tp = { name = "tensor-model-parallel-size" },
    pp = { set = pipeline, read = "pipeline-model-parallel-size" },
    vpp = { usual = 1, set = virtual, read = read_virtual, cannot = cannot_virtual, implied = function() return true end },
    dp = { implied = function() return true end, read = function(_, c) return c:left_over() end }, -- the world over tp * pp * cp
    cp = { usual = 1, set = function(value)
      return { { "context-parallel-size", value }, { "cp-comm-type", "p2p" } }
    end, read = "context-parallel-size" },
    ep = { name = "expert-model-parallel-size" },
    etp = { name = "expert-tensor-parallel-size" },
    zero = { usual = 0, set = zero, read = read_zero },
    shard = { set = function(value, c)
      if value == c.ranks then return nil end
      return { { "num-distributed-optimizer-instances", c.ranks // value } }
    end, implied = function(value, c) return value == c.ranks end, read = function(set, c)
      return backwards.times(c.ranks, set["num-distributed-optimizer-instances"] or 1)
    end },
    sequence_parallel = { usual = false, set = flag("sequence-parallel") },
    recompute = { set = recompute, cannot = cannot_selective, read = read_recompute, implied = function(value, c) return value == "none" and #modules(c) == 0 end },
    recompute_share = { cannot = cannot_share, implied = function() return true end, read = read_share },
    recompute_norms = by_module("layernorm"), recompute_up_proj = up_proj,
    recompute_mlp = by_module("mlp"), recompute_moe = by_module("moe"), recompute_shared = by_module("shared_experts"),
    recompute_activation = { usual = false, read = by_module("moe_act").read, implied = function() return true end, cannot = function(_, c)
      return cannot_both(_, c) or c.model.experts == 0 and "a dense MLP recomputes whole (module mlp) or not at all"
        or nil
    end },
    micro_batch = { name = "micro-batch-size" },
    schedule = { usual = "1f1b", cannot = "Megatron-LM runs 1F1B, interleaved where there are virtual stages" },
    precision = { set = function(value) return PRECISION[value] end, cannot = cannot_precision,
      read = read_precision, unsaid = "fp32",
      implied = function(value) return value == "fp32" end },
    flash = { set = function(value) return { { "attention-backend", value and "auto" or "unfused" } } end,
      read = function(set) return ATTENTION[set["attention-backend"]] end },
    overlap_dp = { usual = false, set = overlap_dp, read = function(set) return set["overlap-grad-reduce"] == true end },
    overlap_tp = { usual = false, set = function(_, c)
      return c.plan.sequence_parallel and { { "tp-comm-overlap", true } } or nil
    end, cannot = function(_, c)
      return not c.plan.sequence_parallel and "tp-comm-overlap needs sequence parallelism" or nil
    end },
    overlap_ep = { usual = false, set = function()
      return { { "overlap-moe-expert-parallel-comm", true }, { "delay-wgrad-compute", true } }
    end, read = function(set) return set["overlap-moe-expert-parallel-comm"] end },
    grad_bytes = { set = gradients, read = read_gradients, cannot = cannot_gradients, implied = function() return true end },
    master_bytes = { usual = 4, cannot = "16-bit training keeps fp32 main weights" },
    optimizer = { set = optimizer, cannot = cannot_optimizer, read = read_optimizer },
    offload = { usual = "none", set = function() return OFFLOAD end, read = read_offload, cannot = function(value)
      return CANNOT_OFFLOAD[value]
    end },
    offload_activations = { usual = 0, set = offloaded_layers, cannot = cannot_offload_layers, read = function(set, c)
      return (set["cpu-offloading-num-layers"] or 0) / c.model.layers
    end },
    cross_entropy = { usual = "plain", set = function(value)
      return value == "fused" and { { "cross-entropy-loss-fusion", true } } or nil
    end, cannot = function(value)
      return value == "chunked" and "the logits of a micro-batch are stored whole" or nil
    end },
    rank_order = { usual = "tp-cp-dp-pp", set = function() return { { "use-tp-pp-dp-mapping", true } } end },
    split = { usual = "layers",
      cannot = "write the stages by hand: pipeline-model-parallel-layout or decoder-last-pipeline-num-layers" },
    first_layers = { usual = 0, name = "decoder-first-pipeline-num-layers" },
    last_layers = { usual = 0, name = "decoder-last-pipeline-num-layers" },
    quantized_params = { usual = false, set = function(_, c)
      return c.plan.precision ~= "nvfp4" and c.plan.precision ~= "int8" and { { "fp8-param-gather", true } } or nil
    end, cannot = function(_, c)
      return (c.plan.precision == "nvfp4" or c.plan.precision == "int8") and "16-bit weights are kept beside" or nil
    end },
  })
end

return rows
