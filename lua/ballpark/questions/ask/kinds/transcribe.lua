-- Speech to text: transcribe{} answers, for the share of the sound that one device takes.
local errors = require("ballpark.errors")
local proposals = require("ballpark.questions.ask.proposals")
local transcribe = require("ballpark.questions.transcribe.run")

local USUAL_BATCH <const> = 16

-- The usual number of windows, halved until the device holds them; one where it holds none.
local function batch_that_fits(f)
  local batch = USUAL_BATCH
  local function holds()
    local answer
    local said = errors.catch(function()
      answer = transcribe.run({ model = f.model, device = f.device, batch = batch, weights = f.weights })
    end)
    return said or answer.fits
  end
  while batch > 1 and not holds() do batch = batch // 2 end
  if batch < USUAL_BATCH then return batch, "as many as the device holds" end
  return batch, "nobody waits for a single one"
end

return {
  name = "transcribe", title = "Speech to text", words = "Turn speech to text: how long, on how many devices?",
  question = "transcribe",
  facts = {
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model",
      propose = proposals.constant("whisper-large-v3", "the usual model of quality") },
    proposals.device("L4", "small models of speech"),
    { "devices", "How many devices share the sound?", unit = "", type = "integer", title = "Devices",
      propose = proposals.constant(1, "one unless more are said") },
    { "audio_s", "How much sound?", unit = "s", title = "Sound", ask = 1, propose = function(f)
        if not f.streams then return 3600, "an hour" end
        return 86400 * f.streams, "the sound of a day"
      end },
    { "batch", "Windows decoded together?", unit = "", type = "integer", title = "Windows together",
      propose = batch_that_fits },
    { "streams", "Lines that talk at one time?", unit = "", title = "Lines at one time", also = { "concurrency", "users" } },
    { "weights", "Format of the weights?", type = "string", title = "Weights" },
  },
  input = function(f)
    return { model = f.model, device = f.device, audio_s = f.audio_s / f.devices, batch = f.batch, weights = f.weights,
      audio_per_s = f.streams }
  end,
}
