-- A serving calibration as a result.
local calibrate = require("ballpark.calibrate.serving")
local new_result = require("ballpark.result").new
local statistics = require("ballpark.validate.statistics")

local METRICS <const> = { "ttft", "tpot", "e2e" }

local TITLE <const> = { ttft = "TTFT", tpot = "TPOT", e2e = "E2E" }

local function scored(title, metric, items, residuals)
  local rows = {}
  for i, item in ipairs(items) do
    if item.metric == metric then rows[#rows + 1] = { error = math.exp(residuals[i]) - 1 } end
  end
  local s = statistics.of(rows)
  return { TITLE[metric], title, s.covered, s.mape, s.median_ape, s.bias }
end

-- Mean |ln(predicted / measured)| of a metric, 0 without points.
local function mean_error(metric, answer, which)
  local sum, count = 0, 0
  for i, item in ipairs(answer.problem.items) do
    if item.metric == metric then sum, count = sum + math.abs(answer[which][i]), count + 1 end
  end
  return count > 0 and sum / count or 0
end

local function error_rows(answer)
  local rows, items = {}, answer.problem.items
  for _, metric in ipairs(METRICS) do
    local there = false
    for _, item in ipairs(items) do there = there or item.metric == metric end
    if there then
      rows[#rows + 1] = scored("catalog", metric, items, answer.before)
      rows[#rows + 1] = scored("calibrated, each left out in turn", metric, items, answer.after)
      rows[#rows + 1] = scored("calibrated, on its own points", metric, items, answer.within)
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
    local before, after = mean_error(metric, answer, "before"), mean_error(metric, answer, "after")
    if after > before then
      r:note(("on points left out, %s of the calibrated engine is further off than the catalog's: give it more points, or "
        .. "stay with the catalog's"):format(TITLE[metric]))
    end
  end
  if output then r:note("written to " .. output .. ": serve { engine = \"" .. output .. "\" }") end
  return r
end
