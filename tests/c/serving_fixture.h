/* A served model on a device whose numbers are round, for hand calculation. */
#ifndef BP_TESTS_SERVING_FIXTURE_H
#define BP_TESTS_SERVING_FIXTURE_H

#include "kernel/serve/infer_step.h"
#include "near.h"

/* Two layers, 1024 wide, 8 heads of 128 with 2 of keys, feed-forward 4096, vocabulary 32000. */
static inline struct bp_infer_setup tiny_setup(void) {
    struct bp_infer_setup s;
    bp_defaults(&bp_infer_setup_schema, &s);
    s.model.layers = 2;
    s.model.hidden = 1024;
    s.model.heads = 8;
    s.model.kv_heads = 2;
    s.model.ffn_hidden = 4096;
    s.model.vocab = 32000;
    s.device.memory_bytes = 80000000000;
    s.device.mem_bw_bytes_s = 1e12;
    s.device.bf16_flop_s = 1e15;
    s.network.devices = 8;
    s.network.scaleup.bw_bytes_s = 1e11;
    return s;
}

/* A model of some size on a device of some speed: steps of milliseconds. */
static inline struct bp_infer_setup usual_setup(void) {
    struct bp_infer_setup s = tiny_setup();
    s.model.layers = 32;
    s.model.hidden = 4096;
    s.model.heads = 32;
    s.model.kv_heads = 8;
    s.model.ffn_hidden = 14336;
    s.device.mem_bw_bytes_s = 3e12;
    return s;
}

/* A world in which a step takes the engine's step_s and nothing else. */
static inline struct bp_infer_setup clockwork(double step_s) {
    struct bp_infer_setup s = tiny_setup();
    s.model.layers = 1;
    s.device.mem_bw_bytes_s = 1e18;
    s.device.bf16_flop_s = 1e21;
    s.device.gemm16.t0_s = 0;
    s.device.attention.t0_s = 0;
    s.device.attention.walk_s = 0;
    s.curves.decode_t0_s = 0;
    s.engine.step_s = step_s;
    s.engine.sequence_s = 0;
    s.engine.kernel_s = 0;
    s.engine.eager_kernel_s = 0;
    s.engine.front_s = 0;
    s.engine.submit_s = 0;
    s.engine.front_sequence_s = 0;
    s.engine.lag_steps = 0;
    s.engine.overlap = 0;
    s.engine.plan_s = 0;
    s.engine.plan_sequence_s = 0;
    s.engine.front_token_s = 0;
    return s;
}

static inline struct bp_infer_case prepared(const struct bp_infer_setup *s) {
    struct bp_infer_case c;
    struct bp_error err;
    assert_int_equal(bp_infer_prepare(s, &c, &err), BP_OK);
    return c;
}

#endif
