/* What a serving replica keeps in memory, and how many sequences find room. */
#ifndef BP_KERNEL_INFER_MEMORY_H
#define BP_KERNEL_INFER_MEMORY_H

#include "kernel/field.h"
#include "kernel/serve/infer_case.h"
#include "kernel/status.h"

#define BP_INFER_MEMORY_IN_FIELDS(F, S)                                                            \
    BP_INFER_SETUP_FIELDS(F, S)                                                                    \
    F(S, NUM, sequence_tokens, , "tok", 2048, 1, 1e12, "tokens of a sequence, prompt and answer")
BP_DECLARE_STRUCT(bp_infer_memory_in, BP_INFER_MEMORY_IN_FIELDS);

#define BP_INFER_MEMORY_OUT_FIELDS(F, S)                                                           \
    F(S, FLAG, fits, , "", 0, 0, 1, "at least one such sequence finds room")                       \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights on a device")                           \
    F(S, NUM, rotary_bytes, , "B", 0, 0, BP_ANY, "table of rotary positions on a device")          \
    F(S, NUM, adapters_bytes, , "B", 0, 0, BP_ANY, "room for LoRA adapters on a device")           \
    F(S, NUM, activations_bytes, , "B", 0, 0, BP_ANY, "workspace of the largest step")             \
    F(S, NUM, graphs_bytes, , "B", 0, 0, BP_ANY, "captured graphs")                                \
    F(S, NUM, buffers_bytes, , "B", 0, 0, BP_ANY, "buffers of collectives and libraries")          \
    F(S, NUM, context_bytes, , "B", 0, 0, BP_ANY, "device context and libraries")                  \
    F(S, NUM, beside_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "context and graphs that usable_bytes leaves out")                                           \
    F(S, NUM, usable_bytes, , "B", 0, 0, BP_ANY, "what the engine allows itself on a device")      \
    F(S, NUM, pool_bytes, , "B", -BP_ANY, -BP_ANY, BP_ANY,                                         \
      "left for keys, values and states on a device; below 0: so much is missing")                 \
    F(S, NUM, sequence_bytes, , "B", 0, 0, BP_ANY, "one such sequence on a device, in blocks")     \
    F(S, NUM, pool_tokens, , "tok", 0, 0, BP_ANY, "tokens the replica's pool holds")               \
    F(S, NUM, max_sequences, , "", 0, 0, BP_ANY, "such sequences the replica holds at one time")
BP_DECLARE_STRUCT(bp_infer_memory_out, BP_INFER_MEMORY_OUT_FIELDS);

/* The same of a prepared case, for sequences of that length. */
int bp_infer_memory_of(const struct bp_infer_case *c, double sequence_tokens,
                       struct bp_infer_memory_out *out, struct bp_error *err);

/*
** The KV pool of a replica, in tokens that a sequence grows by. Each sequence also holds, from its admission and whatever
** its length, its cross-attention KV and recurrent states: as much as `beside` such tokens.
*/
struct bp_infer_room {
    double tokens, beside;
    double shared; /* tokens that a group holds once, in whole blocks; no part of `tokens` */
};

/*
** That of a pool of so many tokens of sequences of that length, of which the first shared_tokens are the same in all. What
** sequences have beyond those is theirs: what looks back on a window holds it for each of them.
*/
int bp_infer_room_of(const struct bp_infer_case *c, double sequence_tokens, double shared_tokens,
                     double pool_tokens, struct bp_infer_room *out, struct bp_error *err);

int bp_infer_memory(const struct bp_infer_memory_in *in, struct bp_infer_memory_out *out,
                    struct bp_error *err);

#endif
