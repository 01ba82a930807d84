/* A stack of transformer blocks on few devices: cut into stages, or every matmul cut. */
#ifndef BP_KERNEL_PP_OR_TP_H
#define BP_KERNEL_PP_OR_TP_H

#include "kernel/describe/device.h"
#include "kernel/describe/network.h"
#include "kernel/field.h"
#include "kernel/status.h"

#define BP_PP_OR_TP_IN_FIELDS(F, S)                                                                \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "on what")                                        \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "connected how")                                \
    F(S, INT, ways, , "", 2, 2, 65536, "devices")                                                  \
    F(S, INT, layers, , "", BP_REQUIRED, 1, 100000, "blocks of the stack")                         \
    F(S, INT, hidden, , "", BP_REQUIRED, 1, 1e7, "width of the residual stream")                   \
    F(S, INT, ffn_hidden, , "", BP_REQUIRED, 1, 1e8, "width of the (ungated) feed-forward part")   \
    F(S, INT, tokens, , "tok", BP_REQUIRED, 1, 1e9, "tokens of one micro-batch")                   \
    F(S, INT, micro_batches, , "", 1, 1, 1e6, "micro-batches that are there to be worked on")      \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_BF16, 0, 0, "format of weights and activations")
BP_DECLARE_STRUCT(bp_pp_or_tp_in, BP_PP_OR_TP_IN_FIELDS);

#define BP_SPLIT_KIND(E)                                                                           \
    E(BP_SPLIT_KIND_PP, "pp")                                                                      \
    E(BP_SPLIT_KIND_TP, "tp")
BP_DECLARE_ENUM(bp_split_kind, BP_SPLIT_KIND);

#define BP_SPLIT_COST_FIELDS(F, S)                                                                 \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights on one device: sharded either way")     \
    F(S, NUM, stream_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "residual stream of a micro-batch on one device: whole either way")                          \
    F(S, NUM, messages, , "", 0, 0, BP_ANY, "messages per micro-batch: pp sends, tp all-reduces")  \
    F(S, NUM, message_bytes, , "B", 0, 0, BP_ANY, "one of them")                                   \
    F(S, NUM, wire_bytes, , "B", 0, 0, BP_ANY, "what one device sends for a micro-batch")          \
    F(S, NUM, network_s, , "s", 0, 0, BP_ANY, "time of the messages of a micro-batch")             \
    F(S, NUM, reached_bytes_s, , "B/s", 0, 0, BP_ANY, "wire_bytes over network_s")                 \
    F(S, NUM, latency_s, , "s", 0, 0, BP_ANY, "one micro-batch alone, first to last block")        \
    F(S, NUM, whole_s, , "s", 0, 0, BP_ANY, "all tokens as one batch, without micro-batches")      \
    F(S, NUM, micro_s, , "s", 0, 0, BP_ANY, "all tokens in micro-batches")                         \
    F(S, NUM, tokens_per_s, , "tok/s", 0, 0, BP_ANY, "throughput of the faster of these two")      \
    F(S, NUM, bubble_frac, , "frac", 0, 0, 1, "share of micro_s a device idles")
BP_DECLARE_STRUCT(bp_split_cost, BP_SPLIT_COST_FIELDS);

#define BP_PP_OR_TP_OUT_FIELDS(F, S)                                                               \
    F(S, STRUCT, pp, bp_split_cost, "", 0, 0, 0, "pipeline of stages")                             \
    F(S, STRUCT, tp, bp_split_cost, "", 0, 0, 0, "every matmul cut")                               \
    F(S, NUM, alone_s, , "s", 0, 0, BP_ANY, "one micro-batch on one device, if it had the memory") \
    F(S, ENUM, latency_pick, bp_split_kind, "", BP_SPLIT_KIND_PP, 0, 0,                            \
      "better for one micro-batch alone")                                                          \
    F(S, ENUM, throughput_pick, bp_split_kind, "", BP_SPLIT_KIND_PP, 0, 0,                         \
      "better for all of them")                                                                    \
    F(S, NUM, latency_breakeven_bytes_s, , "B/s", 0, 0, BP_ANY,                                    \
      "what all-reduces must reach for tp to have the better latency; 0 = no bandwidth is enough") \
    F(S, NUM, throughput_breakeven_bytes_s, , "B/s", 0, 0, BP_ANY,                                 \
      "what they must reach for tp to have the better throughput; 0 = no bandwidth is enough")
BP_DECLARE_STRUCT(bp_pp_or_tp_out, BP_PP_OR_TP_OUT_FIELDS);

int bp_pp_or_tp(const struct bp_pp_or_tp_in *in, struct bp_pp_or_tp_out *out, struct bp_error *err);

#endif
