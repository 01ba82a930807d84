-- How a run was spread over its devices.
local errors = require("ballpark.errors")

local function refuse(text, ...) errors.input("gpus", text:format(...)) end

-- Devices in all: stated, or the product of the ranks.
local function gpus(case)
  local row = case.row
  case.gpus = row.gpus
  if case.gpus then return nil end
  if not (row.tp and row.pp and row.dp) then refuse("not stated") end
  case.gpus = row.tp * row.pp * row.dp * (row.cp or 1)
  return ("%d devices, the product of the ranks"):format(case.gpus)
end

-- The one dimension that is blank while dp is stated takes what is left.
local function fill_rest(plan, row, rest)
  for _, name in ipairs({ "tp", "pp", "cp" }) do
    if not row[name] then
      plan[name] = rest
      return ("%s %d, what is left of the devices"):format(name, rest)
    end
  end
  return nil
end

-- Two readings under which stated ranks that do not multiply to the devices still do: dp counted with
-- the context-parallel ranks in it, or per group of expert-parallel ranks.
local function reread_dp(plan, row, devices)
  local product = plan.tp * plan.pp * plan.dp
  if plan.cp > 1 and product == devices and plan.dp % plan.cp == 0 then
    plan.dp = plan.dp // plan.cp
    return ("dp %d: the column counts context-parallel ranks too"):format(plan.dp)
  end
  if row.ep and product * plan.cp * row.ep == devices then
    plan.dp = plan.dp * row.ep
    return ("dp %d: the column counts groups of expert-parallel ranks"):format(plan.dp)
  end
  return nil
end

local function with_stated_dp(case)
  local row, plan = case.row, case.plan
  local product = plan.tp * plan.pp * plan.cp * plan.dp
  if product == case.gpus then return nil end
  local said
  if case.gpus % product == 0 then said = fill_rest(plan, row, case.gpus // product) end
  said = said or reread_dp(plan, row, case.gpus)
  if not said then
    refuse("tp %d * pp %d * cp %d * dp %d = %d, stated are %d", plan.tp, plan.pp, plan.cp, plan.dp,
      product, case.gpus)
  end
  return said
end

local function blank_ranks(row)
  local list = {}
  for _, name in ipairs({ "tp", "pp", "cp" }) do
    if not row[name] then list[#list + 1] = name end
  end
  return list
end

-- Fewer sequences than ranks: the ranks have to share sequences, and tp is what nobody stated.
local function share_sequences(case)
  local row, plan = case.row, case.plan
  if row.tp or not row.global_batch_seqs then return "" end
  while row.global_batch_seqs % plan.dp ~= 0 and plan.dp % 2 == 0 do
    plan.tp, plan.dp = plan.tp * 2, plan.dp // 2
  end
  return plan.tp > 1 and (", tp %d to share the batch"):format(plan.tp) or ""
end

local function ranks(case)
  local row, plan = case.row, case.plan
  plan.tp, plan.pp, plan.cp, plan.dp = row.tp or 1, row.pp or 1, row.cp or 1, row.dp
  if plan.dp then return with_stated_dp(case) end
  local group = plan.tp * plan.pp * plan.cp
  if case.gpus % group ~= 0 then
    refuse("tp %d * pp %d * cp %d = %d does not divide %d", plan.tp, plan.pp, plan.cp, group, case.gpus)
  end
  plan.dp = case.gpus // group
  local blank = blank_ranks(row)
  local said = #blank > 0 and (table.concat(blank, ", ") .. " 1, ") or ""
  local shared = share_sequences(case)
  return ("%sdp %d%s"):format(said, plan.dp, shared)
end

-- Where nobody says it, experts are cut by tensor parallelism only if every rank already holds one expert.
local function experts(case)
  local row, plan = case.row, case.plan
  local count = case.model.experts or 0
  plan.ep, plan.etp = row.ep or 1, row.etp or 1
  if count == 0 then
    plan.ep, plan.etp = 1, 1
    return row.ep and row.ep > 1 and "ep 1, the model has no experts" or nil
  end
  case.ep_open = row.ep == nil
  if row.etp then return nil end
  local stage = plan.tp * plan.cp * plan.dp
  if plan.tp > 1 and count <= plan.ep and stage % (plan.ep * plan.tp) == 0 then
    plan.etp = plan.tp
    case.ep_open = false
    return ("experts cut over %d tensor-parallel ranks"):format(plan.tp)
  end
  return nil
end

-- Ranks that states are sharded over, as labels say it: "FSDP x128, DP x2", "FSDP=64 x DP=4".
local function shard_of(label)
  return tonumber(label:match("[Ff][Ss][Dd][Pp]%s*[x=×]?%s*(%d+)"))
end

-- ZeRO stage that words mean; patterns in lower case, the first one found decides.
local zero_words = {
  { "zero%-?%s?(%d)" }, { "stage%s?(%d)" }, { "fsdp", 3 }, { "full_shard", 3 }, { "hsdp", 3 },
  { "shard_grad_op", 2 }, { "distributed optim", 1 }, { "ddp", 0 }, { "none", 0 },
}

local function zero_of(label)
  for _, word in ipairs(zero_words) do
    local found = label:lower():match(word[1])
    if found then return word[2] or tonumber(found) end
  end
  return nil
end

local function sharding(case)
  local row, plan = case.row, case.plan
  local label = row.sharding_label or ""
  plan.zero = row.zero or zero_of(label)
  local said
  if not plan.zero then
    plan.zero = case.traits.zero
    case.zero_open = true
    said = ("ZeRO stage %d"):format(plan.zero)
  end
  local shard = plan.zero == 3 and shard_of(label)
  if shard == 1 then
    plan.zero = 0
  elseif shard and (plan.dp * plan.cp) % shard == 0 then
    plan.shard = shard
  end
  return said
end

return {
  { column = "gpus", says = "blank: tp * pp * dp * cp where they are stated; else not covered", apply = gpus },
  { column = "tp, pp, cp, dp", apply = ranks,
    says = "with dp stated a blank one takes what is left of the devices; otherwise blank ones are 1 and "
      .. "dp takes the rest, with as much tp as makes dp divide the batch; "
      .. "dp that counts context-parallel ranks or expert groups is recognised by "
      .. "the product; any other product than gpus is not covered" },
  { column = "ep, etp", apply = experts,
    says = "experts are cut over the tensor-parallel ranks only where etp (or ETP= in notes) says so, or "
      .. "is blank and every rank holds at most one expert" },
  { column = "zero", apply = sharding,
    says = "blank: what sharding_label says, else the usual stage of the framework's class; a number "
      .. "behind FSDP in sharding_label is the size of the sharding group, replicated over the rest" },
}
