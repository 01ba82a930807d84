-- LLaMA of all generations and what has its layer.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local LITGPT = "github:Lightning-AI/litgpt@26857050fe:litgpt/config.py"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"
local LLM_ANALYSIS = "github:cli99/llm-analysis@d841e40aec:llm_analysis/model_configs/"

-- config.json of Llama-4-Scout (recalled): 2 x 2 patches make a token, through an adapter and a projector.
local TOWER_LLAMA4 = { layers = 34, hidden = 1408, heads = 16, ffn_hidden = 5632, embedding_norm = true,
  qkv_bias = true, out_bias = true, mlp_bias = true, learned_positions = 577, class_tokens = 1, patch_size = 14,
  patch_bias = false, merge = 4, projector_rank = 4096, projector_layers = 2 }

-- config.json of Llama-3.2-11B-Vision (recalled): 32 layers and 8 global ones, of which six outputs go to the projector.
local TOWER_32 = { layers = 40, hidden = 1280, heads = 16, ffn_hidden = 5120, mlp_bias = true, embedding_norm = true,
  learned_positions = 1601, class_tokens = 1, patch_size = 14, patch_bias = false, projector_layers = 1,
  projector_bias = true }

return {
  {
    common = { family = "OpenLLaMA", vocab = 32000, max_seq = 2048, source = LITGPT },
    models = {
      { name = "open_llama_3b", published_params = 3426473600, published_source = PAGE, layers = 26, hidden = 3200,
        heads = 32, ffn_hidden = 8640 },
      { name = "open_llama_7b", layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008 },
      { name = "open_llama_13b", layers = 40, hidden = 5120, heads = 40, ffn_hidden = 13824 },
    },
  },
  {
    common = { family = "Llama-2", published_source = PAGE, vocab = 32000, max_seq = 4096, source = LITGPT },
    models = {
      { name = "Llama-2-7b-hf", aliases = { "Llama-2-7B", "vicuna-7b-v1.5" }, published_params = 6738415616,
        layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008 },
      { name = "Llama-2-13b-hf", aliases = { "Llama-2-13B", "vicuna-13b-v1.5" }, published_params = 13015864320,
        layers = 40, hidden = 5120, heads = 40, ffn_hidden = 13824 },
      { name = "Llama-2-70b-hf", aliases = { "StableBeluga2", "WizardLM-70B-V1.0", "Llama-2-70B" },
        published_params = 68976648192, layers = 80, hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 28672 },
    },
  },
  {
    common = { family = "Llama-3", published_source = PAGE, kv_heads = 8, vocab = 128256, max_seq = 8192,
      source = LITGPT },
    models = {
      { name = "Llama-3-8B", aliases = { "Meta-Llama-3-8B" },
        published_params = 8030261248, layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336 },
      { name = "Llama-3-70B", aliases = { "Meta-Llama-3-70B" },
        published_params = 70553706496, layers = 80, hidden = 8192, heads = 64, ffn_hidden = 28672 },
    },
  },
  {
    common = { family = "Llama-3.1", published_source = PAGE, kv_heads = 8, vocab = 128256, max_seq = 131072,
      source = LITGPT, -- positions: CONFIGS .. "meta-llama--Meta-Llama-3.1-70B_config.json"
      rope = { base = 500000, scaling = "llama3", factor = 8, from_tok = 8192 } },
    models = {
      { name = "Llama-3.1-8B", aliases = { "Llama-3.1-Nemotron-Nano-8B-v1", "Llama-3.1-Tulu-3-8B", "Meta-Llama-3.1-8B",
          "Llama31-8B", "DeepSeek-R1-Distill-Llama-8B", "DeepSeek-R1-Distill-8B", "Llama-Guard-3-8B", "Hermes-3-Llama-3.1-8B" },
        published_params = 8030261248, layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336 },
      { name = "llama-embed-nemotron-8b", published_params = 7504924672,
        published_source = "github:embeddings-benchmark/mteb@a905523d0:mteb/models/model_implementations", layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 14336, lm_head = false },
      { name = "Llama-3.1-70B", aliases = { "Llama-3.1-Tulu-3-70B", "Hermes-4-70B", "Meta-Llama-3.1-70B",
          "Llama31-70B", "Llama-3.1-Nemotron-70B", "Hermes-3-Llama-3.1-70B" }, published_params = 70553706496,
        layers = 80, hidden = 8192, heads = 64, ffn_hidden = 28672 },
      { name = "Llama-3.1-405B", aliases = { "Llama-3.1-Tulu-3-405B", "Tulu-3-405B", "Hermes-4-405B",
          "Meta-Llama-3.1-405B", "Llama31-405B", "Llama-405B", "Hermes-3-Llama-3.1-405B" }, published_params = 405853388800,
        layers = 126, hidden = 16384, heads = 128, ffn_hidden = 53248 },
    },
  },
  {
    common = { family = "Llama-3.2", published_source = PAGE, kv_heads = 8, ffn_hidden = 8192, vocab = 128256,
      tied_embeddings = true, max_seq = 131072, source = LITGPT },
    models = {
      { name = "Llama-3.2-1B", published_params = 1235814400, layers = 16,
        hidden = 2048, heads = 32 },
      { name = "Llama-3.2-3B", published_params = 3212749824, layers = 28,
        hidden = 3072, heads = 24 },
    },
  },
  {
    -- Every fifth layer attends to the image in place of the text; its matrices are as those of the others.
    common = { family = "Llama-3.2-Vision", published_source = PAGE, kv_heads = 8, vocab = 128256, max_seq = 131072,
      image_size = 560, image_tok = 1601, source = RECALLED, notes = "layers that attend to images are taken to keep the text, in "
        .. "place of the 1,601 places of each tile; extra_params: positions of tiles, inner outputs in the projector" },
    models = {
      { name = "Llama-3.2-11B-Vision", published_params = 10670220835, layers = 40, hidden = 4096, heads = 32,
        ffn_hidden = 14336, encoder = TOWER_32, extra_params = 100115491 },
      { name = "Llama-3.2-90B-Vision", published_params = 88591450148, layers = 100, hidden = 8192, heads = 64,
        ffn_hidden = 28672, encoder = TOWER_32, extra_params = 124460580 },
    },
  },
  {
    common = { family = "Llama-3.3" },
    models = {
      { name = "Llama-3.3-70B-Instruct", aliases = { "Llama-3.3-70B", "DeepSeek-R1-Distill-Llama-70B",
          "DeepSeek-R1-Distill-70B" },
        published_params = 70553706496, published_source = PAGE, layers = 80, hidden = 8192, heads = 64, kv_heads = 8,
        ffn_hidden = 28672, vocab = 128256, max_seq = 131072, source = LITGPT },
    },
  },
  {
    common = { family = "CodeLlama", published_source = PAGE, max_seq = 16384, source = LITGPT },
    models = {
      { name = "CodeLlama-7b-hf", aliases = { "CodeLlama-7B" }, published_params = 6738546688, layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 32016 },
      { name = "CodeLlama-70b-hf", aliases = { "CodeLlama-70B" }, published_params = 68976910336, layers = 80,
        hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 28672, vocab = 32016 },
      { name = "CodeLlama-13b-hf", aliases = { "CodeLlama-13B" }, published_params = 13016028160, layers = 40,
        hidden = 5120, heads = 40, ffn_hidden = 13824, vocab = 32016 },
      { name = "CodeLlama-34b-hf", aliases = { "CodeLlama-34B" }, published_params = 33743970304, layers = 48,
        hidden = 8192, heads = 64, kv_heads = 8, ffn_hidden = 22016, vocab = 32000 },
    },
  },
  {
    common = { family = "TinyLlama" },
    models = {
      { name = "tiny-llama-1.1b", aliases = { "TinyLlama-1.1B", "TinyLlama_v1.1", "TinyLlama-1.1B-Chat-v1.0", "tinyllama" },
        published_params = 1100048384, published_source = PAGE, layers = 22, hidden = 2048, heads = 32, kv_heads = 4,
        ffn_hidden = 5632, vocab = 32000, max_seq = 2048, source = LITGPT },
    },
  },
  {
    common = { family = "Sheared-LLaMA", published_source = PAGE, vocab = 32000, max_seq = 4096, source = RECALLED },
    models = {
      { name = "Sheared-LLaMA-1.3B", published_params = 1345423360, layers = 24, hidden = 2048, heads = 16,
        ffn_hidden = 5504 },
      { name = "Sheared-LLaMA-2.7B", published_params = 2701560320, layers = 32, hidden = 2560, heads = 20,
        ffn_hidden = 6912 },
    },
  },
  {
    common = { family = "Llama-4", published_source = PAGE, kv_heads = 8, vocab = 202048, topk = 1, shared_experts = 1,
      moe_ffn = 8192, sliding_window = 8192, window_layers = 36, window_chunks = true, encoder = TOWER_LLAMA4, image_size = 336,
      notes = "attention within chunks of 8192 in 3 of 4 layers, taken as a window; an image is a "
        .. "tile of 336 pixels" },
    models = {
      { name = "Llama-4-Scout-17B-16E", aliases = { "Llama-4-Scout", "Llama-4-Scout-109B-A17B" },
        published_params = 108641793536, layers = 48, hidden = 5120, heads = 40, max_seq = 10485760, experts = 16,
        source = CONFIGS .. "meta-llama--Llama-4-Scout-17B-16E-Instruct_config.json" },
      { name = "Llama-4-Maverick-17B-128E", aliases = { "Llama-4-Maverick", "Llama-4-Maverick-400B-A17B" },
        published_params = 401583781376, layers = 48, hidden = 5120, heads = 40, ffn_hidden = 16384,
        max_seq = 1048576, experts = 128, dense_layers = 24,
        source = CONFIGS .. "meta-llama--Llama-4-Maverick-17B-128E-Instruct_config.json" },
    },
  },
  {
    common = { family = "LLaMA-1", published_source = "LLaMA, arXiv:2302.13971 (2023), table 2", vocab = 32000,
      max_seq = 2048 },
    models = {
      { name = "llama-7b", aliases = { "alpaca-7b", "Amber-7B", "LLaMA-7B", "LLaMA-1-7B", "vicuna-7b-v1.3" },
        published_params = 6700000000, layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008,
        source = LLM_ANALYSIS .. "decapoda-research_llama-7b-hf.json and INTERMEDIATE_SIZE_MAP of the Hugging Face "
          .. "conversion script" },
      { name = "llama-13b", aliases = { "LLaMA-1-13B", "vicuna-13b-v1.3" }, published_params = 13000000000,
        layers = 40, hidden = 5120, heads = 40, ffn_hidden = 13824,
        source = LLM_ANALYSIS .. "decapoda-research_llama-13b-hf.json and INTERMEDIATE_SIZE_MAP of the Hugging Face "
          .. "conversion script" },
      { name = "llama-30b", aliases = { "LLaMA-33B", "LLaMA-1-30B", "vicuna-33b-v1.3" },
        published_params = 32500000000, layers = 60, hidden = 6656, heads = 52, ffn_hidden = 17920,
        notes = "also called 33B",
        source = LLM_ANALYSIS .. "decapoda-research_llama-30b-hf.json and INTERMEDIATE_SIZE_MAP of the Hugging Face "
          .. "conversion script" },
      { name = "llama-65b", aliases = { "LLaMA-1-65B" }, published_params = 65200000000, layers = 80, hidden = 8192,
        heads = 64, ffn_hidden = 22016,
        source = LLM_ANALYSIS .. "decapoda-research_llama-65b-hf.json and INTERMEDIATE_SIZE_MAP of the Hugging Face "
          .. "conversion script" },
    },
  },
}
