/* Goodput: hand-computed runs, the optimum of the interval, limits. */
#include "kernel/train/goodput.h"
#include "near.h"

#include <string.h>

static struct bp_goodput_in case_of(int64_t devices, double checkpoint, double restart) {
    struct bp_goodput_in in;
    bp_defaults(&bp_goodput_in_schema, &in);
    in.devices = devices;
    in.checkpoint_s = checkpoint;
    in.restart_s = restart;
    return in;
}

static struct bp_goodput_out run(struct bp_goodput_in in) {
    struct bp_goodput_out out;
    struct bp_error err;
    assert_int_equal(bp_goodput(&in, &out, &err), BP_OK);
    return out;
}

/* 1000 devices: M = 180,000 s; C = 40 s: sqrt(2*40*180000) = 3794.7 s. */
static void test_by_hand(void **state) {
    struct bp_goodput_out out = run(case_of(1000, 40, 900));
    (void)state;
    assert_near(out.mtbf_s, 180000, 1e-15);
    assert_near(out.interruptions_per_day, 0.48, 1e-12);
    assert_near(out.interval_s, 3794.7331922, 1e-9);
    assert_near(out.checkpoint_frac, 0.0105409255, 1e-8);
    assert_near(out.rework_frac, 0.0105409255, 1e-8);
    assert_near(out.restart_frac, 0.005, 1e-12);
    assert_near(out.goodput_frac, 1 - 2 * 0.0105409255 - 0.005, 1e-9);
    /* x = 1/9000: 3794.733 (1 + 0.0105409/3 + 1/81000) - 40 */
    assert_near(out.daly_s, 3794.7331922 * (1 + 0.0105409255 / 3 + 1.0 / 81000) - 40, 1e-8);
}

/* 466 interruptions of all kinds in 54 days on 16,384 devices, arXiv:2407.21783. */
static void test_published_rate(void **state) {
    struct bp_goodput_in in = case_of(16384, 60, 600);
    (void)state;
    in.device_mtbf_s = 54 * 86400.0 * 16384 / 466;
    assert_near(run(in).interruptions_per_day, 466.0 / 54, 1e-12);
}

static void test_optimum_is_the_best_interval(void **state) {
    struct bp_goodput_in in = case_of(4096, 60, 300);
    double best = run(in).goodput_frac, at = run(in).young_s;
    static const double factors[] = {0.25, 0.5, 0.9, 1.1, 2, 4};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof factors / sizeof *factors; i++) {
        in.interval_s = at * factors[i];
        assert_true(run(in).goodput_frac < best);
    }
}

static void test_shares_and_limits(void **state) {
    struct bp_goodput_in in = case_of(1, 0, 0);
    struct bp_goodput_out out = run(in);
    (void)state;
    assert_near(out.goodput_frac, 1, 0);
    assert_near(out.interval_s, 0, 0);
    in.evaluation_frac = 0.02;
    in.stall_frac = 0.03;
    assert_near(run(in).goodput_frac, 0.95, 1e-12);
    /* More devices never help. */
    assert_true(run(case_of(2048, 60, 300)).goodput_frac >
                run(case_of(4096, 60, 300)).goodput_frac);
    /* Saving takes longer than the machine lives: the interval is the time between failures. */
    in = case_of(1000, 400000, 0);
    in.interval_s = 1;
    in.device_mtbf_s = 1e8;
    {
        struct bp_error err;
        assert_int_equal(bp_goodput(&in, &out, &err), BP_EDOMAIN);
        assert_string_equal(err.field, "devices");
        assert_near(out.daly_s, 1e5, 1e-12);
        in = case_of(1000, 0, 0);
        in.evaluation_frac = 0.01;
        in.stall_frac = 0.99;
        assert_int_equal(bp_goodput(&in, &out, &err), BP_EDOMAIN);
        assert_non_null(strstr(err.text, "evaluation 0.01, stalls 0.99 of it"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_published_rate),
        cmocka_unit_test(test_optimum_is_the_best_interval),
        cmocka_unit_test(test_shares_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
