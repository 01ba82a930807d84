#include "kernel/layer/infer_moe.h"

#include "kernel/registry.h"

#include <math.h>

/*
** Rows of the smallest tile of a grouped matmul (CUTLASS and DeepGEMM kernels): fewer cost as much. Kernels that
** unpack weights read so few rows at the speed of memory (Marlin, arXiv:2408.11743).
*/
#define TILE_ROWS 16.0

/*
** Bytes of memory traffic for an element of a token that visits an expert, in 16 bit, beside the matmuls: read and
** written where tokens are permuted, and again where what experts say of them is combined. Ranks that slice experts
** all do so for every token.
*/
#define PASS_BYTES 8.0

static double tile_rows(enum bp_dtype dtype, double weight_bytes) {
    return bp_format_unpacks(weight_bytes, dtype) ? 1 : TILE_ROWS;
}

/*
** Experts of one rank that at least one of the tokens visits. Their popularity is gamma distributed, with shape
** `spread` and mean 1: one that is g times as popular is missed with chance exp(-g mean), over all g
** (1 + mean / spread)^-spread.
*/
static double visited(const struct bp_moe_shape *s, double spread) {
    double mean = s->tokens * s->topk / s->experts;
    double hit = s->experts / s->ep * (1 - pow(1 + mean / spread, -spread));
    /* A token visits topk different experts: no fewer, however they are favoured. */
    return fmin(s->experts / s->ep, fmax(hit, fmin(s->tokens, 1) * s->topk / s->ep));
}

static double elements(const struct bp_moe_shape *s) {
    return s->matrices * s->hidden * s->ffn / s->tp;
}

/* Load of the fullest rank over the mean: with one rank there is none fuller. */
static double fullest(const struct bp_moe_curve *curve, double ep) {
    return ep > 1 ? 1 + curve->skew * log2(ep) : 1;
}

const char *const bp_moe_set_names[] = {"moe16",      "moe16_packed", "moe8",
                                        "moe8_block", "moe4",         NULL};

enum bp_moe_set bp_moe_set_of(enum bp_dtype dtype, enum bp_format format) {
    switch (dtype) {
    case BP_DTYPE_FP8:
    case BP_DTYPE_INT8:
        return BP_MOE_8;
    case BP_DTYPE_MXFP8:
        return BP_MOE_8_BLOCK;
    case BP_DTYPE_FP4:
        return BP_MOE_4;
    case BP_DTYPE_FP32:
    case BP_DTYPE_TF32:
    case BP_DTYPE_FP16:
    case BP_DTYPE_BF16:
        break;
    }
    return format == BP_FORMAT_BF16 ? BP_MOE_16 : BP_MOE_16_PACKED;
}

/*
** Tokens on their way to the experts and back. Kernels that are launched for all visits, before the host knows whose
** they are, also pass over those of other ranks.
*/
static double passing_s(const struct bp_device *device, const struct bp_moe_curve *curve,
                        const struct bp_moe_shape *s, double visits) {
    double one_s = PASS_BYTES * s->hidden / device->mem_bw_bytes_s;
    double others = s->tokens * s->topk * (1 - 1 / s->ep);
    return one_s * (visits / curve->pass + (curve->others > 0 ? others / curve->others : 0));
}

double bp_moe_time(const struct bp_device *device, const struct bp_moe_curve *curve,
                   enum bp_dtype dtype, double weight_bytes, const struct bp_moe_shape *s) {
    double peak = bp_device_peak(device, dtype), hit, visits, rows, flop, bytes, c, b;
    if (!(s->tokens > 0)) {
        return 0;
    }
    hit = visited(s, curve->spread);
    visits = s->tokens * s->topk / s->ep * fullest(curve, s->ep);
    rows = fmax(visits, hit * tile_rows(dtype, weight_bytes));
    flop = 2 * rows * elements(s);
    bytes = hit * elements(s) * weight_bytes;
    c = flop / (peak * curve->u);
    b = bytes / (device->mem_bw_bytes_s * curve->w);
    return curve->t0_s + curve->expert_s * s->experts / s->ep + cbrt(c * c * c + b * b * b) +
           passing_s(device, curve, s, visits);
}

int bp_moe(const struct bp_moe_in *in, struct bp_moe_out *out, struct bp_error *err) {
    struct bp_moe_shape s = {in->tokens,         (double)in->experts, (double)in->topk,
                             (double)in->hidden, (double)in->ffn,     in->gated ? 3 : 2,
                             (double)in->tp,     (double)in->ep};
    enum bp_dtype dtype = bp_format_compute(&in->device, (enum bp_format)in->weights,
                                            (enum bp_format)in->activations);
    double stored = bp_format_bytes((enum bp_format)in->weights);
    if (in->topk > in->experts) {
        return bp_fail(err, BP_EDOMAIN, "topk", "%lld is more than the %lld experts",
                       (long long)in->topk, (long long)in->experts);
    }
    if (in->ep > in->experts) {
        return bp_fail(err, BP_EDOMAIN, "ep", "%lld ranks are more than the %lld experts",
                       (long long)in->ep, (long long)in->experts);
    }
    out->time_s = bp_moe_time(&in->device, &in->curve, dtype, stored, &s);
    out->hit = visited(&s, in->curve.spread);
    out->weight_bytes = out->hit * elements(&s) * stored;
    out->set = bp_moe_set_of(dtype, (enum bp_format)in->weights);
    out->flop = 2 * s.tokens * s.topk / s.ep * elements(&s);
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_moe_curve, BP_MOE_CURVE_FIELDS, "moe_curve",
                 "time of fused experts on one device in one number format");
BP_DEFINE_SCHEMA(bp_moe_in, BP_MOE_IN_FIELDS, "moe", "the routed experts of one layer");
BP_DEFINE_SCHEMA(bp_moe_out, BP_MOE_OUT_FIELDS, "moe result", "what they cost");
BP_DEFINE_KERNEL(
    moe, "Time of the routed experts of a layer",
    "time_s = t0_s + expert_s experts/ep + (compute_s^3 + memory_s^3)^(1/3) + pass_s; hit = experts/ep (1 - "
    "(1 + tokens topk / (experts spread))^-spread); memory_s = hit weights / (w bandwidth); "
    "pass_s = 8 tokens topk hidden / bandwidth (1 / (ep pass) + (1 - 1 / ep) / others); compute_s = 2 "
    "rows matrices hidden ffn/tp / (u peak), rows = tokens topk / ep (1 + skew log2 ep), at least "
    "16 per expert hit, 1 of weights that are unpacked",
    "forward, fused kernels, the fullest rank under the routing of the timings (power law 1.2, "
    "which "
    "balanced routing beats); dispatch and combine between ranks come on top; in a scenario, a "
    "device "
    "of the catalog brings its fitted curve of these formats where no curve is given, as "
    "curve_from "
    "says and ballpark catalog devices NAME shows",
    "fitted to public kernel timings (ai-dynamo/aiconfigurator@095f58a51c, Apache-2.0), see "
    "tools/fit");
