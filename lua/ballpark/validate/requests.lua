-- Predictions against a log of single requests: the log's arrivals and lengths are replayed through the
-- simulation, and the percentiles of what requests saw are compared.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local requests_meta = require("ballpark.measured.requests_meta")
local resolve = require("ballpark.resolve.serving")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")
local trace = require("ballpark.questions.serve.trace")

local requests = {}

requests.metrics = { "ttft_ms", "tpot_ms", "e2e_ms" }

local measured, maybe = { "ttft_s", "e2e_s" }, { "queue_s" }

local shares = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } }

--- The requests of a log's text, in order of arrival; anything odd is refused with its line. `queued` says whether
--- it has the engine's own times.
function requests.read(text, name)
  local log = trace.read(text, name, measured, maybe)
  for i, request in ipairs(log) do
    log.queued = log.queued or request.queue_s ~= nil
    if request.e2e_s < request.ttft_s then
      errors.input(name, ("e2e_s of the request number %d is below its ttft_s"):format(i))
    end
  end
  return log
end

--- The input of core.serve for a log and the object that says what served it, and what was assumed. The log's
--- times are of the engine's clock where it says how long the engine queued, which a client cannot see.
function requests.input(log, meta, models)
  local facts, clock = requests_meta.facts(meta, models)
  facts.trace = log
  local case = resolve.of(facts)
  local input, assumed = case.input, case.assumed
  if not clock then
    clock = log.queued and "engine" or "client"
    assumed[#assumed + 1] = clock == "engine" and "times from when the engine queued a request, as the log has queue_s"
      or "times from when the client sent a request"
  end
  input.answers = true
  return input, assumed, clock
end

--- What requests of an input saw, by the clock: { {ttft_s, e2e_s}, ... }.
function requests.answers(input, clock)
  local answers = core.serve(input).answers
  if clock == "client" then return answers end
  local list = {}
  for i, answer in ipairs(answers) do
    list[i] = { ttft_s = answer.ttft_s - answer.taken_s, e2e_s = answer.e2e_s - answer.taken_s }
  end
  return list
end

-- Times in ms of the requests of a list with ttft_s and e2e_s from the number `first` on, by metric.
local function times(list, log, first)
  local result = { ttft_ms = {}, tpot_ms = {}, e2e_ms = {} }
  for i = first, #list do
    local request = list[i]
    table.insert(result.ttft_ms, 1e3 * request.ttft_s)
    table.insert(result.e2e_ms, 1e3 * request.e2e_s)
    local more = log[i].output_tokens - 1
    if more > 0 then table.insert(result.tpot_ms, 1e3 * (request.e2e_s - request.ttft_s) / more) end
  end
  return result
end

-- An engine of one's own has its coefficients beside the settings of the run.
local function with_engine(input, own)
  if not own then return input end
  if own.name ~= input.engine.name then
    errors.input("meta.engine", ("is %s, the engine given is %s"):format(input.engine.name, own.name))
  end
  return tables.with(input, { engine = tables.with(input.engine, own) })
end

--- Compares percentiles: { metrics, groups, rows } as validate.serving does; the rows are p50, p90 and p99 of
--- each metric. options: models, engine (fields that replace the catalog's), first (number of the first request
--- that counts).
function requests.run(log, meta, options)
  options = options or {}
  local input, assumed, clock = requests.input(log, meta, options.models)
  local answers = requests.answers(with_engine(input, options.engine), clock)
  local predicted, there = times(answers, log, options.first or 1), times(log, log, options.first or 1)
  local answer = { rows = {}, metrics = {}, groups = {} }
  for _, metric in ipairs(requests.metrics) do
    local rows = {}
    for _, share in ipairs(shares) do
      if #there[metric] > 0 then
        local m = statistics.quantile(there[metric], share[2])
        local p = statistics.quantile(predicted[metric], share[2])
        rows[#rows + 1] = { case_id = share[1], family = tostring(meta.model), metric = metric, measured = m,
          predicted = p, error = m > 0 and p / m - 1 or nil, status = "ok", assumed = assumed, row = log }
      end
    end
    table.move(rows, 1, #rows, #answer.rows + 1, answer.rows)
    answer.metrics[metric] = statistics.summary(rows)
  end
  return answer
end

return requests
