-- Text to speech: speak{} answers.
local proposals = require("ballpark.questions.ask.proposals")

return {
  name = "speak", title = "Text to speech", words = "Turn text to speech: streams of a device, first sound, price",
  question = "speak",
  facts = {
    { "model", "Which voice (name of the catalog)?", type = "string", title = "Voice",
      propose = proposals.constant("orpheus-3b", "an open voice that people serve") },
    proposals.device("L40S", "often rented for it"),
    { "streams", "Streams at one time?", unit = "", type = "integer", title = "Streams", ask = 1,
      also = { "concurrency", "users" } },
    { "weights", "Format of the weights?", type = "string", title = "Weights" },
    proposals.own_price,
  },
  input = function(f) return { model = f.model, device = f.device, streams = f.streams, weights = f.weights, price_usd_h = f.usd_h } end,
}
