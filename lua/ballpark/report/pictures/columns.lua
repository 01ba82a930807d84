-- Columns of tables for pictures: numbers in the unit that people read, rounded to what an eye can tell apart.
local units = require("ballpark.units")

local columns = {}

--- A number with six digits.
function columns.brief(value) return value and tonumber(("%.6g"):format(value)) end

--- Position of a column of a block, nil where there is none.
function columns.at(block, name)
  for i, column in ipairs(block.columns) do
    if column.name == name then return i end
  end
end

--- Values of a column, with false where a row has none; nil where the table has no such column.
function columns.values(block, name)
  local at, list = columns.at(block, name), {}
  if not at then return nil end
  for i, row in ipairs(block.rows) do
    local value = row[at]
    if value == nil then value = false end
    list[i] = value
  end
  return list
end

--- The scale of numbers in one picture: a function from base unit to what is drawn, and the unit's name.
function columns.scale(values, unit)
  local numbers = {}
  for _, value in ipairs(values) do
    if type(value) == "number" then numbers[#numbers + 1] = value end
  end
  local scale = units.column(numbers, unit or "")
  return function(value) return value and columns.brief(value / scale.divisor) end, scale.label
end

--- "memory, GiB"
function columns.axis(title, label)
  return { title = (title == "" or label == "") and title .. label or title .. ", " .. label }
end

return columns
