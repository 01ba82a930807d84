-- encode{}: texts or images once through a network on one device.
local errors = require("ballpark.errors")
local contradiction = require("ballpark.questions.inference.contradiction")
local inputs = require("ballpark.questions.inputs")

-- Whether nobody has to say how long a sequence is: an image's length follows from its shape.
local function has_length(input)
  if input.model == nil then return input.image ~= nil end
  local ok, what = errors.attempt(require("ballpark.questions.inference.subject").of, input.model)
  return not ok or what.kind ~= "stack" or what.spread == "vision"
end

return {
  name = "encode",
  title = "texts or images once through a network on one device",
  inputs = inputs.joined({
    { "model", "name of the catalog (models, networks), fields of an encoder, or the totals of a convolutional "
      .. "network: ballpark explain convnet", is = "network", type = "string|table", required = true },
    { "device", "name or fields of a device", is = "device", type = "string|ballpark.device", required = true },
    { "runtime", "tensorrt (the default), fastertransformer, compiled, xla, eager, neuron, or a table whose name "
      .. "says which it changes: ballpark explain runtime", is = "either", type = "string|ballpark.runtime" },
    { "server", "triton (one client) or triton_concurrent, who hands the inputs over; none by default",
      type = "string" },
    { "load", "requests of one input each: rate_per_s, and window_s, max_batch, sla_s (99th percentile), "
      .. "utilization_frac (0.7), spares: answers the fewest replicas", is = "group", type = "table",
      whole = { "max_batch", "spares" } },
    { "price_usd_h", "USD per device-hour, instead of the catalog's", type = "number" },
  }, inputs.of_kernel("encode")),
  needs = { { "model", such = '"bert-base"' }, { "device", such = '"A100"' },
    { "tokens", such = "128", met = has_length } },
  outputs = {
    { "fits", "boolean", "whether a batch fits into memory and replicas meet the SLO" },
    { "out", "ballpark.encode_out", "of the kernel" },
    { "range", "table<string, ballpark.range>", "80 % ranges of time_s and per_s" },
    { "batches", "table[]", "time and rate by batch" },
    { "fleet", "table|false|nil", "replicas of the load; false where none meet the SLO with batches that fit" },
  },
  command = {
    summary = "Time an encoder or image network on a device, and size replicas for a load",
    examples = {
      "ballpark encode --model bert-base --device A100 --batch 32 --tokens 128",
      "ballpark encode --model vit-l-16-224 --device A100 --batch 32 --rate 700 --window 'ms(20)' \\",
      "    --sla 'ms(100)' --spares 1",
    },
    options = {
      { "model", "model", "Catalog name: ballpark catalog models, networks.", "text" },
      { "device", "device", "Catalog name.", "text" },
      { "runtime", "runtime", "tensorrt (the default), fastertransformer, compiled, xla, eager or neuron.", "text" },
      { "server", "server", "triton or triton_concurrent, in front of it.", "text" },
      { "price", "price_usd_h", "USD per device-hour, instead of the catalog's." },
    },
    after = inputs.load_options,
  },
  contradiction = contradiction.sentence,
  reason = contradiction.reason,
}
