-- What the width of a figure comes from, out of few draws that vary all inputs at once: a polynomial of degree two in the
-- normal scores of the inputs (polynomial chaos: Sudret, Reliability Engineering and System Safety 93 (2008) 964). Its
-- terms are orthonormal, so that the square of a coefficient is the part of the variance that the term brings.
local core = require("ballpark.core")

local indices = {}

-- A term takes part while it lowers the error on draws that are left out by this share at least.
local GAIN <const> = 0.01

-- Terms for so many draws at most: more would fit their noise.
local DRAWS_A_TERM <const> = 3

-- Normal scores of the values by their ranks.
local function scores_of(values)
  local order, scores = {}, {}
  for i = 1, #values do order[i] = i end
  table.sort(order, function(a, b) return values[a] < values[b] or values[a] == values[b] and a < b end)
  for place, i in ipairs(order) do
    scores[i] = core.spread_value({ kind = "normal", a = 0, b = 1 }, (place - 0.5) / #values)
  end
  return scores
end

local function dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

local function product(a, b)
  local list = {}
  for i = 1, #a do list[i] = a[i] * b[i] end
  return list
end

-- Without its mean, and its mean square 1; nil where it does not vary.
local function standard(values)
  local n, mean, list = #values, 0, {}
  for i = 1, n do mean = mean + values[i] / n end
  for i = 1, n do list[i] = values[i] - mean end
  local size = math.sqrt(dot(list, list) / n)
  if not (size > 0) then return nil end
  for i = 1, n do list[i] = list[i] / size end
  return list
end

-- Columns of the draws, a term each: { values, inputs = numbers of the inputs in it }.
local function terms_of(columns)
  local terms, scores = {}, {}
  local function add(values, ...)
    local own = standard(values)
    if own then terms[#terms + 1] = { values = own, rest = table.move(own, 1, #own, 1, {}), inputs = { ... } } end
  end
  for k, values in ipairs(columns) do
    scores[k] = scores_of(values)
    add(scores[k], k)
    add(product(scores[k], scores[k]), k)
    for j = 1, k - 1 do add(product(scores[j], scores[k]), j, k) end
  end
  return terms
end

-- Takes the part along `axis` (of length 1) away from `values`.
local function reduce(values, axis)
  local along = dot(values, axis)
  for i = 1, #values do values[i] = values[i] - along * axis[i] end
  return along
end

-- Below this share of a term, what is left of it beside those that take part is rounding.
local DEPENDENT <const> = 1e-6

-- The term that explains most of what is left of y, and its direction of length 1.
local function next_term(terms, left)
  local best, most, best_length
  for _, term in ipairs(terms) do
    local length = not term.chosen and math.sqrt(dot(term.rest, term.rest)) or 0
    if length > DEPENDENT * math.sqrt(#left) then
      local gain = (dot(term.rest, left) / length) ^ 2
      if not most or gain > most then best, most, best_length = term, gain, length end
    end
  end
  if not best then return nil end
  local axis = {}
  for i, value in ipairs(best.rest) do axis[i] = value / best_length end
  return best, axis
end

-- Mean square error on draws that were left out one at a time, from those of the fit; h: leverages.
local function left_out_error(left, leverages)
  local sum = 0
  for i, value in ipairs(left) do sum = sum + (value / math.max(1e-9, 1 - leverages[i])) ^ 2 end
  return sum / #left
end

-- Coefficients of the chosen terms, from their parts along the directions.
local function coefficients(chosen, parts)
  local list = {}
  for j = #chosen, 1, -1 do
    local value = parts[j]
    for k = j + 1, #chosen do value = value - chosen[k].along[j] * list[k] end
    list[j] = value / chosen[j].along[j]
  end
  return list
end

-- The terms of the fit with their coefficients, by least squares; terms come in while they help on draws left out.
local function fit(terms, y)
  local n = #y
  local left, leverages, chosen, parts = table.move(y, 1, n, 1, {}), {}, {}, {}
  for i = 1, n do leverages[i] = 1 / n end
  local before = left_out_error(left, leverages)
  while #chosen < n // DRAWS_A_TERM do
    local term, axis = next_term(terms, left)
    if not term then break end
    local now, raised = table.move(left, 1, n, 1, {}), {}
    local part = reduce(now, axis)
    for i = 1, n do raised[i] = leverages[i] + axis[i] ^ 2 end
    local after = left_out_error(now, raised)
    if not (after < (1 - GAIN) * before) then break end
    left, leverages, before, term.chosen = now, raised, after, true
    term.along = {}
    for j, other in ipairs(chosen) do term.along[j] = dot(term.values, other.axis) end
    term.along[#chosen + 1], term.axis = dot(term.values, axis), axis
    chosen[#chosen + 1], parts[#chosen + 1] = term, part
    for _, other in ipairs(terms) do
      if not other.chosen then reduce(other.rest, axis) end
    end
  end
  return chosen, coefficients(chosen, parts), dot(left, left) / n
end

--- Sobol indices of every input: { first, total } each, and the share of the variance that the polynomial explains; what
--- it leaves is in none of them. The inputs are independent.
---@param columns number[][] by input, its values in the draws
---@param y number[] the figure in the draws
---@return table[] list, number explained_frac
function indices.of(columns, y)
  local list, mean = {}, 0
  for k in ipairs(columns) do list[k] = { first = 0, total = 0 } end
  for _, value in ipairs(y) do mean = mean + value / #y end
  local centred = {}
  for i, value in ipairs(y) do centred[i] = value - mean end
  local chosen, weights, rest = fit(terms_of(columns), centred)
  local all = rest
  for _, weight in ipairs(weights) do all = all + weight ^ 2 end
  if not (all > 0) then return list, 0 end
  for j, term in ipairs(chosen) do
    for _, k in ipairs(term.inputs) do
      list[k].total = list[k].total + weights[j] ^ 2 / all
      if #term.inputs == 1 then list[k].first = list[k].first + weights[j] ^ 2 / all end
    end
  end
  return list, 1 - rest / all
end

return indices
