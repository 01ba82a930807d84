-- plan.stage_layers = { 10, 10, 10, 8 }: the layers of every stage, or of every virtual stage, as the fields
-- of the core say it: how many stages there are, and what the first and the last of them have.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local stage_layers = {}

local PATH <const> = "plan.stage_layers"

local function check_list(list)
  if type(list) ~= "table" or #list == 0 then
    errors.input(PATH, "must be a list of layers, one number for each stage, as { 10, 10, 10, 8 }")
  end
  for _, layers in ipairs(list) do
    if math.type(layers) ~= "integer" or layers < 1 then
      errors.input(PATH, "must be whole numbers of at least 1, got " .. tostring(layers))
    end
  end
end

-- Layers of each stage; a stage has every pp-th of the virtual ones, and as many layers in each.
local function of_stages(list, pp, vpp)
  if #list == pp then return list end
  local sums = {}
  for i, layers in ipairs(list) do
    local stage = (i - 1) % pp + 1
    if layers ~= list[stage] then
      errors.input(PATH, ("gives stage %d virtual stages of %d and of %d layers; they must be equal"):format(
        stage - 1, list[stage], layers))
    end
    sums[stage] = layers * vpp
  end
  return sums
end

local function check_sum(list, all)
  local sum = 0
  for _, layers in ipairs(list) do sum = sum + layers end
  if all and sum ~= all then
    errors.input(PATH, ("adds up to %d layers, the model has %d"):format(sum, all))
  end
end

-- Only the ends may have a number of their own.
local function check_middle(list)
  for i = 3, #list - 1 do
    if list[i] ~= list[2] then
      errors.input(PATH, ("gives stages 1 and %d between the ends %d and %d layers; they must be equal"):format(
        i - 1, list[2], list[i]))
    end
  end
end

local function stages_of(plan, count)
  local vpp = plan.vpp or 1
  if vpp ~= 1 and not plan.pp then errors.input(PATH, "needs plan.pp where vpp is given") end
  local pp = plan.pp or count
  for _, field in ipairs({ { "pp", pp }, { "vpp", vpp } }) do
    if math.type(field[2]) ~= "integer" then errors.input("plan." .. field[1], "must be a whole number") end
  end
  return pp, vpp
end

local function check_length(list, plan, pp, vpp)
  if #list ~= pp and #list ~= pp * vpp then
    errors.input(PATH, ("has %d numbers; pp %d%s"):format(#list, pp,
      vpp > 1 and (" takes as many, or with vpp %d %d"):format(vpp, pp * vpp) or " takes as many"))
  end
  for _, field in ipairs({ "first_layers", "last_layers" }) do
    if (plan[field] or 0) ~= 0 then
      errors.input("plan." .. field, "and plan.stage_layers say the same: leave one out")
    end
  end
end

--- The plan with stage_layers as pp, first_layers and last_layers; a plan without it stays as it is.
---@param plan table
---@param layers integer|nil of the model
function stage_layers.taken(plan, layers)
  local list = plan.stage_layers
  if list == nil then return plan end
  check_list(list)
  local pp, vpp = stages_of(plan, #list)
  check_length(list, plan, pp, vpp)
  check_sum(list, layers)
  local stages = of_stages(list, pp, vpp)
  check_middle(stages)
  local taken = tables.with(plan, { pp = pp })
  taken.stage_layers = nil
  if pp > 1 then taken.first_layers, taken.last_layers = stages[1], stages[pp] end
  return taken
end

return stage_layers
