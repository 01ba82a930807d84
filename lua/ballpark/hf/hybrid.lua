-- Decoders whose layers are not all softmax attention: gated delta nets and Mamba-2.
local family = require("ballpark.hf.family")
local llama = require("ballpark.hf.llama").llama
local moe = require("ballpark.hf.moe")
local rules = require("ballpark.hf.rules")
local tables = require("ballpark.tables")

local extend = family.extend

local LINEAR_KEYS = {
  linear_key_heads = "linear_num_key_heads", linear_value_heads = "linear_num_value_heads",
  linear_key_dim = "linear_key_head_dim", linear_value_dim = "linear_value_head_dim",
  conv_kernel = "linear_conv_kernel_dim",
}
local LINEAR_NEEDED = { "layers", "hidden", "heads", "vocab", "linear_key_heads", "linear_value_heads",
  "linear_key_dim", "linear_value_dim", "conv_kernel" }

-- Attention layers gate their output by default (Hugging Face Qwen3NextAttention, 2025).
local function output_gate(c, m)
  m.attention_gate = c:get("attn_output_gate") ~= false
end

local qwen3_5 = extend(llama, {
  keys = LINEAR_KEYS,
  needed = LINEAR_NEEDED,
  harmless = { "mtp_use_dedicated_embeddings", "mamba_ssm_dtype" },
  rules = { rules.linear_hybrid, output_gate, rules.qk_norm_per_head,
    rules.mtp({ "mtp_num_hidden_layers", "num_nextn_predict_layers" }),
    rules.without("mtp_use_dedicated_embeddings", "own embeddings of prediction layers") },
})

local qwen3_5_moe = extend(moe.qwen3_moe, {
  fixed = { shared_gate = true },
  keys = LINEAR_KEYS,
  needed = table.move({ "experts", "topk", "moe_ffn" }, 1, 3, #LINEAR_NEEDED + 1,
    table.move(LINEAR_NEEDED, 1, #LINEAR_NEEDED, 1, {})),
  harmless = { "mtp_use_dedicated_embeddings", "mamba_ssm_dtype" },
  rules = { rules.linear_hybrid, output_gate, rules.qk_norm_per_head, rules.sparse_step,
    rules.shared_by_width("shared_expert_intermediate_size"),
    rules.mtp({ "mtp_num_hidden_layers", "num_nextn_predict_layers" }),
    rules.without("mtp_use_dedicated_embeddings", "own embeddings of prediction layers") },
})

local SUBLAYERS = {
  M = "mamba", mamba = "mamba", ["*"] = "attention", attention = "attention",
  E = "moe", moe = "moe", ["-"] = "mlp", mlp = "mlp",
}

-- Every layer is one mixer or one feed-forward part, by a string of letters or a list of words.
local function single_sublayers(c, m)
  local counts = { mamba = 0, attention = 0, moe = 0, mlp = 0 }
  local words = c:list("layers_block_type")
  local pattern = c:text("hybrid_override_pattern")
  if not words then
    words = {}
    for letter in (pattern or ""):gmatch(".") do words[#words + 1] = letter end
  end
  if #words ~= m.layers then
    c:fail("hybrid_override_pattern", ("must say what each of %d layers is, says %d"):format(m.layers, #words))
  end
  for _, word in ipairs(words) do
    local kind = SUBLAYERS[word]
    if not kind then c:refuse("layers of the unknown kind '" .. tostring(word) .. "'") end
    counts[kind] = counts[kind] + 1
  end
  m.mamba_layers, m.attention_layers = counts.mamba, counts.attention
  m.ffn_layers, m.dense_layers = counts.moe + counts.mlp, counts.mlp
  return counts
end

local function nemotron_experts(c, m, counts)
  local keys = { experts = "n_routed_experts", topk = "num_experts_per_tok", moe_ffn = "moe_intermediate_size",
    latent = "moe_latent_size", shared = "n_shared_experts", shared_ffn = "moe_shared_expert_intermediate_size" }
  local read = {}
  for _, name in ipairs(tables.sorted_keys(keys)) do read[name] = c:count(keys[name]) end
  if counts.moe == 0 then
    m.dense_layers = nil
    return
  end
  m.experts, m.topk = c:needed(keys.experts), c:needed(keys.topk)
  m.moe_ffn, m.moe_latent, m.router_bias = c:needed(keys.moe_ffn), read.latent, true
  if (read.shared or 0) > 0 then
    m.shared_experts, m.shared_ffn = read.shared, read.shared * c:needed(keys.shared_ffn)
  end
end

local nemotron_h = extend(llama, {
  fixed = { gated_mlp = false, norms_per_layer = 1 },
  keys = { mamba_heads = "mamba_num_heads", mamba_head_dim = "mamba_head_dim",
    ssm_state = "ssm_state_size", ssm_groups = "n_groups", conv_kernel = "conv_kernel" },
  flags = { conv_bias = "use_conv_bias" },
  needed = { "layers", "hidden", "heads", "vocab", "mamba_heads", "mamba_head_dim", "ssm_state",
    "ssm_groups", "conv_kernel" },
  harmless = { "chunk_size", "expand", "mamba_hidden_act", "mlp_hidden_act", "mamba_ssm_cache_dtype",
    "norm_topk_prob", "n_group", "topk_group", "routed_scaling_factor", "num_logits_to_keep",
    "rescale_prenorm_residual", "residual_in_fp32", "use_mamba_kernels", "moe_shared_expert_overlap",
    "mtp_hybrid_override_pattern", "mtp_layers_block_type", "hybrid_override_pattern", "time_step_rank",
    "attention_head_dim", "sliding_window" },
  defaults = { use_conv_bias = true },
  rules = {
    function(c, m) nemotron_experts(c, m, single_sublayers(c, m)) end,
    rules.without("use_bias", "biases of the state-space mixer"),
    rules.without("mamba_proj_bias", "biases of the state-space mixer"),
    rules.mtp("num_nextn_predict_layers"),
  },
})

-- A stack of state-space mixers only. Field `heads` is required of any model and has no meaning here.
local mamba2 = extend(llama, {
  fixed = { norms_per_layer = 1, attention_layers = 0, ffn_layers = 0 },
  keys = { heads = "num_heads", kv_heads = false, head_dim = false, ffn_hidden = false, max_seq = false,
    mamba_heads = "num_heads", mamba_head_dim = "head_dim", ssm_state = "state_size",
    ssm_groups = "n_groups", conv_kernel = "conv_kernel" },
  flags = { qkv_bias = false, out_bias = false, mlp_bias = false, conv_bias = "use_conv_bias" },
  needed = { "layers", "hidden", "heads", "vocab", "mamba_heads", "mamba_head_dim", "ssm_state",
    "ssm_groups", "conv_kernel" },
  defaults = { use_conv_bias = true, tie_word_embeddings = false },
  harmless = { "chunk_size", "expand", "rms_norm", "residual_in_fp32", "rescale_prenorm_residual",
    "time_step_rank", "norm_before_gate", "intermediate_size" },
  rules = { function(_, m) m.mamba_layers = m.layers end,
    rules.without("use_bias", "biases of the state-space mixer") },
})

local MAMBA_KEYS = { mamba_heads = "mamba_n_heads", mamba_head_dim = "mamba_d_head",
  ssm_state = "mamba_d_state", ssm_groups = "mamba_n_groups", conv_kernel = "mamba_d_conv" }

local function inner_heads(c, m)
  if not m.mamba_head_dim then
    local expand = c:size("mamba_expand") or 2
    m.mamba_head_dim = expand * m.hidden // m.mamba_heads
  end
end

-- Granite 4: every layer has a mixer, routed experts (possibly none) and a shared expert.
local function granite_experts(c, m)
  local experts = c:count("num_local_experts") or 0
  local read = experts > 0 and c.size or c.count
  local topk, width = read(c, "num_experts_per_tok"), read(c, "intermediate_size")
  local shared = c:count("shared_intermediate_size") or 0
  if experts > 0 then
    m.experts, m.topk, m.moe_ffn = experts, topk, width
    if shared > 0 then m.shared_experts, m.shared_ffn = 1, shared end
  else
    m.ffn_hidden = shared
  end
end

local granite_hybrid = extend(llama, {
  keys = { ffn_hidden = false },
  flags = { conv_bias = "mamba_conv_bias" },
  needed = { "layers", "hidden", "heads", "vocab", "mamba_heads", "ssm_state", "ssm_groups", "conv_kernel" },
  defaults = { mamba_conv_bias = true, tie_word_embeddings = true },
  harmless = { "mamba_chunk_size", "mamba_expand", "normalization_function", "position_embedding_type",
    "init_method" },
  rules = { rules.mamba_hybrid, inner_heads, granite_experts,
    rules.without("mamba_proj_bias", "biases of the state-space mixer") },
})
for field, key in pairs(MAMBA_KEYS) do granite_hybrid.keys[field] = key end

-- Falcon-H1: attention and a state-space mixer side by side in every layer, behind one norm: as two sub-layers they cost the
-- same, and with the norm before the feed-forward part each has one.
local function side_by_side(_, m)
  m.attention_layers, m.mamba_layers, m.ffn_layers = m.layers, m.layers, m.layers
  m.layers = 2 * m.layers
end

local falcon_h1 = extend(llama, {
  fixed = { norms_per_layer = 1 },
  flags = { conv_bias = "mamba_conv_bias" },
  needed = { "layers", "hidden", "heads", "vocab", "mamba_heads", "ssm_state", "ssm_groups", "conv_kernel" },
  defaults = { mamba_conv_bias = true, tie_word_embeddings = false },
  harmless = { "attention_in_multiplier", "attention_out_multiplier", "embedding_multiplier", "key_multiplier", "lm_head_multiplier",
    "mlp_multipliers", "mlp_expansion_factor", "ssm_in_multiplier", "ssm_out_multiplier", "ssm_multipliers", "mamba_chunk_size",
    "mamba_d_ssm", "mamba_expand", "mamba_norm_before_gate", "mamba_rms_norm", "mamba_use_mlp", "num_logits_to_keep" },
  rules = { inner_heads, side_by_side, rules.without("mamba_proj_bias", "biases of the state-space mixer"),
    rules.without("projectors_bias", "biases of projections") },
})
for field, key in pairs(MAMBA_KEYS) do falcon_h1.keys[field] = key end

return {
  falcon_h1 = falcon_h1,
  qwen3_next = qwen3_5_moe,
  qwen3_5_text = qwen3_5,
  qwen3_5_moe_text = extend(qwen3_5_moe, { fixed = { fused_experts = true } }),
  nemotron_h = nemotron_h,
  mamba2 = mamba2,
  granitemoehybrid = granite_hybrid,
}
