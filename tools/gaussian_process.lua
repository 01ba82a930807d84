-- A plain Gaussian process over plans, as optimisers use that know nothing of training: what ballpark tune is compared
-- with. Features are doublings of ranks, micro-batch and virtual stages, and switches; the first plan is any, the next
-- one has the largest expected improvement of ln(step).
local between_plans = require("ballpark.range.between_plans")
local linear = require("linear")

local gaussian_process = {}

-- Length over which steps are alike, in doublings, and noise, as deviations of ln(step): usual choices.
local LENGTH <const>, NOISE <const> = 2, 0.02

local function alike(a, b) return math.exp(-(between_plans.distance(a, b) / LENGTH) ^ 2 / 2) end

-- The density of the standard normal distribution, and its share below z (logistic approximation, within 0.01).
local function density(z) return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) end

local function below(z) return 1 / (1 + math.exp(-1.702 * z)) end

local function matrix_of(plans, places, scale)
  local m = {}
  for a, i in ipairs(places) do
    m[a] = {}
    for b, j in ipairs(places) do
      m[a][b] = scale * alike(plans[i], plans[j]) + (a == b and NOISE ^ 2 or 0)
    end
  end
  return m
end

--- The place of the plan to run next.
---@param plans table[]
---@param taken table<integer, number> measured seconds by place
---@param seed integer which plan is the first
function gaussian_process.next_of(plans, taken, seed)
  local places = {}
  for i = 1, #plans do places[#places + 1] = taken[i] and i or nil end
  if #places == 0 then return (seed * 7919) % #plans + 1 end
  local mean, least = 0, math.huge
  for _, i in ipairs(places) do
    mean, least = mean + math.log(taken[i]) / #places, math.min(least, math.log(taken[i]))
  end
  local variance = 0
  for _, i in ipairs(places) do variance = variance + (math.log(taken[i]) - mean) ^ 2 / #places end
  local scale = #places > 1 and math.max(variance, 0.01) or 0.1
  local off = {}
  for a, i in ipairs(places) do off[a] = math.log(taken[i]) - mean end
  local weights = linear.solved(matrix_of(plans, places, scale), off)
  local found
  for i = 1, #plans do
    if not taken[i] then
      local known, value = {}, mean
      for a, j in ipairs(places) do
        known[a] = scale * alike(plans[i], plans[j])
        value = value + known[a] * weights[a]
      end
      local rest = scale
      local part = linear.solved(matrix_of(plans, places, scale), table.move(known, 1, #known, 1, {}))
      for a = 1, #places do rest = rest - known[a] * part[a] end
      local deviation = math.sqrt(math.max(1e-12, rest))
      local z = (least - value) / deviation
      local gain = deviation * (z * below(z) + density(z))
      if not found or gain > found.gain then found = { place = i, gain = gain } end
    end
  end
  return found.place
end

return gaussian_process
