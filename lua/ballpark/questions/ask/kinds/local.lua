-- How fast is a model on one's own machine? local_inference{} answers.
local errors = require("ballpark.errors")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")

-- Parameters of a model that nobody names.
local USUAL <const> = 8e9

local model, params = proposals.said_model()
local memory, device = proposals.said_device()

return {
  name = "local", title = "On one's own machine", words = "How fast does a model run on my machine?",
  question = "local_inference",
  facts = {
    model, tables.with(params, { propose = function(f)
      if not f.model then return USUAL, "a usual size of a model at home" end
    end }), proposals.active, memory, device, proposals.count_of_devices(), proposals.weights,
    proposals.host[1], proposals.host[2], proposals.host[3],
    { "context_tok", "Tokens of context?", unit = "tok", type = "integer", title = "Context", also = { "seq_len" } },
    { "prompt_tok", "Tokens of the prompt?", unit = "tok", type = "integer", title = "Prompt", also = { "input_tokens" } },
  },
  given = proposals.of_machine,
  input = function(f)
    if not f.device then errors.input("ask", "does not say which machine: a card or a computer, as 'RTX 4090' or 'M3 Max 64GB'") end
    return { model = proposals.model_of(f), device = f.device, devices = f.devices, format = f.weights,
      host = f.host, context_tok = f.context_tok, prompt_tok = f.prompt_tok }
  end,
}
