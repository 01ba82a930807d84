-- Quantities become plain numbers where they become inputs: a wrong dimension is an error that names both.
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local quantity = require("ballpark.quantity")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local plain = {}

-- "2 GiB" and "7 per second" with what they are; a plain text where no unit is printed.
local function given(q)
  return ("%s (%s)"):format(dimensions.words(q.dimension), quantity.text(q))
end

local DIVISORS <const> = { h = "hour", day = "day" }

local function wanted_words(unit, wanted)
  if unit == "frac" then return "a fraction" end
  local above, divisor = unit:match("^(.*)/(%a+)$")
  if not DIVISORS[divisor] then return dimensions.words(wanted) end
  return dimensions.words(dimensions.of(above)) .. " per " .. DIVISORS[divisor]
end

-- A number in base units as one of the field's unit, which may be the hour's or the day's.
local function in_unit(q, factor)
  return factor == 1 and q.value or q.value / factor
end

--- The number that a quantity stands for in the input at `path`, whose unit is `unit`; nil: any.
---@param warn fun(text: string)|nil called where the dimension is wrong and hangs on a bare number
function plain.number(path, q, unit, warn)
  local wanted, factor = dimensions.of(unit or "?")
  if not wanted then return q.value end
  if dimensions.fits(q.dimension, wanted) then return in_unit(q, factor) end
  if q.sure then
    errors.input(path, ("takes %s, got %s"):format(wanted_words(unit, wanted), given(q)))
  end
  if warn then
    warn(("%s takes %s and was given %s, which came from a bare number as well; it is taken as %.6g %s"):format(path,
      wanted_words(unit, wanted), given(q), q.value, unit))
  end
  return q.value
end

-- The unit of a list is that of the field that holds it.
local function key_of(path, key)
  if type(key) == "number" then return path:match("([%a_][%w_]*)[%[%]%d]*$"), ("%s[%s]"):format(path, key) end
  return tostring(key), (path == "" and "" or path .. ".") .. tostring(key)
end

-- Sizes from here on lose nothing by whole bytes, which some fields of one name want and others do not.
local WHOLE_BYTES <const> = 1 << 20

-- Distributions have no ends, and inputs have: where the two values by which one is stated may both be, what is drawn
-- beyond the input's limits is at them.
local function within(now, value, name, path, about)
  local limits = name and about.limits(name)
  if not limits or not uncertain.drawn() then return now end
  for _, stated in ipairs(uncertain.ends(value)) do
    local end_of = quantity.new(stated, value.dimension, value.sure)
    stated = quantity.is(end_of) and plain.number(path, end_of, about.unit(name)) or stated
    if stated < limits.least or stated > limits.most then return now end
  end
  return math.max(limits.least, math.min(limits.most, now))
end

-- What an uncertain number is worth now; an input that counts takes the nearest whole number.
local function worth(value, name, path, about, warn)
  local now = uncertain.worth(value, path)
  if quantity.is(now) then now = plain.number(path, now, about.unit(name), warn) end
  now = within(now, value, name, path, about)
  local size = about.unit(name) == "B" and now >= WHOLE_BYTES
  return (size or about.counts(name)) and math.floor(now + 0.5) or now
end

-- Tables in each other, of an input at most; those of ours are a tenth as deep.
local MOST_DEEP <const> = 50

-- Integers of Lua go on at the other end from 2^63 on, and floats do not: a number that a float does not hold to one is a float,
-- so that no product with it wraps.
local LARGE <const> = 1 << 53

-- A whole number where the input counts, whether it was written 1000 or 1e3.
local function counted(value, name, about)
  if type(value) ~= "number" then return value end
  if not (value > -LARGE and value < LARGE) then return value + 0.0 end
  return about.counts(name) and math.tointeger(value) or value
end

-- Refuses a list in which an item is missing, as of a null of JSON: who goes through a list ends there.
local function check_gaps(path, value)
  local count, last = 0, 0
  for key in pairs(value) do
    if math.type(key) == "integer" and key > 0 then count, last = count + 1, math.max(last, key) end
  end
  if count == last then return end
  local missing = 1
  while value[missing] ~= nil do missing = missing + 1 end
  errors.input(("%s[%d]"):format(path, missing), ("is missing, and the list goes on to %d"):format(last))
end

local function walked(value, name, path, about, warn, seen, depth)
  if uncertain.is(value) then return worth(value, name, path, about, warn) end
  if quantity.is(value) then return counted(plain.number(path, value, about.unit(name), warn), name, about) end
  fields.check_digits(path, value)
  if type(value) == "number" then return counted(value, name, about) end
  if type(value) ~= "table" or getmetatable(value) or seen[value] then return value end
  if depth > MOST_DEEP then errors.input(path:match("^[%w_]+") or path, ("has tables in each other, more than %d deep"):format(MOST_DEEP)) end
  seen[value] = true
  check_gaps(path, value)
  local changed
  for _, key in ipairs(tables.sorted_keys(value)) do
    local item, inner, at = value[key], key_of(path, key)
    local new = walked(item, inner, at, about, warn, seen, depth + 1)
    if new ~= item or math.type(new) ~= math.type(item) then
      changed = changed or {}
      changed[key] = new
    end
  end
  if not changed then return value end
  local copy = {}
  for key, item in pairs(value) do copy[key] = item end
  for key, item in pairs(changed) do copy[key] = item end
  return copy
end

--- An input with every quantity in it as a plain number of the field it is in; the value itself where it has none.
---@param path string of the input: "job", "cluster.price"
---@param warn fun(text: string)|nil
---@param own {units: table<string, string>, whole: table<string, boolean>|nil, limits: table<string, table>|nil}|nil of
--- inputs that the lists of fields do not know, by name: units, which take whole numbers, and { least =, most = }
function plain.inputs(path, value, warn, own)
  local own_units, whole, limits = own and own.units or {}, own and own.whole or {}, own and own.limits or {}
  local about = { unit = function(name) return own_units[name] or name and fields.unit(name) end,
    counts = function(name) return whole[name] or fields.counts(name) end,
    limits = function(name) return limits[name] or fields.limits(name) end }
  return walked(value, path:match("([%a_][%w_]*)[%[%]%d]*$"), path, about, warn, {}, 1)
end

return plain
