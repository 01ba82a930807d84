-- Predictions against a log of single requests: the log's arrivals and lengths are replayed through the
-- simulation, and the percentiles of what requests saw are compared.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local serving_case = require("ballpark.validate.serving_case")
local serving_formats = require("ballpark.serving.formats")
local statistics = require("ballpark.validate.statistics")
local trace = require("ballpark.serving.trace")

local requests = {}

requests.metrics = { "ttft_ms", "tpot_ms", "e2e_ms" }

local measured = { "ttft_s", "e2e_s" }

local shares = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } }

--- The requests of a log's text, in order of arrival; anything odd is refused with its line.
function requests.read(text, name)
  local log = trace.read(text, name, measured)
  for i, request in ipairs(log) do
    if request.e2e_s < request.ttft_s then
      errors.input(name, ("e2e_s of the request number %d is below its ttft_s"):format(i))
    end
  end
  return log
end

local function blank(value) return value == nil or value == json.null end

local function stated(meta, field, kind)
  local value = meta[field]
  if blank(value) then return nil end
  if type(value) ~= kind then errors.input("meta." .. field, "must be a " .. kind) end
  return value
end

local function whole(meta, field)
  local value = stated(meta, field, "number")
  if value and not math.tointeger(value) then errors.input("meta." .. field, "must be a whole number") end
  return value and math.tointeger(value)
end

local function engine_of(meta, assumed)
  local name = (stated(meta, "engine", "string") or "vllm"):match("^%S+")
  local engine = engines.get(name)
  for field, key in pairs({ max_running = "max_num_seqs", token_budget = "max_num_batched_tokens",
    block_tokens = "block_size", memory_frac = "gpu_memory_utilization" }) do
    local value
    if field == "memory_frac" then value = stated(meta, key, "number") else value = whole(meta, key) end
    if value then
      engine[field] = value
    else
      assumed[#assumed + 1] = ("%s %s, the engine's default"):format(key, tostring(engine[field]))
    end
  end
  table.sort(assumed)
  return engine
end

local function device_of(label)
  local plain = label:gsub("^NVIDIA%s+", ""):gsub("^GeForce%s+", "")
  return plain
end

--- The input of core.serve for a log and what its JSON says of the run; assumptions.
function requests.input(log, meta, models)
  local assumed = {}
  for _, field in ipairs({ "model", "device" }) do
    if not stated(meta, field, "string") then errors.input("meta." .. field, "is missing") end
  end
  local tp = whole(meta, "tensor_parallel") or 1
  local cluster = catalog.cluster({ device = device_of(meta.device), devices = tp })
  local memory = whole(meta, "device_total_memory_bytes")
  if memory then cluster.device.memory_bytes = memory end
  local model = serving_case.model(meta.model, models)
  local dense, experts, said = serving_formats.weights({ precision = stated(meta, "dtype", "string") }, model)
  assumed[#assumed + 1] = said
  return { model = model, device = cluster.device, network = cluster.network,
    curves = serving_case.curves(cluster.device), engine = engine_of(meta, assumed),
    plan = { tp = tp, weights = dense, experts = experts },
    pool_tokens = stated(meta, "kv_tokens", "number"), trace = log, answers = true }, assumed
end

-- Between neighbours, as NumPy does.
local function percentile(list, share)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local at = share * (#sorted - 1)
  local low = math.floor(at)
  local value = sorted[low + 1]
  if low + 2 <= #sorted then value = value + (at - low) * (sorted[low + 2] - value) end
  return value
end

-- Times in ms of all requests of a list with ttft_s and e2e_s, by metric.
local function times(list, log)
  local result = { ttft_ms = {}, tpot_ms = {}, e2e_ms = {} }
  for i, request in ipairs(list) do
    table.insert(result.ttft_ms, 1e3 * request.ttft_s)
    table.insert(result.e2e_ms, 1e3 * request.e2e_s)
    local more = log[i].output_tokens - 1
    if more > 0 then table.insert(result.tpot_ms, 1e3 * (request.e2e_s - request.ttft_s) / more) end
  end
  return result
end

--- Compares percentiles: { metrics, groups, rows } as validate.serving does; the rows are p50, p90 and p99 of
--- each metric.
function requests.run(log, meta, options)
  local input, assumed = requests.input(log, meta, options and options.models)
  local predicted, there = times(core.serve(input).answers, log), times(log, log)
  local answer = { rows = {}, metrics = {}, groups = {} }
  for _, metric in ipairs(requests.metrics) do
    local rows = {}
    for _, share in ipairs(shares) do
      if #there[metric] > 0 then
        local m, p = percentile(there[metric], share[2]), percentile(predicted[metric], share[2])
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
