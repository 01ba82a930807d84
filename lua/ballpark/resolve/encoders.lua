-- What an encoder beside a decoder means for an estimate, in words, and whether its tokens find places.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local encoders = {}

local function has_encoder(model) return ((model.encoder or {}).layers or 0) > 0 end

local function attends_across(model) return (model.cross_layers or 0) > 0 end

-- Places that one image takes in a sequence, as the core counts them.
local function image_tok(model)
  if (model.image_tok or 0) > 0 then return model.image_tok end
  local side = (model.image_size or 0) // math.max(1, model.encoder.patch_size or 1)
  return side * side // (model.encoder.merge or 1)
end

-- Encoders of sound read seconds, those of text the prompt.
local function hears(model) return (model.encoder.mel_bins or 0) > 0 end

-- What a decoder of Whisper begins with (start, language, task, no timestamps), and tokens of 30 s of speech (about
-- four a second; both recalled).
local SOUND_BEGINS <const>, SOUND_TOKENS <const> = 4, 120

-- What an encoder has read without a mask differs with every token behind it: engines keep no prefix of it (vLLM turns
-- its prefix cache off for encoder-decoders; recalled), and no turn has anything of the one before.
local function without_history(load)
  if (load.turns or 1) > 1 then
    errors.input("load.turns", "an encoder reads each prompt whole, and keeps nothing of the turn before: leave it out")
  end
  if (load.prefix_tokens or 0) == 0 then return load, "" end
  return tables.with(load, { prefix_tokens = 0, shared_tokens = 0 }), "; it reads them whole, whatever prefix they share"
end

--- The model and the load as an encoder-decoder serves them, and what was assumed: prompts of text go to the encoder,
--- and the decoder begins with one token; of sound nobody has to say lengths. Others come back as they are.
---@param model table fields of a model
---@param load table of serve{}
---@return table model
---@return table load
---@return string|nil said
function encoders.with_prompt(model, load)
  if not attends_across(model) or not has_encoder(model) then return model, load end
  local unshared
  load, unshared = without_history(load)
  if hears(model) then
    local full = tables.with({ input_tokens = SOUND_BEGINS, output_tokens = SOUND_TOKENS }, load)
    local all = load.input_tokens and load.output_tokens
    return model, full, not all and ("sound: the decoder begins with %.15g tokens and writes %.15g"):format(
      full.input_tokens, full.output_tokens) or nil
  end
  local tokens = load.input_tokens and math.ceil(load.input_tokens) or model.cross_tok
  return tables.with(model, { cross_tok = tokens }), tables.with(load, { input_tokens = 1 }),
    ("prompts of %d tokens go to the encoder, and the decoder begins with one%s"):format(tokens, unshared)
end

-- Engines that serve Whisper and no encoder-decoder of text: their lists of supported models (2025).
local TEXTLESS <const> = { vllm = true, sglang = true }

--- What is to be said of a model's encoder, or nil without one.
---@param model table fields of a model
---@param engine_name string|nil that serves it
---@return string|nil
function encoders.said(model, engine_name)
  if attends_across(model) then
    local refused = TEXTLESS[engine_name] and has_encoder(model) and not hears(model)
      and ("; %s does not serve encoder-decoders of text, trtllm does"):format(engine_name) or ""
    return ("each sequence of the decoder attends to %d tokens of the encoder (model.cross_tok)%s"):format(
      model.cross_tok or 0, refused)
  end
  if not has_encoder(model) then return nil end
  if (model.images or 0) == 0 then
    return "no images: the vision tower takes memory and no time (model.images, model.image_tok or model.image_size)"
  end
  return ("%.15g images of %d tokens each in a sequence, which are part of its length"):format(model.images,
    image_tok(model))
end

--- Refuses prompts that are shorter than their images.
function encoders.check_prompt(model, tokens)
  if not has_encoder(model) or attends_across(model) or (model.images or 0) == 0 then return end
  if model.images * image_tok(model) > tokens then
    errors.input("load.input_tokens", ("%.15g images of %d tokens are more than a prompt of %.15g"):format(
      model.images, image_tok(model), tokens))
  end
end

return encoders
