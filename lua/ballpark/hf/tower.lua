-- Vision towers: the vision_config beside a language model, with what its architecture decides, as the model's encoder.
-- Shapes follow the model code of Hugging Face transformers (release 4.57, 2025).
local Reader = require("ballpark.hf.reader")
local tables = require("ballpark.tables")

local tower = {}

-- What nearly all towers have; `false` removes.
local BIASED <const> = { qkv_bias = true, out_bias = true, mlp_bias = true }
local SIGLIP_KEYS <const> = { layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
  ffn_hidden = "intermediate_size", patch_size = "patch_size", channels = "num_channels" }
local QWEN_KEYS <const> = { layers = "depth", hidden = "hidden_size", heads = "num_heads",
  ffn_hidden = "intermediate_size", patch_size = "patch_size", frames = "temporal_patch_size",
  channels = { "in_channels", "in_chans" } }

local function with(...)
  local made = {}
  for _, fields in ipairs({ ... }) do
    for key, value in pairs(fields) do made[key] = value end
  end
  return made
end

-- 2 x 2 patches are laid side by side and pass two matrices.
local function merged(c, e)
  local side = c:needed("spatial_merge_size")
  e.merge, e.projector_layers = side * side, 2
end

-- Positions of a table with a row for each patch of an image.
local function square(c, e, m)
  m.image_size = c:needed("image_size")
  local side = m.image_size // e.patch_size
  e.learned_positions = side * side + (e.class_tokens or 0)
end

-- Layers see 8 x 8 patches but for a few.
local function qwen_windows(c, e)
  local pixels, all = c:needed("window_size"), c:list("fullatt_block_indexes") or {}
  local side = pixels // e.patch_size
  e.sliding_window, e.window_layers = side * side, e.layers - #all
end

local QWEN2_DEFAULTS <const> = { depth = 32, num_heads = 16, patch_size = 14, temporal_patch_size = 2,
  spatial_merge_size = 2, in_channels = 3 }

--- By model_type of the whole config: fixed fields of the encoder, keys of vision_config, its defaults, and a rule
--- (reader of vision_config, encoder, model, reader of the whole config).
local towers = {
  qwen2_vl = { fixed = with(BIASED, { patch_bias = false, projector_bias = true }),
    keys = with(QWEN_KEYS, { hidden = "embed_dim", ffn_hidden = false }),
    defaults = with(QWEN2_DEFAULTS, { embed_dim = 1280, mlp_ratio = 4 }),
    rule = function(c, e)
      e.ffn_hidden = c:needed("mlp_ratio") * e.hidden
      merged(c, e)
    end },
  qwen2_5_vl = { fixed = with(BIASED, { gated_mlp = true, norm = "rms", patch_bias = false, projector_bias = true }),
    keys = QWEN_KEYS,
    defaults = with(QWEN2_DEFAULTS, { hidden_size = 1280, intermediate_size = 3420, window_size = 112,
      fullatt_block_indexes = { 7, 15, 23, 31 } }),
    rule = function(c, e)
      merged(c, e)
      qwen_windows(c, e)
    end },
  qwen3_vl = { fixed = with(BIASED, { projector_bias = true }),
    keys = with(QWEN_KEYS, { learned_positions = "num_position_embeddings" }),
    defaults = { depth = 27, hidden_size = 1152, intermediate_size = 4304, num_heads = 16, patch_size = 16,
      temporal_patch_size = 2, spatial_merge_size = 2, in_channels = 3, num_position_embeddings = 2304,
      deepstack_visual_indexes = { 8, 16, 24 } },
    rule = function(c, e)
      merged(c, e)
      e.deepstack = #(c:list("deepstack_visual_indexes") or {})
    end },
  gemma3 = { fixed = with(BIASED, { pooled = true, projector_layers = 1 }), keys = SIGLIP_KEYS,
    defaults = { hidden_size = 768, intermediate_size = 3072, num_hidden_layers = 12, num_attention_heads = 12,
      patch_size = 16, image_size = 224, num_channels = 3 },
    rule = function(c, e, m, whole)
      square(c, e, m)
      e.merge = math.max(1, e.learned_positions // whole:needed("mm_tokens_per_image"))
      m.extra_params = e.hidden -- norm before the projector
    end },
  llama4 = { fixed = with(BIASED, { embedding_norm = true, class_tokens = 1, patch_bias = false,
      projector_layers = 2 }), keys = SIGLIP_KEYS,
    defaults = { hidden_size = 768, intermediate_size = 5632, num_hidden_layers = 34, num_attention_heads = 16,
      patch_size = 14, image_size = 448, num_channels = 3, pixel_shuffle_ratio = 0.5, projector_output_dim = 7680,
      projector_input_dim = 4096 },
    rule = function(c, e, m)
      local ratio = c:get("pixel_shuffle_ratio")
      if type(ratio) ~= "number" or not (ratio > 0 and ratio <= 1) then
        c:fail("pixel_shuffle_ratio", "must be a number above 0, at most 1")
      end
      square(c, e, m)
      e.merge = math.floor(1 / (ratio * ratio) + 0.5)
      e.projector_rank, e.projector_hidden = c:needed("projector_input_dim"), c:needed("projector_output_dim")
    end },
  mistral3 = { fixed = { gated_mlp = true, norm = "rms", embedding_norm = true, patch_bias = false,
      projector_layers = 2 }, keys = SIGLIP_KEYS,
    defaults = { hidden_size = 1024, intermediate_size = 4096, num_hidden_layers = 24, num_attention_heads = 16,
      patch_size = 16, num_channels = 3 },
    rule = function(_, e, m, whole)
      local side = whole:needed("spatial_merge_size")
      e.merge, e.projector_rank, e.projector_hidden = side * side, e.hidden, m.hidden
      e.projector_bias = whole:flag("multimodal_projector_bias")
    end },
  llava = { fixed = with(BIASED, { embedding_norm = true, class_tokens = 1, patch_bias = false, projector_layers = 2,
      projector_bias = true }), keys = SIGLIP_KEYS,
    defaults = { hidden_size = 768, intermediate_size = 3072, num_hidden_layers = 12, num_attention_heads = 12,
      patch_size = 32, image_size = 224, num_channels = 3 },
    rule = function(c, e, m)
      square(c, e, m)
      e.projector_hidden = m.hidden
    end },
}
towers.qwen3_vl_moe = towers.qwen3_vl

local WHOLE_DEFAULTS <const> = { mm_tokens_per_image = 256, spatial_merge_size = 2 }

-- Towers that an architecture takes any of: the one that is known here.
local WANTED <const> = { llava = "clip_vision_model", mistral3 = "pixtral", gemma3 = "siglip_vision_model" }

local function is_known(config)
  local wanted = WANTED[config.model_type]
  return not wanted or (config.vision_config.model_type or wanted) == wanted
end

--- Reads the tower of a whole config into model.encoder; whether it is one that is known here.
---@param config table the whole config, which has an object vision_config
---@param where string what errors call the config
---@param model table fields of the language model
---@param assumed string[] gets a sentence for what is filled in
---@return boolean
function tower.read(config, where, model, assumed)
  local made = towers[config.model_type]
  if not made or not is_known(config) then return false end
  local c = Reader.new(config.vision_config, where .. ": vision_config", made.defaults, assumed)
  local encoder = with(made.fixed)
  for _, field in ipairs(tables.sorted_keys(made.keys)) do
    local key = made.keys[field]
    if key then encoder[field] = c:needed(key) end
  end
  made.rule(c, encoder, model, Reader.new(config, where, WHOLE_DEFAULTS, assumed))
  model.encoder = encoder
  return true
end

return tower
