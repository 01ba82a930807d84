-- ballpark validate serving, requests and throughput: measured points of a serving benchmark, logs of requests,
-- published tokens per second.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local options = require("ballpark.cli.options")
local statistics = require("ballpark.validate.statistics")

local validate_serving = {}

local function emit(answer, chosen, metrics, more)
  local result = require("ballpark.validate.serving_result").of(answer, {
    rows = chosen.rows, worst = chosen.worst, name = chosen.file, metrics = metrics,
    rows_first = options.format(chosen) == "csv", unit = more and more.unit, note = more and more.note,
  })
  result.infeasible = statistics.summary(answer.rows).covered == 0
  return options.emit(result, chosen)
end

local function check_group(group, columns)
  local names = {}
  for i, column in ipairs(columns) do names[i] = column[1] end
  for _, name in ipairs(names) do
    if name == group then return end
  end
  errors.choice("--group", group, names)
end

--- `ballpark validate serving FILE`.
function validate_serving.serving(chosen)
  check_group(chosen.group, require("ballpark.validate.serving_columns").list)
  local serving = require("ballpark.validate.serving")
  local rows, ignored = serving.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  local started = os.clock()
  local answer = serving.run(rows, { group = chosen.group, models = chosen.models })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  return emit(answer, chosen, serving.metrics)
end

--- `ballpark validate requests LOG META`.
function validate_serving.requests(chosen)
  if not chosen.meta then errors.usage("validate requests needs the log and a JSON file that says what served it") end
  if chosen.group ~= "family" then errors.usage("--group: a log of requests is one group") end
  local requests = require("ballpark.validate.requests")
  local log = requests.read(csv.read(chosen.file), chosen.file)
  local meta = json.decode(files.read(chosen.meta), chosen.meta)
  if type(meta) ~= "table" then errors.input(chosen.meta, "must be a JSON object") end
  return emit(requests.run(log, meta, { models = chosen.models }), chosen, requests.metrics)
end

--- `ballpark validate throughput FILE`.
function validate_serving.throughput(chosen)
  local throughput = require("ballpark.validate.throughput")
  check_group(chosen.group, throughput.columns)
  local rows, others = throughput.read(csv.read(chosen.file), chosen.file)
  if others > 0 then options.say(("%d rows measure something else than tokens per second"):format(others)) end
  return emit(throughput.run(rows, { group = chosen.group, models = chosen.models }), chosen, throughput.metrics,
    { unit = "tok/s", note = "Error = predicted / measured - 1. Tokens are those of answers." })
end

return validate_serving
