/* Queues: textbook cases, limits, monotonicity. */
#include "kernel/serve/queue.h"
#include "near.h"

static struct bp_queue_in queue_in(int64_t servers, double rate, double service) {
    struct bp_queue_in in;
    bp_defaults(&bp_queue_in_schema, &in);
    in.servers = servers;
    in.rate_per_s = rate;
    in.service_s = service;
    return in;
}

static struct bp_queue_out run(struct bp_queue_in in) {
    struct bp_queue_out out;
    struct bp_error err;
    assert_int_equal(bp_queue(&in, &out, &err), BP_OK);
    return out;
}

/* M/M/1 at 80 %: waits rho, Wq = rho/(1-rho) s, P(Wq > t) = rho exp(-(1-rho) t / s). */
static void test_one_server(void **state) {
    struct bp_queue_in in = queue_in(1, 0.8, 1);
    struct bp_queue_out out = run(in);
    (void)state;
    assert_near(out.wait_probability, 0.8, 1e-12);
    assert_near(out.wait_s, 4, 1e-12);
    assert_near(out.total_s, 5, 1e-12);
    assert_near(out.waiting, 3.2, 1e-12);
    assert_near(out.wait_percentile_s, log(0.8 / 0.01) / 0.2, 1e-12);
    in.percentile = 10; /* a fifth does not wait at all */
    assert_near(run(in).wait_percentile_s, 0, 0);
    in.service_cv = 0; /* M/D/1 waits half as long */
    assert_near(run(in).wait_s, 2, 1e-12);
}

/* Two servers, a = 1: C = (1/2 * 2) / (1 + 1 + 1) = 1/3. Five, a = 4: Erlang's tables say 0.5541. */
static void test_erlang(void **state) {
    (void)state;
    assert_near(bp_erlang_c(2, 1), 1.0 / 3, 1e-14);
    assert_near(bp_erlang_c(5, 4), 0.554113, 1e-6);
    assert_near(bp_erlang_c(5, 0), 0, 0);
    assert_near(bp_erlang_c(1, 0.999999), 0.999999, 1e-12);
    assert_near(bp_erlang_c(1e6, 1), 0, 0);
}

/* Exp(-1); 5 exp(-2); sums of exp(k ln m - m - ln k!) for means whose exponential is too small for a number. */
static void test_poisson(void **state) {
    (void)state;
    assert_near(bp_fewer_than(0, 1), 0, 0);
    assert_near(bp_fewer_than(1, 1), exp(-1), 1e-15);
    assert_near(bp_fewer_than(3, 2), 5 * exp(-2), 1e-15);
    assert_near(bp_fewer_than(1000, 1000), 0.4957947558, 1e-9);
    assert_near(bp_fewer_than(2000, 1900), 0.9883041796, 1e-9);
    assert_near(bp_fewer_than(5, 2000), 0, 0);
    assert_near(bp_until_all(1), 1, 0);
    assert_near(bp_until_all(2), 3, 1e-15);
    assert_near(bp_until_all(4), 4 + 4 / 2.0 + 4 / 3.0 + 1, 1e-14);
    assert_near(bp_until_all(501) / bp_until_all(500), 1 + 1 / 500.0 + 0.0002947, 1e-6);
    assert_near(bp_fewer_than(1e6, 2000), 1, 1e-12);
}

static void test_properties(void **state) {
    double last = 1e300;
    int64_t servers;
    (void)state;
    /* At the same utilisation, many servers wait less than few. */
    for (servers = 1; servers <= 4096; servers *= 4) {
        double wait = run(queue_in(servers, 0.9 * (double)servers, 1)).wait_s;
        assert_true(wait < last);
        last = wait;
    }
    assert_near(run(queue_in(4, 0, 1)).wait_s, 0, 0);
    assert_near(run(queue_in(4, 0, 1)).total_s, 1, 0);
}

static void test_overload_is_named(void **state) {
    struct bp_queue_in in = queue_in(4, 4, 1);
    struct bp_queue_out out;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_queue(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "servers");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_server),        cmocka_unit_test(test_erlang),
        cmocka_unit_test(test_poisson),           cmocka_unit_test(test_properties),
        cmocka_unit_test(test_overload_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
