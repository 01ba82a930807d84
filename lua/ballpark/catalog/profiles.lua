-- Classes of training software: how much time and memory each spends around the kernels. A class is named
-- behaviours and a small set of coefficients (fields of the core's profile), never a number for one model or
-- one paper. What a class does not name is as in "megatron", the base; constants of all classes are the core's
-- (profile.common).
--
-- Most coefficients come from one least-squares fit over published training steps of 2021 to 2026 (all
-- sources together, see profile_fit.lua), those of memory from another (memory_fit.lua); they also absorb
-- what the model leaves out. The rest is here, each with its reason.
local attention_kernels = require("ballpark.catalog.attention_kernels")
local errors = require("ballpark.errors")
local finetuning_software = require("ballpark.catalog.finetuning_software")
local fit = require("ballpark.catalog.fitted.profile")
local memory_fit = require("ballpark.catalog.fitted.memory")
local mentions = require("ballpark.mentions")
local name_length = require("ballpark.name_length")
local near = require("ballpark.near")
local tables = require("ballpark.tables")

local profiles = {}

--- Fields of the plan of a run that keeps weights, gradients and moments in bf16 and nothing in fp32 (trait `pure_bf16`).
profiles.PURE_BF16 = { master_bytes = 0, grad_bytes = 2, optimizer = "adam_bf16" }

local assumptions = {
  attention = 1,                -- today's kernels are what the curves were measured on
  elementwise_passes = 1,       -- fused kernels
  host_layer_s = 5e-4,          -- assumption: some sixty launches of 8 us
  host_micro_s = 5e-4,          -- assumption: a scheduler's work between two passes
  exposed_fsdp = fit.fsdp.exposed_fsdp, -- as PyTorch's FSDP, the one that was measured
  imbalance = 1,                -- benchmarks route evenly
  context_bytes = 1 << 30,      -- assumption: CUDA context, cuBLAS workspaces, NCCL buffers
  fragmentation = 1.05,         -- assumption: reserved over allocated, between fused and eager classes
  activation_copies = memory_fit.megatron.activation_copies,
  logit_bytes = 10,             -- bf16 logits, fp32 copy and gradient of it
  memory_spread = memory_fit.unseen.memory_spread, -- classes nobody measured
}

-- Generations of attention kernels: FlashAttention-1 and its kind to 2023, then FlashAttention-2 (July 2023), which
-- PyTorch's own attention (scaled_dot_product_attention) and what is built on it stay with to the end of 2025.
-- Transformer Engine takes cuDNN's on Hopper and later: its first ones in 2024, those of today since.
local torch_attention = { { before = 2024, kernels = "first" }, { before = 2026, kernels = "second" } }
local engine_attention = { { before = 2024, kernels = "first" }, { before = 2025, kernels = "cudnn_2024" } }

-- ZeRO-3 asked for every parameter by itself, twelve in a GPT layer (four matrices, two norms, each with a
-- bias), until DeepSpeed fetched them together (microsoft/DeepSpeed pull request 1453, January 2022).
local one_by_one = { before = 2022, fields = function() return { layer_gather = "by_parameter" } end }

-- Megatron-LM before 3.0: a hook of every parameter added its gradient to the sum (main_grad.add_), and
-- backward waited for tensor-parallel traffic. Since then matmuls add (gradient_accumulation_fusion), and
-- traffic runs beside them: that full recomputation costs 39 % more time instead of a third is explained by
-- this overlap (arXiv:2205.05198, table 4).
local unfused_backward = { before = 2022, fields = function()
  return { gradient_sum = "separate", tp_backward = "waits" }
end }

-- In 2021 and 2022 ranks of Megatron-DeepSpeed that have the same activations each sent all of them: of runs with 8
-- layers per stage the one with ten stages took 7 % longer than the one with one (bigscience-workshop/bigscience@
-- 9e64edec, chronicles-prequel.md, lines 389 and 390), where such sends are 6 % of the step and split ones 1 %.
-- Runs of 2024 (VIA-Research/vTrain) show none of it.
local whole_sends = { before = 2023, fields = function() return { sends = "whole" } end }

-- Copies of a token for experts of one rank were merged first by DeepEP (February 2025), a dispatcher of Megatron
-- Core since 0.11.
local copy_each = { before = 2025, fields = function() return { expert_copies = "each" } end }

-- A loss of PyTorch, torch.nn.functional.cross_entropy on logits cast to fp32, counted at its backward: logarithms of the
-- softmax, their gradient and that of the logits, which are gone themselves. Compiled, it keeps logits and gradient in
-- 16 bit and works in registers.
local TORCH_LOGIT_BYTES <const>, COMPILED_LOGIT_BYTES <const> = 4 + 4 + 4, 2 + 2

-- An fp32 gradient in place of a 16-bit one. PyTorch's AdamW on one flat tensor makes the root of its second moments and a
-- quotient beside it, each as long, until its fused kernel does for such tensors, too (release 2.1, October 2023; recalled).
local FP32_GRADIENT <const>, FLAT_COPIES <const> = 4 - 2, 4 + 4
local unfused_update = { before = 2024, fields = function() return { update_bytes = FP32_GRADIENT + FLAT_COPIES } end }

-- PyTorch had neither a compiler nor fused attention before release 2.0 (March 2023; recalled). Norms and activation
-- functions are kernels of its own, between casts (assumption: as in other eager layers with such kernels).
local UNCOMPILED_PASSES <const> = 2
local uncompiled = { before = 2023, fields = function()
  return { elementwise_passes = UNCOMPILED_PASSES, eager_scores = true }
end }

local classes = {
  megatron = {
    about = "Megatron-LM, Megatron Core, NeMo, Megatron-Bridge, MegaScale: fused kernels, own pipeline",
    source = "fit over published steps; the base of all classes",
    fields = {
      sends = "split", -- scatter and gather between stages: arXiv:2104.04473, section 4.1
      tp_backward = "beside_weights",
      expert_copies = "merged",
      joint_adapters = true, -- on linear_qkv and linear_fc1
      -- Megatron-FSDP with stages is in no published run; ZeRO-2 is (MegaScale, arXiv:2402.15627). Without stages they
      -- have the distributed optimizer or FSDP, and nothing between.
      seen_pipeline_zero = 2, unseen_zero = 2,
    },
    -- Interleaving came with that paper and is what its end-to-end runs use (section 5.1).
    -- Overlap of expert traffic came with Megatron Core 0.13 (--overlap-moe-expert-parallel-comm).
    -- Recipes of 8 and 4 bit reduce gradients in 16 bit and gather 8-bit weights (grad_reduce_in_fp32 off,
    -- fp8_param_gather on, in the performance scripts of NeMo and Megatron-Bridge): a third of the published
    -- runs that state their recomputation would not fit otherwise.
    -- Fused attention was an option (--use-flash-attn) until Transformer Engine became the default layer.
    -- Releases called after their month are those of NVIDIA's containers of NeMo and Megatron-Bridge, whose performance
    -- recipes turn grad_reduce_in_fp32 off in every format, and cross_entropy_loss_fusion on (recalled).
    -- Megatron-FSDP came in 2025; its guide asks for --grad-reduce-in-bf16 (recalled).
    traits = { overlap_dp = 2023, zero = 1, interleaves = 2021, sequence_parallel = 2023, overlap_tp = 2023,
      short_gradients_by_month = 2023, short_gradients_fsdp = 2025, fused_loss_by_month = 2024, overlap_ep = 2025,
      narrow_recipes = true, narrow_states = 2025, flash = 2024, memory_log = "allocated", causal_flops = 2025,
      attention = engine_attention, eras = { one_by_one, unfused_backward, copy_each } },
  },
  deepspeed = {
    about = "DeepSpeed and Megatron-DeepSpeed: eager launches, no interleaving, fp16 buckets",
    eager = true,
    source = "fit; memory as nvidia-smi shows it, context included",
    fields = {
      weight_gather = "step_end", -- step() ends with the gather: zero/stage_1_and_2.py
      sends = "split",            -- PartitionedTensor: runtime/pipe/engine.py (recalled)
      -- PipelineEngine refuses ZeRO-2 and -3 (runtime/pipe/engine.py), and runs one chunk per stage.
      -- Megatron-DeepSpeed deals heads of whole sequences (Ulysses, arXiv:2309.14509), not together with stages (recalled):
      -- a search leaves it out.
      pipeline_zero = 1, interleaves = false, cuts_context = false, context = "heads",
      gradient_sum = "separate",  -- autograd adds gradients of a parameter up; bf16_optimizer.py does it itself
    },
    traits = { zero = 1, fp16_gradients = true, attention = torch_attention,
      eras = { one_by_one, whole_sends } },
  },
  fsdp = {
    about = "PyTorch FSDP: torchtitan, llm-foundry, torchtune, Accelerate, Lightning",
    source = "as megatron; memory: assumption",
    -- Selective checkpointing is by operation (PyTorch's selective_checkpoint policies), which saves every second matmul.
    -- FSDP shards gradients or weights, too (ShardingStrategy), and nothing of it is ZeRO-1. Software on FSDP alone has
    -- neither stages nor context parallelism; what has them is among the products below.
    -- Gradients are reduced in 16 bit and kept in fp32 (MixedPrecision of Accelerate under bf16, of fms-fsdp's bfSixteen,
    -- of Composer's PURE: reduce_dtype bf16; recalled).
    -- Async tensor parallelism makes the forward of Llama 3 8B a quarter faster and its whole step a twelfth ("Introducing
    -- Async Tensor Parallelism in PyTorch", discuss.pytorch.org, 2024; recalled): what backward waits for stays.
    fields = { narrow_weights = "cast", selective = "policy", tp_parts = "copied", shard_sums = "narrow", zero_stages = "fsdp",
      tp_backward = "always_waits",
      logit_bytes = TORCH_LOGIT_BYTES,
      -- A DTensor that is gathered for ColwiseParallel is what autograd keeps (recalled).
      whole_inputs = true,
      -- Models repeat keys and values for every query head before attention (repeat_kv), and PyTorch's context
      -- parallelism gathers them before it starts (context_parallel_rotate_method allgather of torchtitan; both recalled).
      context = "repeated",
      pipelines = "none", cuts_context = false },
    -- llm-foundry and Lightning's litgpt compute the loss in place or in chunks since 2023, torchtune since it is there
    -- (their default losses; recalled).
    -- FSDP came with PyTorch 1.11 (March 2022; recalled): before, every rank held all states (DistributedDataParallel).
    traits = { overlap_dp = 2022, zero = 3, shards_from = 2022, fused_loss = 2023, policies = "layers", attention = torch_attention,
      eras = { uncompiled } },
  },
  nanotron = {
    about = "nanotron: eager PyTorch, little fusion",
    eager = true,
    source = "fit: launch time and elementwise traffic over the base; memory",
    -- step() ends with the gather, tensor by tensor (optim/zero.py): of a layer two norms, four matrices.
    -- Gradients go in DistributedDataParallel's buckets, 25 MiB of 16-bit parameters (ddp_bucket_cap_mb).
    -- Steps of pipelines grow with the ranks of tensor parallelism as if the host waited for each collective (fit).
    fields = { weight_gather = "by_tensor", buckets = "ddp", pipe_collectives = "waited",
      -- It has ZeRO-0 and -1 and no virtual stages (src/nanotron/config/parallelism_config.py, recalled).
      pipeline_zero = 1, zero_stages = "optimizer", interleaves = false, cuts_context = false },
    -- Its model FLOP are 6 per parameter, embedding included, and full attention: so say tokens per second and MFU
    -- that were published together, to 0.2 % in each of four models (the same benchmark, 2025).
    traits = { overlap_dp = 2023, zero = 1, sequence_parallel = 2023, split = "work", counts_tables = true },
  },
  jax = {
    about = "XLA programs: MaxText, Paxml, Levanter, T5X, AXLearn",
    source = "assumption: the whole step is one compiled program, nothing is launched per layer",
    -- One sum over all gradients at the end: hidden, MaxText's steps on several slices err by 4.1 % in place of 2.7.
    -- Remat policies save the outputs of some matmuls (MaxText's remat_policy), the others are repeated.
    fields = { launches = "compiled", narrow_weights = "cast", replica_sum = "after", selective = "projections",
      -- Buffers are assigned when the program is compiled: nothing is cached or counted twice (assumption).
      activation_copies = 1, fragmentation = 1,
      adapters = "fused", -- the compiler fuses what scales and adds
      -- MaxText has stages (ici_pipeline_parallelism); no published run does. An array is sharded for all of its uses
      -- (jax.sharding), and published runs shard weights.
      pipelines = "rare", zero_stages = "weights" },
    -- The compiler works on logits in place: published runs of Llama 3.1 8B on TPU v6e have more of them than memory.
    -- Kernels of fused attention came to MaxText's TPUs and GPUs at the end of 2023 (splash attention, Transformer
    -- Engine's; recalled).
    traits = { overlap_dp = 2019, zero = 3, flash = 2024, whole_batch = true, fused_loss = 2019, policies = "named",
      narrow_recipes = true },
    on = { Google = "tpu" }, -- the class that the same software is on devices of a vendor
  },
  tpu = {
    about = "XLA programs on TPUs: as jax, on devices whose matmuls nobody has published timings of",
    source = "as jax; fit: matmuls over those of a stated ceiling",
    like = "jax",
  },
  neuron = {
    about = "AWS Neuron SDK: compiled graphs",
    source = "assumption: as jax",
    -- NxD shards the optimizer (zero_one_enabled), nothing else (recalled).
    fields = { launches = "compiled", zero_stages = "optimizer" },
    traits = { overlap_dp = 2023, zero = 1, sequence_parallel = 2023 },
  },
  gaudi = {
    about = "Intel Gaudi: Optimum Habana, DeepSpeed for Gaudi",
    source = "assumption: in lazy mode Python runs every operation of every step and collects them into graphs, so the host "
      .. "takes as long as in other eager software; sharding as DeepSpeed ZeRO-3",
    eager = true,
    -- As DeepSpeed; stages are in no published run.
    fields = { pipeline_zero = 1, interleaves = false, cuts_context = false, pipelines = "rare" },
    traits = { overlap_dp = 2022, zero = 3 },
  },
  ascend = {
    about = "Huawei Ascend: MindSpeed and ModelLink on Megatron",
    source = "as megatron",
    fields = { sends = "split", tp_backward = "beside_weights", seen_pipeline_zero = 1, joint_adapters = true },
    -- Matmuls fused with their traffic are in ModelLink's scripts for 910B (--use-mc2; recalled).
    traits = { overlap_dp = 2023, zero = 1, interleaves = 2023, sequence_parallel = 2023, overlap_tp = 2024 },
  },
  native = {
    about = "hand-written programs without a framework: llm.c",
    source = "assumption: launches without Python cost a tenth",
    -- llm.c has ZeRO-1, and 2 and 3 are not there yet (zero_stage of its README; recalled).
    fields = { host_layer_s = 87e-6, host_micro_s = 54e-6, pipelines = "none", cuts_context = false,
      zero_stages = "optimizer" },
    traits = { overlap_dp = 2024, zero = 1 },
  },
  internevo = {
    about = "InternEvo, InternLM's training framework: own pipeline and hybrid ZeRO",
    source = "time as generic; memory: assumption",
    -- Gradients are those of 16-bit weights, which its optimizer makes fp32 at once before it lets them go
    -- (flat_fp32_avg_grads of hybrid_zero_optim.py; recalled).
    fields = { update_bytes = FP32_GRADIENT },
    traits = { overlap_dp = 2022, zero = 1, attention = torch_attention, narrow_sums = true, eras = { unfused_update } },
  },
  generic = {
    about = "software nobody here has measured: as megatron, with wider spread and no special features",
    source = "assumption",
    -- By 2023 whoever cuts layers splits the activations between the cuts, too, and who has stages interleaves them.
    traits = { overlap_dp = 2022, zero = 1, sequence_parallel = 2023, interleaves = 2023,
      attention = torch_attention },
  },
}

-- Which class a framework's name means; the first pattern found in the lower-case name decides.
local frameworks = {
  { "automodel", "fsdp" }, -- NeMo's, on PyTorch's FSDP2
  { "alpaca", "fsdp" }, -- not Alpa
  { "torch.?acc", "jax" }, -- Alibaba's, on torch_xla
  { "deepspeed", "deepspeed" }, { "neox", "deepspeed" },
  { "mindspeed", "ascend" }, { "modellink", "ascend" }, { "mindspore", "ascend" },
  { "nanotron", "nanotron" }, { "internevo", "internevo" },
  { "maxtext", "jax" }, { "pax", "jax" }, { "levanter", "jax" }, { "t5x", "jax" }, { "axlearn", "jax" },
  { "jax", "jax" }, { "xla", "jax" }, { "easylm", "jax" }, { "alpa", "jax" },
  { "neuron", "neuron" }, { "nxd", "neuron" },
  { "habana", "gaudi" }, { "gaudi", "gaudi" }, { "synapse", "gaudi" },
  { "llm%.c", "native" },
  { "megatron", "megatron" }, { "nemo", "megatron" }, { "mcore", "megatron" }, { "megascale", "megatron" },
  { "bridge", "megatron" }, { "transformer.?engine", "megatron" },
  { "fsdp", "fsdp" }, { "torchtitan", "fsdp" }, { "llm.?foundry", "fsdp" }, { "mosaic", "fsdp" },
  { "composer", "fsdp" }, { "torchtune", "fsdp" }, { "accelerate", "fsdp" }, { "lightning", "fsdp" },
  { "litgpt", "fsdp" }, { "transformers", "fsdp" }, { "axolotl", "fsdp" },
  -- what each is built on, from memory of its documentation
  { "meshtensorflow", "jax" }, { "flax", "jax" }, { "haliax", "jax" }, { "bigvision", "jax" },
  { "megablocks", "megatron" }, { "fastmoe", "megatron" }, { "olmo", "fsdp" }, { "fairscale", "fsdp" },
  { "fairseq", "fsdp" }, { "metaseq", "fsdp" }, { "huggingface", "fsdp" }, { "llamafactory", "fsdp" },
  { "msswift", "fsdp" }, { "unsloth", "fsdp" }, { "veomni", "fsdp" }, { "modalities", "fsdp" },
  { "pytorch", "fsdp" }, { "primus", "megatron" }, { "hai.?llm", "megatron" }, { "gigatron", "megatron" },
  { "slime", "megatron" }, { "mindformers", "ascend" }, { "praxis", "jax" }, { "gspmd", "jax" }, { "tunix", "jax" },
  { "kithara", "jax" }, { "torchtpu", "jax" }, { "mics%f[%W]", "deepspeed" }, { "openrlhf", "deepspeed" },
  { "lmflow", "deepspeed" }, { "sagemaker", "fsdp" }, { "%f[%w]smp%f[%W]", "fsdp" }, { "smdistributed", "fsdp" },
  { "%f[%w]trl%f[%W]", "fsdp" }, { "%f[%w]peft%f[%W]", "fsdp" }, { "%f[%w]verl%f[%W]", "fsdp" }, { "fastchat", "fsdp" },
  { "xtuner", "fsdp" }, { "%f[%w]flame%f[%W]", "fsdp" }, { "torchforge", "fsdp" }, { "nanogpt", "fsdp" },
  { "foundation.?model.?stack", "fsdp" }, { "hf.?trainer", "fsdp" }, { "lingua", "fsdp" }, { "vescale", "fsdp" },
  { "%f[%w]swift%f[%W]", "fsdp" }, { "pathways", "jax" }, { "bmtrain", "deepspeed" }, { "openlm", "fsdp" },
  { "nanochat", "fsdp" }, { "haiku", "jax" }, { "flagscale", "megatron" }, { "axonn", "megatron" },
  { "ipex", "fsdp" }, { "xformers", "fsdp" }, { "flash.?attn", "fsdp" }, { "torch.?distributed", "fsdp" },
  { "fully.?sharded", "fsdp" }, { "^zero%f[%W]", "deepspeed" },
}

-- Engines that serve and do not train, by a part of their lower-case names.
local serving_engines = { "vllm", "sglang", "trt.?llm", "tensorrt", "triton", "lmdeploy", "llama%.?cpp", "ollama", "tgi",
  "text.generation.inference", "mlc", "exllama" }

-- Years of the software of the runs that the coefficients were fitted to.
profiles.FIRST_YEAR, profiles.NEWEST_YEAR = 2021, 2026

--- The Transformer is of 2017 (Vaswani et al., arXiv:1706.03762): before it there was no software that trained one.
profiles.LEAST_YEAR = 2017

-- What products do otherwise than their class; the first pattern found in the lower-case name decides.
local products = {
  { "nanotron", {} }, -- of Hugging Face, and none of what fine-tunes
  -- None of NeMo's recipes below; stages by torch.distributed.pipelining (recalled).
  { "automodel", { fields = { pipelines = "rare", cuts_context = true } } },
  -- NeMo's recipes add gradients up and reduce them in 16 bit since 2023, in every format (optim.grad_sync_dtype of its
  -- GPT and Llama configurations, grad_reduce_in_fp32 of its bf16_mixed), but for FSDP in fp32
  -- (fsdp_grad_reduce_dtype); recalled. Runs of GPT 20B on two ranks each and of Nemotron 340B on 128 devices would not
  -- fit otherwise. Before 2025 its optimizer kept of an fp32 weight the 16 bits that the bf16 one lacks
  -- (store_param_remainders, set with bf16 and O2; recalled).
  -- Its recipes fuse the loss (cross_entropy_loss_fusion) since 2024 (recalled).
  -- Adapters are on the fused matrix of queries, keys and values (target_modules attention_qkv, later linear_qkv; recalled).
  -- Packed sequences of fine-tuning go to attention with their lengths (cu_seqlens; recalled).
  { "nemo", { short_gradients = 2023, remainders_until = 2024, fused_loss = 2024, lora_targets = "qkv", packs_apart = 2024 } },
  -- These recompute whole layers where nothing is said: MaxText (remat_policy: full of its base.yml), EasyLM (nothing
  -- saveable) and Levanter (gradient_checkpointing) by the defaults of their models, GPT-NeoX in all its configurations
  -- (checkpoint-activations; the last three recalled).
  { "maxtext", { recompute = "full" } }, { "easylm", { recompute = "full" } }, { "levanter", { recompute = "full" } },
  { "neox", { recompute = "full", cuts_models = true } },
  -- Megatron's layers with DeepSpeed's states: tensors and layers are cut, as in all published runs of it (BLOOM, GLM-130B,
  -- MT-NLG; GPT-NeoX above is of the same kind). Its stages refuse more than ZeRO 1, on any device.
  { "megatron.?deepspeed", { cuts_models = true, zero = 1 } }, { "deepspeed.?megatron", { cuts_models = true, zero = 1 } },
  -- Its tensor-parallel traffic runs beside matmuls where it is told (--tp-comm-overlap, off by default); the recipes of
  -- NeMo and Megatron-Bridge tell it.
  { "megatron.?l?lm", { tells_overlap_tp = true } },
  -- Fully sharded states with Megatron's tensor parallelism (arXiv:2205.01068, section 2.4), and its fused kernels (recalled).
  { "metaseq", { fields = { elementwise_passes = 1, eager_scores = false } } },
  -- ms-swift's other backend: Megatron Core's layers, none of Transformers'.
  { "megatron.*swift", {} }, { "swift.*megatron", {} },
  -- Its speed-runs are data parallel and hold all states on every device (train_gpt.py; recalled).
  { "nanogpt", { zero = 0, fields = { pipelines = "none" } } },
  -- DeepSeek's own dispatch is what became DeepEP (arXiv:2412.19437, section 3.2.2). Its 8-bit training casts weights from
  -- fp32 straight to 8 bit, adds gradients up in fp32 (figure 6), and keeps inputs of SwiGLU in 8 bit and the output of
  -- attention once (section 3.3.3).
  { "hai.?llm", { narrow_weights = 2024, fields = { expert_copies = "merged", narrow_kept = true } } },
  -- torchtitan's configurations checkpoint selectively, by operation: the output of every second matmul is saved
  -- (activation_checkpoint.mode selective, selective_ac_option op). Its loss is PyTorch's on logits in fp32. It reduces
  -- gradients in fp32 (mixed_precision_reduce of its job configuration; recalled). Since 2025 the loss is compiled with
  -- the layers (build_cross_entropy_loss; recalled). A pipeline has as many micro-batches as ranks until 2024
  -- (pipeline_parallel_microbatches), then such of one sequence (pipeline_parallel_microbatch_size; recalled).
  -- Its tensor parallelism splits norms and sums along the sequence (SequenceParallel in its plans of layers).
  { "torchtitan", { recompute = "selective", sequence_parallel = 2023, fused_loss = math.huge, policies = false,
    stage_batches_until = 2024, compiled_loss = 2025, compiled_logit_bytes = COMPILED_LOGIT_BYTES,
    fields = { pipelines = "usual", cuts_context = true, shard_sums = "as_kept" } } },
  -- Built on it, or with stages of PyTorch of their own (their documentation, recalled).
  { "flame%f[%W]", { fields = { pipelines = "rare", cuts_context = true } } },
  { "modalities", { fields = { pipelines = "rare" } } },
  { "olmo", { fields = { pipelines = "rare", cuts_context = true } } },
  { "sagemaker", { fields = { pipelines = "rare", cuts_context = true } } },
  { "smdistributed", { fields = { pipelines = "rare", cuts_context = true } } },
  -- PyTorch has stages (torch.distributed.pipelining) and context parallelism for whoever builds on it.
  { "pytorch", { fields = { pipelines = "rare", cuts_context = true } } },
  -- GaudiTrainer shards by DeepSpeed or FSDP, and cuts no layers (recalled).
  { "optimum", { fields = { pipelines = "none" } } },
}

for _, entry in ipairs(finetuning_software) do
  local fields = tables.with({ pipelines = "none" }, entry[2].fields)
  products[#products + 1] = { entry[1], tables.with(entry[2], { fields = fields }) }
end

--- Names of the classes, sorted.
---@return string[]
function profiles.names()
  return tables.sorted_keys(classes)
end

-- Peaks of a class come from few sources that share devices and releases: whoever else runs it will be
-- off by more than they are from each other. What the 80 % range of peaks of families left out implies.
local LEAST_MEMORY_SPREAD <const> = 0.085

local function class_of(name)
  local class = classes[name]
  if not class then errors.choice("profile", tostring(name), profiles.names()) end
  return class
end

--- Whether the host of a class launches operation by operation, in eager PyTorch without fused layers: these share
--- what a layer and a micro-batch take it.
function profiles.runs_eagerly(name) return class_of(name).eager == true end

--- The class that a class follows in all it does not say itself, or itself.
function profiles.like(name) return class_of(name).like or name end

--- A fresh table of a class's coefficients.
---@param name string
function profiles.get(name)
  local class, like = class_of(name), profiles.like(name)
  local fields = { name = name, source = class.source }
  local eager = class.eager and fit.eager or {}
  for _, layer in ipairs({ assumptions, fit.all, classes[like].fields or {}, eager, fit[like] or {}, fit[name] or {},
    memory_fit[like] or {} }) do
    for field, value in pairs(layer) do fields[field] = value end
  end
  fields.memory_spread = math.max(fields.memory_spread, LEAST_MEMORY_SPREAD)
  return fields
end

--- A class named outright. What is set in it is said; the rest reads as the base of the class, and is resolved as of
--- the software's year, on the device and over its network.
---@param name string
---@param said table|nil
---@return table
function profiles.named(name, said)
  local base = profiles.get(name)
  return setmetatable(tables.with({ class = name, name = name, source = base.source }, said), { __index = base })
end

--- The class of software that coefficients stand for: the one they are said over, the one a calibration started from,
--- or that of their name; and whether it is a measured one.
---@param profile table
---@return string class
---@return boolean known
function profiles.of_coefficients(profile)
  if profile.class then return profile.class, class_of(profile.class) ~= classes.generic end
  local name = profile.calibration and profile.calibration.class or profile.name
  if not classes[name or ""] then return "generic", false end
  return name, name ~= "generic"
end

--- The software that fine-tunes where nobody names any: an assumption.
profiles.USUAL_FINETUNING = "transformers"

--- The software that fine-tunes under a name: DeepSpeed alone is what Transformers' Trainer runs on there, not its own
--- recipes of pre-training.
---@param name string
---@return string
function profiles.of_finetuning(name)
  return name:lower():match("^%s*deepspeed%s*$") and "transformers + deepspeed" or name
end

--- What a class stands for, in words.
function profiles.about(name) return class_of(name).about end

--- What its software does where nothing is said: `zero` stage (`shards_from`: 0 before that year), first years of `interleaves`,
--- `sequence_parallel`, `overlap_tp` (`tells_overlap_tp`: where it is told), `overlap_dp`, `overlap_ep`, of fused attention (`flash`; `always_fused`: it has no other), of counting causal
--- attention half (`causal_flops`) and of 8-bit recipes with 16-bit gradients and no 16-bit weights
--- (`narrow_states`), of no 16-bit weights alone (`narrow_weights`), whether published runs on devices with 4-bit matmuls are mostly in 8 bit (`narrow_recipes`), the
--- first year of 16-bit gradients in every format below ZeRO 3 (`short_gradients`; of releases called after
--- their month `short_gradients_by_month`; of FSDP `short_gradients_fsdp`), the last year of master weights that lack what the 16-bit ones have
--- (`remainders_until`), the first of a cross-entropy that works in place (`fused_loss`, `fused_loss_by_month`), the year of a
--- cross-entropy that keeps no logits in bf16 (`chunked_loss`), the first of
--- states in nothing but bf16 (`pure_bf16`), what backward computes again unasked (`recompute`), what policies selective
--- recomputation may be (`policies`: "named", or of "layers", too), `fields` of the profile that differ from the
--- class's, whether FLOP rates count the embedding, too (`counts_tables`), whether a rank takes its whole share of the
--- batch at a time (`whole_batch`), whether fp16 gradients add up in fp16 (`fp16_gradients`), how stages are cut
--- (`split`), since when a loss that is compiled keeps `compiled_logit_bytes` of a logit (`compiled_loss`), the last year in which a pipeline has as many micro-batches as stages unasked (`stage_batches_until`), and of software for fine-tuning (`finetuning`) how adapters, optimizer and recomputation are unasked (`lora_rank`,
--- `lora_targets`, `lora_dropout`, `base_format`, `optimizer`, `one_device`, `recompute_frozen_narrow`, `recompute_offloads`), which method
--- its recipes are for (`method`: lora unless said), that it never shards states (`shards` = false), what becomes of samples that are too long (`longer`), since when packed samples do not see each other (`packs_apart`), which data set it trains on unasked (`data_set`), that it runs the code of a model's authors (`authors_code`) and until
--- which year each expert is a module of its own there (`expert_modules_until`), the years in
--- which its Adam makes copies (`copies_in_update`), the last in which frozen matrices of bitsandbytes keep their
--- input (`narrow_inputs_until`), the last in which its host puts adapters of some outputs in their place, and for how long
--- (`pads`), the last in which it loads weights of 32 bit unasked
--- (`loads_wide_until`), that segments of its allocator grow (`expandable`), that it shards and never cuts layers (`data_parallel_only`), sums of
--- 16 bit (`narrow_sums`), by how much its ranges are wider (`spread`); and what its log of memory means (`memory_log`:
--- "allocated", else all that the device holds).
---@param name string of the class
---@param product string|nil what the software calls itself: a product may differ from its class
function profiles.traits(name, product)
  local traits = classes[profiles.like(name)].traits
  for _, entry in ipairs(product and products or {}) do
    if product:lower():find(entry[1]) then return tables.with(traits, entry[2]) end
  end
  return traits
end

-- Classes of software that is made for cutting tensors and layers, where others shard weights.
local CUTS_MODELS <const> = { megatron = true, ascend = true, nanotron = true, neuron = true }

--- Whether software is made for that, as its class or, of some products, as traits say.
---@param class string
---@param traits table
function profiles.cuts_models(class, traits) return CUTS_MODELS[class] or traits.cuts_models == true end

-- Sharding that a name of software says: "DeepSpeed ZeRO-3", "Megatron-FSDP", "PyTorch DDP".
local shardings = { { "zero[%s_-]*s?t?a?g?e?[%s_-]*([0-3])%f[%D]" }, { "zero%+%+", 3 }, { "zero.?infinity", 3 },
  { "fsdp", 3 }, { "fully.?sharded", 3 }, { "%f[%w]ddp%f[%W]", 0 } }

--- The ZeRO stage that a name of software says, or nil; ZeRO++ and ZeRO-Infinity are of the third.
---@param name string|nil
---@return integer|nil
function profiles.sharding_named(name)
  for _, words in ipairs(shardings) do
    local first, _, stage = (name or ""):lower():find(words[1])
    if first then return words[2] or math.tointeger(tonumber(stage)) end
  end
  return nil
end

-- Shorter words come about by chance where two others are written together.
local LEAST_JOINED <const> = 5

-- What a vendor's devices are trained with where nobody says.
local usual = { Google = "tpu", AWS = "neuron", Intel = "gaudi", Huawei = "ascend" }

--- The class usual on devices of a vendor, nil where there is no one such.
---@param vendor string|nil
---@return string|nil
function profiles.usual(vendor) return usual[vendor or ""] end

-- PyTorch's software and Megatron run on these vendors' devices through the vendor's own compiler or fork, whose class
-- it is there.
local ported = { fsdp = true, deepspeed = true, megatron = true }

local function elsewhere(class, vendor)
  return (classes[class].on or {})[vendor] or ported[class] and profiles.usual(vendor) or class
end

--- The class that a framework's name means on devices of a vendor, and whether it is known; else what stands for it
--- there, "generic" where nothing better does.
---@param framework string|nil
---@param vendor string|nil
---@return string class
---@return boolean known
function profiles.classify(framework, vendor)
  local name = (framework or ""):lower()
  local joined = name:gsub("[%s_-]+", "") -- "deep-speed"
  for _, entry in ipairs(frameworks) do
    if name:find(entry[1]) or (#entry[1] >= LEAST_JOINED and joined:find(entry[1])) then
      return elsewhere(entry[2], vendor), true
    end
  end
  return profiles.usual(vendor) or "generic", false
end

--- Whether software of no known class is an engine for serving.
---@param framework string
---@return boolean
function profiles.only_serves(framework) return mentions.any(framework, serving_engines) end

local framework_words = {}
for _, entry in ipairs(frameworks) do
  if not entry[1]:find("%%") then framework_words[#framework_words + 1] = (entry[1]:gsub("%.%?", "")) end
end

--- The known word that a name of no class has misspelt, as "megatorn-lm"; nil for names of their own.
---@param framework string
---@return string|nil
function profiles.misspelt(framework)
  if name_length.is_over(framework) then return nil end
  local meant = near.typo(framework:gsub("[^%w]", ""), framework_words)
  for word in framework:gmatch("%w+") do meant = meant or near.typo(word, framework_words) end
  return meant
end

-- The generation of attention kernels in a year, nil for today's.
local function attention_of(generations, year)
  for _, kind in ipairs(generations or {}) do
    if year < kind.before then return kind.kernels end
  end
  return nil
end

-- Devices of a node that air cools.
local AIR_COOLED <const> = 8

--- Whether a device comes in racks that are one domain (NVL72), which are cooled by liquid: colder chips leak less, and
--- do more for a watt.
function profiles.in_rack(device) return device.vendor == "NVIDIA" and (device.domain or 1) > AIR_COOLED end

--- The coefficients of a class as its software was in `year`, on `device` and over a network between nodes.
---@param fabric string|nil
---@param attention table|nil generations of its attention kernels, where a product has others than its class
function profiles.of_year(name, year, device, fabric, attention)
  local fields = profiles.get(name)
  for _, era in ipairs(profiles.traits(name).eras or {}) do
    if year < era.before then fields = tables.with(fields, era.fields(device)) end
  end
  local kernels = attention_of(attention or profiles.traits(name).attention, year)
  fields = tables.with(fields, attention_kernels.fields(kernels, device))
  fields.attention_kernels = kernels
  fields.scaleout = (fit[fabric or ""] or fit.all).scaleout
  fields.sustained_flop_w = (profiles.in_rack(device) and fit.rack or fit.all).sustained_flop_w
  return fields
end

return profiles
