-- Dense decoders with the layer of LLaMA: pre-norm, rotary positions, gated feed-forward.
-- What differs by family follows the model code of Hugging Face transformers (release 4.57, 2025).
local family = require("ballpark.hf.family")
local rules = require("ballpark.hf.rules")

local windows = rules.windows
local extend, with_rules = family.extend, family.with_rules

local llama = extend({}, {
  fixed = { norm = "rms", gated_mlp = true },
  keys = {
    layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
    kv_heads = "num_key_value_heads", head_dim = "head_dim", ffn_hidden = "intermediate_size",
    vocab = "vocab_size", max_seq = "max_position_embeddings",
  },
  flags = {
    tied_embeddings = "tie_word_embeddings", qkv_bias = "attention_bias",
    out_bias = "attention_bias", mlp_bias = "mlp_bias",
  },
  needed = { "layers", "hidden", "heads", "ffn_hidden", "vocab" },
  defaults = { tie_word_embeddings = false },
})

local qwen2 = extend(llama, {
  fixed = { qkv_bias = true },
  flags = { qkv_bias = false, out_bias = false },
  rules = { rules.window(windows.upper) },
})

local qwen3 = extend(llama, {
  rules = { rules.qk_norm_per_head, rules.window(windows.upper) },
})

-- Qwen 1 writes the sum of both feed-forward widths.
local qwen = extend(llama, {
  fixed = { qkv_bias = true },
  keys = { max_seq = { "seq_length", "max_position_embeddings" }, head_dim = "kv_channels" },
  flags = { qkv_bias = false, out_bias = false },
  harmless = { "no_bias", "use_dynamic_ntk", "use_logn_attn", "use_flash_attn", "onnx_safe",
    "rotary_pct", "rotary_emb_base", "scale_attn_weights" },
  rules = { function(_, m) m.ffn_hidden = m.ffn_hidden // 2 end },
})

local olmo2 = extend(llama, { rules = { rules.qk_norm_full } })

local exaone = extend(llama, {
  keys = { layers = { "num_layers", "num_hidden_layers" } },
  harmless = { "activation_function" },
})

local exaone4 = extend(llama, {
  rules = { rules.qk_norm_per_head, function(c, m)
    local pattern = c:get("sliding_window_pattern")
    local every = type(pattern) == "string" and #pattern or c:count("sliding_window_pattern") or 4
    rules.window(function(_, layers) return layers - layers // every end)(c, m)
  end },
})

-- A layer with one norm in front of attention and feed-forward side by side; no bias in the norm.
local cohere = extend(llama, {
  fixed = { norms_per_layer = 1 },
  defaults = { tie_word_embeddings = true },
  harmless = { "logit_scale" },
  rules = { function(c, m)
    if c:flag("use_qk_norm") then rules.qk_norm_full(c, m) end
  end },
})

local ungated = { gated_mlp = false }

local families = {
  llama = llama,
  mistral = extend(llama, { rules = { rules.window(windows.all) } }),
  ministral = extend(llama, { rules = { rules.window(windows.all) } }),
  qwen = qwen,
  qwen2 = qwen2,
  qwen3 = qwen3,
  phi3 = extend(llama, {
    flags = { qkv_bias = false, out_bias = false },
    harmless = { "original_max_position_embeddings", "embd_layer", "use_fused" },
    rules = { rules.window(windows.all) },
  }),
  granite = extend(llama, {}),
  helium = extend(llama, {}),
  smollm3 = extend(llama, {
    harmless = { "no_rope_layers", "no_rope_layer_interval" },
    rules = { rules.window(windows.upper) },
  }),
  seed_oss = extend(llama, { flags = { out_bias = "attention_out_bias" } }),
  olmo = extend(llama, { fixed = { norm = "none" }, harmless = { "clip_qkv" } }),
  olmo2 = olmo2,
  olmo3 = extend(olmo2, {
    rules = with_rules(olmo2, rules.window(windows.except_every("sliding_window_pattern", 4))),
  }),
  exaone = exaone,
  exaone4 = exaone4,
  internlm = extend(llama, { flags = { qkv_bias = "bias", out_bias = "bias" } }),
  internlm2 = extend(llama, {
    flags = { qkv_bias = "bias", out_bias = "bias" },
    harmless = { "attn_implementation" },
  }),
  internlm3 = extend(llama, {
    flags = { qkv_bias = "qkv_bias", out_bias = "bias", mlp_bias = "bias" },
  }),
  baichuan = extend(llama, {
    keys = { max_seq = { "model_max_length", "max_position_embeddings" } },
    harmless = { "z_loss_weight", "gradient_checkpointing" },
  }),
  aquila = extend(llama, {}),
  minicpm = extend(llama, {
    defaults = { tie_word_embeddings = true },
    harmless = { "dim_model_base", "scale_emb", "scale_depth" },
  }),
  mimo = extend(qwen2, {
    rules = with_rules(qwen2, rules.mtp("num_nextn_predict_layers")),
  }),
  ernie4_5 = extend(llama, {
    flags = { qkv_bias = "use_bias", out_bias = "use_bias", mlp_bias = "use_bias" },
    defaults = { tie_word_embeddings = true },
  }),
  hunyuan_v1_dense = extend(llama, {
    harmless = { "attention_head_dim", "use_cla", "cla_share_factor", "norm_type" },
    rules = { rules.qk_norm_per_head },
  }),
  cohere = cohere,
  cohere2 = extend(cohere, {
    harmless = { "order_of_interleaved_layers", "rotary_pct", "position_embedding_type" },
    rules = { rules.window(windows.except_every("sliding_window_pattern", 4)) },
  }),
  stablelm = extend(llama, {
    fixed = { norm = "layer" },
    flags = { qkv_bias = "use_qkv_bias", out_bias = false },
    rules = {
      rules.without("qk_layernorm", "norms of every head apart"),
      rules.without("use_parallel_residual", "parallel residual with one norm"),
    },
  }),
  starcoder2 = extend(llama, {
    fixed = { norm = "layer", gated_mlp = false },
    flags = { qkv_bias = "use_bias", out_bias = "use_bias", mlp_bias = "use_bias" },
    defaults = { tie_word_embeddings = true, use_bias = true },
    harmless = { "mlp_type", "norm_type" },
    rules = { rules.window(windows.all) },
  }),
  nemotron = extend(llama, { fixed = { norm = "layer", gated_mlp = false } }),
  arcee = extend(llama, { fixed = ungated }),
  apertus = extend(llama, { fixed = ungated, rules = { rules.qk_norm_per_head } }),
  glm = extend(llama, { flags = { out_bias = false }, defaults = { attention_bias = true } }),
  glm4 = extend(llama, {
    fixed = { norms_per_layer = 4 },
    flags = { out_bias = false },
    defaults = { attention_bias = true },
  }),
}

-- The same under other names; vision-language models of before nested configs are their text model.
local same = {
  Yi = "llama", aquila2 = "aquila", phi4 = "phi3", qwen2_vl = "qwen2", qwen2_5_vl = "qwen2",
  qwen2_vl_text = "qwen2", qwen2_5_vl_text = "qwen2", qwen3_vl_text = "qwen3",
  mistral3_text = "mistral", helium_text = "helium",
}
for name, like in pairs(same) do families[name] = families[like] end

return families
