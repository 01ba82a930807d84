-- Classes of training software: how much time and memory each spends around the kernels. A class is a
-- small set of named coefficients (fields of the core's profile), never a number for one model or one
-- paper. What a class does not name is as in "megatron", the base.
--
-- Coefficients marked "fit" come from one least-squares fit over some 1,600 published training steps
-- of 2021 to 2026 (all sources together); they also absorb what the model leaves out.
local errors = require("ballpark.errors")

local profiles = {}

local base = {
  gemm = 1.16,                  -- fit: training matmuls against isolated ones (clocks, cold caches)
  attention = 1,
  attention_backward = 1,       -- the attention kernel's own backward
  launch = 0.5,                 -- assumption: half of an empty kernel hides behind the one before it
  sustained_flop_w = 1.08e12,   -- fit: what the power limit lets 16-bit matmuls sustain
  elementwise = 0.68,           -- fit
  elementwise_passes = 1,
  softmax_passes = 5.1,         -- fit, on runs without fused attention
  host_layer_s = 869e-6,        -- fit, on models small enough to wait for their host
  host_tp = 0.08,               -- assumption: launching collectives, per doubling of TP
  host_micro_s = 537e-6,        -- fit
  host_step_s = 10e-3,          -- assumption
  overlap_tp = 0.37,            -- fit
  overlap_dp = 0.8,             -- assumption, bucketed all-reduce
  overlap_fsdp = 0.95,          -- assumption, prefetched gathers
  overlap_ep = 0.25,            -- assumption
  exposed_dp = 0.08,            -- assumption: first bucket and last gather always show
  moe_passes = 5.8,             -- fit
  imbalance = 1,                -- benchmarks route evenly
  quantize = 0.4,               -- assumption: most casts are fused into the kernel before
  straggler = 0.005,            -- assumption
  context_bytes = 1 << 30,      -- about 1 GiB: CUDA context, cuBLAS workspaces, NCCL buffers
  fragmentation = 1.03,         -- B200 runs with recorded allocations, median 2 % off
  activation_copies = 1,
  logit_bytes = 10,             -- bf16 logits, fp32 copy and gradient of it
  memory_spread = 0.06,
}

-- Software eras that change coefficients, for classes that have them: the last entry whose year is
-- not above the run's year and whose device generation fits applies.
local attention_before_flash2 = {
  -- Attention kernels of before 2024 against today's curves, fit; on devices with 8-bit matmul units
  -- (Hopper and later) they miss the new copy and matmul instructions, a further factor 1.7.
  before = 2024, attention = 1.36, attention_newer = 1.36 * 1.7,
}

local classes = {
  megatron = {
    about = "Megatron-LM, Megatron Core, NeMo, Megatron-Bridge, MegaScale: fused kernels, own pipeline",
    source = "fit over published steps; the base of all classes",
    traits = { overlap_dp = 2023, zero = 1, interleaves = 2023, sequence_parallel = 2023, overlap_tp = 2023,
      causal_flops = 2025, eras = { attention_before_flash2 } },
  },
  deepspeed = {
    about = "DeepSpeed and Megatron-DeepSpeed: eager launches, no interleaving, fp16 buckets",
    source = "memory: BLOOM runs of 2022 (nvidia-smi, context included)",
    fields = { context_bytes = 3543348019, fragmentation = 1.25, memory_spread = 0.12 },
    traits = { zero = 1, eras = { attention_before_flash2 } },
  },
  fsdp = {
    about = "PyTorch FSDP: torchtitan, llm-foundry, torchtune, Accelerate, Lightning",
    source = "as megatron",
    fields = { memory_spread = 0.15 },
    traits = { overlap_dp = 2022, zero = 3, eras = { attention_before_flash2 } },
  },
  nanotron = {
    about = "nanotron: eager PyTorch, little fusion",
    source = "fit: launch time and elementwise traffic over the base; memory from 866 published runs",
    fields = { host_layer_s = 2.5 * 869e-6, host_micro_s = 2.5 * 537e-6, elementwise_passes = 4.3,
      context_bytes = 923417968, fragmentation = 1.11, activation_copies = 1.54, logit_bytes = 14.2,
      memory_spread = 0.15 },
    traits = { overlap_dp = 2023, zero = 1, sequence_parallel = 2023 },
  },
  jax = {
    about = "XLA programs: MaxText, Paxml, Levanter, T5X, AXLearn",
    source = "assumption: the whole step is one compiled program, nothing is launched per layer",
    fields = { host_layer_s = 0, host_micro_s = 0 },
    traits = { overlap_dp = 2019, zero = 3, whole_batch = true },
  },
  neuron = {
    about = "AWS Neuron SDK: compiled graphs",
    source = "assumption: as jax",
    fields = { host_layer_s = 0, host_micro_s = 0 },
    traits = { overlap_dp = 2023, zero = 1, sequence_parallel = 2023 },
  },
  gaudi = {
    about = "Intel Gaudi: Optimum Habana, DeepSpeed for Gaudi with graphs",
    source = "assumption: graphs replace launches; sharding as DeepSpeed ZeRO-3",
    fields = { host_layer_s = 0, host_micro_s = 0 },
    traits = { overlap_dp = 2022, zero = 3 },
  },
  ascend = {
    about = "Huawei Ascend: MindSpeed and ModelLink on Megatron",
    source = "as megatron",
    traits = { overlap_dp = 2023, zero = 1, interleaves = 2023, sequence_parallel = 2023 },
  },
  native = {
    about = "hand-written programs without a framework: llm.c",
    source = "assumption: launches without Python cost a tenth",
    fields = { host_layer_s = 87e-6, host_micro_s = 54e-6 },
    traits = { overlap_dp = 2024, zero = 1 },
  },
  generic = {
    about = "software nobody here has measured: as megatron, with wider spread and no special features",
    source = "assumption",
    fields = { memory_spread = 0.25 },
    traits = { overlap_dp = 2022, zero = 1, eras = { attention_before_flash2 } },
  },
}

-- Which class a framework's name means; the first pattern found in the lower-case name decides.
local frameworks = {
  { "deepspeed", "deepspeed" }, { "neox", "deepspeed" },
  { "mindspeed", "ascend" }, { "modellink", "ascend" }, { "mindspore", "ascend" },
  { "nanotron", "nanotron" },
  { "maxtext", "jax" }, { "pax", "jax" }, { "levanter", "jax" }, { "t5x", "jax" }, { "axlearn", "jax" },
  { "jax", "jax" }, { "xla", "jax" }, { "easylm", "jax" }, { "alpa", "jax" },
  { "neuron", "neuron" }, { "nxd", "neuron" },
  { "habana", "gaudi" }, { "gaudi", "gaudi" }, { "synapse", "gaudi" },
  { "llm%.c", "native" },
  { "megatron", "megatron" }, { "nemo", "megatron" }, { "mcore", "megatron" }, { "megascale", "megatron" },
  { "bridge", "megatron" }, { "transformer.?engine", "megatron" },
  { "fsdp", "fsdp" }, { "torchtitan", "fsdp" }, { "llm.?foundry", "fsdp" }, { "mosaic", "fsdp" },
  { "composer", "fsdp" }, { "torchtune", "fsdp" }, { "accelerate", "fsdp" }, { "lightning", "fsdp" },
  { "litgpt", "fsdp" }, { "transformers", "fsdp" }, { "axolotl", "fsdp" }, { "pytorch", "fsdp" },
}

--- Names of the classes, sorted.
---@return string[]
function profiles.names()
  local names = {}
  for name in pairs(classes) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function class_of(name)
  local class = classes[name]
  if not class then errors.choice("profile", tostring(name), profiles.names()) end
  return class
end

--- A fresh table of a class's coefficients.
---@param name string
function profiles.get(name)
  local class = class_of(name)
  local fields = { name = name, source = class.source }
  for field, value in pairs(base) do fields[field] = value end
  for field, value in pairs(class.fields or {}) do fields[field] = value end
  return fields
end

--- What a class stands for, in words.
function profiles.about(name) return class_of(name).about end

--- What its software does where nothing is said: `zero` stage, first years of `interleaves`,
--- `sequence_parallel`, `overlap_tp`, `overlap_dp` and of counting causal attention half (`causal_flops`), whether a
--- rank takes its whole share of the batch at a time (`whole_batch`).
function profiles.traits(name) return class_of(name).traits end

--- The class that a framework's name means, or "generic" and false.
---@param framework string|nil
---@return string class
---@return boolean known
function profiles.classify(framework)
  local name = (framework or ""):lower()
  for _, entry in ipairs(frameworks) do
    if name:find(entry[1]) then return entry[2], true end
  end
  return "generic", false
end

--- The coefficients of a class as its software was in `year`, on `device`.
function profiles.of_year(name, year, device)
  local fields = profiles.get(name)
  for _, era in ipairs(class_of(name).traits.eras or {}) do
    if year < era.before then
      local newer = (device.fp8_flop_s or 0) > 0
      fields.attention = newer and era.attention_newer or era.attention
    end
  end
  return fields
end

return profiles
