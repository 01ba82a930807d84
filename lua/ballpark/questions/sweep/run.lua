-- Grids: every combination of the values of some axes, one row each.
local errors = require("ballpark.errors")
local quantity = require("ballpark.quantity")
local questions = require("ballpark.questions")
local result = require("ballpark.result")
local tables = require("ballpark.tables")

local sweep = {}

--- The values without those that came before, and the first of these; `same` gives what is compared.
function sweep.unique(values, same)
  local list, seen, again = {}, {}, nil
  for _, value in ipairs(values) do
    local key = same and same(value) or value
    if seen[key] then
      again = again or value
    else
      list[#list + 1] = value
    end
    seen[key] = true
  end
  return list, again
end

local function check_axis(name, values)
  local path = "sweep.axes." .. tostring(name)
  if type(name) ~= "string" then errors.input("sweep.axes", "needs a name for every axis") end
  if type(values) ~= "table" or #values == 0 then
    errors.input(path, "must be a list of at least one value")
  end
  for _, value in ipairs(values) do
    if value ~= value then errors.input(path, "has a value that is not a number") end
  end
  return { name = name, values = sweep.unique(values) }
end

--- Axes in order: from {{name=, values=}, ...} as given, or from {name = values} by name.
function sweep.axes(spec)
  if type(spec) ~= "table" or next(spec) == nil then
    errors.input("sweep.axes", "must name at least one axis with its values")
  end
  local axes = {}
  if #spec > 0 then
    for i, key in ipairs(tables.sorted_keys(spec)) do
      local axis = spec[key]
      if key ~= i or type(axis) ~= "table" then
        errors.input("sweep.axes", "must be a list of axes, each { name = ..., values = ... }, or values by name")
      end
      axes[i] = check_axis(axis.name, axis.values)
    end
  else
    for i, name in ipairs(tables.sorted_keys(spec)) do axes[i] = check_axis(name, spec[name]) end
  end
  local seen = {}
  for _, axis in ipairs(axes) do
    if seen[axis.name] then errors.input("sweep.axes." .. axis.name, "is given twice") end
    seen[axis.name] = true
  end
  return axes
end

--- Number of points of the grid.
function sweep.size(axes)
  local size = 1
  for _, axis in ipairs(axes) do size = size * #axis.values end
  return size
end

--- The values at point i (1-based), in order of the axes; the first axis varies slowest.
function sweep.point(axes, i)
  local values, rest = {}, i - 1
  for a = #axes, 1, -1 do
    local n = #axes[a].values
    values[a] = axes[a].values[rest % n + 1]
    rest = rest // n
  end
  return values
end

-- What one call of run gave, as a row: an answer's numbers or the table itself.
local function row_of(value)
  if type(value) ~= "table" then
    errors.input("sweep.run", "must return a table of values or an answer, got " .. type(value))
  end
  if not value.kind then return value end
  local r = result.new({ numbers_only = true })
  questions.show(r, value)
  local facts, values, n = r:values()
  local row = {}
  for i = n, 1, -1 do row[facts[i].name] = values[i] end -- the first of a name wins
  return row
end

local function as_column(column)
  return type(column) == "string" and { name = column } or column
end

-- Axes first, then the columns asked for, else all names that rows have, sorted.
local function columns_of(axes, rows, wanted)
  local columns, seen = {}, {}
  for _, axis in ipairs(axes) do
    columns[#columns + 1] = { name = axis.name, axis = true }
    seen[axis.name] = true
  end
  if wanted then
    for _, column in ipairs(wanted) do columns[#columns + 1] = as_column(column) end
    return columns
  end
  local names = {}
  for _, row in ipairs(rows) do
    for name in pairs(row) do
      if not seen[name] then
        seen[name] = true
        names[#names + 1] = tostring(name)
      end
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do columns[#columns + 1] = { name = name } end
  return columns
end

--- sweep{axes = {...}, run = function(p) return {...} end, columns = {...}, title = ...}: calls run
--- at every point with the values by name; what it returns becomes a row beside them.
function sweep.run(spec)
  questions.check_known("sweep", spec)
  if type(spec.run) ~= "function" then errors.input("sweep.run", "must be a function") end
  local axes, rows = sweep.axes(spec.axes), {}
  for i = 1, sweep.size(axes) do
    local point = {}
    for a, value in ipairs(sweep.point(axes, i)) do point[axes[a].name] = value end
    local row = {}
    local found = row_of(spec.run(point))
    for _, name in ipairs(tables.sorted_keys(found)) do
      row[name] = quantity.value(found[name])
      result.check("sweep.run." .. tostring(name), row[name])
    end
    for name, value in pairs(point) do row[name] = quantity.value(value) end
    rows[i] = row
  end
  return { kind = "sweep", title = spec.title, rows = rows,
    columns = columns_of(axes, rows, spec.columns) }
end

return sweep
