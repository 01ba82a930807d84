-- What tables need wherever their order or their sharing would show: keys in order, copies, and copies
-- with changes.
local tables = {}

local ORDER <const> = { number = 1, string = 2, boolean = 3 }

--- Whether a key has a place among others: a table or a function has none but its address.
function tables.has_place(key) return ORDER[type(key)] ~= nil end

--- Whether a key comes before another: numbers, then texts, then true and false. Others, as tables, come last, in
--- no order.
function tables.is_before(a, b)
  local kind_a, kind_b = type(a), type(b)
  if kind_a ~= kind_b then return (ORDER[kind_a] or 4) < (ORDER[kind_b] or 4) end
  if kind_a == "boolean" then return a and not b end
  return (kind_a == "number" or kind_a == "string") and a < b
end

--- The keys of a table, sorted.
function tables.sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, tables.is_before)
  return keys
end

--- Whether one of a list's values is `wanted`.
function tables.contains(list, wanted)
  for _, value in ipairs(list) do
    if value == wanted then return true end
  end
  return false
end

--- The values of a list as keys of a table: { value = true }.
function tables.set(list)
  local set = {}
  for _, value in ipairs(list) do set[value] = true end
  return set
end

--- Whether a table has a value for one of these keys.
function tables.has_any(values, keys)
  for _, key in ipairs(keys) do
    if values[key] ~= nil then return true end
  end
  return false
end

--- The sum of one field of every row.
function tables.total(rows, key)
  local sum = 0
  for _, row in ipairs(rows) do sum = sum + row[key] end
  return sum
end

local function copied(value, known)
  if type(value) ~= "table" then return value end
  if known[value] then return known[value] end
  local result = {}
  known[value] = result
  for key, item in pairs(value) do result[key] = copied(item, known) end
  return result
end

--- A copy of a value, tables in it copied as well, each once.
function tables.copy(value) return copied(value, {}) end

--- A new table with the fields of base (may be nil), those of changes (may be nil) over them.
function tables.with(base, changes)
  local copy = {}
  for key, value in pairs(base or {}) do copy[key] = value end
  for key, value in pairs(changes or {}) do copy[key] = value end
  return copy
end

--- What nested tables have at a path of keys; nil where they have nothing there, or something else than a table on the way.
---@param value any
---@param ... any
---@return any
function tables.at(value, ...)
  for _, key in ipairs({ ... }) do
    if type(value) ~= "table" then return nil end
    value = value[key]
  end
  return value
end

return tables
