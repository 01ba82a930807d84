/* Batches in a window, and batch jobs under a limit of their backlog. */
#include "kernel/serve/batching.h"
#include "near.h"

/* 2 ms for one request, 10 ms for 17: half a millisecond each on top of 1.5. */
static struct bp_batching_in batching_in(double rate_per_s, double window_s) {
    struct bp_batching_in in;
    bp_defaults(&bp_batching_in_schema, &in);
    in.rate_per_s = rate_per_s;
    in.window_s = window_s;
    in.max_batch = 17;
    in.one_s = 2e-3;
    in.full_s = 10e-3;
    return in;
}

static struct bp_batching_out batching(struct bp_batching_in in) {
    struct bp_batching_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_batching(&in, &out, &err), BP_OK);
    return out;
}

/*
** The window is longer than any batch: 1 + K requests, K ~ Poisson(4), in 2 + K / 2 ms. The first takes
** 20 ms more, the others a part of that: (20 + 4 10 + E[(1 + K) (2 + K / 2)]) / 5 in the mean. The first
** of K >= 9 are 0.2 0.0214 of all, of K >= 8 0.0102, and 0.0017 of the others take as long: 20 + 6 ms.
*/
static void test_window(void **state) {
    struct bp_batching_out out = batching(batching_in(200, 20e-3));
    (void)state;
    assert_near(out.capacity_per_s, 1700, 1e-12);
    assert_near(out.in_window, 4, 1e-12);
    assert_near(out.mean_batch, 5, 1e-5);
    assert_near(out.service_s, 4e-3, 1e-5);
    assert_near(out.utilization_frac, 0.16, 1e-5);
    assert_near(out.mean_s, (20 + 40 + 22) / 5.0 * 1e-3, 1e-4);
    assert_near(out.p99_s, 26e-3, 2e-3);
}

/* Nobody waits for company, and hardly for anybody: a fifth of a percent meet half a batch. */
static void test_no_window(void **state) {
    struct bp_batching_out out = batching(batching_in(1, 0));
    (void)state;
    assert_near(out.mean_batch, 1, 1e-5);
    assert_near(out.mean_s, 2e-3 * (1 + 0.002 / 2), 1e-5);
    assert_near(out.p99_s, 2e-3, 1e-2);
}

/* Waits of M/D/1 with a service of one second (Erlang): at most `wait`. */
static double erlang_within(double rate, double wait) {
    double sum = 0;
    int j;
    for (j = 0; j <= (int)wait; j++) {
        sum += pow(-rate * (wait - j), j) / tgamma(j + 1.0) * exp(rate * (wait - j));
    }
    return (1 - rate) * sum;
}

/* One at a time: Pollaczek and Khinchine's mean, and one in a hundred beyond the percentile. */
static void test_one_at_a_time(void **state) {
    static const double rates[] = {0.05, 0.3, 0.58, 0.8, 0.97, 0.99};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct bp_batching_in in = batching_in(rates[i], 0);
        struct bp_batching_out out, later;
        in.max_batch = 1;
        in.one_s = in.full_s = 1;
        out = batching(in);
        assert_near(out.mean_s, 1 + rates[i] / (2 * (1 - rates[i])), 1e-9);
        assert_near(out.utilization_frac, rates[i], 1e-9);
        if (rates[i] <= 0.8) { /* beyond, Erlang's terms cancel to nothing */
            assert_near(1 - erlang_within(rates[i], out.p99_s - 1), 0.01, 5e-3);
        }
        in.window_s = 5; /* a batch of one is full at once */
        later = batching(in);
        assert_near(later.mean_s, out.mean_s, 0);
        assert_near(later.p99_s, out.p99_s, 0);
    }
    /* Far out waits fall like exp(-0.0200671 t), 0.993333 of them at 0. */
    assert_near(batching((struct bp_batching_in){0.99, 0, 1, 1, 1, 1}).p99_s,
                1 + log(0.993333 / 0.01) / 0.0200671, 1e-4);
}

/*
** Two at a time in one second. q wait when a batch ends: its generating function is A (z - 1) (q0 (z + 1)
** + q1 z) / (z^2 - A), A = exp(rate (z - 1)), whose denominator is zero at a z in (-1, 0).
*/
static void test_two_at_a_time(void **state) {
    static const double rates[] = {0.2, 1, 1.5, 1.9};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rates / sizeof *rates; i++) {
        double rate = rates[i], z = -0.5, q0, q1, waiting;
        struct bp_batching_out out = batching((struct bp_batching_in){rate, 0, 2, 1, 1, 1});
        int round;
        for (round = 0; round < 200; round++) {
            z = -exp(rate * (z - 1) / 2);
        }
        q0 = (2 - rate) / (2 - (z + 1) / z);
        q1 = -q0 * (z + 1) / z;
        waiting = (2 * (rate * (2 - rate) + q0 + q1) - 2 + rate * rate) / (2 * (2 - rate));
        assert_near(out.mean_batch, rate + q0, 1e-9);
        assert_near(out.utilization_frac, rate / (rate + q0), 1e-9);
        assert_near(out.mean_s, (waiting + q0 + rate / 2) / (rate + q0), 1e-9);
    }
}

/* As many as come are served at once: nobody waits for more than the batch under way. */
static void test_all_at_once(void **state) {
    static const double rates[] = {0.1, 2, 30, 5000};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rates / sizeof *rates; i++) {
        double rate = rates[i], met = rate / (rate + exp(-rate));
        struct bp_batching_out out = batching((struct bp_batching_in){rate, 0, 1000000, 1, 1, 1});
        assert_near(out.mean_s, 1 + met / 2, 1e-4);
        assert_near(out.p99_s, 2 - 0.01 / met, 1e-2);
    }
}

/* More requests and slower batches never make anybody faster. */
static void test_monotone(void **state) {
    static const int batches[] = {1, 2, 3, 8, 16, 40, 64, 100, 256, 1000};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof batches / sizeof *batches; i++) {
        double ratio;
        for (ratio = 0; ratio <= 1; ratio += 0.5) {
            struct bp_batching_in in = {1, 0, batches[i], 1, 1, 1};
            double worst_s = 0, mean_s = 0, capacity;
            int step;
            in.full_s = 1 + ratio * (batches[i] - 1) / 2.0;
            capacity = batches[i] / in.full_s;
            for (step = 1; step < 40; step++) {
                struct bp_batching_out out, slower;
                in.rate_per_s = capacity * step / 40;
                out = batching(in);
                assert_true(out.p99_s >= worst_s * 0.995);
                assert_true(out.mean_s >= mean_s * 0.999);
                worst_s = out.p99_s;
                mean_s = out.mean_s;
                slower = batching((struct bp_batching_in){in.rate_per_s, 0, batches[i],
                                                          in.one_s * 1.02, in.full_s * 1.02, 1});
                assert_true(slower.p99_s >= out.p99_s);
            }
        }
    }
}

/*
** One queue for several (M/D/c). Exact mean waits of 2 and of 5, from the chain of those that are there a
** second apart: n - min(n, c) + Poisson(rate). Of 100 at a load of 40 hardly anybody waits.
*/
static void test_one_queue(void **state) {
    static const struct {
        int replicas;
        double rate, wait_s;
    } rows[] = {{2, 1, 0.17674}, {2, 1.6, 0.90328}, {5, 3, 0.06607}, {5, 4.5, 0.77670}};
    double before_s = 1e9;
    int i;
    (void)state;
    for (i = 0; i < 4; i++) {
        struct bp_batching_out out =
            batching((struct bp_batching_in){rows[i].rate, 0, 1, 1, 1, rows[i].replicas});
        assert_near(out.mean_s - 1, rows[i].wait_s, 0.01);
        assert_near(out.utilization_frac, rows[i].rate / rows[i].replicas, 1e-9);
    }
    assert_near(batching((struct bp_batching_in){40, 0, 1, 1, 1, 100}).p99_s, 1, 0);
    for (i = 1; i < 40; i++) { /* with more of them nobody waits longer */
        double p99_s = batching((struct bp_batching_in){0.95, 0, 1, 1, 1, i}).p99_s;
        assert_true(p99_s <= before_s);
        before_s = p99_s;
    }
}

/* As full as a replica can be, and as empty: an answer, and a large or a bare one. */
static void test_edges(void **state) {
    struct bp_batching_out out =
        batching((struct bp_batching_in){0.9999999999999999, 0, 1, 1, 1, 1});
    (void)state;
    assert_true(out.p99_s > 1e9 && isfinite(out.p99_s));
    out = batching((struct bp_batching_in){255.99, 0.5, 256, 1, 1, 1});
    assert_true(out.p99_s > 10 && isfinite(out.p99_s) && out.utilization_frac <= 1);
    out = batching((struct bp_batching_in){1e-9, 1e6, 1000000000, 1e-9, 1e6, 1});
    assert_near(out.p99_s, 1e6, 1e-2);
    out = batching((struct bp_batching_in){1e15, 1e6, 1000000000, 1e-9, 1e-9, 1});
    assert_near(out.mean_batch, 1e9, 1e-6);
    assert_near(batching((struct bp_batching_in){1e-9, 0, 1, 1e-9, 1e-9, 1}).p99_s, 1e-9, 1e-2);
}

static void test_unstable(void **state) {
    struct bp_batching_in in = batching_in(1700, 0);
    struct bp_batching_out out = batching(in);
    struct bp_error err = {0};
    (void)state;
    assert_false(out.stable);
    assert_near(out.mean_batch, 17, 0);
    in = batching_in(1699, 0);
    assert_true(batching(in).stable);
    assert_true(batching(in).mean_batch <= 17);
    in.max_batch = 1;
    in.full_s = 2e-3;
    assert_near(batching(in).capacity_per_s, 500, 1e-12);
    in.full_s = 1e-3;
    assert_int_equal(bp_batching(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "full_s");
}

static struct bp_batch_queue_in queue_in(void) {
    struct bp_batch_queue_in in;
    bp_defaults(&bp_batch_queue_in_schema, &in);
    in.base_per_s = 100;
    in.burst_per_s = 600;
    in.burst_s = 1200;
    in.replica_per_s = 100;
    in.limit_s = 600;
    return in;
}

static struct bp_batch_queue_out queue(struct bp_batch_queue_in in) {
    struct bp_batch_queue_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_batch_queue(&in, &out, &err), BP_OK);
    return out;
}

/* 720,000 requests in 1200 + 600 s take 400/s: four replicas, which are 240,000 behind at the end. */
static void test_backlog(void **state) {
    struct bp_batch_queue_in in = queue_in();
    struct bp_batch_queue_out out = queue(in);
    (void)state;
    assert_near(out.needed, 4, 0);
    assert_near(out.for_peak, 6, 0);
    assert_near(out.backlog, 240e3, 1e-12);
    assert_near(out.wait_s, 600, 1e-12);
    assert_near(out.drain_s, 800, 1e-12);
    assert_int_equal(out.bound, BP_BATCH_QUEUE_BOUND_BACKLOG);
    in.limit_s = 0;
    out = queue(in);
    assert_near(out.needed, out.for_peak, 0);
    assert_near(out.backlog, 0, 0);
    in.spares = 2;
    in.price_usd_h = 3;
    out = queue(in);
    assert_near(out.replicas, 8, 0);
    assert_near(out.cost_usd_h, 24, 1e-12);
    assert_near(out.needed, 6, 0);
}

/* However long it may wait, the mean has to be worked off. */
static void test_mean(void **state) {
    struct bp_batch_queue_in in = queue_in();
    struct bp_batch_queue_out out;
    struct bp_error err = {0};
    (void)state;
    in.limit_s = 1e9;
    in.every_s = 2400; /* half of the time */
    out = queue(in);
    assert_near(out.mean_per_s, 350, 1e-12);
    assert_near(out.needed, 4, 0);
    assert_int_equal(out.bound, BP_BATCH_QUEUE_BOUND_MEAN);
    in.utilization_frac = 0.5;
    assert_near(queue(in).needed, 8, 0);
    in.every_s = 600;
    assert_int_equal(bp_batch_queue(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "every_s");
    in.every_s = 0;
    in.replica_per_s = 1e-9;
    in.base_per_s = 1e6;
    in.burst_per_s = 1e6;
    assert_int_equal(bp_batch_queue(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "replica_per_s");
    in = queue_in();
    in.burst_per_s = 50;
    assert_int_equal(bp_batch_queue(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "burst_per_s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),        cmocka_unit_test(test_no_window),
        cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_two_at_a_time),
        cmocka_unit_test(test_all_at_once),   cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_edges),         cmocka_unit_test(test_unstable),
        cmocka_unit_test(test_backlog),       cmocka_unit_test(test_one_queue),
        cmocka_unit_test(test_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
