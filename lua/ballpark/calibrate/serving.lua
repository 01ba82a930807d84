-- Coefficients of one's own serving engine from a sweep of concurrencies or a log of requests. Four are
-- fitted, each drawn towards what the catalog has, so that a few points cannot take them far.
local core = require("ballpark.core")
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
  { name = "front", width = 1.2, times = { "front_s", "front_sequence_s", "front_token_s" }, speeds = {} },
  -- Clocks, power limits and links move all of it, less than software does. The means of a sweep do not tell it from
  -- the first (errors of points left out are no smaller with it), a log's requests do.
  { name = "device", width = 0.1, times = { "pace" }, speeds = {} },
}

-- First tokens err twice as much as times per token.
local WEIGHT <const> = { ttft = 0.5, tpot = 1, e2e = 1 }

local ITERATIONS <const> = 8

-- Of differences, in widths: a simulated queue moves in jumps, which smaller steps would take for slopes.
local STEP <const> = 0.2

-- Limits of fields in the core's schema.
local function limits()
  local found = {}
  for _, kernel in ipairs(core.kernels()) do
    for _, field in ipairs(kernel.name == "infer_load" and kernel.input.fields or {}) do
      for _, item in ipairs(field.name == "engine" and field.schema.fields or {}) do found[item.name] = item end
    end
  end
  return found
end

--- The engine with coefficients x, in units of their widths; those that x does not reach stay.
function serving.engine(base, x)
  local engine, range = tables.with(base), limits()
  local function scale(fields, factor)
    for _, name in ipairs(fields) do
      engine[name] = math.max(range[name].min, math.min(range[name].max, (base[name] or range[name].default) * factor))
    end
  end
  for j, coefficient in ipairs(serving.coefficients) do
    local moved = coefficient.width * (x[j] or 0)
    scale(coefficient.times, math.exp(moved))
    scale(coefficient.speeds, math.exp(-moved))
  end
  return engine
end

-- Coefficients fitted to all points but `left`.
local function fit(problem, left)
  local weights = {}
  for i, item in ipairs(problem.items) do weights[i] = item.point == left and 0 or WEIGHT[item.metric] end
  return core.least_squares(function(x) return problem:residuals(x) end, problem.unknown, weights,
    { iterations = ITERATIONS, step = STEP, loss = "huber" })
end

-- Residuals of each point by coefficients fitted without it.
local function left_out(problem)
  local out = {}
  for point = 1, problem.points do
    local x = fit(problem, point)
    local residuals = problem:residuals(x)
    for i, item in ipairs(problem.items) do
      if item.point == point then out[i] = residuals[i] end
    end
  end
  return out
end

--- Calibrates a problem { base, items = { {point, metric}, ... }, points, unknown (the first so many coefficients),
--- residuals(self, x) }: ln(predicted over measured) before, after (each point left out) and in the fit; x,
--- deviations, engine.
function serving.run(problem)
  local zero = {}
  for j = 1, problem.unknown do zero[j] = 0 end
  local x, _, deviations = fit(problem)
  return { problem = problem, before = problem:residuals(zero), after = left_out(problem),
    within = problem:residuals(x), x = x, deviations = deviations, engine = serving.engine(problem.base, x) }
end

return serving
