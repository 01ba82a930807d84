-- What facts leave open, and how much that may matter: the run is resolved and estimated again with each open fact at
-- values that are just as plausible.
local clusters = require("ballpark.catalog.clusters")
local errors = require("ballpark.errors")
local resolve = require("ballpark.resolve.training")
local tables = require("ballpark.tables")

local left_open = {}

-- Estimated share of the memory up to which a run may have fitted: nine estimates of memory in ten are less
-- than this too high.
local MAY_FIT <const> = 1.2

-- From this year on fused attention was everywhere.
local ALL_FUSED <const> = 2025

-- Values of one field of plan or job, as changes of the facts.
local function each(group, field, values)
  local list = {}
  for i, value in ipairs(values) do list[i] = { group = group, values = { [field] = value } } end
  return list
end

local function half_and_twice(field, value)
  return each("plan", field, value > 1 and { value // 2, 2 * value } or { 2 })
end

local function flash(case)
  return case.year < ALL_FUSED and each("plan", "flash", { not case.plan.flash }) or {}
end

-- From this year on published recipes train in 4 bit (nvfp4 of Megatron Core and NeMo).
local FOUR_BIT_YEAR <const> = 2025

local function precision(case)
  local list, device = { "bf16" }, case.device
  if (device.fp8_flop_s or 0) > 0 then list[2] = "fp8" end
  if #list == 2 and (device.fp4_flop_s or 0) > 0 and case.traits.narrow_recipes and case.year >= FOUR_BIT_YEAR then
    list[3] = "nvfp4"
  end
  return #list > 1 and each("plan", "precision", list) or {}
end

local TENSOR_RANKS <const> = { 1, 2, 4, 8 }

-- As many parts of the model, of other tensors and stages.
local function other_cuts(case)
  local list, parts = {}, case.plan.tp * case.plan.pp
  for _, tp in ipairs(TENSOR_RANKS) do
    if tp ~= case.plan.tp and tp < parts and parts % tp == 0 then
      list[#list + 1] = { group = "plan", values = { tp = tp, pp = parts // tp } }
    end
  end
  return list
end

-- Of a blank layout: what cuts a model inside a node, or into stages.
local function ranks(case)
  local stated = case.stated
  if stated.dp then return {} end
  local list = not (stated.tp or stated.pp) and other_cuts(case) or {}
  if not stated.tp then table.move(each("plan", "tp", TENSOR_RANKS), 1, #TENSOR_RANKS, #list + 1, list) end
  if not stated.pp then table.move(each("plan", "pp", { 2, 4, 8 }), 1, 3, #list + 1, list) end
  return list
end

local function experts(case)
  if (case.model.experts or 0) == 0 then return {} end
  return each("plan", "ep", { math.max(1, case.plan.ep // 4), 4 * case.plan.ep })
end

local function batch(case)
  return each("job", "global_batch", { math.max(1, case.job.global_batch // 4), 4 * case.job.global_batch })
end

-- Shares of the usual rate that a network may have whose rate nobody says: nodes with an adapter for two or for four
-- devices are sold, too.
local OTHER_RATES <const> = { 1 / 2, 1 / 4 }

local function network(case)
  local cluster, list = case.facts.cluster, {}
  for _, share in ipairs(OTHER_RATES) do
    local rate = share * cluster.network.scaleout.bw_bytes_s
    list[#list + 1] = { cluster = clusters.make(tables.with(cluster.spec, { nic_bytes_s = rate })) }
  end
  return list
end

-- A quarter of the devices, and four times as many.
local function devices(case)
  local cluster, list = case.facts.cluster, {}
  for _, count in ipairs({ case.devices // 4, 4 * case.devices }) do
    if count > 0 then list[#list + 1] = { cluster = clusters.resized(cluster, count) } end
  end
  return list
end

-- Name of an open fact -> what it may as well have been.
local others = {
  recompute = function() return each("plan", "recompute", { "none", "selective", "full" }) end,
  micro_batch = function(case) return half_and_twice("micro_batch", case.plan.micro_batch) end,
  vpp = function(case) return each("plan", "vpp", { 1, 2 * case.plan.vpp }) end,
  zero = function() return each("plan", "zero", { 1, 3 }) end,
  flash = flash,
  precision = precision,
  seq_len = function(case) return each("job", "seq_len", { case.job.seq_len // 2, 2 * case.job.seq_len }) end,
  global_batch = batch,
  ranks = ranks,
  ep = experts,
  devices = devices,
  network = network,
}

--- What an open fact may as well have been: a list of { group = "plan" or "job", values by field } or { cluster }, each as
--- likely as the others; empty where the answer does not hang on it.
---@param case table of ballpark.resolve.training
---@param name string
---@return table[]
function left_open.alternatives(case, name) return others[name] and others[name](case) or {} end

-- The facts with what `change` says, as a case with its estimate; nil where that is no run.
local function attempt(case, change)
  local facts = tables.with(case.facts, { cluster = change.cluster })
  if change.group then facts[change.group] = tables.with(facts[change.group], change.values) end
  local other, out = errors.try(function()
    local resolved = case.filled_again and case.filled_again(facts) or resolve.resolve(facts, { estimate = case.estimate })
    return resolved, case.estimate(resolve.input(resolved))
  end)
  if other then return other, out end
end

local function tokens(case) return case.job.global_batch * case.job.seq_len end

-- See left_open.moves; nil where that is no run or would not have fitted.
local function moved(case, out, change)
  local other, changed = attempt(case, change)
  if not other then return nil end
  local memory, before = changed.memory, out.memory
  if memory.total_bytes > math.max(MAY_FIT * memory.capacity_bytes, before.total_bytes) then return nil end
  local time = math.log(changed.time.step_s / out.time.step_s)
  local of_device = math.log(tokens(other) / other.devices * case.devices / tokens(case))
  return { step = time, token = time - of_device,
    memory = math.log(memory.total_bytes / before.total_bytes) }, memory.fit_probability
end

--- Names of the open facts of a case that its answer may hang on, sorted.
function left_open.names(case)
  local list = {}
  for _, name in ipairs(tables.sorted_keys(others)) do
    if tables.contains(case.open, name) then list[#list + 1] = name end
  end
  return list
end

--- How far each alternative of an open fact moves the estimate: { step =, token =, memory = }, ln of how much longer a
--- step takes, of how much more of the devices' time a token does, and of how much more memory; nothing of what is no run.
--- And the chance that each fits.
---@param case table of ballpark.resolve.training
---@param out table what case.estimate says of it
---@param name string
---@return table[] moves
---@return number[] chances
function left_open.moves(case, out, name)
  local list, chances = {}, {}
  for _, change in ipairs(left_open.alternatives(case, name)) do
    list[#list + 1], chances[#chances + 1] = moved(case, out, change)
  end
  return list, chances
end

return left_open
