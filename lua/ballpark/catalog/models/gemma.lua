-- Gemma.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local LITGPT = "github:Lightning-AI/litgpt@26857050fe:litgpt/config.py"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"

-- SigLIP so400m at 896 pixels (config.json of google/gemma-3-4b-it, recalled): 4 x 4 patches are averaged.
local SIGLIP = { layers = 27, hidden = 1152, heads = 16, ffn_hidden = 4304, qkv_bias = true, out_bias = true,
  mlp_bias = true, learned_positions = 4096, patch_size = 14, merge = 16, pooled = true, projector_layers = 1 }

return {
  {
    common = { family = "Gemma", published_source = PAGE, vocab = 256000, tied_embeddings = true, max_seq = 4096,
      source = LITGPT },
    models = {
      { name = "Gemma-2b", aliases = { "codegemma-2b", "bge-reranker-v2-gemma" }, published_params = 2506172416, layers = 18, hidden = 2048,
        heads = 8, kv_heads = 1, ffn_hidden = 16384 },
      { name = "Gemma-7b", aliases = { "codegemma-7b" }, published_params = 8537680896, layers = 28, hidden = 3072,
        heads = 16, head_dim = 256, ffn_hidden = 24576 },
    },
  },
  {
    common = { family = "Gemma-2", published_source = PAGE, vocab = 256000, tied_embeddings = true, max_seq = 8192,
      norms_per_layer = 4, sliding_window = 4096, notes = "every other layer has the window", source = LITGPT },
    models = {
      { name = "Gemma-2-2b", published_params = 2614341888, layers = 26, hidden = 2304, heads = 8, kv_heads = 4,
        head_dim = 256, ffn_hidden = 9216, window_layers = 13 },
      { name = "Gemma-2-9b", aliases = { "bge-multilingual-gemma2" }, published_params = 9241705984, layers = 42, hidden = 3584, heads = 16, kv_heads = 8,
        head_dim = 256, ffn_hidden = 14336, window_layers = 21 },
      { name = "Gemma-2-27b", published_params = 27227128320, layers = 46, hidden = 4608, heads = 32, kv_heads = 16,
        head_dim = 128, ffn_hidden = 36864, window_layers = 23 },
    },
  },
  {
    common = { family = "Gemma-3", published_source = PAGE, tied_embeddings = true, max_seq = 131072,
      norms_per_layer = 4, source = LITGPT },
    models = {
      { name = "Gemma-3-270m", published_params = 268098176, layers = 18, hidden = 640, heads = 4, kv_heads = 1,
        head_dim = 256, ffn_hidden = 2048, vocab = 262144, max_seq = 32768, qk_norm_dim = 256, sliding_window = 512,
        window_layers = 15, notes = "5 windowed layers to 1 without", source = RECALLED },
      { name = "embeddinggemma-300m", published_params = 307581696,
        published_source = "github:embeddings-benchmark/mteb@a905523d0:mteb/models/model_implementations", layers = 24,
        hidden = 768, heads = 3, kv_heads = 1, head_dim = 256, ffn_hidden = 1152, vocab = 262144, max_seq = 2048,
        lm_head = false, tied_embeddings = false, qk_norm_dim = 256, sliding_window = 512, window_layers = 20,
        extra_params = 4718592, notes = "extra_params: two matrices behind the mean of a text; 5 windowed layers to 1 "
          .. "without; every token sees those before it alone, which is less than it does", source = RECALLED },
      { name = "Gemma-3-1b-it", aliases = { "gemma-3-1b" }, published_params = 999885952, layers = 26, hidden = 1152,
        heads = 4, kv_heads = 1, head_dim = 256, ffn_hidden = 6912, vocab = 262144, qk_norm_dim = 256,
        sliding_window = 512, window_layers = 22, notes = "5 windowed layers to 1 without" },
      { name = "Gemma-3-4b-it", aliases = { "gemma-3-4b" }, published_params = 4300079472, layers = 34, hidden = 2560,
        heads = 8, kv_heads = 4, head_dim = 256, ffn_hidden = 10240, vocab = 262208, qk_norm_dim = 256,
        sliding_window = 1024, window_layers = 29, encoder = SIGLIP, image_size = 896, extra_params = 1152,
        notes = "extra_params: norm before the projector; vocabulary as in the published checkpoint; 5 windowed "
          .. "layers to 1 without" },
      { name = "Gemma-3-12b-it", aliases = { "gemma-3-12b" }, published_params = 12187325040, layers = 48,
        hidden = 3840, heads = 16, kv_heads = 8, head_dim = 256, ffn_hidden = 15360, vocab = 262208, qk_norm_dim = 256,
        sliding_window = 1024, window_layers = 40, encoder = SIGLIP, image_size = 896, extra_params = 1152,
        notes = "extra_params: norm before the projector; vocabulary as in the published checkpoint; 5 windowed "
          .. "layers to 1 without" },
      { name = "Gemma-3-27b-it", aliases = { "gemma-3-27b" }, published_params = 27432406640, layers = 62,
        hidden = 5376, heads = 32, kv_heads = 16, head_dim = 128, ffn_hidden = 21504, vocab = 262208,
        qk_norm_dim = 128, sliding_window = 1024, window_layers = 52, encoder = SIGLIP, image_size = 896, extra_params = 1152,
        notes = "extra_params: norm before the projector; vocabulary as in the published checkpoint; 5 windowed "
          .. "layers to 1 without" },
    },
  },
  {
    common = { family = "Gemma-4" },
    models = {
      { name = "Gemma-4-26B-A4B", aliases = { "gemma-4-26B-A4B-it" }, published_params = 25200000000,
        published_source = "Gemma 4 model card (2026)", layers = 30, hidden = 2816, heads = 16, kv_heads = 8,
        head_dim = 256, vocab = 262144, tied_embeddings = true, max_seq = 262144, norms_per_layer = 8,
        qk_norm_dim = 256, experts = 128, topk = 8, shared_experts = 1, moe_ffn = 704, shared_ffn = 2112,
        fused_experts = true, router_bias = true, sliding_window = 1024, window_layers = 25, global_kv_heads = 2, global_head_dim = 512,
        global_shared_kv = true,
        notes = "text model; the dense part of every layer is its shared expert; 5 windowed layers to 1 "
          .. "without, whose heads differ",
        source = CONFIGS .. "google--gemma-4-26B-A4B_config.json" },
      { name = "Gemma-4-31B", aliases = { "Gemma-4-31B-it" }, published_params = 31000000000,
        published_source = "github:keras-team/keras-hub@71453d08f:gemma4_presets.py", layers = 60, hidden = 5376,
        heads = 32, kv_heads = 16, head_dim = 256, ffn_hidden = 21504, vocab = 262144, tied_embeddings = true,
        max_seq = 262144, norms_per_layer = 4, qk_norm_dim = 256, sliding_window = 1024, window_layers = 50,
        global_kv_heads = 4, global_head_dim = 512, global_shared_kv = true, image_tok = 280,
        notes = "text model; 5 windowed layers to 1 without, whose heads differ (recalled)",
        source = CONFIGS .. "nvidia--Gemma-4-31B-IT-NVFP4_config.json" },
      { name = "Gemma-4-E4B", aliases = { "Gemma-4-E4B-it" }, published_params = 7900000000,
        published_source = "github:keras-team/keras-hub@71453d08f:gemma4_presets.py", layers = 42, hidden = 2560,
        heads = 8, kv_heads = 2, head_dim = 256, ffn_hidden = 10240, vocab = 262144, tied_embeddings = true,
        max_seq = 131072, norms_per_layer = 4, qk_norm_dim = 256, sliding_window = 512, window_layers = 35,
        global_kv_heads = 2, global_head_dim = 512, layer_embedding = 256, extra_params = 464614144, image_tok = 280,
        notes = "extra_params: towers of images and sound, projections of the layers' embeddings (about); 5 windowed "
          .. "layers to 1 without; keys and values that its last 18 layers share are counted in each",
        source = "github:AI-Hypercomputer/maxtext@e591f30cb:src/maxtext/configs/models/gemma4-e4b.yml" },
      { name = "Gemma-4-E2B", aliases = { "Gemma-4-E2B-it" }, published_params = 5100000000,
        published_source = "github:keras-team/keras-hub@71453d08f:gemma4_presets.py", layers = 35, hidden = 1536,
        heads = 8, kv_heads = 1, head_dim = 256, ffn_hidden = 9655, vocab = 262144, tied_embeddings = true,
        max_seq = 131072, norms_per_layer = 4, qk_norm_dim = 256, sliding_window = 512, window_layers = 28,
        global_kv_heads = 1, global_head_dim = 512, layer_embedding = 256, extra_params = 493868800, image_tok = 280,
        notes = "extra_params: towers of images and sound, projections of the layers' embeddings (about); 4 windowed "
          .. "layers to 1 without; ffn_hidden: mean of 15 layers of 6,144 and 20 of 12,288, which share keys and values",
        source = "github:AI-Hypercomputer/maxtext@e591f30cb:src/maxtext/configs/models/gemma4-e2b.yml" },
    },
  },
  {
    common = { family = "Gemma-3n", published_source = "github:keras-team/keras-hub@71453d08f:gemma3n_presets.py",
      hidden = 2048, heads = 8, kv_heads = 2, head_dim = 256, vocab = 262400, tied_embeddings = true, max_seq = 32768,
      norms_per_layer = 4, qk_norm_dim = 256, sliding_window = 512, layer_embedding = 256, image_tok = 256, source = RECALLED,
      notes = "extra_params: towers of images and sound, mixing of its four streams, projections of the layers' "
        .. "embeddings (what is left of the published count); 4 windowed layers to 1 without; keys and values that its "
        .. "last layers share are counted in each" },
    models = {
      { name = "gemma-3n-E4B", aliases = { "gemma-3n-E4B-it" }, published_params = 7850135376, layers = 35, ffn_hidden = 16384,
        window_layers = 28, extra_params = 1071112528 },
      { name = "gemma-3n-E2B", aliases = { "gemma-3n-E2B-it" }, published_params = 5439595456, layers = 30, ffn_hidden = 8192,
        window_layers = 24, extra_params = 1062182848 },
    },
  },
}
