-- Walks a target's rows the other way: from settings to the fields that they say. A row's `read` says how; else the
-- setting of its name is the field's value, and of a flag, a list of names or `values` every value is tried: the one
-- whose settings are all there, the most of them, is meant.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local backwards = {}

--- So many times `part` goes into `whole`; nil where the file states no part, or none of any size.
---@param whole integer|nil
---@param part integer|nil
---@return integer|nil
function backwards.times(whole, part)
  if not whole or not part or part == 0 then return nil end
  return whole // part
end

local function same(wanted, found)
  if type(wanted) == "table" or type(found) == "table" then
    local one = type(wanted) == "table" and wanted or { wanted }
    local two = type(found) == "table" and found or { found }
    for i = 1, math.max(#one, #two) do
      if tostring(one[i]) ~= tostring(two[i]) then return false end
    end
    return true
  end
  if type(wanted) == "string" and type(found) == "string" then return wanted:lower() == found:lower() end
  return wanted == found
end

-- How many settings of a value there are, where all are.
local function score(pairs_of, set)
  local count = 0
  for _, pair in ipairs(pairs_of) do
    if set[pair[1]] == nil or not same(pair[2], set[pair[1]]) then return 0 end
    count = count + 1
  end
  return count
end

local FLAG <const> = { true, false }

local function values_of(row, field)
  if row.values then return row.values end
  if field.kind == "flag" then return FLAG end
  return field.names or {}
end

local function refuses(row, value, c)
  if type(row.cannot) == "function" then return row.cannot(value, c) end
  return false
end

local function tried(row, field, set, group, c)
  local before, best, most = group[field.name], nil, 0
  for _, value in ipairs(values_of(row, field)) do
    group[field.name] = value
    if value ~= row.usual and row.set and not refuses(row, value, c) then
      local count = score(row.set(value, c) or {}, set)
      if count > most then best, most = value, count end
    end
  end
  group[field.name] = before
  return best
end

--- What the settings say of a field, nil where they say nothing.
---@param row table see emit/settings.lua
---@param field table description of the field
---@param set table<string, any> settings by name
---@param group table fields of plan or engine so far, which belongs to the case
---@param c table case
function backwards.value(row, field, set, group, c)
  if type(row.read) == "function" then return row.read(set, c) end
  local name = row.read or row.name
  if name then return set[name] end
  return tried(row, field, set, group, c)
end

-- A value as its field takes it: settings of a file may hold anything.
local function checked(field, value)
  local kind = field.kind
  if kind == "int" or kind == "num" then
    local number = type(value) == "number" and (kind == "num" and value or math.tointeger(value))
    if number and number >= field.min and number <= field.max then return number end
    errors.input(field.name, ("is read from the file as '%s': must be a %s from %.15g to %.15g"):format(tostring(value),
      kind == "int" and "whole number" or "number", field.min, field.max))
  end
  if kind == "flag" and type(value) ~= "boolean" or kind == "enum" and not tables.contains(field.names, value) then
    errors.input(field.name, ("is read from the file as '%s': must be %s"):format(tostring(value),
      kind == "flag" and "true or false" or "one of " .. errors.list(field.names)))
  end
  return value
end

--- Refuses a group with a value that its field does not take.
---@param list table[] descriptions of fields
---@param group table
function backwards.check(list, group)
  for _, field in ipairs(list) do
    if group[field.name] ~= nil then checked(field, group[field.name]) end
  end
end

--- Fills a group of the case with what the settings say. It goes over the fields twice, since what one says may
--- depend on one behind it. What comes back are the fields that the file states, whether or not they have their
--- default: by a setting, in its head, or by silence about what the program does anyway.
---@param rows table<string, table>
---@param list table[] descriptions of the group's fields
---@param set table<string, any>
---@param group table filled with defaults
---@param c table case
---@param said table<string, any> fields that are known otherwise
---@return table<string, boolean> stated
function backwards.fill(rows, list, set, group, c, said)
  local stated = {}
  for _ = 1, 2 do
    for _, field in ipairs(list) do
      local row = rows[field.name]
      local value = said[field.name]
      if value == nil and row then value = backwards.value(row, field, set, group, c) end
      local is_said = value ~= nil or row and (c.is_ours or not row.elsewhere)
      if value == nil and row then value = row.unsaid or row.usual end
      if value ~= nil then group[field.name] = checked(field, value) end
      stated[field.name] = is_said and value ~= nil or nil
      c:follow()
    end
  end
  return stated
end

return backwards
