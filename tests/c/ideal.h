/* A world in which nothing but the part under test takes time, and its seconds. */
#ifndef BP_TESTS_IDEAL_H
#define BP_TESTS_IDEAL_H

#include "cases.h"

static inline struct bp_train_time time_of(const struct bp_train_step_in *in) {
    struct ready_case r;
    struct bp_train_time out;
    struct bp_error err = {0};
    assert_int_equal(bp_train_time(make_ready(&r, in), &out, &err), BP_OK);
    return out;
}

/* Llama 70B at 4096 tokens, one micro-batch per data rank, everything but arithmetic for free. */
static inline struct bp_train_step_in ideal(int64_t tp, int64_t pp, int64_t dp, int64_t batch) {
    struct bp_train_step_in in = spread(llama_model(), tp, pp, dp, batch, 4096);
    make_ideal(&in);
    return in;
}

#define LAYER_MATMUL 855638016.0 /* 2*8192*(8192 + 1024) + 3*8192*28672 */
#define HEAD_MATMUL (128256.0 * 8192)
#define PEAK 1e15

/* Attention of a layer, forward: 4 * 8192 * 4096*4097/2 FLOP; backward 2.5 times that, 1.18 slower. */
#define CORE (4.0 * 8192 * (4096.0 * 4097 / 2) / PEAK)
#define CORE_BOTH (CORE * (1 + 2.5 * 1.18))

/* One micro-batch of a layer, forward, matmuls alone. */
#define LAYER (2 * LAYER_MATMUL * 4096 / PEAK)
#define HEAD (2 * HEAD_MATMUL * 4096 / PEAK)

#endif
