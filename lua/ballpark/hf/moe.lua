-- Decoders with routed experts and ordinary (grouped) attention.
-- Shapes follow the model code of Hugging Face transformers (release 4.57, 2025) and, where the model
-- is newer, of its authors.
local family = require("ballpark.hf.family")
local llama_like = require("ballpark.hf.llama")
local rules = require("ballpark.hf.rules")

local windows = rules.windows
local extend, with_rules = family.extend, family.with_rules
local llama = llama_like.llama

local MOE_KEYS = { experts = { "num_experts", "num_local_experts", "n_routed_experts" },
  topk = "num_experts_per_tok", moe_ffn = "moe_intermediate_size" }
local ROUTED = { "layers", "hidden", "heads", "vocab", "experts", "topk" }
local ROUTING = { "norm_topk_prob", "scoring_func", "topk_method", "topk_group", "n_group",
  "routed_scaling_factor", "moe_router_scaling_factor", "router_jitter_noise", "expert_dtype",
  "input_jitter_noise", "ep_size" }

local mixtral = extend(llama, {
  keys = MOE_KEYS,
  needed = { "layers", "hidden", "heads", "vocab", "experts", "topk", "ffn_hidden" },
  harmless = ROUTING,
  rules = { rules.window(windows.all) },
})

local qwen2_moe = extend(mixtral, {
  fixed = { qkv_bias = true, shared_gate = true },
  flags = { qkv_bias = false, out_bias = false },
  needed = ROUTED,
  rules = { rules.sparse_step, rules.shared_by_width("shared_expert_intermediate_size"),
    rules.window(windows.upper) },
})

local qwen3_moe = extend(mixtral, {
  needed = ROUTED,
  harmless = { "use_qk_norm", "qkv_bias" },
  rules = { rules.qk_norm_per_head, rules.sparse_step, rules.window(windows.upper),
    rules.without("shared_expert_intermediate_size", "shared experts in this architecture") },
})

-- Experts, router and attention all have biases; every head has a sink.
local gpt_oss = extend(mixtral, {
  fixed = { mlp_bias = true, router_bias = true, attention_sinks = true },
  keys = { topk = { "num_experts_per_tok", "experts_per_token" } },
  harmless = { "initial_context_length", "swiglu_limit", "experts_per_token" },
  rules = { rules.window(windows.alternate) },
})

-- Three layers of four attend within chunks; the fourth, without rotary positions, to everything.
local function chunks(c, m)
  local width = c:count("attention_chunk_size")
  local open = c:tally("no_rope_layers")
  c:count("no_rope_layer_interval")
  local global = open and open[0] or m.layers // 4
  if width and (not m.max_seq or width < m.max_seq) then
    m.sliding_window, m.window_layers, m.window_chunks = width, m.layers - global, true
    c:assume("attention within chunks of %d tokens in %d of %d layers is taken as a sliding window",
      width, m.layers - global, m.layers)
  end
end

local llama4 = extend(llama, {
  keys = { experts = "num_local_experts", topk = "num_experts_per_tok",
    ffn_hidden = "intermediate_size_mlp", moe_ffn = "intermediate_size" },
  flags = { mlp_bias = false },
  needed = { "layers", "hidden", "heads", "vocab", "experts", "topk", "moe_ffn" },
  harmless = { "use_qk_norm", "attn_scale", "floor_scale", "attn_temperature_tuning", "for_llm_compressor",
    "router_jitter_noise", "layer_types", "moe_layers" },
  rules = { rules.interleaved, chunks, function(_, m) m.shared_experts = 1 end },
})

local glm4_moe = extend(mixtral, {
  fixed = { router_bias = true },
  flags = { out_bias = false },
  needed = ROUTED,
  rules = { rules.optional_qk_norm, rules.leading_dense,
    rules.shared_by_number("n_shared_experts"), rules.mtp("num_nextn_predict_layers") },
})

local function minimax_attention(c, m)
  local kinds = c:tally("attn_type_list", m.layers)
  if kinds and (kinds[0] or 0) > 0 then c:refuse("lightning attention layers (attn_type_list)") end
  m.router_bias = c:flag("use_routing_bias")
  if not c:flag("use_qk_norm") then return end
  local kind = c:text("qk_norm_type") or "per_layer"
  if kind == "per_layer" then
    rules.qk_norm_full(c, m)
  elseif kind == "per_head" then
    rules.qk_norm_per_head(c, m)
  else
    c:fail("qk_norm_type", "unknown kind '" .. kind .. "'")
  end
end

local minimax_m2 = extend(mixtral, {
  keys = { moe_ffn = "intermediate_size", ffn_hidden = "intermediate_size" },
  rules = { minimax_attention, rules.shared_by_width("shared_intermediate_size"), function(c, m)
    local each, modules = c:count("mtp_transformer_layers") or 1, c:count("num_mtp_modules") or 0
    if c:flag("use_mtp") and modules * each > 0 then
      m.mtp_layers = modules * each
      c:assume("%d multi-token-prediction layer(s) are counted apart from the model", m.mtp_layers)
    end
  end },
})

-- Selected blocks of keys, scored by an indexer (MiniMax-M3).
local function sparse_blocks(c, m)
  local sparse = c:nested("sparse_attention_config")
  if not sparse:flag("use_sparse_attention") then return end
  local on = sparse:tally("sparse_attention_freq", m.layers)
  m.index_layers = on and on[1] or m.layers
  m.index_heads, m.index_dim = sparse:needed("sparse_num_index_heads"), sparse:needed("sparse_index_dim")
  m.index_topk = sparse:needed("sparse_topk_blocks") * sparse:needed("sparse_block_size")
  c:assume("the block indexer of %d layers is counted with the shape of DeepSeek-V3.2's; estimates "
    .. "that do not say so count attention over the whole context", m.index_layers)
end

local minimax_m3 = extend(mixtral, {
  keys = { ffn_hidden = "dense_intermediate_size" },
  needed = ROUTED,
  harmless = { "intermediate_size", "sparse_attention_config", "use_gemma_norm", "n_shared_experts", "swiglu_alpha",
    "swiglu_limit", "num_mtp_modules" },
  rules = { minimax_attention, rules.leading_dense, sparse_blocks,
    rules.shared_by_width("shared_intermediate_size"), rules.mtp("num_nextn_predict_layers"),
    rules.without("attention_output_gate", "an attention output gate of unknown shape") },
})

local step3 = extend(mixtral, {
  needed = ROUTED,
  rules = { rules.leading_dense, rules.shared_by_width("share_expert_dim"),
    rules.window(windows.except_every("sliding_window_pattern", 4)),
    rules.mtp("num_nextn_predict_layers"), function(c, m)
      m.router_bias = c:flag("use_moe_router_bias")
    end },
  harmless = { "n_shared_experts" },
})

-- Sizes live in attn_config and ffn_config.
local function dbrx_rules(c, m)
  local attention, ffn = c:nested("attn_config"), c:nested("ffn_config")
  m.kv_heads = attention:needed("kv_n_heads")
  m.ffn_hidden = ffn:needed("ffn_hidden_size")
  m.experts, m.topk = ffn:needed("moe_num_experts"), ffn:needed("moe_top_k")
end

local dbrx = extend(llama, {
  keys = { layers = "n_layers", hidden = "d_model", heads = "n_heads", kv_heads = false,
    ffn_hidden = false, max_seq = "max_seq_len" },
  flags = { qkv_bias = false, out_bias = false, mlp_bias = false },
  needed = { "layers", "hidden", "heads", "vocab" },
  harmless = { "attn_config", "ffn_config", "resid_pdrop", "emb_pdrop" },
  rules = { dbrx_rules },
})

local ernie4_5_moe = extend(llama_like.ernie4_5, {
  keys = { experts = "moe_num_experts", topk = "moe_k", moe_ffn = "moe_intermediate_size" },
  needed = ROUTED,
  fixed = { router_bias = true },
  harmless = { "moe_capacity", "moe_gate", "moe_use_aux_free", "moe_norm_min" },
  rules = { rules.shared_by_number("moe_num_shared_experts"), function(c, m)
    local first, last = c:count("moe_layer_start_index") or 0, c:count("moe_layer_end_index")
    local every = math.max(1, c:count("moe_layer_interval") or 1)
    local stop = last and math.min(last, m.layers - 1) or m.layers - 1
    m.dense_layers = m.layers
    for i = first, stop do
      if (i + 1) % every == 0 then m.dense_layers = m.dense_layers - 1 end
    end
  end },
})

-- Counts that may differ by layer are written as lists; all entries must be the same.
local function same_in_every_layer(c, key)
  local value = c:get(key)
  if type(value) ~= "table" then return c:count(key) end
  for _, entry in ipairs(value) do
    if entry ~= value[1] then c:refuse(key .. " differs by layer") end
  end
  return value[1]
end

local hunyuan_moe = extend(llama_like.hunyuan_v1_dense, {
  keys = { experts = "num_experts" },
  needed = { "layers", "hidden", "heads", "vocab", "experts", "ffn_hidden" },
  harmless = { "capacity_factor", "moe_drop_tokens", "moe_layer_num_skipped", "moe_random_routing_dropped_token",
    "use_mixed_mlp_moe", "norm_topk_prob", "use_qk_norm" },
  rules = { rules.qk_norm_per_head, function(c, m)
    m.topk = same_in_every_layer(c, "moe_topk") or 1
    m.moe_ffn = same_in_every_layer(c, "moe_intermediate_size")
    m.shared_experts = same_in_every_layer(c, "num_shared_expert")
  end },
})

return {
  mixtral = mixtral,
  qwen2_moe = qwen2_moe,
  qwen3_moe = qwen3_moe,
  qwen3_vl_moe_text = extend(qwen3_moe, { fixed = { fused_experts = true } }),
  olmoe = extend(mixtral, { harmless = { "clip_qkv" }, rules = { rules.qk_norm_full } }),
  granitemoe = mixtral,
  phimoe = extend(mixtral, {
    fixed = { norm = "layer" },
    flags = { head_bias = "lm_head_bias" },
    harmless = { "original_max_position_embeddings" },
  }),
  -- Four norms a layer, head tied: github xai-org/grok-1, model.py (2024).
  ["grok-1"] = extend(mixtral, {
    fixed = { norms_per_layer = 4, tied_embeddings = true },
    flags = { tied_embeddings = false },
    harmless = { "tie_word_embeddings", "embedding_multiplier_scale", "output_multiplier_scale",
      "attn_output_multiplier", "max_attn_value" },
    rules = {},
  }),
  gpt_oss = gpt_oss,
  llama4_text = llama4,
  glm4_moe = glm4_moe,
  minimax_m2 = minimax_m2,
  minimax_m3 = minimax_m3,
  step3p5 = step3,
  step3p7 = step3,
  dbrx = dbrx,
  ernie4_5_moe = ernie4_5_moe,
  hunyuan_v1_moe = hunyuan_moe,
  dots1 = extend(glm4_moe, { rules = with_rules(glm4_moe, rules.qk_norm_per_head) }),
}
