-- What an encoder beside a decoder means for an estimate, in words, and whether its tokens find places.
local errors = require("ballpark.errors")

local encoders = {}

local function has_encoder(model) return ((model.encoder or {}).layers or 0) > 0 end

local function attends_across(model) return (model.cross_layers or 0) > 0 end

-- Places that one image takes in a sequence, as the core counts them.
local function image_tok(model)
  if (model.image_tok or 0) > 0 then return model.image_tok end
  local side = (model.image_size or 0) // math.max(1, model.encoder.patch_size or 1)
  return side * side // (model.encoder.merge or 1)
end

--- What is to be said of a model's encoder, or nil without one.
---@param model table fields of a model
---@return string|nil
function encoders.said(model)
  if attends_across(model) then
    return ("each sequence of the decoder attends to %d tokens of the encoder (model.cross_tok)"):format(
      model.cross_tok or 0)
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
