-- Decoders of code.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"

return {
  {
    common = { family = "StarCoder", published_source = PAGE, gated_mlp = false, vocab = 49152, tied_embeddings = true,
      max_seq = 8192, learned_positions = 8192, norm = "layer", qkv_bias = true, out_bias = true, mlp_bias = true,
      kv_heads = 1, hidden = 6144, heads = 48, ffn_hidden = 24576, source = RECALLED },
    models = {
      { name = "starcoder", aliases = { "starcoderbase", "starcoder-15b", "WizardCoder-15B" },
        published_params = 15517456384, layers = 40 },
      { name = "granite-20b-code", published_params = 20000000000,
        published_source = "Granite code models, arXiv:2405.04324 (2024), table 1", layers = 52 },
      { name = "granite-34b-code", published_params = 34000000000,
        published_source = "Granite code models, arXiv:2405.04324 (2024), table 1", layers = 88 },
      { name = "starcoderbase-1b", layers = 24, hidden = 2048, heads = 16, ffn_hidden = 8192 },
      { name = "starcoderbase-3b", layers = 36, hidden = 2816, heads = 22, ffn_hidden = 11264 },
      { name = "starcoderbase-7b", layers = 42, hidden = 4096, heads = 32, ffn_hidden = 16384 },
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
  {
    common = { family = "Granite", vocab = 49152, tied_embeddings = true, qkv_bias = true, out_bias = true,
      mlp_bias = true, max_seq = 4096, published_source = "Granite code models, arXiv:2405.04324 (2024), table 1",
      source = RECALLED },
    models = {
      { name = "granite-3b-code", layers = 32, hidden = 2560, heads = 32, ffn_hidden = 10240 },
      { name = "granite-8b-code", published_params = 8050000000, layers = 36, hidden = 4096, heads = 32, kv_heads = 8,
        ffn_hidden = 14336 },
    },
  },
}
