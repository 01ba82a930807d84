-- A space: fields, and the values that each may take. One place that reads what a scenario writes for a field,
-- counts the points, goes through them, and says which fields hold none.
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local number_list = require("ballpark.number_list")
local tables = require("ballpark.tables")

local space = {}

local function is_range(given) return given.from ~= nil end

--- What a field is given as a list of values: one value, a list, a range {from =, to =, step =} or {from =, to =,
--- times =}. nil when it is free or no range that can be written out.
function space.listed(given)
  if given == "free" then return nil end
  if type(given) ~= "table" then return { given } end
  if is_range(given) then return number_list.list(given.from, given.to, given.step, given.times) end
  return given
end

--- The values of the field at `path`, with an error for what is none. free(path): the values of a free field;
--- is_value(table): whether a table is one value, and no list of values.
---@param path string as "space.system.device"
---@param how {free: function|nil, is_value: function|nil}
function space.values(path, given, how)
  if given == "free" and how.free then return how.free(path) end
  if type(given) ~= "table" or how.is_value and how.is_value(given) then return { given } end
  if is_range(given) then
    local list, too_long = space.listed(given)
    return list or errors.input(path, too_long and ("stands for more than %d values"):format(number_list.MOST)
      or "must be a list, or {from =, to =, step =} or {from =, to =, times =}")
  end
  if next(given) ~= nil and #given == 0 then
    errors.input(path, "must be a value, a list of values or a range")
  end
  return given
end

local Space = {}
Space.__index = Space

--- The space of all combinations of axes { name, values }, the first axis slowest.
function space.new(axes)
  local size = 1
  for _, axis in ipairs(axes) do size = size * #axis.values end
  return setmetatable({ axes = axes, size = size }, Space)
end

--- The point at a place from 1: { name = value }.
function Space:point(place)
  local point, rest = {}, place - 1
  for i = #self.axes, 1, -1 do
    local axis = self.axes[i]
    point[axis.name] = axis.values[rest % #axis.values + 1]
    rest = rest // #axis.values
  end
  return point
end

--- Goes through all points in order: for place, point in s:points() do.
function Space:points()
  return function(_, place)
    if place < self.size then return place + 1, self:point(place + 1) end
  end, nil, 0
end

-- Spaces of plans, which the core goes through ---------------------------------------------------------

local function words(list)
  local texts = {}
  for i, item in ipairs(list) do texts[i] = tostring(item) end
  return table.concat(texts, ", ")
end

-- Why a field of plans has no value, or nil.
local function problem(field, fixed, given)
  if type(given) == "table" and next(given) == nil then
    return "space." .. field .. ": the list is empty, so no plan is left: list values, or leave it out to try all"
  end
  local list = space.listed(given)
  if fixed ~= nil and list and not tables.contains(list, fixed) then
    return ("plan.%s: is fixed to %s, and space.%s is %s only"):format(field, tostring(fixed), field, words(list))
  end
end

--- The space without the fields that `plan` fixes to one of their values, and the fields that hold no plan by the way
--- they are written: { { field, text }, ... }, empty when all hold some.
---@param plan table|nil
---@param given any the space as a scenario gives it
function space.split(plan, given)
  if type(given) ~= "table" then return given, {} end
  local kept, empty = {}, {}
  for field, values in pairs(given) do
    if plan == nil or plan[field] == nil then kept[field] = values end
  end
  for _, field in ipairs(tables.sorted_keys(given)) do
    local text = problem(tostring(field), plan and plan[field], given[field])
    if text then empty[#empty + 1] = { field = field, text = text } end
  end
  return kept, empty
end

--- Fields of plans that follow from others where nothing is said of them.
---@return table<string, boolean>
function space.follows() return tables.set(fields.that_set("replicas")) end

--- The input with the fields of `empty` left free.
function space.opened(input, empty)
  local plan, open, follows = tables.with(input.plan), tables.with(input.space), space.follows()
  for _, item in ipairs(empty) do
    plan[item.field] = nil
    open[item.field] = not follows[item.field] and "free" or nil
  end
  return tables.with(input, { plan = plan, space = open })
end

return space
