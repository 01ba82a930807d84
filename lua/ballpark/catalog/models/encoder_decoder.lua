-- Encoder-decoders: the decoder, and in `encoder` the stack that it attends across to, whose tokens are cross_tok.
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local GIN = "github:google-research/text-to-text-transfer-transformer@e081111ccd:t5/models/gin/models"
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local SHERPA = "github:k2-fsa/sherpa-onnx@7ac665437c:scripts/whisper/model-info.md"
local KERAS = "github:keras-team/keras-hub@71453d08f:keras_hub/src/models/whisper/whisper_presets.py"

-- The encoder of Whisper is as wide as the decoder.
local function sound(layers, mel_bins)
  return { layers = layers, qkv_bias = true, key_bias = false, out_bias = true, mlp_bias = true,
    learned_positions = 1500, mel_bins = mel_bins }
end

local function t5(layers, head_dim, gated)
  return { layers = layers, head_dim = head_dim, gated_mlp = gated, norm = "rms", relative_buckets = 32 }
end

local function biased(layers) return { layers = layers, qkv_bias = true, out_bias = true, mlp_bias = true } end

local function bart(layers)
  return { layers = layers, qkv_bias = true, out_bias = true, mlp_bias = true, final_norm = false, embedding_norm = true,
    learned_positions = 1026 }
end

-- What the files of a size are called by CTranslate2's and ggml's users; weights for English alone are another file of a shape.
local function files_of(size, has_english)
  local list = { "faster-whisper-" .. size, "ggml-" .. size }
  if has_english then
    for _, begins in ipairs({ "", "whisper-", "faster-whisper-", "ggml-" }) do list[#list + 1] = begins .. size .. ".en" end
  else
    list[#list + 1] = size
  end
  return list
end

return {
  {
    common = { family = "Whisper", source = SHERPA, published_source = KERAS, gated_mlp = false, vocab = 51865,
      tied_embeddings = true, max_seq = 448, learned_positions = 448, norm = "layer", norms_per_layer = 3,
      qkv_bias = true, key_bias = false, out_bias = true, mlp_bias = true, cross_tok = 1500,
      notes = "the encoder makes 1500 tokens of 30 s of sound" },
    models = {
      { name = "whisper-tiny", aliases = files_of("tiny", true), published_params = 37760640, layers = 4, hidden = 384, heads = 6, ffn_hidden = 1536,
        cross_layers = 4, encoder = sound(4, 80) },
      { name = "whisper-base", aliases = files_of("base", true), published_params = 72593920, layers = 6, hidden = 512, heads = 8, ffn_hidden = 2048,
        cross_layers = 6, encoder = sound(6, 80) },
      { name = "whisper-small", aliases = files_of("small", true), published_params = 241734912, layers = 12, hidden = 768, heads = 12,
        ffn_hidden = 3072, cross_layers = 12, encoder = sound(12, 80) },
      { name = "whisper-medium", aliases = files_of("medium", true), published_params = 763857920, layers = 24, hidden = 1024, heads = 16,
        ffn_hidden = 4096, cross_layers = 24, encoder = sound(24, 80) },
      { name = "whisper-large-v2", aliases = { "whisper-large", "whisper-large-v1", table.unpack(files_of("large-v2")) }, published_params = 1543304960, layers = 32, hidden = 1280, heads = 20,
        ffn_hidden = 5120, cross_layers = 32, encoder = sound(32, 80) },
      { name = "whisper-large-v3", aliases = files_of("large-v3"), published_params = 1543490560, source = RECALLED, published_source = PAGE,
        layers = 32, hidden = 1280, heads = 20, ffn_hidden = 5120, vocab = 51866, cross_layers = 32,
        encoder = sound(32, 128) },
      { name = "whisper-large-v3-turbo", aliases = { "whisper-turbo", table.unpack(files_of("large-v3-turbo")) }, published_params = 808878080, source = RECALLED,
        published_source = PAGE, layers = 4, hidden = 1280, heads = 20, ffn_hidden = 5120, vocab = 51866,
        cross_layers = 4, encoder = sound(32, 128) },
      { name = "distil-large-v2", aliases = { "distil-whisper-large-v2" }, source = RECALLED, layers = 2, hidden = 1280,
        heads = 20, ffn_hidden = 5120, cross_layers = 2, encoder = sound(32, 80) },
      { name = "distil-large-v3", aliases = { "distil-whisper-large-v3", "distil-large-v3.5" }, source = RECALLED, layers = 2, hidden = 1280,
        heads = 20, ffn_hidden = 5120, vocab = 51866, cross_layers = 2, encoder = sound(32, 128) },
    },
  },
  {
    common = { family = "T5", source = GIN, published_source = GIN, vocab = 32128, max_seq = 512, norms_per_layer = 3,
      head_dim = 64, gated_mlp = false, tied_embeddings = true, relative_buckets = 32, cross_tok = 512,
      notes = "cross_tok: as many tokens as it was trained with" },
    models = {
      { name = "t5-small", published_params = 60506624, layers = 6, hidden = 512, heads = 8, ffn_hidden = 2048,
        cross_layers = 6, encoder = t5(6, 64, false) },
      { name = "t5-base", published_params = 222903552, layers = 12, hidden = 768, heads = 12, ffn_hidden = 3072,
        cross_layers = 12, encoder = t5(12, 64, false) },
      { name = "t5-large", published_params = 737668096, layers = 24, hidden = 1024, heads = 16, ffn_hidden = 4096,
        cross_layers = 24, encoder = t5(24, 64, false) },
      { name = "t5-3b", published_params = 2851598336, layers = 24, hidden = 1024, heads = 32, head_dim = 128,
        ffn_hidden = 16384, cross_layers = 24, encoder = t5(24, 128, false) },
      { name = "t5-11b", published_params = 11307321344, layers = 24, hidden = 1024, heads = 128, head_dim = 128,
        ffn_hidden = 65536, cross_layers = 24, encoder = t5(24, 128, false) },
    },
  },
  {
    common = { family = "T5", source = GIN, published_source = GIN, vocab = 32128, max_seq = 512, norms_per_layer = 3,
      head_dim = 64, relative_buckets = 32, layers = 24, cross_layers = 24, cross_tok = 512,
      notes = "cross_tok: as many tokens as it was trained with" },
    models = {
      { name = "t5-v1.1-small", aliases = { "flan-t5-small" }, published_params = 76961152, layers = 8, cross_layers = 8,
        hidden = 512, heads = 6, ffn_hidden = 1024, encoder = t5(8, 64, true), published_source = PAGE, source = RECALLED },
      { name = "t5-v1.1-base", aliases = { "flan-t5-base" }, published_params = 247577856, layers = 12, cross_layers = 12,
        hidden = 768, heads = 12, ffn_hidden = 2048, encoder = t5(12, 64, true), published_source = PAGE, source = RECALLED },
      { name = "t5-v1.1-large", aliases = { "flan-t5-large" }, published_params = 783150080, hidden = 1024, heads = 16,
        ffn_hidden = 2816, encoder = t5(24, 64, true), published_source = PAGE, source = RECALLED },
      { name = "t5-v1.1-xl", aliases = { "flan-t5-xl", "T0_3B" }, published_params = 2849757184, hidden = 2048, heads = 32,
        ffn_hidden = 5120, encoder = t5(24, 64, true) },
      { name = "t5-v1.1-xxl", aliases = { "flan-t5-xxl", "T0pp", "T0p", "T0" }, published_params = 11135332352, hidden = 4096, heads = 64,
        ffn_hidden = 10240, encoder = t5(24, 64, true) },
    },
  },
  {
    common = { family = "mT5", source = RECALLED, published_source = PAGE, vocab = 250112, max_seq = 1024, norms_per_layer = 3,
      head_dim = 64, relative_buckets = 32, layers = 24, cross_layers = 24, cross_tok = 512,
      notes = "cross_tok: as many tokens as it was trained with" },
    models = {
      { name = "mt5-small", aliases = { "mt0-small" }, published_params = 300176768, layers = 8, cross_layers = 8, hidden = 512,
        heads = 6, ffn_hidden = 1024, encoder = t5(8, 64, true) },
      { name = "mt5-base", aliases = { "mt0-base" }, published_params = 582401280, layers = 12, cross_layers = 12, hidden = 768,
        heads = 12, ffn_hidden = 2048, encoder = t5(12, 64, true) },
      { name = "mt5-large", aliases = { "mt0-large" }, published_params = 1229581312, hidden = 1024, heads = 16,
        ffn_hidden = 2816, encoder = t5(24, 64, true) },
      { name = "mt5-xl", aliases = { "mt0-xl" }, published_params = 3742619648, hidden = 2048, heads = 32, ffn_hidden = 5120,
        encoder = t5(24, 64, true) },
      { name = "mt5-xxl", aliases = { "mt0-xxl" }, published_params = 12921057280, hidden = 4096, heads = 64,
        ffn_hidden = 10240, encoder = t5(24, 64, true) },
    },
  },
  {
    -- M2M-100 and its kin: positions are sines, norms before the parts and after the last layer.
    common = { family = "NLLB", source = RECALLED, published_source = PAGE, gated_mlp = false, vocab = 256206, tied_embeddings = true,
      max_seq = 1024, norm = "layer", norms_per_layer = 3, qkv_bias = true, out_bias = true, mlp_bias = true, cross_tok = 128,
      heads = 16, notes = "cross_tok: a long sentence; extra_params: biases of the keys across" },
    models = {
      { name = "nllb-200-distilled-600M", aliases = { "nllb-200-600M", "nllb-600M" }, published_params = 615073792, extra_params = 12288, layers = 12,
        hidden = 1024, ffn_hidden = 4096, cross_layers = 12, encoder = biased(12) },
      { name = "nllb-200-1.3B", aliases = { "nllb-200-distilled-1.3B", "nllb-1.3B" }, published_params = 1370638336, extra_params = 24576, layers = 24,
        hidden = 1024, ffn_hidden = 8192, cross_layers = 24, encoder = biased(24) },
      { name = "nllb-200-3.3B", aliases = { "nllb-3.3B" }, published_params = 3344863232, extra_params = 49152, layers = 24, hidden = 2048,
        ffn_hidden = 8192, cross_layers = 24, encoder = biased(24) },
    },
  },
  {
    -- BART: norms behind the parts and behind the embeddings.
    common = { family = "BART", source = RECALLED, published_source = PAGE, gated_mlp = false, vocab = 50265, tied_embeddings = true,
      max_seq = 1024, learned_positions = 1026, norm = "layer", norms_per_layer = 3, final_norm = false, embedding_norm = true,
      qkv_bias = true, out_bias = true, mlp_bias = true, cross_tok = 1024, notes = "cross_tok: as many tokens as it reads at most; extra_params: biases of the keys across" },
    models = {
      { name = "bart-base", published_params = 139420416, extra_params = 4608, layers = 6, hidden = 768, heads = 12, ffn_hidden = 3072,
        cross_layers = 6, encoder = bart(6) },
      { name = "bart-large", aliases = { "bart-large-cnn" }, published_params = 406291456, extra_params = 12288, layers = 12, hidden = 1024, heads = 16,
        ffn_hidden = 4096, cross_layers = 12, encoder = bart(12) },
    },
  },
}
