-- Qwen.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local LITGPT = "github:Lightning-AI/litgpt@26857050fe:litgpt/config.py"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"

-- CONFIGS of Qwen3-8B, 32B, 30B-A3B and 235B-A22B.
local ROPE_QWEN3 = { base = 1000000 }
local ROUTER_QWEN3 = { score = "softmax", normalized = true } -- score: Qwen3MoeForCausalLM

return {
  {
    common = { family = "Qwen2.5", published_source = PAGE, qkv_bias = true, source = LITGPT },
    models = {
      { name = "Qwen2.5-0.5B", published_params = 494032768, layers = 24, hidden = 896, heads = 14, kv_heads = 2,
        ffn_hidden = 4864, vocab = 151936, tied_embeddings = true, max_seq = 32768 },
      { name = "Qwen2.5-1.5B", published_params = 1543714304, layers = 28, hidden = 1536, heads = 12, kv_heads = 2,
        ffn_hidden = 8960, vocab = 151936, tied_embeddings = true, max_seq = 131072 },
      { name = "Qwen2.5-3B", published_params = 3085938688, layers = 36, hidden = 2048, heads = 16, kv_heads = 2,
        ffn_hidden = 11008, vocab = 151936, tied_embeddings = true, max_seq = 32768 },
      { name = "Qwen2.5-7B", aliases = { "Qwen2.5-7B-Instruct" }, published_params = 7615616512, layers = 28,
        hidden = 3584, heads = 28, kv_heads = 4, ffn_hidden = 18944, vocab = 152064, max_seq = 131072 },
      { name = "Qwen2.5-14B", aliases = { "Qwen2.5-14B-Instruct" }, published_params = 14770033664, layers = 48,
        hidden = 5120, heads = 40, kv_heads = 8, ffn_hidden = 13824, vocab = 152064, max_seq = 131072 },
      { name = "Qwen2.5-32B", aliases = { "Qwen2.5-32B-Instruct" }, published_params = 32763876352, layers = 64,
        hidden = 5120, heads = 40, kv_heads = 8, ffn_hidden = 27648, vocab = 152064, max_seq = 131072 },
      { name = "Qwen2.5-72B", aliases = { "Qwen2.5-72B-Instruct" }, published_params = 72706203648, layers = 80,
        hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 29568, vocab = 152064, max_seq = 131072 },
      { name = "QwQ-32B", published_params = 32763876352, layers = 64, hidden = 5120, heads = 40, kv_heads = 8,
        ffn_hidden = 27648, vocab = 152064, max_seq = 131072 },
    },
  },
  {
    common = { family = "Qwen3", vocab = 151936, qk_norm_dim = 128 },
    models = {
      { name = "Qwen3-0.6B", published_params = 600000000,
        published_source = "Qwen3, arXiv:2505.09388 (2025), table 1", layers = 28, hidden = 1024, heads = 16,
        kv_heads = 8, head_dim = 128, ffn_hidden = 3072, tied_embeddings = true, max_seq = 40960, source = LITGPT },
      { name = "Qwen3-1.7B", layers = 28, hidden = 2048, heads = 16, kv_heads = 8, ffn_hidden = 6144,
        tied_embeddings = true, max_seq = 40960, source = LITGPT },
      { name = "Qwen3-4B", published_params = 4022468096, published_source = PAGE, layers = 36, hidden = 2560,
        heads = 32, kv_heads = 8, head_dim = 128, ffn_hidden = 9728, tied_embeddings = true, max_seq = 40960,
        source = LITGPT },
      { name = "Qwen3-8B", published_params = 8190735360, published_source = PAGE, layers = 36, hidden = 4096,
        heads = 32, kv_heads = 8, ffn_hidden = 12288, max_seq = 40960,
        rope = ROPE_QWEN3, source = LITGPT },
      { name = "Qwen3-14B", published_params = 14768307200, published_source = PAGE, layers = 40, hidden = 5120,
        heads = 40, kv_heads = 8, ffn_hidden = 17408, max_seq = 40960, source = LITGPT },
      { name = "Qwen3-32B", aliases = { "Qwen3-32B-FP8", "Qwen3-32B-NVFP4", "Qwen3-32B-FP8-Static-PerTensor" },
        published_params = 32762123264, published_source = PAGE, layers = 64, hidden = 5120, heads = 64, kv_heads = 8,
        head_dim = 128, ffn_hidden = 25600, max_seq = 40960,
        rope = ROPE_QWEN3, source = LITGPT },
      { name = "Qwen3-30B-A3B", aliases = { "Qwen3-30B-A3B-FP8", "Qwen3-30B-A3B-Instruct-2507" },
        published_params = 30532122624, published_source = PAGE, layers = 48, hidden = 2048, heads = 32, kv_heads = 4,
        head_dim = 128, max_seq = 40960,
        rope = ROPE_QWEN3, router = ROUTER_QWEN3, experts = 128, topk = 8, moe_ffn = 768, source = LITGPT },
      { name = "Qwen3-235B-A22B",
        aliases = { "Qwen3-235B-A22B-FP8", "Qwen3-235B-A22B-NVFP4", "Qwen3-235B-A22B-Instruct-2507" },
        published_params = 235093634560, published_source = PAGE, layers = 94, hidden = 4096, heads = 64,
        kv_heads = 4, head_dim = 128, max_seq = 40960,
        rope = ROPE_QWEN3, router = ROUTER_QWEN3, experts = 128, topk = 8, moe_ffn = 1536, source = LITGPT },
      { name = "Qwen3-Coder-480B-A35B", aliases = { "Qwen3-Coder-480B-A35B-Instruct" },
        published_params = 480154875392, published_source = PAGE, layers = 62, hidden = 6144, heads = 96,
        kv_heads = 8, head_dim = 128, max_seq = 262144, experts = 160, topk = 8, moe_ffn = 2560,
        source = CONFIGS .. "Qwen--Qwen3-Coder-480B-A35B-Instruct_config.json" },
    },
  },
  {
    common = { family = "Qwen2", published_source = PAGE, vocab = 152064, max_seq = 131072, qkv_bias = true, source = RECALLED },
    models = {
      { name = "Qwen2-7B", published_params = 7615616512, layers = 28, hidden = 3584, heads = 28, kv_heads = 4,
        ffn_hidden = 18944 },
      { name = "Qwen2-72B", published_params = 72706203648, layers = 80, hidden = 8192, heads = 64, kv_heads = 8,
        ffn_hidden = 29568 },
    },
  },
  {
    common = { family = "Qwen" },
    models = {
      { name = "Qwen-72B", published_params = 72287920128, published_source = PAGE, layers = 80, hidden = 8192,
        heads = 64, ffn_hidden = 24576, vocab = 152064, max_seq = 32768, qkv_bias = true,
        source = "github:microsoft/vidur@7d47513363:vidur/config/model_config.py" },
    },
  },
  {
    common = { family = "Qwen1.5" },
    models = {
      { name = "Qwen1.5-7B", published_params = 7721324544, published_source = PAGE, layers = 32, hidden = 4096,
        heads = 32, ffn_hidden = 11008, vocab = 151936, max_seq = 32768, qkv_bias = true, source = RECALLED },
    },
  },
  {
    common = { family = "Qwen3.5", published_source = "Qwen3.5 model cards (2026)", kv_heads = 2, head_dim = 256,
      vocab = 248320, max_seq = 262144, qk_norm_dim = 256, attention_gate = true, shared_experts = 1, moe_ffn = 1024,
      shared_gate = true, linear_key_heads = 16, linear_value_heads = 64, linear_key_dim = 128,
      linear_value_dim = 128, conv_kernel = 4, mtp_layers = 1,
      notes = "text model; three layers of four have linear attention; vision tower not counted" },
    models = {
      { name = "Qwen3.5-397B-A17B", published_params = 397000000000, layers = 60, hidden = 4096, heads = 32,
        experts = 512, topk = 10, attention_layers = 15, linear_layers = 45,
        source = CONFIGS .. "Qwen--Qwen3.5-397B-A17B_config.json" },
      { name = "Qwen3.5-122B-A10B", aliases = { "Qwen3.5-122B-A10B-NVFP4" }, published_params = 122000000000,
        layers = 48, hidden = 3072, heads = 32, experts = 256, topk = 8, attention_layers = 12, linear_layers = 36,
        source = CONFIGS .. "Qwen--Qwen3.5-122B-A10B_config.json" },
    },
  },
  {
    common = { family = "Qwen3-VL", published_source = PAGE, vocab = 151936, max_seq = 262144, qk_norm_dim = 128 },
    models = {
      { name = "Qwen3-VL-8B", aliases = { "Qwen3-VL-8B-Instruct" }, published_params = 8767123696, layers = 36,
        hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 12288, extra_params = 576388336,
        source = CONFIGS .. "Qwen--Qwen3-VL-8B-Instruct_config.json" },
      { name = "Qwen3-VL-30B-A3B", aliases = { "Qwen3-VL-30B-A3B-Instruct" }, published_params = 31070754032,
        layers = 48, hidden = 2048, heads = 32, kv_heads = 4, head_dim = 128, experts = 128, topk = 8, moe_ffn = 768,
        extra_params = 538631408, source = CONFIGS .. "Qwen--Qwen3-VL-30B-A3B-Instruct_config.json" },
      { name = "Qwen3-VL-32B", aliases = { "Qwen3-VL-32B-Instruct", "Qwen3-VL-32B-Thinking" },
        published_params = 33357390064, layers = 64, hidden = 5120, heads = 64, kv_heads = 8, head_dim = 128,
        ffn_hidden = 25600, extra_params = 595266800, source = CONFIGS .. "Qwen--Qwen3-VL-32B-Instruct_config.json" },
    },
  },
}
