-- Encoder-decoders: the decoder, and in `encoder` the stack that it attends across to, whose tokens are cross_tok.
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local GIN = "github:google-research/text-to-text-transfer-transformer@e081111ccd:t5/models/gin/models"

local function t5(layers, head_dim, gated)
  return { layers = layers, head_dim = head_dim, gated_mlp = gated, norm = "rms", relative_buckets = 32 }
end

return {
  {
    common = { family = "Whisper", source = RECALLED },
    models = {
      { name = "whisper-large-v3", published_params = 1543490560,
        published_source = "tensor sizes on the Hugging Face model page (recalled, not read again)", layers = 32,
        hidden = 1280, heads = 20, ffn_hidden = 5120, gated_mlp = false, vocab = 51866, tied_embeddings = true,
        max_seq = 448, learned_positions = 448, norm = "layer", norms_per_layer = 3, qkv_bias = true,
        key_bias = false, out_bias = true, mlp_bias = true, cross_layers = 32, cross_tok = 1500,
        encoder = { layers = 32, ffn_hidden = 5120, qkv_bias = true, key_bias = false, out_bias = true,
          mlp_bias = true, learned_positions = 1500, mel_bins = 128 },
        notes = "the encoder makes 1500 tokens of 30 s of sound" },
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
      { name = "t5-v1.1-xl", aliases = { "flan-t5-xl" }, published_params = 2849757184, hidden = 2048, heads = 32,
        ffn_hidden = 5120, encoder = t5(24, 64, true) },
      { name = "t5-v1.1-xxl", aliases = { "flan-t5-xxl" }, published_params = 11135332352, hidden = 4096, heads = 64,
        ffn_hidden = 10240, encoder = t5(24, 64, true) },
    },
  },
}
