/* What arrives: rates over a day, lengths from samples, sessions with their history, prefixes in caches. */
#include "serving_run.h"

static void test_day(void **state) {
    double weights[BP_DAY_SLOTS], ratio;
    (void)state;
    for (ratio = 1.01; ratio < 19; ratio *= 1.7) {
        double sum = 0, highest = 0;
        size_t i;
        bp_serving_day(ratio, weights);
        for (i = 0; i < BP_DAY_SLOTS; i++) {
            sum += weights[i];
            highest = fmax(highest, weights[i]);
            assert_true(weights[i] > 0);
            assert_near(weights[i], weights[BP_DAY_SLOTS - 1 - i], 1e-9); /* as it rises it falls */
        }
        assert_near(sum / BP_DAY_SLOTS, 1, 1e-4);
        assert_near(highest, ratio, 1e-3);
        assert_true(weights[0] < weights[BP_DAY_SLOTS / 4]);
    }
}

static struct bp_serving_in millisecond(enum bp_arrivals arrivals) {
    struct bp_infer_setup s = clockwork(1e-3);
    struct bp_serving_in in = serving_in(&s);
    in.load.arrivals = (int)arrivals;
    in.load.input_tokens = 10;
    in.load.output_tokens = 5;
    return in;
}

/* Four slots with rates as 1 : 0 : 4 : 3, a mean of 1000 per second. */
static void test_rates(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_DIURNAL);
    const double rates[] = {0.5, 0, 2, 1.5};
    const double share[] = {0.125, 0, 0.5, 0.375};
    struct bp_serving_source source = {0};
    struct run r;
    double counted[4] = {0, 0, 0, 0};
    size_t i;
    (void)state;
    in.load.rate_per_s = 1000;
    in.load.period_s = 40;
    source.count = bp_serving_requests(&in.load);
    assert_int_equal(source.count, 40000);
    source.rates = rates;
    source.rate_count = 4;
    r = simulate_source(&in, &source);
    for (i = 0; i < r.count && r.requests[i].arrival_s < 40; i++) {
        counted[(size_t)(r.requests[i].arrival_s / 10)]++;
    }
    for (i = 0; i < 4; i++) {
        assert_near(counted[i], 40000 * share[i], 0.03);
    }
    free(r.requests);
}

/* Prompt and answer of a sample stay together. */
static void test_samples(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_request samples[2];
    struct bp_serving_source source = {0};
    struct run r;
    size_t i, first = 0;
    (void)state;
    memset(samples, 0, sizeof samples);
    samples[0].input = 7;
    samples[0].output = 3;
    samples[1].input = 900;
    samples[1].output = 20;
    in.load.lengths = BP_LENGTHS_EMPIRICAL;
    source.count = 4000;
    source.samples = samples;
    source.sample_count = 2;
    r = simulate_source(&in, &source);
    for (i = 0; i < r.count; i++) {
        int is_first = r.requests[i].input == 7;
        assert_int_equal(r.requests[i].output, is_first ? 3 : 20);
        first += (size_t)is_first;
    }
    assert_near((double)first, 2000, 0.05);
    free(r.requests);
}

/*
** Three turns of 10 tokens in and 5 out: prompts of 10, 25 and 40. All that was said is in the cache of
** the lone replica, so that each turn computes 10 of its prompt.
*/
static void test_session(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_CLOSED);
    struct run r;
    (void)state;
    in.load.requests = 3;
    in.load.turns = 3;
    in.load.think_s = 5;
    r = simulate(&in, NULL, 0);
    assert_int_equal(r.requests[1].input, 25);
    assert_int_equal(r.requests[2].input, 40);
    assert_int_equal(r.requests[1].cached, 15);
    assert_int_equal(r.requests[2].cached, 30);
    assert_near(r.out.cached_frac, 45.0 / 75, 1e-9);
    assert_true(r.requests[1].arrival_s > r.requests[0].done_s);
    free(r.requests);
    in.engine.prefix_cache = 0;
    r = simulate(&in, NULL, 0);
    assert_int_equal(r.requests[2].cached, 0);
    free(r.requests);
}

/* Time to think is exponential with the mean asked for; a session's rate counts all its turns. */
static void test_think(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct run r;
    double think = 0;
    size_t i;
    (void)state;
    in.load.requests = 40000;
    in.load.turns = 4;
    in.load.think_s = 5;
    in.load.rate_per_s = 100;
    r = simulate(&in, NULL, 0);
    for (i = 0; i < r.count; i++) {
        think += r.requests[i].opens ? 0 : r.requests[i].arrival_s - r.requests[i - 1].done_s;
    }
    assert_near(think / 30000, 5, 0.03);
    assert_near(r.requests[39996].arrival_s, 400, 0.03);
    free(r.requests);
}

/* Where sessions go back to, their history is; lots drawn among four find a part of it. */
static void test_affinity(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    double session, prefix, lots;
    (void)state;
    in.replicas = 4;
    in.load.requests = 20000;
    in.load.turns = 5;
    in.load.think_s = 1;
    in.load.rate_per_s = 200;
    in.routing = BP_ROUTING_SESSION;
    session = summary(&in).cached_frac;
    in.routing = BP_ROUTING_PREFIX;
    prefix = summary(&in).cached_frac;
    in.routing = BP_ROUTING_RANDOM;
    lots = summary(&in).cached_frac;
    assert_near(prefix, session, 1e-9);
    /* Prompts of 10 to 70, 200 in all; of them 0 + 15 + 30 + 45 + 60 said before. */
    assert_near(session, 150.0 / 200, 1e-6);
    assert_true(lots < 0.7 * session && lots > 0.2 * session);
}

/* A pool without room to spare keeps less of what was said; never more is held than there is. */
static void test_eviction(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_serving_out out;
    double last = 0;
    int64_t tokens;
    (void)state;
    in.engine.block_tokens = 1;
    in.load.requests = 20000;
    in.load.turns = 5;
    in.load.think_s = 1;
    in.load.rate_per_s = 200;
    for (tokens = 200; tokens <= 51200; tokens *= 4) {
        in.pool_tokens = (double)tokens;
        out = summary(&in);
        assert_true(out.cached_frac > last - 1e-12);
        assert_true(out.pool_peak_frac <= 1 + 1e-9);
        last = out.cached_frac;
        if (tokens == 200) {
            assert_true(out.cached_frac < 0.3);
        }
    }
    assert_near(last, 150.0 / 200, 1e-6);
}

static struct bp_request request(double arrival_s, int32_t input, int32_t output) {
    struct bp_request q;
    memset(&q, 0, sizeof q);
    q.arrival_s = arrival_s;
    q.input = input;
    q.output = output;
    return q;
}

/*
** Blocks of 10 tokens. The second request shares two of three blocks with the first, the third all
** three of its whole blocks, of 35 tokens; the fourth shares the second block but not what is before.
*/
static void test_blocks(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    const int32_t blocks[] = {0, 1, 2, 0, 1, 3, 0, 1, 2, 4, 5, 1, 2};
    const size_t first[] = {0, 3, 6, 10, 13};
    struct bp_request trace[4];
    struct bp_serving_source source = {0};
    struct run r;
    (void)state;
    in.load.block_tokens = 10;
    trace[0] = request(0, 30, 2);
    trace[1] = request(1, 30, 2);
    trace[2] = request(2, 35, 2);
    trace[3] = request(3, 30, 2);
    source.count = 4;
    source.trace = trace;
    source.blocks = blocks;
    source.first = first;
    source.distinct = 6;
    r = simulate_source(&in, &source);
    assert_int_equal(r.requests[0].cached, 0);
    assert_int_equal(r.requests[1].cached, 20);
    assert_int_equal(r.requests[2].cached, 30);
    assert_int_equal(r.requests[3].cached, 0);
    free(r.requests);
    /* Room for 48: the third, of 35 and 2, pushes out the oldest it does not use, block 3. */
    in.engine.block_tokens = 1;
    in.pool_tokens = 48;
    r = simulate_source(&in, &source);
    assert_int_equal(r.requests[2].cached, 30);
    assert_true(r.out.pool_peak_frac <= 1);
    free(r.requests);
}

/* Two that run at one time hold the blocks they share once: both find room in what one and a half take. */
static void test_shared_blocks(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    const int32_t blocks[] = {0, 1, 0, 1};
    const size_t first[] = {0, 2, 4};
    struct bp_request trace[2];
    struct bp_serving_source source = {0};
    struct run r;
    (void)state;
    in.load.block_tokens = 10;
    in.engine.block_tokens = 1;
    in.engine.reserve_output = 1;
    in.pool_tokens = 40;
    trace[0] = request(0, 21, 9);
    trace[1] = request(0, 21, 9);
    source.count = 2;
    source.trace = trace;
    r = simulate_source(&in, &source); /* 30 each: one after the other */
    assert_true(r.requests[1].start_s > 8e-3);
    free(r.requests);
    source.blocks = blocks;
    source.first = first;
    source.distinct = 2;
    r = simulate_source(&in, &source); /* 20 together and 10 each */
    assert_near(r.requests[1].start_s, 0, 1e-9);
    assert_near(r.out.pool_peak_frac, 1, 1e-9);
    free(r.requests);
}

/* A trace's clock twice as fast: the same requests in half of the time. */
static void test_speed(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_request trace[2];
    struct run r;
    (void)state;
    trace[0] = request(1, 10, 5);
    trace[1] = request(7, 10, 5);
    in.load.speed = 2;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].arrival_s, 0.5, 1e-12);
    assert_near(r.requests[1].done_s, 3.505, 1e-9);
    free(r.requests);
}

/* Ramp and drain are left out: the rate is that of the load although the last answers take long. */
static void test_trim(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_serving_out all, trimmed;
    (void)state;
    in.load.requests = 2000;
    in.load.rate_per_s = 1000;
    in.load.output_tokens = 1000; /* a second each: half as long as all arrivals */
    all = summary(&in);
    in.load.trim_frac = 0.2;
    trimmed = summary(&in);
    assert_int_equal(all.counted, 2000);
    assert_int_equal(trimmed.counted, 2000 - 2 * 399);
    assert_true(all.requests_per_s < 700);
    assert_near(trimmed.duration_s, all.duration_s, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_day),           cmocka_unit_test(test_rates),
        cmocka_unit_test(test_samples),       cmocka_unit_test(test_session),
        cmocka_unit_test(test_think),         cmocka_unit_test(test_affinity),
        cmocka_unit_test(test_eviction),      cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_shared_blocks), cmocka_unit_test(test_trim),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
