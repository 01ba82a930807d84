-- What the table and Markdown reports share: cells for people, wrapping, widths.
local units = require("ballpark.units")

local text = {}

--- Characters a terminal needs for it.
function text.width(s) return utf8.len(s) or #s end

--- Padded to `width`, on the left for numbers.
function text.pad(s, width, right)
  local fill = string.rep(" ", math.max(0, width - text.width(s)))
  return right and (fill .. s) or (s .. fill)
end

local named = setmetatable({}, { __mode = "k" })

-- The first item of that name.
local function item(block, name)
  local items = named[block]
  if not items then
    items = {}
    for _, other in ipairs(block.items) do
      if other.name then items[other.name] = items[other.name] or other end
    end
    named[block] = items
  end
  return items[name]
end

-- The unit a value is shown in: bytes of storage and traffic have a scale of their own.
local function shown_unit(item_or_column) return item_or_column.stored and "stored" or item_or_column.unit end

-- `scale` is that of the values beside it.
local function value_text(fact, scale)
  local value, unit = fact.value, shown_unit(fact)
  if value == nil then return "unknown" end
  if fact.chance then return units.chance(value) end
  if fact.range then return units.ranged(value, fact.range.low, fact.range.high, unit, scale) end
  if fact.tally then return units.tally(value) end
  if fact.as_sure then return units.as_sure(value, fact.as_sure.high / fact.as_sure.low, unit) end
  if type(value) == "number" then return units.format(value, unit, scale) end
  if type(value) == "boolean" then return value and "yes" or "no" end
  return value
end

-- The scales of the bytes that a sentence names: one for all with the same `scale`, which are about one thing.
-- item_of(name) gives { value, unit, scale }.
local function byte_scales(template, item_of)
  local values, scales = {}, {}
  for name in template:gmatch("{([%w_]+)}") do
    local value, unit, group = item_of(name)
    if unit == "B" and type(value) == "number" then
      group = group or ""
      values[group] = values[group] or {}
      table.insert(values[group], value)
    end
  end
  for group, list in pairs(values) do scales[group] = units.beside(list, "B") end
  return scales
end

--- One fact's value for people. A fact may come with a sentence instead, in which {name} stands for
--- the value of that fact of the same block.
function text.fact(fact, block)
  if not fact.text then return value_text(fact) end
  local scales = byte_scales(fact.text, function(name)
    local other = item(block, name)
    if other then return other.value, shown_unit(other), other.scale end
  end)
  return (fact.text:gsub("{([%w_]+)}", function(name)
    local other = item(block, name)
    return other and value_text(other, shown_unit(other) == "B" and scales[other.scale or ""] or nil)
  end))
end

local function numbers_of(block, index)
  local numbers, others = {}, 0
  for _, row in ipairs(block.rows) do
    if type(row[index]) == "number" then
      numbers[#numbers + 1] = row[index]
    elseif row[index] ~= nil then
      others = others + 1
    end
  end
  return numbers, others
end

local function cell(value, unit, scale, beside)
  if value == nil then return "–" end
  if type(value) == "boolean" then return value and "yes" or "no" end
  if type(value) == "string" then return (value:gsub("%s*\n%s*", " ")) end
  if not scale then return units.format(value, unit, beside) end
  return units.cell(value, scale)
end

-- A long name without its middle: names differ at their ends as often as at their beginnings.
local function shortened(s, letters)
  local length = utf8.len(s)
  if not letters or not length or length <= letters then return s end
  local head = letters // 2
  return s:sub(1, utf8.offset(s, head + 1) - 1) .. "…" .. s:sub(utf8.offset(s, head + 1 - letters))
end

local function position(block, name)
  for i, column in ipairs(block.columns) do
    if column.name == name then return i end
  end
end

-- {name} in a sentence stands for the row's value of that column.
local function sentence(block, row, template)
  template = template or ""
  local scales = byte_scales(template, function(name)
    local at = position(block, name)
    if at then return row[at], block.columns[at].unit, block.columns[at].scale end
  end)
  return (template:gsub("{([%w_]+)}", function(name)
    local at = position(block, name)
    local column = block.columns[at]
    return at and cell(row[at], column.unit, nil, column.unit == "B" and scales[column.scale or ""] or nil)
  end))
end

-- Numbers of all columns that share the scale of this one: they are read side by side.
local function scaled_with(block, index, column)
  if not column.scale then return (numbers_of(block, index)) end
  local all = {}
  for i, other in ipairs(block.columns) do
    if other.scale == column.scale then
      local numbers = numbers_of(block, i)
      table.move(numbers, 1, #numbers, #all + 1, all)
    end
  end
  return all
end

-- A column whose rows mean different things names the column that holds each row's unit.
local function formatted_column(block, index, column)
  local numbers, others = numbers_of(block, index)
  local numeric = #numbers > 0 and others == 0
  local unit_at = column.unit_column and position(block, column.unit_column)
  local scale = numeric and not unit_at and not column.tally and not column.mixed
    and units.column(scaled_with(block, index, column), shown_unit(column), column.exact) or nil
  local out = { right = numeric and column.align ~= "left", cells = {}, drawn = column.drawn }
  out.header = column.title
  if scale and scale.label ~= "" then
    out.header = out.header == "" and scale.label or (out.header .. ", " .. scale.label)
  end
  for i, row in ipairs(block.rows) do
    if column.human then
      out.cells[i] = sentence(block, row, row[index])
    elseif column.chance and row[index] then
      out.cells[i] = units.chance(row[index], true)
    elseif column.tally and row[index] then
      out.cells[i] = units.tally(row[index])
    else
      local unit = unit_at and row[unit_at] or shown_unit(column)
      local shown = cell(row[index], column.difference and unit == "frac" and "points" or unit, scale)
      out.cells[i] = shortened(shown, column.letters)
    end
  end
  return out
end

local function is_empty(block, index)
  for _, row in ipairs(block.rows) do
    if row[index] ~= nil then return false end
  end
  return #block.rows > 0
end

--- A table's shown columns as text: list of {header, right, cells}; one scale per column. A column
--- without any value is left out.
function text.columns(block)
  local shown = {}
  for i, column in ipairs(block.columns) do
    if not column.hide and not is_empty(block, i) then shown[#shown + 1] = formatted_column(block, i, column) end
  end
  return shown
end

--- Breaks a paragraph into lines of at most `width` characters.
function text.wrap(paragraph, width)
  local lines, line = {}, ""
  for word in paragraph:gmatch("%S+") do
    if line ~= "" and text.width(line) + 1 + text.width(word) > width then
      lines[#lines + 1] = line
      line = word
    else
      line = line == "" and word or (line .. " " .. word)
    end
  end
  if line ~= "" then lines[#lines + 1] = line end
  return lines
end

local function plain(value, unit, digits)
  if type(value) ~= "number" then return tostring(value) end
  return (unit or "") ~= "" and units.format(value, unit) or string.format("%." .. (digits or 6) .. "g", value)
end

-- How to write the values of an expectation: with their unit, unless that makes different ones look alike.
local function writer(e)
  for _, wanted in pairs({ e.expected, e.least, e.most }) do
    if wanted ~= e.actual and plain(wanted, e.unit) == plain(e.actual, e.unit) then
      return function(value) return plain(value, nil, 12) end
    end
  end
  return function(value) return plain(value, e.unit) end
end

--- What an expectation says: `A1: 35.20 days, at most 30.00 days`.
function text.expectation(e)
  local wanted, write = {}, writer(e)
  if e.expected ~= nil then
    wanted[1] = "expected " .. write(e.expected)
      .. (e.rel and e.rel > 0 and (" within " .. units.format(e.rel, "frac")) or "")
  end
  if e.least then wanted[#wanted + 1] = "at least " .. write(e.least) end
  if e.most then wanted[#wanted + 1] = "at most " .. write(e.most) end
  return e.id .. ": " .. write(e.actual) .. ", " .. table.concat(wanted, ", ")
end

--- How lines count bytes, in words, nil where they have none.
function text.bytes_line(lines)
  local all = table.concat(lines, "\n")
  local binary, decimal = all:find("%f[%w][KMGTP]iB%f[%W]"), all:find("%f[%w][kMGTPE]B%f[%W]")
  if binary and decimal then return "GiB = 2^30 bytes, of memory; GB = 10^9 bytes, of traffic and storage" end
  return binary and "GiB = 2^30 bytes" or decimal and "GB = 10^9 bytes" or nil
end

-- What a lint says, for a line of a list.
function text.lint(lint) return ("%s (%s): %s. Fix: %s."):format(lint.code, lint.where, lint.message, lint.fix) end

--- What a lint says that a scenario explains.
function text.explained(lint) return ("%s (%s): accepted, %s"):format(lint.code, lint.where, lint.because) end

--- The lines of a result under "Check": lints, then those that are explained.
function text.check(r)
  local list = {}
  for _, lint in ipairs(r.lints) do list[#list + 1] = text.lint(lint) end
  for _, lint in ipairs(r.explained) do list[#list + 1] = text.explained(lint) end
  return list
end

--- Blocks of a result that people read.
function text.blocks(r)
  local list = {}
  for _, block in ipairs(r.blocks) do
    if not block.hide then list[#list + 1] = block end
  end
  return list
end

return text
