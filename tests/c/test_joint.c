/* Draws of numbers that are normal together: by hand, moments, and cases at the limits. */
#include "cases.h"
#include "stats/joint.h"

#include <math.h>
#include <string.h>

enum { N = 3, SAMPLES = 20000 };

/* Of [[4, 2], [2, 5]]: [[2, 0], [1, 2]]. The third is the second again, so nothing of its own is left. */
static void test_factor(void **state) {
    double m[N * N] = {4, 2, 2, 2, 5, 5, 2, 5, 5};
    const double expected[N * N] = {2, 0, 0, 1, 2, 0, 1, 2, 0};
    size_t i;
    (void)state;
    bp_joint_factor(m, N);
    for (i = 0; i < N * N; i++) {
        assert_near(m[i], expected[i], 1e-12);
    }
    memset(m, 0, sizeof m);
    bp_joint_factor(m, N);
    for (i = 0; i < N * N; i++) {
        assert_true(m[i] == 0);
    }
}

static void test_moments(void **state) {
    double m[N * N] = {4, 2, 2, 2, 5, 5, 2, 5, 5}, scores[N], draw[N], sum[N] = {0};
    double squares[N * N] = {0};
    const double mean[N] = {1, -1, 0}, covariance[N * N] = {4, 2, 2, 2, 5, 5, 2, 5, 5};
    struct bp_joint joint = {mean, m, N, 7};
    size_t i, j, k;
    (void)state;
    bp_joint_factor(m, N);
    for (i = 0; i < SAMPLES; i++) {
        bp_joint_draw(&joint, i, scores, draw);
        assert_near(draw[2] - mean[2], draw[1] - mean[1], 1e-12);
        for (j = 0; j < N; j++) {
            sum[j] += draw[j];
            for (k = 0; k < N; k++) {
                squares[j * N + k] += (draw[j] - mean[j]) * (draw[k] - mean[k]);
            }
        }
    }
    for (j = 0; j < N; j++) {
        assert_true(fabs(sum[j] / SAMPLES - mean[j]) < 1e-12);
        for (k = 0; k < N; k++) {
            assert_true(fabs(squares[j * N + k] / SAMPLES - covariance[j * N + k]) < 0.15);
        }
    }
}

/* A draw is what it is by its seed and place alone. */
static void test_same_bits(void **state) {
    double m[1] = {1}, scores[1], a[1], b[1];
    const double mean[1] = {0};
    struct bp_joint joint = {mean, m, 1, 3};
    (void)state;
    bp_joint_draw(&joint, 9, scores, a);
    bp_joint_draw(&joint, 8, scores, b);
    assert_true(a[0] == -b[0] && a[0] != 0);
    joint.seed = 4;
    bp_joint_draw(&joint, 9, scores, b);
    assert_true(a[0] != b[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
