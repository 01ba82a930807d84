-- Encoder-decoders: the decoder, and in `encoder` the stack that it attends across to, whose tokens are cross_tok.
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"

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
    common = { family = "T5", source = "github:google-research/text-to-text-transfer-transformer@e081111ccd:"
      .. "t5/models/gin/models" },
    models = {
      { name = "t5-v1.1-xxl", published_params = 11135332352,
        published_source = "github:google-research/text-to-text-transfer-transformer@e081111ccd:t5/models/gin/models",
        layers = 24, hidden = 4096, heads = 64, head_dim = 64, ffn_hidden = 10240, vocab = 32128, max_seq = 512,
        norms_per_layer = 3, relative_buckets = 32, cross_layers = 24, cross_tok = 512,
        encoder = { layers = 24, head_dim = 64, gated_mlp = true, norm = "rms", relative_buckets = 32 },
        notes = "cross_tok: as many tokens as it was trained with" },
    },
  },
}
