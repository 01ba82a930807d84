/* One matmul Y = A W on paper: its bytes and whether they fit, and what cutting it over devices costs. */
#ifndef BP_KERNEL_MATMUL_H
#define BP_KERNEL_MATMUL_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/status.h"

/*
** headroom: allocators round up and fragment; 10 % is an assumption. Workspace: cuBLAS asks for
** 32 MiB on Hopper and Blackwell, 4 MiB before (cuBLAS 12 documentation, section 2.1.4).
*/
#define BP_MATMUL_IN_FIELDS(F, S)                                                                  \
    F(S, INT, m, , "", BP_REQUIRED, 1, 1e12, "rows of A and Y (tokens)")                           \
    F(S, INT, k, , "", BP_REQUIRED, 1, 1e12, "columns of A, rows of W (input features)")           \
    F(S, INT, n, , "", BP_REQUIRED, 1, 1e12, "columns of W and Y (output features)")               \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_BF16, 0, 0, "format in which A, W and Y are stored")  \
    F(S, ENUM, accumulate, bp_dtype, "", BP_DTYPE_FP32, 0, 0,                                      \
      "format of the sums; stored only under split_k")                                             \
    F(S, INT, split_k, , "", 1, 1, 1024,                                                           \
      "parts that k is cut into, each with partial sums of its own")                               \
    F(S, NUM, headroom_frac, , "frac", 0.1, 0, 2,                                                  \
      "fragmentation and rounding, on top of A, W and Y")                                          \
    F(S, INT, workspace_bytes, , "B", 33554432, 0, 1e12, "workspace of the matmul library")        \
    F(S, FLAG, bias, , "", 0, 0, 1, "a bias of n is added")                                        \
    F(S, FLAG, residual, , "", 0, 0, 1, "a residual of m x n is added")                            \
    F(S, NUM, kv_bytes, , "B", 0, 0, 1e16, "key/value cache that lives beside it (kv_cache)")      \
    F(S, FLAG, training, , "", 0, 0, 1, "gradients, optimizer and retained inputs are kept too")   \
    F(S, INT, in_flight, , "", 1, 1, 1e6, "training: micro-batches whose input is retained")       \
    F(S, NUM, optimizer_bytes_per_param, , "B", 12, 0, 64,                                         \
      "training: fp32 master and two moments of Adam")                                             \
    F(S, INT, device_bytes, , "B", BP_REQUIRED, 1, 1e15, "memory V of the device")
BP_DECLARE_STRUCT(bp_matmul_in, BP_MATMUL_IN_FIELDS);

#define BP_MATMUL_OUT_FIELDS(F, S)                                                                 \
    F(S, FLAG, fits, , "", 0, 0, 1, "total_bytes is at most device_bytes")                         \
    F(S, NUM, total_bytes, , "B", 0, 0, BP_ANY, "sum of the lines below")                          \
    F(S, NUM, spare_bytes, , "B", 0, -BP_ANY, BP_ANY,                                              \
      "device_bytes less that; negative: too much")                                                \
    F(S, NUM, a_bytes, , "B", 0, 0, BP_ANY, "A, m x k")                                            \
    F(S, NUM, w_bytes, , "B", 0, 0, BP_ANY, "W, k x n")                                            \
    F(S, NUM, y_bytes, , "B", 0, 0, BP_ANY, "Y, m x n")                                            \
    F(S, NUM, headroom_bytes, , "B", 0, 0, BP_ANY, "fragmentation and rounding")                   \
    F(S, NUM, workspace_bytes, , "B", 0, 0, BP_ANY, "workspace of the library")                    \
    F(S, NUM, partial_bytes, , "B", 0, 0, BP_ANY, "partial sums under split_k")                    \
    F(S, NUM, bias_bytes, , "B", 0, 0, BP_ANY, "bias")                                             \
    F(S, NUM, residual_bytes, , "B", 0, 0, BP_ANY, "residual")                                     \
    F(S, NUM, kv_bytes, , "B", 0, 0, BP_ANY, "key/value cache")                                    \
    F(S, NUM, gradients_bytes, , "B", 0, 0, BP_ANY, "gradients of A, W and Y")                     \
    F(S, NUM, optimizer_bytes, , "B", 0, 0, BP_ANY, "optimizer states of W")                       \
    F(S, NUM, retained_bytes, , "B", 0, 0, BP_ANY,                                                 \
      "inputs of other micro-batches kept for backward")                                           \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "2 m k n, in training 6 m k n")                        \
    F(S, NUM, intensity, , "FLOP/B", 0, 0, BP_ANY, "2 m k n over the bytes of A, W and Y")
BP_DECLARE_STRUCT(bp_matmul_out, BP_MATMUL_OUT_FIELDS);

int bp_matmul(const struct bp_matmul_in *in, struct bp_matmul_out *out, struct bp_error *err);

/* What tensor parallelism cuts: the columns of W (n) or its rows (k). */
#define BP_CUT(E)                                                                                  \
    E(BP_CUT_COLUMN, "column")                                                                     \
    E(BP_CUT_ROW, "row")
BP_DECLARE_ENUM(bp_cut, BP_CUT);

#define BP_CUT_COLLECTIVE(E)                                                                       \
    E(BP_CUT_COLLECTIVE_NONE, "none")                                                              \
    E(BP_CUT_COLLECTIVE_ALL_GATHER, "all_gather")                                                  \
    E(BP_CUT_COLLECTIVE_ALL_REDUCE, "all_reduce")
BP_DECLARE_ENUM(bp_cut_collective, BP_CUT_COLLECTIVE);

#define BP_MATMUL_SPLIT_IN_FIELDS(F, S)                                                            \
    F(S, INT, m, , "", BP_REQUIRED, 1, 1e12, "rows of A and Y (tokens)")                           \
    F(S, INT, k, , "", BP_REQUIRED, 1, 1e12, "columns of A, rows of W (input features)")           \
    F(S, INT, n, , "", BP_REQUIRED, 1, 1e12, "columns of W and Y (output features)")               \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_BF16, 0, 0, "format in which A, W and Y are stored")  \
    F(S, ENUM, cut, bp_cut, "", BP_REQUIRED, 0, 0, "column cuts n, row cuts k")                    \
    F(S, INT, ways, , "", BP_REQUIRED, 1, 65536, "devices it is cut over")                         \
    F(S, FLAG, chained, , "", 0, 0, 1,                                                             \
      "a column cut is followed by a row cut, which takes Y as it lies")
BP_DECLARE_STRUCT(bp_matmul_split_in, BP_MATMUL_SPLIT_IN_FIELDS);

#define BP_MATMUL_SPLIT_OUT_FIELDS(F, S)                                                           \
    F(S, NUM, a_bytes, , "B", 0, 0, BP_ANY, "A on one device")                                     \
    F(S, NUM, w_bytes, , "B", 0, 0, BP_ANY, "W on one device")                                     \
    F(S, NUM, y_bytes, , "B", 0, 0, BP_ANY, "Y on one device, before the collective")              \
    F(S, FLAG, a_sharded, , "", 0, 0, 1, "A is cut, not replicated")                               \
    F(S, FLAG, y_sharded, , "", 0, 0, 1, "Y is cut before the collective, not whole")              \
    F(S, ENUM, forward, bp_cut_collective, "", BP_CUT_COLLECTIVE_NONE, 0, 0,                       \
      "collective of the forward pass")                                                            \
    F(S, NUM, forward_bytes, , "B", 0, 0, BP_ANY, "its message")                                   \
    F(S, NUM, forward_wire_bytes, , "B", 0, 0, BP_ANY, "what one device sends for it in a ring")   \
    F(S, ENUM, backward, bp_cut_collective, "", BP_CUT_COLLECTIVE_NONE, 0, 0,                      \
      "collective of the backward pass")                                                           \
    F(S, NUM, backward_bytes, , "B", 0, 0, BP_ANY, "its message")                                  \
    F(S, NUM, backward_wire_bytes, , "B", 0, 0, BP_ANY, "what one device sends for it in a ring")
BP_DECLARE_STRUCT(bp_matmul_split_out, BP_MATMUL_SPLIT_OUT_FIELDS);

int bp_matmul_split(const struct bp_matmul_split_in *in, struct bp_matmul_split_out *out,
                    struct bp_error *err);

/* An all-reduce on paper, to see what the quoted bandwidth means. */
#define BP_RING_RULE_IN_FIELDS(F, S)                                                               \
    F(S, NUM, bytes, , "B", BP_REQUIRED, 0, 1e18, "the buffer every rank holds")                   \
    F(S, INT, ranks, , "", BP_REQUIRED, 1, 1e8, "ranks")                                           \
    F(S, NUM, bw_bytes_s, , "B/s", BP_REQUIRED, 1, 1e15, "bandwidth of one rank, per direction")   \
    F(S, NUM, count, , "", 1, 0, 1e12, "how many of them, one after another")
BP_DECLARE_STRUCT(bp_ring_rule_in, BP_RING_RULE_IN_FIELDS);

#define BP_RING_RULE_OUT_FIELDS(F, S)                                                              \
    F(S, NUM, wire_bytes, , "B", 0, 0, BP_ANY, "what one rank sends for one")                      \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "all of them in a ring, bandwidth alone")               \
    F(S, NUM, two_way_s, , "s", 0, 0, BP_ANY,                                                      \
      "bytes over the bandwidth of both directions: a common short cut, too low")
BP_DECLARE_STRUCT(bp_ring_rule_out, BP_RING_RULE_OUT_FIELDS);

int bp_ring_rule(const struct bp_ring_rule_in *in, struct bp_ring_rule_out *out,
                 struct bp_error *err);

#endif
