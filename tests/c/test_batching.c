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

static void test_window(void **state) {
    struct bp_batching_out out = batching(batching_in(200, 20e-3)); /* 1 + 4 requests, 4 ms */
    (void)state;
    assert_near(out.capacity_per_s, 1700, 1e-12);
    assert_near(out.in_window, 4, 1e-12);
    assert_near(out.mean_batch, 5, 1e-12);
    assert_near(out.service_s, 4e-3, 1e-12);
    assert_near(out.utilization_frac, 0.16, 1e-12);
    assert_near(out.mean_s, 10e-3 + 4e-3, 1e-12);
    assert_near(out.p99_s, 20e-3 + 4e-3, 1e-12);
}

/* Nobody waits for company: at low rates a request is alone, at high ones a batch is what came. */
static void test_no_window(void **state) {
    struct bp_batching_out out = batching(batching_in(1, 0));
    (void)state;
    assert_near(out.mean_batch, 1, 1e-12);
    assert_near(out.mean_s, 2e-3 * (1 + 0.002 / 2), 1e-12);
    out = batching(batching_in(1000, 0)); /* b = 1000 (1.5 ms + b 0.5 ms) = 3 */
    assert_near(out.mean_batch, 3, 1e-9);
    assert_near(out.service_s, 3e-3, 1e-9);
    /* From start to start b requests come, x = 1.5 + 0.5 b in service and exp(-x) until the next. */
    /* x = 3 + exp(-x) = 3.04747, b = 3.09493 */
    assert_near(out.utilization_frac, 3.04747 / 3.09493, 1e-5);
    /* Half of a batch feeds back: variance 3 / (1 - 1/4) = 4, so requests see batches of 3 + 4/3. */
    assert_near(out.mean_s, 1.5 * (1.5e-3 + 13.0 / 3 * 0.5e-3), 1e-9);
    assert_near(out.p99_s, 6e-3 + 2 * 0.5e-3 * sqrt(4 * 2 * 1.5), 1e-9);
    out = batching(batching_in(100, 0)); /* a fifth of the time busy: 19 in 20 of those wait */
    assert_near(out.p99_s, 2e-3 + 0.95 * 2e-3, 1e-9);
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
        cmocka_unit_test(test_window),   cmocka_unit_test(test_no_window),
        cmocka_unit_test(test_unstable), cmocka_unit_test(test_backlog),
        cmocka_unit_test(test_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
