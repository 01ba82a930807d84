-- Images in a prompt of a vision-language model: image_prompt{} answers.
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")

local memory, device = proposals.said_device()

return {
  name = "look", title = "Images in a prompt", words = "Show images to a language model: their tokens, time to the first token",
  question = "image_prompt",
  facts = {
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model",
      propose = proposals.constant("Qwen2.5-VL-7B", "a usual open one that sees") },
    memory, tables.with(device, { propose = function(f)
      if f.memory_bytes then return device.propose(f) end
      return "L4", "models of this size in real time"
    end }),
    { "width", "Pixels of width?", unit = "", type = "integer", title = "Width", ask = 1 },
    { "height", "Pixels of height?", unit = "", type = "integer", title = "Height" },
    { "images", "Images of a prompt?", unit = "", type = "integer", title = "Images", also = { "items" },
      propose = proposals.constant(1, "one of them") },
    { "text_tokens", "Tokens of text beside them?", unit = "tok", type = "integer", title = "Text", also = { "input_tokens" },
      propose = proposals.constant(64, "a question about the image") },
    { "weights", "Format of the weights?", type = "string", title = "Weights" },
  },
  input = function(f)
    return { model = f.model, device = f.device, width = f.width, height = f.height, images = f.images,
      text_tokens = f.text_tokens, weights = f.weights }
  end,
}
