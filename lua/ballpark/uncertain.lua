-- Uncertain inputs: the functions that make them, and what they are worth in the draw that is being looked at. Where one
-- becomes an input it is a number, as a quantity is: its median, or its value in the present draw.
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local node = require("ballpark.uncertain.node")
local quantity = require("ballpark.quantity")
local spread = require("ballpark.uncertain.spread")

local uncertain = {}

uncertain.is = node.is

--- Functions that make and combine uncertain numbers, by name: what a scenario sees.
uncertain.scope = { less = node.less, at_most = node.at_most, choose = node.choose }

for name, make in pairs(spread.make) do
  uncertain.scope[name] = function(...) return node.leaf(make(...)) end
end
uncertain.scope.samples = uncertain.scope.empirical

local function check_leaf(path, value)
  if not (node.is(value) and value.op == "leaf") then
    errors.input(path, "takes what range, normal, lognormal, triangular, uniform, beta or empirical made")
  end
end

--- mixture { { weight, distribution }, ... }
function uncertain.scope.mixture(parts)
  if type(parts) ~= "table" or not parts[1] then errors.input("mixture", "takes a list of { weight, distribution }") end
  local list, dimension = {}, dimensions.none
  for i, part in ipairs(parts) do
    local weight, value = table.unpack(type(part) == "table" and part or {})
    if type(weight) ~= "number" then errors.input(("mixture[%d]"):format(i), "must be { weight, distribution }") end
    check_leaf(("mixture[%d]"):format(i), value)
    list[i], dimension = { weight, value.spread }, value.dimension
  end
  return node.leaf(spread.mixture(list), dimension)
end

--- correlated(a, b, r): two uncertain numbers whose normal scores are correlated by r (a Gaussian copula); both.
function uncertain.scope.correlated(a, b, r)
  check_leaf("correlated", a)
  check_leaf("correlated", b)
  if type(r) ~= "number" or not (math.abs(r) < 1) then
    errors.input("correlated", ("the correlation is between -1 and 1, got %s"):format(tostring(r)))
  end
  a.correlations[#a.correlations + 1] = { b, r }
  b.correlations[#b.correlations + 1] = { a, r }
  return a, b
end

--- The mathematical library for those who compute with uncertain numbers and quantities.
---@param library table as quantity.math has it
function uncertain.math(library)
  local copy = {}
  for name, fn in pairs(library) do copy[name] = fn end
  for name, symbolic in pairs(node.math) do
    local plain = library[name]
    copy[name] = function(...)
      for _, value in ipairs({ ... }) do
        if node.is(value) then return symbolic(...) end
      end
      return plain(...)
    end
  end
  return copy
end

--- What the functions are, by name: arguments, and what they make.
uncertain.says = {
  range = { "low, high", "an uncertain number that lies between the two with 80 % chance: lognormal where both are above "
    .. "0, else normal" },
  normal = { "mean, deviation", "a normal distribution" },
  lognormal = { "median, factor", "a lognormal distribution, one deviation of which is this factor" },
  triangular = { "low, mode, high", "a triangular distribution" },
  uniform = { "low, high", "a uniform distribution" },
  beta = { "alpha, beta, low, high", "a beta distribution from low to high, 0 and 1 unless said" },
  empirical = { "values", "a distribution that has each of the values with the same chance" },
  samples = { "values", "the same as empirical" },
  mixture = { "parts", "a distribution that is each of { { weight, distribution }, … } with its weight" },
  correlated = { "a, b, r", "both numbers, their normal scores correlated by r" },
  less = { "a, b", "1 where a < b, else 0" },
  at_most = { "a, b", "1 where a <= b, else 0" },
  choose = { "condition, a, b", "a where the condition is not 0, else b" },
}

-- The draw that is looked at: { of = value by leaf, seen = leaves in the order in which they became inputs, known }.
local present

--- Whether questions inside of a function of uncertain numbers are to be refused: the function is only being traced.
uncertain.tracing = false

--- fn(...) with the leaves worth what `of` says; the leaves that became inputs, and what fn returned.
---@param of table<ballpark.uncertain, number> empty: all are worth their medians
function uncertain.within(of, fn, ...)
  local before = present
  present = { of = of, seen = {}, known = {} }
  local outcome = table.pack(pcall(fn, ...))
  local seen = present.seen
  if before then
    for _, leaf in ipairs(seen) do uncertain.note(leaf, nil, before) end
  end
  present = before
  if not outcome[1] then error(outcome[2], 0) end
  return seen, table.unpack(outcome, 2, outcome.n)
end

--- Whether a draw is being looked at.
function uncertain.drawing() return present ~= nil end

--- Whether it is one in which uncertain numbers are not all worth their medians.
function uncertain.drawn() return present ~= nil and next(present.of) ~= nil end

--- fn(...) in the present draw, or at the medians where there is none; as uncertain.within.
function uncertain.watched(fn, ...) return uncertain.within(present and present.of or {}, fn, ...) end

--- Notes that a leaf has become an input at `path`.
function uncertain.note(leaf, path, draw)
  draw = draw or present
  leaf.name = leaf.name or path
  if not draw or draw.known[leaf] then return end
  draw.known[leaf] = true
  draw.seen[#draw.seen + 1] = leaf
end

-- Digits of an end that survive the way through a distribution.
local END_DIGITS <const> = "%.12g"

-- Ends of uncertain numbers, which are asked for in every draw.
local known_ends = setmetatable({}, { __mode = "k" })

--- The two values by which a number is stated, in base units: of a range its 80 % ends; of one that is certain the number
--- itself.
---@return number[]
function uncertain.ends(value)
  if not node.is(value) then return { quantity.is(value) and value.value or value } end
  if known_ends[value] then return known_ends[value] end
  local low, high = {}, {}
  for _, leaf in ipairs(node.leaves(value, {}, {})) do
    local below, above = spread.stated(leaf.spread)
    low[leaf], high[leaf] = spread.quantile(leaf.spread, below), spread.quantile(leaf.spread, above)
  end
  local list = { tonumber(END_DIGITS:format(node.value(value, low))), tonumber(END_DIGITS:format(node.value(value, high))) }
  known_ends[value] = list
  return list
end

--- What an uncertain number is worth now, as a quantity or a number, where it becomes the input at `path`.
function uncertain.worth(n, path)
  if uncertain.tracing then
    errors.input(path, "is an uncertain number where a question is asked: the function is asked for every draw")
  end
  for _, leaf in ipairs(node.leaves(n, {}, {})) do uncertain.note(leaf, path) end
  return quantity.new(node.value(n, present and present.of or {}), n.dimension, n.sure)
end

return uncertain
