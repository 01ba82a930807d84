-- Kernels of uncertain inputs: every number that they answer with is an uncertain number in turn, worked out by the
-- kernel itself for every draw.
local dimensions = require("ballpark.dimensions")
local fields = require("ballpark.fields")
local node = require("ballpark.uncertain.node")
local uncertain = require("ballpark.uncertain")

local uncertain_kernel = {}

local function units_of(name)
  local units = {}
  for _, field in ipairs(fields.output(name)) do units[field.name] = field.unit end
  return units
end

-- Numbers of one unit as a node that asks `at` for them; a price by the hour counts in base units.
local function called(leaves, at, field, unit)
  local dimension, factor = dimensions.of(unit)
  return node.called(leaves, function(of) return at(of)[field] * factor end, dimension)
end

--- What a kernel answers: plain numbers at the medians or in the present draw, and uncertain ones outside of all draws
--- where an input is uncertain.
---@param name string of the kernel
---@param call fun(): table calls the kernel with what its inputs are worth now
function uncertain_kernel.answer(name, call)
  if uncertain.drawing() then return call() end
  local leaves, answer = uncertain.within({}, call)
  if not leaves[1] then return answer end
  local known = setmetatable({}, { __mode = "k" })
  local function at(of)
    if not known[of] then
      local _, drawn = uncertain.within(of, call)
      known[of] = drawn
    end
    return known[of]
  end
  local units = units_of(name)
  for field, value in pairs(answer) do
    if type(value) == "number" then answer[field] = called(leaves, at, field, units[field] or "") end
  end
  return answer
end

return uncertain_kernel
