-- plan.recompute_modules = { "core_attn", "mlp" }: what backward computes again, in Megatron Core's names (its
-- option --recompute-modules, 2025), as the fields of the core say it.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local recompute_modules = {}

local PATH <const> = "plan.recompute_modules"

-- { name, field of the plan, its value, field whose module it is, what a model lacks without it }
local MODULES = {
  { "core_attn", "recompute", "selective" },
  { "layernorm", "recompute_norms", true },
  { "moe_act", "recompute_activation", true, "recompute_moe", "no experts" },
  { "mla_up_proj", "recompute_up_proj", true, "recompute_up_proj", "no latent attention" },
  { "mlp", "recompute_mlp", true, "recompute_mlp", "no dense MLP" },
  { "moe", "recompute_moe", true, "recompute_moe", "no experts" },
  { "shared_experts", "recompute_shared", true, "recompute_shared", "no shared experts" },
}

local NAMES = {}
for i, module in ipairs(MODULES) do
  NAMES[i] = module[1]
  MODULES[module[1]] = module
end

-- `has`: by field, whether the model has its module.
local function check(name, has, plan)
  local module = MODULES[name]
  if type(name) ~= "string" or not module then errors.choice(PATH, name, NAMES) end
  if module[4] and not has[module[4]] then
    errors.input(PATH, ("names %s, and the model has %s"):format(name, module[5]))
  end
  if name == "core_attn" and has.recompute_up_proj and plan.flash ~= false then
    errors.input(PATH, "names core_attn: of latent attention with a fused core, which stores no scores, only "
      .. "mla_up_proj is estimated")
  end
  return module
end

--- The plan with recompute_modules as the fields that stand for them; a plan without it stays as it is.
---@param plan table
---@param model table
function recompute_modules.taken(plan, model)
  local list = plan.recompute_modules
  if list == nil then return plan end
  if type(list) == "string" then list = { list } end
  if type(list) ~= "table" or #list == 0 then
    errors.input(PATH, "must be a list of modules, as { 'core_attn', 'mlp' }")
  end
  if plan.recompute ~= nil then
    errors.input("plan.recompute", "and plan.recompute_modules say the same: leave one out")
  end
  local taken, has = tables.with(plan), core.model_modules(model)
  taken.recompute_modules = nil
  for _, name in ipairs(list) do
    local module = check(name, has, plan)
    if plan[module[2]] ~= nil then
      errors.input("plan." .. module[2], "and plan.recompute_modules say the same: leave one out")
    end
    taken[module[2]] = module[3]
  end
  return taken
end

--- Whether a plan says of single modules that backward computes them again.
function recompute_modules.any(plan)
  for _, module in ipairs(MODULES) do
    if module[2] ~= "recompute" and plan[module[2]] then return true end
  end
  return false
end

--- The modules and the field of the plan that each stands for, as rows { name, words }.
function recompute_modules.reference()
  local rows = {}
  for i, module in ipairs(MODULES) do
    rows[i] = { module[1], ("plan.%s = %s%s"):format(module[2], module[3],
      module[5] and (", refused of a model with " .. module[5]) or "") }
  end
  return rows
end

--- Names of the modules that a plan with all its fields computes again, in Megatron Core's words.
function recompute_modules.named(plan, model)
  local list, has = {}, core.model_modules(model)
  for _, module in ipairs(MODULES) do
    if plan[module[2]] == module[3] and (not module[4] or has[module[4]]) then list[#list + 1] = module[1] end
  end
  if list[1] == "core_attn" and has.recompute_up_proj and plan.flash then
    list[1] = "mla_up_proj"
    for i = #list, 2, -1 do
      if list[i] == "mla_up_proj" then table.remove(list, i) end
    end
  end
  return list
end

return recompute_modules
