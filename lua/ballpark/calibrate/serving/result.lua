-- A serving calibration as a result.
local calibrate = require("ballpark.calibrate.serving")
local new_result = require("ballpark.result").new
local statistics = require("ballpark.validate.statistics")

local METRICS <const> = { "ttft", "tpot", "e2e" }

local TITLE <const> = { ttft = "TTFT", tpot = "TPOT", e2e = "E2E" }

-- ln(predicted / measured) of the points of a metric.
local function residuals_of(metric, answer, which)
  local list = {}
  for i, item in ipairs(answer.problem.items) do
    if item.metric == metric then list[#list + 1] = answer[which][i] end
  end
  return list
end

local function scored(title, metric, residuals)
  local rows = {}
  for i, residual in ipairs(residuals) do rows[i] = { error = math.exp(residual) - 1 } end
  local s = statistics.of(rows)
  return { TITLE[metric], title, s.covered, s.mape, s.median_ape, s.bias }
end

local function sum_of_sizes(residuals)
  local sum = 0
  for _, residual in ipairs(residuals) do sum = sum + math.abs(residual) end
  return sum
end

local function error_rows(answer)
  local rows = {}
  for _, metric in ipairs(METRICS) do
    local before = residuals_of(metric, answer, "before")
    if before[1] then
      rows[#rows + 1] = scored("catalog", metric, before)
      rows[#rows + 1] = scored("calibrated, each left out in turn", metric, residuals_of(metric, answer, "after"))
      rows[#rows + 1] = scored("calibrated, on its own points", metric, residuals_of(metric, answer, "within"))
    end
  end
  return rows
end

-- Share of a coefficient that the points say; what did not move is the catalog's.
local function learned(answer, j)
  local deviation = answer.deviations[j]
  return deviation > 0 and 1 - deviation ^ 2 or 0
end

--- The report of an answer of calibrate.serving.run; `output` is the file written, or nil.
return function(answer, output)
  local about = answer.problem.about
  local r = new_result({ command = "calibrate", title = ("Engine %s, %s on %s: %d %s"):format(about.engine, about.model,
    about.device, answer.problem.points, answer.problem.what) })
  r:table({ name = "errors", title = "Errors", rows = error_rows(answer), columns = {
    { name = "metric", title = "" }, { name = "engine", title = "Engine" }, { name = "rows", title = "Rows" },
    { name = "mape", title = "Mean |error|", unit = "frac" },
    { name = "median_ape", title = "Median |error|", unit = "frac" },
    { name = "bias", title = "Median error", unit = "frac" } } })
  local rows = {}
  for j = 1, #calibrate.coefficients do
    local coefficient = calibrate.coefficients[j]
    rows[j] = { coefficient.name, math.exp(coefficient.width * answer.x[j]), learned(answer, j) }
  end
  r:table({ name = "coefficients", title = "Coefficients", rows = rows, columns = { { name = "coefficient" },
    { name = "factor", title = "Time over the catalog's" }, { name = "learned", title = "Learned", unit = "frac" } } })
  if answer.problem.curved then
    r:table({ name = "curve", title = "What they leave, by concurrency", rows = calibrate.curve_rows(answer.engine),
      columns = { { name = "requests", title = "Sequences" }, { name = "step", title = "Time of a step over" },
        { name = "first", title = "Of front end and prompt over" } } })
  end
  r:assume("Coefficients are drawn towards the catalog's; learned is how much of one the points say. "
    .. "A curve is level beyond its ends, and where no point is near it goes back to 1.")
  for _, metric in ipairs(METRICS) do
    if sum_of_sizes(residuals_of(metric, answer, "after")) > sum_of_sizes(residuals_of(metric, answer, "before")) then
      r:note(("on points left out, %s of the calibrated engine is further off than the catalog's: give it more points, or "
        .. "stay with the catalog's"):format(TITLE[metric]))
    end
  end
  if output then r:note("written to " .. output .. ": serve { engine = \"" .. output .. "\" }") end
  return r
end
