-- Further dense decoders, of which few were measured.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"

return {
  {
    common = { family = "GLM", published_source = PAGE, kv_heads = 2, ffn_hidden = 13696, hidden = 4096, heads = 32,
      qkv_bias = true, source = RECALLED },
    models = {
      { name = "chatglm2-6b", aliases = { "chatglm3-6b" }, published_params = 6243584000, layers = 28, vocab = 65024,
        max_seq = 32768 },
      { name = "chatglm-6b", published_params = 6173286400, layers = 28, kv_heads = 32, ffn_hidden = 16384,
        gated_mlp = false, vocab = 130528, tied_embeddings = true, max_seq = 2048, norm = "layer", out_bias = true,
        mlp_bias = true },
      { name = "GLM-4-32B-0414", aliases = { "GLM-Z1-32B-0414" }, published_params = 32600000000,
        published_source = "GLM-4-0414 model card (recalled)", layers = 61, hidden = 6144, heads = 48, head_dim = 128,
        ffn_hidden = 23040, vocab = 151552, max_seq = 32768, norms_per_layer = 4, qkv_bias = false },
      { name = "glm-4-9b", published_params = 9399951360, layers = 40, vocab = 151552, max_seq = 131072 },
    },
  },
  {
    common = { family = "Command-R", published_source = PAGE, vocab = 256000, tied_embeddings = true,
      norms_per_layer = 1, notes = "layer norms without bias; attention and feed-forward in parallel",
      source = RECALLED },
    models = {
      { name = "c4ai-command-r-v01", aliases = { "command-r", "aya-23-35B" }, published_params = 34980831232,
        layers = 40, hidden = 8192, heads = 64, ffn_hidden = 22528, max_seq = 131072 },
      { name = "c4ai-command-r-08-2024", aliases = { "aya-expanse-32b" }, published_params = 32296476672, layers = 40,
        hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 24576, max_seq = 131072 },
      { name = "c4ai-command-r-plus", aliases = { "command-r-plus" }, published_params = 103810674688, layers = 64,
        hidden = 12288, heads = 96, kv_heads = 8, ffn_hidden = 33792, max_seq = 131072, qk_norm_dim = 12288,
        k_norm_dim = 1024,
        notes = "layer norms without bias, on every head as well; attention and feed-forward in parallel" },
      { name = "c4ai-command-a-03-2025", published_params = 111000000000,
        published_source = "Command A, arXiv:2504.00698 (2025)", layers = 64, hidden = 12288, heads = 96, kv_heads = 8,
        ffn_hidden = 36864, max_seq = 262144, sliding_window = 4096, window_layers = 48 },
      { name = "c4ai-command-r7b-12-2024", aliases = { "command-r7b" }, published_params = 8028033024, layers = 32,
        hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, max_seq = 131072, sliding_window = 4096,
        window_layers = 24 },
      { name = "aya-23-8B", aliases = { "aya-expanse-8b" }, published_params = 8028033024, layers = 32, hidden = 4096,
        heads = 32, kv_heads = 8, ffn_hidden = 14336, max_seq = 8192 },
    },
  },
  {
    common = { family = "Granite", published_source = PAGE, kv_heads = 8, heads = 32, layers = 40, vocab = 49155,
      tied_embeddings = true, max_seq = 131072, source = RECALLED },
    models = {
      { name = "granite-3.0-2b", aliases = { "granite-3.1-2b", "granite-3.2-2b", "granite-3.3-2b" },
        published_params = 2533531648, hidden = 2048, ffn_hidden = 8192 },
      { name = "granite-3.0-8b", aliases = { "granite-3.1-8b", "granite-3.2-8b", "granite-3.3-8b" },
        published_params = 8170848256, hidden = 4096, ffn_hidden = 12800 },
      { name = "granite-4.0-micro", published_params = 3400000000,
        published_source = "Granite 4.0 model card (2025; recalled)", hidden = 2560, heads = 40, ffn_hidden = 8192,
        vocab = 100352 },
    },
  },
  {
    common = { family = "SOLAR" },
    models = {
      { name = "SOLAR-10.7B-v1.0", aliases = { "SOLAR-10.7B" }, published_params = 10731524096,
        published_source = PAGE, layers = 48, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336,
        vocab = 32000, max_seq = 4096, source = RECALLED },
    },
  },
  {
    common = { family = "EXAONE", published_source = PAGE, kv_heads = 8, vocab = 102400, max_seq = 32768,
      source = RECALLED },
    models = {
      { name = "EXAONE-3.5-7.8B", aliases = { "EXAONE-3.0-7.8B" }, published_params = 7818448896, layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 14336 },
      { name = "EXAONE-3.5-32B", published_params = 32000000000,
        published_source = "EXAONE 3.5, arXiv:2412.04862 (2024)", layers = 64, hidden = 5120, heads = 40,
        ffn_hidden = 27392 },
      { name = "EXAONE-4.0-32B", published_params = 32000000000,
        published_source = "EXAONE 4.0, arXiv:2507.11407 (2025)", layers = 64, hidden = 5120, heads = 40,
        ffn_hidden = 27392, max_seq = 131072, qk_norm_dim = 128, sliding_window = 4096, window_layers = 48 },
      { name = "EXAONE-4.0-1.2B", published_params = 1280000000,
        published_source = "EXAONE 4.0, arXiv:2507.11407 (2025)", layers = 30, hidden = 2048, heads = 32,
        ffn_hidden = 4096, tied_embeddings = true, max_seq = 65536, qk_norm_dim = 64 },
    },
  },
  {
    common = { family = "Apertus", gated_mlp = false, kv_heads = 8, vocab = 131072, max_seq = 65536,
      qk_norm_dim = 128, published_source = "Apertus, arXiv:2509.14233 (2025) (recalled, not read again)",
      source = RECALLED },
    models = {
      { name = "Apertus-8B-2509", aliases = { "Apertus-8B" }, published_params = 8000000000, layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 21504 },
      { name = "Apertus-70B-2509", aliases = { "Apertus-70B" }, published_params = 70000000000, layers = 80,
        hidden = 8192, heads = 64, ffn_hidden = 43008 },
    },
  },
  {
    common = { family = "MiniCPM", tied_embeddings = true, source = RECALLED },
    models = {
      { name = "MiniCPM-2B", aliases = { "MiniCPM-2B-sft-bf16", "MiniCPM-2B-dpo-bf16" },
        published_params = 2724880896, published_source = PAGE, layers = 40, hidden = 2304, heads = 36,
        ffn_hidden = 5760, vocab = 122753, max_seq = 4096 },
      { name = "MiniCPM3-4B", published_params = 4070000000, published_source = PAGE, layers = 62, hidden = 2560,
        heads = 40, ffn_hidden = 6400, vocab = 73448, max_seq = 32768, q_lora_rank = 768, kv_lora_rank = 256,
        qk_nope_dim = 64, qk_rope_dim = 32, v_head_dim = 64 },
    },
  },
  {
    common = { family = "Skywork" },
    models = {
      { name = "Skywork-13B", aliases = { "Skywork-13B-base" }, layers = 52, hidden = 4608, heads = 36,
        ffn_hidden = 12288, vocab = 65519, max_seq = 4096,
        source = "Skywork, arXiv:2310.19341 (2023), table 3 (recalled, not read again)" },
    },
  },
  {
    common = { family = "Seed-OSS" },
    models = {
      { name = "Seed-OSS-36B", published_params = 36151104512, published_source = PAGE, layers = 64, hidden = 5120,
        heads = 80, kv_heads = 8, head_dim = 128, ffn_hidden = 27648, vocab = 155136, max_seq = 524288,
        qkv_bias = true, source = RECALLED },
    },
  },
  {
    common = { family = "StableLM", published_source = PAGE, norm = "layer", max_seq = 4096, hidden = 2560, heads = 32,
      source = RECALLED },
    models = {
      { name = "stablelm-3b-4e1t", aliases = { "stablelm-zephyr-3b" }, published_params = 2795443200, layers = 32,
        ffn_hidden = 6912, vocab = 50304 },
      { name = "stablelm-2-1_6b", published_params = 1644515328, layers = 24, hidden = 2048, ffn_hidden = 5632,
        vocab = 100352, qkv_bias = true },
      { name = "stablelm-2-12b", published_params = 12143000000, layers = 40, hidden = 5120, kv_heads = 8,
        ffn_hidden = 13824, vocab = 100352, norms_per_layer = 1, notes = "norms of single heads are left out" },
    },
  },
}
