-- Decoders of encoder-decoders. Their encoder is counted among the parameters, not timed; the tokens it gives
-- are cross_tok.
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"

return {
  {
    common = { family = "Whisper", source = RECALLED },
    models = {
      { name = "whisper-large-v3", published_params = 1543490560,
        published_source = "tensor sizes on the Hugging Face model page (recalled, not read again)", layers = 32,
        hidden = 1280, heads = 20, ffn_hidden = 5120, gated_mlp = false, vocab = 51866, tied_embeddings = true,
        max_seq = 448, learned_positions = 448, norm = "layer", norms_per_layer = 3, out_bias = true,
        mlp_bias = true, cross_layers = 32, cross_tok = 1500, extra_params = 637132800,
        notes = "decoder; the encoder of 30 s of sound is counted, not timed, as are biases of queries and values" },
    },
  },
  {
    common = { family = "T5", source = "github:google-research/text-to-text-transfer-transformer@e081111ccd:"
      .. "t5/models/gin/models" },
    models = {
      { name = "t5-v1.1-xxl", published_params = 11135332352,
        published_source = "github:google-research/text-to-text-transfer-transformer@e081111ccd:t5/models/gin/models",
        layers = 24, hidden = 4096, heads = 64, head_dim = 64, ffn_hidden = 10240, vocab = 32128, max_seq = 512,
        norms_per_layer = 3, cross_layers = 24, cross_tok = 512, extra_params = 4630716416,
        notes = "decoder; the encoder of 512 tokens and tables of relative positions are counted, not timed" },
    },
  },
}
