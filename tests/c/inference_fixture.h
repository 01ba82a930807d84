/* A device and a runtime that take exactly the time of the arithmetic or of the bytes, and nothing else. */
#ifndef BP_TESTS_INFERENCE_FIXTURE_H
#define BP_TESTS_INFERENCE_FIXTURE_H

#include "cases.h"
#include "kernel/time/runtime.h"

#define PEAK16 1e15

static inline void flat_curve(struct bp_gemm_curve *c) {
    c->u = c->w = 1;
    c->t0_s = c->depth_s = c->k0 = c->tiles0 = c->wave = c->throttle = c->q = 0;
}

/* Memory so fast that it does not show; a test that wants it to sets mem_bw_bytes_s. */
static inline struct bp_device ideal_device(void) {
    struct bp_device d = round_device();
    flat_curve(&d.gemm16);
    flat_curve(&d.gemm8);
    d.mem_bw_bytes_s = 1e18;
    d.attention.u = d.attention.w = 1;
    d.attention.t0_s = d.attention.walk_s = d.attention.s0 = d.attention.throttle = 0;
    d.int8_flop_s = 2 * PEAK16;
    return d;
}

static inline struct bp_runtime ideal_runtime(void) {
    struct bp_runtime r;
    bp_defaults(&bp_runtime_schema, &r);
    r.call_s = r.host_kernel_s = r.launch = r.passes = r.quantize = 0;
    r.matmul = r.conv = r.gather = 1;
    return r;
}

#endif
