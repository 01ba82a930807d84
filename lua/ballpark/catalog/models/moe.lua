-- Models with routed experts that have no file of their own.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"

return {
  {
    common = { family = "gpt-oss", published_source = "gpt-oss model card, arXiv:2508.10925 (2025), table 1",
      kv_heads = 8, head_dim = 64, ffn_hidden = 2880, vocab = 201088, max_seq = 131072, qkv_bias = true,
      out_bias = true, rope = { base = 150000, scaling = "yarn", factor = 32, from_tok = 4096 }, mlp_bias = true,
      attention_sinks = true, topk = 4, router_bias = true, sliding_window = 128, quantization = "mxfp4",
      notes = "every other layer has the window; expert weights in MXFP4" },
    models = {
      { name = "gpt-oss-120b", published_params = 116830000000, layers = 36, hidden = 2880, heads = 64, experts = 128,
        window_layers = 18, source = CONFIGS .. "openai--gpt-oss-120b_config.json" },
      { name = "gpt-oss-20b", published_params = 20910000000, layers = 24, hidden = 2880, heads = 64, experts = 32,
        window_layers = 12, source = CONFIGS .. "openai--gpt-oss-20b_config.json" },
    },
  },
  {
    common = { family = "MiniMax", head_dim = 128, vocab = 200064, router_bias = true },
    models = {
      { name = "MiniMax-M2.5", aliases = { "MiniMax-M2", "MiniMax-M2.1" }, published_params = 229000000000,
        published_source = PAGE, layers = 62, hidden = 3072, heads = 48, kv_heads = 8, ffn_hidden = 1536,
        max_seq = 196608, qk_norm_dim = 6144, k_norm_dim = 1024, experts = 256, topk = 8, mtp_layers = 3,
        quantization = "fp8", source = CONFIGS .. "MiniMaxAI--MiniMax-M2.5_config.json" },
      { name = "MiniMax-M2.7", published_params = 229000000000,
        published_source = PAGE, layers = 62, hidden = 3072, heads = 48, kv_heads = 8, ffn_hidden = 1536,
        max_seq = 204800, qk_norm_dim = 6144, k_norm_dim = 1024, experts = 256, topk = 8, mtp_layers = 3,
        quantization = "fp8", source = CONFIGS .. "MiniMaxAI--MiniMax-M2.7_config.json" },
      { name = "MiniMax-M3", layers = 60, hidden = 6144, heads = 64, kv_heads = 4, ffn_hidden = 12288,
        max_seq = 1048576, qk_norm_dim = 128, experts = 128, topk = 4, shared_experts = 1, moe_ffn = 3072,
        dense_layers = 3, index_layers = 57, index_heads = 4, index_dim = 128, index_topk = 2048, mtp_layers = 1,
        notes = "blocks of keys are selected by an indexer, counted with the shape of the one of DeepSeek-V3.2",
        source = CONFIGS .. "MiniMaxAI--MiniMax-M3_config.json" },
    },
  },
  {
    common = { family = "Grok" },
    models = {
      { name = "grok-1", aliases = { "Grok-1-314B" }, published_params = 314000000000,
        published_source = "github:xai-org/grok-1 README", layers = 64, hidden = 6144, heads = 48, kv_heads = 8,
        ffn_hidden = 32768, vocab = 131072, tied_embeddings = true, max_seq = 8192, norms_per_layer = 4, experts = 8,
        topk = 2, notes = "feed-forward width 8 x 2/3 x hidden, to a multiple of 8",
        source = "github:xai-org/grok-1@7050ed204b:run.py" },
      -- A dense feed-forward part beside the experts (residual_moe).
      { name = "grok-2", published_params = 270000000000, published_source = "model page of xai-org (2025): 270 billion, 115 at work (recalled)",
        layers = 64, hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 32768, moe_ffn = 16384, vocab = 131072, max_seq = 131072,
        norms_per_layer = 4, experts = 8, topk = 2, shared_experts = 1, shared_ffn = 32768, source = RECALLED },
    },
  },
  {
    common = { family = "Step" },
    models = {
      { name = "Step-3", aliases = { "step3" }, published_params = 316000000000,
        published_source = "Step-3, arXiv:2507.19427 (2025), table 1 (recalled, not read again): without the vision "
          .. "tower", layers = 61, hidden = 7168, heads = 64, kv_heads = 1, head_dim = 256, q_lora_rank = 2048,
        ffn_hidden = 18432, vocab = 128815, max_seq = 65536, experts = 48, topk = 3, shared_experts = 1,
        moe_ffn = 5120, dense_layers = 5, notes = "text model; queries through a rank that all heads share",
        source = RECALLED },
      { name = "Step-3.7-Flash", aliases = { "Step-3.5-Flash" }, layers = 45, hidden = 4096, heads = 64,
        kv_heads = 8, head_dim = 128, ffn_hidden = 11264, vocab = 128896, max_seq = 65536, experts = 288, topk = 8,
        shared_experts = 1, moe_ffn = 1280, router_bias = true, dense_layers = 3, sliding_window = 512,
        window_layers = 33, mtp_layers = 3, quantization = "fp8",
        source = CONFIGS .. "stepfun-ai--Step-3.7-Flash-FP8_config.json" },
    },
  },
  {
    common = { family = "GLM", published_source = "GLM-4.5, arXiv:2508.06471 (2025), table 1", kv_heads = 8,
      head_dim = 128, vocab = 151552, max_seq = 131072, qkv_bias = true, topk = 8, shared_experts = 1,
      router_bias = true, mtp_layers = 1, source = RECALLED },
    models = {
      { name = "GLM-4.5", aliases = { "GLM-4.6", "GLM-4.7" }, published_params = 355000000000, layers = 92,
        hidden = 5120, heads = 96, ffn_hidden = 12288, qk_norm_dim = 128, experts = 160, moe_ffn = 1536,
        dense_layers = 3 },
      { name = "GLM-4.5-Air", published_params = 106000000000, layers = 46, hidden = 4096, heads = 96,
        ffn_hidden = 10944, experts = 128, moe_ffn = 1408, dense_layers = 1 },
    },
  },
  {
    common = { family = "OLMoE" },
    models = {
      { name = "OLMoE-1B-7B", aliases = { "OLMoE-1B-7B-0924" }, published_params = 6919161856,
        published_source = PAGE, layers = 16, hidden = 2048, heads = 16, vocab = 50304, max_seq = 4096,
        qk_norm_dim = 2048, experts = 64, topk = 8, moe_ffn = 1024, source = RECALLED },
    },
  },
  {
    common = { family = "Phi-MoE" },
    models = {
      { name = "Phi-3.5-MoE", aliases = { "Phi-3.5-MoE-instruct" }, published_params = 41873153344,
        published_source = PAGE, layers = 32, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 6400,
        vocab = 32064, head_bias = true, max_seq = 131072, norm = "layer", qkv_bias = true, out_bias = true,
        experts = 16, topk = 2, source = RECALLED },
    },
  },
  {
    common = { family = "DBRX" },
    models = {
      { name = "dbrx", aliases = { "dbrx-base", "dbrx-instruct" }, published_params = 131596523520,
        published_source = PAGE, layers = 40, hidden = 6144, heads = 48, kv_heads = 8, ffn_hidden = 10752,
        vocab = 100352, max_seq = 32768, experts = 16, topk = 4, notes = "layer norms without bias",
        source = RECALLED },
    },
  },
  {
    common = { family = "Hunyuan" },
    models = {
      { name = "Hunyuan-A13B", published_params = 80393183232, published_source = PAGE, layers = 32, hidden = 4096,
        heads = 32, kv_heads = 8, head_dim = 128, vocab = 128167, tied_embeddings = true, max_seq = 32768,
        qk_norm_dim = 128, experts = 64, topk = 8, shared_experts = 1, moe_ffn = 3072, source = RECALLED },
    },
  },
  {
    common = { family = "ERNIE-4.5" },
    models = {
      { name = "ERNIE-4.5-300B-A47B", published_params = 300000000000,
        published_source = "ERNIE 4.5 model card (2025)", layers = 54, hidden = 8192, heads = 64, kv_heads = 8,
        ffn_hidden = 28672, vocab = 103424, tied_embeddings = true, max_seq = 131072, experts = 64, topk = 8,
        moe_ffn = 3584, dense_layers = 3, router_bias = true, source = RECALLED },
      { name = "ERNIE-4.5-21B-A3B", published_params = 21830000000,
        published_source = "ERNIE 4.5 model card (2025; recalled)", layers = 28, hidden = 2560, heads = 20,
        kv_heads = 4, head_dim = 128, ffn_hidden = 12288, vocab = 103424, tied_embeddings = true, max_seq = 131072,
        experts = 64, topk = 6, moe_ffn = 1536, shared_experts = 2, dense_layers = 1, router_bias = true,
        source = RECALLED },
    },
  },
  {
    common = { family = "dots" },
    models = {
      { name = "dots.llm1", aliases = { "dots.llm1.inst", "dots.llm1.base" }, published_params = 142000000000,
        published_source = "dots.llm1, arXiv:2506.05767 (2025)", layers = 62, hidden = 4096, heads = 32,
        ffn_hidden = 10944, vocab = 152064, max_seq = 32768, experts = 128, topk = 6, moe_ffn = 1408,
        shared_experts = 2, dense_layers = 1, qk_norm_dim = 128, router_bias = true, source = RECALLED },
    },
  },
  {
    common = { family = "Ling", vocab = 157184, max_seq = 32768, kv_heads = 4, head_dim = 128, qk_norm_dim = 128,
      experts = 256, topk = 8, shared_experts = 1, router_bias = true,
      published_source = "Ling 2.0 model cards (2025; recalled)", source = RECALLED },
    models = {
      { name = "Ling-mini-2.0", aliases = { "Ring-mini-2.0" }, published_params = 16260000000, layers = 20,
        hidden = 2048, heads = 16, ffn_hidden = 5120, moe_ffn = 512, dense_layers = 1 },
      { name = "Ling-flash-2.0", aliases = { "Ring-flash-2.0" }, published_params = 103000000000, layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 9216, moe_ffn = 1024, dense_layers = 1 },
      { name = "Ling-1T", aliases = { "Ring-1T" }, published_params = 1000000000000, layers = 80, hidden = 8192,
        heads = 64, kv_heads = 8, ffn_hidden = 18432, moe_ffn = 2048, dense_layers = 4 },
    },
  },
  {
    common = { family = "Granite-3-MoE", published_source = "Granite 3.0 model cards (2024; recalled)", kv_heads = 8,
      vocab = 49155, tied_embeddings = true, max_seq = 131072, topk = 8, moe_ffn = 512, source = RECALLED },
    models = {
      { name = "granite-3.0-1b-a400m", aliases = { "granite-3.1-1b-a400m" }, published_params = 1330000000,
        layers = 24, hidden = 1024, heads = 16, experts = 32 },
      { name = "granite-3.0-3b-a800m", aliases = { "granite-3.1-3b-a800m" }, published_params = 3300000000,
        layers = 32, hidden = 1536, heads = 24, experts = 40 },
    },
  },
  {
    common = { family = "Skywork" },
    models = {
      { name = "Skywork-MoE", aliases = { "Skywork-MoE-146B" }, published_params = 146000000000,
        published_source = "Skywork-MoE, arXiv:2406.06563 (2024) (recalled, not read again)", layers = 52,
        hidden = 4608, heads = 36, ffn_hidden = 12288, vocab = 65532, max_seq = 8192, experts = 16, topk = 2,
        source = "Skywork-MoE, arXiv:2406.06563 (2024) (recalled, not read again)" },
    },
  },
  {
    common = { family = "Arctic" },
    models = {
      { name = "snowflake-arctic", aliases = { "Arctic", "snowflake-arctic-base" },
        published_params = 480000000000, published_source = "Snowflake Arctic model card (2024; recalled)",
        layers = 35, hidden = 7168, heads = 56, kv_heads = 8, vocab = 32000, max_seq = 4096, norms_per_layer = 3,
        experts = 128, topk = 2, moe_ffn = 4864, shared_experts = 1, shared_ffn = 7168,
        notes = "the dense part beside the experts is their shared expert", source = RECALLED },
    },
  },
}
