/* What the parts of a request leave of its latency budget. */
#ifndef BP_KERNEL_LATENCY_H
#define BP_KERNEL_LATENCY_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_LATENCY_BUDGET_IN_FIELDS(F, S)                                                          \
    F(S, NUM, sla_s, , "s", BP_REQUIRED, 1e-9, 1e9, "SLO: the time that must hold")                \
    F(S, NUM, network_s, , "s", 0, 0, 1e9, "to the service and back")                              \
    F(S, NUM, features_s, , "s", 0, 0, 1e9, "fetching features or context")                        \
    F(S, NUM, preprocess_s, , "s", 0, 0, 1e9, "tokenising, decoding, resizing")                    \
    F(S, NUM, queue_s, , "s", 0, 0, 1e9, "waiting for a batch and for a free replica")             \
    F(S, NUM, inference_s, , "s", BP_REQUIRED, 0, 1e9, "the model")                                \
    F(S, NUM, search_s, , "s", 0, 0, 1e9, "nearest-neighbour search")                              \
    F(S, NUM, postprocess_s, , "s", 0, 0, 1e9, "ranking, filtering, detokenising")                 \
    F(S, NUM, buffer_s, , "s", 0, 0, 1e9, "kept free on purpose")
BP_DECLARE_STRUCT(bp_latency_budget_in, BP_LATENCY_BUDGET_IN_FIELDS);

#define BP_LATENCY_BUDGET_OUT_FIELDS(F, S)                                                         \
    F(S, NUM, used_s, , "s", 0, 0, BP_ANY, "sum of the parts")                                     \
    F(S, NUM, left_s, , "s", 0, -BP_ANY, BP_ANY, "what is left; negative: over the budget")        \
    F(S, FLAG, within, , "", 0, 0, 1, "the budget holds")                                          \
    F(S, NUM, inference_frac, , "frac", 0, 0, BP_ANY, "share of the budget the model takes")       \
    F(S, NUM, search_frac, , "frac", 0, 0, BP_ANY, "share of the budget the search takes")         \
    F(S, NUM, other_frac, , "frac", 0, 0, BP_ANY, "share of the budget all else takes")
BP_DECLARE_STRUCT(bp_latency_budget_out, BP_LATENCY_BUDGET_OUT_FIELDS);

int bp_latency_budget(const struct bp_latency_budget_in *in, struct bp_latency_budget_out *out,
                      struct bp_error *err);

#endif
