-- DeepSeek and what is built like it.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"

-- Of the first and its successors alike: positions and router in the config.json of each.
local ROPE_V3 = { base = 10000, scaling = "yarn", factor = 40, from_tok = 4096 }
local ROUTER_V3 = { score = "sigmoid", normalized = true, scale = 2.5, groups = 8, top_groups = 4, expert_bias = true }

return {
  {
    common = { family = "DeepSeek" },
    models = {
      { name = "DeepSeek-V3",
        aliases = { "DeepSeek-V3-0324", "DeepSeek-V3-Base", "DeepSeek-V3.1", "DeepSeek-V3.1-NVFP4" },
        published_params = 671000000000, published_source = "DeepSeek-V3 technical report, arXiv:2412.19437 (2024)",
        layers = 61, hidden = 7168, heads = 128, ffn_hidden = 18432, vocab = 129280, max_seq = 163840, experts = 256,
        topk = 8, shared_experts = 1, moe_ffn = 2048, router_bias = true, dense_layers = 3, q_lora_rank = 1536,
        kv_lora_rank = 512, qk_rope_dim = 64, qk_nope_dim = 128, v_head_dim = 128, mtp_layers = 1,
        notes = "the prediction layer is counted apart", quantization = "fp8", rope = ROPE_V3, router = ROUTER_V3,
        source = CONFIGS .. "deepseek-ai--DeepSeek-V3_config.json" },
      { name = "DeepSeek-R1", aliases = { "DeepSeek-R1-0528", "DeepSeek-R1-NVFP4" }, published_params = 671000000000,
        published_source = "DeepSeek-V3 technical report, arXiv:2412.19437 (2024)", layers = 61, hidden = 7168,
        heads = 128, ffn_hidden = 18432, vocab = 129280, max_seq = 163840, experts = 256, topk = 8,
        shared_experts = 1, moe_ffn = 2048, router_bias = true, dense_layers = 3, q_lora_rank = 1536,
        kv_lora_rank = 512, qk_rope_dim = 64, qk_nope_dim = 128, v_head_dim = 128, mtp_layers = 1,
        notes = "shape of DeepSeek-V3", quantization = "fp8", rope = ROPE_V3, router = ROUTER_V3,
        source = CONFIGS .. "deepseek-ai--DeepSeek-R1_config.json" },
      { name = "DeepSeek-V3.2", aliases = { "DeepSeek-V3.2-Exp" }, published_params = 671000000000,
        published_source = "DeepSeek-V3.2 model card (2025)", layers = 61, hidden = 7168, heads = 128,
        ffn_hidden = 18432, vocab = 129280, max_seq = 163840, experts = 256, topk = 8, shared_experts = 1,
        moe_ffn = 2048, router_bias = true, dense_layers = 3, q_lora_rank = 1536, kv_lora_rank = 512,
        qk_rope_dim = 64, qk_nope_dim = 128, v_head_dim = 128, index_layers = 61, index_heads = 64, index_dim = 128,
        index_topk = 2048, mtp_layers = 1,
        notes = "keys selected by an indexer; its shape is that of DeepSeek-V3.2-Exp",
        source = CONFIGS .. "deepseek-ai--DeepSeek-V3.2_config.json" },
      { name = "DeepSeek-V2", aliases = { "DeepSeek-V2-Chat" }, published_params = 235741434880,
        published_source = PAGE, layers = 60, hidden = 5120, heads = 128, ffn_hidden = 12288, vocab = 102400,
        max_seq = 163840, experts = 160, topk = 6, shared_experts = 2, moe_ffn = 1536, dense_layers = 1,
        q_lora_rank = 1536, kv_lora_rank = 512, qk_rope_dim = 64, qk_nope_dim = 128, v_head_dim = 128,
        source = "github:AI-Hypercomputer/maxtext@e591f30cbb:src/maxtext/configs/models/deepseek2-236b.yml" },
      { name = "DeepSeek-V2-Lite", published_params = 15706484224, published_source = PAGE, layers = 27,
        hidden = 2048, heads = 16, ffn_hidden = 10944, vocab = 102400, max_seq = 163840, experts = 64, topk = 6,
        shared_experts = 2, moe_ffn = 1408, dense_layers = 1, kv_lora_rank = 512, qk_rope_dim = 64, qk_nope_dim = 128,
        v_head_dim = 128,
        source = "github:AI-Hypercomputer/maxtext@e591f30cbb:src/maxtext/configs/models/deepseek2-16b.yml" },
      { name = "DeepSeek-V4-Flash", aliases = { "DeepSeek-V4-Flash-NVFP4" }, published_params = 284000000000,
        published_source = "DeepSeek-V4 model card (2026)", layers = 43, hidden = 4096, heads = 64, kv_heads = 1,
        head_dim = 512, vocab = 129280, max_seq = 1048576, k_norm_dim = 512, attention_sinks = true, experts = 256,
        topk = 6, shared_experts = 1, moe_ffn = 2048, router_bias = true, q_lora_rank = 1024, o_lora_rank = 1024,
        o_groups = 8, shared_kv = true, sliding_window = 128, window_layers = 2, index_layers = 21, index_heads = 64,
        index_dim = 128, index_topk = 512, index_ratio = 4, compress_layers = 20, compress_ratio = 128,
        mtp_layers = 1, residual_streams = 4, quantization = "fp8, experts fp4",
        notes = "far tokens are seen through an indexer or through compressed keys",
        source = CONFIGS .. "deepseek-ai--DeepSeek-V4-Flash_config.json" },
      { name = "DeepSeek-V4-Pro", aliases = { "DeepSeek-V4-Pro-FP8", "DeepSeek-V4-Pro-NVFP4" }, layers = 61,
        hidden = 7168, heads = 128, kv_heads = 1, head_dim = 512, vocab = 129280, max_seq = 1048576, k_norm_dim = 512,
        attention_sinks = true, experts = 384, topk = 6, shared_experts = 1, moe_ffn = 3072, router_bias = true,
        q_lora_rank = 1536, o_lora_rank = 1024, o_groups = 16, shared_kv = true, sliding_window = 128,
        window_layers = 0, index_layers = 30, index_heads = 64, index_dim = 128, index_topk = 1024, index_ratio = 4,
        compress_layers = 31, compress_ratio = 128, mtp_layers = 1, residual_streams = 4,
        quantization = "fp8, experts fp4",
        notes = "far tokens are seen through an indexer or through compressed keys; its authors round the count with the prediction layer to 1.6T",
        source = CONFIGS .. "deepseek-ai--DeepSeek-V4-Pro_config.json" },
    },
  },
  {
    common = { family = "Kimi" },
    models = {
      { name = "Kimi-K2", aliases = { "Kimi-K2-Instruct", "Kimi-K2.5" }, layers = 61, hidden = 7168, heads = 64,
        ffn_hidden = 18432, vocab = 163840, max_seq = 131072, experts = 384, topk = 8, shared_experts = 1,
        moe_ffn = 2048, router_bias = true, dense_layers = 1, q_lora_rank = 1536, kv_lora_rank = 512,
        qk_rope_dim = 64, qk_nope_dim = 128, v_head_dim = 128, source = RECALLED },
    },
  },
  {
    common = { family = "GLM" },
    models = {
      { name = "GLM-5", published_params = 744000000000, published_source = "GLM-5 model card (2026)", layers = 78,
        hidden = 6144, heads = 64, ffn_hidden = 12288, vocab = 154880, max_seq = 202752, experts = 256, topk = 8,
        shared_experts = 1, moe_ffn = 2048, router_bias = true, dense_layers = 3, q_lora_rank = 2048,
        kv_lora_rank = 512, qk_rope_dim = 64, qk_nope_dim = 192, v_head_dim = 256, index_layers = 78,
        index_heads = 32, index_dim = 128, index_topk = 2048, mtp_layers = 1, source = RECALLED },
    },
  },
}
