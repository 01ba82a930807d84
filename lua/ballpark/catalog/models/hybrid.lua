-- Stacks of state-space (Mamba-2) layers, most of them with some layers of attention between.
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"
local NEMOTRON_H = "Nemotron-H, arXiv:2504.03624 (2025), table 1 (recalled, not read again)"
local NANO_2 = "Nemotron Nano 2, arXiv:2508.14444 (2025) (recalled, not read again)"

return {
  {
    common = { family = "Falcon-H1", head_dim = 128, gated_mlp = true, norms_per_layer = 1, conv_kernel = 4, conv_bias = true,
      notes = "attention and a state-space mixer side by side in every layer, as two sub-layers here", source = RECALLED,
      published_source = "Falcon-H1, arXiv:2507.22448 (2025), table 1 (recalled, not read again)" },
    models = {
      { name = "Falcon-H1-7B", aliases = { "Falcon-H1-7B-Instruct", "Falcon-H1-7B-Base" }, published_params = 7590000000,
        layers = 88, hidden = 3072, heads = 12, kv_heads = 2, ffn_hidden = 12288, vocab = 130049, attention_layers = 44,
        ffn_layers = 44, mamba_layers = 44, mamba_heads = 24, mamba_head_dim = 128, ssm_state = 256, ssm_groups = 1, max_seq = 262144 },
      { name = "Falcon-H1-34B", aliases = { "Falcon-H1-34B-Instruct", "Falcon-H1-34B-Base" }, published_params = 33600000000,
        layers = 144, hidden = 5120, heads = 20, kv_heads = 4, ffn_hidden = 21504, vocab = 261120, attention_layers = 72,
        ffn_layers = 72, mamba_layers = 72, mamba_heads = 32, mamba_head_dim = 128, ssm_state = 256, ssm_groups = 2, max_seq = 262144 },
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
  {
    common = { family = "Nemotron-3", kv_heads = 2, gated_mlp = false, vocab = 131072, norms_per_layer = 1,
      shared_experts = 1, router_bias = true, conv_kernel = 4, conv_bias = true, mamba_head_dim = 64, ssm_state = 128,
      ssm_groups = 8 },
    models = {
      { name = "Nemotron-3-Nano-30B-A3B",
        aliases = { "Nemotron-3-Nano" },
        published_params = 31600000000, published_source = "Nemotron 3 Nano technical report (2025)", layers = 52,
        hidden = 2688, heads = 32, head_dim = 128, ffn_hidden = 1856, max_seq = 262144, experts = 128, topk = 6,
        shared_ffn = 3712, attention_layers = 6, ffn_layers = 23, mamba_layers = 23, mamba_heads = 64,
        notes = "hybrid: every layer is one state-space, attention or expert sub-layer",
        source = CONFIGS .. "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16_config.json" },
      { name = "Nemotron-3-Super-120B-A12B",
        aliases = { "Nemotron-3-Super" }, published_params = 120600000000,
        published_source = "Nemotron 3 Super model card (2026)", layers = 88, hidden = 4096, heads = 32,
        ffn_hidden = 2688, max_seq = 262144, experts = 512, topk = 22, shared_ffn = 5376, moe_latent = 1024,
        attention_layers = 8, ffn_layers = 40, mamba_layers = 40, mamba_heads = 128, mtp_layers = 1,
        notes = "hybrid: every layer is one state-space, attention or expert sub-layer; experts work on a projection",
        source = CONFIGS .. "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4_config.json" },
      { name = "Nemotron-3-Ultra",
        aliases = { "Nemotron-3-Ultra-500B-A50B" }, layers = 108, hidden = 8192, heads = 64, ffn_hidden = 5120,
        max_seq = 1048576, experts = 512, topk = 22, shared_ffn = 10752, moe_latent = 2048, attention_layers = 12,
        ffn_layers = 48, mamba_layers = 48, mamba_heads = 256, mtp_layers = 1,
        notes = "hybrid, as Super; shape assumed: Super's widths twice and a quarter more layers make about the 500 billion "
          .. "parameters, 50 billion at work, that NVIDIA announced in December 2025 (recalled)",
        source = "assumption: no configuration is published" },
      { name = "Nemotron-3.5-Lightning-30B-A3B", layers = 52, hidden = 2688, heads = 32, head_dim = 128,
        ffn_hidden = 1856, max_seq = 1048576, experts = 128, topk = 6, shared_ffn = 3712, attention_layers = 6,
        ffn_layers = 23, mamba_layers = 23, mamba_heads = 64,
        mtp_layers = 1, quantization = "nvfp4",
        notes = "hybrid: every layer is one state-space, attention or expert sub-layer",
        source = CONFIGS .. "nvidia--NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4_config.json" },
    },
  },
  {
    -- Every layer is a mixer (of attention or state space) and a feed-forward part.
    common = { family = "Granite-4", vocab = 100352, tied_embeddings = true, max_seq = 131072, conv_kernel = 4,
      conv_bias = true, mamba_head_dim = 64, ssm_state = 128, ssm_groups = 1, layers = 40, attention_layers = 4,
      mamba_layers = 36, source = RECALLED },
    models = {
      { name = "granite-4.0-h-small", published_params = 32207337984, published_source = PAGE, hidden = 4096,
        heads = 32, kv_heads = 8, experts = 72, topk = 10, moe_ffn = 768, shared_experts = 1, shared_ffn = 1536,
        mamba_heads = 128 },
      { name = "granite-4.0-h-tiny", published_params = 6939037248, published_source = PAGE, hidden = 1536, heads = 12,
        kv_heads = 4, experts = 64, topk = 6, moe_ffn = 512, shared_experts = 1, shared_ffn = 1024, mamba_heads = 48 },
      { name = "granite-4.0-h-micro", hidden = 2048, heads = 32, kv_heads = 8, ffn_hidden = 8192, mamba_heads = 64 },
    },
  },
  {
    common = { family = "Mamba-2", heads = 1, attention_layers = 0, ffn_layers = 0, norms_per_layer = 1,
      conv_kernel = 4, conv_bias = true, mamba_head_dim = 64, ssm_state = 128, layers = 64,
      mamba_layers = 64, ssm_groups = 1,
      notes = "no attention: heads is a placeholder", source = RECALLED },
    models = {
      { name = "mamba2-2.7b", published_params = 2700000000,
        published_source = "Mamba-2, arXiv:2405.21060 (2024) (recalled, not read again)", hidden = 2560,
        vocab = 50288, tied_embeddings = true, mamba_heads = 80 },
      { name = "mamba2-1.3b", layers = 48, mamba_layers = 48, hidden = 2048, vocab = 50288, tied_embeddings = true,
        mamba_heads = 64 },
      { name = "Mamba-Codestral-7B-v0.1", published_params = 7285403648, published_source = PAGE, hidden = 4096,
        vocab = 32768, mamba_heads = 128, ssm_groups = 8 },
    },
  },
}
