-- How fast is a model on one's own machine? local_inference{} answers.
local catalog = require("ballpark.catalog")
local energy = require("ballpark.questions.ask.energy")
local errors = require("ballpark.errors")
local how_many = require("ballpark.questions.ask.how_many")
local mentions = require("ballpark.mentions")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")

-- Parameters of a model that nobody names.
local USUAL <const> = 8e9

local model, params = proposals.said_model()
local memory, device = proposals.said_device()

-- "Offload 20 layers" leaves open to where: what is named behind them says it.
local HOST <const> = mentions.whole({ "cpu", "ram", "host" })
local function is_with_host(text) return mentions.any((text or ""):lower():match("layers(.*)"), HOST) end

-- Words by which it is asked in which format; and formats of files, those of most bits first.
local ASKS <const> = mentions.whole({ "which quant", "what quant", "which quants", "which quantization", "what quantization", "which quantisation",
  "best quant", "best quantization", "which gguf", "what gguf", "largest quant", "highest quant" })
local FILES <const> = { "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "IQ2_M" }

-- The formats to choose from: the one of most bits that the devices hold by themselves is the first.
local function formats_of(f)
  local list, found = {}, nil
  for _, format in ipairs(FILES) do
    found = found or how_many.fewest({ model = proposals.model_of(f), format = format, kv = proposals.local_kv(f.kv), context_tok = f.context_tok },
      f.device, f.devices or 1) and format
    if format ~= found then list[#list + 1] = format end
  end
  if found then table.insert(list, 1, found) end
  return list
end

-- A speed that somebody says, and time per token as one: the estimate stands beside it.
local function with_seen(given)
  local seen = given.tokens_per_s or given.output_tokens_per_s or given.tpot_s and 1 / given.tpot_s
  if not seen then return given end
  local made = tables.with(given, { seen_tok_s = seen })
  made.tokens_per_s, made.output_tokens_per_s, made.tpot_s = nil, nil, nil
  return made
end

-- Tokens of a prompt at most (assumption).
local LONGEST_PROMPT <const> = 1e6

return {
  name = "local", title = "On one's own machine", words = "How fast does a model run on my machine?",
  question = "local_inference",
  facts = {
    model, tables.with(params, { propose = function(f)
      if not f.model then return USUAL, "a usual size of a model at home" end
    end }), proposals.active, memory, device, how_many.row, { "other", "Which second kind of card?", type = "string", title = "Second kind of card" },
    { "others", "How many of it?", unit = "", type = "integer", title = "Of the second kind" }, proposals.weights, proposals.kv,
    proposals.host[1], proposals.host[2], proposals.host[3], energy.grid_fact,
    { "which_format", "Is it asked in which format?", type = "string", title = "Which format" },
    { "engine", "Which engine: llama.cpp, mlx, exllama, mlc?", type = "string", title = "Engine" },
    { "layers", "Layers that are dealt?", unit = "", type = "integer", title = "Layers" },
    { "device_layers", "Layers on the device?", unit = "", type = "integer", title = "Layers on the device" },
    { "host_layers", "Layers with the host?", unit = "", type = "integer", title = "Layers with the host" },
    { "context_tok", "Tokens of context?", unit = "tok", type = "integer", title = "Context", also = { "seq_len" } },
    how_many.devices(function(f)
      return { model = proposals.model_of(f), format = f.weights or "q4_k_m", kv = proposals.local_kv(f.kv), context_tok = f.context_tok }
    end, 1),
    { "output_tokens", "Tokens of an answer?", unit = "tok", type = "integer", title = "Answer", also = { "written_tokens" } },
    { "seen_tok_s", "Which speed is said?", unit = "tok/s", title = "Speed that is said" },
    { "prompt_tok", "Tokens of the prompt?", unit = "tok", type = "integer", title = "Prompt", also = { "input_tokens" } },
  },
  given = function(given, _, text)
    local made = with_seen(how_many.given(proposals.of_machine(given), text))
    -- "30k tokens" of nothing else are those of the prompt.
    if made.tokens and made.tokens <= LONGEST_PROMPT and made.tokens % 1 == 0 and not (made.prompt_tok or made.input_tokens) then
      made = tables.with(made, { prompt_tok = math.tointeger(made.tokens) })
      made.tokens = nil
    end
    if not given.weights and mentions.any(text, ASKS) then made = tables.with(made, { which_format = "asked" }) end
    if not given.layers then return made end
    made = tables.with(made, { host_layers = is_with_host(text) and given.layers or nil,
      device_layers = not is_with_host(text) and given.layers or nil })
    made.layers = nil
    return made
  end,
  input = function(f)
    if not f.device then
      errors.input("ask", "does not say which machine, or one that the catalog has: a card or a computer, as 'RTX 4090' or 'M3 Max 64GB'")
    end
    local model_said = proposals.model_of(f)
    local all = f.host_layers and (type(model_said) == "string" and catalog.model(model_said) or model_said).layers
    return { device_layers = f.device_layers or all and math.max(0, all - f.host_layers) or nil, model = model_said, device = f.device, devices = f.devices,
      other = f.other, others = f.others, format = f.which_format and formats_of(f) or f.weights, engine = f.engine, kv = proposals.local_kv(f.kv),
      host = f.host, context_tok = f.context_tok, prompt_tok = f.prompt_tok }
  end,
}
