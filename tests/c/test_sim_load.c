/* What arrives: rates over a day, lengths from samples, time to think, traces at another speed. */
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

/* Clients that think come one by one from the start, and as often as thinking and an answer take. */
static void test_thinking_clients(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_CLOSED);
    struct run r;
    double first_second = 0;
    size_t i;
    (void)state;
    in.load.concurrency = 1000;
    in.load.requests = 20000;
    in.load.think_s = 10;
    r = simulate(&in, NULL, 0);
    for (i = 0; i < r.count; i++) {
        first_second += r.requests[i].arrival_s < 1;
    }
    /* 1,000 in flight or thinking: 1 - exp(-0.1) of them come in the first second, 100 in any other. */
    assert_near(first_second, 1000 * -expm1(-0.1), 0.2);
    assert_near(r.out.requests_per_s * (in.load.think_s + r.out.e2e.mean_s), 1000, 0.05);
    in.load.think_s = 0;
    free(r.requests);
    r = simulate(&in, NULL, 0);
    assert_near(r.requests[999].arrival_s, 0, 1e-12);
    in.load.ramp_s = 50;
    free(r.requests);
    r = simulate(&in, NULL, 0);
    for (i = 0, first_second = 0; i < 1000; i++) {
        first_second += r.requests[i].arrival_s;
        assert_true(r.requests[i].arrival_s <= 50);
    }
    assert_near(first_second / 1000, 25, 0.05);
    free(r.requests);
}

/* A trace's clock twice as fast: the same requests in half of the time, from the first on. */
static void test_speed(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_request trace[2];
    struct run r;
    (void)state;
    trace[0] = request(1, 10, 5);
    trace[1] = request(7, 10, 5);
    in.load.speed = 2;
    r = simulate(&in, trace, 2);
    assert_near(r.requests[0].arrival_s, 0, 1e-12);
    assert_near(r.requests[1].done_s, 3.005, 1e-9);
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
        cmocka_unit_test(test_day),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_think),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_thinking_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
