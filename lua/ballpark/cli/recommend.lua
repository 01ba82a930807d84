-- ballpark recommend: ranking with embedding tables, described by options.
local inference = require("ballpark.cli.inference")

return inference.command({
  kind = "recommend",
  summary = "Time a recommendation model with embedding tables, and size replicas for a load",
  examples = {
    "ballpark recommend --model dlrm-dcnv2 --device H100 --devices 8 --requests 256",
    "ballpark recommend --model dlrm-dcnv2 --device A100 --devices 4 --rate 20000 --sla 'ms(60)'",
  },
  options = {
    { "model", "model", "Catalog name: ballpark catalog recommenders.", "text" },
    { "device", "device", "Catalog name.", "text" },
    { "requests", "requests", "Requests of one call; each has the items of the model." },
    { "runtime", "runtime", "tensorrt (the default), compiled, eager, ...: ballpark catalog runtimes.", "text" },
    { "server", "server", "triton or triton_concurrent, in front of it.", "text" },
    { "price", "price_usd_h", "USD per device-hour, instead of the catalog's." },
  },
  required = { "model", "device" },
  without = { batch = true },
  load = inference.load,
  complete = function(input, env)
    input.cluster = env.cluster({ device = input.device, devices = input.devices or 1, price = input.price_usd_h })
    input.device, input.price_usd_h = nil, nil
  end,
})
