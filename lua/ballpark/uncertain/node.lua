-- Uncertain numbers: leaves with a distribution, and expressions of them. They compute as quantities do; what they are
-- worth is known for one draw at a time, or for all of them once the expression is a tape (tape.lua).
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local quantity = require("ballpark.quantity")
local spread = require("ballpark.uncertain.spread")

local node = {}

---@class ballpark.uncertain
---@field op string of the tape, "leaf" or "number"
---@field args ballpark.uncertain[]
---@field dimension ballpark.dimension
---@field sure boolean as of a quantity
---@field bare boolean whether it has no unit that is known, as a number has none
---@field spread table|nil of a leaf
---@field name string|nil of a leaf: where it is an input

-- Rules of their arithmetic, and what can be asked of one: a scenario that has one must not reach the rules.
local methods = {}
local Node = { __index = methods, __name = "uncertain number" }

--- Whether a value is uncertain.
function node.is(value) return getmetatable(value) == Node end

local is <const> = node.is

--- A number that has a distribution.
function node.leaf(s, dimension)
  return setmetatable({ op = "leaf", args = {}, spread = s, dimension = dimension, sure = true,
    bare = dimension == dimensions.none, correlations = {} }, Node)
end

--- A number that a function works out from the values of leaves.
---@param leaves ballpark.uncertain[]
---@param evaluate fun(of: table<ballpark.uncertain, number>): number
---@param dimension ballpark.dimension
function node.called(leaves, evaluate, dimension)
  return setmetatable({ op = "called", args = leaves, evaluate = evaluate, dimension = dimension, sure = true,
    bare = dimension == dimensions.none }, Node)
end

-- A number or quantity as a node; raises for what is neither.
local function lifted(value)
  if is(value) then return value end
  if quantity.is(value) then
    return setmetatable({ op = "number", args = {}, value = value.value, dimension = value.dimension,
      sure = value.sure }, Node)
  end
  if type(value) ~= "number" then errors.input("range", ("cannot compute with a %s and an uncertain number"):format(type(value))) end
  return setmetatable({ op = "number", args = {}, value = value, dimension = dimensions.none, sure = true, bare = true },
    Node)
end

-- Levels of an expression at most: working it out calls itself once for each.
local DEEPEST <const> = 10000

-- What has no dimension is as bare as a number.
local function made(op, dimension, sure, ...)
  local depth = 0
  for _, inner in ipairs({ ... }) do depth = math.max(depth, inner.depth or 0) end
  if depth >= DEEPEST then
    errors.input("range", ("an uncertain number goes through more than %d steps: ranges{run = …} takes a function"):format(DEEPEST))
  end
  return setmetatable({ op = op, args = { ... }, dimension = dimension, sure = sure, depth = depth + 1,
    bare = dimension == dimensions.none }, Node)
end

-- The dimension of a sum, a maximum, a comparison.
local function common(what, a, b)
  if a.bare then return b.dimension, b.sure end
  if b.bare or a.dimension == b.dimension then return a.dimension, a.sure and b.sure end
  if a.sure and b.sure and not dimensions.fits(a.dimension, b.dimension)
    and not dimensions.fits(b.dimension, a.dimension) then
    errors.input("range", ("cannot %s %s and %s"):format(what, dimensions.words(a.dimension), dimensions.words(b.dimension)))
  end
  return a.dimension, false
end

local function like(op, what)
  return function(a, b)
    a, b = lifted(a), lifted(b)
    local dimension, sure = common(what, a, b)
    return made(op, dimension, sure, a, b)
  end
end

Node.__add, Node.__sub, Node.__mod = like("add", "add"), like("sub", "subtract"), like("mod", "divide")

-- A bare number beside a quantity may have a unit of its own.
local function stays_sure(a, b)
  return a.bare == b.bare and a.sure and b.sure
end

function Node.__mul(a, b)
  a, b = lifted(a), lifted(b)
  return made("mul", dimensions.times(a.dimension, b.dimension), stays_sure(a, b), a, b)
end

function Node.__div(a, b)
  a, b = lifted(a), lifted(b)
  local dimension = a.bare and dimensions.none or dimensions.over(a.dimension, b.dimension)
  return made("div", dimension, stays_sure(a, b), a, b)
end

function Node.__pow(a, b)
  a, b = lifted(a), lifted(b)
  local dimension = b.op == "number" and dimensions.power(a.dimension, b.value) or dimensions.none
  return made("pow", dimension, a.sure, a, b)
end

function Node.__unm(a) return made("neg", a.dimension, a.sure, a) end

local function kept(op)
  return function(a)
    a = lifted(a)
    return made(op, a.dimension, a.sure, a)
  end
end

function Node.__idiv(a, b) return kept("floor")(Node.__div(a, b)) end

local ORDER <const> = "an uncertain number is not less or more than another for good: choose(less(a, b), x, y)"

function Node.__lt() errors.input("ranges", ORDER) end
Node.__le = Node.__lt

function Node:__tostring()
  local low, high = self:quantile(0.1), self:quantile(0.9)
  if not low then return "an uncertain number" end
  local function text(value)
    return self.dimension == dimensions.none and ("%.6g"):format(value)
      or quantity.text(quantity.new(value, self.dimension))
  end
  return text(low) .. " to " .. text(high)
end

function Node.__concat(a, b) return tostring(a) .. tostring(b) end

--- A constructor of units applied to an uncertain number: GB_s(range(40, 80)).
function Node.__scaled(value, factor, dimension)
  if value.dimension ~= dimensions.none and dimension ~= dimensions.none then
    errors.input("range", ("has %s already"):format(dimensions.words(value.dimension)))
  end
  local whole = made("mul", dimension == dimensions.none and value.dimension or dimension, true, value, lifted(factor))
  whole.scale = { value, factor }
  return whole
end

--- The quantile of a leaf, scaled by units or not; nil of an expression.
function methods:quantile(share)
  if self.scale then
    local inner = self.scale[1]:quantile(share)
    return inner and inner * self.scale[2]
  end
  return self.spread and spread.quantile(self.spread, share)
end

local function unit_free(op)
  return function(a) return made(op, dimensions.none, true, lifted(a)) end
end

-- Several arguments, two at a time.
local function folded(op)
  local two = like(op, "compare")
  return function(first, ...)
    local rest = table.pack(...)
    for i = 1, rest.n do first = two(first, rest[i]) end
    return first
  end
end

--- Functions of a scenario that know uncertain numbers, by their name in the mathematical library.
node.math = { ceil = kept("ceil"), floor = kept("floor"), abs = kept("abs"), max = folded("max"), min = folded("min"),
  exp = unit_free("exp") }

function node.math.sqrt(a)
  a = lifted(a)
  return made("sqrt", dimensions.power(a.dimension, 0.5), a.sure, a)
end

function node.math.log(a, base)
  local log = unit_free("log")(a)
  if base == nil then return log end
  return log / (is(base) and unit_free("log")(base) or math.log(lifted(base).value))
end

local function compared(op)
  local two = like(op, "compare")
  return function(a, b)
    local outcome = two(a, b)
    outcome.dimension, outcome.sure = dimensions.none, true
    return outcome
  end
end

--- 1 where a < b, else 0; and where a <= b.
node.less, node.at_most = compared("less"), compared("at_most")

--- b where the condition is not 0, else c.
function node.choose(condition, b, c)
  b, c = lifted(b), lifted(c)
  local dimension, sure = common("choose between", b, c)
  return made("choose", dimension, sure, lifted(condition), b, c)
end

--- The leaves that a node hangs on, in the order in which they stand, added to `list` once.
function node.leaves(n, list, seen)
  if seen[n] then return list end
  seen[n] = true
  if n.op == "leaf" then list[#list + 1] = n end
  for _, inner in ipairs(n.args) do node.leaves(inner, list, seen) end
  return list
end

local COMPUTE <const> = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end, div = function(a, b) return a / b end,
  pow = function(a, b) return a ^ b end, mod = function(a, b) return a % b end,
  max = function(a, b) return a < b and b or a end, min = function(a, b) return b < a and b or a end,
  less = function(a, b) return a < b and 1 or 0 end, at_most = function(a, b) return a <= b and 1 or 0 end,
  choose = function(a, b, c) return a ~= 0 and b or c end, neg = function(a) return -a end, abs = math.abs,
  ceil = math.ceil, floor = math.floor, sqrt = function(a) return a ^ 0.5 end, exp = math.exp,
  log = function(a) return math.log(a) end,
}

-- Numbers are shared by expressions: each is looked at once.
local function has_called(n, seen)
  if n.op == "called" then return true end
  if seen[n] then return false end
  seen[n] = true
  for _, inner in ipairs(n.args) do
    if has_called(inner, seen) then return true end
  end
  return false
end

--- Whether the core can work a node out: nothing in it is a function.
function node.is_expression(n) return not has_called(n, {}) end

local function value_of(n, of, known)
  if known[n] then return known[n] end
  local value
  if n.op == "leaf" then
    value = of[n] or spread.quantile(n.spread, 0.5)
  elseif n.op == "number" then
    value = n.value
  elseif n.op == "called" then
    value = n.evaluate(of)
  else
    local values = {}
    for i, inner in ipairs(n.args) do values[i] = value_of(inner, of, known) end
    value = COMPUTE[n.op](values[1], values[2], values[3])
  end
  known[n] = value
  return value
end

--- What a node is worth where its leaves have the values `of`.
---@param of table<ballpark.uncertain, number>
function node.value(n, of) return value_of(n, of, {}) end

return node
