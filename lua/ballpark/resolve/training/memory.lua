-- What has to be so for memory to hold the run: sharding, tensor parallelism, recomputation; and the micro-batch that
-- is fastest of those that fit.
local batches = require("ballpark.resolve.training.batch")
local fields = require("ballpark.fields")
local profiles = require("ballpark.catalog.profiles")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")
local settings = require("ballpark.resolve.training.settings")
local shapes = require("ballpark.resolve.shapes")
local tables = require("ballpark.tables")
local tensor_ranks = require("ballpark.resolve.training.tensor_ranks")
local zero_stages = require("ballpark.resolve.training.zero_stages")

local memory = {}

-- Estimated share of the device's memory up to which a run that is known to have run counts as fitting: estimates of
-- memory are off by some 6 %.
local ROOM_OF_RUN <const> = 1.05

-- Standard deviations of memory left free in a plan that nobody has run yet: nine in ten then fit, as a search asks.
local NINE_IN_TEN <const> = 1.2816

-- How uncertain the memory of a case is, one standard deviation of its logarithm.
local function spread_of(case)
  return case.profile.memory_spread or fields.default("train_step", "profile", "memory_spread")
end

-- Estimated share of the memory that a plan may take.
local function room(case) return case.facts.ran and ROOM_OF_RUN or math.exp(-NINE_IN_TEN * spread_of(case)) end

local function estimated(case)
  return case.estimate({ model = case.model, device = case.device, network = case.network, plan = case.plan,
    job = case.job, profile = case.profile })
end

local function fits(case)
  local held = estimated(case).memory
  return held.total_bytes <= room(case) * held.capacity_bytes, held
end

-- Micro-batches of a step whose gradients add up.
local ADDS_UP <const> = 2

-- Bytes of a rank at a stage whatever its sequences are: those of a step of next to no tokens, which gathers and updates
-- like any other.
local function states_bytes(case, zero)
  local plan = case.plan
  local count = plan.update_in_backward and 1 or ADDS_UP
  local job = { seq_len = 2 * plan.tp * plan.cp, global_batch = count * plan.dp * plan.pp }
  plan = tables.with(plan, { zero = zero, micro_batch = 1 })
  plan.vpp, plan.schedule = nil, nil
  return estimated(tables.with(case, { plan = plan, job = job })).memory.total_bytes
end

local function states_recompute(plan) return plan.recompute ~= nil or recompute_modules.any(plan) end

-- Cuts a run further, by cut() while that returns true, until it fits with the recomputation that is stated, or with that of
-- whole layers where none is; and whether it does.
local function until_it_fits(case, cut)
  local plan = case.plan
  local before = { plan.recompute, plan.recompute_share }
  if not states_recompute(plan) then plan.recompute, plan.recompute_share = "full", 1 end
  local fitted
  repeat fitted = fits(case) until fitted or not cut()
  plan.recompute, plan.recompute_share = before[1], before[2]
  return fitted
end

local function deals_evenly(case, ep)
  local plan = case.plan
  return case.model.experts % ep == 0 and plan.tp * plan.cp * plan.dp % (ep * plan.etp) == 0
end

local function dealt_further(case)
  if not deals_evenly(case, 2 * case.plan.ep) then return false end
  case.plan.ep = 2 * case.plan.ep
  return true
end

-- Ranks that published recipes deal experts over at least, where fast links join that many.
local USUAL_EP <const> = 8

-- Dispatchers that send tokens between expert-parallel ranks and refuse a single one (the flex dispatcher of Megatron Core,
-- recalled): whoever names one has dealt experts out.
local BETWEEN_RANKS <const> = tables.set({ "deepep", "hybridep" })

local function deal_to_usual(case)
  local plan = case.plan
  local most = math.min(USUAL_EP, case.network.domain)
  while 2 * plan.ep <= most and dealt_further(case) do end
end

local function dispatched(case)
  if not (case.ep_open and BETWEEN_RANKS[case.dispatcher or ""]) or case.searching then return nil end
  deal_to_usual(case)
  case.least_ep = case.plan.ep
  return nil
end

-- Whether experts were dealt out because the run would not fit otherwise.
local function dealt_to_fit(case) return case.dealt_fits and case.plan.ep > 1 end

-- Software that nobody knows and that trains experts is taken to be of that kind: what deals experts out and has no
-- published runs is mostly built after Megatron (assumption).
local function cuts_models(case)
  if case.class == "generic" and (case.model.experts or 0) > 0 then return true end
  return profiles.cuts_models(case.class, case.traits)
end

-- Parts that a share is cut into: two, or three where ranks left over do not go in two.
local PARTS <const> = { 2, 3 }

-- Cuts one rank's share of tensors, then of layers: tensor parallelism up to a node, then stages (takeaways 1 and
-- 2 of Narayanan et al., arXiv:2104.04473, section 3).
local function cut_once(case)
  local plan = case.plan
  for _, parts in ipairs(PARTS) do
    local goes = plan.dp % parts == 0 and plan.tp * plan.cp * plan.dp // parts % (plan.ep * plan.etp) == 0
    local is_tensor = parts == 2 and not case.ep_open and tensor_ranks.may_cut(case, 2 * plan.tp)
    if goes and (is_tensor or parts * plan.pp <= case.model.layers) then
      local field = is_tensor and "tp" or "pp"
      plan[field], plan.dp = parts * plan[field], plan.dp // parts
      return true
    end
  end
  return false
end

-- What such software recomputes at least, where nobody says it: whole layers before it could do less.
local SELECTIVE_YEAR <const> = 2022

local function least_recompute(case)
  if case.year < SELECTIVE_YEAR then return "full" end
  return case.plan.flash and "none" or "selective"
end

local function has_room(case)
  local held = estimated(case).memory
  return held.total_bytes <= math.exp(-NINE_IN_TEN * spread_of(case)) * held.capacity_bytes
end

-- Whether ranks share the batch evenly; before a cut they may be too many.
local function shares_batch(case)
  local all = case.job.global_batch
  return not all or all % (case.plan.dp * (case.plan.micro_batch or 1)) == 0
end

-- Whether a stated stage already shards the weights, so that nothing has to be cut.
local function shards_weights(case) return not case.zero_open and case.plan.zero >= 3 end

local function may_be_cut(case)
  local plan, stated = case.plan, case.stated
  if case.searching or not cuts_models(case) or case.profile.pipelines == "none" then return false end
  if shards_weights(case) or stated.tp or stated.pp or stated.dp or dealt_to_fit(case) then return false end
  return states_bytes(case, plan.zero) > room(case) * case.device.memory_bytes
end

local CUT <const> = { "tp", "pp", "dp", "ep", "recompute", "recompute_share" }

-- Cuts a model until it fits with nine chances in ten and that recomputation; where it never does, it stays as it was.
local function cut_with(case, recompute)
  local plan, before = case.plan, {}
  for _, field in ipairs(CUT) do before[field] = plan[field] end
  while case.ep_open and 2 * plan.ep <= USUAL_EP and dealt_further(case) do end
  if not plan.recompute then plan.recompute, plan.recompute_share = recompute, 1 end
  local fitted
  repeat fitted = shares_batch(case) and has_room(case) until fitted or not cut_once(case)
  plan.recompute, plan.recompute_share = before.recompute, before.recompute_share
  if not fitted then
    for _, field in ipairs(CUT) do plan[field] = before[field] end
  end
  return fitted
end

-- A run whose states need more than data-parallel ranks is cut as that software cuts models.
local function cut_model(case)
  if not may_be_cut(case) then return nil end
  if not (cut_with(case, least_recompute(case)) or cut_with(case, "full")) then return nil end
  return ("tp %d, pp %d, dp %d, the least that fits"):format(case.plan.tp, case.plan.pp, case.plan.dp)
end

-- Experts of a run that states no layout are dealt out before states are sharded further, and before tensors are cut,
-- where that alone makes it fit.
local function deal_up_to(case, most)
  local plan = case.plan
  if not (case.ep_open and case.zero_open) or plan.tp * plan.pp > 1 then return nil end
  case.dealt_fits = until_it_fits(case, function() return 2 * plan.ep <= most and dealt_further(case) end)
  if not case.dealt_fits then plan.ep = case.least_ep or 1 end
  return nil
end

local function deal_experts(case) return deal_up_to(case, math.huge) end

-- Software that cuts models does so before experts lie over several domains.
local function deal_inside(case)
  return deal_up_to(case, cuts_models(case) and case.network.domain or math.huge)
end

local function may_shard(case)
  local plan = case.plan
  return case.zero_open and plan.pp == 1 and plan.dp * plan.cp > 1
end

-- Stages beyond the plan's that software has and published runs of it, too, the lowest first.
local function stages_beyond(case)
  local list = {}
  for _, stage in ipairs(zero_stages.beyond(case.profile, case.plan.zero)) do
    if stage ~= (case.profile.unseen_zero or 0) then list[#list + 1] = stage end
  end
  return list
end

-- The least stage at which what `holds` asks for has room, or the last where none has; and whether it has.
local function least_stage(case, holds)
  local list = stages_beyond(case)
  for _, stage in ipairs(list) do
    if holds(stage) then return stage, true end
  end
  return list[#list], false
end

local function states_have_room(case, zero) return states_bytes(case, zero) <= room(case) * case.device.memory_bytes end

-- States are shared by as many ranks as their bytes ask for: optimizer, then gradients, then weights.
local function sharding(case)
  local plan = case.plan
  if not may_shard(case) or plan.tp > 1 or dealt_to_fit(case) or states_have_room(case, plan.zero) then return nil end
  local stage, fitted = least_stage(case, function(zero) return states_have_room(case, zero) end)
  if not stage then return nil end
  plan.zero = stage
  return ("ZeRO stage %d, %s"):format(stage, fitted and "the states would not fit otherwise" or "even so the states are not sure to fit")
end

-- Whether a step fits at a stage with full recomputation, its experts dealt out as far as that takes where nobody says how
-- far. Virtual stages of a run without a pipeline are dropped later.
local function holds_step(case, zero)
  local plan = tables.with(case.plan, { zero = zero })
  plan.vpp, plan.schedule = nil, nil
  local trial = tables.with(case, { plan = plan })
  return until_it_fits(trial, function() return case.ep_open and dealt_further(trial) end)
end

-- Ranks that nothing cuts share more, too, where the states have room and the step has none; so that a run that fits a
-- device fits a larger one. Who trains adapters shares frozen weights only where they have no room: gathering them takes
-- longer than all else.
local function sharding_at_last(case)
  local plan = case.plan
  if not may_shard(case) or (plan.lora_rank or 0) > 0 or holds_step(case, plan.zero) then return nil end
  local stage, fitted = least_stage(case, function(zero) return holds_step(case, zero) end)
  if not fitted then return nil end
  plan.zero = stage
  return ("ZeRO stage %d, the step would not fit otherwise"):format(stage)
end

-- Cuts tensors in two, inside a node and where the rest still shares the batch; false where that is no plan.
local function cut_tensors(case)
  local plan = case.plan
  local tp = plan.tp * 2
  if not tensor_ranks.may_cut(case, tp) or plan.dp % 2 ~= 0 or case.job.global_batch % (plan.dp // 2 * plan.micro_batch) ~= 0 then
    return false
  end
  plan.tp, plan.dp = tp, plan.dp // 2
  return true
end

-- What a run has to gain for it to be taken to be cut, or to compute again, for speed alone: an assumption.
local WORTH_IT <const> = 0.8

-- More tensor parallelism than memory asks for, where gradients of whole ranks are what a step waits for.
local function cut_for_speed(case)
  local plan = case.plan
  if not cuts_models(case) or case.ep_open and (case.model.experts or 0) > 0 then return end
  local tp, dp, best = plan.tp, plan.dp, estimated(case).time.step_s
  while cut_tensors(case) do
    local step = estimated(case).time.step_s
    if step < WORTH_IT * best then
      tp, dp, best = plan.tp, plan.dp, step
    end
  end
  plan.tp, plan.dp = tp, dp
end

-- Tensor parallelism of a run that states no layout: as little as makes it fit, inside a node; ranks that share the batch
-- may be too few for that.
local function tensor_parallel(case)
  if case.searching or case.traits.data_parallel_only or case.traits.shards == false then return nil end
  local stated, plan = case.stated, case.plan
  if stated.tp or stated.dp or shards_weights(case) then return nil end
  local shared = plan.tp
  until_it_fits(case, function() return cut_tensors(case) end)
  local least = plan.tp
  if case.facts.ran and shared == 1 and plan.pp == 1 then cut_for_speed(case) end
  if plan.tp > least then return ("tp %d, faster than whole tensors"):format(plan.tp) end
  return plan.tp > shared and ("tp %d, the least that fits"):format(plan.tp) or nil
end

-- Bytes of a parameter that learns: weight, gradient, master copy and two moments; and all of them in bf16.
local WIDE_STATES <const>, BF16_STATES <const> = 2 + 4 + 4 + 8, 2 + 2 + 4

-- Whether states of so many bytes fit where all devices share them.
local function states_fit(case, bytes)
  return bytes * shapes.params(case.model) <= case.devices * room(case) * case.device.memory_bytes
end

local STATES <const> = { "master_bytes", "grad_bytes", "optimizer", "offload" }

local function states_are_said(case)
  local plan = case.facts.plan or {}
  for _, field in ipairs(STATES) do
    if plan[field] ~= nil then return true end
  end
  return false
end

-- A run whose states would not fit in 32 bit had them in the 16 that its weights were loaded in. DeepSpeed's engine keeps
-- fp32 ones whatever is loaded, in host memory if need be.
local function narrow_states(case)
  local plan = case.plan
  if not case.facts.ran or case.searching or case.class == "deepspeed" then return nil end
  if (plan.lora_rank or 0) > 0 or plan.precision == "fp16" or states_are_said(case) then return nil end
  if states_fit(case, WIDE_STATES) or not states_fit(case, BF16_STATES) then return nil end
  case.plan = tables.with(plan, profiles.PURE_BF16)
  return "states in bf16 only, they would not fit otherwise"
end

-- Estimated share of the memory up to which a run that is known to have run is taken to recompute nothing, and since
-- when: nine estimates in ten are less than this too high, and of 258 published runs of 2024 and later that say what they
-- do 194 recompute nothing and 4 whole layers.
local NONE_OF_RUN <const>, NONE_YEAR <const> = 1.2, 2024

local function try(case, mode, share)
  case.plan.recompute, case.plan.recompute_share = mode, share
  return fits(case)
end

local function without(case)
  local ok, held = try(case, "none", 1)
  local ran = case.facts.ran and case.year >= NONE_YEAR
  return ok or ran and held.total_bytes <= NONE_OF_RUN * held.capacity_bytes, held
end

-- Layers of a stage that recompute, from a straight line between none and all, then upwards.
local function partial(case, none, full)
  local layers = -(-case.model.layers // case.plan.pp)
  local limit = room(case) * none.capacity_bytes
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

-- "selective" of software that has policies does not say which outputs it keeps: those of matmuls that a policy names,
-- or, in PyTorch, all of every few layers (fms-fsdp; torchtitan's selective_ac_option). Of a run that ran memory decides,
-- and what it was stays open.
local function by_policy(case)
  local plan = case.plan
  if case.searching or not case.traits.policies or plan.recompute ~= "selective" or not case.facts.ran then return nil end
  local ok, held = fits(case)
  if ok or case.traits.policies ~= "layers" then return "selective recomputation by a policy" end
  local _, full = try(case, "full", 1)
  return "selective recomputation by layers: " .. partial(case, held, full)
end

-- What a product recomputes unasked; PEFT does so where it prepares weights of few bits.
local function unasked_mode(case)
  local narrow = (case.plan.base_bits or 16) < 16
  return case.traits.recompute or narrow and case.traits.recompute_frozen_narrow or nil
end

-- Checkpoints of layers that a product keeps in host memory.
local function offload(case)
  local plan = case.plan
  if case.searching or plan.offload_activations or not case.traits.recompute_offloads then return nil end
  if plan.recompute ~= "full" then return nil end
  plan.offload_activations = 1
  return "checkpoints of layers in host memory, as " .. case.software_name .. " keeps them"
end

local function recompute(case)
  local plan = case.plan
  local said = by_policy(case)
  if said then return said end
  if case.searching or states_recompute(plan) then return nil end
  plan.recompute_share = 1
  case.recompute_open = true
  local unasked = unasked_mode(case)
  if unasked and try(case, unasked, 1) then
    return unasked .. " recomputation, as " .. case.software_name .. " does unasked"
  end
  local ok, none = without(case)
  if ok then return "no recomputation" end
  if case.facts.ran == false then
    try(case, "none", 1)
    return "no recomputation, which software does only where it is told"
  end
  if selective_saves(case) and try(case, "selective", 1) then return "selective recomputation, the least that fits" end
  local fitted, full = try(case, "full", 1)
  if not fitted then return "full recomputation; even that is not sure to fit" end
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
  return out.memory.total_bytes <= math.min(1, room(case)) * out.memory.capacity_bytes and out.time.step_s or nil
end

-- The next larger micro-batch of which a rank's share of the batch is a multiple, doubled as long as that goes; nil where
-- the share is one micro-batch.
local function larger(case)
  local plan = case.plan
  local steps = case.job.global_batch // (plan.dp * plan.micro_batch)
  for factor = 2, steps do
    if steps % factor == 0 then return factor * plan.micro_batch end
  end
  return nil
end

-- The micro-batch with which a step is fastest of those that fit, each a multiple of the one before; and its time.
local function fastest(case)
  local plan = case.plan
  local best = estimated(case).time.step_s
  local size = larger(case)
  while size do
    local step = step_with(case, size)
    if not step or step >= best then break end
    best, plan.micro_batch = step, size
    size = larger(case)
  end
  return best
end

-- Where weights are gathered over a slow network, more sequences at a time are worth the recomputation that makes room.
local function repeats(case, best)
  local plan = case.plan
  if not case.recompute_open or plan.zero ~= 3 then return false end
  local before = { plan.recompute, plan.recompute_share, plan.micro_batch }
  plan.recompute, plan.recompute_share, plan.micro_batch = "full", 1, batches.together(case)
  if fastest(case) < WORTH_IT * best then return true end
  plan.recompute, plan.recompute_share, plan.micro_batch = before[1], before[2], before[3]
  return false
end

-- Whoever reports a run has tuned it.
local function micro_batch(case)
  if case.searching or not case.micro_batch_open then return nil end
  local best = fastest(case)
  local how = repeats(case, best) and ", faster with full recomputation" or ""
  return ("micro_batch %d%s"):format(case.plan.micro_batch, how)
end

-- Step time once recomputation and micro-batch are chosen, too.
local function settled_step(case)
  local trial = tables.with(case, { plan = tables.with(case.plan, {}) })
  for _, choose in ipairs({ recompute, offload, micro_batch }) do choose(trial) end
  return estimated(trial).time.step_s
end

-- With weights sharded, ranks deal experts out as far as the step gains by it: less is gathered, and tokens travel.
local function deal_while_faster(case)
  local plan, best = case.plan, settled_step(case)
  while dealt_further(case) do
    local step = settled_step(case)
    if step >= best then
      plan.ep = plan.ep // 2
      return
    end
    best = step
  end
end

-- Ranks that deal experts among them: the usual number, or as many more as make the run fit.
local function expert_parallel(case)
  local plan = case.plan
  if not case.ep_open then return nil end
  if plan.zero == 3 then
    deal_while_faster(case)
  else
    deal_to_usual(case)
  end
  until_it_fits(case, function() return dealt_further(case) end)
  return "ep " .. plan.ep
end

-- What would have made a failed run fit is not what it did.
local function unless_failed(cut)
  return function(case)
    if case.facts.ran ~= false then return cut(case) end
  end
end

--- The rules that cut a run, before its settings are known.
memory.cuts = {
  { fact = "ep", apply = dispatched,
    says = "blank, where software.moe_dispatcher is deepep or hybridep, which send tokens between ranks: at least as many of up "
      .. "to 8 ranks of a domain as divide the experts" },
  { fact = "ep", apply = unless_failed(deal_inside),
    says = "blank, without tp and pp: doubled, if that alone makes the run fit with full recomputation, before states are "
      .. "sharded further; in software that cuts models inside a domain at first" },
  { fact = "ranks", apply = unless_failed(cut_model),
    says = "blank tp and pp where the states would not fit at the usual stage or at the one that is "
      .. "stated, in software that cuts models, and in unknown software that trains experts: tp up to a node, then stages; a run that is known to have failed is not cut" },
  { fact = "ep", apply = unless_failed(deal_experts), says = "blank, without tp and pp: the same, over all ranks" },
  { fact = "zero", apply = unless_failed(sharding),
    says = "blank, without tp and pp: the least stage of the software at which the states fit, where they would not at the "
      .. "usual one; its last where they fit at none" },
  { fact = "ep", apply = unless_failed(deal_experts),
    says = "blank, without tp and pp: the same, before tensors are cut" },
  { fact = "tp", apply = unless_failed(tensor_parallel),
    says = "blank as well as dp, where no stage is stated that shards weights: "
      .. "as small as fits with full recomputation, inside a node" },
  { fact = "zero", apply = unless_failed(sharding_at_last),
    says = "blank, without stages and adapters: the least stage of the software at which a step fits with full recomputation "
      .. "and experts dealt out as far as they go, where it would not at the usual one" },
}

--- The rules that choose what is left.
memory.choices = {
  { fact = "grad_bytes", apply = narrow_states,
    says = "of a run that is known to have run, whose weights, gradients and moments would not fit in 32 bit though all "
      .. "devices shared them: all in bf16, but in the class deepspeed" },
  { fact = "ep", apply = expert_parallel,
    says = "blank: up to 8 ranks of a domain that divide the experts, under ZeRO 3 as many as make the step faster; "
      .. "doubled until the run fits with full recomputation" },
  settings.overlap_ep,
  { fact = "recompute", apply = recompute,
    says = "blank: selective in torchtitan; else none if that fits into the device's memory with a chance of 90 % (of a run that is known to have "
      .. "run, up to 5 % over, and none up to 20 % over from 2024 on: estimates are off by that much, and few recompute), "
      .. "and of a run that is known to have failed; "
      .. "else selective where attention is not fused or latent (MLA); else full recomputation of the smallest share of "
      .. "layers that fits" },
  { fact = "offload_activations", apply = offload,
    says = "blank: unsloth keeps the checkpoints of layers in host memory" },
  { fact = "micro_batch", apply = micro_batch,
    says = "blank: from 1 doubled, or multiplied by what a rank's share of the batch is a multiple of, as long as that "
      .. "fits and is faster (class jax: as said above)" },
}

return memory
