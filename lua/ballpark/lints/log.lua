-- What a scenario did, as lints read it: kernels and questions that it asked, each with input and output, what it says, and
-- what it checks.
local catalog = require("ballpark.catalog")
local tables = require("ballpark.tables")

local log = {}

-- Calls that are remembered: a scenario that asks more often asks the same again and again.
local MOST_CALLS <const> = 10000

local Log = {}
Log.__index = Log

--- An empty log.
function log.new() return setmetatable({ calls = {}, facts = {}, text = "", expectations = 0, slips = {} }, Log) end

--- Remembers a call of a kernel or a question.
---@param name string
---@param kind "kernel"|"question"
function Log:add(name, kind, input, output)
  if #self.calls >= MOST_CALLS then return end
  self.calls[#self.calls + 1] = { name = name, kind = kind, input = type(input) == "table" and input or {},
    output = type(output) == "table" and output or {} }
end

--- Forgets calls that `is` says are not as they were.
---@param is fun(call: table): boolean
function Log:leave_out(is)
  local calls = {}
  for _, call in ipairs(self.calls) do
    if not is(call) then calls[#calls + 1] = call end
  end
  self.calls = calls
end

--- Whether any of these was called.
function Log:has(...)
  local wanted = tables.set({ ... })
  for _, call in ipairs(self.calls) do
    if wanted[call.name] then return true end
  end
  return false
end

--- Whether a question was asked, whose answers have ranges.
function Log:has_question()
  for _, call in ipairs(self.calls) do
    if call.kind == "question" then return true end
  end
  return false
end

--- Where calls of a name are as `is` says, once: a list of { where } for a lint.
function Log:where(name, is) return self:where_any({ name }, is) end

--- The same of several names.
function Log:where_any(names, is)
  local wanted, list, seen = tables.set(names), {}, {}
  for _, call in ipairs(self.calls) do
    if wanted[call.name] and not seen[call.name] and is(call) then
      seen[call.name] = true
      list[#list + 1] = { where = (call.kind == "kernel" and "kernel." or "") .. call.name }
    end
  end
  return list
end

local dense

-- Numbers of a field of all devices.
local function of_devices(field)
  dense = dense or {}
  if not dense[field] then
    dense[field] = {}
    for _, name in ipairs(catalog.list("devices")) do
      local value = catalog.device(name)[field]
      if value and value > 0 then dense[field][#dense[field] + 1] = value end
    end
  end
  return dense[field]
end

local function near(a, b) return math.abs(a / b - 1) < 0.01 end

--- Whether a number is twice the field of a device of the catalog, and the field of none.
---@param value number|nil
---@param field string
---@param also string|nil another field that it may be
function Log.is_twice(_, value, field, also)
  if type(value) ~= "number" or value <= 0 then return false end
  local twice = false
  for _, known in ipairs(of_devices(field)) do
    if near(value, known) then return false end
    twice = twice or near(value, 2 * known)
  end
  for _, known in ipairs(also and of_devices(also) or {}) do
    if near(value, known) then return false end
  end
  return twice
end

--- Whether a price is the one that the catalog has of a device.
function Log.is_catalog_price(_, usd_h)
  for _, name in ipairs(catalog.list("prices")) do
    if catalog.price(name) == usd_h then return true end
  end
  return false
end

return log
