/*
** One sequence on one machine, or some in lock-step: prompt and generation speed and memory where weights are packed in a
** few bits, layers or experts may stay with the host, and one or a few devices share the model.
*/
#ifndef BP_KERNEL_LOCAL_INFERENCE_H
#define BP_KERNEL_LOCAL_INFERENCE_H

#include "kernel/describe/device.h"
#include "kernel/describe/model.h"
#include "kernel/field.h"
#include "kernel/local/local_engine.h"
#include "kernel/status.h"

/* Stored bytes of the parts of a model, with scales and biases: sums over its tensors. */
#define BP_LOCAL_WEIGHTS_FIELDS(F, S)                                                              \
    F(S, NUM, embedding_bytes, , "B", BP_REQUIRED, 0, 1e15,                                        \
      "token embedding, of which a row is read")                                                   \
    F(S, NUM, layer_bytes, , "B", BP_REQUIRED, 0, 1e15, "layers without routed experts")           \
    F(S, NUM, expert_bytes, , "B", 0, 0, 1e15, "routed experts of all layers")                     \
    F(S, NUM, head_bytes, , "B", BP_REQUIRED, 0, 1e15,                                             \
      "vocabulary head, the embedding again where tied")                                           \
    F(S, FLAG, plain_blocks, , "", 0, 0, 1, "weights in few bits lie in blocks of 32 with a scale")
BP_DECLARE_STRUCT(bp_local_weights, BP_LOCAL_WEIGHTS_FIELDS);

#define BP_LOCAL_INFERENCE_IN_FIELDS(F, S)                                                         \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what writes")                                      \
    F(S, STRUCT, weights, bp_local_weights, "", 0, 0, 0, "how it is stored")                       \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "what computes")                                  \
    F(S, STRUCT, engine, bp_local_engine, "", 0, 0, 0, "by which software")                        \
    F(S, STRUCT, host, bp_device, "", 0, 0, 0, "processor that has the layers the device has not") \
    F(S, STRUCT, host_engine, bp_local_engine, "", 0, 0, 0, "the software on that processor")      \
    F(S, INT, devices, , "", 1, 1, 1024, "devices that share the model")                           \
    F(S, STRUCT, other, bp_device, "", 0, 0, 0, "a second kind of device, behind the first")       \
    F(S, STRUCT, other_engine, bp_local_engine, "", 0, 0, 0, "the software on that kind")          \
    F(S, INT, others, , "", 0, 0, 1024,                                                            \
      "devices of it that share the model: the last layers and the head are here")                 \
    F(S, INT, device_layers, , "", -1, -1, 100000,                                                 \
      "layers on devices, the rest with the host; -1 = all, and the head")                         \
    F(S, INT, host_experts, , "", 0, 0, 100000,                                                    \
      "first layers whose routed experts stay with the host")                                      \
    F(S, INT, sequences, , "", 1, 1, 1e6,                                                          \
      "sequences that begin together and take every step together")                                \
    F(S, INT, prompt_tok, , "tok", 512, 1, 1e9, "tokens of the prompt of each")                    \
    F(S, INT, ubatch_tok, , "tok", 0, 0, 1e6,                                                      \
      "tokens of a prompt in one pass at most; 0 = as the engine does")                            \
    F(S, INT, depth_tok, , "tok", 0, 0, 1e9, "tokens before the prompt, cached already")           \
    F(S, NUM, at_tok, , "tok", 0, 0, 1e9, "tokens that a generated one attends to")                \
    F(S, INT, context_tok, , "tok", 4096, 1, 1e9, "tokens of each that the cache has room for")    \
    F(S, NUM, kv_value_bytes, , "B", 2, 0.25, 8, "stored size of a key or value element")          \
    F(S, FLAG, flash, , "", 1, 0, 1, "fused attention, which keeps no scores")                     \
    F(S, NUM, reserve_bytes, , "B", 4e8, 0, 1e12, "device context and libraries, on every device") \
    F(S, NUM, usable_frac, , "frac", 0.97, 0.05, 1,                                                \
      "share of a device's memory that is free for all this")
BP_DECLARE_STRUCT(bp_local_inference_in, BP_LOCAL_INFERENCE_IN_FIELDS);

#define BP_LOCAL_BOUND(E)                                                                          \
    E(BP_LOCAL_BOUND_BANDWIDTH, "bandwidth")                                                       \
    E(BP_LOCAL_BOUND_CACHE, "KV cache")                                                            \
    E(BP_LOCAL_BOUND_HOST, "host, launches")                                                       \
    E(BP_LOCAL_BOUND_OFFLOAD, "layers on the host")                                                \
    E(BP_LOCAL_BOUND_COMPUTE, "compute")
BP_DECLARE_ENUM(bp_local_bound, BP_LOCAL_BOUND);

#define BP_LOCAL_INFERENCE_OUT_FIELDS(F, S)                                                        \
    F(S, NUM, token_s, , "s", 0, 0, BP_ANY, "time of one generated token of every sequence")       \
    F(S, NUM, tokens_per_s, , "1/s", 0, 0, BP_ANY, "tokens generated per second, all sequences")   \
    F(S, NUM, token_weights_s, , "s", 0, 0, BP_ANY,                                                \
      "of it, reading and unpacking weights on devices")                                           \
    F(S, NUM, token_cache_s, , "s", 0, 0, BP_ANY, "of it, attending to the cache")                 \
    F(S, NUM, token_offload_s, , "s", 0, 0, BP_ANY, "of it, layers and experts on the host")       \
    F(S, NUM, token_other_s, , "s", 0, 0, BP_ANY, "of it, launches, hops and sampling")            \
    F(S, ENUM, token_bound, bp_local_bound, "", 0, 0, 0, "what takes most of it")                  \
    F(S, NUM, token_bytes, , "B", 0, 0, BP_ANY, "weights and cache read for it, all places")       \
    F(S, NUM, prompt_s, , "s", 0, 0, BP_ANY, "time of the prompts")                                \
    F(S, NUM, prompt_tokens_per_s, , "1/s", 0, 0, BP_ANY, "tokens of prompts per second")          \
    F(S, NUM, prompt_matmul_s, , "s", 0, 0, BP_ANY, "of it, matmuls and what is between them")     \
    F(S, NUM, prompt_attention_s, , "s", 0, 0, BP_ANY, "of it, attention")                         \
    F(S, NUM, prompt_other_s, , "s", 0, 0, BP_ANY, "of it, passes, hops, layers on the host")      \
    F(S, ENUM, prompt_bound, bp_local_bound, "", 0, 0, 0, "what takes most of it")                 \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights, all places")                           \
    F(S, NUM, cache_bytes, , "B", 0, 0, BP_ANY, "KV cache for context_tok, all places")            \
    F(S, NUM, device_weights_bytes, , "B", 0, 0, BP_ANY, "weights on the fullest device")          \
    F(S, NUM, device_cache_bytes, , "B", 0, 0, BP_ANY, "KV cache on it")                           \
    F(S, NUM, compute_bytes, , "B", 0, 0, BP_ANY, "compute buffer of one device")                  \
    F(S, NUM, device_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "all on the fullest device, its context included")                                           \
    F(S, NUM, other_layers, , "", 0, 0, BP_ANY, "layers on the second kind of device")             \
    F(S, NUM, other_weights_bytes, , "B", 0, 0, BP_ANY, "weights on the fullest device of it")     \
    F(S, NUM, other_cache_bytes, , "B", 0, 0, BP_ANY, "KV cache on that")                          \
    F(S, NUM, other_bytes, , "B", 0, 0, BP_ANY, "all on that")                                     \
    F(S, NUM, host_bytes, , "B", 0, 0, BP_ANY, "with the host")                                    \
    F(S, NUM, host_cache_bytes, , "B", 0, 0, BP_ANY, "of it, KV cache")                            \
    F(S, NUM, usable_bytes, , "B", 0, 0, BP_ANY, "of a device's memory")                           \
    F(S, NUM, other_usable_bytes, , "B", 0, 0, BP_ANY, "of that of the second kind")               \
    F(S, NUM, host_usable_bytes, , "B", 0, 0, BP_ANY, "of the host's memory")                      \
    F(S, FLAG, fits, , "", 0, 0, 1, "devices and host have room")
BP_DECLARE_STRUCT(bp_local_inference_out, BP_LOCAL_INFERENCE_OUT_FIELDS);

int bp_local_inference(const struct bp_local_inference_in *in, struct bp_local_inference_out *out,
                       struct bp_error *err);

#endif
