/* Job classes, sweeps, guardrails, batch throughput. */
#include "kernel/platform/jobs.h"
#include "near.h"

static const double HOUR = 3600, DAY = 86400;

static void test_jobs(void **state) {
    struct bp_jobs_in in;
    struct bp_jobs_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_jobs_in_schema, &in);
    in.rate_per_s = 10 / DAY;
    in.duration_s = 48 * HOUR;
    in.devices_per_job = 4;
    in.utilization_frac = 0.8;
    in.burst = 2;
    in.activities_per_job = 6;
    assert_int_equal(bp_jobs(&in, &out, &err), BP_OK);
    assert_near(out.concurrent, 20, 1e-12);
    assert_near(out.sustained_devices, 80, 1e-12);
    assert_near(out.planned_devices, 100, 1e-12);
    assert_near(out.burst_devices, 200, 1e-12);
    assert_near(out.device_s_per_day, 10 * 48 * HOUR * 4, 1e-12);
    assert_near(out.starts_per_s, 10 / DAY, 1e-12);
    assert_near(out.activities_per_s, 60 / DAY, 1e-12);
}

static struct bp_sweep_size_in sweep_in(int method, int64_t trials) {
    struct bp_sweep_size_in in;
    bp_defaults(&bp_sweep_size_in_schema, &in);
    in.method = method;
    in.trials = trials;
    in.trial_device_s = HOUR;
    return in;
}

static struct bp_sweep_size_out sweep(struct bp_sweep_size_in in) {
    struct bp_sweep_size_out out;
    struct bp_error err;
    assert_int_equal(bp_sweep_size(&in, &out, &err), BP_OK);
    return out;
}

static void test_sweeps(void **state) {
    struct bp_sweep_size_in in = sweep_in(BP_SWEEP_METHOD_TRIALS, 20);
    struct bp_sweep_size_out out;
    (void)state;
    assert_near(sweep(in).device_s, 20 * HOUR, 1e-12);
    in.pruned_frac = 0.5;
    in.pruned_at_frac = 0.2;
    out = sweep(in);
    assert_near(out.device_s, 12 * HOUR, 1e-12);
    assert_near(out.full_device_s, 20 * HOUR, 1e-12);
    assert_near(out.saved_frac, 0.4, 1e-12);
    in = sweep_in(BP_SWEEP_METHOD_GRID, 0);
    in.parameters = 5;
    in.values = 4;
    assert_near(sweep(in).trials, 1024, 0);
    assert_near(sweep(in).device_s, 1024 * HOUR, 1e-12);
}

/*
** 9 trials, eta 3: 9 to a ninth, 3 to a third, 1 to the end: 9/9 + 3 (1/3-1/9) + 1 (1-1/3) = 7/3.
** 10 trials: 10 to a tenth, 10/3 to 3/10, 10/9 to 9/10, 1 to the end: 1 + 2/3 + 2/3 + 1/10.
** 9 trials of which all run 1/81: 9/81 + 3 (1/27-1/81) + 1 (1-1/27) = 31/27.
*/
static void test_halving(void **state) {
    struct bp_sweep_size_in in = sweep_in(BP_SWEEP_METHOD_HALVING, 9);
    struct bp_sweep_size_out out = sweep(in);
    (void)state;
    assert_near(out.device_s, 7.0 / 3 * HOUR, 1e-12);
    assert_near(out.saved_frac, 1 - 7.0 / 27, 1e-12);
    assert_near(sweep(sweep_in(BP_SWEEP_METHOD_HALVING, 10)).device_s, (7.0 / 3 + 0.1) * HOUR,
                1e-12);
    assert_near(sweep(sweep_in(BP_SWEEP_METHOD_HALVING, 1)).device_s, HOUR, 1e-12);
    in.first_frac = 1.0 / 81;
    assert_near(sweep(in).device_s, 31.0 / 27 * HOUR, 1e-12);
}

/* More trials never take less, whatever power of eta they pass. */
static void test_halving_grows(void **state) {
    double before = 0;
    int n, eta;
    (void)state;
    for (eta = 2; eta <= 5; eta++) {
        before = 0;
        for (n = 1; n <= 300; n++) {
            struct bp_sweep_size_in in = sweep_in(BP_SWEEP_METHOD_HALVING, n);
            double now;
            in.eta = eta;
            now = sweep(in).device_s;
            assert_true(now >= before);
            before = now;
        }
    }
}

static void expect_error(struct bp_sweep_size_in in, const char *field) {
    struct bp_sweep_size_out out;
    struct bp_error err;
    assert_int_equal(bp_sweep_size(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_bad_sweeps(void **state) {
    struct bp_sweep_size_in in = sweep_in(BP_SWEEP_METHOD_GRID, 0);
    struct bp_sweep_size_out out;
    struct bp_error err;
    (void)state;
    expect_error(in, "parameters");
    in.parameters = 2;
    expect_error(in, "values");
    expect_error(sweep_in(BP_SWEEP_METHOD_TRIALS, 0), "trials");
    in.parameters = 64;
    in.values = 1000000;
    assert_int_equal(bp_sweep_size(&in, &out, &err), BP_EOVERFLOW);
    assert_string_equal(err.field, "parameters");
    in = sweep_in(BP_SWEEP_METHOD_HALVING, 9);
    in.pruned_frac = 0.1;
    expect_error(in, "pruned_frac");
}

static struct bp_guardrail_out ask(double budget, double spent, double reserved, double request) {
    struct bp_guardrail_in in = {budget * HOUR, spent * HOUR, reserved * HOUR, request * HOUR};
    struct bp_guardrail_out out;
    struct bp_error err;
    assert_int_equal(bp_guardrail(&in, &out, &err), BP_OK);
    return out;
}

static void test_guardrail(void **state) {
    struct bp_guardrail_out out = ask(500, 100, 80, 800);
    (void)state;
    assert_false(out.allowed);
    assert_near(out.left_device_s, 320 * HOUR, 1e-12);
    assert_near(out.over_device_s, 480 * HOUR, 1e-12);
    assert_near(out.scale_frac, 0.4, 1e-12);
    out = ask(500, 100, 80, 320); /* exactly the rest */
    assert_true(out.allowed);
    assert_near(out.scale_frac, 1, 0);
    out = ask(500, 600, 0, 1); /* already over */
    assert_false(out.allowed);
    assert_near(out.scale_frac, 0, 0);
    out = ask(500, 600, 0, 0); /* nothing is asked */
    assert_true(out.allowed);
    assert_near(out.scale_frac, 1, 0);
}

static void test_throughput(void **state) {
    struct bp_throughput_in in;
    struct bp_throughput_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_throughput_in_schema, &in);
    in.items = 10e6;
    in.rate_per_s = 10e3;
    assert_int_equal(bp_throughput(&in, &out, &err), BP_OK);
    assert_near(out.time_s, 1000, 1e-12);
    assert_near(out.workers_needed, 0, 0);
    in.workers = 8;
    in.parallel_frac = 0.5;
    in.deadline_s = 150;
    assert_int_equal(bp_throughput(&in, &out, &err), BP_OK);
    assert_near(out.rate_per_s, 40e3, 1e-12);
    assert_near(out.time_s, 250, 1e-12);
    assert_near(out.workers_needed, 14, 0);
    in.deadline_s = 1000;
    assert_int_equal(bp_throughput(&in, &out, &err), BP_OK);
    assert_near(out.workers_needed, 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),       cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_halving),    cmocka_unit_test(test_halving_grows),
        cmocka_unit_test(test_bad_sweeps), cmocka_unit_test(test_guardrail),
        cmocka_unit_test(test_throughput),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
