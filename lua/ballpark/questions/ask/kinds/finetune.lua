-- A model trained on examples of one's own: does it fit, how long, for how much? finetune{} answers.
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")

local model, params = proposals.said_model()
local memory, device = proposals.said_device()

-- Examples of an optimizer step where nobody says: what finetune{} takes.
local BATCH <const> = 16
local RL <const> = { grpo = true, ppo = true }

local finetune = {
  name = "finetune", title = "Fine-tuning", words = "Fine-tune a model: does it fit, how long, for how much?",
  question = "finetune",
  facts = {
    model, params, memory,
    tables.with(device, { propose = function(f)
      if f.memory_bytes then return device.propose(f) end
      return "H100", "the device most often rented for it"
    end }),
    proposals.count_of_devices(),
    { "tuning", "Which kind: sft, dpo, grpo, ppo?", type = "string", title = "Kind",
      propose = proposals.constant("sft", "examples are shown, unless more is said") },
    { "method", "Trained how: full, lora, qlora?", type = "string", title = "Method",
      propose = proposals.constant("lora", "what most people do") },
    { "steps", "How many optimizer steps?", unit = "", title = "Steps" },
    { "batch", "Examples of a step?", unit = "", type = "integer", title = "Batch",
      propose = proposals.constant(BATCH, "usual for adapters") },
    { "seq_len", "Tokens of an example at most?", unit = "tok", type = "integer", title = "Sequence", also = { "input_tokens" },
      propose = proposals.constant(2048, "usual") },
    { "tokens", "How many tokens in all?", unit = "tok", title = "Tokens" },
    { "examples", "How many examples?", unit = "", title = "Examples", ask = 3, also = { "items", "vectors" },
      propose = function(f)
        if f.tokens then return math.ceil(f.tokens / f.seq_len), "tokens over those of an example" end
        if f.steps then return f.steps * f.batch, "steps times the batch" end
        return 1e4, "a set that somebody wrote or chose", 1e3, 1e5
      end },
    { "epochs", "How often is each seen?", unit = "", title = "Epochs", propose = proposals.constant(1, "once") },
    { "output_tokens", "Tokens of an answer that is sampled?", unit = "tok", type = "integer", title = "Answer" },
    { "completions", "Answers to a prompt?", unit = "", type = "integer", title = "Answers to a prompt" },
    { "time_s", "In what time?", unit = "s", title = "Deadline" },
    { "usd_h", "USD per device-hour?", unit = "USD/h", title = "Price" },
  },
}

function finetune.input(f)
  local samples = RL[f.tuning] and (f.output_tokens or f.completions)
  return { model = proposals.model_of(f), cluster = { device = f.device, devices = f.devices, price = f.usd_h },
    deadline_s = f.time_s, kind = f.tuning, method = f.method, examples = f.examples, epochs = f.epochs, batch = f.batch, seq_len = f.seq_len,
    generation = samples and { output_tokens = f.output_tokens, completions = f.completions } or nil }
end

return finetune
