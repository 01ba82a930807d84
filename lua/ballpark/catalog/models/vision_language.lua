-- Decoders beside a tower that sees tiles of one size: LLaVA, InternVL, PaliGemma, SmolVLM.
local tables = require("ballpark.tables")

local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"

-- CLIP ViT-L/14 at 336 pixels; the layer before the last is read, without the class token.
local CLIP_336 = { layers = 24, hidden = 1024, heads = 16, ffn_hidden = 4096, qkv_bias = true, out_bias = true,
  mlp_bias = true, embedding_norm = true, learned_positions = 577, class_tokens = 1, patch_size = 14, patch_bias = false,
  projector_layers = 2, projector_bias = true }

-- InternViT-300M at 448 pixels: 2 x 2 patches are laid side by side.
local INTERN_VIT = { layers = 24, hidden = 1024, heads = 16, ffn_hidden = 4096, qkv_bias = true, out_bias = true,
  mlp_bias = true, final_norm = false, learned_positions = 1025, class_tokens = 1, patch_size = 14, merge = 4,
  projector_layers = 2, projector_bias = true }

-- SigLIP so400m: at 224 pixels every patch is a token.
local SIGLIP = { layers = 27, hidden = 1152, heads = 16, ffn_hidden = 4304, qkv_bias = true, out_bias = true,
  mlp_bias = true, learned_positions = 256, patch_size = 14, projector_layers = 1, projector_bias = true }

local function llava(width) return tables.with(CLIP_336, { projector_hidden = width }) end

local function intern(width) return tables.with(INTERN_VIT, { projector_hidden = width }) end

return {
  {
    common = { family = "LLaVA", published_source = PAGE, source = RECALLED, vocab = 32064, image_size = 336,
      notes = "one tile of 576 tokens; LLaVA 1.6 sees up to four more tiles of a larger image" },
    models = {
      { name = "llava-1.5-7b-hf", aliases = { "llava-1.5-7b", "llava-v1.5-7b" }, published_params = 7063427072, layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 11008, max_seq = 4096, encoder = llava(4096) },
      { name = "llava-1.5-13b-hf", aliases = { "llava-1.5-13b", "llava-v1.5-13b" }, layers = 40, hidden = 5120, heads = 40,
        ffn_hidden = 13824, max_seq = 4096, encoder = llava(5120) },
      { name = "llava-v1.6-mistral-7b-hf", aliases = { "llava-v1.6-mistral-7b", "llava-1.6-mistral-7b" },
        published_params = 7566747648, layers = 32, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336,
        max_seq = 32768, encoder = llava(4096), extra_params = 4096 },
      { name = "llava-v1.6-vicuna-7b-hf", aliases = { "llava-v1.6-vicuna-7b", "llava-v1.6-7b" }, published_params = 7063431168,
        layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, max_seq = 4096, encoder = llava(4096), extra_params = 4096 },
      { name = "llava-v1.6-vicuna-13b-hf", aliases = { "llava-v1.6-vicuna-13b", "llava-v1.6-13b" }, layers = 40, hidden = 5120,
        heads = 40, ffn_hidden = 13824, max_seq = 4096, encoder = llava(5120), extra_params = 5120 },
    },
  },
  {
    common = { family = "InternVL", published_source = "model card (recalled)", source = RECALLED, image_size = 448,
      extra_params = 57344, notes = "256 tokens a tile, up to twelve tiles and a small copy of a larger image; extra_params: "
        .. "scales of the tower's layers, norm before the projector" },
    models = {
      { name = "InternVL2-8B", aliases = { "InternVL2_5-8B", "InternVL2.5-8B" }, published_params = 8075365376, layers = 32,
        hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 92553, max_seq = 32768, encoder = intern(4096) },
      { name = "InternVL3-8B", published_params = 7944373760, layers = 28, hidden = 3584, heads = 28, kv_heads = 4,
        ffn_hidden = 18944, vocab = 151674, qkv_bias = true, max_seq = 32768, encoder = intern(3584) },
      { name = "InternVL3-2B", layers = 28, hidden = 1536, heads = 12, kv_heads = 2, ffn_hidden = 8960, vocab = 151674,
        qkv_bias = true, max_seq = 32768, encoder = intern(1536) },
      { name = "InternVL3-14B", layers = 48, hidden = 5120, heads = 40, kv_heads = 8, ffn_hidden = 13824, vocab = 151674,
        qkv_bias = true, max_seq = 32768, encoder = intern(5120) },
    },
  },
  {
    common = { family = "PaliGemma", published_source = PAGE, source = RECALLED, vocab = 257216, tied_embeddings = true,
      image_size = 224, max_seq = 8192, notes = "256 tokens at 224 pixels; at 448 and 896 pixels 1,024 and 4,096" },
    models = {
      { name = "paligemma-3b-pt-224", aliases = { "paligemma-3b", "paligemma-3b-mix-224" }, published_params = 2923466480,
        layers = 18, hidden = 2048, heads = 8, kv_heads = 1, ffn_hidden = 16384, encoder = SIGLIP },
      { name = "paligemma2-3b-pt-224", aliases = { "paligemma2-3b", "paligemma2-3b-mix-224" }, published_params = 3032242416,
        layers = 26, hidden = 2304, heads = 8, kv_heads = 4, head_dim = 256, ffn_hidden = 9216, norms_per_layer = 4,
        sliding_window = 4096, window_layers = 13, encoder = SIGLIP },
    },
  },
  {
    common = { family = "Phi-vision", published_source = PAGE, source = RECALLED, vocab = 32064, image_size = 336, max_seq = 131072,
      notes = "144 tokens a crop of 336 pixels, of which an image has up to sixteen, and separators" },
    models = {
      { name = "Phi-3.5-vision-instruct", aliases = { "Phi-3.5-vision", "Phi-3-vision", "Phi-3-vision-128k-instruct" },
        published_params = 4146621440, layers = 32, hidden = 3072, heads = 32, ffn_hidden = 8192,
        encoder = tables.with(CLIP_336, { merge = 4, projector_hidden = 3072 }), extra_params = 8192 },
    },
  },
  {
    -- Sixty-four queries attend to the 1,024 patches of a slice: counted as a matrix on sixteen patches side by side, which
    -- has as many parameters within 4 %.
    common = { family = "MiniCPM-V", published_source = PAGE, source = RECALLED, image_size = 448,
      notes = "64 tokens a slice, of which a large image has up to nine, and a small copy; extra_params: what the resampler has "
        .. "more than a matrix" },
    models = {
      { name = "MiniCPM-V-2_6", aliases = { "MiniCPM-V-2.6", "MiniCPM-V", "minicpm-v:8b" }, published_params = 8099175152, layers = 28,
        hidden = 3584, heads = 28, kv_heads = 4, ffn_hidden = 18944, vocab = 151666, qkv_bias = true, max_seq = 32768,
        encoder = tables.with(SIGLIP, { learned_positions = 4900, merge = 16 }), extra_params = 2555392 },
    },
  },
  {
    common = { family = "GLM-V", published_source = PAGE, source = RECALLED, image_size = 336,
      notes = "144 tokens of 336 x 336 pixels, more of larger images; extra_params: the norms of the tower's ends and the gated "
        .. "layer behind the projector, whose arithmetic is not counted" },
    models = {
      { name = "GLM-4.1V-9B-Thinking", aliases = { "GLM-4.1V-9B", "GLM-4.1V", "GLM-4.1V-9B-Base" }, published_params = 10292777472,
        layers = 40, hidden = 4096, heads = 32, kv_heads = 2, ffn_hidden = 13696, vocab = 151552, qkv_bias = true,
        norms_per_layer = 4, max_seq = 65536, encoder = { layers = 24, hidden = 1536, heads = 12, ffn_hidden = 4096, gated_mlp = true,
          norm = "rms", learned_positions = 576, patch_size = 14, merge = 4, projector_layers = 1, projector_hidden = 4096,
          projector_bias = true }, extra_params = 185986560 },
    },
  },
  {
    common = { family = "Molmo", published_source = PAGE, source = RECALLED, image_size = 336,
      notes = "144 tokens a crop of 336 pixels, of which a large image has up to twelve, and a small copy; extra_params: what pooling "
        .. "by attention and a gated projector have more than a matrix, whose arithmetic is not counted" },
    models = {
      { name = "Molmo-7B-D-0924", aliases = { "Molmo-7B-D", "Molmo-7B", "Molmo" }, published_params = 8021025280, layers = 28, hidden = 3584,
        heads = 28, kv_heads = 4, ffn_hidden = 18944, vocab = 152064, qkv_bias = true, max_seq = 4096,
        encoder = tables.with(CLIP_336, { layers = 23, merge = 4, projector_layers = 1, projector_bias = false, final_norm = false }),
        extra_params = 99819520 },
    },
  },
  {
    common = { family = "Idefics", source = RECALLED, image_size = 364, notes = "169 tokens a tile of 364 pixels, of which a large "
      .. "image has up to 25, and a small copy" },
    models = {
      { name = "Idefics3-8B-Llama3", aliases = { "Idefics3-8B", "Idefics3" }, layers = 32, hidden = 4096, heads = 32, kv_heads = 8,
        ffn_hidden = 14336, vocab = 128259, max_seq = 131072, encoder = tables.with(SIGLIP, { learned_positions = 676, merge = 4,
          projector_bias = false }) },
    },
  },
  {
    common = { family = "SmolVLM", published_source = PAGE, source = RECALLED, vocab = 49280, max_seq = 8192,
      notes = "81 or 64 tokens a tile, and up to sixteen tiles of a larger image" },
    models = {
      -- 27 x 27 patches of 384 pixels, of which 3 x 3 are a token.
      { name = "SmolVLM2-2.2B-Instruct", aliases = { "SmolVLM2-2.2B", "SmolVLM-2.2B", "SmolVLM-Instruct" }, layers = 24,
        hidden = 2048, heads = 32, ffn_hidden = 8192, image_size = 384, encoder = tables.with(SIGLIP, { learned_positions = 729,
          merge = 9, projector_bias = false }) },
      -- SigLIP base at 512 pixels: 4 x 4 patches are a token.
      { name = "SmolVLM2-500M-Instruct", aliases = { "SmolVLM2-500M", "SmolVLM-500M", "SmolVLM-500M-Instruct" }, layers = 32,
        hidden = 960, heads = 15, kv_heads = 5, ffn_hidden = 2560, image_size = 512, encoder = tables.with(SIGLIP, { layers = 12,
          hidden = 768, heads = 12, ffn_hidden = 3072, learned_positions = 1024, patch_size = 16, merge = 16,
          projector_bias = false }) },
    },
  },
}
