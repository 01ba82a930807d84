/* One run of the serving simulation for a test, its requests kept. */
#ifndef BP_TESTS_SERVING_RUN_H
#define BP_TESTS_SERVING_RUN_H

#include "serving_fixture.h"
#include "sim/serving.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct bp_serving_out out;
    struct bp_request *requests;
    size_t count;
};

static inline struct bp_serving_in serving_in(const struct bp_infer_setup *s) {
    struct bp_serving_in in;
    bp_defaults(&bp_serving_in_schema, &in);
    in.model = s->model;
    in.device = s->device;
    in.network = s->network;
    in.curves = s->curves;
    in.plan = s->plan;
    in.engine = s->engine;
    in.pool_tokens = 1e9;
    return in;
}

static inline struct run simulate_source(const struct bp_serving_in *in,
                                         const struct bp_serving_source *source) {
    struct run r;
    struct bp_error err;
    const struct bp_request *answered;
    void *memory = malloc(bp_serving_bytes(in, source));
    r.count = source->count;
    r.requests = malloc(r.count * sizeof *r.requests);
    bp_defaults(&bp_serving_out_schema, &r.out);
    assert_int_equal(bp_serving_run(in, source, memory, &r.out, &answered, &err), BP_OK);
    memcpy(r.requests, answered, r.count * sizeof *r.requests);
    free(memory);
    return r;
}

static inline struct run simulate(const struct bp_serving_in *in, const struct bp_request *trace,
                                  size_t count) {
    struct bp_serving_source source = {0};
    source.count = trace ? count : bp_serving_requests(&in->load);
    source.trace = trace;
    return simulate_source(in, &source);
}

static inline struct bp_serving_out summary(const struct bp_serving_in *in) {
    struct run r = simulate(in, NULL, 0);
    free(r.requests);
    return r.out;
}

/* One sequence at a time, a step per token of 1 ms, answers of 100 tokens in the mean. */
static inline struct bp_serving_in queue_like(int64_t servers, double rate,
                                              enum bp_lengths lengths) {
    struct bp_infer_setup s = clockwork(1e-3);
    struct bp_serving_in in;
    s.engine.max_running = servers;
    in = serving_in(&s);
    in.load.arrivals = BP_ARRIVALS_OPEN;
    in.load.rate_per_s = rate;
    in.load.requests = 400000;
    in.load.lengths = (int)lengths;
    in.load.input_tokens = 1;
    in.load.output_tokens = 100;
    return in;
}

/* A replica with steps of 1 ms, for prompts of 10 tokens and answers of 5. */
static inline struct bp_serving_in millisecond(enum bp_arrivals arrivals) {
    struct bp_infer_setup s = clockwork(1e-3);
    struct bp_serving_in in = serving_in(&s);
    in.load.arrivals = (int)arrivals;
    in.load.input_tokens = 10;
    in.load.output_tokens = 5;
    return in;
}

static inline struct bp_request request(double arrival_s, int32_t input, int32_t output) {
    struct bp_request q;
    memset(&q, 0, sizeof q);
    q.arrival_s = arrival_s;
    q.input = input;
    q.output = output;
    return q;
}

#endif
