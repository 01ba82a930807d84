/* Quasi-random points, distributions, tapes and Sobol indices, against what is known of them by hand. */
#include "near.h"
#include "stats/draws.h"
#include "stats/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double unit(uint32_t x) {
    return ((double)x + 0.5) * 0x1p-32;
}

/* Folding puts two of the first 2^10 points into every 512th of the unit interval, in every coordinate. */
static void test_lattice_is_even(void **state) {
    enum { POINTS = 1024, CELLS = 512 };
    size_t d, i;
    (void)state;
    for (d = 0; d < BP_LATTICE_DIMENSIONS; d++) {
        uint32_t x[POINTS], most = 0;
        int count[CELLS] = {0};
        bp_lattice_points(d, bp_lattice_shift(5, d), 0, POINTS, x);
        for (i = 0; i < POINTS; i++) {
            uint32_t cell = x[i] >> 23;
            count[cell]++;
            most = cell > most ? cell : most;
        }
        assert_int_equal(most, CELLS - 1);
        for (i = 0; i < CELLS; i++) {
            assert_int_equal(count[i], 2);
        }
    }
}

/* Any block has the points that it has in the whole. */
static void test_lattice_in_blocks(void **state) {
    uint32_t whole[100], part[40];
    (void)state;
    bp_lattice_points(3, 77, 0, 100, whole);
    bp_lattice_points(3, 77, 60, 40, part);
    assert_memory_equal(whole + 60, part, sizeof part);
    assert_int_not_equal(bp_lattice_shift(1, 0), bp_lattice_shift(2, 0));
    assert_int_not_equal(bp_lattice_shift(1, 0), bp_lattice_shift(1, 1));
}

/* The mean of a product of 1 + (x^2 - 1/3) / k^2 is 1; that of random points is off by about 1e-3 here. */
static void test_lattice_integrates(void **state) {
    enum { POINTS = 1 << 16, SIZE = 24 };
    static uint32_t x[SIZE][POINTS];
    uint64_t seed;
    (void)state;
    for (seed = 1; seed <= 3; seed++) {
        double sum = 0;
        size_t d, i;
        for (d = 0; d < SIZE; d++) {
            bp_lattice_points(d, bp_lattice_shift(seed, d), 0, POINTS, x[d]);
        }
        for (i = 0; i < POINTS; i++) {
            double product = 1;
            for (d = 0; d < SIZE; d++) {
                double u = unit(x[d][i]);
                product *= 1 + (u * u - 1.0 / 3) / (double)((d + 1) * (d + 1));
            }
            sum += product;
        }
        assert_near(sum / POINTS, 1, 1e-6);
    }
}

/* Quantiles of the normal distribution as tables have them. */
static void test_normal(void **state) {
    (void)state;
    assert_near(bp_normal_quantile(0.9), 1.2815515655446004, 1e-15);
    assert_near(bp_normal_quantile(0.975), 1.959963984540054, 1e-15);
    assert_near(bp_normal_quantile(1e-10), -6.361340902404056, 1e-13);
    assert_true(bp_normal_quantile(0.5) == 0);
    assert_near(bp_normal_below(1.959963984540054), 0.975, 1e-15);
}

static double value(struct bp_spread spread, double u) {
    return bp_spread_value(&spread, u);
}

static void test_spreads(void **state) {
    static const double seen[] = {1, 3, 8, 9}, weights[] = {0.25, 0.75};
    static const struct bp_spread parts[] = {{.kind = BP_SPREAD_UNIFORM, .a = 0, .b = 1},
                                             {.kind = BP_SPREAD_UNIFORM, .a = 10, .b = 13}};
    struct bp_spread empirical = {.kind = BP_SPREAD_EMPIRICAL, .values = seen, .count = 4};
    struct bp_spread mixture = {
        .kind = BP_SPREAD_MIXTURE, .values = weights, .count = 2, .parts = parts};
    (void)state;
    assert_near(value((struct bp_spread){.kind = BP_SPREAD_UNIFORM, .a = 2, .b = 6}, 0.25), 3,
                1e-15);
    assert_near(value((struct bp_spread){.kind = BP_SPREAD_LOGNORMAL, .a = log(56), .b = 0.5}, 0.5),
                56, 1e-14);
    /* From 0 over 1 to 4: a quarter lies below the mode. */
    assert_near(
        value((struct bp_spread){.kind = BP_SPREAD_TRIANGULAR, .a = 0, .b = 1, .c = 4}, 0.25), 1,
        1e-15);
    assert_near(
        value((struct bp_spread){.kind = BP_SPREAD_TRIANGULAR, .a = 0, .b = 1, .c = 4}, 0.75),
        4 - sqrt(3), 1e-15);
    /* Of beta (2, 2) 3 x^2 - 2 x^3 lies below x. */
    assert_near(
        value((struct bp_spread){.kind = BP_SPREAD_BETA, .a = 2, .b = 2, .c = 0, .d = 1}, 0.15625),
        0.25, 1e-13);
    assert_near(
        value((struct bp_spread){.kind = BP_SPREAD_BETA, .a = 2, .b = 2, .c = 10, .d = 20}, 0.5),
        15, 1e-13);
    assert_near(value(empirical, 0.24), 1, 0);
    assert_near(value(empirical, 0.74), 8, 0);
    assert_near(value(mixture, 0.125), 0.5, 1e-15);
    assert_near(value(mixture, 0.5), 11, 1e-15);
}

/* Interpolated values are those of the quantile function. */
static void test_sampled(void **state) {
    static const struct bp_spread spreads[] = {
        {.kind = BP_SPREAD_NORMAL, .a = 0, .b = 1},
        {.kind = BP_SPREAD_LOGNORMAL, .a = 0, .b = 0.6},
        {.kind = BP_SPREAD_BETA, .a = 3, .b = 8, .c = 0, .d = 1},
        {.kind = BP_SPREAD_TRIANGULAR, .a = 0, .b = 1.3, .c = 4},
    };
    static struct bp_sampled sampled;
    size_t k;
    uint32_t i;
    (void)state;
    for (k = 0; k < sizeof spreads / sizeof *spreads; k++) {
        bp_sampled_init(&sampled, &spreads[k]);
        for (i = 0; i < 5000; i++) {
            /* All of the interval, then the ends of it. */
            uint32_t x = i < 4000   ? i * 1073741U + 12345
                         : i < 4500 ? (i - 4000) * 150000U
                                    : ~((i - 4500) * 150000U);
            double out;
            bp_sampled_values(&sampled, &x, 1, &out);
            assert_true(fabs(out - bp_spread_value(&spreads[k], unit(x))) < 2e-7);
        }
    }
}

/* Every operation on 7 and 2 (and 3). */
static void test_tape(void **state) {
    static const double constants[] = {2, 3, -7.5};
    static const struct {
        enum bp_tape_op op;
        uint32_t a, b, c;
        double expected;
    } cases[] = {
        {BP_TAPE_ADD, 0, 1, 0, 9},
        {BP_TAPE_SUB, 0, 1, 0, 5},
        {BP_TAPE_MUL, 0, 1, 0, 14},
        {BP_TAPE_DIV, 0, 1, 0, 3.5},
        {BP_TAPE_POW, 0, 1, 0, 49},
        {BP_TAPE_MOD, 0, 1, 0, 1},
        {BP_TAPE_MOD, 3, 1, 0, 0.5},
        {BP_TAPE_MAX, 0, 1, 0, 7},
        {BP_TAPE_MIN, 0, 1, 0, 2},
        {BP_TAPE_LESS, 0, 1, 0, 0},
        {BP_TAPE_LESS, 1, 0, 0, 1},
        {BP_TAPE_LESS, 0, 0, 0, 0},
        {BP_TAPE_AT_MOST, 0, 0, 0, 1},
        {BP_TAPE_CHOOSE, 0, 1, 2, 2},
        {BP_TAPE_NEG, 0, 0, 0, -7},
        {BP_TAPE_ABS, 3, 0, 0, 7.5},
        {BP_TAPE_CEIL, 3, 0, 0, -7},
        {BP_TAPE_FLOOR, 3, 0, 0, -8},
        {BP_TAPE_SQRT, 0, 0, 0, 2.6457513110645906},
        {BP_TAPE_EXP, 1, 0, 0, 7.38905609893065},
        {BP_TAPE_LOG, 0, 0, 0, 1.9459101490553132},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bp_tape_line line = {cases[i].op, cases[i].a, cases[i].b, cases[i].c};
        struct bp_tape tape = {1, 3, 1, constants, &line};
        double *room = malloc(bp_tape_room(&tape) * sizeof *room);
        assert_non_null(room);
        bp_tape_prepare(&tape, room);
        bp_tape_value(room, 0)[0] = 1;
        bp_tape_value(room, 0)[1] = 7;
        bp_tape_run(&tape, room, 2);
        assert_near(bp_tape_value(room, 4)[1], cases[i].expected, 1e-15);
        free(room);
    }
}

static void test_cholesky(void **state) {
    double two[] = {1, 0.6, 0.6, 1}, never[] = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1};
    (void)state;
    assert_true(bp_cholesky(two, 2));
    assert_near(two[0], 1, 0);
    assert_near(two[2], 0.6, 1e-15);
    assert_near(two[3], 0.8, 1e-15);
    assert_true(two[1] == 0);
    assert_false(bp_cholesky(never, 3));
}

static void test_quantile(void **state) {
    double values[] = {3, 1, 2, 5, 4}, same[] = {2, 2, 1, 2, 2, 2}, one[] = {7};
    (void)state;
    assert_near(bp_quantile(values, 5, 0.5), 3, 0);
    assert_near(bp_quantile(values, 5, 0.9), 4.6, 1e-15);
    assert_near(bp_quantile(values, 5, 0), 1, 0);
    assert_near(bp_quantile(values, 5, 1), 5, 0);
    assert_near(bp_quantile(same, 6, 0.1), 1.5, 1e-15);
    assert_near(bp_quantile(one, 1, 0.3), 7, 0);
}

/* Two normal inputs, and the tape that adds them up. */
struct sum {
    struct bp_sampled sampled[2];
    struct bp_inputs inputs;
    struct bp_tape_line line;
    struct bp_tape tape;
    uint32_t result;
    struct bp_draws_request request;
};

static void set_up(struct sum *s, size_t samples) {
    struct bp_spread a = {.kind = BP_SPREAD_NORMAL, .a = 1, .b = 3};
    struct bp_spread b = {.kind = BP_SPREAD_NORMAL, .a = 2, .b = 4};
    memset(s, 0, sizeof *s);
    bp_sampled_init(&s->sampled[0], &a);
    bp_sampled_init(&s->sampled[1], &b);
    s->inputs = (struct bp_inputs){s->sampled, 2, NULL, 1};
    s->line = (struct bp_tape_line){BP_TAPE_ADD, 0, 1, 0};
    s->tape = (struct bp_tape){2, 0, 1, NULL, &s->line};
    s->result = 2;
    s->request = (struct bp_draws_request){.inputs = &s->inputs,
                                           .tape = &s->tape,
                                           .result = &s->result,
                                           .results = 1,
                                           .samples = samples,
                                           .swapped = -1,
                                           .threads = 1};
}

/* The sum has the mean 3 and the deviation 5; 6.2 where the two are correlated by 0.56. */
static void test_sum_of_normals(void **state) {
    enum { SAMPLES = 1 << 15 };
    static double values[SAMPLES];
    static struct sum s;
    double *outputs[] = {values}, factor[] = {1, 0.56, 0.56, 1};
    (void)state;
    set_up(&s, SAMPLES);
    assert_int_equal(bp_draws_run(&s.request, outputs), BP_DRAWS_OK);
    assert_near(bp_quantile(values, SAMPLES, 0.5), 3, 1e-3);
    assert_near(bp_quantile(values, SAMPLES, 0.9), 3 + 5 * 1.2815515655446004, 1e-3);
    assert_true(bp_cholesky(factor, 2));
    s.inputs.factor = factor;
    assert_int_equal(bp_draws_run(&s.request, outputs), BP_DRAWS_OK);
    assert_near(bp_quantile(values, SAMPLES, 0.9),
                3 + 1.2815515655446004 * sqrt(9 + 16 + 2 * 0.56 * 12), 2e-3);
}

/* As many threads as one likes give the same bits, also where the last block is not full. */
static void test_threads(void **state) {
    enum { SAMPLES = 30000 };
    static double one[SAMPLES], many[SAMPLES];
    static struct sum s;
    double *first[] = {one}, *second[] = {many};
    (void)state;
    set_up(&s, SAMPLES);
    assert_int_equal(bp_draws_run(&s.request, first), BP_DRAWS_OK);
    s.request.threads = 5;
    assert_int_equal(bp_draws_run(&s.request, second), BP_DRAWS_OK);
    assert_memory_equal(one, many, sizeof one);
}

/* In a sum of independent inputs each has the share of its variance: 9 and 16 of 25. */
static void test_indices(void **state) {
    enum { SAMPLES = 1 << 13 };
    static double a[SAMPLES], b[SAMPLES], ab[SAMPLES];
    static struct sum s;
    double *outputs[] = {a}, first, total;
    (void)state;
    set_up(&s, SAMPLES);
    assert_int_equal(bp_draws_run(&s.request, outputs), BP_DRAWS_OK);
    outputs[0] = b;
    s.request.matrix = BP_MATRIX_B;
    assert_int_equal(bp_draws_run(&s.request, outputs), BP_DRAWS_OK);
    outputs[0] = ab;
    s.request.matrix = BP_MATRIX_A;
    s.request.swapped = 0;
    assert_int_equal(bp_draws_run(&s.request, outputs), BP_DRAWS_OK);
    bp_sobol_indices(a, b, ab, SAMPLES, &first, &total);
    assert_near(first, 0.36, 5e-3);
    assert_near(total, 0.36, 5e-3);
    bp_sobol_indices(ab, ab, ab, 1, &first, &total);
    assert_true(first == 0 && total == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattice_is_even),
        cmocka_unit_test(test_lattice_in_blocks),
        cmocka_unit_test(test_lattice_integrates),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_spreads),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_tape),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_sum_of_normals),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
