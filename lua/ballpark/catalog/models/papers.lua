-- Models of papers whose weights nobody published, and hybrids of state-space and attention layers.
local PALM = "PaLM, arXiv:2204.02311 (2022), table 1 (recalled, not read again)"
local NEMOTRON_H = "Nemotron-H, arXiv:2504.03624 (2025), table 1 (recalled, not read again)"
local NANO_2 = "Nemotron Nano 2, arXiv:2508.14444 (2025) (recalled, not read again)"
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
    common = { family = "Nemotron-H", kv_heads = 8, head_dim = 128, gated_mlp = false, vocab = 131072,
      norms_per_layer = 1, conv_kernel = 4, conv_bias = true, mamba_head_dim = 64, ssm_groups = 8,
      notes = "hybrid: every layer is one state-space, attention or feed-forward sub-layer", source = NEMOTRON_H },
    models = {
      { name = "Nemotron-H-8B", aliases = { "Nemotron-H-8B-Base-8K" }, published_params = 8100000000,
        published_source = NEMOTRON_H, layers = 52, hidden = 4096, heads = 32, ffn_hidden = 21504,
        attention_layers = 4, ffn_layers = 24, mamba_layers = 24, mamba_heads = 128, ssm_state = 128, max_seq = 8192 },
      { name = "Nemotron-H-56B", aliases = { "Nemotron-H-56B-Base-8K", "Nemotron5-H-56B" },
        published_params = 56000000000, published_source = NEMOTRON_H, layers = 118, hidden = 8192, heads = 64,
        ffn_hidden = 32768, attention_layers = 10, ffn_layers = 54, mamba_layers = 54, mamba_heads = 256,
        ssm_state = 256, max_seq = 8192 },
      { name = "Nemotron-Nano-12B-v2", aliases = { "NVIDIA-Nemotron-Nano-12B-v2" }, published_params = 12310000000,
        published_source = NANO_2, source = NANO_2, layers = 62, hidden = 5120, heads = 40, ffn_hidden = 20480,
        attention_layers = 6, ffn_layers = 28, mamba_layers = 28, mamba_heads = 128, mamba_head_dim = 80,
        ssm_state = 128, max_seq = 131072 },
      { name = "Nemotron-Nano-9B-v2", aliases = { "NVIDIA-Nemotron-Nano-9B-v2" }, published_params = 8890000000,
        published_source = NANO_2, source = NANO_2, layers = 56, hidden = 4480, heads = 40, ffn_hidden = 15680,
        attention_layers = 4, ffn_layers = 25, mamba_layers = 27, mamba_heads = 128, mamba_head_dim = 80,
        ssm_state = 128, max_seq = 131072 },
    },
  },
}
