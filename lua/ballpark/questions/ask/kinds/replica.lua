-- What one replica can do: how many requests at one time, how fast alone and full. replica{} answers.
local catalog = require("ballpark.catalog")
local proposals = require("ballpark.questions.ask.proposals")

-- Bytes of a parameter of formats below 16 bit.
local BYTES <const> = { fp8 = 1, fp8_block = 1, int8 = 1, int4 = 0.55, nvfp4 = 0.57, mxfp4 = 0.55 }

local model, params = proposals.said_model()

return {
  name = "replica", title = "One replica", words = "How many requests can so many devices answer, and how fast?",
  question = "replica",
  facts = {
    model, params, proposals.device("H100"), proposals.weights,
    { "devices", "How many devices?", unit = "", type = "integer", title = "Devices", propose = function(f)
      if not (f.model or f.params) then return 1, "one" end
      local shape = f.model and catalog.model(f.model) or proposals.decoder(f)
      local bits = proposals.served_format(f.weights) or shape.quantization
      return proposals.least_devices(shape, f.device, BYTES[bits or ""] or 2), "the fewest that hold the weights"
    end },
    { "input_tokens", "Tokens of a prompt?", unit = "tok", type = "integer", title = "Prompt", also = { "seq_len" },
      propose = proposals.constant(1000, "a system prompt and a few turns") },
    { "output_tokens", "Tokens of an answer?", unit = "tok", type = "integer", title = "Answer",
      propose = proposals.constant(300, "a few paragraphs") },
  },
  input = function(f)
    return { model = proposals.model_of(f), cluster = { device = f.device, devices = f.devices },
      plan = f.weights and { weights = proposals.served_format(f.weights) } or nil,
      load = { input_tokens = f.input_tokens, output_tokens = f.output_tokens } }
  end,
}
