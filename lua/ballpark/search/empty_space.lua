-- Spaces that hold no plan by the way they are written: a field without values, or one that `plan` fixes
-- to a value that the space does not list. That is an answer like any other: nothing is feasible.
local ranges = require("ballpark.number_list")
local tables = require("ballpark.tables")

local empty_space = {}

--- The values of a field as a list; nil when it is free or a range that only the core can read.
function empty_space.listed(values)
  if values == "free" then return nil end
  if type(values) ~= "table" then return { values } end
  if values.from ~= nil then return ranges.list(values.from, values.to, values.step, values.times) end
  return values
end

local function holds(list, value)
  for _, item in ipairs(list) do
    if item == value then return true end
  end
  return false
end

local function words(list)
  local texts = {}
  for i, item in ipairs(list) do texts[i] = tostring(item) end
  return table.concat(texts, ", ")
end

-- Why a field has no value, or nil.
local function problem(field, fixed, values)
  local list = empty_space.listed(values)
  if type(values) == "table" and next(values) == nil then
    return "space." .. field .. ": the list is empty, so no plan is left: list values, or leave it out to try all"
  end
  if fixed ~= nil and list and not holds(list, fixed) then
    return ("plan.%s: is fixed to %s, and space.%s is %s only"):format(field, tostring(fixed), field, words(list))
  end
end

--- The space without the fields that `plan` fixes to one of their values, and the fields that have none:
--- { { field, text }, ... }, empty when all have some.
---@param plan table|nil
---@param space any as a scenario gives it
function empty_space.split(plan, space)
  if type(space) ~= "table" then return space, {} end
  local kept, empty = {}, {}
  for field, values in pairs(space) do
    if plan == nil or plan[field] == nil then kept[field] = values end
  end
  for _, field in ipairs(tables.sorted_keys(space)) do
    local text = problem(tostring(field), plan and plan[field], space[field])
    if text then empty[#empty + 1] = { field = field, text = text } end
  end
  return kept, empty
end

--- Fields that follow from others where nothing is said of them.
empty_space.FOLLOWS = { dp = true, shard = true }

--- The input with the fields of `empty` left open.
function empty_space.opened(input, empty)
  local plan, space = tables.with(input.plan, {}), tables.with(input.space, {})
  for _, item in ipairs(empty) do
    plan[item.field] = nil
    space[item.field] = not empty_space.FOLLOWS[item.field] and "free" or nil
  end
  return tables.with(input, { plan = plan, space = space })
end

--- What a search answers that looked at nothing; `found` is what it finds with the fields open: its best
--- plan is the nearest there is.
function empty_space.answer(found, empty)
  local near = found.plans[1] and found.plans[1].plan or found.tally[1] and found.tally[1].example
  return { objective = found.objective, objectives = found.objectives, rules = found.rules, plans = {}, tally = {},
    front = found.front and {}, space_size = 0, evaluated = 0, feasible = 0, duplicates = 0, bounded = 0,
    empty = { reason = "space", text = empty[1].text, example = near, count = 0 } }
end

return empty_space
