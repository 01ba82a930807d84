/* What softmax attention costs: fused (flash) or with a stored score matrix, forward and backward. */
#ifndef BP_KERNEL_ATTENTION_H
#define BP_KERNEL_ATTENTION_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/status.h"

/*
** The attention of one layer on one device. Queries are the last seq_q positions of seq_kv. window
** (0 = none) counts the positions a query sees, itself included: looking back when causal, around
** itself when not. qk_dim and v_dim differ under MLA only.
*/
struct bp_attention_shape {
    double batch, heads, kv_heads, qk_dim, v_dim, seq_q, seq_kv, window;
    double score_passes; /* unfused: 16-bit passes over the scores; see BP_SCORE_PASSES */
    int causal, flash;
    int trained; /* as a training step calls the fused kernel, see flash_time */
};

/*
** Without fusion: passes of 16 bit over the scores for scale, mask, softmax and dropout (fitted to
** whole training steps of unfused attention: 5.1); the two matmuls' own traffic is not in it.
*/
#define BP_SCORE_PASSES 5.0

/* Score pairs (query, key) of one head and one sequence that the mask leaves to be computed. */
double bp_attention_pairs(const struct bp_attention_shape *shape);

/* Multiply-adds counted as two, masked pairs not credited: 2 (qk_dim + v_dim) pairs batch heads. */
double bp_attention_flop(const struct bp_attention_shape *shape);

/* Seconds; all members of shape positive (window may be 0). 16-bit operands. */
double bp_attention_time(const struct bp_device *device, const struct bp_attention_shape *shape);
double bp_attention_backward_time(const struct bp_device *device,
                                  const struct bp_attention_shape *shape);

/*
** Where an indexer selects keys, a query computes as many pairs as within a window of that size, which lie
** elsewhere.
*/
double bp_attention_reach(double window, double selected);

#define BP_ATTENTION_IN_FIELDS(F, S)                                                               \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "what runs it")                                   \
    F(S, INT, batch, , "", 1, 1, 1e9, "sequences")                                                 \
    F(S, INT, heads, , "", BP_REQUIRED, 1, 1e6, "query heads")                                     \
    F(S, INT, kv_heads, , "", 0, 0, 1e6, "key/value heads; 0 = heads")                             \
    F(S, INT, head_dim, , "", 128, 1, 1e6, "width of a query and key head")                        \
    F(S, INT, v_head_dim, , "", 0, 0, 1e6, "width of a value head; 0 = head_dim")                  \
    F(S, INT, seq_q, , "tok", BP_REQUIRED, 1, 1e9, "query tokens of one sequence")                 \
    F(S, INT, seq_kv, , "tok", 0, 0, 1e9, "key tokens of one sequence; 0 = seq_q")                 \
    F(S, INT, window, , "tok", 0, 0, 1e9, "tokens a query sees, itself included; 0 = all")         \
    F(S, FLAG, causal, , "", 1, 0, 1, "a query sees no later key")                                 \
    F(S, FLAG, flash, , "", 1, 0, 1, "fused kernel that never stores the scores")                  \
    F(S, FLAG, backward, , "", 0, 0, 1, "the backward pass instead of the forward pass")           \
    F(S, FLAG, trained, , "", 0, 0, 1,                                                             \
      "as in training: rotation and layout are other kernels, values as wide as queries")
BP_DECLARE_STRUCT(bp_attention_in, BP_ATTENTION_IN_FIELDS);

#define BP_ATTENTION_OUT_FIELDS(F, S)                                                              \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the pass")                                     \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY,                                                        \
      "work without masked pairs; backward 2.5 times forward")                                     \
    F(S, NUM, pairs, , "", 0, 0, BP_ANY, "score pairs of one head and sequence")                   \
    F(S, NUM, util_frac, , "frac", 0, 0, BP_ANY, "share of the 16-bit peak that is reached")
BP_DECLARE_STRUCT(bp_attention_out, BP_ATTENTION_OUT_FIELDS);

int bp_attention(const struct bp_attention_in *in, struct bp_attention_out *out,
                 struct bp_error *err);

#endif
