#include "kernel/time/train_matmul.h"

#include "kernel/time/gemm.h"

#include <math.h>

/* Weight gradients are accumulated: read and written in the format of the gradients. */
#define ACCUMULATE 2.0

/*
** Matmul kernels are fastest where the rows of every matrix are whole lines of the cache: sizes in multiples
** of 128 bytes from A100 on (NVIDIA, Matrix Multiplication Background User's Guide, table 1). That every
** halving below costs as much as the one before is an assumption. Heads count as padded to whole lines.
*/
#define LINE_BYTES 128.0

/* Kernels of an expert's matmul in 8 and 4 bit: cast, layout of its scales, product (assumption). */
#define NARROW_KERNELS 3

/*
** Least time from one kernel of an expert's matmuls to the next, too small to hide a start: grouped matmuls of
** 128 to 2,460 rows on a B200 take this much longer for each of their 20 to 256 groups than the same work in one
** (MooreThreads/SimuMax@4dcaae513b, scatter 13 % after it, 19 % before).
*/
#define EXPERT_START_S 5e-6

/* Rows that the matmuls of an expert waste, half of a tile of 128 on average: its last tile is not full. */
#define EXPERT_ROWS 64

/*
** Time of a matmul at the rate the power limit sustains for 16-bit work: isolated kernels are timed
** in bursts, training is not. A 6-norm, so that only the slower of the two counts. A head between
** layers of narrower formats is a burst itself: on B200 and B300 pipelines that end in it would take
** 12 % too long.
*/
static double sustained(const struct bp_train_case *c, double time_s, double flop) {
    double rate = c->profile->sustained_flop_w * c->device->tdp_w, limit, r;
    if (bp_case_dtype(c->plan) > BP_DTYPE_BF16 || rate <= 0) {
        return time_s;
    }
    limit = flop / rate;
    r = limit / time_s;
    if (r < 0.25) {
        return time_s; /* the norm would add less than 0.005 % */
    }
    r = r * r * r;
    return time_s * cbrt(sqrt(1 + r * r));
}

/* Starts of experts' matmuls are too close for one to hide the next. */
static double start_s(const struct bp_train_case *c, enum bp_dtype dtype, double launch_s,
                      double experts) {
    double kernels = dtype > BP_DTYPE_BF16 ? NARROW_KERNELS : 1;
    double queued = launch_s * c->profile->common.launch;
    double least = c->profile->launches == BP_LAUNCHES_EAGER ? kernels * EXPERT_START_S : 0;
    return experts > 0 ? experts * fmax(queued, least) : queued;
}

/* What the recipe of a narrow format costs over the curve of its kernels. */
static double recipe_slow(const struct bp_train_case *c, enum bp_dtype dtype) {
    return dtype == BP_DTYPE_FP4   ? c->profile->common.gemm_fp4
           : dtype > BP_DTYPE_BF16 ? c->profile->narrow_gemm
                                   : 1;
}

/* Casts of the operands that are kernels of their own. */
static double casts_s(const struct bp_train_case *c, double quantize_s, double experts) {
    int fused = experts > 0 && c->profile->expert_casts == BP_EXPERT_CASTS_FUSED;
    return fused ? 0 : quantize_s * c->profile->common.quantize;
}

double bp_train_matmul(const struct bp_train_case *c, enum bp_dtype dtype, double m, double n,
                       double k, double out_bytes, double experts) {
    double batch = experts > 0 ? experts : 1;
    struct bp_gemm_parts p = bp_gemm_parts(c->device, dtype, m, n, k, out_bytes, batch);
    double slow = experts > 0 ? c->profile->expert_gemm : 1;
    double recipe = recipe_slow(c, dtype);
    double kernel = bp_gemm_kernel_time(&p) * c->profile->gemm * slow * recipe;
    return sustained(c, kernel, p.flop) + recipe * casts_s(c, p.quantize_s, experts) +
           start_s(c, dtype, p.launch_s, experts);
}

/* Elements of a line, a power of two; scales lie apart. */
static double line_elements(enum bp_dtype dtype) {
    double elements = 1;
    while (elements * bp_dtype_bytes(dtype) < LINE_BYTES) {
        elements *= 2;
    }
    return elements;
}

static int is_whole(double lines) {
    return lines == (double)(int64_t)lines;
}

/* How often a line is to be halved until the size, in elements, is a multiple of it. */
static double halvings(double line, double size) {
    double count = 0;
    for (; line > 1 && !is_whole(size / line); line /= 2) {
        count++;
    }
    return count;
}

static double misaligned(const struct bp_train_case *c, enum bp_dtype dtype, double out,
                         double in) {
    double line = line_elements(dtype);
    return 1 + c->profile->common.misaligned * fmax(halvings(line, out), halvings(line, in));
}

/* The sum so far, there and back, or the gradient of this micro-batch. */
double bp_weight_grad_bytes(const struct bp_train_case *c) {
    return c->profile->gradient_sum == BP_GRADIENT_SUM_SEPARATE
               ? bp_case_element_bytes(c->plan)
               : ACCUMULATE * (double)c->plan->grad_bytes;
}

/* AQT, which trains in int8, leaves weight gradients to 16-bit matmuls (google/aqt, drhs_bits; recalled). */
static enum bp_dtype weight_grad_dtype(enum bp_dtype dtype) {
    return dtype == BP_DTYPE_INT8 ? BP_DTYPE_BF16 : dtype;
}

void bp_add_linear(const struct bp_train_case *c, struct bp_matmuls *sum, double times, double rows,
                   double out, double in, double experts) {
    enum bp_dtype dtype = bp_case_dtype(c->plan), grads = weight_grad_dtype(dtype);
    double e = bp_case_element_bytes(c->plan);
    double tiled = rows + (experts > 0 ? EXPERT_ROWS : 0);
    if (!(rows > 0 && out > 0 && in > 0 && times > 0)) {
        return;
    }
    times *= misaligned(c, dtype, out, in);
    sum->forward += times * bp_train_matmul(c, dtype, tiled, out, in, e, experts);
    sum->input_grad += times * bp_train_matmul(c, dtype, tiled, in, out, e, experts);
    sum->weight_grad +=
        times * bp_train_matmul(c, grads, out, in, rows, bp_weight_grad_bytes(c), experts);
}
