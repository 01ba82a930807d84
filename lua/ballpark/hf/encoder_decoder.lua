-- Encoder-decoders with attention between both: T5 and Whisper.
-- Shapes follow the model code of Hugging Face transformers (release 4.57, 2025).
local extend = require("ballpark.hf.family").extend

-- Relative positions are one table in each stack, which its layers share (T5Stack).
local t5 = extend({}, {
  fixed = { norm = "rms", norms_per_layer = 3 },
  keys = { hidden = "d_model", heads = "num_heads", head_dim = "d_kv", ffn_hidden = "d_ff", vocab = "vocab_size",
    layers = { "num_decoder_layers", "num_layers" }, relative_buckets = "relative_attention_num_buckets",
    max_seq = "n_positions" },
  flags = { tied_embeddings = "tie_word_embeddings" },
  needed = { "layers", "hidden", "heads", "head_dim", "ffn_hidden", "vocab" },
  defaults = { relative_attention_num_buckets = 32, tie_word_embeddings = true, feed_forward_proj = "relu" },
  harmless = { "relative_attention_max_distance", "is_gated_act", "dense_act_fn", "initializer_factor",
    "gradient_checkpointing", "output_past" },
  rules = { function(c, m)
    local layers = c:needed("num_layers")
    m.gated_mlp = (c:text("feed_forward_proj") or "relu"):find("^gated") ~= nil
    m.encoder = { layers = layers, head_dim = m.head_dim, gated_mlp = m.gated_mlp, norm = "rms",
      relative_buckets = m.relative_buckets }
    m.cross_layers, m.cross_tok = m.layers, m.max_seq or 512
    c:assume("the encoder reads %d tokens: give cross_tok for another length", m.cross_tok)
  end },
})

-- A spectrogram through two convolutions of three taps, the second of which halves its steps; no bias on keys.
local whisper = extend({}, {
  fixed = { norm = "layer", norms_per_layer = 3, gated_mlp = false, qkv_bias = true, key_bias = false,
    out_bias = true, mlp_bias = true, tied_embeddings = true },
  keys = { hidden = "d_model", layers = "decoder_layers", heads = "decoder_attention_heads",
    ffn_hidden = "decoder_ffn_dim", vocab = "vocab_size", max_seq = "max_target_positions" },
  needed = { "layers", "hidden", "heads", "ffn_hidden", "vocab", "max_seq" },
  defaults = { max_source_positions = 1500, max_target_positions = 448, num_mel_bins = 80 },
  harmless = { "num_hidden_layers", "encoder_layerdrop", "decoder_layerdrop", "scale_embedding",
    "begin_suppress_tokens", "classifier_proj_size", "use_weighted_layer_sum", "apply_spec_augment",
    "mask_time_prob", "mask_time_length", "mask_time_min_masks", "mask_feature_prob", "mask_feature_length",
    "mask_feature_min_masks", "median_filter_width" },
  rules = { function(c, m)
    m.learned_positions, m.cross_layers, m.cross_tok = m.max_seq, m.layers, c:needed("max_source_positions")
    m.encoder = { layers = c:needed("encoder_layers"), heads = c:needed("encoder_attention_heads"),
      ffn_hidden = c:needed("encoder_ffn_dim"), qkv_bias = true, key_bias = false, out_bias = true, mlp_bias = true,
      learned_positions = m.cross_tok, mel_bins = c:needed("num_mel_bins") }
  end },
})

return { t5 = t5, mt5 = t5, whisper = whisper }
