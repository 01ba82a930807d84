-- encode{}: texts or images once through a network on a device: latency, throughput, what bounds it, and the
-- replicas of a load.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.inference.fleet")
local prices = require("ballpark.catalog.prices")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.inference")
local runtimes = require("ballpark.catalog.runtimes")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")

local encode = {}

local BATCHES <const> = { 1, 4, 16, 64, 256 }

--- The runtime of a name, of a table whose `name` says which it changes, or the usual one; and what was assumed.
function encode.runtime(value, server)
  if value == nil then return runtimes.get("tensorrt", server), "runtime tensorrt, no other was given" end
  if type(value) == "string" then return runtimes.get(value, server) end
  if type(value) ~= "table" then errors.input("runtime", "must be a name or a table, got " .. type(value)) end
  return tables.with(runtimes.get(value.name or "tensorrt", server), value)
end

--- A device of a name or a table.
function encode.device(value)
  if type(value) == "string" then return catalog.device(value) end
  if value == nil then errors.input("device", "is missing") end
  if type(value) ~= "table" then errors.input("device", "must be a name or a table, got " .. type(value)) end
  return value
end

--- Price of a device-hour where it is given or the catalog has one, and where the catalog has it from.
function encode.price(device, given)
  if given then return 0.0 + errors.number("price_usd_h", given, 0) end
  local usd_h, source = prices.of(device)
  return usd_h, usd_h and ("%.2f USD per device-hour (%s)"):format(usd_h, source)
end

local function by_batch(what, full)
  local list = {}
  for _, batch in ipairs(BATCHES) do
    local out = subject.forward(what, tables.with(full, { batch = batch }))
    if out.fits then list[#list + 1] = { batch, out.time_s, out.per_s, out.bound } end
  end
  return list
end

--- Times input.batch of input.model on input.device: { kind, out (of core.encode or core.convnet_forward),
--- range (of time_s and per_s), batches, fleet, assumed }. fleet is false where no replica meets the SLO.
function encode.run(input)
  questions.check_known("encode", input)
  local what, device = subject.of(input.model), encode.device(input.device)
  local runtime, said = encode.runtime(input.runtime, input.server)
  local full = { device = device, runtime = runtime, dtype = input.dtype or "fp16", batch = input.batch or 1 }
  for _, name in ipairs({ "tokens", "mean_tokens", "padding", "image", "head", "item_bytes" }) do
    full[name] = input[name]
  end
  local answer = { kind = "encode", asked = input, subject = what, input = full, out = subject.forward(what, full),
    assumed = { said } }
  answer.range = ranges.of_call(what.spread, answer.out)
  if not input.dtype then answer.assumed[#answer.assumed + 1] = "16-bit weights, no format was given" end
  answer.fits = answer.out.fits
  answer.batches = by_batch(what, full)
  answer.price_usd_h, answer.price_assumed = encode.price(device, input.price_usd_h)
  if input.load then
    fleet.add(answer, input.load, function(batch)
      local out = subject.forward(what, tables.with(full, { batch = batch }))
      return out.time_s, out.fits
    end)
  end
  return answer
end

return encode
