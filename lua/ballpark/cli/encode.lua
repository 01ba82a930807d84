-- ballpark encode: texts or images once through a network on one device, described by options.
local inference = require("ballpark.cli.inference")

return inference.command({
  kind = "encode",
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
  required = { "model", "device" },
  load = inference.load,
})
