-- expect(id, actual, {equals=, rel=} | {least=, most=}): a number the scenario stands for. `unit` is what a
-- report shows it in; without it the unit of the shown fact that has this value.
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local plain = require("ballpark.scenario.plain")
local quantity = require("ballpark.quantity")

local expect = {}

local KNOWN = { "equals", "rel", "least", "most", "unit" }

local function check_finite(path, value)
  if value ~= value then errors.input(path, "is not a number (nan, such as 0/0)") end
  if value == math.huge or value == -math.huge then errors.input(path, "must be finite, got " .. tostring(value)) end
end

-- Rounding of the last digits of a double, for those who give no tolerance.
local TIGHT = 1e-9

local function check_wanted(path, wanted)
  if type(wanted) ~= "table" then
    errors.input(path, "needs {equals = ..., rel = ...} or {least = ..., most = ...}")
  end
  errors.only(path, wanted, KNOWN, "check")
  if wanted.equals == nil and wanted.least == nil and wanted.most == nil then
    errors.input(path, "checks nothing: give equals, least or most")
  end
  for _, bound in ipairs({ "rel", "least", "most" }) do
    if wanted[bound] ~= nil and type(wanted[bound]) ~= "number" then
      errors.input(path .. "." .. bound, "must be a number, got " .. type(wanted[bound]))
    end
  end
  for _, number in ipairs({ "equals", "rel", "least", "most" }) do
    check_finite(path .. "." .. number, wanted[number])
  end
  if wanted.unit ~= nil and type(wanted.unit) ~= "string" then
    errors.input(path .. ".unit", "must be a base unit such as \"s\" or \"B\", got " .. type(wanted.unit))
  end
  if wanted.rel and wanted.rel < 0 then errors.input(path .. ".rel", "must be at least 0") end
end

local function near(actual, wanted, rel)
  if actual == wanted or type(wanted) ~= "number" or type(actual) ~= "number" then return actual == wanted end
  return math.abs(actual - wanted) <= (rel or TIGHT) * math.abs(wanted)
end

local function holds(actual, wanted)
  if wanted.equals ~= nil and not near(actual, wanted.equals, wanted.rel) then return false end
  if wanted.least ~= nil and not (actual >= wanted.least) then return false end
  return wanted.most == nil or actual <= wanted.most
end

-- Small whole numbers are the value of many facts: they say nothing of their unit.
local TELLING_FROM <const> = 1000

-- The unit of the facts that have this value, where all of them agree.
local function unit_of(result, actual)
  if type(actual) ~= "number" or result.numbers_only then return nil end
  if actual == math.floor(actual) and math.abs(actual) < TELLING_FROM then return nil end
  local unit
  for _, fact in ipairs(result:scalars()) do
    if fact.value == actual then
      if unit and unit ~= fact.unit then return nil end
      unit = fact.unit
    end
  end
  return unit
end

--- What is expected and what is there as plain numbers; two quantities must be of one dimension.
function expect.plain(path, actual, wanted)
  local unit = quantity.is(actual) and actual.sure and dimensions.unit(actual.dimension) or nil
  if type(wanted) ~= "table" or quantity.is(wanted) then return quantity.value(actual), wanted end
  local numbers = {}
  for key, value in pairs(wanted) do
    numbers[key] = quantity.is(value) and plain.number(path .. "." .. tostring(key), value, unit) or value
  end
  return quantity.value(actual), numbers
end

--- Adds the outcome to the result and returns whether it holds.
function expect.check(result, id, actual, wanted)
  id = tostring(id)
  local path = "expect '" .. id .. "'"
  check_wanted(path, wanted)
  check_finite(path, actual)
  if type(actual) ~= "number" and (wanted.least ~= nil or wanted.most ~= nil) then
    errors.input(path, "needs a number to compare, got " .. type(actual))
  end
  if type(actual) == "table" or type(actual) == "function" then
    errors.input(path, "compares numbers, text or true/false, got " .. type(actual))
  end
  local ok = holds(actual, wanted)
  result:expectation({ id = id, actual = actual, expected = wanted.equals, rel = wanted.rel,
    least = wanted.least, most = wanted.most, ok = ok, unit = wanted.unit or unit_of(result, actual) })
  return ok
end

return expect
