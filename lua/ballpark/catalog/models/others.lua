-- Further dense decoders.
local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local LITGPT = "github:Lightning-AI/litgpt@26857050fe:litgpt/config.py"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"

return {
  {
    common = { family = "Falcon3", published_source = PAGE, kv_heads = 4, vocab = 131072, source = LITGPT },
    models = {
      { name = "Falcon3-1B-Base", published_params = 1669408768, layers = 18, hidden = 2048, heads = 8,
        ffn_hidden = 8192, max_seq = 4096 },
      { name = "Falcon3-3B-Base", published_params = 3227655168, layers = 22, hidden = 3072, heads = 12,
        ffn_hidden = 9216, max_seq = 32768 },
      { name = "Falcon3-7B-Base", published_params = 7455550464, layers = 28, hidden = 3072, heads = 12,
        ffn_hidden = 23040, max_seq = 32768 },
      { name = "Falcon3-10B-Base", published_params = 10305653760, layers = 40, hidden = 3072, heads = 12,
        ffn_hidden = 23040, max_seq = 32768 },
    },
  },
  {
    common = { family = "OLMo", published_source = PAGE, source = LITGPT },
    models = {
      { name = "OLMo-7B-hf", published_params = 6888095744, layers = 32, hidden = 4096, heads = 32,
        ffn_hidden = 11008, vocab = 50304, max_seq = 2048, norm = "none", notes = "norms without weights" },
      { name = "OLMo-2-1124-7B", published_params = 7298617344, layers = 32, hidden = 4096, heads = 32,
        ffn_hidden = 11008, vocab = 100352, max_seq = 4096, qk_norm_dim = 4096 },
      { name = "OLMo-2-1124-13B", published_params = 13716198400, layers = 40, hidden = 5120, heads = 40,
        ffn_hidden = 13824, vocab = 100352, max_seq = 4096, qk_norm_dim = 5120 },
    },
  },
  {
    common = { family = "Phi", published_source = PAGE, source = LITGPT },
    models = {
      { name = "phi-1_5", published_params = 1418270720, layers = 24, hidden = 2048, heads = 32, ffn_hidden = 8192,
        gated_mlp = false, vocab = 51200, head_bias = true, max_seq = 2048, norm = "layer", norms_per_layer = 1,
        qkv_bias = true, out_bias = true, mlp_bias = true },
      { name = "phi-2", published_params = 2779683840, layers = 32, hidden = 2560, heads = 32, ffn_hidden = 10240,
        gated_mlp = false, vocab = 51200, head_bias = true, max_seq = 2048, norm = "layer", norms_per_layer = 1,
        qkv_bias = true, out_bias = true, mlp_bias = true },
      { name = "Phi-3-mini-4k-instruct", published_params = 3821079552, layers = 32, hidden = 3072, heads = 32,
        ffn_hidden = 8192, vocab = 32064, max_seq = 4096, sliding_window = 2048 },
      { name = "Phi-3-mini-128k-instruct", published_params = 3821079552, layers = 32, hidden = 3072, heads = 32,
        ffn_hidden = 8192, vocab = 32064, max_seq = 131072 },
      { name = "phi-4", published_params = 14659507200, layers = 40, hidden = 5120, heads = 40, kv_heads = 10,
        ffn_hidden = 17920, vocab = 100352, max_seq = 16384 },
      { name = "Phi-4-mini-instruct", published_params = 3836021760, layers = 32, hidden = 3072, heads = 24,
        kv_heads = 8, ffn_hidden = 8192, vocab = 200064, tied_embeddings = true, max_seq = 131072,
        notes = "the window of 262144 in the config reaches beyond the context" },
    },
  },
  {
    common = { family = "SmolLM2", published_source = PAGE, vocab = 49152, tied_embeddings = true, max_seq = 8192,
      source = LITGPT },
    models = {
      { name = "SmolLM2-135M", published_params = 134515008, layers = 30, hidden = 576, heads = 9, kv_heads = 3,
        ffn_hidden = 1536 },
      { name = "SmolLM2-360M", published_params = 361821120, layers = 32, hidden = 960, heads = 15, kv_heads = 5,
        ffn_hidden = 2560 },
      { name = "SmolLM2-1.7B", aliases = { "SmolLM2-1.7B-Instruct" }, published_params = 1711376384, layers = 24,
        hidden = 2048, heads = 32, ffn_hidden = 8192 },
    },
  },
  {
    common = { family = "MiMo" },
    models = {
      { name = "MiMo-7B-Base", layers = 36, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 11008,
        vocab = 151680, max_seq = 32768, qkv_bias = true, mtp_layers = 1,
        source = CONFIGS .. "XiaomiMiMo--MiMo-7B-Base_config.json" },
    },
  },
  {
    common = { family = "Nemotron", gated_mlp = false, vocab = 256000, max_seq = 4096, norm = "layer",
      source = "github:NVIDIA/NeMo@8cfedd7203:nemo/collections/llm/gpt/model/nemotron.py" },
    models = {
      { name = "nemotron-4-340b", aliases = { "Nemotron-4-340B-Base" }, published_params = 340000000000,
        published_source = "Nemotron-4 340B, arXiv:2406.11704 (2024)", layers = 96, hidden = 18432, heads = 96,
        kv_heads = 8, ffn_hidden = 73728, notes = "squared ReLU; vocabulary recalled" },
      { name = "nemotron-4-15b", published_params = 15700000000,
        published_source = "Nemotron-4 15B, arXiv:2402.16819 (2024): 12.5B and 3.2B of embeddings", layers = 32,
        hidden = 6144, heads = 48, kv_heads = 8, ffn_hidden = 24576, notes = "vocabulary recalled" },
      { name = "nemotron-3-8b", layers = 32, hidden = 4096, heads = 32, ffn_hidden = 16384,
        notes = "vocabulary recalled" },
    },
  },
  {
    common = { family = "InternLM", source = "github:microsoft/vidur@7d47513363:vidur/config/model_config.py" },
    models = {
      { name = "internlm-20b", published_params = 20000000000,
        published_source = "InternLM model card (recalled, not read again)", layers = 60, hidden = 5120, heads = 40,
        ffn_hidden = 13824, vocab = 103168, max_seq = 4096 },
      { name = "internlm2-20b", published_params = 19861149696, published_source = PAGE, layers = 48, hidden = 6144,
        heads = 48, kv_heads = 8, ffn_hidden = 16384, vocab = 92544, max_seq = 32768 },
    },
  },
  {
    common = { family = "Aquila" },
    models = {
      { name = "Aquila-7B", layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 100008,
        max_seq = 2048, source = RECALLED },
    },
  },
  {
    common = { family = "Yi" },
    models = {
      { name = "Yi-34B", published_params = 34388917248, published_source = PAGE, layers = 60, hidden = 7168,
        heads = 56, kv_heads = 8, ffn_hidden = 20480, vocab = 64000, max_seq = 4096, source = RECALLED },
    },
  },
  {
    common = { family = "Baichuan" },
    models = {
      { name = "Baichuan2-7B", aliases = { "Baichuan2-7B-Base" }, published_params = 7505973248,
        published_source = PAGE, layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 125696,
        max_seq = 4096, source = RECALLED },
    },
  },
}
