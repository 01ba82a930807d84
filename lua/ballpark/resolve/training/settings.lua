-- What the software did without being told: fused attention, sequence parallelism, overlap, interleaving, how it
-- keeps gradients and weights, what it trains.
local errors = require("ballpark.errors")
local following = require("ballpark.resolve.training.following")
local profiles = require("ballpark.catalog.profiles")
local schedules = require("ballpark.schedules")
local shapes = require("ballpark.resolve.shapes")
local stored = require("ballpark.catalog.models.stored")
local tables = require("ballpark.tables")

local settings = {}

local function since(case, trait)
  local first = case.traits[trait]
  return first ~= nil and case.year >= first
end

-- Fused attention was everywhere from this year on, for classes that do not say their own, and in Transformer Engine, which
-- 8-bit matmuls come from.
local FLASH_YEAR <const> = 2023

local NARROW <const> = { fp8 = true, mxfp8 = true, nvfp4 = true }

-- What runs the code that a model's authors wrote for Transformers has the attention of that code.
-- Ranks that share a sequence need fused attention in its place.
local function of_own_code(case)
  if not (case.traits.authors_code and case.model.own_attention == "unfused") or (case.plan.cp or 1) > 1 then return nil end
  case.plan.flash = false
  return "unfused attention, as the code of " .. (case.model.name or "its authors") .. " has"
end

local function flash(case)
  local plan = case.plan
  local own = of_own_code(case)
  if own then return own end
  if plan.flash ~= nil or case.varied.flash then return nil end
  if case.traits.always_fused then plan.flash = true return nil end
  following.set(case, "flash", function(precision)
    -- The class's own year is of its software, which a run without a name need not be.
    local own_year = case.software_name and not NARROW[precision] and case.traits.flash or nil
    return case.year >= (own_year or FLASH_YEAR)
  end)
  return plan.flash and "fused attention" or "unfused attention"
end

-- Whether a plan has tensor-parallel ranks, or a search may find one that has.
local function has_tp(case) return case.searching or case.plan.tp > 1 end

-- Megatron got selective recomputation together with it (arXiv:2205.05198), before it was the usual thing.
local function came_with_selective(case)
  return case.class == "megatron" and not case.searching and case.plan.recompute == "selective"
end

-- Beside sequence parallelism. An option that is off in a run; a search may turn it on.
local function overlaps_tp(case)
  local told = case.searching or not case.traits.tells_overlap_tp
  return told and has_tp(case) and since(case, "overlap_tp")
end

local function sequence_parallel(case)
  local plan = case.plan
  local said
  if plan.sequence_parallel == nil and not case.varied.sequence_parallel then
    plan.sequence_parallel = has_tp(case) and (since(case, "sequence_parallel") or came_with_selective(case))
    said = has_tp(case) and (plan.sequence_parallel and "sequence parallelism" or "no sequence parallelism")
  end
  if plan.overlap_tp == nil and not case.varied.overlap_tp then
    local overlaps = overlaps_tp(case)
    plan.overlap_tp = overlaps and plan.sequence_parallel == true
    if overlaps and case.varied.sequence_parallel then following.beside_sequence_parallel(case, "overlap_tp") end
  end
  return said or nil
end

local function overlap_dp(case)
  if case.plan.overlap_dp == nil and not case.varied.overlap_dp then
    case.plan.overlap_dp = since(case, "overlap_dp")
  end
  return nil
end

-- Expert traffic runs under the compute of another micro-batch where two are at work at a time. DualPipe was made for
-- it (arXiv:2412.19437, section 3.2.1). In Megatron Core it is an option that is off
-- (--overlap-moe-expert-parallel-comm), and refused in a pipeline whose stages are not interleaved. Recipes turn it on
-- where experts lie over several domains (moe_a2a_overlap of Qwen3 235B on H100 in Megatron-Bridge; recalled).
local function overlaps_between(case)
  local plan = case.plan
  return since(case, "overlap_ep") and plan.vpp > 1 and plan.ep * (plan.etp or 1) > case.network.domain
end

local function overlap_ep(case)
  local plan = case.plan
  if plan.overlap_ep ~= nil or case.varied.overlap_ep then return nil end
  if case.searching then
    local may = since(case, "overlap_ep") and (case.model.experts or 0) > 0
    if may then case.also_searched.overlap_ep = { false, true } end
    return nil
  end
  local both_ways = plan.schedule == "dualpipe" or plan.schedule == "dualpipe_v"
  plan.overlap_ep = plan.ep > 1 and (both_ways or overlaps_between(case))
  return nil
end

local function named_schedule(case) return schedules.named_by(case.software_name or "") end

local function micro_batches(case)
  local plan = case.plan
  return case.job.global_batch // (plan.dp * plan.micro_batch)
end

-- Bubble that people accept before they interleave (more).
local BUBBLE <const> = 0.05

-- The fewest virtual stages, of those that cut a stage's layers evenly, that leave a small bubble.
local function usual_stages(case)
  local plan, count = case.plan, micro_batches(case)
  local uneven = (plan.first_layers or 0) + (plan.last_layers or 0) > 0
  if uneven or not since(case, "interleaves") or count % plan.pp ~= 0 then return 1 end
  local layers = -(-case.model.layers // plan.pp)
  local best = 1
  for stages = 1, layers do
    if layers % stages == 0 and stages * plan.pp <= case.model.layers + 2 then
      best = stages
      if plan.pp - 1 <= BUBBLE * count * stages then break end
    end
  end
  return best
end

-- The fewest virtual stages above one that cut a stage's layers evenly.
local function some_stages(case)
  local layers = -(-case.model.layers // case.plan.pp)
  for stages = 2, layers do
    if layers % stages == 0 then return stages end
  end
  return 1
end

local function searched_schedule(case)
  if case.plan.schedule == nil and not case.varied.schedule then case.plan.schedule = named_schedule(case) end
  return nil
end

local function schedule(case)
  if case.searching then return searched_schedule(case) end
  local plan = case.plan
  local stages, stated, named = plan.vpp, plan.schedule, plan.schedule or named_schedule(case)
  local some = stages == "some"
  if stages == "max" then stages = -(-case.model.layers // plan.pp) end
  if some then stages = some_stages(case) end
  plan.vpp, plan.schedule = stages or 1, "1f1b"
  if plan.pp == 1 then
    plan.vpp = 1
    return stages and stages > 1 and "no virtual stages without a pipeline" or nil
  end
  if named and (not stages or (stated and named ~= "1f1b")) then
    plan.schedule = named
    plan.vpp = stages or (schedules.of(named) or {}).least_vpp or 1
    return not stated and "schedule " .. named or nil
  end
  if not stages then plan.vpp = usual_stages(case) end
  return (some or not stages) and "vpp " .. plan.vpp or nil
end

-- Whether recipes reduce gradients in 16 bit, but for FSDP.
local function sixteen_below_zero3(case)
  return since(case, "short_gradients") or case.released and since(case, "short_gradients_by_month")
end

-- Of an fp32 weight the bits that the bf16 one lacks.
local REMAINDER_BYTES <const> = 2

local function master(case)
  local last = case.traits.remainders_until
  if not last or case.year > last then return end
  following.set(case, "master_bytes", function(precision, sharded)
    return precision ~= "fp16" and not sharded and REMAINDER_BYTES or nil
  end)
end

local SIXTEEN <const> = { bf16 = true, fp16 = true }

-- Moments of PyTorch's AdamW have the format of the weights that it updates, which are what backward makes gradients of:
-- moments in bf16 say that nothing of what learns is in fp32. Software of pre-training has formats of moments of their own, and
-- DeepSpeed's engine keeps fp32 weights whatever is loaded.
local function narrow_moments(case)
  return case.traits.finetuning and case.class ~= "deepspeed" and case.plan.optimizer == profiles.PURE_BF16.optimizer
end

local function pure(case)
  if not ((since(case, "pure_bf16") or narrow_moments(case)) and case.plan.precision == "bf16") then return end
  for field, value in pairs(profiles.PURE_BF16) do
    if case.plan[field] == nil and not case.varied[field] then case.plan[field] = value end
  end
end

-- Whether recipes of 8 and 4 bit keep states of their own.
local function keeps_narrow(case, precision)
  return NARROW[precision] and case.year >= (case.traits.narrow_states or math.huge)
end

local function gradients(case)
  local traits = case.traits
  following.set(case, "grad_bytes", function(precision, sharded)
    local sixteen = keeps_narrow(case, precision) or not sharded and sixteen_below_zero3(case)
      or sharded and since(case, "short_gradients_fsdp")
      or precision == "fp16" and traits.fp16_gradients or traits.narrow_sums and SIXTEEN[precision]
    return sixteen and 2 or nil
  end)
end

-- How gradients add up, which weights are kept, and how stages are cut.
local function states(case)
  pure(case)
  master(case)
  gradients(case)
  local plan, traits = case.plan, case.traits
  if traits.copies_in_update and not tables.contains(traits.copies_in_update, case.year) then
    case.profile = tables.with(case.profile, { update_bytes = 0 })
  end
  if traits.narrow_inputs_until and case.year <= traits.narrow_inputs_until then
    case.profile = tables.with(case.profile, { narrow_inputs = true })
  end
  if traits.pads and case.year <= traits.pads.last then
    case.profile = tables.with(case.profile, { host_pad_s = traits.pads.host_pad_s })
  end
  if traits.fp16_logit_bytes and plan.precision == "fp16" then
    case.profile = tables.with(case.profile, { logit_bytes = traits.fp16_logit_bytes })
  end
  following.set(case, "quantized_params", function(precision)
    return keeps_narrow(case, precision) or NARROW[precision] and since(case, "narrow_weights") or false
  end)
  if plan.split == nil and (case.searching or plan.pp > 1) then plan.split = traits.split end
  return nil
end

-- Rank of adapters that nobody states: published recipes use 8 to 64.
local USUAL_RANK <const> = 16

-- Frozen weights that are not all of the bits that are said.
local FROZEN_WORDS <const> = { bitsandbytes_dynamic = "frozen weights as unsloth's dynamic checkpoints have them, a part of them in 16 bit" }

-- Matrices and format that nobody states, as the product has them; no sentence about what makes no difference.
local function usual_adapters(case)
  local plan, traits, said = case.plan, case.traits, {}
  if plan.lora_targets == nil and not case.varied.lora_targets and traits.lora_targets then
    plan.lora_targets = traits.lora_targets
    said[#said + 1] = "adapters on " .. plan.lora_targets
  end
  if plan.lora_dropout == nil and not case.varied.lora_dropout and traits.lora_dropout then
    plan.lora_dropout = traits.lora_dropout
    said[#said + 1] = ("dropout %g before adapters"):format(plan.lora_dropout)
  end
  if plan.base_format == nil and not case.varied.base_format and (plan.base_bits or 16) < 16 then
    plan.base_format = plan.base_bits == 4 and stored.read(case.model).packer or traits.base_format
    said[#said + 1] = FROZEN_WORDS[plan.base_format]
  end
  return said
end

-- The core's word for adapters on all matrices, and those that mean feed-forward parts, too.
local ALL <const>, OF_MLP <const> = "all", tables.set({ "all", "mlp", "outputs" })

-- Adapters are on matrices that every token visits, none on routed experts: what that leaves out, and nothing to train where
-- it is all that is named.
local function beside_experts(case)
  local targets, model = case.plan.lora_targets or ALL, case.model
  if case.varied.lora_targets or (model.experts or 0) == 0 or not OF_MLP[targets] then return nil end
  if targets == "mlp" and shapes.params_of_dense_mlp(model) == 0 then
    errors.input("plan.lora_targets", ("mlp, but the feed-forward parts of %s are all routed experts, which have no adapters here: "
      .. "nothing would be trained; say attention, qkv or qv"):format(model.name or "the model"))
  end
  return "no adapters on routed experts"
end

-- plan.adapters = "lora" or "qlora" says that there are some, not which.
local function adapters(case)
  local plan, said = case.plan, {}
  local kind = plan.adapters
  plan.adapters = nil
  if kind == "qlora" then plan.base_bits = plan.base_bits or 4 end
  if kind and not plan.lora_rank then
    plan.lora_rank = case.traits.lora_rank or USUAL_RANK
    said[1] = ("adapters of rank %d%s"):format(plan.lora_rank, plan.base_bits == 4 and " on 4-bit weights" or "")
  end
  if plan.lora_rank and errors.number("plan.lora_rank", plan.lora_rank, 0) > 0 then
    local usual = usual_adapters(case)
    table.move(usual, 1, #usual, #said + 1, said)
    said[#said + 1] = beside_experts(case)
  end
  return #said > 0 and table.concat(said, ", ") or nil
end

-- What a product does where all weights are trained on one device, one micro-batch a step, and nobody says how they are
-- updated.
local function on_one_device(case)
  local plan = case.plan
  for field, value in pairs(case.traits.one_device) do
    if plan[field] == nil then plan[field] = value end
  end
  return "paged 8-bit AdamW in backward"
end

-- The optimizer of a product that has its own.
local function optimizer(case)
  local plan, usual = case.plan, case.traits.optimizer
  if plan.optimizer or case.varied.optimizer or case.searching then return nil end
  if case.traits.one_device and case.devices == 1 and (plan.lora_rank or 0) == 0
    and case.job.global_batch == plan.micro_batch then
    return on_one_device(case)
  end
  if not usual then return nil end
  plan.optimizer = usual
  return "optimizer " .. usual
end

local function cross_entropy(case)
  if case.plan.cross_entropy ~= nil or case.varied.cross_entropy then return nil end
  -- Kernels that multiply the head by pieces of the vocabulary need bf16.
  if case.year == case.traits.chunked_loss and case.plan.precision == "bf16" then
    case.plan.cross_entropy = "chunked"
  elseif since(case, "fused_loss") or case.released and since(case, "fused_loss_by_month") then
    case.plan.cross_entropy = "fused"
  end
  if case.compiled and since(case, "compiled_loss") then
    case.profile = tables.with(case.profile, { logit_bytes = case.traits.compiled_logit_bytes })
  end
  return nil
end

--- What the run multiplies and trains.
settings.kinds = {
  { fact = "flash", apply = flash,
    says = "blank: fused from " .. FLASH_YEAR .. " on, in named software of the classes megatron and jax from 2024 on" },
  { fact = "adapters", apply = adapters,
    says = "'lora': adapters on frozen weights, 'qlora': on weights in 4 bit; rank and matrices are the product's own, "
      .. "else rank 16 on all but routed experts; on mlp of a model that has no other feed-forward parts is refused" },
  { fact = "optimizer", apply = optimizer,
    says = "blank: unsloth's 8-bit AdamW; torchtune's in backward and paged, where one device trains all weights; "
      .. "else Adam" },
  { fact = "grad_bytes", apply = states,
    says = "gradients add up in fp32, in fp16 where the class keeps them so (deepspeed), in 16 bit in NeMo, and where a "
      .. "release is called after its month (25.09), below ZeRO 3 from 2023 on, in Megatron-FSDP; NeMo's master weights have two bytes "
      .. "until 2024; torchtune's states are bf16 only; recipes of 8 and 4 bit in the class megatron from 2025 on add them up in 16 bit and keep no 16-bit weights; "
      .. "stages have equal layers, in the class nanotron equal matmul work with the head's" },
  { fact = "cross_entropy", apply = cross_entropy,
    says = "blank: works on the logits in place in the class jax, in the class fsdp from 2023 on, in NeMo and releases "
      .. "called after their month from 2024 on; "
      .. "else keeps copies of them" },
}

--- How the ranks work together, once they are known.
settings.overlaps = {
  { fact = "sequence_parallel", apply = sequence_parallel,
    says = "blank: on with tp > 1 where the class has it, from 2023 on, and in the class megatron beside selective "
      .. "recomputation; tensor-parallel traffic then "
      .. "overlaps matmuls in the class megatron (in Megatron-LM itself where a run says so), and in the class ascend from 2024 "
      .. "on" },
  { fact = "overlap_dp", apply = overlap_dp,
    says = "data-parallel traffic runs under compute from the year on in which the class began to" },
  { fact = "vpp", apply = schedule,
    says = "blank: where the class interleaves, from 2021 on, and micro-batches are a multiple of pp, the "
      .. "fewest that cut a stage's layers evenly and leave a bubble of at most 5 %; else 1; 'max' is one layer per "
      .. "chunk, 'some' (of interleaved stages that nobody counts) the fewest above one that cut them evenly; software named after a schedule (zero bubble), or published with one (HAI-LLM), runs it where vpp and schedule are blank" },
}

--- Runs once the expert-parallel ranks are known, too.
settings.overlap_ep = { fact = "overlap_ep", apply = overlap_ep,
  says = "blank: expert traffic runs under compute in the schedules dualpipe and dualpipe_v, and in the class megatron "
    .. "from 2025 on where stages are interleaved and experts lie over several domains; elsewhere it is an option that is off" }

return settings
