/* Coefficients over many runs: what is set where, and that a fit finds what made the times. */
#include "cases.h"
#include "stats/train_fit.h"

#include <math.h>
#include <stddef.h>

enum { RUNS = 6, ROOM = 1024 };

static struct bp_train_run runs[RUNS];

static void make_runs(void) {
    struct bp_error err;
    size_t i;
    for (i = 0; i < RUNS; i++) {
        struct bp_train_step_in *in = &runs[i].in;
        bp_defaults(&bp_train_step_in_schema, in);
        in->model = i % 2 ? llama_model() : gpt_model();
        in->device = round_device();
        in->network = round_network(64);
        in->plan.tp = 8;
        in->plan.pp = i < 3 ? 2 : 4;
        in->job.global_batch = 64;
        in->job.seq_len = 2048 << (i / 2);
        runs[i].measured_s = 1;
        assert_int_equal(bp_train_run_resolve(&runs[i], &err), BP_OK);
    }
}

static struct bp_coefficient coefficient(size_t offset, double prior, double width,
                                         const unsigned char *applies, double *given) {
    struct bp_coefficient c = {offset, prior, width, 0.01, 100, 0.02, 50, 0, applies, given};
    size_t i;
    for (i = 0; i < RUNS; i++) {
        given[i] = *(const double *)(const void *)((const char *)&runs[i].in + offset);
    }
    return c;
}

#define GEMM offsetof(struct bp_train_step_in, profile.gemm)
#define ELEMENTWISE offsetof(struct bp_train_step_in, profile.common.elementwise)

static const unsigned char everywhere[RUNS] = {1, 1, 1, 1, 1, 1};
static const unsigned char odd[RUNS] = {0, 1, 0, 1, 0, 1};

static double step_with_gemm(size_t i, double gemm) {
    struct bp_train_step_in in = runs[i].in;
    struct bp_train_step_out out;
    struct bp_error err;
    in.profile.gemm = gemm;
    assert_int_equal(bp_train_step(&in, &out, &err), BP_OK);
    return out.time.step_s;
}

static void test_steps(void **state) {
    const double ones[RUNS] = {1, 1, 1, 1, 1, 1}, zero[] = {0}, up[] = {1};
    double given[RUNS], as_given = 0;
    struct bp_coefficient c;
    struct bp_train_fit fit = {runs, RUNS, &c, 1, ones};
    (void)state;
    make_runs();
    c = coefficient(GEMM, 1.5, log(2), odd, given);
    as_given = runs[1].in.profile.gemm;
    assert_near(bp_train_fit_step(&fit, 1, zero), step_with_gemm(1, 1.5), 1e-12);
    assert_near(bp_train_fit_step(&fit, 1, up), step_with_gemm(1, 3), 1e-12);
    assert_near(bp_train_fit_step(&fit, 0, up), step_with_gemm(0, as_given), 1e-12);
    assert_near(bp_train_fit_step(&fit, 1, NULL), step_with_gemm(1, as_given), 1e-12);
    c.times = 1;
    assert_near(bp_train_fit_step(&fit, 1, up), step_with_gemm(1, 3 * as_given), 1e-12);
    c.high = 2;
    assert_near(bp_train_fit_step(&fit, 1, up), step_with_gemm(1, 2 * as_given), 1e-12);
    c.most = 1.5 * as_given;
    assert_near(bp_train_fit_step(&fit, 1, up), step_with_gemm(1, 1.5 * as_given), 1e-12);
}

/* One coefficient: its slope times its deviation. */
static void test_spread(void **state) {
    const double ones[RUNS] = {1, 1, 1, 1, 1, 1}, deviations[] = {0.5};
    double given[RUNS], x[] = {0.3};
    struct bp_coefficient c;
    struct bp_train_fit fit = {runs, RUNS, &c, 1, ones};
    (void)state;
    make_runs();
    c = coefficient(GEMM, 1, 0.2, odd, given);
    assert_near(bp_train_fit_spread(&fit, 1, x, deviations),
                0.5 * log(step_with_gemm(1, exp(0.2 * 0.4)) / step_with_gemm(1, exp(0.2 * 0.2))) /
                    0.2,
                1e-2);
    assert_true(bp_train_fit_spread(&fit, 0, x, deviations) == 0);
    assert_near(x[0], 0.3, 0);
}

/* Where both apply the later coefficient of a field wins. */
static void test_later_wins(void **state) {
    const double ones[RUNS] = {1, 1, 1, 1, 1, 1}, x[] = {0, 0};
    double given[2][RUNS];
    struct bp_coefficient c[2];
    struct bp_train_fit fit = {runs, RUNS, c, 2, ones};
    (void)state;
    make_runs();
    c[0] = coefficient(GEMM, 1.2, 1, everywhere, given[0]);
    c[1] = coefficient(GEMM, 2, 1, odd, given[1]);
    assert_near(bp_train_fit_step(&fit, 0, x), step_with_gemm(0, 1.2), 1e-12);
    assert_near(bp_train_fit_step(&fit, 1, x), step_with_gemm(1, 2), 1e-12);
}

static void test_network_factors(void **state) {
    struct bp_train_step_in slow;
    struct bp_train_step_out a, b;
    struct bp_error err;
    (void)state;
    make_runs();
    slow = runs[0].in;
    slow.profile.scaleout = 0.5;
    slow.profile.scaleup = 0.25;
    slow.profile.latency = 3;
    assert_int_equal(bp_train_step(&slow, &a, &err), BP_OK);
    slow.profile = runs[0].in.profile;
    slow.network.scaleout.bw_bytes_s *= 0.5;
    slow.network.scaleup.bw_bytes_s *= 0.25;
    slow.network.scaleout.alpha_s *= 3;
    slow.network.scaleout.step_s *= 3;
    slow.network.scaleup.alpha_s *= 3;
    slow.network.scaleup.step_s *= 3;
    assert_int_equal(bp_train_step(&slow, &b, &err), BP_OK);
    assert_near(a.time.step_s, b.time.step_s, 1e-12);
    assert_int_equal(bp_train_step(&runs[0].in, &b, &err), BP_OK);
    assert_true(a.time.step_s > b.time.step_s);
}

/* Times made with known coefficients, fitted from priors that are off by half. */
static void test_fit_finds_the_truth(void **state) {
    static double work[ROOM];
    const double ones[RUNS] = {1, 1, 1, 1, 1, 1}, truth[] = {0.8, -0.5};
    double given[2][RUNS], x[] = {0, 0}, residuals[RUNS], deviations[2];
    struct bp_coefficient c[2];
    struct bp_train_fit fit = {runs, RUNS, c, 2, ones};
    struct bp_least_squares least = {0};
    size_t i;
    (void)state;
    make_runs();
    c[0] = coefficient(GEMM, 1, 0.5, everywhere, given[0]);
    c[1] = coefficient(ELEMENTWISE, 0.7, 0.5, everywhere, given[1]);
    for (i = 0; i < RUNS; i++) {
        runs[i].measured_s = bp_train_fit_step(&fit, i, truth);
    }
    assert_true(bp_least_squares_work(RUNS, 2) <= ROOM);
    least.rows = RUNS;
    least.count = 2;
    least.residuals_of = bp_train_fit_residuals;
    least.data = &fit;
    least.weights = ones;
    least.iterations = 50;
    least.work = work;
    least.x = x;
    least.residuals = residuals;
    least.deviations = deviations;
    assert_true(bp_least_squares_fit(&least));
    assert_near(x[0], truth[0], 1e-3);
    assert_near(x[1], truth[1], 1e-3);
    assert_true(deviations[0] < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_later_wins),
        cmocka_unit_test(test_network_factors),
        cmocka_unit_test(test_fit_finds_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
