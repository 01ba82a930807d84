-- Decoders of the GPT line: LayerNorm, ungated feed-forward, biases, own names for keys.
-- Shapes follow the model code of Hugging Face transformers (release 4.57, 2025).
local family = require("ballpark.hf.family")
local rules = require("ballpark.hf.rules")

local extend = family.extend

-- Four times hidden where the feed-forward width is not written.
local function default_ffn(c, m)
  if not m.ffn_hidden then
    m.ffn_hidden = 4 * m.hidden
    c:assume("the feed-forward width is not given: 4 x hidden = %d", m.ffn_hidden)
  end
end

local function learned_positions(_, m) m.learned_positions = m.max_seq end

local gpt2 = extend({}, {
  fixed = { norm = "layer", gated_mlp = false, qkv_bias = true, out_bias = true, mlp_bias = true },
  keys = {
    layers = { "n_layer", "num_hidden_layers" }, hidden = { "n_embd", "hidden_size" },
    heads = { "n_head", "num_attention_heads" }, ffn_hidden = { "n_inner", "intermediate_size" },
    vocab = "vocab_size", max_seq = { "n_positions", "max_position_embeddings" },
  },
  flags = { tied_embeddings = "tie_word_embeddings" },
  needed = { "layers", "hidden", "heads", "vocab", "max_seq" },
  defaults = { tie_word_embeddings = true },
  harmless = { "n_ctx", "rotary", "rotary_dim", "scale_attn_weights", "tokenizer_class",
    "reorder_and_upcast_attn", "scale_attn_by_inverse_layer_idx", "activation_function",
    "summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type",
    "summary_use_proj", "embd_pdrop", "attn_pdrop", "resid_pdrop", "gradient_checkpointing" },
  rules = { default_ffn, learned_positions },
})

local gptj = extend(gpt2, {
  fixed = { norms_per_layer = 1, qkv_bias = false, out_bias = false, head_bias = true },
  defaults = { tie_word_embeddings = false },
  rules = { default_ffn },
})

local gpt_bigcode = extend(gpt2, {
  harmless = { "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "runner_max_sequence_length",
    "inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length", "pre_allocate_kv_cache" },
  rules = { default_ffn, learned_positions, function(c, m)
    if c:flag("multi_query") then m.kv_heads = 1 end
  end },
  defaults = { multi_query = true },
})

-- Kinds of attention of GPT-Neo: [[["global","local"],12]] or a flat list.
local function neo_window(c, m)
  local layers = 0
  for _, group in ipairs(c:list("attention_types") or {}) do
    local kinds, times = table.unpack(type(group) == "table" and group or {})
    if type(kinds) ~= "table" or not math.tointeger(times) then
      c:fail("attention_types", "must be a list of [kinds, repetitions]")
    end
    for _, kind in ipairs(kinds) do
      if kind == "local" then layers = layers + times end
    end
  end
  local flat = c:tally("attention_layers")
  if flat then layers = flat["local"] or 0 end
  local width = c:count("window_size")
  if layers > 0 and width and width < m.max_seq then
    m.sliding_window, m.window_layers = width, layers
  end
end

local gpt_neo = extend(gpt2, {
  fixed = { qkv_bias = false },
  keys = {
    layers = "num_layers", hidden = "hidden_size", heads = "num_heads",
    ffn_hidden = "intermediate_size", max_seq = "max_position_embeddings",
  },
  rules = { default_ffn, learned_positions, neo_window },
})

local gpt_neox = extend(gpt2, {
  keys = {
    layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
    ffn_hidden = "intermediate_size", max_seq = "max_position_embeddings",
  },
  flags = { qkv_bias = "attention_bias", out_bias = "attention_bias" },
  defaults = { tie_word_embeddings = false, attention_bias = true },
  harmless = { "rotary_pct", "rotary_emb_base", "use_parallel_residual" },
  rules = { default_ffn },
})

-- Position rows start after an offset of two; post-norm models have no last norm.
local function opt_rules(c, m)
  local width = c:size("word_embed_proj_dim")
  m.learned_positions = m.max_seq + 2
  if width and width ~= m.hidden then m.embedding_dim = width end
  if c:get("do_layer_norm_before") == false or c:get("_remove_final_layer_norm") == true then
    m.final_norm = false
  end
  if c:get("enable_bias") == false then c:refuse("OPT without biases (enable_bias)") end
  if c:get("layer_norm_elementwise_affine") == false then m.norm = "none" end
end

local opt = extend(gpt2, {
  keys = {
    layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
    ffn_hidden = "ffn_dim", max_seq = "max_position_embeddings",
  },
  needed = { "layers", "hidden", "heads", "vocab", "ffn_hidden", "max_seq" },
  harmless = { "layerdrop", "prefix" },
  rules = { opt_rules },
})

local bloom = extend(gpt2, {
  fixed = { embedding_norm = true },
  keys = { hidden = { "hidden_size", "n_embed" }, heads = { "n_head", "num_attention_heads" },
    max_seq = "seq_length" },
  needed = { "layers", "hidden", "heads", "vocab" },
  harmless = { "apply_residual_connection_post_layernorm", "masked_softmax_fusion", "offset_alibi",
    "slow_but_exact", "skip_bias_add", "skip_bias_add_qkv", "unk_token_id", "num_attention_heads",
    "attention_softmax_in_fp32", "bias_dropout_fusion", "seq_length" },
  rules = { default_ffn },
})

-- Older Falcons have one key/value head and one norm for attention and feed-forward side by side.
local function falcon_rules(c, m)
  local new = c:flag("new_decoder_architecture")
  local norms = c:count("num_ln_in_parallel_attn")
  if new then
    m.kv_heads = c:size({ "num_kv_heads", "n_head_kv" })
    m.norms_per_layer = norms or 2
  else
    if c:flag("multi_query") then m.kv_heads = 1 end
    m.norms_per_layer = c:flag("parallel_attn") and 1 or 2
  end
  default_ffn(c, m)
end

local falcon = extend(gpt2, {
  fixed = { qkv_bias = false, out_bias = false, mlp_bias = false },
  keys = {
    layers = { "num_hidden_layers", "n_layer" }, hidden = "hidden_size",
    heads = { "num_attention_heads", "n_head" }, ffn_hidden = "ffn_hidden_size",
    max_seq = "max_position_embeddings",
  },
  flags = { qkv_bias = "bias", out_bias = "bias", mlp_bias = "bias" },
  needed = { "layers", "hidden", "heads", "vocab" },
  defaults = { multi_query = true, parallel_attn = true },
  harmless = { "alibi", "apply_residual_connection_post_layernorm", "num_kv_heads", "n_head_kv",
    "multi_query", "parallel_attn" },
  rules = { falcon_rules },
})

-- Norms without bias where no_bias is set; grouped heads only if attn_config says so.
local function mpt_rules(c, m)
  local attention = c:nested("attn_config")
  m.kv_heads = attention:size("kv_n_heads") or m.heads
  if attention:flag("qk_ln") then rules.qk_norm_full(c, m) end
  local biased = not c:flag("no_bias")
  m.norm = biased and "layer" or "rms"
  m.qkv_bias, m.out_bias, m.mlp_bias = biased, biased, biased
  if attention:get("alibi") == false and c:get("learned_pos_emb") ~= false then
    m.learned_positions = m.max_seq
  end
  m.ffn_hidden = (c:size("expansion_ratio") or 4) * m.hidden
end

local mpt = extend(gpt2, {
  keys = { layers = "n_layers", hidden = "d_model", heads = "n_heads", ffn_hidden = false,
    max_seq = "max_seq_len" },
  needed = { "layers", "hidden", "heads", "vocab" },
  harmless = { "embedding_fraction", "init_config", "init_device", "logit_scale", "verbose", "fc_type",
    "norm_type", "tokenizer_name", "attn_config", "learned_pos_emb" },
  rules = { mpt_rules },
})

local phi = extend(gpt2, {
  fixed = { norms_per_layer = 1, head_bias = true },
  keys = {
    layers = "num_hidden_layers", hidden = "hidden_size", heads = "num_attention_heads",
    kv_heads = "num_key_value_heads", ffn_hidden = "intermediate_size",
    max_seq = "max_position_embeddings",
  },
  defaults = { tie_word_embeddings = false },
  rules = { default_ffn, rules.without("qk_layernorm", "norms of every head apart") },
})

return {
  gpt2 = gpt2, gptj = gptj, codegen = gptj, gpt_bigcode = gpt_bigcode, gpt_neo = gpt_neo,
  gpt_neox = gpt_neox, opt = opt, bloom = bloom, falcon = falcon, RefinedWeb = falcon,
  RefinedWebModel = falcon, mpt = mpt, phi = phi,
}
