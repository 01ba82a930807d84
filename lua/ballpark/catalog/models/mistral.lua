-- Mistral and Mixtral.
local tables = require("ballpark.tables")

local PAGE = "tensor sizes on the Hugging Face model page (recalled, not read again)"
local RECALLED = "Hugging Face config.json of the model (recalled, not read again)"
local LITGPT = "github:Lightning-AI/litgpt@26857050fe:litgpt/config.py"
local CONFIGS = "github:ai-dynamo/aiconfigurator@095f58a51c:aic-core/src/aiconfigurator_core/model_configs/"

-- config.json of Mistral-Small-3.1-24B (recalled): 2 x 2 patches are brought to one's width, then to the decoder's.
local PIXTRAL = { layers = 24, hidden = 1024, heads = 16, ffn_hidden = 4096, gated_mlp = true, norm = "rms",
  embedding_norm = true, patch_size = 14, patch_bias = false, merge = 4, projector_rank = 1024,
  projector_layers = 2, projector_hidden = 5120 }

-- config.json of Pixtral-12B-2409 and Ministral-3-3B-Instruct-2512 (recalled): the former brings every patch to the
-- decoder's width.
local PIXTRAL_12B = tables.with(PIXTRAL, { patch_size = 16, merge = 1, projector_rank = 0 })
local PIXTRAL_MINISTRAL = tables.with(PIXTRAL, { projector_hidden = 0 })

return {
  {
    common = { family = "Mistral", published_source = PAGE, kv_heads = 8 },
    models = {
      { name = "Mistral-7B-v0.1", aliases = { "Mistral-7B", "zephyr-7b-beta" }, published_params = 7241732096,
        layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 32000, max_seq = 32768,
        sliding_window = 4096, notes = "max_seq as in the Hugging Face config", source = LITGPT },
      { name = "e5-mistral-7b-instruct", aliases = { "SFR-Embedding-Mistral", "SFR-Embedding-2_R", "bge-en-icl",
          "Linq-Embed-Mistral" }, published_params = 7110660096,
        published_source = "github:embeddings-benchmark/mteb@a905523d0:mteb/models/model_implementations", layers = 32,
        hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 32000, max_seq = 32768, sliding_window = 4096, lm_head = false,
        source = RECALLED },
      { name = "NV-Embed-v2", aliases = { "NV-Embed-v1", "NV-Embed" }, published_params = 7850000000,
        published_source = "github:embeddings-benchmark/mteb: 7.85 billion (recalled)", layers = 32, hidden = 4096, heads = 32,
        ffn_hidden = 14336, vocab = 32000, max_seq = 32768, lm_head = false, extra_params = 740294656,
        notes = "its pooling among 512 latents (8 heads of 4096, a gated part of 16384) takes memory, and no time is counted for it: "
          .. "7 % of the arithmetic", source = "arXiv:2405.17428 (2024) and code of its page (recalled, not read again)" },
      { name = "Mistral-7B-v0.2", published_params = 7241732096, layers = 32, hidden = 4096, heads = 32,
        ffn_hidden = 14336, vocab = 32000, max_seq = 32768, source = RECALLED },
      { name = "Mistral-7B-v0.3", aliases = { "Mathstral-7B-v0.1" }, published_params = 7248023552,
        layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 32768, max_seq = 32768, source = LITGPT },
      { name = "Mistral-Large-Instruct-2407", aliases = { "Mistral-Large-2", "Mistral-Large-2407",
          "Mistral-Large-Instruct-2411" }, published_params = 122610069504, layers = 88, hidden = 12288, heads = 96,
        ffn_hidden = 28672, vocab = 32768, max_seq = 32768, source = LITGPT },
      { name = "Mistral-Nemo-12B", aliases = { "Mistral-Nemo-Base-2407" },
        published_params = 12247782400, layers = 40, hidden = 5120, heads = 32, head_dim = 128, ffn_hidden = 14336,
        vocab = 131072, max_seq = 131072, source = RECALLED },
      { name = "Ministral-8B-Instruct-2410", published_params = 8019808256, layers = 36, hidden = 4096, heads = 32,
        ffn_hidden = 12288, vocab = 131072, max_seq = 32768, source = RECALLED },
      { name = "Ministral-3-3B", aliases = { "Ministral-3-3B-Instruct-2512", "Ministral-3-VL-3B" }, published_params = 3848000000,
        layers = 26, hidden = 3072, heads = 32, head_dim = 128, ffn_hidden = 9216, vocab = 131072,
        tied_embeddings = true, max_seq = 262144, encoder = PIXTRAL_MINISTRAL, image_size = 1540, published_source = "model card (recalled)",
        source = "github:mlc-ai/mlc-llm@79d603f085:python/mlc_llm/model/model_preset.py" },
      { name = "Ministral-3-8B", aliases = { "Ministral-3-8B-Instruct-2512" }, published_params = 8918000000,
        layers = 34, hidden = 4096, heads = 32, ffn_hidden = 14336, vocab = 131072, max_seq = 262144,
        encoder = PIXTRAL_MINISTRAL, image_size = 1540, published_source = "model card (recalled)", source = RECALLED },
      { name = "Ministral-3-14B", aliases = { "Ministral-3-14B-Instruct-2512" }, published_params = 13945000000,
        layers = 40, hidden = 5120, heads = 32, head_dim = 128, ffn_hidden = 16384, vocab = 131072, max_seq = 262144,
        encoder = PIXTRAL_MINISTRAL, image_size = 1540, published_source = "model card (recalled)", source = RECALLED },
      { name = "Pixtral-12B-2409", aliases = { "Pixtral-12B" }, published_params = 12680000000, layers = 40,
        hidden = 5120, heads = 32, head_dim = 128, ffn_hidden = 14336, vocab = 131072, max_seq = 131072,
        encoder = PIXTRAL_12B, image_size = 1024, published_source = "model card (recalled)", source = RECALLED },
      { name = "Mistral-Small-22B", aliases = { "Mistral-Small-Instruct-2409", "Codestral-22B-v0.1" },
        published_params = 22247282688, layers = 56, hidden = 6144, heads = 48, ffn_hidden = 16384, vocab = 32768,
        max_seq = 131072, source = RECALLED },
      { name = "Mistral-Small-24B", aliases = { "Mistral-Small-24B-Instruct-2501", "Devstral-Small-2505",
          "Magistral-Small-2506", "Mistral-Small-3", "Devstral-Small-2507", "Devstral-Small" },
        published_params = 23572403200, layers = 40, hidden = 5120, heads = 32, head_dim = 128, ffn_hidden = 32768,
        vocab = 131072, max_seq = 131072, source = RECALLED },
      { name = "Mistral-Small-3.1-24B", aliases = { "Mistral-Small-3.2-24B" }, published_params = 24011361280,
        layers = 40, hidden = 5120, heads = 32, head_dim = 128, ffn_hidden = 32768, vocab = 131072,
        max_seq = 131072, encoder = PIXTRAL, image_size = 1540,
        source = RECALLED },
    },
  },
  {
    common = { family = "Mixtral", published_source = PAGE, kv_heads = 8, vocab = 32000, experts = 8, topk = 2,
      -- positions: CONFIGS .. "mistralai--Mixtral-8x7B-v0.1_config.json"; router: arXiv:2401.04088, section 2.1
      rope = { base = 1000000 }, router = { score = "softmax", normalized = true } },
    models = {
      { name = "Mixtral-8x7B-v0.1",
        aliases = { "Nous-Hermes-2-Mixtral-8x7B-DPO", "Mixtral-8x7B", "Mixtral-8x7B-v0.1(hf)" },
        published_params = 46702792704, layers = 32, hidden = 4096, heads = 32, ffn_hidden = 14336, max_seq = 32768,
        source = LITGPT },
      { name = "Mixtral-8x22B-v0.1", aliases = { "Mixtral-8x22B" }, published_params = 140620634112, layers = 56,
        hidden = 6144, heads = 48, ffn_hidden = 16384, max_seq = 65536,
        source = CONFIGS .. "mistralai--Mixtral-8x22B-v0.1_config.json" },
    },
  },
}
