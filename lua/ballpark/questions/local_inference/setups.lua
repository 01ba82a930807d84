-- Several devices or formats in one question: a setup of each, side by side.
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local space = require("ballpark.search.space")
local tables = require("ballpark.tables")

local setups = {}

-- Inputs of which a list can be asked about, the first slowest.
local SEVERAL <const> = { "device", "format" }

-- More setups than this are a mistake in writing, or a sweep.
local MOST <const> = 1000

local function is_list(value) return type(value) == "table" and (value[1] ~= nil or next(value) == nil) end

--- The inputs of each setup in the order asked, and the fields that have lists; nil where none has.
---@param input table of local_inference{}
---@return table[]|nil points
---@return string[]|nil fields
function setups.of(input)
  if type(input) ~= "table" then return nil end
  local axes, names = {}, {}
  for _, field in ipairs(SEVERAL) do
    local values = input[field]
    if is_list(values) then
      if #values == 0 then errors.input(field, "the list is empty") end
      names[#names + 1], axes[#axes + 1] = field, { name = field, values = values }
      if space.new(axes).size > MOST then errors.input(field, ("makes more than %d setups"):format(MOST)) end
    end
  end
  if #axes == 0 then return nil end
  local points = {}
  for place, point in space.new(axes):points() do points[place] = tables.with(input, point) end
  return points, names
end

--- A setup in words, by the fields that differ.
---@param axes string[]
---@param asked table the input of the setup
function setups.words(axes, asked)
  local words = {}
  for i, field in ipairs(axes) do
    local value = asked[field]
    words[i] = type(value) == "table" and value.name or tostring(value)
  end
  return table.concat(words, ", ")
end

--- The answer that a report is about: the first that surely fits, else that which is likeliest to.
---@param answers table[] of local_inference{}
function setups.shown(answers)
  local best = answers[1]
  for _, answer in ipairs(answers) do
    if answer.fits_chance >= fits.SURE then return answer end
    if answer.fits_chance > best.fits_chance then best = answer end
  end
  return best
end

return setups
