-- Decoders of code, and further families of dense decoders.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"

return {
  {
    common = { family = "StarCoder", published_source = PAGE, gated_mlp = false, vocab = 49152, tied_embeddings = true,
      max_seq = 8192, learned_positions = 8192, norm = "layer", qkv_bias = true, out_bias = true, mlp_bias = true,
      kv_heads = 1, hidden = 6144, heads = 48, ffn_hidden = 24576, source = RECALLED },
    models = {
      { name = "starcoder", aliases = { "starcoderbase", "starcoder-15b" }, published_params = 15517456384,
        layers = 40 },
      { name = "granite-20b-code", published_params = 20000000000,
        published_source = "Granite code models, arXiv:2405.04324 (2024), table 1", layers = 52 },
    },
  },
  {
    common = { family = "StarCoder2", published_source = PAGE, gated_mlp = false, vocab = 49152, tied_embeddings = true,
      max_seq = 16384, norm = "layer", qkv_bias = true, out_bias = true, mlp_bias = true, sliding_window = 4096,
      source = RECALLED },
    models = {
      { name = "starcoder2-3b", published_params = 3030371328, layers = 30, hidden = 3072, heads = 24, kv_heads = 2,
        ffn_hidden = 12288 },
      { name = "starcoder2-7b", published_params = 7173923840, layers = 32, hidden = 4608, heads = 36, kv_heads = 4,
        ffn_hidden = 18432 },
      { name = "starcoder2-15b", published_params = 15957889024, layers = 40, hidden = 6144, heads = 48, kv_heads = 4,
        ffn_hidden = 24576, tied_embeddings = false },
    },
  },
}
