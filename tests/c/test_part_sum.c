/* Sums of independent parts against closed forms, and their limits. */
#include "near.h"
#include "stats/part_sum.h"

#include <math.h>
#include <stdlib.h>

/* Lognormal by its median and the deviation of its logarithm. */
static struct bp_part lognormal(double median, double deviation) {
    struct bp_part p = {{-1, 1}, {log(median) - deviation, log(median) + deviation}, 2};
    return p;
}

static void test_score(void **state) {
    (void)state;
    assert_true(fabs(bp_normal_score(0.5)) < 1e-12);
    assert_near(bp_normal_score(0.99), 2.3263478740408408, 1e-9);
    assert_near(bp_normal_score(0.1), -1.2815515655446004, 1e-9);
}

static void test_one_part(void **state) {
    struct bp_part p = lognormal(0.02, 0.5);
    struct bp_sum *sum = malloc(sizeof *sum);
    (void)state;
    assert_near(bp_part_mean(&p), 0.02 * exp(0.125), 1e-6);
    assert_near(bp_part_below(&p, bp_part_value(&p, 1.7)), 0.5 * erfc(-1.7 / sqrt(2)), 1e-12);
    assert_true(bp_part_below(&p, 0) == 0);
    bp_sum_part(sum, &p, bp_sum_width(&p, 1));
    assert_near(bp_sum_quantile(sum, 0.99), 0.02 * exp(0.5 * 2.3263478740408408), 1e-3);
    assert_near(bp_sum_quantile(sum, 0.5), 0.02, 1e-3);
    assert_near(bp_sum_below(sum, 0.02), 0.5, 2e-3);
    assert_true(bp_sum_below(sum, -1) == 0);
    assert_near(bp_sum_below(sum, 1e9), 1, 1e-12);
    free(sum);
}

/* Three points: each is met, and the pieces go on with their own slopes. */
static void test_points(void **state) {
    struct bp_part p = {{0, 1, 2}, {0, 1, 3}, 3};
    (void)state;
    assert_near(bp_part_value(&p, 0.5), exp(0.5), 1e-12);
    assert_near(bp_part_value(&p, 2), exp(3), 1e-12);
    assert_near(bp_part_value(&p, 3), exp(5), 1e-12);
    assert_near(bp_part_value(&p, -1), exp(-1), 1e-12);
    assert_near(bp_part_below(&p, exp(2)), 0.5 * erfc(-1.5 / sqrt(2)), 1e-12);
}

/* A heavy tail: the cells that hold it have its median in the first, which finer ones tell. */
static void test_heavy_tail(void **state) {
    struct bp_part parts[2] = {lognormal(0.001, 5), lognormal(0.002, 0.1)};
    struct bp_sum *room = malloc(4 * sizeof *room), *coarse = &room[3];
    (void)state;
    bp_sum_of(parts, 1, bp_sum_width(parts, 1), room, coarse);
    assert_near(bp_sum_quantile_of(parts, 1, coarse, 0.5, room), 0.001, 1e-3);
    assert_near(bp_sum_quantile_of(parts, 1, coarse, 0.1, room),
                0.001 * exp(-5 * 1.2815515655446004), 5e-3);
    assert_near(bp_sum_below_of(parts, 1, coarse, 0.001, room), 0.5, 2e-3);
    assert_true(bp_sum_below_of(parts, 1, coarse, 0, room) == 0);
    assert_true(bp_sum_below_of(parts, 0, coarse, 0, room) == 1);
    bp_sum_of(parts, 2, bp_sum_width(parts, 2), room, coarse);
    assert_true(bp_sum_quantile_of(parts, 2, coarse, 0.5, room) > 0.002);
    assert_true(bp_sum_quantile_of(parts, 2, coarse, 0.5, room) < 0.004);
    free(room);
}

/* Many narrow parts: nearly normal, with the sums of means and variances. */
static void test_many(void **state) {
    enum { COUNT = 16 };
    struct bp_part parts[COUNT];
    struct bp_sum *sum = malloc(3 * sizeof *sum);
    double mean = 0, variance = 0, width, s = 0.2;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT; i++) {
        double m;
        parts[i] = lognormal(0.001 * (double)(i + 1), s);
        m = bp_part_mean(&parts[i]);
        mean += m;
        variance += m * m * (exp(s * s) - 1);
    }
    width = bp_sum_width(parts, COUNT);
    bp_sum_none(&sum[0], width);
    for (i = 0; i < COUNT; i++) {
        bp_sum_part(&sum[1], &parts[i], width);
        bp_sum_add(&sum[0], &sum[1], &sum[2]);
        sum[0] = sum[2];
    }
    assert_near(bp_sum_quantile(sum, 0.5), mean, 0.01);
    assert_near(bp_sum_quantile(sum, 0.99), mean + 2.326 * sqrt(variance), 0.01);
    assert_near(bp_sum_below(sum, bp_sum_quantile(sum, 0.9)), 0.9, 1e-9);
    free(sum);
}

/* A sum is no more than its parts' percentiles together, and the order does not matter. */
static void test_order(void **state) {
    struct bp_part parts[] = {{{-1, 1}, {0, 1}, 2}, {{-1, 1}, {-3, 1}, 2}};
    struct bp_sum *sum = malloc(4 * sizeof *sum);
    double width = bp_sum_width(parts, 2), tail;
    (void)state;
    bp_sum_part(&sum[0], &parts[0], width);
    bp_sum_part(&sum[1], &parts[1], width);
    bp_sum_add(&sum[0], &sum[1], &sum[2]);
    bp_sum_add(&sum[1], &sum[0], &sum[3]);
    tail = bp_sum_quantile(&sum[2], 0.99);
    assert_near(tail, bp_sum_quantile(&sum[3], 0.99), 1e-12);
    assert_true(tail < bp_part_value(&parts[0], 2.3263) + bp_part_value(&parts[1], 2.3263));
    assert_true(tail > bp_part_value(&parts[0], 2.3263));
    /* Of no part there is nothing. */
    bp_sum_none(&sum[2], width);
    assert_true(bp_sum_quantile(&sum[2], 0.99) == 0);
    assert_true(bp_sum_below(&sum[2], 0) == 1);
    free(sum);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_score),  cmocka_unit_test(test_one_part),
        cmocka_unit_test(test_points), cmocka_unit_test(test_heavy_tail),
        cmocka_unit_test(test_many),   cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
