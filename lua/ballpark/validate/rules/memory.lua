-- How gradients and stages are kept, and what has to be so for the run to have fitted: sharding, tensor
-- parallelism, recomputation.
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local shapes = require("ballpark.resolve.shapes")

-- Estimated share of the device's memory up to which a run counts as fitting. Above 1: the run is known
-- to have fitted, and estimates of memory are off by some 6 %.
local FULL <const> = 1.05

-- Bytes per parameter of ZeRO-1: bf16 weights and fp32 gradients whole, Adam's 12 sharded.
local function zero1_bytes(case)
  if (case.plan.lora_rank or 0) > 0 then return 2 * shapes.params(case.model) end
  return shapes.params(case.model) * (6 + 12 / (case.plan.dp * case.plan.cp))
end

local function estimated(case)
  return case.context.estimate({ model = case.model, device = case.device, network = case.network,
    plan = case.plan, job = case.job, profile = case.profile })
end

local function fits(case)
  local m = estimated(case).memory
  return m.total_bytes <= FULL * m.capacity_bytes, m
end

local NARROW <const> = { fp8 = true, mxfp8 = true, nvfp4 = true }

-- Habits of the class that no column states.
local function habits(case)
  local plan, traits = case.plan, case.traits
  local narrow = NARROW[plan.precision] and case.year >= (traits.narrow_states or math.huge)
  if narrow or plan.precision == "fp16" and traits.fp16_gradients then plan.grad_bytes = 2 end
  plan.quantized_params = narrow
  if plan.pp > 1 then plan.split = traits.split end
  return nil
end

-- What is trained, where columns say so.
local function trained(case)
  local plan, row = case.plan, case.row
  plan.optimizer = row.optimizer and row.optimizer:lower()
  plan.lora_rank, plan.base_bits = row.lora_rank, row.base_bits
  return nil
end

-- Rank of adapters nobody states: published recipes use 8 to 64.
local USUAL_RANK <const> = 16

-- Fine-tuning with adapters says so in the name of the model: "Llama-3.1 8B (QLoRA finetune)".
local function adapters(case)
  local name = (case.row.model or ""):lower()
  if case.row.lora_rank or not name:find("lora") then return nil end
  case.plan.lora_rank = USUAL_RANK
  if name:find("qlora") then case.plan.base_bits = case.plan.base_bits or 4 end
  return ("adapters of rank %d%s"):format(USUAL_RANK, case.plan.base_bits and " on 4-bit weights" or "")
end

local function sharding(case)
  local plan = case.plan
  if not case.zero_open or plan.zero >= 3 or plan.tp * plan.pp > 1 or plan.dp * plan.cp == 1 then return nil end
  if zero1_bytes(case) <= FULL * case.device.memory_bytes then return nil end
  plan.zero = 3
  return "ZeRO stage 3, the states would not fit otherwise"
end

-- Cuts a run further, by cut() while that returns true, until it fits with full recomputation.
local function until_it_fits(case, cut)
  local plan = case.plan
  local before = { plan.recompute, plan.recompute_share }
  plan.recompute, plan.recompute_share = "full", 1
  repeat until fits(case) or not cut()
  plan.recompute, plan.recompute_share = before[1], before[2]
end

-- Tensor parallelism of a run that states no layout: as little as makes it fit, inside a node.
local function tensor_parallel(case)
  local row, plan = case.row, case.plan
  if row.tp or row.dp or plan.tp > 1 or not case.zero_open then return nil end
  until_it_fits(case, function()
    local tp = plan.tp * 2
    if tp > case.node_size or plan.dp % 2 ~= 0 or case.model.heads % tp ~= 0
      or case.job.global_batch % (plan.dp // 2 * plan.micro_batch) ~= 0 then
      return false
    end
    plan.tp, plan.dp = tp, plan.dp // 2
    return true
  end)
  return plan.tp > 1 and ("tp %d, the least that fits"):format(plan.tp) or nil
end

local function deals_evenly(case, ep)
  local plan = case.plan
  return case.model.experts % ep == 0 and plan.tp * plan.cp * plan.dp % (ep * plan.etp) == 0
end

-- Ranks that published recipes deal experts over at least, where fast links join that many.
local USUAL_EP <const> = 8

-- Ranks that deal experts among them: the usual number, or as many more as make the run fit. Where weights are
-- sharded anyway each rank computes all experts.
local function expert_parallel(case)
  local plan = case.plan
  if not case.ep_open then return nil end
  local most = plan.zero < 3 and math.min(USUAL_EP, case.network.domain) or 1
  while 2 * plan.ep <= most and deals_evenly(case, 2 * plan.ep) do plan.ep = 2 * plan.ep end
  until_it_fits(case, function()
    if not deals_evenly(case, 2 * plan.ep) then return false end
    plan.ep = 2 * plan.ep
    return true
  end)
  return "ep " .. plan.ep
end

-- Expert traffic runs under the compute of another micro-batch, and two are at work at a time where stages are
-- interleaved: Megatron Core refuses the overlap in a pipeline that is not.
local function overlap_ep(case)
  local plan, first = case.plan, case.traits.overlap_ep
  plan.overlap_ep = plan.ep > 1 and plan.vpp > 1 and first ~= nil and case.year >= first
  return nil
end

local words = {
  { "^none$", "none" }, { "^no$", "none" }, { "^false$", "none" }, { "^0$", "none" },
  { "select", "selective" }, { "full", "full" }, { "^true$", "full" }, { "^yes$", "full" }, { "^1$", "full" },
}

local function stated(text)
  if not text then return nil end
  for _, word in ipairs(words) do
    if text:lower():find(word[1]) then return word[2] end
  end
  errors.choice("recompute", text, fields.by_name(fields.input("train_step", "plan")).recompute.names)
end

local function try(case, mode, share)
  case.plan.recompute, case.plan.recompute_share = mode, share
  return fits(case)
end

-- Layers of a stage that recompute, from a straight line between none and all, then upwards.
local function partial(case, none, full)
  local layers = -(-case.model.layers // case.plan.pp)
  local limit = FULL * none.capacity_bytes
  local share = (none.total_bytes - limit) / math.max(1, none.total_bytes - full.total_bytes)
  for count = math.max(1, math.min(layers, math.ceil(share * layers))), layers - 1 do
    if try(case, "full", count / layers) then
      return ("full recomputation of %d of %d layers of a stage, the least that fits"):format(count, layers)
    end
  end
  case.plan.recompute_share = 1
  return "full recomputation, the least that fits"
end

-- Stored scores, or the heads' queries, keys and values of MLA.
local function selective_saves(case)
  return not case.plan.flash or (case.model.kv_lora_rank or 0) > 0
end

local function recompute(case)
  local plan = case.plan
  plan.recompute, plan.recompute_share = stated(case.row.recompute), 1
  if plan.recompute then return nil end
  if (plan.lora_rank or 0) > 0 then
    plan.recompute = "full"
    return "full recomputation, as recipes of fine-tuning do"
  end
  local ok, none = try(case, "none", 1)
  if ok then return "no recomputation" end
  if selective_saves(case) and try(case, "selective", 1) then return "selective recomputation, the least that fits" end
  local fitted, full = try(case, "full", 1)
  if not fitted then return "full recomputation, though even that does not seem to fit" end
  return partial(case, none, full)
end

-- Step time with so many sequences at a time, or nil where that is no plan or would not fit.
local function step_with(case, micro_batch)
  local plan = case.plan
  local before, wave = plan.micro_batch, plan.dp * micro_batch
  local count = case.job.global_batch // wave
  if case.job.global_batch % wave ~= 0 or plan.vpp > 1 and count % plan.pp ~= 0 then return nil end
  plan.micro_batch = micro_batch
  local out = estimated(case)
  plan.micro_batch = before
  return out.memory.total_bytes <= out.memory.capacity_bytes and out.time.step_s or nil
end

-- Whoever reports a run has tuned it: of the powers of two that fit, the fastest.
local function micro_batch(case)
  local plan = case.plan
  if case.row.micro_batch or case.traits.whole_batch and plan.pp == 1 then return nil end
  local best = estimated(case).time.step_s
  local size = 2 * plan.micro_batch
  while true do
    local step = step_with(case, size)
    if not step or step >= best then break end
    best, plan.micro_batch = step, size
    size = 2 * size
  end
  return "micro_batch " .. plan.micro_batch
end

return {
  { column = "precision, pp", apply = habits,
    says = "gradients add up in fp32, in fp16 where the class keeps them so (deepspeed); recipes of 8 and 4 bit in "
      .. "the class megatron from 2025 on add them up in 16 bit and keep no 16-bit weights; stages have equal "
      .. "layers, in the class nanotron equal matmul work with the head's" },
  { column = "optimizer, lora_rank, base_bits", apply = trained,
    says = "blank: Adam with fp32 states; all weights are trained, unless the model's name says otherwise" },
  { column = "model", apply = adapters,
    says = "LoRA in its name: adapters of rank 16 on frozen weights, in 4 bit where it says QLoRA" },
  { column = "zero", apply = sharding,
    says = "blank, without tp and pp: 3 where the states would not fit at stage 1" },
  { column = "tp", apply = tensor_parallel,
    says = "blank as well as dp and the sharding: as small as fits with full recomputation, inside a node" },
  { column = "ep", apply = expert_parallel,
    says = "blank: below ZeRO 3 up to 8 ranks of a domain that divide the experts; doubled until the run fits "
      .. "with full recomputation" },
  { column = "ep", apply = overlap_ep,
    says = "expert traffic runs under compute where stages are interleaved, in the class megatron from 2025 on" },
  { column = "recompute", apply = recompute,
    says = "blank: none if that fits into the device's memory (or is up to 5 % over: the run did fit, and "
      .. "estimates are off by that much); else selective where attention is "
      .. "not fused or latent (MLA); else full recomputation of the smallest share of layers that fits; full "
      .. "with adapters; other words than none, selective and full are refused" },
  { column = "micro_batch", apply = micro_batch,
    says = "blank: doubled from 1 as long as that fits and is faster (class jax: as said above)" },
}
