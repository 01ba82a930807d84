-- recommend{}: a recommendation model with embedding tables on one or more devices: memory, throughput,
-- latency of a batch, and the replicas of a load of requests.
local core = require("ballpark.core")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.inference.fleet")
local questions = require("ballpark.questions")
local recommenders = require("ballpark.catalog.recommenders")
local range = require("ballpark.range")
local ranges = require("ballpark.range.inference")
local tables = require("ballpark.tables")

local recommend = {}

-- A catalog name, the layers of a model, or its totals.
local function model_of(value)
  if type(value) == "string" then return recommenders.get(value) end
  if type(value) ~= "table" then errors.input("model", value == nil and "is missing" or "must be a name or a table") end
  if value.items ~= nil then errors.number("model.items", value.items, 0) end
  return value.dense_params and value or recommenders.make(value)
end

--- Times input.requests of input.model on input.cluster: { kind, out (of core.recommend), range (of time_s, per_s and
--- requests_per_s), fleet, assumed }.
function recommend.run(input)
  questions.check_known("recommend", input)
  local cluster = input.cluster
  if type(cluster) ~= "table" or not cluster.device then errors.input("cluster", "must be made by cluster{}") end
  local runtime, said = encode.runtime(input.runtime, input.server)
  local model = model_of(input.model)
  local full = { model = model, device = cluster.device, network = cluster.network, runtime = runtime,
    dtype = input.dtype or "fp16", row_value_bytes = input.row_value_bytes, sharding = input.sharding,
    skew = input.skew, devices = input.devices or cluster.network.devices }
  local function time(requests)
    local items = math.ceil(requests * (model.items or 1))
    return core.recommend(tables.with(full, { batch = items }))
  end
  local answer = { kind = "recommend", asked = input, input = full, requests = input.requests or 1, out = time(input.requests or 1),
    assumed = { said } }
  answer.range = ranges.of_call("recommendation", answer.out)
  answer.range.requests_per_s = range.times(answer.range.per_s, answer.out.requests_per_s / answer.out.per_s)
  answer.fits = answer.out.fits
  answer.price_usd_h = input.price_usd_h and 0.0 + errors.number("price_usd_h", input.price_usd_h, 0) or cluster.usd_h
  answer.price_assumed = not input.price_usd_h and cluster.price_assumed or nil
  if input.load then
    fleet.add(answer, input.load, function(requests)
      local out = time(requests)
      return out.time_s, out.fits
    end)
  end
  return answer
end

return recommend
