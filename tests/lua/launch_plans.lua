-- Plans and the answers that have them, for what launch settings write and read.
local catalog = require("ballpark.catalog")
local launch = require("ballpark.emit.launch")
local tables = require("ballpark.tables")

local launch_plans = {}

local DENSE = { name = "tiny", layers = 16, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336,
  vocab = 128256, rope = { base = 500000 } }
local MOE = { name = "tiny-moe", layers = 16, hidden = 2048, heads = 16, kv_heads = 16, ffn_hidden = 8192,
  vocab = 32000, experts = 64, topk = 8, moe_ffn = 1024, shared_ffn = 2048, dense_layers = 1,
  rope = { base = 10000 }, router = { score = "softmax", normalized = true } }
local LATENT = tables.with(MOE, { kv_lora_rank = 512, qk_nope_dim = 128, qk_rope_dim = 64, v_head_dim = 128 })

launch_plans.DENSE, launch_plans.MOE, launch_plans.LATENT = DENSE, MOE, LATENT
launch_plans.MODELS = { DENSE, MOE, LATENT }

--- A plan of which nobody said anything.
function launch_plans.defaults()
  local plan = {}
  for _, field in ipairs(launch.plan_fields()) do
    local value = field.default
    if field.kind == "flag" and type(value) == "number" then value = value ~= 0 end
    if field.kind == "enum" and type(value) == "number" then value = field.names[math.tointeger(value) + 1] end
    if field.kind == "int" then value = math.tointeger(value) or value end
    plan[field.name] = value
  end
  return plan
end

--- What an estimate answers, as far as launch settings look at it; the plan need not be a good one.
---@param changes table fields over the defaults
---@param model table|nil dense where it is not said
function launch_plans.answer(changes, model)
  local plan = tables.with(launch_plans.defaults(), changes)
  plan.dp = plan.dp > 0 and plan.dp or 4
  if plan.shard == 0 then plan.shard = plan.dp * plan.cp end
  local devices = plan.tp * plan.pp * plan.cp * plan.dp
  local batch = 4096
  return { kind = "estimate", fits = true, plan = plan, memory = { total_bytes = 1 << 34 },
    time = { step_s = 1.5, micro_batches = batch // (plan.dp * plan.micro_batch) },
    run = { steps = 1000 }, input = { model = model or DENSE, job = { global_batch = batch, seq_len = 4096 },
      profile = catalog.profile("megatron"),
      cluster = catalog.cluster({ device = catalog.device("H100"), devices = devices, node_size = 8 }) } }
end

local INTS = { tp = { 1, 2, 4 }, pp = { 1, 2, 4 }, vpp = { 1, 2, 4 }, cp = { 1, 2, 4 }, ep = { 1, 2, 4 },
  etp = { 1, 2 }, zero = { 0, 1, 2, 3 }, shard = { 2, 4 }, micro_batch = { 1, 2, 4 }, grad_bytes = { 2, 4 },
  master_bytes = { 0, 4 }, lora_rank = { 0, 16 }, base_bits = { 4, 8, 16 }, recompute_share = { 0.25, 0.5, 1 }, dp = { 4, 8 } }

--- Values to try for a field of a plan.
---@param field table of launch.plan_fields
---@param values table<string, any[]>|nil what to try in place of the usual ones
function launch_plans.values(field, values)
  if values and values[field.name] then return values[field.name] end
  if INTS[field.name] then return INTS[field.name] end
  if field.kind == "flag" then return { true, false } end
  if field.kind == "enum" then return field.names end
  -- A field added later: two values in its range, so that it has to be spoken about too.
  return { math.tointeger(field.min) or field.min, math.tointeger(field.max) or field.max }
end

--- A plan drawn from the values to try.
---@param values table<string, any[]>|nil as in launch_plans.values
function launch_plans.random(values)
  local plan = {}
  for _, field in ipairs(launch.plan_fields()) do
    local list = launch_plans.values(field, values)
    plan[field.name] = list[math.random(#list)]
  end
  plan.shard = math.random(2) == 1 and plan.dp * plan.cp or math.max(1, plan.dp * plan.cp // 2)
  return plan
end

return launch_plans
