-- Distributions of uncertain numbers, as people state them and as the core takes them (core/stats/spread.h).
local core = require("ballpark.core")
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local quantity = require("ballpark.quantity")

local spread = {}

---@class ballpark.spread
---@field kind string
---@field dimension ballpark.dimension of its values

-- Standard normal score of 90 of a hundred: an 80 % range is as many deviations wide to either side.
spread.SCORE = core.spread_value({ kind = "normal", a = 0, b = 1 }, 0.9)

-- A number, and what dimension it has.
local function number(path, value)
  if quantity.is(value) then return value.value, value.dimension end
  if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge then
    errors.input(path, "takes numbers, got " .. (type(value) == "number" and tostring(value) or type(value)))
  end
  return value, dimensions.none
end

-- Numbers of one dimension; where some have none they are in base units of the others.
local function numbers(name, ...)
  local given, list, dimension = table.pack(...), {}, dimensions.none
  for i = 1, given.n do
    local value, own = number(name, given[i])
    if own ~= dimensions.none and dimension ~= dimensions.none and own ~= dimension then
      errors.input(name, ("takes numbers of one kind, got %s and %s"):format(dimensions.words(dimension),
        dimensions.words(own)))
    end
    list[i], dimension = value, own ~= dimensions.none and own or dimension
  end
  return dimension, table.unpack(list, 1, given.n)
end

local function shown(value, dimension)
  return dimension == dimensions.none and ("%.6g"):format(value) or quantity.text(quantity.new(value, dimension))
end

local function check_order(name, dimension, low, high)
  if low < high then return end
  if low == high then
    errors.input(name, ("both ends are %s: write the number alone"):format(shown(low, dimension)))
  end
  errors.input(name, ("starts above its end: write %s(%.6g, %.6g)"):format(name, high, low))
end

-- {kind, a, b, c, d} from the arguments of a function of scenarios.
local MAKERS = {}

--- Ends between which the value lies with 80 % chance: lognormal where both are above 0, else normal.
function MAKERS.range(low, high)
  local dimension, a, b = numbers("range", low, high)
  check_order("range", dimension, a, b)
  if a > 0 then
    return { kind = "lognormal", a = (math.log(a) + math.log(b)) / 2, b = math.log(b / a) / (2 * spread.SCORE) },
      dimension
  end
  return { kind = "normal", a = (a + b) / 2, b = (b - a) / (2 * spread.SCORE) }, dimension
end

local function check_positive(name, what, value)
  if not (value > 0) then errors.input(name, ("%s must be above 0, got %.6g"):format(what, value)) end
end

function MAKERS.normal(mean, deviation)
  local dimension, a, b = numbers("normal", mean, deviation)
  check_positive("normal", "the deviation", b)
  return { kind = "normal", a = a, b = b }, dimension
end

--- By the median and the factor that one deviation is.
function MAKERS.lognormal(median, factor)
  local dimension, a = numbers("lognormal", median)
  local b = number("lognormal", factor)
  check_positive("lognormal", "the median", a)
  if not (b > 1) then
    errors.input("lognormal", ("one deviation is a factor above 1, got %.6g"):format(b))
  end
  return { kind = "lognormal", a = math.log(a), b = math.log(b) }, dimension
end

function MAKERS.uniform(low, high)
  local dimension, a, b = numbers("uniform", low, high)
  check_order("uniform", dimension, a, b)
  return { kind = "uniform", a = a, b = b }, dimension
end

function MAKERS.triangular(low, mode, high)
  local dimension, a, b, c = numbers("triangular", low, mode, high)
  check_order("triangular", dimension, a, c)
  if b < a or b > c then
    errors.input("triangular", ("the mode %s is not between its ends"):format(shown(b, dimension)))
  end
  return { kind = "triangular", a = a, b = b, c = c }, dimension
end

--- Shapes, and the ends it is scaled to, 0 and 1 unless said.
function MAKERS.beta(alpha, beta, low, high)
  local _, a, b = numbers("beta", alpha, beta)
  local dimension, c, d = numbers("beta", low or 0, high or 1)
  check_positive("beta", "a shape", a)
  check_positive("beta", "a shape", b)
  check_order("beta", dimension, c, d)
  return { kind = "beta", a = a, b = b, c = c, d = d }, dimension
end

--- Values that were seen, each as likely as the others.
function MAKERS.empirical(values)
  if type(values) ~= "table" or #values < 2 then errors.input("empirical", "takes a list of at least two numbers") end
  local list = { numbers("empirical", table.unpack(values)) }
  local dimension = table.remove(list, 1)
  table.sort(list)
  return { kind = "empirical", values = list }, dimension
end

--- Constructors by name: spread.make.normal(1, 2) gives the distribution and the dimension of its values.
spread.make = MAKERS

--- A mixture of distributions { { weight, spread }, ... }.
function spread.mixture(parts)
  local total, weights, list = 0, {}, {}
  for i, part in ipairs(parts) do
    check_positive("mixture", "a weight", part[1])
    total, list[i] = total + part[1], part[2]
  end
  for i, part in ipairs(parts) do weights[i] = part[1] / total end
  return { kind = "mixture", values = weights, parts = list }
end

-- Draws by which the quantiles of a mixture are read.
local SEEN <const> = 4096

--- The value below which a share of the distribution lies.
function spread.quantile(s, share)
  if s.kind ~= "mixture" then return core.spread_value(s, share) end
  local values = core.draw_values({ inputs = { s }, samples = SEEN })[1]
  table.sort(values)
  return values[math.floor(share * (SEEN - 1) + 1.5)]
end

-- Distributions that end nowhere are stated by their 80 % range; others by their ends, next to which these shares lie.
local ENDLESS <const> = { normal = true, lognormal = true, mixture = true }
local NEXT_TO_END <const> = 1e-12

--- The shares of a distribution below the two values by which it is stated.
function spread.stated(s)
  if ENDLESS[s.kind] then return 0.1, 0.9 end
  return NEXT_TO_END, 1 - NEXT_TO_END
end

return spread
