-- Gemma: tied embeddings, norms around each sub-layer from Gemma 2 on, windows in most layers.
-- Shapes and defaults follow the configuration and model code of Hugging Face transformers (2026).
local family = require("ballpark.hf.family")
local llama = require("ballpark.hf.llama").llama
local rules = require("ballpark.hf.rules")

local windows = rules.windows
local extend = family.extend

local gemma = extend(llama, {
  fixed = { tied_embeddings = true },
  flags = { tied_embeddings = false },
  harmless = { "tie_word_embeddings", "attn_logit_softcapping", "final_logit_softcapping",
    "query_pre_attn_scalar", "hidden_activation", "cache_implementation",
    "use_bidirectional_attention", "sliding_window_size" },
})

local gemma2 = extend(gemma, {
  fixed = { norms_per_layer = 4 },
  rules = { rules.window(windows.alternate) },
})

local gemma3 = extend(gemma2, {
  defaults = { num_attention_heads = 8, num_key_value_heads = 4, head_dim = 256, vocab_size = 262208,
    sliding_window = 4096, max_position_embeddings = 131072 },
  harmless = { "mm_tokens_per_image" },
  rules = {
    rules.qk_norm_per_head,
    rules.window(windows.except_every({ "sliding_window_pattern", "_sliding_window_pattern" }, 6)),
  },
})

-- Layers without window have their own heads, and may use the key as value.
local function global_layers(c, m)
  m.global_head_dim = c:size("global_head_dim")
  if c:flag("attention_k_eq_v") then
    m.global_shared_kv = true
    m.global_kv_heads = c:size("num_global_key_value_heads")
  else
    c:count("num_global_key_value_heads")
  end
end

-- Dense and routed part run side by side: the dense one is a shared expert. Three more norms around
-- them, and two vectors in the router: one of hidden width, one with a scale per expert.
local function parallel_experts(c, m)
  if not c:flag("enable_moe_block") then return end
  m.experts, m.topk = c:needed("num_experts"), c:needed({ "top_k_experts", "num_experts_per_tok" })
  m.moe_ffn = c:needed("moe_intermediate_size")
  m.shared_experts, m.shared_ffn = 1, m.ffn_hidden
  m.norms_per_layer, m.router_bias, m.fused_experts = 8, true, true
  c:assume("the dense part of every layer is counted as a shared expert")
end

local gemma4 = extend(gemma2, {
  harmless = { "vocab_size_per_layer_input", "hidden_size_per_layer_input" },
  rules = {
    rules.without("hidden_size_per_layer_input", "an embedding for every layer"),
    rules.without("num_kv_shared_layers", "layers that reuse the keys of others"),
    rules.without("use_double_wide_mlp", "feed-forward width that differs by layer"),
    rules.qk_norm_per_head,
    rules.window(windows.except_every({ "sliding_window_pattern", "_sliding_window_pattern" }, 6)),
    global_layers,
    parallel_experts,
  },
})

return {
  gemma = gemma, gemma2 = gemma2, gemma3_text = gemma3, gemma4_text = gemma4,
}
