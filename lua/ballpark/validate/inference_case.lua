-- A row of published inference results as a question: which procedure answers it, with which input.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.inference.fleet")
local labels = require("ballpark.measured.labels")
local models = require("ballpark.catalog.models")
local near = require("ballpark.near")
local networks = require("ballpark.catalog.networks")
local protocol = require("ballpark.validate.inference_protocol")
local recommenders = require("ballpark.catalog.recommenders")
local runtimes = require("ballpark.catalog.runtimes")
local search_case = require("ballpark.validate.search_case")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")

local inference_case = {}

--- What a row's value is: seconds of a call, or a rate of texts, images or requests.
local METRICS <const> = { latency_ms = "latency", images_per_s = "rate", seqs_per_s = "rate", requests_per_s = "rate" }

local LARGEST_BATCH <const> = 1024 -- that a server is taken to make

--- Whether a row is about something else: tokens of a language model, or a model that writes.
function inference_case.other(row)
  if not METRICS[row.metric_kind or ""] or (row.output_len or 0) > 0 then return true end
  if networks.resolve(row.model or "") or recommenders.resolve(row.model or "") then return false end
  local known = models.resolve(row.model or "")
  return known ~= nil and (models.get(known).arch or "decoder") == "decoder"
end

local function device_of(row)
  local name = labels.resolve(row.gpu)
  if not name then errors.input("gpu", near.missing(row.gpu, devices.known())) end
  return devices.get(name)
end

-- Fields that all networks share.
local function setup(row, kind)
  local device = device_of(row)
  local format = protocol.format(row, device, kind)
  local runtime, server = protocol.runtime(row, device)
  local batch, assumed = protocol.batch(row)
  local copies = protocol.copies(device)
  return { device = device, dtype = format, runtime = runtimes.get(runtime, server),
    batch = batch * copies }, runtime, server, assumed
end

-- Which call answers for a batch, by kind; `per` inputs of it are one of the rows' units.
local function network_case(row)
  if not (networks.resolve(row.model) or models.resolve(row.model)) then
    errors.input("model", models.missing(row.model))
  end
  local what = subject.of(row.model)
  local input, runtime, server, assumed = setup(row, what.spread)
  local said = { assumed }
  if what.spread == "encoder" then
    said[#said + 1] = protocol.lengths(row, input)
    if not input.tokens then errors.input("input_len", "blank") end
  end
  return { kind = what.spread, input = input, runtime = runtime, server = server, assumed = said,
    time = function(batch) return subject.forward(what, tables.with(input, { batch = batch })).time_s end }
end

local function recommendation_case(row)
  local model = recommenders.get(row.model)
  local input, runtime, server, assumed = setup(row, "recommendation")
  input.model, input.network = model, catalog.cluster({ device = input.device.name, devices = 1 }).network
  local function time(requests)
    return core.recommend(tables.with(input, { batch = math.ceil(requests * model.items) })).time_s
  end
  return { kind = "recommendation", input = input, runtime = runtime, server = server, assumed = { assumed },
    time = time }
end

-- Requests per second of a server under the benchmark's bound of the 99th percentile.
local function server_rate(row, case)
  local bench = protocol.benchmark(row)
  local bound = protocol.bounds[bench or ""]
  if not bound then errors.input("notes", "the benchmark's bound of latency is not known") end
  if METRICS[row.metric_kind] == "latency" then
    errors.input("notes", "a percentile under load with batches that nobody wrote down")
  end
  case.assumed[#case.assumed + 1] = ("99 in 100 within %g ms"):format(1e3 * bound)
  return function() return fleet.best_rate(case.time, bound, LARGEST_BATCH) end
end

-- What the row measures, from the case: a function, so that fits can change the runtime in between.
local function answer_of(row, case)
  local latency = METRICS[row.metric_kind] == "latency"
  local gpus, batch = row.gpus or 1, case.input.batch
  if row.said.scenario == "Server" then
    local rate = server_rate(row, case)
    return function() return gpus * rate() end
  end
  if row.said.scenario and latency then errors.input("notes", "a latency without its load") end
  if latency then return function() return 1e3 * case.time(batch) end end
  return function() return gpus * batch / case.time(batch) end
end

--- The case of a row: { kind, row, runtime, server, input, assumed, predict = function, rate = is a rate }. What a
--- row does not say, or says wrongly, is an error that names its column.
function inference_case.of(row)
  if row.wrong then errors.input("row", row.wrong) end
  for _, column in ipairs({ "model", "gpu", "value" }) do
    if not row[column] then errors.input(column, "blank") end
  end
  local case
  if search_case.is(row) then
    case = search_case.of(row)
  else
    case = (recommenders.resolve(row.model) and recommendation_case or network_case)(row)
    case.predict = answer_of(row, case)
  end
  case.row, case.rate = row, METRICS[row.metric_kind] == "rate"
  return case
end

return inference_case
