/* What is trained or served: the shape of a transformer, from which everything else is counted. */
#ifndef BP_KERNEL_MODEL_H
#define BP_KERNEL_MODEL_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_ARCH(E)                                                                                 \
    E(BP_ARCH_DECODER, "decoder")                                                                  \
    E(BP_ARCH_ENCODER, "encoder")                                                                  \
    E(BP_ARCH_VISION, "vision")
BP_DECLARE_ENUM(bp_arch, BP_ARCH);

#define BP_NORM(E)                                                                                 \
    E(BP_NORM_RMS, "rms")                                                                          \
    E(BP_NORM_LAYER, "layer")                                                                      \
    E(BP_NORM_NONE, "none")
BP_DECLARE_ENUM(bp_norm, BP_NORM);

/*
** An encoder beside the decoder: that of an encoder-decoder (T5, Whisper), whose tokens the decoder attends
** across to, or a vision tower, whose tokens take places in the decoder's sequence. Its attention has no mask.
** Between tokens and decoder may lie a projector, which makes one token of `merge` neighbours.
*/
#define BP_ENCODER_FIELDS(F, S)                                                                    \
    F(S, INT, layers, , "", 0, 0, 100000, "layers of the encoder; 0 = the model has none")         \
    F(S, INT, hidden, , "", 0, 0, 1e7, "width of its residual stream; 0 = the decoder's")          \
    F(S, INT, heads, , "", 0, 0, 1e6, "attention heads; 0 = the decoder's")                        \
    F(S, INT, head_dim, , "", 0, 0, 1e6, "width of one head; 0 = hidden / heads")                  \
    F(S, INT, ffn_hidden, , "", 0, 0, 1e8, "width of the feed-forward part; 0 = the decoder's")    \
    F(S, FLAG, gated_mlp, , "", 0, 0, 1, "gate, up and down matrices instead of up and down")      \
    F(S, ENUM, norm, bp_norm, "", BP_NORM_LAYER, 0, 0,                                             \
      "rms (weight), layer (weight and bias) or none (no weights)")                                \
    F(S, FLAG, final_norm, , "", 1, 0, 1, "norm after the last layer, or before the projector")    \
    F(S, FLAG, embedding_norm, , "", 0, 0, 1, "norm before the first layer (CLIP, Pixtral)")       \
    F(S, FLAG, qkv_bias, , "", 0, 0, 1, "bias on query, key and value")                            \
    F(S, FLAG, key_bias, , "", 1, 0, 1, "qkv_bias is on the key, too (not in Whisper)")            \
    F(S, FLAG, out_bias, , "", 0, 0, 1, "bias on the attention output")                            \
    F(S, FLAG, mlp_bias, , "", 0, 0, 1, "bias on the feed-forward matrices")                       \
    F(S, INT, sliding_window, , "tok", 0, 0, 1e12, "tokens around itself that one sees; 0 = all")  \
    F(S, INT, window_layers, , "", -1, -1, 100000, "layers with the window; -1 = all of them")     \
    F(S, INT, learned_positions, , "", 0, 0, 1e9, "rows of a learned position table; 0 = none")    \
    F(S, INT, relative_buckets, , "", 0, 0, 1e6,                                                   \
      "rows of a table of relative positions with a column for each head (T5); 0 = none")          \
    F(S, INT, patch_size, , "", 0, 0, 1e6, "images: pixels of one side of a patch")                \
    F(S, INT, channels, , "", 3, 1, 1e4, "images: colour channels")                                \
    F(S, INT, frames, , "", 1, 1, 1e4, "images: frames of a video that one patch covers")          \
    F(S, INT, class_tokens, , "", 0, 0, 1e4, "images: learned tokens before the patches")          \
    F(S, FLAG, patch_bias, , "", 1, 0, 1, "images: bias on the patch embedding")                   \
    F(S, INT, mel_bins, , "", 0, 0, 1e6,                                                           \
      "sound: bins of the spectrogram, two steps of which two convolutions make one token of")     \
    F(S, INT, merge, , "", 1, 1, 1e4, "patches that make one token of the decoder (2 x 2: 4)")     \
    F(S, FLAG, pooled, , "", 0, 0, 1,                                                              \
      "merged patches are averaged, not laid side by side (Gemma 3)")                              \
    F(S, INT, projector_layers, , "", 0, 0, 2,                                                     \
      "matrices from merged patches to the decoder's width: 1, or 2 with an activation between")   \
    F(S, INT, projector_hidden, , "", 0, 0, 1e8, "width between two; 0 = what the first reads")    \
    F(S, INT, projector_rank, , "", 0, 0, 1e8,                                                     \
      "width that merged patches are brought to before these matrices (Pixtral); 0 = none")        \
    F(S, FLAG, projector_bias, , "", 0, 0, 1, "bias on the matrices of the projector")             \
    F(S, INT, deepstack, , "", 0, 0, 1000,                                                         \
      "further projectors, of inner layers, each with a norm as wide as its input (Qwen3-VL)")
BP_DECLARE_STRUCT(bp_encoder, BP_ENCODER_FIELDS);

/*
** Where a default of 0 or -1 means "follows from the other fields" the doc says so, and
** bp_model_resolve() puts the number in. Layers are counted by kind: a layer has a mixer (attention,
** linear attention or state space) and usually a feed-forward part; hybrids that alternate single
** sub-layers give attention_layers, mamba_layers and ffn_layers that do not each equal layers.
*/
#define BP_MODEL_FIELDS(F, S)                                                                       \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                          \
    F(S, NOTE, family, , "", 0, 0, 0, "series it belongs to")                                       \
    F(S, NOTE, source, , "", 0, 0, 0, "where the shape was read")                                   \
    F(S, NOTE, notes, , "", 0, 0, 0, "what else a reader should know")                              \
    F(S, NOTE, quantization, , "", 0, 0, 0, "weight format of the published checkpoint")            \
    F(S, NOTE, published_params, , "", 0, 0, 0, "parameter count its authors state")                \
    F(S, NOTE, published_source, , "", 0, 0, 0, "where that count was stated")                      \
    F(S, NOTE, own_attention, , "", 0, 0, 0,                                                        \
      "of its authors' code for Transformers, for fine-tuning only: unfused")                       \
    F(S, NOTE, rope, , "", 0, 0, 0,                                                                 \
      "rotary positions, for launch settings only: { base, share, scaling, factor, from_tok }")     \
    F(S, NOTE, router, , "", 0, 0, 0,                                                               \
      "router of experts, for launch settings only: { score, normalized, scale, expert_bias }")     \
    F(S, ENUM, arch, bp_arch, "", BP_ARCH_DECODER, 0, 0, "decoder, encoder or vision transformer")  \
    F(S, INT, layers, , "", BP_REQUIRED, 1, 100000, "transformer layers")                           \
    F(S, INT, hidden, , "", BP_REQUIRED, 1, 1e7, "width of the residual stream")                    \
    F(S, INT, heads, , "", BP_REQUIRED, 1, 1e6, "attention heads")                                  \
    F(S, INT, kv_heads, , "", 0, 0, 1e6, "key/value heads (GQA); 0 = heads")                        \
    F(S, INT, head_dim, , "", 0, 0, 1e6, "width of one head; 0 = hidden / heads")                   \
    F(S, INT, ffn_hidden, , "", 0, 0, 1e8, "width of the dense feed-forward part; 0 = none")        \
    F(S, FLAG, gated_mlp, , "", 1, 0, 1, "gate, up and down matrices instead of up and down")       \
    F(S, INT, vocab, , "", 0, 0, 1e9, "vocabulary rows (as stored); 0 = no token embedding")        \
    F(S, FLAG, tied_embeddings, , "", 0, 0, 1, "head shares the embedding matrix")                  \
    F(S, INT, embedding_dim, , "", 0, 0, 1e7,                                                       \
      "width of the token embedding, projected to hidden; 0 = hidden")                              \
    F(S, FLAG, lm_head, , "", 1, 0, 1, "has a vocabulary head at all")                              \
    F(S, FLAG, head_bias, , "", 0, 0, 1, "bias on the vocabulary head (GPT-J, Phi)")                \
    F(S, INT, max_seq, , "tok", 0, 0, 1e12, "longest context it was made for; 0 = unknown")         \
    F(S, INT, rotary_dim, , "", 0, 0, 1e6,                                                          \
      "part of a head that rotary positions turn; 0 = all of it (MLA: qk_rope_dim)")                \
    F(S, INT, learned_positions, , "", 0, 0, 1e9, "rows of a learned position table; 0 = none")     \
    F(S, INT, relative_buckets, , "", 0, 0, 1e6,                                                    \
      "rows of a table of relative positions with a column for each head (T5); 0 = none")           \
    F(S, INT, token_types, , "", 0, 0, 1e6, "rows of a token-type table (BERT)")                    \
    F(S, ENUM, norm, bp_norm, "", BP_NORM_RMS, 0, 0,                                                \
      "rms (weight), layer (weight and bias) or none (no weights)")                                 \
    F(S, INT, norms_per_layer, , "", 2, 0, 16, "norms of hidden width in one layer")                \
    F(S, FLAG, final_norm, , "", 1, 0, 1, "norm after the last layer")                              \
    F(S, FLAG, embedding_norm, , "", 0, 0, 1, "norm right after the embedding (BLOOM, BERT)")       \
    F(S, INT, qk_norm_dim, , "", 0, 0, 1e8,                                                         \
      "width of query and key norms per layer, each; 0 = none")                                     \
    F(S, INT, k_norm_dim, , "", 0, 0, 1e8,                                                          \
      "width of the key norm where it differs; 0 = qk_norm_dim")                                    \
    F(S, FLAG, qkv_bias, , "", 0, 0, 1, "bias on query, key and value")                             \
    F(S, FLAG, key_bias, , "", 1, 0, 1, "qkv_bias is on the key, too (not in Whisper)")             \
    F(S, FLAG, out_bias, , "", 0, 0, 1, "bias on the attention output")                             \
    F(S, FLAG, mlp_bias, , "", 0, 0, 1, "bias on the feed-forward matrices")                        \
    F(S, FLAG, attention_gate, , "", 0, 0, 1, "output gate as wide as the query (Qwen3.5)")         \
    F(S, FLAG, attention_sinks, , "", 0, 0, 1, "one learned sink per head (gpt-oss)")               \
    F(S, INT, experts, , "", 0, 0, 1e6, "routed experts of a MoE layer; 0 = dense model")           \
    F(S, INT, topk, , "", 0, 0, 1e4, "routed experts a token visits")                               \
    F(S, INT, route_groups, , "", 0, 0, 1e6,                                                        \
      "groups that experts lie in (node-limited routing); 0 = one")                                 \
    F(S, INT, route_top, , "", 0, 0, 1e6,                                                           \
      "groups that the experts of a token are drawn from; 0 = all")                                 \
    F(S, INT, shared_experts, , "", 0, 0, 1e4,                                                      \
      "experts every token visits; 0 = 1 if shared_ffn is given")                                   \
    F(S, INT, moe_ffn, , "", 0, 0, 1e8, "width of one routed expert; 0 = ffn_hidden")               \
    F(S, INT, shared_ffn, , "", 0, 0, 1e8,                                                          \
      "width of all shared experts together; 0 = shared_experts * moe_ffn")                         \
    F(S, INT, moe_latent, , "", 0, 0, 1e8,                                                          \
      "experts work on a projection of this width; 0 = hidden")                                     \
    F(S, FLAG, router_bias, , "", 0, 0, 1, "one bias per expert in the router")                     \
    F(S, FLAG, shared_gate, , "", 0, 0, 1, "scalar gate on the shared experts (Qwen2-MoE)")         \
    F(S, FLAG, fused_experts, , "", 0, 0, 1,                                                        \
      "routed experts of a layer are one tensor, which bitsandbytes leaves in 16 bit (Gemma 4)")    \
    F(S, INT, dense_layers, , "", 0, 0, 100000,                                                     \
      "feed-forward layers that are dense in a MoE model; without experts all are")                 \
    F(S, INT, kv_lora_rank, , "", 0, 0, 1e7,                                                        \
      "MLA: rank of the compressed keys and values; 0 = not MLA")                                   \
    F(S, INT, q_lora_rank, , "", 0, 0, 1e7,                                                         \
      "rank of the compressed query (MLA and others); 0 = full query")                              \
    F(S, INT, qk_rope_dim, , "", 0, 0, 1e6, "MLA: rotary part of a query or key")                   \
    F(S, INT, qk_nope_dim, , "", 0, 0, 1e6, "MLA: non-rotary part of a query or key")               \
    F(S, INT, v_head_dim, , "", 0, 0, 1e6, "width of one value head; 0 = head_dim")                 \
    F(S, INT, o_lora_rank, , "", 0, 0, 1e7,                                                         \
      "output projection through this rank, per group; 0 = one matrix")                             \
    F(S, INT, o_groups, , "", 1, 1, 1e6, "groups of heads of a low-rank output projection")         \
    F(S, FLAG, shared_kv, , "", 0, 0, 1, "one projection serves as key and as value")               \
    F(S, INT, sliding_window, , "tok", 0, 0, 1e12, "tokens a windowed layer looks back; 0 = none")  \
    F(S, INT, window_layers, , "", -1, -1, 100000,                                                  \
      "attention layers with the window; -1 = all, if there is one")                                \
    F(S, FLAG, window_chunks, , "", 0, 0, 1,                                                        \
      "the window is a chunk that tokens attend within (Llama 4)")                                  \
    F(S, INT, global_kv_heads, , "", 0, 0, 1e6,                                                     \
      "key/value heads of the layers without window; 0 = kv_heads")                                 \
    F(S, INT, global_head_dim, , "", 0, 0, 1e6,                                                     \
      "head width of the layers without window; 0 = head_dim")                                      \
    F(S, FLAG, global_shared_kv, , "", 0, 0, 1,                                                     \
      "in layers without window one projection is key and value")                                   \
    F(S, INT, index_layers, , "", 0, 0, 100000,                                                     \
      "attention layers whose far keys an indexer selects (DeepSeek)")                              \
    F(S, INT, index_heads, , "", 0, 0, 1e6, "indexer: query heads")                                 \
    F(S, INT, index_dim, , "", 0, 0, 1e6, "indexer: width of a head")                               \
    F(S, INT, index_topk, , "tok", 0, 0, 1e12,                                                      \
      "indexer: keys a query attends to besides the window")                                        \
    F(S, INT, index_ratio, , "tok", 1, 1, 1e6,                                                      \
      "tokens behind one far key of an indexed layer; 1 = not compressed")                          \
    F(S, INT, compress_layers, , "", 0, 0, 100000,                                                  \
      "attention layers that see far tokens only as compressed keys")                               \
    F(S, INT, compress_ratio, , "tok", 1, 1, 1e6, "tokens behind one key of such a layer")          \
    F(S, INT, cross_layers, , "", 0, 0, 100000,                                                     \
      "decoder layers that also attend to an encoder (T5, Whisper)")                                \
    F(S, INT, cross_tok, , "tok", 0, 0, 1e9, "tokens of that encoder for one sequence")             \
    F(S, INT, attention_layers, , "", -1, -1, 100000,                                               \
      "layers with softmax attention; -1 = layers - linear_layers - mamba_layers")                  \
    F(S, INT, ffn_layers, , "", -1, -1, 100000, "layers with a feed-forward part; -1 = layers")     \
    F(S, INT, linear_layers, , "", 0, 0, 100000, "layers with gated-delta-net linear attention")    \
    F(S, INT, linear_key_heads, , "", 0, 0, 1e6, "linear attention: key heads")                     \
    F(S, INT, linear_value_heads, , "", 0, 0, 1e6, "linear attention: value heads")                 \
    F(S, INT, linear_key_dim, , "", 0, 0, 1e6, "linear attention: width of a key head")             \
    F(S, INT, linear_value_dim, , "", 0, 0, 1e6, "linear attention: width of a value head")         \
    F(S, INT, conv_kernel, , "", 0, 0, 1e4,                                                         \
      "taps of the causal convolution of linear and state-space layers")                            \
    F(S, FLAG, conv_bias, , "", 0, 0, 1, "bias on that convolution")                                \
    F(S, INT, mamba_layers, , "", 0, 0, 100000, "layers with a Mamba-2 state-space mixer")          \
    F(S, INT, mamba_heads, , "", 0, 0, 1e6, "Mamba-2: heads")                                       \
    F(S, INT, mamba_head_dim, , "", 0, 0, 1e6, "Mamba-2: width of a head")                          \
    F(S, INT, ssm_state, , "", 0, 0, 1e6, "Mamba-2: state size")                                    \
    F(S, INT, ssm_groups, , "", 0, 0, 1e6, "Mamba-2: groups that share B and C")                    \
    F(S, INT, mtp_layers, , "", 0, 0, 1000, "multi-token-prediction layers after the last one")     \
    F(S, INT, residual_streams, , "", 1, 1, 1e4,                                                    \
      "parallel residual streams mixed at every sub-layer (hyper-connections)")                     \
    F(S, STRUCT, encoder, bp_encoder, "", 0, 0, 0,                                                  \
      "a second stack, whose tokens the decoder reads")                                             \
    F(S, NUM, images, , "", 0, 0, 1e6,                                                              \
      "images in one sequence or request, for a vision tower; their tokens are part of its length") \
    F(S, INT, image_tok, , "tok", 0, 0, 1e9,                                                        \
      "places that one image takes in the decoder's sequence; 0 = by image_size")                   \
    F(S, FLAG, encoder_frozen, , "", 0, 0, 1,                                                       \
      "the encoder is not trained: it runs forward only; its projector is trained")                 \
    F(S, INT, layer_embedding, , "", 0, 0, 1e6,                                                     \
      "width of an embedding of the token that every layer has for itself (Gemma 3n); 0 = none")    \
    F(S, INT, image_size, , "", 0, 0, 1e6, "vision: pixels of one side")                            \
    F(S, INT, patch_size, , "", 0, 0, 1e6, "vision: pixels of one side of a patch")                 \
    F(S, INT, channels, , "", 3, 1, 1e4, "vision: colour channels")                                 \
    F(S, INT, class_tokens, , "", 1, 0, 1e4, "vision: learned tokens before the patches")           \
    F(S, FLAG, patch_bias, , "", 1, 0, 1, "vision: bias on the patch embedding")                    \
    F(S, INT, classes, , "", 0, 0, 1e9, "outputs of a classification head; 0 = none")               \
    F(S, FLAG, pooler, , "", 0, 0, 1, "dense pooler on the first token (BERT)")                     \
    F(S, INT, extra_params, , "", 0, 0, 1e14,                                                       \
      "parameters outside this stack (other tower, adapters): counted, not timed")
BP_DECLARE_STRUCT(bp_model, BP_MODEL_FIELDS);

/*
** Replaces every "follows from" value by its number and checks that the shape makes sense
** (heads divide by kv_heads, topk <= experts, MLA dimensions complete, layer kinds add up).
** Afterwards kv_heads, head_dim, v_head_dim, embedding_dim, k_norm_dim, moe_ffn, shared_experts,
** shared_ffn, dense_layers, ffn_layers, attention_layers, window_layers, global_kv_heads and
** global_head_dim are numbers to count with; moe layers are ffn_layers - dense_layers, and the
** global_* fields describe the attention_layers - window_layers layers without a window.
** Of an encoder its widths and heads, cross_tok or image_tok are numbers, too.
** Idempotent. Errors: BP_EDOMAIN with the field.
*/
int bp_model_resolve(struct bp_model *model, struct bp_error *err);

/* The encoder of a resolved model as a model of its own, resolved: what all folds over layers take. */
void bp_encoder_model(const struct bp_model *model, struct bp_model *out);

#endif
