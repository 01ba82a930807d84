-- How a run is spread over its devices.
local batches = require("ballpark.resolve.training.batch")
local errors = require("ballpark.errors")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")
local tensor_ranks = require("ballpark.resolve.training.tensor_ranks")

local RANKS <const> = { "tp", "pp", "cp", "dp", "ep", "etp" }

-- What a plan says of ranks, and no more.
local function ranks_of(plan)
  local own = {}
  for _, name in ipairs(RANKS) do own[name] = plan[name] end
  return own
end

-- Lets the core refuse ranks that devices cannot have, at the field that is wrong. Of the plan it sees no more: other fields may
-- still be words of rules that come behind this one.
local function judged(case)
  case.estimate({ model = case.model, device = case.device, network = case.network, plan = ranks_of(case.plan),
    job = tables.with({ seq_len = 1, global_batch = 1 }, case.job), profile = case.profile })
end

-- The one dimension that is blank while dp is stated takes what is left.
local function fill_rest(plan, stated, rest)
  for _, name in ipairs({ "tp", "pp", "cp" }) do
    if not stated[name] then
      plan[name] = rest
      return ("%s %d, what is left of the devices"):format(name, rest)
    end
  end
  return nil
end

-- Two readings under which stated ranks that do not multiply to the devices still do: dp counted with
-- the context-parallel ranks in it, or per group of expert-parallel ranks.
local function reread_dp(plan, devices)
  local product = plan.tp * plan.pp * plan.dp
  if plan.cp > 1 and product == devices and plan.dp % plan.cp == 0 then
    plan.dp = plan.dp // plan.cp
    return ("dp %d: the number counts context-parallel ranks too"):format(plan.dp)
  end
  if plan.ep and product * plan.cp * plan.ep == devices then
    plan.dp = plan.dp * plan.ep
    return ("dp %d: the number counts groups of expert-parallel ranks"):format(plan.dp)
  end
  return nil
end

local function with_stated_dp(case, stated)
  local plan = case.plan
  local product = plan.tp * plan.pp * plan.cp * plan.dp
  if product == case.devices then return nil end
  local said
  if case.devices % product == 0 then said = fill_rest(plan, stated, case.devices // product) end
  said = said or reread_dp(plan, case.devices)
  if not said then
    judged(case)
    errors.input("cluster.devices", ("tp %d * pp %d * cp %d * dp %d = %d, stated are %d"):format(plan.tp, plan.pp,
      plan.cp, plan.dp, product, case.devices))
  end
  return said
end

-- How much more than its part of a batch the fullest rank of a run may have had: an assumption.
local UNEVEN <const> = 1.125

-- Parts of a step that ranks share: micro-batches of the stated size, else as few sequences as go together.
local function parts_of(case) return case.job.global_batch // math.max(case.plan.micro_batch or 1, batches.together(case)) end

local function is_shared(case, most)
  local batch, dp = parts_of(case), case.plan.dp
  return -(-batch // dp) * dp <= most * batch
end

-- Who says ZeRO 3 or FSDP and no other ranks, in software that is made for it, cuts no layers: that is not open.
local SHARDS <const> = { fsdp = true, jax = true, tpu = true, deepspeed = true, gaudi = true }

local function sharded_only(case) return case.plan.zero == 3 and case.known and SHARDS[case.class] or false end

local may_double = {
  tp = function(case) return tensor_ranks.may_cut(case, 2 * case.plan.tp) end,
  -- A rank has two chunks of a sequence, one from either end.
  cp = function(case) return (case.job.seq_len or 0) % (4 * case.plan.cp) == 0 end,
}

-- Doubles ranks that share sequences, of one kind after the other, until none has more than `most` times its part; false,
-- and all as before, where that is not to be had.
local function shared_by(case, names, most)
  local plan = case.plan
  local before = { tp = plan.tp, cp = plan.cp, dp = plan.dp }
  for _, name in ipairs(names) do
    while not is_shared(case, most) and plan.dp % 2 == 0 and may_double[name](case) do
      plan[name], plan.dp = plan[name] * 2, plan.dp // 2
    end
  end
  if is_shared(case, most) then return true end
  for name, count in pairs(before) do plan[name] = count end
  return false
end

-- Ranks of one sequence beside tensor parallelism: where nobody stated their number and the software has them, and of a run
-- that is known to have run in any case.
local function may_share_context(case, stated)
  if parts_of(case) >= case.plan.dp then return false end
  local profile = case.profile
  return case.facts.ran or not stated.cp and (profile.cuts_context ~= false or profile.context == "heads")
end

-- Fewer sequences, or stated micro-batches, than ranks: the ranks have to share sequences, by tp where nobody stated it, and by cp where tp is not
-- enough. Software that shards weights and cuts no tensors shares them by cp alone.
local function share_sequences(case, stated)
  local plan = case.plan
  if not case.job.global_batch then return "" end
  local tp, cp = plan.tp, plan.cp
  local context, cuts = may_share_context(case, stated), not stated.tp
  local alone = context and not stated.cp and sharded_only(case) and shared_by(case, { "cp" }, 1)
  local done = alone or cuts and (shared_by(case, { "tp" }, 1)
    or case.facts.ran and parts_of(case) > plan.dp and shared_by(case, { "tp" }, UNEVEN))
  if not done and context then done = shared_by(case, cuts and { "tp", "cp" } or { "cp" }, 1) end
  if not done and cuts and case.facts.ran then shared_by(case, { "tp" }, UNEVEN) end
  local said = (plan.tp > tp and (", tp %d"):format(plan.tp) or "") .. (plan.cp > cp and (", cp %d"):format(plan.cp) or "")
  return said ~= "" and said .. " to share the batch" or ""
end

local function blank_ranks(stated)
  local list = {}
  for _, name in ipairs({ "tp", "pp", "cp" }) do
    if not stated[name] then list[#list + 1] = name end
  end
  return list
end

local function ranks(case)
  if case.searching then return nil end
  local plan = case.plan
  if plan.dp == 0 then plan.dp = nil end
  local stated = ranks_of(plan)
  case.stated = stated
  plan.tp, plan.pp, plan.cp = plan.tp or 1, plan.pp or 1, plan.cp or 1
  if plan.dp then return with_stated_dp(case, stated) end
  local group = plan.tp * plan.pp * plan.cp
  if case.devices % group ~= 0 then
    judged(case)
    errors.input("plan", ("tp %d * pp %d * cp %d = %d does not divide %d devices"):format(plan.tp, plan.pp, plan.cp,
      group, case.devices))
  end
  plan.dp = case.devices // group
  local blank = blank_ranks(stated)
  local shared = share_sequences(case, stated)
  if #blank == 0 then return shared ~= "" and "dp " .. plan.dp .. shared or nil end
  local said = ("%s 1, dp %d%s"):format(table.concat(blank, ", "), plan.dp, shared)
  if shared ~= "" or not sharded_only(case) then return said end
  case.assumed[#case.assumed + 1] = said
  return nil
end

-- Where nobody says it, experts are cut by tensor parallelism only if every rank already holds one expert.
local function experts(case)
  if case.searching then return nil end
  local stated, plan = case.stated, case.plan
  local count = case.model.experts or 0
  plan.ep, plan.etp = plan.ep or 1, plan.etp or 1
  if count == 0 then
    plan.ep, plan.etp = 1, 1
    return stated.ep and stated.ep > 1 and "ep 1, the model has no experts" or nil
  end
  case.ep_open = stated.ep == nil and case.traits.shards ~= false
  if stated.etp then return nil end
  local stage = plan.tp * plan.cp * plan.dp
  if plan.tp > 1 and count <= plan.ep and stage % (plan.ep * plan.tp) == 0 then
    plan.etp = plan.tp
    case.ep_open = false
    return ("experts cut over %d tensor-parallel ranks"):format(plan.tp)
  end
  return nil
end

-- The usual stage of the class in that year, or the highest that it takes with stages.
local function usual_zero(case)
  if case.year < (case.traits.shards_from or 0) then return 0 end
  local highest = case.plan.pp > 1 and case.profile.pipeline_zero or case.traits.zero
  return math.min(case.traits.zero, highest)
end

local function sharding(case)
  local plan = case.plan
  if plan.zero or case.searching then return nil end
  plan.zero = profiles.sharding_named(case.software_name)
  if plan.zero then return nil end
  plan.zero = usual_zero(case)
  case.zero_open, case.zero_usual = case.traits.shards ~= false, plan.zero
  return ("ZeRO stage %d"):format(plan.zero)
end

-- A rate that nobody says, or in words that were not believed, leaves the network open; the cluster itself says so.
local function network(case)
  if case.facts.cluster.rate_assumed then case.open[#case.open + 1] = "network" end
  return nil
end

-- Devices that nobody stated stay open.
local function devices(case)
  if case.facts.devices_assumed then case.open[#case.open + 1] = "devices" end
  return nil
end

return {
  { fact = "devices", apply = devices, beside_plan = true,
    says = "of a measured rate per device whose number of devices nobody states: open" },
  { fact = "network", apply = network, beside_plan = true,
    says = "cluster.network in words: the network that carries the traffic of a step, storage and management left out, "
      .. "or that of a machine of a cloud (p5.48xlarge); a rate without a number of links is that of one device where its adapter can do it, else of a node; below "
      .. "an eighth of what the adapter can do (half of it without a number of links) it is not believed; open where it is not said or not believed" },
  { fact = "ranks", apply = ranks,
    says = "with dp stated a blank one of tp, pp and cp takes what is left of the devices; otherwise blank ones are 1 "
      .. "and dp takes the rest, with as much tp as makes dp divide the batch, and cp where ranks are more than sequences (or stated micro-batches) "
      .. "and tp is stated or not enough (alone in software that shards and is told ZeRO 3; a stated cp grows only where the run is known to have run, which shares them unevenly by an eighth where nothing is even); dp that counts context-parallel ranks "
      .. "or expert groups is recognised by the product; any other product than the devices is refused; blank ones of a run "
      .. "that states ZeRO 3 or FSDP, in software made for it, are not open" },
  { fact = "etp", apply = experts,
    says = "experts are cut over the tensor-parallel ranks only where etp says so, or is blank and every rank holds at "
      .. "most one expert" },
  { fact = "zero", apply = sharding,
    says = "blank: as the software's name says (DeepSpeed ZeRO-3, DDP), else the usual stage of the class of software (none of FSDP's "
      .. "before 2022), with stages the highest that it takes at most" },
}
