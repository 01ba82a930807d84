/* Quantiles and conformal widths, counted by hand. */
#include "near.h"
#include "stats/conformal.h"

#include <math.h>

static void test_median(void **state) {
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    (void)state;
    assert_near(bp_median(odd, 3), 2, 0);
    assert_near(odd[0], 1, 0); /* sorted */
    assert_near(bp_median(even, 4), 2.5, 0);
    assert_near(bp_median(one, 1), 7, 0);
    assert_true(bp_median(one, 0) == 0);
}

static void test_weighted_quantile(void **state) {
    /* sorted: 1 (.2), 2 (.3), 5 (.5) */
    struct bp_weighted items[] = {{5, 0.5}, {1, 0.2}, {2, 0.3}};
    (void)state;
    assert_near(bp_weighted_quantile(items, 3, 0.1, 1), 1, 0);
    assert_near(bp_weighted_quantile(items, 3, 0.2, 1), 1, 0);
    assert_near(bp_weighted_quantile(items, 3, 0.21, 1), 2, 0);
    assert_near(bp_weighted_quantile(items, 3, 0.5, 1), 2, 0);
    assert_near(bp_weighted_quantile(items, 3, 0.51, 1), 5, 0);
    assert_near(bp_weighted_quantile(items, 3, 1, 1), 5, 0);
    assert_true(isinf(bp_weighted_quantile(items, 3, 0.6, 2)));
    assert_true(isinf(bp_weighted_quantile(items, 0, 0.5, 1)));
}

/* Ten tenths make a whole although their sum in binary does not. */
static void test_rounding_of_weights(void **state) {
    struct bp_weighted items[10];
    size_t i;
    (void)state;
    for (i = 0; i < 10; i++) {
        items[i].value = (double)i;
        items[i].weight = 0.1;
    }
    assert_near(bp_weighted_quantile(items, 10, 0.8, 1), 7, 0);
    assert_near(bp_weighted_quantile(items, 10, 1, 1), 9, 0);
}

/* n single scores: the ceil((n+1) coverage)-th of them, infinite when that is more than n. */
static void test_conformal_rank(void **state) {
    struct bp_weighted items[9];
    size_t i;
    (void)state;
    for (i = 0; i < 9; i++) {
        items[i].value = (double)(9 - i);
        items[i].weight = 1;
    }
    assert_near(bp_conformal_width(items, 9, 9, 0.8), 8, 0);
    assert_near(bp_conformal_width(items, 9, 9, 0.5), 5, 0);
    assert_near(bp_conformal_width(items, 9, 9, 0.9), 9, 0);
    assert_true(isinf(bp_conformal_width(items, 9, 9, 0.95)));
    assert_true(isinf(bp_conformal_width(items, 3, 3, 0.8)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_weighted_quantile),
        cmocka_unit_test(test_rounding_of_weights),
        cmocka_unit_test(test_conformal_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
