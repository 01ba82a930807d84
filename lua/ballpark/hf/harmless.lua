-- Keys that say nothing about the shape: training settings, numerics, tokens, file handling.
local EXACT = {
  "_name_or_path", "architectures", "attn_implementation", "_attn_implementation", "auto_map",
  "bad_words_ids", "chunk_size_feed_forward", "cross_attention_hidden_size", "finetuning_task",
  "diversity_penalty", "do_sample", "early_stopping", "hidden_act", "hidden_activation", "model_type",
  "activation_function", "is_decoder", "is_encoder_decoder", "add_cross_attention", "length_penalty",
  "max_length", "min_length", "num_beams", "num_beam_groups", "num_return_sequences",
  "partial_rotary_factor", "rotary_dim", "pretraining_tp", "prefix", "problem_type", "pruned_heads",
  "quantization_config", "compression_config", "remove_invalid_values", "repetition_penalty",
  "residual_multiplier", "embedding_multiplier", "attention_multiplier", "logits_scaling",
  "return_dict", "rope", "sep_token_id", "task_specific_params", "temperature", "tf_legacy_loss",
  "tie_encoder_decoder", "tokenizer_class", "top_k", "top_p", "torch_dtype", "dtype", "torchscript",
  "transformers_version", "typical_p", "unsloth_version", "unsloth_fixed", "use_bfloat16", "use_cache",
  "use_flash_attn", "vision_config", "audio_config", "text_config", "return_dict_in_generate",
  "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "exponential_decay_length_penalty",
  "forced_bos_token_id", "suppress_tokens", "begin_suppress_tokens", "id2label", "label2id",
  "use_sliding_window", "max_window_layers", "sliding_window", "layer_types", "attention_multiplier",
}

local PATTERNS = {
  "_token_id$", "_token_ids$", "_token_index$", "_tokens?_per_image$",
  "dropout", "_pdrop$", "^rope_", "_eps$", "epsilon$",
  "^initializer", "_init$", "_dtype$", "^output_", "_loss", "_coef$", "_scale$", "^time_step",
  "_softcapping$", "z_loss", "^mrope", "^yarn",
}

local exact = {}
for _, key in ipairs(EXACT) do exact[key] = true end

--- Whether `key` has no influence on the shape of any model.
return function(key)
  if exact[key] then return true end
  for _, pattern in ipairs(PATTERNS) do
    if key:find(pattern) then return true end
  end
  return false
end
