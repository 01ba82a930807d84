/* What the routed experts of one layer cost when they are served: time by tokens and experts hit. */
#ifndef BP_KERNEL_INFER_MOE_H
#define BP_KERNEL_INFER_MOE_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/layer/infer_format.h"
#include "kernel/status.h"

/* Fused experts of one number format on one device, see bp_moe. */
#define BP_MOE_CURVE_FIELDS(F, S)                                                                  \
    F(S, NOTE, from, , "", 0, 0, 0, "whose measurements, and how well the curve meets them")       \
    F(S, NUM, u, , "frac", 0.35, 0.001, 2, "share of the dense peak that many tokens reach")       \
    F(S, NUM, w, , "frac", 0.85, 0.01, 4, "share of memory bandwidth the weights are read at")     \
    F(S, NUM, pass, , "frac", 0.4, 0.01, 4,                                                        \
      "share of memory bandwidth that tokens are permuted, quantised and combined at")             \
    F(S, NUM, others, , "frac", 0, 0, 4,                                                           \
      "the same of visits to experts of other ranks, which some kernels pass over; 0: none are")   \
    F(S, NUM, t0_s, , "s", 3e-5, 0, 1, "time of an empty call: routing, permuting, launches")      \
    F(S, NUM, expert_s, , "s", 1e-7, 0, 1,                                                         \
      "of it, more for each expert of a rank, whether a token visits it or not")                   \
    F(S, NUM, spread, , "", 1, 0.1, 1e6,                                                           \
      "how alike experts are favoured: shape of a gamma distribution; large = all alike")          \
    F(S, NUM, skew, , "", 0.3, 0, 3,                                                               \
      "extra load of the fullest rank per doubling of expert-parallel ranks")
BP_DECLARE_STRUCT(bp_moe_curve, BP_MOE_CURVE_FIELDS);

/* The curves of a device by what multiplies, and how the weights of 16-bit kernels are stored. */
enum bp_moe_set { BP_MOE_16, BP_MOE_16_PACKED, BP_MOE_8, BP_MOE_8_BLOCK, BP_MOE_4 };
extern const char *const bp_moe_set_names[];

/* The curve of what the device multiplies; packed weights have kernels of their own. */
enum bp_moe_set bp_moe_set_of(enum bp_dtype dtype, enum bp_format format);

struct bp_moe_shape {
    double tokens, experts, topk, hidden, ffn, matrices; /* matrices: 3 gated, 2 not */
    double tp, ep;
};

/* Seconds on the fullest rank; `dtype` multiplies weights of weight_bytes per element. */
double bp_moe_time(const struct bp_device *device, const struct bp_moe_curve *curve,
                   enum bp_dtype dtype, double weight_bytes, const struct bp_moe_shape *shape);

#define BP_MOE_IN_FIELDS(F, S)                                                                     \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "what runs it")                                   \
    F(S, STRUCT, curve, bp_moe_curve, "", 0, 0, 0, "how fast it runs such layers")                 \
    F(S, ENUM, weights, bp_format, "", BP_FORMAT_BF16, 0, 0, "format of the experts")              \
    F(S, ENUM, activations, bp_format, "", BP_FORMAT_AUTO, 0, 0, "format of what they multiply")   \
    F(S, NUM, tokens, , "tok", BP_REQUIRED, 0, 1e9, "tokens of the step, over all ranks")          \
    F(S, INT, experts, , "", BP_REQUIRED, 1, 1e6, "routed experts of the layer")                   \
    F(S, INT, topk, , "", BP_REQUIRED, 1, 1e4, "experts a token visits")                           \
    F(S, INT, hidden, , "", BP_REQUIRED, 1, 1e7, "width of a token")                               \
    F(S, INT, ffn, , "", BP_REQUIRED, 1, 1e8, "width of one expert")                               \
    F(S, FLAG, gated, , "", 1, 0, 1, "gate, up and down matrices instead of up and down")          \
    F(S, INT, tp, , "", 1, 1, 65536, "ranks that an expert is sliced over")                        \
    F(S, INT, ep, , "", 1, 1, 65536, "ranks that the experts are dealt to")
BP_DECLARE_STRUCT(bp_moe_in, BP_MOE_IN_FIELDS);

#define BP_MOE_OUT_FIELDS(F, S)                                                                    \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the layer's experts on the fullest rank")      \
    F(S, NUM, hit, , "", 0, 0, BP_ANY, "experts of a rank whose weights are read")                 \
    F(S, NUM, weight_bytes, , "B", 0, 0, BP_ANY, "weights read by a rank")                         \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "work of the mean rank")                               \
    F(S, ENUM, set, bp_moe_set, "", 0, 0, 0, "which of a device's curves is that of these formats")
BP_DECLARE_STRUCT(bp_moe_out, BP_MOE_OUT_FIELDS);

int bp_moe(const struct bp_moe_in *in, struct bp_moe_out *out, struct bp_error *err);

#endif
