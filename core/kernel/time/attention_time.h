/* What softmax attention costs: fused (flash) or with a stored score matrix, forward and backward. */
#ifndef BP_KERNEL_ATTENTION_TIME_H
#define BP_KERNEL_ATTENTION_TIME_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/layer/attention.h"
#include "kernel/status.h"

/*
** The device as attention of operands of a format sees it: curves and traffic are of 16-bit operands, which those in 8 bit
** have as well. fp32 ones have another peak and twice the bytes, as if the device read half as fast.
*/
struct bp_device bp_attention_device(const struct bp_device *device, enum bp_dtype dtype);

/* Seconds; all members of shape positive (window may be 0). 16-bit operands. */
double bp_attention_time(const struct bp_device *device, const struct bp_attention_shape *shape);

/* The same of a fused kernel that has a curve of its own; u is of the device's 16-bit peak. */
double bp_attention_time_by(const struct bp_device *device, const struct bp_attention_curve *curve,
                            const struct bp_attention_shape *shape);
double bp_attention_backward_time(const struct bp_device *device,
                                  const struct bp_attention_shape *shape);

/*
** Where scores are stored: the two matmuls, and the passes of scale, mask, softmax and dropout over all scores, masked or
** not, at the whole memory bandwidth.
*/
struct bp_unfused_attention {
    double matmul, softmax;
};
struct bp_unfused_attention bp_unfused_attention(const struct bp_device *device,
                                                 const struct bp_attention_shape *shape);

/*
** The same backward, over forward: two matmuls for each, and 5.5 passes for 4.5. Forward, a fused softmax with scale and
** mask reads and writes (2), dropout reads, writes and keeps a mask of half a pass (2.5); backward the softmax reads its
** output and the gradient and writes one (3), dropout reads the gradient and the mask and writes (2.5). Counted.
*/
#define BP_UNFUSED_BACKWARD_MATMULS 2.0
#define BP_UNFUSED_BACKWARD_PASSES (5.5 / 4.5)

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
