#include "kernel/serve/infer_matmul.h"

#include "kernel/time/gemm.h"
#include "kernel/time/runtime.h"

#include <math.h>

/*
** Rows of a tile where weights are narrower than what is multiplied: kernels for few rows, which do not pay for
** rows they do not have (Marlin, arXiv:2408.11743: near the speed of reading the weights up to 16 rows and more).
** Those of bp_gemm have 64 at least.
*/
#define PACKED_ROWS 16.0
#define GEMM_ROWS 64.0

/*
** Timings of matmuls in 8 and 4 bit begin with the kernels that make their input: fp8 of one scale starts after 12 us on
** H100 and 14 on B200 where 16 bit takes 3, for its range is looked for first. Checkpoints state that scale, and where the
** kernel before quantises, a matmul starts as in 16 bit, and nothing is read and written for it. Scales of blocks have
** kernels of their own in every engine.
*/
static int quantizes_before(const struct bp_infer_case *c, enum bp_dtype dtype) {
    int has_kernels = dtype == BP_DTYPE_FP8 || dtype == BP_DTYPE_INT8 || dtype == BP_DTYPE_FP4;
    return has_kernels && c->in.plan.tp > 1 && c->in.engine.sum_fusion == BP_SUM_FUSION_QUANTIZE;
}

/* As bp_gemm, with weights of their own width, the empty time an engine leaves, and its stream. */
static double matmul_in(const struct bp_infer_case *c, const struct bp_infer_linear *l, double rows,
                        enum bp_dtype dtype, double stored_bytes, double stream) {
    const struct bp_engine *e = &c->in.engine;
    const struct bp_device *d = &c->in.device;
    struct bp_gemm_parts p = bp_gemm_parts(d, dtype, rows, l->n, l->k, 2, 1);
    double packed = (stored_bytes - bp_dtype_bytes(dtype)) * l->n * l->k;
    p.memory_s = (p.bytes + packed) / (d->mem_bw_bytes_s * stream);
    if (bp_format_unpacks(stored_bytes, dtype)) {
        p.compute_s *= fmin(1, fmax(rows, PACKED_ROWS) / GEMM_ROWS);
    }
    p.depth_s *= e->launch;
    if (quantizes_before(c, dtype)) {
        p.launch_s = fmin(p.launch_s, bp_device_gemm(d, bp_device_16_bit(d))->t0_s);
        p.quantize_s = 0;
    }
    return bp_gemm_kernel_time(&p) + p.quantize_s + e->launch * p.launch_s;
}

/* Where kernels of the format itself are slower than those of the next wider one, nobody takes them. */
double bp_infer_matmul(const struct bp_infer_case *c, const struct bp_infer_linear *l,
                       double rows) {
    double native = matmul_in(c, l, rows, l->dtype, l->stored_bytes, l->stream);
    if (l->wider == l->dtype) {
        return native;
    }
    return fmin(native, matmul_in(c, l, rows, l->wider, bp_dtype_bytes(l->wider), l->wider_stream));
}

double bp_infer_dense_matmuls(const struct bp_infer_case *c, double rows) {
    double sum = 0;
    int i;
    for (i = 0; i < c->linears; i++) {
        if (!(c->linear[i].others > 0)) {
            sum += c->linear[i].times * bp_infer_matmul(c, &c->linear[i], rows);
        }
    }
    return sum;
}

/* Keys and values that the decoder makes of an encoder's tokens. */
double bp_infer_key_matmuls(const struct bp_infer_case *c, double prompts) {
    double sum = 0;
    int i;
    for (i = 0; i < c->linears; i++) {
        const struct bp_infer_linear *l = &c->linear[i];
        if (l->others > 0) {
            sum += l->times * bp_infer_matmul(c, l, prompts * l->others / (double)c->in.plan.cp);
        }
    }
    return sum;
}

double bp_infer_expert_matmuls(const struct bp_infer_case *c, double tokens) {
    const struct bp_device *d = &c->in.device;
    struct bp_moe_shape shape = c->moe;
    double time;
    shape.tokens = tokens;
    time = bp_moe_time(d, &c->moe_curve, c->moe_dtype, c->moe_stored_bytes, &shape);
    if (c->moe_wider != c->moe_dtype) {
        time = fmin(time, bp_moe_time(d, &c->moe_wider_curve, c->moe_wider,
                                      bp_dtype_bytes(c->moe_wider), &shape));
    }
    return c->moe_layers * time / c->in.engine.moe;
}

double bp_infer_copy_time(const struct bp_infer_case *c, double bytes) {
    return bytes / (c->in.device.mem_bw_bytes_s * BP_COPY_SHARE);
}
