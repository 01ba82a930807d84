/* Least squares: minima that are known in closed form. */
#include "near.h"
#include "stats/least_squares.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 40, ROOM = 4096 };

/* Residuals a + b t - y; the prior pulls a and b to 0 with width 1. */
struct line {
    size_t rows;
    double t[ROWS], y[ROWS];
};

static void line_residuals(void *data, const double *x, size_t changed, double *residuals) {
    const struct line *line = data;
    size_t i;
    (void)changed;
    for (i = 0; i < line->rows; i++) {
        residuals[i] = x[0] + x[1] * line->t[i] - line->y[i];
    }
}

struct solved {
    double x[2], residuals[ROWS], deviations[2], scale;
    int ok;
};

static struct solved solve_from(const struct line *line, const double *weights, enum bp_loss loss,
                                double least_scale, double most_scale) {
    static double work[ROOM];
    struct solved s = {{0, 0}, {0}, {0, 0}, 0, 0};
    struct bp_least_squares fit = {0};
    assert_true(bp_least_squares_work(line->rows, 2) <= ROOM);
    fit.rows = line->rows;
    fit.count = 2;
    fit.residuals_of = line_residuals;
    fit.data = (void *)(uintptr_t)line;
    fit.weights = weights;
    fit.loss = loss;
    fit.iterations = 50;
    fit.least_scale = least_scale;
    fit.most_scale = most_scale;
    fit.work = work;
    fit.x = s.x;
    fit.residuals = s.residuals;
    fit.deviations = s.deviations;
    s.ok = bp_least_squares_fit(&fit);
    s.scale = fit.scale;
    return s;
}

static struct solved solve(const struct line *line, const double *weights, enum bp_loss loss) {
    return solve_from(line, weights, loss, 0, 0);
}

/* y = 2 + 0.5 t with +-0.01 in turn, which has no slope over pairs. */
static struct line noisy_line(void) {
    struct line line;
    size_t i;
    line.rows = ROWS;
    for (i = 0; i < ROWS; i++) {
        line.t[i] = (double)(i / 2);
        line.y[i] = 2 + 0.5 * line.t[i] + (i % 2 ? 0.01 : -0.01);
    }
    return line;
}

static const double *ones(void) {
    static double weights[ROWS];
    size_t i;
    for (i = 0; i < ROWS; i++) {
        weights[i] = 1;
    }
    return weights;
}

static void test_finds_a_line(void **state) {
    const enum bp_loss losses[] = {BP_LOSS_SQUARE, BP_LOSS_HUBER, BP_LOSS_CAUCHY};
    struct line line = noisy_line();
    size_t i;
    (void)state;
    for (i = 0; i < 3; i++) {
        struct solved s = solve(&line, ones(), losses[i]);
        assert_true(s.ok);
        assert_near(s.x[0], 2, 1e-3);
        assert_near(s.x[1], 0.5, 1e-3);
        assert_near(s.scale, 0.01 / 0.6744897501960817, 0.02);
    }
}

/*
** Residuals x0 and x0 - 2: their median size is 1 wherever x0 lies between, so the scale s is fixed. The
** minimum of ((x0)^2 + (x0-2)^2) / s^2 + x0^2 is 2 / (2 + s^2), its deviation 1 / sqrt(1 + 2 / s^2). t is
** 0 in both rows: nothing is learned of the slope.
*/
static void test_prior_shrinks_and_deviates(void **state) {
    struct line line = {2, {0, 0}, {0, 2}};
    struct solved s = solve(&line, ones(), BP_LOSS_SQUARE);
    double scale2 = 1 / (0.6744897501960817 * 0.6744897501960817);
    (void)state;
    assert_true(s.ok);
    assert_near(s.x[0], 2 / (2 + scale2), 1e-6);
    assert_near(s.deviations[0], 1 / sqrt(1 + 2 / scale2), 1e-6);
    assert_near(s.x[1] + 1, 1, 1e-12);
    assert_near(s.deviations[1], 1, 1e-9);
}

/*
** Two rows that x0 = 1 meets: without a scale of their own they are exact and the prior says nothing; with 0.5
** the minimum of 2 (x0 - 1)^2 / 0.25 + x0^2 is 8 / 9.
*/
static void test_measurements_that_err_hold_the_prior(void **state) {
    struct line line = {2, {0, 0}, {1, 1}};
    struct solved exact = solve(&line, ones(), BP_LOSS_SQUARE);
    struct solved err = solve_from(&line, ones(), BP_LOSS_SQUARE, 0.5, 0);
    (void)state;
    assert_true(exact.x[0] > 0.999);
    assert_near(err.x[0], 8.0 / 9, 1e-6);
    assert_near(err.scale, 0.5, 1e-12);
}

/*
** One row 3 away, of a scale of 0.1: Huber's loss pulls with 1.345 / 0.1 until the prior, x0, or the row, has it.
** A scale taken from the row itself would make it an error of the usual size.
*/
static void test_a_known_scale_is_not_taken_from_the_rows(void **state) {
    struct line line = {1, {0}, {3}};
    struct solved known = solve_from(&line, ones(), BP_LOSS_HUBER, 0.1, 0.1);
    struct solved taken = solve(&line, ones(), BP_LOSS_CAUCHY);
    (void)state;
    assert_near(known.scale, 0.1, 1e-12);
    assert_near(known.x[0], 300.0 / 101, 1e-6);
    assert_true(taken.x[0] < 2.9);
}

static void test_outliers_do_not_pull(void **state) {
    struct line line = noisy_line();
    struct solved square, cauchy, huber;
    size_t i;
    (void)state;
    for (i = 0; i < ROWS; i += 8) {
        line.y[i] += 5; /* one in eight is far off */
    }
    square = solve(&line, ones(), BP_LOSS_SQUARE);
    huber = solve(&line, ones(), BP_LOSS_HUBER);
    cauchy = solve(&line, ones(), BP_LOSS_CAUCHY);
    assert_near(cauchy.x[0], 2, 0.003);
    assert_near(huber.x[0], 2, 0.02);
    assert_true(square.x[0] > 2.2);
}

static void test_weightless_rows_are_not_seen(void **state) {
    struct line line = noisy_line();
    double weights[ROWS];
    struct solved s;
    size_t i;
    (void)state;
    for (i = 0; i < ROWS; i++) {
        weights[i] = i < ROWS / 2;
        if (i >= ROWS / 2) {
            line.y[i] = 1e6;
        }
    }
    s = solve(&line, weights, BP_LOSS_SQUARE);
    assert_near(s.x[0], 2, 2e-3);
    assert_near(s.x[1], 0.5, 2e-3);
}

static void test_same_bits_twice(void **state) {
    struct line line = noisy_line();
    struct solved a = solve(&line, ones(), BP_LOSS_CAUCHY),
                  b = solve(&line, ones(), BP_LOSS_CAUCHY);
    (void)state;
    assert_memory_equal(a.x, b.x, sizeof a.x);
    assert_memory_equal(a.deviations, b.deviations, sizeof a.deviations);
}

static void test_refuses_what_is_not_finite(void **state) {
    struct line line = noisy_line();
    (void)state;
    line.y[3] = NAN;
    assert_false(solve(&line, ones(), BP_LOSS_CAUCHY).ok);
    line.y[3] = INFINITY;
    assert_false(solve(&line, ones(), BP_LOSS_SQUARE).ok);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_a_line),
        cmocka_unit_test(test_prior_shrinks_and_deviates),
        cmocka_unit_test(test_measurements_that_err_hold_the_prior),
        cmocka_unit_test(test_a_known_scale_is_not_taken_from_the_rows),
        cmocka_unit_test(test_outliers_do_not_pull),
        cmocka_unit_test(test_weightless_rows_are_not_seen),
        cmocka_unit_test(test_same_bits_twice),
        cmocka_unit_test(test_refuses_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
