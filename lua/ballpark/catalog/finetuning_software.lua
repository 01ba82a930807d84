-- What programs for fine-tuning do otherwise than the class of software that they are built on: { pattern of the
-- lower-case name, traits, with fields of the core's profile in `fields` }. The first pattern found decides.
--
-- Most of them run the layers of Hugging Face's Transformers one operation after the other, with PEFT's adapters.
local tables = require("ballpark.tables")

local GiB <const> = 1 << 30

-- Launch by launch: some hundred operations of a layer that PyTorch starts in 8 us each. Steps of 256 tokens, which
-- wait for nothing else, take 0.9 to 1.1 ms a layer and pass (README of QwenLM/Qwen, A100; litgpt's tables, A100).
local EAGER_LAYER_S <const> = 8e-4

-- litgpt's LoRA of queries and values adds to an output that has keys, too: up to 2023 it made the list of its columns a tensor
-- for every call, beside a grouped convolution (zero_pad and conv1d of its lora.py, recalled). A layer takes 1.7 ms longer
-- forward and backward than with adapters of other kinds (litgpt's tables, A100, layers of 200 million weights).
local LITGPT_PAD_S <const>, LITGPT_PADS <const> = 6.5e-4, 2023

-- Hooks of DeepSpeed's ZeRO-3 that fetch and release every parameter of a layer: steps of 256 tokens of 7 and 72 billion
-- parameters take 3.7 and 4.5 ms longer a layer and pass than without (README of QwenLM/Qwen, A100).
local ZERO3_LAYER_S <const> = 4e-3

-- PyTorch's FSDP likewise where it does not limit its gathers: 1.3 ms a layer and pass (litgpt's tables of 2023, two
-- A100, layers of 200 million weights).
local FSDP_LAYER_S <const> = 1.3e-3

-- Kernels of several operations each leave some fewer launches (assumption).
local FUSED_LAYER_S <const> = 6e-4

-- Logits in 16 bit and in fp32, their logarithm of softmax and the gradient of it, counted from Transformers'
-- LlamaForCausalLM.forward: 14; up to release 4.45 shifted by a token and so copied: 18. The middle.
local HF_LOGIT_BYTES <const> = 2 + 4 + 4 + 4 + 4 / 2

-- Loops that hold what the model returned while backward runs hold its logits: Transformers' in fp32 (`output` of
-- fsdp_qlora's train.py, 2024), litgpt's in 16 bit (`logits` of its scripts, 2023; recalled). Trainer and torchtune let go.
local HELD_FP32 <const>, HELD_NARROW <const> = 4, 2

-- DeepSpeed's fp16 engine runs without autocast, which would take the loss to fp32: logits, their copy shifted by a
-- token, logarithm of softmax and gradient in 16 bit (README of QwenLM/Qwen: peaks grow by 7.6 to 8.2 bytes a logit).
local FP16_LOGIT_BYTES <const> = 2 + 2 + 2 + 2

-- Elementwise traffic of eager layers over fused ones: counted 2.6 (resolve/training/launch_settings.lua); many models
-- come with kernels for norms and rotation (README of QwenLM/Qwen: 1.5 to 2).
local EAGER_PASSES <const> = 2

-- Scores beside the stored ones, counted from eager attention with a softmax in fp32 (CoreAttention of chatglm3-6b):
-- the product of heads in 16 bit, its masked copy and the gradient of the softmax in fp32, the mask.
local EAGER_SCORE_BYTES <const> = 2 + 4 + 4 + 1

-- torch.optim.AdamW works on all tensors at once (foreach) and keeps the root of the second moments of all of them: from
-- PyTorch 2.0 on (March 2023). Trainer takes the fused kernel, which keeps nothing, with PyTorch 2.8 (August 2025; recalled).
local FOREACH_BYTES <const>, FOREACH_YEARS <const> = 4, { 2024, 2025 }

-- DeepSpeed's optimizers of 16-bit gradients flatten those of a rank in 16 bit and copy them to fp32 before its fused
-- Adam runs (stage_1_and_2.py and stage3.py), under ZeRO 3 in groups of 1e9 parameters (sub_group_size).
local DEEPSPEED_UPDATE_BYTES <const>, SUB_GROUP <const> = 2 + 4, 1e9

-- DeepSpeed's ZeRO-3 gives a layer back once more parameters than these are gathered, unless it is used again within as
-- many (stage3_max_live_parameters and stage3_max_reuse_distance of its configuration, defaults).
local LIVE_PARAMS <const> = 1e9

-- DeepSpeed's own reduce_bucket_size, where no file of settings says another: Accelerate writes none, and DeepSpeed-Chat's
-- leaves it (ds_utils.py; recalled). Files that people give Trainer say "auto", the square of the hidden width.
local BUCKET_PARAMS <const> = 5e8

-- Dropout before adapters as their commands have it: lora_dropout of litgpt's script and of ms-swift's TunerArguments,
-- 0.05; scripts on PEFT write the same, as TRL's ModelConfig does, though LoraConfig itself has none (their code, 2023
-- to 2025; recalled). torchtune's recipes, unsloth's notebooks and LLaMA-Factory have 0.
local DROPOUT <const> = 0.05

-- torchtune's loss takes the head's output in eight chunks, of which one at a time is in fp32 (num_output_chunks of
-- CEWithChunkedOutputLoss; recalled).
local LOSS_CHUNKS <const> = 8

-- Bytes of a logit in unsloth's loss: 16 bit, an fp32 copy and the gradient in 16 bit. It takes as many logits at a time as
-- half of the free memory holds, which for most runs are all (unsloth_fused_ce_loss of unsloth_zoo, since September 2025;
-- recalled). Before, cut cross-entropy kept none in bf16; in fp16 Accelerate made the fp32 copy (recalled).
local UNSLOTH_LOGIT_BYTES <const> = 2 + 4 + 2

-- unsloth sets expandable_segments of PyTorch's allocator (PYTORCH_CUDA_ALLOC_CONF of unsloth_zoo; recalled). Such segments
-- grow, so no blocks of other lengths stay behind, and next to no fragments.
local EXPANDABLE <const> = 1.01

-- MatMul4Bit of bitsandbytes kept its input for backward, which does not need it; releases of 2024 do not (its code;
-- recalled).
local NARROW_INPUTS <const> = 2023

-- Of all: how many e-folds wider than the law of training the range of a step is. Published runs are inside in 85 of 100
-- cases in the mean of their sources (four); a little less wide it would leave out one source, whose lengths are known badly.
-- Peaks of memory have a law of their own (ballpark.range.finetuning).
local common = { finetuning = true, narrow_inputs_until = NARROW_INPUTS, data_parallel_only = true, spread = { time = 0.18 } }

-- context: assumption; fragmentation: assumption, as of other eager classes; memory_spread: as of other classes. Gradients
-- are let go after an update: zero_grad sets them to none (default since PyTorch 2.0).
local allocator = { context_bytes = GiB, fragmentation = 1.05, memory_spread = 0.1, gradients_freed = true }

-- Where ranks share states, collectives hold memory in streams of their own: the prior of tools/fit/memory_coefficients.lua
-- for what nvidia-smi shows of DeepSpeed's ranks. Beside frozen weights that are whole it is of the shards of adapters alone
-- (Qwen's LoRA under ZeRO 2 on four cards took 7 % less than on one at 256 tokens, and 6 % more at 8,192).
local SHARDS <const> = 1.15

-- host_gradients: PyTorch's FSDP pins a gradient beside every shard that it offloads (_cpu_grad of its flat parameters, made
-- whether they learn or not; recalled).
local eager = tables.with(allocator, { host_layer_s = EAGER_LAYER_S, elementwise_passes = EAGER_PASSES,
  eager_kept = true, host_gradients = true })

-- A product: what all have, with its own traits and fields of the profile.
local function product(traits, fields)
  return tables.with(tables.with(common, traits), { fields = fields })
end

-- Trainer and what is built on it take files of DeepSpeed of any stage (--deepspeed; axolotl and LLaMA-Factory come with some),
-- beside FSDP.
local hugging_face_fields = tables.with(eager, { zero_stages = "all", sharded_fragmentation = SHARDS, score_bytes = EAGER_SCORE_BYTES, autocast = true, adapters = "cast", base_ends = "fp32", logit_bytes = HF_LOGIT_BYTES,
  update_bytes = FOREACH_BYTES, narrow_weights = "cast", working_grad_bytes = 0, backward_grad_bytes = 0,
  weight_gather = "forward", gradient_sum = "separate" })

-- Transformers calls the package flash-attn, whose second generation is of July 2023.
local FLASH_ATTN <const> = { { before = 2023, kernels = "first" }, { before = 2026, kernels = "second" } }

-- Transformers runs PyTorch's scaled_dot_product_attention where nobody asks for another from release 4.36 on (December
-- 2023; recalled); before that the scores were stored.
local SDPA_YEAR <const> = 2024

-- Packed samples that do not see each other: kernels of attention with a list of lengths, or a mask of blocks. TRL has it
-- since its packing fills bins (packing_strategy "bfd" beside padding-free batches, 2025), unsloth since December 2025,
-- ms-swift since its release 3 (packing needs flash_attn; 2025), axolotl since its multipack sampler (2023), torchtune
-- with FlexAttention (October 2024). LLaMA-Factory's packing is one sequence unless neat_packing is set. All recalled.
local TRL_APART <const>, UNSLOTH_APART <const>, AXOLOTL_APART <const>, TORCHTUNE_APART <const> = 2025, 2026, 2023, 2025

-- from_pretrained makes weights of 32 bit unless told, up to release 5 of Transformers (December 2025; recalled). Trainers
-- with options of their own tell it: they load what the checkpoint or their recipes have, in 16 bit (torch_dtype of ms-swift,
-- infer_optim_dtype of LLaMA-Factory, bf16 auto of axolotl; recalled).
-- LoraConfig's default rank, and its targets of Llama-like models; prepare_model_for_kbit_training recomputes.
local hugging_face = product({ authors_code = true, packs_apart = TRL_APART, flash = SDPA_YEAR, attention = FLASH_ATTN, copies_in_update = FOREACH_YEARS, loads_wide_until = 2025, expert_modules_until = 2025, zero = 0, overlap_dp = 2022, fused_loss = math.huge, lora_rank = 8, lora_targets = "qv",
  recompute_frozen_narrow = "full", lora_dropout = DROPOUT }, hugging_face_fields)

local function hf(changes) return tables.with(hugging_face, changes) end

-- On PEFT without its prepare_model_for_kbit_training.
local narrow_ends = tables.with(hugging_face_fields, { base_ends = "narrow" })

-- DeepSpeed keeps 16-bit weights beside fp32 ones, those of adapters too (module.bfloat16() of its engine), and gradients
-- in 16 bit (grad_accum_dtype is that of the model); plain Trainer casts fp32 weights for every forward.
local deepspeed = hf({ copies_in_update = false, narrow_sums = true, fp16_logit_bytes = FP16_LOGIT_BYTES, fields = tables.with(hugging_face_fields,
  { adapters = "separate", autocast = false, gradients_freed = false, host_gradients = false, narrow_weights = "kept", host_gather_s = ZERO3_LAYER_S,
    update_bytes = DEEPSPEED_UPDATE_BYTES, update_group = SUB_GROUP, live_params = LIVE_PARAMS }) })

local deepspeed_unset = tables.with(deepspeed, { fields = tables.with(deepspeed.fields, { bucket_params = BUCKET_PARAMS }) })

return {
  -- Kernels of its own for adapters, norms, rotation and loss, fused attention; checkpoints wait in host memory
  -- (use_gradient_checkpointing "unsloth"). Defaults of its notebooks: rank 16 on all linear layers, 8-bit AdamW.
  -- From November 2024 to September 2025 no logits in bf16: cut cross-entropy (Wijmans et al., arXiv:2411.09009). Its notebooks load
  -- weights in 4 bit (load_in_4bit = True); on several cards each has the whole model (DDP), no states are sharded.
  { "unsloth", product({ packs_apart = UNSLOTH_APART, method = "qlora", shards = false, always_fused = true, zero = 0, overlap_dp = 2022, recompute = "full", recompute_offloads = true, lora_rank = 16,
    lora_targets = "all", base_format = "bitsandbytes_dynamic", optimizer = "adam_8bit", fused_loss = math.huge, chunked_loss = 2025, expandable = true },
    tables.with(allocator, { adapters = "fused", base_ends = "narrow", host_layer_s = FUSED_LAYER_S,
      elementwise_passes = 1, logit_bytes = UNSLOTH_LOGIT_BYTES, loss_in_room = true, fragmentation = EXPANDABLE, narrow_weights = "kept", gradient_sum = "separate" })) },
  -- Checkpointing is on unless told otherwise (gradient_checkpointing of SftArguments); weights stay in the 16 bit they
  -- are loaded in, and adapters have their format (lora_dtype AUTO). Samples that are too long are dropped
  -- (truncation_strategy "delete", release 2; recalled). Its ZeRO is DeepSpeed's (--deepspeed zero3).
  { "swift", hf({ loads_wide_until = false, recompute = "full", lora_targets = "qkv", pure_bf16 = 2023, longer = "dropped",
    fields = tables.with(hugging_face_fields, { adapters = "separate", host_gather_s = ZERO3_LAYER_S }) }) },
  -- Checkpointing is on unless disable_gradient_checkpointing; lora_target all, rank 8. It prepares a packed base by itself and
  -- casts no embedding (prepare_model_for_training of its model_utils; recalled).
  { "llama.?factory", hf({ loads_wide_until = false, packs_apart = false, recompute = "full", lora_dropout = false, lora_targets = "all", fields = narrow_ends }) },
  -- It casts embedding and norms back to 16 bit for FlashAttention, which its recipes turn on (convert_embedding_modules_dtype
  -- of its loader; recalled).
  { "axolotl", hf({ loads_wide_until = false, packs_apart = AXOLOTL_APART, recompute = "full", lora_targets = "all", fields = narrow_ends }) },
  -- Its train.py loads all but the packed weights in the compute format, and shards by FSDP.
  { "fsdp_qlora", hf({ loads_wide_until = false, recompute = "full", lora_targets = "all", lora_rank = 64, pure_bf16 = 2023,
    fields = tables.with(hugging_face_fields, { zero_stages = "fsdp", base_ends = "narrow", held_logit_bytes = HELD_FP32 }) }) },
  { "deepspeed.*chat", deepspeed_unset }, { "transformers.*deepspeed", deepspeed }, { "deepspeed.*transformers", deepspeed },
  { "trl.*deepspeed", deepspeed }, { "peft.*deepspeed", deepspeed_unset }, { "hugging.?face.*deepspeed", deepspeed },
  { "accelerate.*deepspeed", deepspeed_unset },
  { "trl", hugging_face }, { "peft", hugging_face }, { "transformers", hugging_face },
  { "hugging.?face", hugging_face }, { "accelerate", hugging_face },
  -- bf16 weights, gradients and moments (precision bf16-true); loss in chunks; adapters of rank 8 on queries and values
  -- (lora_r, lora_query and lora_value of its scripts). Attention is PyTorch's scaled_dot_product_attention.
  { "lit.?gpt", product({ always_fused = true, zero = 0, pure_bf16 = 2023, fused_loss = 2023, lora_rank = 8, lora_targets = "qv",
    lora_dropout = DROPOUT, pads = { last = LITGPT_PADS, host_pad_s = LITGPT_PAD_S } },
    tables.with(eager, { adapters = "separate", logit_bytes = 6,
      held_logit_bytes = HELD_NARROW, narrow_weights = "kept",
      update_bytes = FOREACH_BYTES, gathers_ahead = true, fused_qkv = true,
      host_gather_s = FSDP_LAYER_S })) },
  -- Weights, gradients and Adam's moments in bf16 without a copy in fp32 (dtype: bf16 of its recipes), which checkpoint
  -- (enable_activation_checkpointing); its nf4 is torchao's. On one device all weights are trained by bitsandbytes'
  -- PagedAdamW8bit in backward (full_finetune_single_device). They train on alpaca_cleaned, two samples at a time, and
  -- log what PyTorch has active (log_peak_memory_stats);
  -- attention is PyTorch's scaled_dot_product_attention.
  { "torchtune", product({ packs_apart = TORCHTUNE_APART, always_fused = true, zero = 3, data_set = "alpaca", micro_batch = 2, memory_log = "allocated", pure_bf16 = 2024, recompute = "full", base_format = "torchao", lora_rank = 8,
    lora_targets = "all", one_device = { optimizer = "paged_adam_8bit", update_in_backward = true } },
    tables.with(eager, { adapters = "separate", host_gradients = false, loss_chunks = LOSS_CHUNKS })) },
}
