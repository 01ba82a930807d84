-- What a serving calibration is fitted to: points of a sweep, or stretches of a log of requests.
local calibrate = require("ballpark.calibrate.serving")
local errors = require("ballpark.errors")
local requests = require("ballpark.validate.requests")
local validate = require("ballpark.validate.serving")

local problem = {}

-- Points of a sweep, and stretches that a log is cut into.
local LEAST <const> = 5
-- Requests of a stretch, for its 90th percentile to mean anything.
local STRETCH <const> = 20

--- Requests that a log has at least.
problem.least_requests = LEAST * STRETCH

local Problem = {}
Problem.__index = Problem

--- ln(predicted / measured) at parameters x of all items, or of those of a point.
function Problem:residuals(x, point)
  local predicted, out = self.predict(x, point), {}
  for i, item in ipairs(self.items) do
    if not point or item.point == point then out[i] = math.log(predicted[i] / item.measured) end
  end
  return out
end

-- One engine, device and model: what one set of coefficients can stand for.
local function check_same(rows, name)
  for _, column in ipairs({ "engine", "model", "gpu" }) do
    for _, row in ipairs(rows) do
      if row[column] ~= rows[1][column] then
        errors.input(name .. ":" .. row.line, ("%s is %s, in the rows above %s: a calibration is of one of them")
          :format(column, tostring(row[column]), tostring(rows[1][column])))
      end
    end
  end
end

-- Parameters that a log tells, which has no curve: one load, whose requests tell the device's part.
local function logged()
  local list = {}
  for j = 1, #calibrate.coefficients do list[j] = j end
  return list
end

-- Those that a sweep tells: the others and the curve.
local function swept()
  local list = {}
  for j = 1, calibrate.count do
    if (calibrate.coefficients[j] or {}).name ~= "device" then list[#list + 1] = j end
  end
  return list
end

--- The problem of a table's text with the columns of `validate serving`.
function problem.sweep(text, name, models) return problem.of_rows(validate.read(text, name), name, models) end

--- The same of rows that were read from it.
function problem.of_rows(rows, name, models)
  check_same(rows, name)
  local cases, refused = validate.cases(rows, { models = models })
  if refused[1] then errors.input(name .. ":" .. refused[1].row.line, refused[1].reason) end
  if #cases < LEAST then
    errors.input(name, ("has %d points, a calibration takes %d or more"):format(#cases, LEAST))
  end
  local items, bases = {}, {}
  for point, case in ipairs(cases) do
    local measured = validate.measured(case.row)
    bases[point] = case.input.engine
    for _, metric in ipairs({ "ttft", "tpot" }) do
      if measured[metric .. "_ms"] then
        items[#items + 1] = { point = point, metric = metric, measured = measured[metric .. "_ms"] }
      end
    end
  end
  local function predict(x, only)
    local out, times = {}, {}
    for point, case in ipairs(cases) do
      if not only or point == only then
        case.input.engine = calibrate.engine(bases[point], x)
        times[point] = validate.predict(case)
      end
    end
    for i, item in ipairs(items) do out[i] = times[item.point] and times[item.point][item.metric .. "_ms"] end
    return out
  end
  return setmetatable({ base = bases[1], items = items, points = #cases, what = "points", predict = predict,
    moves = swept(), curved = true,
    about = { engine = rows[1].engine, model = rows[1].model, device = rows[1].gpu, rows = #rows,
      fitted_model = cases[1].input.model.name, fitted_device = cases[1].input.device.name } }, Problem)
end

-- Share of the requests i .. j that were faster than the value.
local function percentile(list, field, first, last, share)
  local values = {}
  for i = first, last do values[#values + 1] = list[i][field] end
  table.sort(values)
  return values[math.max(1, math.ceil(share * #values))]
end

-- Metrics of a stretch: medians and 90th percentiles of the first and the last token.
local function stretch(list, count, point, take)
  local first, last = (point - 1) * count // LEAST + 1, point * count // LEAST
  for _, share in ipairs({ 0.5, 0.9 }) do
    for _, metric in ipairs({ "ttft", "e2e" }) do
      take(metric, percentile(list, metric .. "_s", first, last, share))
    end
  end
end

--- The problem of a log of requests and the table that describes its run, as `validate requests` reads them; of the
--- first `count` requests, or of all. The rest arrives all the same.
function problem.log(log, name, meta, options)
  local count = options.count or #log
  if count < problem.least_requests then
    errors.input(name, ("has %d requests, a calibration takes %d or more"):format(count, problem.least_requests))
  end
  local input, _, clock = requests.input(log, meta, options.models)
  local base, items = input.engine, {}
  for point = 1, LEAST do
    stretch(log, count, point, function(metric, value)
      if not (value > 0) then errors.input(name, metric .. "_s is 0 for most requests of a stretch") end
      items[#items + 1] = { point = point, metric = metric, measured = value }
    end)
  end
  local function predict(x)
    input.engine = calibrate.engine(base, x)
    local answers, out = requests.answers(input, clock), {}
    for point = 1, LEAST do
      stretch(answers, count, point, function(_, value) out[#out + 1] = value end)
    end
    return out
  end
  return setmetatable({ base = base, items = items, points = LEAST, what = "stretches", predict = predict,
    moves = logged(),
    about = { engine = base.name, model = tostring(meta.model), device = tostring(meta.device), rows = count,
      fitted_model = input.model.name, fitted_device = input.device.name } }, Problem)
end

return problem
