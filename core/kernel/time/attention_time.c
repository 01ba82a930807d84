#include "kernel/time/attention_time.h"

#include "kernel/registry.h"
#include "kernel/time/gemm.h"

#include <math.h>

/*
** Work, in seconds at the peak, at which half of the power limit's slow-down has set in; later than in
** plain matmuls because attention draws less power. Fitted in decades: 1 ms beats 100 us.
*/
#define THROTTLE_S 1e-3

/* Rows of queries that one block of a flash kernel works on, FlashAttention-2, arXiv:2307.08691. */
#define BLOCK_ROWS 128.0

/*
** The exponentials of a score cost the same whatever the head's width, so narrow heads use the
** matmul units worse: u(d) = u (d / (d + 40)) / (128 / (128 + 40)). FlashAttention-3,
** arXiv:2407.08608 section 3.1 counts 3.9 T exponentials against 989 T matmul FLOP per second on
** an H100, which is 63 when nothing overlaps; 40 meets its figures 5 and 6 (d 64: 0.8, 256: 1.13).
*/
#define EXP_DIM 40.0
#define CURVE_DIM 128.0 /* head width of the measurements behind the curves */

/*
** Backward: five matmuls for the forward's two, and more time per FLOP: efficiencies of forward and
** backward kernels in MooreThreads/SimuMax@4dcaae513b differ by 1.16 (A100) to 1.20 (B200).
*/
#define BACKWARD_FLOP 2.5
#define BACKWARD_SLOWDOWN 1.18

#define SCORE_BYTES 2.0 /* scores are stored in 16 bits */

static double operand_bytes(const struct bp_attention_shape *s) {
    double width = s->qk_dim + s->v_dim; /* query and output, key and value */
    return 2 * s->batch * width * (s->heads * s->seq_q + s->kv_heads * s->seq_kv);
}

/* Keys that one block of queries walks over at most. */
static double longest_walk(const struct bp_attention_shape *s) {
    return s->window > 0 && s->window < s->seq_kv ? s->window : s->seq_kv;
}

/*
** Training kernels work on value heads as wide as the query's: at 192 and 128 they reach 0.83 (forward)
** and 0.77 (backward) of the rate at 128 and 128, against 0.83 = (192 + 128) / (192 + 192)
** (MooreThreads/SimuMax@4dcaae513b, B200).
*/
static double computed_width(const struct bp_attention_shape *s) {
    return s->trained ? 2 * fmax(s->qk_dim, s->v_dim) : s->qk_dim + s->v_dim;
}

/*
** Share of so many bytes that passes before the kernel leave in the last-level cache: all of them up to its
** size, within some tens of percent (the timings of L40S and RTX PRO 6000 turn there).
*/
#define CACHE_EDGE 8.0

static double cached_share(const struct bp_device *device, double bytes) {
    return device->l2_bytes > 0 ? 1 / (1 + pow(bytes / (double)device->l2_bytes, CACHE_EDGE)) : 0;
}

/*
** The operands' traffic is added, not overlapped. The curves' timings contain the rotation and layout
** passes that run before the fused kernel (w of 0.3 to 0.5); in training these are kernels of their own,
** counted where they are, and the fused kernel reads and writes each operand once.
*/
static double operand_time(const struct bp_device *device, const struct bp_attention_curve *curve,
                           const struct bp_attention_shape *s) {
    double bytes = operand_bytes(s);
    double cached = curve->cached > 0 ? curve->cached * cached_share(device, bytes) : 0;
    double share = s->trained ? 1 : curve->w * (1 + cached);
    return bytes / (device->mem_bw_bytes_s * share);
}

/* flop_scale and byte_scale stretch the forward's work to the backward's. */
static double flash_time(const struct bp_device *device, const struct bp_attention_curve *curve,
                         const struct bp_attention_shape *s, double flop_scale, double byte_scale) {
    double width = computed_width(s), dim = 0.5 * width;
    double narrow = dim / (dim + EXP_DIM) * (CURVE_DIM + EXP_DIM) / CURVE_DIM;
    double calls = s->batch * s->heads;
    double flop = 2 * width * calls * bp_attention_pairs(s);
    double extra = 2 * width * calls * ceil(s->seq_q / BLOCK_ROWS) * BLOCK_ROWS * curve->s0;
    double length = flop / (device->bf16_flop_s * THROTTLE_S);
    double slow = 1 + curve->throttle * length / (1 + length);
    return curve->t0_s + curve->walk_s * longest_walk(s) +
           flop_scale * (flop + extra) * slow / (device->bf16_flop_s * curve->u * narrow) +
           byte_scale * operand_time(device, curve, s);
}

struct bp_unfused_attention bp_unfused_attention(const struct bp_device *device,
                                                 const struct bp_attention_shape *s) {
    double calls = s->batch * s->heads;
    double scores = calls * s->seq_q * s->seq_kv;
    double qk = bp_gemm_time(device, BP_DTYPE_FP16, s->seq_q, s->seq_kv, s->qk_dim, 2, calls);
    double pv = bp_gemm_time(device, BP_DTYPE_FP16, s->seq_q, s->v_dim, s->seq_kv, 2, calls);
    struct bp_unfused_attention t = {qk + pv, s->score_passes * SCORE_BYTES * scores /
                                                  device->mem_bw_bytes_s};
    return t;
}

struct bp_device bp_attention_device(const struct bp_device *device, enum bp_dtype dtype) {
    struct bp_device wide = *device;
    if (dtype == BP_DTYPE_FP32 || dtype == BP_DTYPE_TF32) {
        wide.bf16_flop_s = bp_device_peak(device, dtype);
        wide.gemm16.k0 = bp_gemm_ends(device, dtype);
        wide.mem_bw_bytes_s *= bp_dtype_bytes(BP_DTYPE_FP16) / bp_dtype_bytes(dtype);
    }
    return wide;
}

double bp_attention_time(const struct bp_device *device, const struct bp_attention_shape *shape) {
    struct bp_unfused_attention unfused;
    if (shape->flash) {
        return flash_time(device, &device->attention, shape, 1, 1);
    }
    unfused = bp_unfused_attention(device, shape);
    return unfused.matmul + unfused.softmax;
}

double bp_attention_time_by(const struct bp_device *device, const struct bp_attention_curve *curve,
                            const struct bp_attention_shape *shape) {
    return flash_time(device, curve, shape, 1, 1);
}

/* Backward reads and writes about twice the operands (their gradients, the output and its own). */
double bp_attention_backward_time(const struct bp_device *device,
                                  const struct bp_attention_shape *shape) {
    struct bp_unfused_attention unfused;
    if (shape->flash) {
        return flash_time(device, &device->attention, shape, BACKWARD_FLOP * BACKWARD_SLOWDOWN, 2);
    }
    unfused = bp_unfused_attention(device, shape);
    return BP_UNFUSED_BACKWARD_MATMULS * unfused.matmul +
           BP_UNFUSED_BACKWARD_PASSES * unfused.softmax;
}

static struct bp_attention_shape shape_of(const struct bp_attention_in *in) {
    struct bp_attention_shape s;
    s.batch = (double)in->batch;
    s.heads = (double)in->heads;
    s.kv_heads = (double)(in->kv_heads > 0 ? in->kv_heads : in->heads);
    s.qk_dim = (double)in->head_dim;
    s.v_dim = (double)(in->v_head_dim > 0 ? in->v_head_dim : in->head_dim);
    s.seq_q = (double)in->seq_q;
    s.seq_kv = (double)(in->seq_kv > 0 ? in->seq_kv : in->seq_q);
    s.window = (double)in->window;
    s.score_passes = BP_SCORE_PASSES;
    s.causal = in->causal;
    s.flash = in->flash;
    s.trained = in->trained;
    return s;
}

int bp_attention(const struct bp_attention_in *in, struct bp_attention_out *out,
                 struct bp_error *err) {
    struct bp_attention_shape s = shape_of(in);
    if (s.kv_heads > s.heads || fmod(s.heads, s.kv_heads) != 0) {
        return bp_fail(err, BP_EDOMAIN, "kv_heads", "%.0f does not divide %.0f heads", s.kv_heads,
                       s.heads);
    }
    if (s.causal && s.seq_kv < s.seq_q) {
        return bp_fail(err, BP_EDOMAIN, "seq_kv",
                       "must be at least seq_q (%.0f) under a causal mask, got %.0f", s.seq_q,
                       s.seq_kv);
    }
    out->pairs = bp_attention_pairs(&s);
    out->flop = bp_attention_flop(&s) * (in->backward ? BACKWARD_FLOP : 1);
    out->time_s = in->backward ? bp_attention_backward_time(&in->device, &s)
                               : bp_attention_time(&in->device, &s);
    out->util_frac = out->flop / (out->time_s * in->device.bf16_flop_s);
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_attention_in, BP_ATTENTION_IN_FIELDS, "attention",
                 "softmax attention of one layer on a device");
BP_DEFINE_SCHEMA(bp_attention_out, BP_ATTENTION_OUT_FIELDS, "attention result",
                 "what the attention costs");
BP_DEFINE_KERNEL(
    attention, "Time of softmax attention",
    "flash: time_s = t0_s + walk_s longest_walk + (flop + extra) (1 + throttle x/(1+x)) / "
    "(peak u(d)) + bytes / (w (1 + cached) bandwidth), cached only below the last-level cache's "
    "size, extra = 2 (head_dim + v_head_dim) s0 128 "
    "blocks, blocks = batch heads ceil(seq_q/128), x = flop / (peak 1 ms); unfused: two "
    "batched matmuls and 5 passes over the stored scores, backward four matmuls and 11/9 as many passes",
    "16-bit operands; curves measured at head width 128, causal; other widths by the "
    "cost of the exponentials; backward 2.5 times the FLOP at 1.18 times the time per FLOP",
    "fitted to public kernel timings (ai-dynamo/aiconfigurator@095f58a51c, Apache-2.0), "
    "see tools/fit; arXiv:2407.08608");
