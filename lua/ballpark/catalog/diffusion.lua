-- Diffusion models that draw images: what denoises, with the text encoders that read the prompt.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")
local unpriced = require("ballpark.catalog.unpriced")

local diffusion = {}

local CANDLE <const> = "github:huggingface/candle@2a13b0f3f:candle-transformers/src/models/"
local UNET <const> = CANDLE .. "stable_diffusion/mod.rs"
local MMDIT <const> = CANDLE .. "mmdit/model.rs"
local FLUX <const> = CANDLE .. "flux/model.rs"
local TENSORS <const> = "tensor sizes of the published checkpoint (recalled, not read again)"
local KERAS <const> = "github:keras-team/keras-hub@71453d08f:keras_hub/src/models/stable_diffusion_3/"
  .. "stable_diffusion_3_presets.py, without text encoders and autoencoder"

-- Text encoders, as models of encode{}; shapes of CLIP and T5 as in their config.json (recalled, not read again).
local CLIP <const> = { arch = "decoder", gated_mlp = false, lm_head = false, norm = "layer", qkv_bias = true,
  out_bias = true, mlp_bias = true, vocab = 49408, learned_positions = 77 }
local function clip(name, layers, hidden, heads)
  return { tokens = 77, model = tables.with(CLIP, { name = name, layers = layers, hidden = hidden, heads = heads,
    ffn_hidden = 4 * hidden }) }
end
local CLIP_L <const> = clip("CLIP ViT-L/14 text", 12, 768, 12)
local CLIP_G <const> = clip("OpenCLIP ViT-bigG/14 text", 32, 1280, 20)
local CLIP_H <const> = clip("OpenCLIP ViT-H/14 text", 23, 1024, 16) -- the layer before the last is read
local function t5(tokens)
  return { tokens = tokens, model = { name = "T5-XXL encoder", arch = "encoder", layers = 24, hidden = 4096, heads = 64,
    head_dim = 64, ffn_hidden = 10240, vocab = 32128, relative_buckets = 32, lm_head = false } }
end

local function umt5(tokens)
  local text = t5(tokens)
  text.model.name, text.model.vocab = "umT5-XXL encoder", 256384
  return text
end

local function level(channels, transformers, heads)
  return { channels = channels, transformers = transformers, heads = heads }
end

-- Stable Diffusion 1 and 2: transformers at all levels but the deepest.
local function sd(heads)
  return { level1 = level(320, 1, heads[1]), level2 = level(640, 1, heads[2]), level3 = level(1280, 1, heads[3]),
    level4 = level(1280, 0, heads[4]), middle_transformers = 1 }
end

local function with(...)
  local all = {}
  for _, part in ipairs({ ... }) do
    for key, value in pairs(part) do all[key] = value end
  end
  return all
end

local SD3 <const> = { latent_channels = 16, text_tok = 333, text_dim = 4096, pooled_dim = 2048, last_text_ends = true,
  positions = 192 * 192, image = 1024, steps = 28, source = MMDIT, published_source = KERAS,
  texts = { CLIP_L, CLIP_G, t5(256) } }
local FLUX_1 <const> = { latent_channels = 16, text_tok = 512, text_dim = 4096, pooled_dim = 768, hidden = 3072,
  heads = 24, double_layers = 19, single_layers = 38, qk_norm = true, guided = false, image = 1024, source = FLUX,
  published_source = TENSORS, texts = { CLIP_L, t5(512) } }

-- Layers that attend to the image and to the prompt.
local PIXART <const> = { latent_channels = 4, text_dim = 4096, hidden = 1152, heads = 16, cross_layers = 28, image = 1024,
  steps = 20, source = "arXiv:2310.00426 (2023), table 1 and code of PixArt-alpha (recalled, not read again)",
  published_params = 600000000, published_source = "arXiv:2310.00426 (2023): 0.6B (recalled)" }

-- Films of 81 frames (5 s at 16 a second): a transformer that attends to all of them, and an autoencoder of films, of which
-- the decoder is counted as that of images with a third side, without what makes frames of frames between its levels. The
-- encoder of text is umT5-XXL.
local WAN <const> = { latent_channels = 16, latent_frames = 4, frames = 81, text_tok = 512, text_dim = 4096, qk_norm = true,
  decoder_channels = 96, image = 832, image_height = 480, steps = 50, texts = { umt5(512) },
  source = "github:Wan-Video/Wan2.1:wan/configs (recalled, not read again)" }

-- One stream of film and one of text as of FLUX, over all frames; what reads the prompt is the decoder of an 8B Llama 3, with
-- 95 tokens of a template in front that are cut off behind it.
local LLAMA_TEXT <const> = { tokens = 351, model = { name = "Llama 3 8B text", layers = 32, hidden = 4096, heads = 32, kv_heads = 8,
  ffn_hidden = 14336, vocab = 128320, lm_head = false } }
local HUNYUAN <const> = { latent_channels = 16, latent_frames = 4, frames = 129, text_tok = 256, text_dim = 4096, pooled_dim = 768,
  hidden = 3072, heads = 24, double_layers = 20, single_layers = 40, qk_norm = true, guided = false, guidance_input = true,
  decoder_channels = 128, image = 1280, image_height = 720, steps = 50, texts = { CLIP_L, LLAMA_TEXT },
  source = "arXiv:2412.03603 (2024) and github:Tencent/HunyuanVideo:hyvideo (recalled, not read again)",
  published_params = 12800000000, published_source = "25.6 GB in bf16 on its page, two layers in front of the text among them (recalled)" }

-- What reads the prompt is the decoder of Qwen2.5-VL-7B, with a template of 34 tokens in front that are cut off behind it.
local QWEN_TEXT <const> = { tokens = 162, model = { name = "Qwen2.5-VL-7B text", layers = 28, hidden = 3584, heads = 28, kv_heads = 4,
  ffn_hidden = 18944, vocab = 152064, qkv_bias = true, lm_head = false } }

local SDXL <const> = { level1 = level(320, 0, 5), level2 = level(640, 2, 10), level3 = level(1280, 10, 20),
  middle_transformers = 10, pooled_dim = 2816, text_dim = 2048, image = 1024, steps = 30, source = UNET,
  published_params = 2567463684, published_source = TENSORS, texts = { CLIP_L, CLIP_G } }

local entries = {
  ["sd-1.5"] = with(sd({ 8, 8, 8, 8 }), { image = 512, steps = 50, text_dim = 768, source = UNET,
    published_params = 859520964, published_source = TENSORS, texts = { CLIP_L } }),
  ["sd-2.1"] = with(sd({ 5, 10, 20, 20 }), { image = 768, steps = 50, text_dim = 1024, source = UNET,
    published_params = 865910724, published_source = TENSORS, texts = { CLIP_H } }),
  ["sdxl"] = with(SDXL, { notes = "the base model, without the refiner" }),
  ["sdxl-turbo"] = with(SDXL, { image = 512, steps = 1, guided = false, notes = "distilled to one step without guidance" }),
  ["sdxl-lightning"] = with(SDXL, { steps = 4, guided = false, notes = "distilled to four steps without guidance" }),
  ["sd-turbo"] = with(sd({ 5, 10, 20, 20 }), { image = 512, steps = 1, guided = false, text_dim = 1024, source = UNET,
    published_params = 865910724, published_source = TENSORS, texts = { CLIP_H },
    notes = "Stable Diffusion 2.1 distilled to one step without guidance" }),
  ["sd3-medium"] = with(SD3, { hidden = 1536, heads = 24, double_layers = 24, published_params = 2084951104 }),
  ["sd3.5-medium"] = with(SD3, { hidden = 1536, heads = 24, double_layers = 24, dual_layers = 13, qk_norm = true, positions = 384 * 384,
    steps = 40, source = "transformer/config.json of stabilityai/stable-diffusion-3.5-medium (recalled, not read again)",
    published_params = 2500000000, published_source = "model page of Stability AI: 2.5 billion (recalled)" }),
  ["wan2.1-t2v-1.3b"] = with(WAN, { hidden = 1536, heads = 12, cross_layers = 30, ffn_hidden = 8960,
    published_params = 1420000000, published_source = "5.68 GB in fp32 on its page (recalled)" }),
  ["wan2.1-t2v-14b"] = with(WAN, { hidden = 5120, heads = 40, cross_layers = 40, ffn_hidden = 13824,
    published_params = 14000000000, published_source = "arXiv:2503.20314 (2025): 14 billion (recalled)" }),
  -- The autoencoder of 16 x 16 has a patch of 2 in front: as one of 16 with half the channels of its 256.
  ["wan2.2-ti2v-5b"] = with(WAN, { hidden = 3072, heads = 24, cross_layers = 30, ffn_hidden = 14336, latent_channels = 48,
    latent_scale = 16, decoder_channels = 128, frames = 121, image = 1280, image_height = 704,
    source = "github:Wan-Video/Wan2.2:wan/configs (recalled, not read again)",
    published_params = 5000000000, published_source = "github:Wan-Video/Wan2.2: 5B (recalled)" }),
  ["wan2.2-t2v-a14b"] = with(WAN, { hidden = 5120, heads = 40, cross_layers = 40, ffn_hidden = 13824, image = 1280, image_height = 720,
    steps = 40, source = "github:Wan-Video/Wan2.2:wan/configs (recalled, not read again)",
    published_params = 14000000000, published_source = "github:Wan-Video/Wan2.2: 14B active (recalled)",
    notes = "two of this size take turns, one for noisy steps and one for the last: memory is that of one, the other waits with the host" }),
  hunyuanvideo = HUNYUAN,
  ["qwen-image"] = { latent_channels = 16, text_tok = 128, text_dim = 3584, hidden = 3072, heads = 24, double_layers = 60, qk_norm = true,
    image = 1328, steps = 50, texts = { QWEN_TEXT }, published_params = 20000000000,
    source = "arXiv:2508.02324 (2025) and transformer/config.json of Qwen/Qwen-Image (recalled, not read again)",
    published_source = "arXiv:2508.02324 (2025): 20 billion (recalled)" },
  ["pixart-alpha"] = with(PIXART, { text_tok = 120, texts = { t5(120) } }),
  ["pixart-sigma"] = with(PIXART, { text_tok = 300, texts = { t5(300) } }),
  ["sd3.5-large"] = with(SD3, { hidden = 2432, heads = 38, double_layers = 38, qk_norm = true,
    published_params = 8146280768 }),
  ["flux.1-dev"] = with(FLUX_1, { guidance_input = true, steps = 28, published_params = 11901408320,
    notes = "guidance is distilled into the weights: one pass a step" }),
  ["flux.1-kontext-dev"] = with(FLUX_1, { guidance_input = true, steps = 28, published_params = 11901408320,
    text_tok = 512 + 4096, notes = "attends to the 4,096 tokens of an image of 1,024 x 1,024 that it is to change, too" }),
  ["flux.1-schnell"] = with(FLUX_1, { text_tok = 256, texts = { CLIP_L, t5(256) }, steps = 4,
    published_params = 11891178560, notes = "distilled to four steps without guidance" }),
}
for name, entry in pairs(entries) do entry.name = name end

local aliases = { ["stable-diffusion-v1-5"] = "sd-1.5", ["stable-diffusion-1.5"] = "sd-1.5", ["sd-v1-4"] = "sd-1.5",
  ["sd1.5"] = "sd-1.5", ["sd15"] = "sd-1.5", ["stable-diffusion-v1-4"] = "sd-1.5", ["sd2.1"] = "sd-2.1",
  ["stable-diffusion-2-1"] = "sd-2.1", ["stable-diffusion-xl"] = "sdxl", ["sdxl-base-1.0"] = "sdxl",
  ["stable-diffusion-xl-base-1.0"] = "sdxl", ["stable-diffusion-2.1"] = "sd-2.1", ["stable-diffusion-3-medium"] = "sd3-medium", ["stable-diffusion-3"] = "sd3-medium", sd3 = "sd3-medium",
  ["stable-diffusion-3.5"] = "sd3.5-large", ["sd3.5"] = "sd3.5-large", ["flux.1"] = "flux.1-dev", ["flux1"] = "flux.1-dev",
  ["stable-diffusion-3.5-large"] = "sd3.5-large", ["stable-diffusion-3.5-medium"] = "sd3.5-medium",
  ["wan2.2-5b"] = "wan2.2-ti2v-5b", ["wan2.2-14b"] = "wan2.2-t2v-a14b", ["wan2.2-i2v-a14b"] = "wan2.2-t2v-a14b", ["wan2.2"] = "wan2.2-t2v-a14b",
  ["wan-2.2-5b"] = "wan2.2-ti2v-5b", ["wan-2.2-14b"] = "wan2.2-t2v-a14b", ["hunyuan-video"] = "hunyuanvideo",
  ["wan2.1-1.3b"] = "wan2.1-t2v-1.3b", ["wan2.1-14b"] = "wan2.1-t2v-14b", ["wan-2.1-1.3b"] = "wan2.1-t2v-1.3b",
  ["wan-2.1-14b"] = "wan2.1-t2v-14b", ["wan2.1"] = "wan2.1-t2v-14b", ["pixart-xl-2-1024-ms"] = "pixart-alpha", ["pixart-sigma-xl-2-1024-ms"] = "pixart-sigma", pixart = "pixart-sigma", flux = "flux.1-dev", ["flux1-dev"] = "flux.1-dev", ["flux1-schnell"] = "flux.1-schnell", ["flux-dev"] = "flux.1-dev",
  ["flux-schnell"] = "flux.1-schnell", ["flux.1-krea-dev"] = "flux.1-dev", ["flux-krea"] = "flux.1-dev",
  ["flux-kontext"] = "flux.1-kontext-dev",
  -- The same shapes with other weights.
  pony = "sdxl", ["pony-diffusion-v6-xl"] = "sdxl", illustrious = "sdxl", ["illustrious-xl"] = "sdxl", ["noobai-xl"] = "sdxl",
  ["juggernaut-xl"] = "sdxl", realvisxl = "sdxl", ["animagine-xl"] = "sdxl", dreamshaper = "sd-1.5" }

local function plain(name) return (tostring(name):lower():gsub("^[^/]+/", ""):gsub("[%s_%-]", "")) end

local by_plain = {}
for name in pairs(entries) do by_plain[plain(name)] = name end
for alias, name in pairs(aliases) do by_plain[plain(alias)] = name end

--- Names of all entries, sorted.
function diffusion.names() return tables.sorted_keys(entries) end

--- Names and other names of all entries, sorted.
function diffusion.known()
  local all = diffusion.names()
  for alias in pairs(aliases) do all[#all + 1] = alias end
  table.sort(all)
  return all
end

--- The name of the entry that a name or Hugging Face id means, or nil.
function diffusion.resolve(name) return by_plain[plain(name)] end

--- Whether the decoder of a model runs over in fp16, as SDXL's does (force_upcast of its config.json; recalled).
---@param name string
function diffusion.is_decoded_wide(name) return (diffusion.resolve(name) or ""):find("^sdxl") ~= nil end

-- What such names begin with, why it has no entry, and what is nearest. Of what the models are, recalled.
local not_estimated = {
  { "zimage", "its shape is not in the list", "flux.1-schnell is twice its size" },
  { "flux.2", "its shape is not in the list", "flux.1-dev is a third of its size" },
  { "sana", "linear attention over images is not counted", "pixart-sigma is near" },
  { "wan", "its shape is not in the list", "wan2.1-t2v-14b and wan2.2-ti2v-5b are" },
  { "ltxvideo", "its shape is not in the list", "wan2.1-t2v-1.3b and wan2.1-t2v-14b are films that are" }, { "cogvideo", "its shape is not in the list", "wan2.1-t2v-1.3b and wan2.1-t2v-14b are films that are" },
  { "mochi", "its shape is not in the list", "wan2.1-t2v-1.3b and wan2.1-t2v-14b are films that are" },
}

--- Why a name is not estimated, in words; nil of others.
---@param name string
---@param is_whole boolean|nil
function diffusion.unpriced(name, is_whole) return unpriced.words(plain(name), not_estimated, is_whole) end

--- A copy of the entry that a name or Hugging Face id means: fields of bp_diffusion_model, and `texts`: what reads the
--- prompt, a list of { tokens, model = fields of a model }.
function diffusion.get(name)
  local known = diffusion.resolve(name)
  local words = not known and diffusion.unpriced(name)
  if words then errors.input("model", ("'%s' %s"):format(name, words)) end
  if not known then errors.unknown("model", tostring(name), diffusion.known(), "diffusion model") end
  return tables.copy(entries[known])
end

return diffusion
