/* What attention remembers of the tokens so far: bytes of the key/value cache and of states. */
#ifndef BP_KERNEL_KV_H
#define BP_KERNEL_KV_H

#include "kernel/describe/model.h"
#include "kernel/field.h"
#include "kernel/status.h"

#define BP_KV_CACHE_IN_FIELDS(F, S)                                                                \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is served")                                   \
    F(S, NUM, sequences, , "", 1, 0, 1e9, "sequences held at one time")                            \
    F(S, NUM, tokens, , "tok", BP_REQUIRED, 0, 1e12, "tokens of each, prompt and answer")          \
    F(S, NUM, bytes_per_value, , "B", 2, 0.25, 8, "stored size of one key or value element")       \
    F(S, NUM, state_bytes_per_value, , "B", 4, 0.25, 8,                                            \
      "stored size of one element of a recurrent state")                                           \
    F(S, INT, tp, , "", 1, 1, 65536, "tensor-parallel ranks")                                      \
    F(S, INT, pp, , "", 1, 1, 65536, "pipeline stages")                                            \
    F(S, NUM, window_kept, , "frac", 0, 0, 1,                                                      \
      "share of all tokens that layers with a window have room for at least; 0 = the window's")    \
    F(S, NUM, pool_bytes, , "B", 0, 0, 1e16, "memory for the cache on one device; 0 = not asked")
BP_DECLARE_STRUCT(bp_kv_cache_in, BP_KV_CACHE_IN_FIELDS);

#define BP_KV_CACHE_OUT_FIELDS(F, S)                                                               \
    F(S, NUM, bytes_per_token, , "B", 0, 0, BP_ANY,                                                \
      "one more token while nothing is forgotten, all devices")                                    \
    F(S, NUM, sequence_bytes, , "B", 0, 0, BP_ANY, "one sequence, all devices, states included")   \
    F(S, NUM, state_bytes, , "B", 0, 0, BP_ANY,                                                    \
      "recurrent states of one sequence, whatever its length")                                     \
    F(S, NUM, total_bytes, , "B", 0, 0, BP_ANY, "all sequences, each element once")                \
    F(S, NUM, device_bytes, , "B", 0, 0, BP_ANY, "all sequences, on the fullest device")           \
    F(S, NUM, max_sequences, , "", 0, 0, BP_ANY,                                                   \
      "sequences of this length that pool_bytes holds; 0 = not asked")
BP_DECLARE_STRUCT(bp_kv_cache_out, BP_KV_CACHE_OUT_FIELDS);

int bp_kv_cache(const struct bp_kv_cache_in *in, struct bp_kv_cache_out *out, struct bp_error *err);

#endif
