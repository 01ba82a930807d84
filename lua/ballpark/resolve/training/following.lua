-- Settings that hang on the rest of a plan. Of an estimate the rest is known; of a search each plan gets its own, by
-- the rules of `case.follows`, which the core applies.
local fields = require("ballpark.fields")

local following = {}

-- Whether ranks hold shards of the weights; of a run on one rank ZeRO 3 shards nothing.
local function shards(plan)
  local ranks = (plan.shard or 0) > 0 and plan.shard or (plan.dp or 2) * (plan.cp or 1)
  return plan.zero == 3 and ranks > 1
end

local function formats(case)
  return case.varied.precision and fields.by_name(fields.input("train_step", "plan")).precision.names or { case.plan.precision }
end

local function shardings(case)
  local zero = not case.varied.zero and case.plan.zero
  if zero and zero ~= 3 then return { false } end
  return { false, true }
end

local function number(value) return value == true and 1 or value or 0 end

--- Sets a field of the plan that is blank to what of(precision, sharded) says, its default where that is nil.
---@param case table
---@param field string
---@param of fun(precision: string, sharded: boolean): any
function following.set(case, field, of)
  local plan, default = case.plan, fields.default("train_step", "plan", field)
  if plan[field] ~= nil or case.varied[field] then return end
  local function value(format, sharded)
    local said = of(format, sharded)
    if said == nil then said = default end
    return said
  end
  if not case.searching then plan[field] = value(plan.precision, shards(plan)) return end
  local some, both = formats(case), shardings(case)
  local first = value(some[1], both[1])
  plan[field] = first
  for _, format in ipairs(some) do
    for _, sharded in ipairs(both) do
      local other = value(format, sharded)
      if other ~= first then
        case.follows[#case.follows + 1] = { field = field, value = number(other), precision = case.varied.precision and format or nil,
          sharded = sharded }
      end
    end
  end
end

--- The same of a flag that a search turns on where sequence parallelism is, where that varies.
function following.beside_sequence_parallel(case, field)
  case.follows[#case.follows + 1] = { field = field, value = 1, sequence_parallel = true }
end

--- The fields that follow from the rest of each plan of a search.
---@param case table
---@return table<string, boolean>
function following.fields(case)
  local names = {}
  for _, rule in ipairs(case.follows) do names[rule.field] = true end
  return names
end

return following
