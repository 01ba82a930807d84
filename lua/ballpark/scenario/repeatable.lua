-- What of Lua's own functions would differ from run to run: texts of addresses, and the order of a table's keys. Here
-- they are the same in every run and on every machine.
local errors = require("ballpark.errors")
local quantity = require("ballpark.quantity")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local repeatable = {}

local function source_of(fn) return debug.getinfo(fn, "S").source end


-- What has no text but its address is shown as what it is.
local function named(value)
  local kind = type(value)
  if kind ~= "table" and kind ~= "function" and kind ~= "userdata" then return value end
  local meta = getmetatable(value)
  return meta and (meta.__tostring or meta.__name) and value or kind
end

--- tostring without addresses.
function repeatable.tostring(value) return tostring(named(value)) end

local function is_plain(...)
  for i = 1, select("#", ...) do
    local kind = type((select(i, ...)))
    if kind == "table" or kind == "function" or kind == "userdata" then return false end
  end
  return true
end

--- string.format, of quantities too, without addresses.
function repeatable.format(format, ...)
  if type(format) == "string" and format:find("p", 1, true) and format:gsub("%%%%", ""):find("%%[%d%.%-]*p") then
    error("string.format: %p is an address, which differs from run to run", 2)
  end
  if is_plain(...) then return quantity.format(format, ...) end
  local values = table.pack(...)
  for i = 1, values.n do values[i] = named(values[i]) end
  return quantity.format(format, table.unpack(values, 1, values.n))
end

local NO_ORDER <const> = "goes through no two keys that are tables or functions: their order would differ from run to run; "
  .. "go through a list with ipairs, as { { key, value }, { key, value } }"

-- The keys in order; where two have none, refused in the name of who asks.
local function keys_of(t, who)
  local keys, n, sorted = {}, 0, true
  for key in next, t do
    n = n + 1
    keys[n] = key
    sorted = sorted and (key == n or n > 1 and tables.is_before(keys[n - 1], key))
  end
  if not sorted then
    table.sort(keys, tables.is_before)
    if n > 1 and not tables.has_place(keys[n - 1]) then errors.input(who, NO_ORDER) end
  end
  return keys
end

--- pairs in a fixed order.
function repeatable.pairs(t)
  local meta = getmetatable(t)
  if type(t) ~= "table" or (type(meta) == "table" and meta.__pairs) then return pairs(t) end
  local keys, i = keys_of(t, "pairs"), 0
  return function()
    while true do
      i = i + 1
      local key = keys[i]
      if key == nil then return nil end
      local value = rawget(t, key)
      if value ~= nil then return key, value end
    end
  end, t
end

--- next in the same order; for a whole table pairs is quicker.
function repeatable.next(t, key)
  if key == nil and next(t) == nil then return nil end
  local keys = keys_of(t, "next")
  if key == nil then return keys[1], t[keys[1]] end
  for i, known in ipairs(keys) do
    if rawequal(known, key) then
      local following = keys[i + 1]
      if following == nil then return nil end
      return following, rawget(t, following)
    end
  end
  error("next: the table has no such key", 2)
end

--- tonumber, of quantities too.
function repeatable.tonumber(value, ...) return tonumber(quantity.value(value), ...) end

--- Where the functions are written that stand for Lua's own in a scenario.
repeatable.sources = { [source_of(repeatable.next)] = true, [source_of(quantity.format)] = true, [source_of(uncertain.math)] = true }

return repeatable
