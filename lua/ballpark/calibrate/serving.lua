-- Coefficients of one's own serving engine from a sweep of concurrencies or a log of requests, and the curve over
-- concurrencies that a sweep leaves: each is drawn towards what the catalog has, so that a few points cannot take
-- it far.
local checks = require("ballpark.calibrate.checks")
local core = require("ballpark.core")
local fields = require("ballpark.fields")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local serving = {}

-- A coefficient is the logarithm of a factor on the fields of the engine (inverse: a speed). `width` is how far
-- own engines usually are from the catalog: assumption, of the size of the errors with each (model, device)
-- left out, 16 % of the time per token; what a sequence costs and what surrounds the first token differ by factors
-- between builds and clients.
serving.coefficients = {
  { name = "steps", width = 0.2, times = { "step_s", "plan_s", "kernel_s", "eager_kernel_s" },
    speeds = { "stream", "moe" } },
  { name = "sequences", width = 0.7, times = { "sequence_s", "plan_sequence_s" }, speeds = {} },
  { name = "front", width = 0.6, times = { "front_s", "front_sequence_s", "front_token_s" }, speeds = {} },
  -- Clocks, power limits and links move all of it, less than software does. The means of a sweep do not tell it from
  -- the first (errors of points left out are no smaller with it), a log's requests do.
  { name = "device", width = 0.1, times = { "slowdown" }, speeds = {} },
}

-- Fields of the factors that an engine carries.
local function calibration_fields()
  return fields.by_name(fields.input("infer_load", "engine")).calibration.schema.fields
end

-- Numbers of sequences at which it has a factor of each curve, from its fields step_1, step_8, ...
local function knots()
  local list = {}
  for _, field in ipairs(calibration_fields()) do
    list[#list + 1] = tonumber(field.name:match("^step_(%d+)$"))
  end
  return list
end

-- What coefficients leave over, as factors at numbers of sequences: a smooth curve of the logarithm. Widths and reach
-- (in e-folds of the number, within which the curve hardly turns) were chosen among half and twice of them on published
-- sweeps, points left out; far from all points the curve is that of the catalog.
local KNOTS <const>, REACH <const> = knots(), 2
local curves = { { name = "step", width = 0.15 }, { name = "first", width = 0.25 } }

-- Factor of Cholesky of the curve's correlations between knots: independent parameters make a smooth curve.
local function smooth()
  local factor = {}
  for i, a in ipairs(KNOTS) do
    factor[i] = {}
    for j = 1, i do
      local sum = math.exp(-0.5 * (math.log(a / KNOTS[j]) / REACH) ^ 2)
      for k = 1, j - 1 do sum = sum - factor[i][k] * factor[j][k] end
      factor[i][j] = i == j and math.sqrt(sum) or sum / factor[j][j]
    end
  end
  return factor
end

local SMOOTH <const> = smooth()

--- Parameters in all: coefficients, then the knots of the curves.
serving.count = #serving.coefficients + #curves * #KNOTS

local function knot_field(curve, knot) return ("%s_%d"):format(curve, knot) end

--- Fields of the curves, in the order of their parameters.
function serving.curve_fields()
  local list = {}
  for _, curve in ipairs(curves) do
    for _, knot in ipairs(KNOTS) do list[#list + 1] = knot_field(curve.name, knot) end
  end
  return list
end

--- Rows { number of sequences, factor of a step, factor of front end and prompt } of an engine's curves.
function serving.curve_rows(engine)
  local rows = {}
  for i, knot in ipairs(KNOTS) do
    local factors = engine.calibration
    rows[i] = { knot, factors[knot_field("step", knot)], factors[knot_field("first", knot)] }
  end
  return rows
end

-- First tokens err more than twice as much as times per token.
local SHARE <const> = { ttft = 0.4, tpot = 1, e2e = 1 }

-- Errors of a sweep below this are noise (assumption: builds of one engine differ by as much), which a curve, that
-- could follow them, has no need to. The few coefficients of a log cannot.
local NOISE <const> = 0.05

local ITERATIONS <const> = 5

-- Of differences, in widths: a simulated queue moves in jumps, which smaller steps would take for slopes.
local STEP <const> = 0.2

-- Iterations of a fit that costs nothing.
local MOST <const> = 30

--- The engine with parameters x, in units of their widths; those that x does not reach stay.
function serving.engine(base, x)
  local engine, range = tables.with(base), fields.by_name(fields.input("infer_load", "engine"))
  local function scaled_by(field, now, factor)
    return math.max(field.min, math.min(field.max, (now or field.default) * factor))
  end
  local function scale(name, factor) engine[name] = scaled_by(range[name], base[name], factor) end
  for j, coefficient in ipairs(serving.coefficients) do
    local moved = coefficient.width * (x[j] or 0)
    for _, name in ipairs(coefficient.times) do scale(name, math.exp(moved)) end
    for _, name in ipairs(coefficient.speeds) do scale(name, math.exp(-moved)) end
  end
  local at, knot_range = #serving.coefficients, fields.by_name(calibration_fields())
  engine.calibration = tables.with(base.calibration or {})
  for _, curve in ipairs(curves) do
    for i, knot in ipairs(KNOTS) do
      local moved = 0
      for j = 1, i do moved = moved + SMOOTH[i][j] * (x[at + j] or 0) end
      local name = knot_field(curve.name, knot)
      local now = engine.calibration[name]
      engine.calibration[name] = scaled_by(knot_range[name], now, math.exp(curve.width * moved))
    end
    at = at + #KNOTS
  end
  return engine
end

-- Parameters of all from those that move.
local function spread(problem, moved)
  local x = {}
  for j = 1, serving.count do x[j] = 0 end
  for j, at in ipairs(problem.moves) do x[at] = moved[j] end
  return x
end

local function scaled(problem, residuals)
  local out = {}
  for i, item in ipairs(problem.items) do out[i] = SHARE[item.metric] * residuals[i] end
  return out
end

-- What the errors scatter by at most: each metric's around their own median. An engine that takes twice the time at every
-- point is slower, and not noisier.
local function scatter(problem, residuals)
  local by_metric = {}
  for i, item in ipairs(problem.items) do
    by_metric[item.metric] = by_metric[item.metric] or {}
    table.insert(by_metric[item.metric], residuals[i])
  end
  return math.max(NOISE, statistics.scatter(by_metric))
end

-- Least squares over all points but `left`.
local function solve(problem, residuals_of, most_scale, left, iterations, start)
  local weights = {}
  for i, item in ipairs(problem.items) do weights[i] = item.point == left and 0 or 1 end
  return core.least_squares(residuals_of, #problem.moves, weights,
    { iterations = iterations, step = STEP, loss = "huber", start = start,
      least_scale = problem.curved and NOISE or nil, most_scale = most_scale })
end

-- Scaled residuals near the parameters `at` as a linear function of them.
local function nearby(problem, at)
  local base, columns = scaled(problem, problem:residuals(spread(problem, at))), {}
  for j = 1, #at do
    local moved = table.move(at, 1, #at, 1, {})
    moved[j] = moved[j] + STEP
    columns[j] = scaled(problem, problem:residuals(spread(problem, moved)))
    for i = 1, #base do columns[j][i] = (columns[j][i] - base[i]) / STEP end
  end
  return function(x)
    local out = {}
    for i = 1, #base do
      out[i] = base[i]
      for j = 1, #x do out[i] = out[i] + columns[j][i] * (x[j] - at[j]) end
    end
    return out
  end
end

-- Residuals of each point by parameters fitted without it: slopes are those at the fit of all.
local function left_out(problem, at, most_scale)
  local linear, out = nearby(problem, at), {}
  for point = 1, problem.points do
    local moved = solve(problem, linear, most_scale, point, MOST, at)
    local residuals = problem:residuals(spread(problem, moved), point)
    for i, item in ipairs(problem.items) do
      if item.point == point then out[i] = residuals[i] end
    end
  end
  return out
end

--- Calibrates a problem { base, items = { {point, metric}, ... }, points, moves (numbers of the parameters that may),
--- curved (whether those of the curves do), residuals(self, x, point or nil: all) }: ln(predicted over measured)
--- before, after (each point left out) and in the fit; x, deviations (of those that moved), engine.
function serving.run(problem)
  local zero = {}
  for j = 1, #problem.moves do zero[j] = 0 end
  local before = problem:residuals(spread(problem, zero))
  checks.check_units("the measured points", before, "of this model and engine, times in milliseconds where a column ends on _ms")
  local function simulated(x) return scaled(problem, problem:residuals(spread(problem, x))) end
  local most_scale = scatter(problem, scaled(problem, before))
  local moved, _, deviations = solve(problem, simulated, most_scale, nil, ITERATIONS)
  local x = spread(problem, moved)
  return { problem = problem, before = before, after = left_out(problem, moved, most_scale),
    within = problem:residuals(x), x = x, deviations = spread(problem, deviations),
    engine = serving.engine(problem.base, x) }
end

return serving
