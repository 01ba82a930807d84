-- Quantities: numbers that know what they count. A scenario makes them with the unit functions (GiB(80), days(30)) and
-- computes with them as with numbers. Where one becomes an input, its dimension is checked and the plain number in the
-- input's unit goes on: kernels, rules and answers have plain numbers.
--
-- A bare number beside a quantity: in a sum and in a comparison it is in the same base unit. Times or over a number a
-- quantity keeps its dimension and is no longer `sure`, for the number may be an answer with a unit of its own. A bare
-- number over a quantity is a bare number, as in answer.run.run_s / days(1).
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local units = require("ballpark.units")

local quantity = {}

---@class ballpark.quantity
---@field value number in base units
---@field dimension ballpark.dimension
---@field sure boolean whether all that it was made of had a dimension

local Quantity = {}

--- Whether a value is a quantity.
function quantity.is(value) return getmetatable(value) == Quantity end

--- A quantity; a plain number where it is a count or a share.
---@param value number in base units
---@param dimension ballpark.dimension
---@param sure boolean|nil true unless said
function quantity.new(value, dimension, sure)
  if dimension == dimensions.none then return value end
  return setmetatable({ value = value, dimension = dimension, sure = sure ~= false }, Quantity)
end

local is, new <const> = quantity.is, quantity.new

--- The number of a quantity in base units; anything else as it is.
function quantity.value(value) return is(value) and value.value or value end

--- A quantity in the unit that people use, and in words what it counts: "2 GiB" and "bytes".
---@param q ballpark.quantity
function quantity.text(q) return units.format(q.value, dimensions.unit(q.dimension)) end

-- What is no quantity and no number computes by its own rules, if it has any.
local function other(event, a, b)
  for _, value in ipairs({ a, b }) do
    local rules = not is(value) and type(value) ~= "number" and type(value) ~= "string" and getmetatable(value)
    if type(rules) == "table" and rules[event] then return rules[event](a, b) end
  end
  local odd = (is(a) or type(a) == "number") and b or a
  error(("attempt to compute with a %s and a quantity"):format(type(odd)), 3)
end

local function number(value) return type(value) == "number" end

local function both_known(a, b) return (is(a) or number(a)) and (is(b) or number(b)) end

-- The dimension of a sum or comparison, and whether it is sure.
local function common(what, a, b)
  if not is(a) then return b.dimension, b.sure end
  if not is(b) or a.dimension == b.dimension then return a.dimension, a.sure and quantity.value(b) ~= nil end
  if a.sure and b.sure and not dimensions.fits(a.dimension, b.dimension)
    and not dimensions.fits(b.dimension, a.dimension) then
    error(("cannot %s %s (%s) and %s (%s)"):format(what, dimensions.words(a.dimension), quantity.text(a),
      dimensions.words(b.dimension), quantity.text(b)), 3)
  end
  return a.dimension, false
end

-- Lua divides whole numbers by zero in floats alone.
local function check_divisor(event, b)
  if math.type(b) == "integer" and b == 0 and (event == "__idiv" or event == "__mod") then error("attempt to divide by zero", 3) end
end

local function sum(event, what, compute)
  Quantity[event] = function(a, b)
    if not both_known(a, b) then return other(event, a, b) end
    local dimension, sure = common(what, a, b)
    check_divisor(event, quantity.value(b))
    return new(units.unwrapped(compute, quantity.value(a), quantity.value(b)), dimension, sure)
  end
end

sum("__add", "add", function(a, b) return a + b end)
sum("__sub", "subtract", function(a, b) return a - b end)
sum("__mod", "divide", function(a, b) return a % b end)

local function times(a, b) return a * b end

function Quantity.__mul(a, b)
  if not both_known(a, b) then return other("__mul", a, b) end
  local value = units.unwrapped(times, quantity.value(a), quantity.value(b))
  if is(a) and is(b) then return new(value, dimensions.times(a.dimension, b.dimension), a.sure and b.sure) end
  return new(value, (is(a) and a or b).dimension, false)
end

local function quotient(event, compute)
  Quantity[event] = function(a, b)
    if not both_known(a, b) then return other(event, a, b) end
    check_divisor(event, quantity.value(b))
    local value = compute(quantity.value(a), quantity.value(b))
    if not is(a) then return value end
    if not is(b) then return new(value, a.dimension, false) end
    return new(value, dimensions.over(a.dimension, b.dimension), a.sure and b.sure)
  end
end

quotient("__div", function(a, b) return a / b end)
quotient("__idiv", function(a, b) return a // b end)

function Quantity.__pow(a, b)
  if not both_known(a, b) then return other("__pow", a, b) end
  if is(b) then error("an exponent has no unit, got " .. dimensions.words(b.dimension), 2) end
  return new(a.value ^ b, dimensions.power(a.dimension, b), a.sure)
end

function Quantity.__unm(a) return new(-a.value, a.dimension, a.sure) end

local function comparison(event, compute)
  Quantity[event] = function(a, b)
    if not both_known(a, b) then return other(event, a, b) end
    common("compare", a, b)
    return compute(quantity.value(a), quantity.value(b))
  end
end

comparison("__lt", function(a, b) return a < b end)
comparison("__le", function(a, b) return a <= b end)

function Quantity.__eq(a, b)
  return is(a) and is(b) and a.value == b.value and (a.dimension == b.dimension or not (a.sure and b.sure))
end

function Quantity:__tostring() return quantity.text(self) end

function Quantity.__concat(a, b) return tostring(a) .. tostring(b) end

Quantity.__name = "quantity"

--- Functions that make quantities, by name: what a scenario and a value on the command line see. They take a number, or
--- what was made with a count: million(USD(2)).
quantity.scope = {}

local function constructor(name, make)
  local dimension = dimensions.of(units.base[name])
  return function(value)
    if is(value) then
      if dimension ~= dimensions.none and dimension ~= value.dimension then
        errors.input(name, ("makes %s of a number, got %s"):format(units.makes[name], dimensions.words(value.dimension)))
      end
      return dimension == dimensions.none and new(units.unwrapped(times, make(1), value.value), value.dimension, value.sure) or value
    end
    local rules = type(value) == "table" and getmetatable(value)
    if rules and rules.__scaled then return rules.__scaled(value, make(1), dimension) end
    local _, factor = dimensions.of(units.base[name])
    return new(make(value) * factor, dimension)
  end
end

for name, make in pairs(units.scope) do quantity.scope[name] = constructor(name, make) end

-- A function of numbers that keeps the unit of its first argument that has one; the others have no other.
local function kept(fn)
  return function(...)
    local values, like = table.pack(...), nil
    for i = 1, values.n do
      if is(values[i]) then
        if like then common("compare", like, values[i]) end
        like, values[i] = like or values[i], values[i].value
      end
    end
    local result = fn(table.unpack(values, 1, values.n))
    return like and number(result) and new(result, like.dimension, like.sure) or result
  end
end

-- The arguments of a function with quantities as plain numbers.
local function stripped(fn)
  return function(...)
    local values = table.pack(...)
    for i = 1, values.n do values[i] = quantity.value(values[i]) end
    return fn(table.unpack(values, 1, values.n))
  end
end

-- Functions of libraries whose result has the unit of what they are given.
local KEEP <const> = { ceil = true, floor = true, max = true, min = true, abs = true,
  fmod = true, tointeger = true }

--- The mathematical library for those who compute with quantities: rounding, max, min and abs keep the unit, the
--- others take numbers in base units.
---@param library table
function quantity.math(library)
  local copy = {}
  for name, value in pairs(library) do
    copy[name] = type(value) == "function" and (KEEP[name] and kept or stripped)(value) or value
  end
  function copy.sqrt(x) return is(x) and x ^ 0.5 or library.sqrt(x) end
  return copy
end

local plain_format <const> = string.format

-- A whole number beyond what an integer holds, as 1e25 of anything.
local function is_beyond(value)
  return math.type(value) == "float" and not math.tointeger(value) and (value % 1 == 0 or value == math.huge or value == -math.huge)
end

--- string.format, to which a quantity is its number in base units, and its text with unit where %s asks for text. %d writes
--- whole numbers of any size.
function quantity.format(text, ...)
  local values, at, any = table.pack(...), 0, false
  for i = 1, values.n do any = any or is(values[i]) or is_beyond(values[i]) end
  if not any then return plain_format(text, ...) end
  text = text:gsub("(%%[-+ #0]*%d*%.?%d*)(.)", function(form, mark)
    if mark == "%" then return end
    at = at + 1
    if mark ~= "s" then values[at] = quantity.value(values[at]) end
    return mark == "d" and is_beyond(values[at]) and form:gsub("%..*", "") .. ".0f" or nil
  end)
  return plain_format(text, table.unpack(values, 1, values.n))
end

--- What a scenario is told about a value: a quantity is a number.
function quantity.type(...)
  if select("#", ...) > 0 and is((...)) then return "number" end
  return type(...)
end

return quantity
