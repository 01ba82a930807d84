-- DeepSeek and what is built like it: latent attention, leading dense layers, shared experts.
local family = require("ballpark.hf.family")
local llama = require("ballpark.hf.llama").llama
local rules = require("ballpark.hf.rules")

local extend, with_rules = family.extend, family.with_rules

local ROUTING = { "norm_topk_prob", "scoring_func", "topk_method", "topk_group", "n_group",
  "routed_scaling_factor", "ep_size", "aux_loss_alpha", "seq_aux", "pretraining_tp", "num_experts_per_tok",
  "expert_dtype" }

-- Ordinary attention (the first DeepSeek-MoE).
local deepseek = extend(llama, {
  keys = { experts = "n_routed_experts", topk = "num_experts_per_tok", moe_ffn = "moe_intermediate_size" },
  needed = { "layers", "hidden", "heads", "vocab", "ffn_hidden", "experts", "topk", "moe_ffn" },
  harmless = ROUTING,
  rules = { rules.leading_dense, rules.shared_by_number("n_shared_experts") },
})

local deepseek_v2 = extend(deepseek, {
  keys = { q_lora_rank = "q_lora_rank", kv_lora_rank = "kv_lora_rank",
    qk_rope_dim = "qk_rope_head_dim", qk_nope_dim = "qk_nope_head_dim", v_head_dim = "v_head_dim",
    head_dim = false },
  flags = { qkv_bias = false, out_bias = false, mlp_bias = false },
  needed = { "layers", "hidden", "heads", "vocab", "ffn_hidden", "experts", "topk", "moe_ffn",
    "kv_lora_rank", "qk_rope_dim", "qk_nope_dim", "v_head_dim" },
  harmless = { "head_dim", "qk_head_dim", "mlp_bias" },
  rules = with_rules(deepseek, rules.mla),
})

local deepseek_v3 = extend(deepseek_v2, {
  fixed = { router_bias = true },
  rules = with_rules(deepseek_v2, rules.mtp("num_nextn_predict_layers")),
})

local deepseek_v32 = extend(deepseek_v3, {
  keys = { index_heads = "index_n_heads", index_dim = "index_head_dim", index_topk = "index_topk" },
  rules = with_rules(deepseek_v3, rules.indexed),
})

-- Which layers compress far keys: 0 only the window, 4 pooled by four and selected by an indexer,
-- larger ratios pooled without selection. DeepSeek-V4 inference code (2026): ratio 4 is the one
-- with overlapping windows and an indexer. The list goes on for prediction layers.
local INDEXED_RATIO = 4

local function compressed_keys(c, m)
  local ratios = c:list("compress_ratios")
  if not ratios then c:fail("compress_ratios", "is missing") end
  if #ratios < m.layers then c:fail("compress_ratios", "must have one entry per layer") end
  m.window_layers, m.index_layers, m.compress_layers = 0, 0, 0
  for i = 1, m.layers do
    local ratio = ratios[i]
    if ratio == 0 then
      m.window_layers = m.window_layers + 1
    elseif ratio == INDEXED_RATIO then
      m.index_layers, m.index_ratio = m.index_layers + 1, ratio
    elseif m.compress_ratio == nil or m.compress_ratio == ratio then
      m.compress_layers, m.compress_ratio = m.compress_layers + 1, ratio
    else
      c:refuse("more than two compression ratios of keys (compress_ratios)")
    end
  end
  c:assume("%d layers see far tokens through an indexer, %d through compressed keys; estimates that do "
    .. "not say so count attention over the whole context", m.index_layers, m.compress_layers)
end

-- One latent is key and value of all heads; norms on it and on the compressed query.
local deepseek_v4 = extend(deepseek, {
  fixed = { shared_kv = true, attention_sinks = true, router_bias = true },
  keys = { q_lora_rank = "q_lora_rank", o_lora_rank = "o_lora_rank", o_groups = "o_groups",
    sliding_window = "sliding_window", residual_streams = "hc_mult", ffn_hidden = false,
    index_heads = "index_n_heads", index_dim = "index_head_dim", index_topk = "index_topk" },
  needed = { "layers", "hidden", "heads", "kv_heads", "head_dim", "vocab", "experts", "topk", "moe_ffn",
    "q_lora_rank", "o_lora_rank", "o_groups", "sliding_window" },
  harmless = { "qk_rope_head_dim", "compress_rope_theta", "hc_eps", "hc_sinkhorn_iters",
    "num_hash_layers", "swiglu_limit" },
  rules = { compressed_keys, rules.shared_by_number("n_shared_experts"),
    rules.mtp("num_nextn_predict_layers"), function(_, m) m.k_norm_dim = m.head_dim end },
})

return {
  deepseek = deepseek,
  deepseek_v2 = deepseek_v2,
  deepseek_v3 = deepseek_v3,
  kimi_k2 = deepseek_v3,
  deepseek_v32 = deepseek_v32,
  glm_moe_dsa = deepseek_v32,
  deepseek_v4 = deepseek_v4,
}
