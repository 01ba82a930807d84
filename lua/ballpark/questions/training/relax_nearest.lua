-- Which value of a plan field comes nearest to the one that was asked for.
local best = require("ballpark.search.best")
local fields = require("ballpark.fields")
local space = require("ballpark.search.space")
local varied = require("ballpark.questions.training.varied")

local nearest = {}

-- Values of one field that a search keeps the best plan of: more than any field has that is cut up whole.
local VALUES_MOST <const> = 256

-- What a recipe that cannot be is replaced by first: a training falls back to 16 bits.
local PREFERRED = { precision = { "bf16", "fp16", "tf32", "fp32" } }

local function place_in(list, value)
  for i, item in ipairs(list or {}) do
    if item == value then return i end
  end
end

local function number_distance(value, asked)
  if value > 0 and asked > 0 then return math.abs(math.log(value / asked)) end
  return math.abs(value - asked)
end

-- How far a value is from one that was asked for: by ratio, or by places in the list of names.
local function distance(field, value, asked)
  if type(value) == "number" and type(asked) == "number" then return number_distance(value, asked) end
  local names = (fields.by_name(fields.input("train_step", "plan"))[field] or {}).names
  local from, to = place_in(names, asked), place_in(names, value)
  return from and to and math.abs(from - to) or 0
end

local function rank(field, value, asked)
  local preferred = PREFERRED[field]
  if preferred then return place_in(preferred, value) or #preferred + 1 end
  local least = math.huge
  for _, item in ipairs(space.listed(asked) or {}) do least = math.min(least, distance(field, value, item)) end
  return least
end

--- The best plan with the feasible value of `field` that is nearest to the values `asked`; nil when none is
--- feasible.
---@param input table a search in which the field is free
function nearest.plan(input, field, asked)
  local plans = varied.plans(varied.with(input, { "differ" }, { field }), VALUES_MOST)
  return (best.nearest(plans, function(kept) return rank(field, kept.plan[field], asked) end))
end

return nearest
