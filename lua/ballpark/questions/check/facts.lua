-- The facts of a claim brought to what its arithmetic needs: parameters from a model or a number, a device with its price.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local decoder_of_size = require("ballpark.resolve.decoder_of_size")
local errors = require("ballpark.errors")
local format = require("ballpark.resolve.local_inference.format")
local formats = require("ballpark.resolve.serving.formats")
local mentions = require("ballpark.mentions")
local models = require("ballpark.catalog.models")
local names = require("ballpark.resolve.local_inference.names")
local prices = require("ballpark.catalog.prices")
local questions = require("ballpark.questions")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local weights = require("ballpark.resolve.local_inference.weights")

local facts = {}

-- Bytes of a weight by its format; the scales of 4-bit formats come on top.
facts.WEIGHT_BYTES = { fp32 = 4, bf16 = 2, fp16 = 2, fp8 = 1, int8 = 1, int4 = 0.5, nvfp4 = 0.5625, mxfp4 = 0.53125,
  fp8_block = 1, fp4 = 0.5625 }

--- The shape of what a claim is about; of a model of which only the size is said, that which other questions take.
---@param what table of facts.subject
function facts.shape(what)
  return what.model or (decoder_of_size.of({ params = what.params, active_params = what.active < what.params and what.active or nil }))
end

-- Weights in the format of a file, tensor by tensor.
local function bytes_of_file(what, file)
  local shape = facts.shape(what)
  return weights.file_bytes(shape, weights.of(shape, file)) / core.params({ model = shape }).total_params
end

-- Weights as they are published: experts apart.
local function bytes_as_published(what, published)
  local count = core.params({ model = what.model })
  local dense, experts = facts.WEIGHT_BYTES[published.weights], facts.WEIGHT_BYTES[published.experts or published.weights]
  return (dense * (count.total_params - count.expert_params) + experts * count.expert_params) / count.total_params
end

--- The format of the weights, in words, the bytes of one in the mean, and the format whose peak counts; assumed where the
--- claim does not say it.
function facts.stored(claim, what)
  local word = claim.weights
  if word == nil then
    local published = what.model and formats.published(what.model)
    if not published then return "bf16", 2, "bf16", "weights in 16 bit, no format was said" end
    local said = published.weights .. (published.experts and published.experts ~= published.weights
      and " with experts in " .. published.experts or "")
    return said, bytes_as_published(what, published), published.experts or published.weights,
      "weights as published, no format was said"
  end
  if facts.WEIGHT_BYTES[word] then return word, facts.WEIGHT_BYTES[word], word end
  return word, bytes_of_file(what, format.get("weights", word)), word
end

--- What a claim is about: { name, params, active, model (a decoder of the catalog), call (of an encoder or image network) }.
---@param claim table
function facts.subject(claim)
  if claim.model == nil then
    return { name = claim.params and ("a model of %.4g B"):format(claim.params / 1e9), params = claim.params,
      active = claim.active_params or claim.params }
  end
  if not models.resolve(claim.model) or (catalog.model(claim.model).arch or "decoder") ~= "decoder" then
    local call = subject.of(claim.model)
    return { name = call.name or claim.model, call = call }
  end
  local model = catalog.model(claim.model)
  local params = core.params({ model = model })
  return { name = model.name, model = model, params = params.total_params, active = params.active_params }
end

--- The device of a claim with what it costs.
function facts.device(claim)
  if claim.device == nil then return nil end
  local device = catalog.device(claim.device)
  local usd_h, source = prices.get(device.name)
  return device, usd_h, source
end

--- Facts of a claim that no check looks at, by name, a second kind of device as people say it; the memory of a device is
--- part of its name. Of a text they are in its words.
---@param words table<string, string> facts of the text in the words that said them
---@return string[] sorted
function facts.unread(claim, words)
  local known, list = { kind = true, other = true, others = true }, {}
  if claim.other then list[1] = ("%d x %s"):format(claim.others or 1, tostring(claim.other)) end
  for _, fact in ipairs(questions.record("check").facts) do known[fact[1]] = true end
  for name in pairs(claim) do
    if not known[name] and not (name == "memory_bytes" and claim.device) then list[#list + 1] = words[name] or name:gsub("_", " ") end
  end
  table.sort(list)
  return list
end

-- Programs that run GGUF files.
local OF_FILES <const> = mentions.whole({ "ollama", "llama%.cpp", "lm studio", "koboldcpp" })

-- A speed of a file of which only the packing is said, or the program that runs it, is of the file that is mostly taken: 16 bit
-- are what nobody means. A model that is published in few bits is run as published.
local function with_file(claim, said, text, assumed)
  local is_speed = (claim.tpot_s or claim.tokens_per_s) and not (said.finetune or said.training or claim.kind == "training")
  if claim.weights or not (text and is_speed) then return end
  if claim.model and models.resolve(claim.model) and formats.published(catalog.model(claim.model)) then return end
  local file, word = names.open_format(text)
  if not file and mentions.any(text, OF_FILES) then file, word = names.open_format("gguf") end
  if not file then return end
  claim.weights = file
  assumed[#assumed + 1] = ("weights in %s, as files of %s mostly are"):format(file, word)
end

-- Users who are said beside a speed are sequences at one time; a file for one's own machine runs one unless more are said.
local function with_sequences(claim, assumed)
  if claim.batch or claim.concurrency or not (claim.tpot_s or claim.tokens_per_s) then return end
  if claim.users then
    claim.concurrency, claim.users = claim.users, nil
    if claim.concurrency > 1 then assumed[#assumed + 1] = ("%.6g users at one time"):format(claim.concurrency) end
  elseif claim.weights and facts.WEIGHT_BYTES[claim.weights] == nil then
    claim.concurrency = 1
    assumed[#assumed + 1] = "one sequence at a time, as such files are run"
  end
end

local SHARED <const> = { "concurrency", "batch", "devices" }

--- The whole claim: the facts of its words, those that are given by name over them; the words' weights, what was assumed, and
--- facts in the words that said them.
function facts.of(input)
  local said = input.text and require("ballpark.questions.said.grammar").read(input.text) or { facts = {}, weights = {}, said = {} }
  local claim, assumed = {}, {}
  for i, note in ipairs(said.notes or {}) do assumed[i] = note:gsub("%.$", "") end
  for name, value in pairs(said.facts) do claim[name == "vectors" and "items" or name] = value end
  -- A speed is shared by users, sequences or devices: of a range the most of them is the easiest to believe.
  for _, name in ipairs(SHARED) do
    local span = said.spans and said.spans[name]
    if span then
      claim[name] = math.tointeger(span.high) or span.high
      assumed[#assumed + 1] = ("%s: %.6g, the most that is said"):format(name, span.high)
    end
  end
  for name, value in pairs(input) do
    if name ~= "text" then claim[name] = value end
  end
  -- Beside the time of a token they are those of a prompt.
  if (claim.ttft_s or claim.tpot_s) and claim.tokens and not claim.input_tokens then
    claim.input_tokens, claim.tokens = claim.tokens, nil
  end
  -- Tokens that are written in a time are a speed.
  if claim.written_tokens and claim.time_s and not claim.tokens_per_s then
    claim.tokens_per_s, claim.kind = claim.written_tokens / claim.time_s, claim.kind or "serving"
    claim.written_tokens, claim.time_s = nil, nil
  end
  if claim.output_tokens_per_s and not claim.tokens_per_s then
    claim.tokens_per_s, claim.kind, claim.output_tokens_per_s = claim.output_tokens_per_s, claim.kind or "serving", nil
  end
  with_file(claim, said.weights, input.text, assumed)
  with_sequences(claim, assumed)
  if claim.tokens and claim.epochs and not claim.examples then
    assumed[#assumed + 1] = ("%.6g epochs of %s"):format(claim.epochs, units.format(claim.tokens, "tok"))
    claim.tokens, claim.epochs = claim.tokens * claim.epochs, nil
  end
  if claim.examples and not claim.tokens then
    local each = claim.input_tokens or claim.seq_len
    if each then claim.tokens, claim.input_tokens = claim.examples * each * (claim.epochs or 1), nil end
  end
  for _, name in ipairs(tables.sorted_keys(claim)) do
    local value = claim[name]
    if type(value) == "number" and not (value > 0 and value < math.huge) then
      errors.input(name, ("must be above 0, got %.15g"):format(value))
    end
  end
  if claim.weights ~= nil and facts.WEIGHT_BYTES[claim.weights] == nil then format.get("weights", claim.weights) end
  return claim, said.weights, assumed, said.said
end

return facts
