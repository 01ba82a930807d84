-- ballpark validate serving, requests, throughput and memory: measured points of a serving benchmark, logs of requests,
-- published tokens per second, what engines printed of their memory.
local check_group = require("ballpark.cli.validate_group")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local options = require("ballpark.cli.options")
local row_names = require("ballpark.measured.row_names")
local table_rows = require("ballpark.measured.table_rows")

local validate_serving = {}

local function emit(answer, chosen, metrics, more)
  local result = require("ballpark.validate.serving_result").of(answer, {
    rows = chosen.rows or more and more.rows, worst = chosen.worst, where = chosen.where, name = chosen.file,
    metrics = metrics,
    rows_first = options.format(chosen) == "csv", unit = more and more.unit, note = more and more.note,
  })
  if more and more.said then result:note(more.said) end
  return options.emit(result, chosen)
end

local function engine_said(chosen, engine)
  return ("Engine of %s: %s."):format(chosen.engine, engine.source or "its source is not said")
end

--- `ballpark validate serving FILE`.
function validate_serving.serving(chosen)
  check_group(chosen.group, require("ballpark.measured.serving_columns").list,
    require("ballpark.validate.traits").of.serving)
  local serving = require("ballpark.validate.serving")
  local rows, ignored = serving.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  local repeated = table_rows.repeated(rows)
  if repeated then options.say(repeated) end
  if chosen.scenario or chosen.doors then
    return require("ballpark.cli.doors").print(require("ballpark.cli.serving_doors"), rows, chosen,
      { models = chosen.models })
  end
  local own = chosen.engine and require("ballpark.calibrate.serving.file").read(chosen.engine)
  local started = os.clock()
  local answer = serving.run(rows, { group = chosen.group, models = chosen.models, engine = own,
    skipped = chosen.skip and row_names.read(chosen.skip) or nil })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  return emit(answer, chosen, serving.metrics, { said = own and engine_said(chosen, own) })
end

-- Coefficients from the first requests of the log itself.
local function calibrated(log, meta, chosen)
  local problems = require("ballpark.calibrate.serving.problem")
  local count = chosen.calibrate_with
  if #log <= problems.least_requests then
    errors.usage(("--calibrate-with needs more than %d requests, the log has %d"):format(problems.least_requests, #log))
  end
  if not math.tointeger(count) or count < problems.least_requests or count >= #log then
    errors.usage(("--calibrate-with needs a whole number from %d to %d, one less than the log's requests")
      :format(problems.least_requests, #log - 1))
  end
  local problem = problems.log(log, chosen.file, meta, { models = chosen.models, count = math.tointeger(count) })
  local answer = require("ballpark.calibrate.serving").run(problem)
  return answer.engine, ("Engine calibrated on the first %d requests; the other %d count."):format(count, #log - count)
end

-- The engine that replaces the catalog's, the first request that counts, and what is said of both.
local function own_engine(log, meta, chosen)
  if chosen.calibrate_with then
    local engine, said = calibrated(log, meta, chosen)
    return engine, math.tointeger(chosen.calibrate_with) + 1, said
  elseif chosen.engine then
    local engine = require("ballpark.calibrate.serving.file").read(chosen.engine)
    return engine, nil, engine_said(chosen, engine)
  end
end

--- `ballpark validate requests LOG META`.
function validate_serving.requests(chosen)
  if not chosen.meta then errors.usage("validate requests needs the log and a JSON file that says what served it") end
  if chosen.group ~= "family" then errors.usage("--group: a log of requests is one group") end
  if chosen.engine and chosen.calibrate_with then
    errors.usage("--engine and --calibrate-with: a calibration makes an engine itself")
  end
  local requests = require("ballpark.validate.requests")
  local log = requests.read(csv.read(chosen.file), chosen.file)
  local meta = json.decode(files.read(chosen.meta), chosen.meta)
  local engine, first, said = own_engine(log, meta, chosen)
  return emit(requests.run(log, meta, { models = chosen.models, engine = engine, first = first }), chosen,
    requests.metrics, { said = said, rows = true })
end

--- `ballpark validate throughput FILE`.
function validate_serving.throughput(chosen)
  local throughput = require("ballpark.validate.throughput")
  check_group(chosen.group, throughput.columns)
  local rows, others = throughput.read(csv.read(chosen.file), chosen.file)
  if others > 0 then options.say(("%d rows measure something else than tokens per second"):format(others)) end
  return emit(throughput.run(rows, { group = chosen.group, models = chosen.models }), chosen, throughput.metrics,
    { unit = "tok/s", note = "Error = predicted / measured - 1. Tokens are output tokens." })
end

--- `ballpark validate memory FILE`.
function validate_serving.memory(chosen)
  check_group(chosen.group, require("ballpark.measured.memory_columns").list)
  local memory = require("ballpark.validate.memory")
  local rows, ignored = memory.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  if chosen.scenario or chosen.doors then
    return require("ballpark.cli.doors").print(require("ballpark.cli.memory_doors"), rows, chosen,
      { models = chosen.models })
  end
  return emit(memory.run(rows, { group = chosen.group, models = chosen.models }), chosen, memory.metrics,
    { unit = "unit of the table", note = "Error = predicted / measured - 1. fits: the share of rows that are wrong." })
end

return validate_serving
