-- Models of papers whose weights nobody published.
local PALM = "PaLM, arXiv:2204.02311 (2022), table 1 (recalled, not read again)"
local RELATIVE = "relative positions (a projection of hidden x hidden per layer) are left out"

return {
  {
    common = { family = "PaLM", published_source = PALM, source = PALM, head_dim = 256, kv_heads = 1, vocab = 256000,
      tied_embeddings = true, norms_per_layer = 1, max_seq = 2048, notes = "attention beside the MLP, no biases" },
    models = {
      { name = "PaLM-8B", published_params = 8630000000, layers = 32, hidden = 4096, heads = 16, ffn_hidden = 16384 },
      { name = "PaLM-62B", published_params = 62500000000, layers = 64, hidden = 8192, heads = 32, ffn_hidden = 32768 },
      { name = "PaLM-540B", published_params = 540350000000, layers = 118, hidden = 18432, heads = 48,
        ffn_hidden = 73728 },
    },
  },
  {
    common = { family = "Gopher", gated_mlp = false, vocab = 32000, tied_embeddings = true, max_seq = 2048,
      notes = RELATIVE },
    models = {
      { name = "Gopher-280B", aliases = { "Gopher" }, layers = 80, hidden = 16384, heads = 128, ffn_hidden = 65536,
        source = "Gopher, arXiv:2112.11446 (2021), table 1 (recalled, not read again)" },
      { name = "Chinchilla-70B", aliases = { "Chinchilla" }, layers = 80, hidden = 8192, heads = 64,
        ffn_hidden = 32768, source = "Chinchilla, arXiv:2203.15556 (2022), table 4 (recalled, not read again)" },
    },
  },
  {
    common = { family = "LaMDA" },
    models = {
      { name = "LaMDA-137B", aliases = { "LaMDA" }, published_params = 137000000000,
        published_source = "LaMDA, arXiv:2201.08239 (2022), section 3 (recalled, not read again)", layers = 64,
        hidden = 8192, heads = 128, head_dim = 128, ffn_hidden = 65536, vocab = 32000, tied_embeddings = true,
        source = "LaMDA, arXiv:2201.08239 (2022), section 3 (recalled, not read again)" },
    },
  },
  {
    common = { family = "GLM" },
    models = {
      { name = "GLM-130B", layers = 70, hidden = 12288, heads = 96, ffn_hidden = 32768, vocab = 150528,
        tied_embeddings = true, norm = "layer", qkv_bias = true, out_bias = true, mlp_bias = true, max_seq = 2048,
        source = "GLM-130B, arXiv:2210.02414 (2022), table 11 (recalled, not read again)" },
    },
  },
  {
    common = { family = "Turing-NLG" },
    models = {
      { name = "Turing-NLG-17B", layers = 78, hidden = 4256, heads = 28, ffn_hidden = 17024, gated_mlp = false,
        vocab = 50257, tied_embeddings = true, learned_positions = 1024, max_seq = 1024, norm = "layer",
        qkv_bias = true, out_bias = true, mlp_bias = true,
        notes = "vocabulary of GPT-2 (assumption); its authors round the count to 17 billion",
        source = "Turing-NLG, Microsoft research blog (2020) (recalled, not read again)" },
    },
  },
  {
    common = { family = "BloombergGPT" },
    models = {
      { name = "BloombergGPT-50B", aliases = { "BloombergGPT" }, published_params = 50558868480,
        published_source = "BloombergGPT, arXiv:2303.17564 (2023), table 4 (recalled, not read again)", layers = 70,
        hidden = 7680, heads = 40, ffn_hidden = 30720, gated_mlp = false, vocab = 131072, tied_embeddings = true,
        max_seq = 2048, norm = "layer", embedding_norm = true, qkv_bias = true, out_bias = true, mlp_bias = true,
        notes = "ALiBi", source = "BloombergGPT, arXiv:2303.17564 (2023), table 4 (recalled, not read again)" },
    },
  },
}
