-- Encoders of text and of images.
-- Shapes follow the model code of Hugging Face transformers (release 4.57, 2025).
local family = require("ballpark.hf.family")

local extend = family.extend

-- The first of the architecture classes, or nothing.
local function class_of(c)
  local class = (c:list("architectures") or {})[1]
  return type(class) == "string" and class or ""
end

-- A vocabulary head belongs to models made for masked tokens; its extra dense layer is left out.
local function masked_head(c, m)
  local class = class_of(c)
  m.lm_head = class:find("ForMaskedLM") ~= nil or class:find("ForPreTraining") ~= nil
  m.tied_embeddings = true
  if m.lm_head then
    c:assume("the vocabulary head of %s is counted, the dense layer before it is not", class)
  end
end

local function positions(_, m) m.learned_positions = m.max_seq end

local function absolute_positions(c)
  local kind = c:text("position_embedding_type")
  if kind and kind ~= "absolute" then c:refuse("relative positions (position_embedding_type)") end
end

local bert = extend({}, {
  fixed = { arch = "encoder", norm = "layer", gated_mlp = false, qkv_bias = true, out_bias = true,
    mlp_bias = true, embedding_norm = true, final_norm = false, pooler = true },
  keys = {
    layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
    ffn_hidden = "intermediate_size", vocab = "vocab_size", max_seq = "max_position_embeddings",
    token_types = "type_vocab_size",
  },
  needed = { "layers", "hidden", "heads", "ffn_hidden", "vocab", "max_seq" },
  defaults = { type_vocab_size = 2 },
  harmless = { "classifier_dropout", "gradient_checkpointing", "tie_word_embeddings", "is_decoder",
    "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head",
    "pooler_type", "directionality", "id2label", "label2id", "num_labels", "output_past" },
  rules = { positions, absolute_positions, masked_head },
})

local distilbert = extend(bert, {
  fixed = { pooler = false },
  keys = { layers = "n_layers", hidden = "dim", heads = "n_heads", ffn_hidden = "hidden_dim",
    token_types = false },
  harmless = { "qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds", "tie_weights_", "activation" },
})

local electra = extend(bert, {
  fixed = { pooler = false },
  harmless = { "summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj" },
  rules = { positions, absolute_positions, masked_head, function(c, m)
    local width = c:size("embedding_size")
    if width and width ~= m.hidden then
      c:refuse(("embeddings of width %d under layers of width %d"):format(width, m.hidden))
    end
  end },
})

-- Images are square: a pair of sizes must be one size twice.
local function square(c, key)
  local value = c:get(key)
  if type(value) ~= "table" then return c:needed(key) end
  local side = math.tointeger(value[1])
  if not side or side < 1 then c:fail(key, "must be a number of pixels or a pair of them") end
  if value[1] ~= value[2] then c:refuse("images that are not square (" .. key .. ")") end
  return side
end

local function patches(class_tokens)
  return function(c, m)
    m.image_size, m.patch_size = square(c, "image_size"), square(c, "patch_size")
    m.class_tokens = class_tokens
    if m.image_size % m.patch_size ~= 0 then
      c:fail("patch_size", ("%d does not divide image_size %d"):format(m.patch_size, m.image_size))
    end
    local side = m.image_size // m.patch_size
    m.learned_positions = side * side + class_tokens
    m.max_seq = m.learned_positions
  end
end

-- Labels are written as a map from number to name; a config without one has Hugging Face's two, which
-- say nothing: without a map and a class there is no head.
local function classes(c, m)
  local class = class_of(c)
  local labels, count = c:list("id2label"), 0
  for _ in pairs(labels or {}) do count = count + 1 end
  count = count > 0 and count or c:count("num_labels") or 0
  if class:find("ForImageClassification") then m.classes = count end
  if (m.classes or 0) == 0 then
    c:assume("no class head: the config names no classes or is no classifier")
  end
end

local vit = extend({}, {
  fixed = { arch = "vision", norm = "layer", gated_mlp = false, out_bias = true, mlp_bias = true,
    lm_head = false },
  keys = {
    layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
    ffn_hidden = "intermediate_size", channels = "num_channels",
  },
  flags = { qkv_bias = "qkv_bias" },
  needed = { "layers", "hidden", "heads", "ffn_hidden" },
  defaults = { qkv_bias = true, num_channels = 3 },
  harmless = { "encoder_stride", "id2label", "label2id", "num_labels", "pooler_act", "pooler_output_size" },
  rules = { patches(1), classes },
})

local clip_vision = extend(vit, {
  fixed = { embedding_norm = true, patch_bias = false, qkv_bias = true },
  flags = { qkv_bias = false },
  harmless = { "projection_dim" },
  rules = { patches(1), function(c)
    c:assume("the projection into the shared space is not counted")
  end },
})

local clip_text = extend(bert, {
  fixed = { embedding_norm = false, final_norm = true, pooler = false, lm_head = false },
  keys = { token_types = false },
  harmless = { "projection_dim" },
  rules = { positions, function(c)
    c:assume("the projection into the shared space is not counted")
  end },
})

return {
  bert = bert, roberta = bert, ["xlm-roberta"] = bert, camembert = bert, distilbert = distilbert,
  electra = electra, vit = vit, deit = extend(vit, { rules = { patches(2), classes } }),
  clip_vision_model = clip_vision, clip_text_model = clip_text,
}
