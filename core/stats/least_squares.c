#include "least_squares.h"

#include <math.h>
#include <string.h>

#include "quantile.h"

/* Length of a difference for a derivative, in units of the prior's width. */
#define STEP 1e-3

/* In robust standard deviations: 95 % efficient on normal errors (Holland and Welsch 1977). */
#define CAUCHY 2.385
#define HUBER 1.345

/* Median of the absolute values of a standard normal variable. */
#define NORMAL_MEDIAN 0.6744897501960817

/* A fit that is exact has no spread; below this the loss would lose all its digits. */
#define LEAST_SCALE 1e-9

/* Stop when an iteration gains less than this share of the loss, or no damping helps. */
#define LEAST_GAIN 1e-5
#define MOST_DAMPING 1e6

struct room {
    double *jacobian; /* count blocks of rows */
    double *trial;    /* rows */
    double *matrix, *factor;
    double *gradient, *step, *moved;
};

size_t bp_least_squares_work(size_t rows, size_t count) {
    return rows * (count + 1) + 2 * count * count + 3 * count;
}

static struct room rooms(const struct bp_least_squares *fit) {
    struct room r;
    r.jacobian = fit->work;
    r.trial = r.jacobian + fit->rows * fit->count;
    r.matrix = r.trial + fit->rows;
    r.factor = r.matrix + fit->count * fit->count;
    r.gradient = r.factor + fit->count * fit->count;
    r.step = r.gradient + fit->count;
    r.moved = r.step + fit->count;
    return r;
}

/* Cholesky's factor of a matrix with its diagonal raised; 0 if there is none. */
static int factorise(const double *matrix, double *factor, size_t n, double damping) {
    size_t i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) {
            double sum = matrix[i * n + j] * (i == j ? 1 + damping : 1);
            for (k = 0; k < j; k++) {
                sum -= factor[i * n + k] * factor[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return 0;
            }
            factor[i * n + j] = i == j ? sqrt(sum) : sum / factor[j * n + j];
        }
    }
    return 1;
}

/* Solves for x in place. */
static void substitute(const double *factor, size_t n, double *x) {
    size_t i, k;
    for (i = 0; i < n; i++) {
        for (k = 0; k < i; k++) {
            x[i] -= factor[i * n + k] * x[k];
        }
        x[i] /= factor[i * n + i];
    }
    for (i = n; i-- > 0;) {
        for (k = i + 1; k < n; k++) {
            x[i] -= factor[k * n + i] * x[k];
        }
        x[i] /= factor[i * n + i];
    }
}

static double spread(const struct bp_least_squares *fit, double *sorted) {
    size_t i, n = 0;
    double own;
    for (i = 0; i < fit->rows; i++) {
        if (fit->weights[i] > 0) {
            sorted[n++] = fabs(fit->residuals[i]);
        }
    }
    own = fmax(bp_median(sorted, n) / NORMAL_MEDIAN, fmax(fit->least_scale, LEAST_SCALE));
    return fit->most_scale > 0 ? fmin(own, fit->most_scale) : own;
}

/* Loss of a scaled residual. */
static double loss_of(enum bp_loss loss, double r) {
    double a = fabs(r);
    switch (loss) {
    case BP_LOSS_CAUCHY:
        return 0.5 * CAUCHY * CAUCHY * log1p(a * a / (CAUCHY * CAUCHY));
    case BP_LOSS_HUBER:
        return a <= HUBER ? 0.5 * a * a : HUBER * (a - 0.5 * HUBER);
    case BP_LOSS_SQUARE:
        break;
    }
    return 0.5 * a * a;
}

/* Its derivative over the residual: how much the row still weighs. */
static double trust(enum bp_loss loss, double r) {
    double a = fabs(r);
    switch (loss) {
    case BP_LOSS_CAUCHY:
        return 1 / (1 + a * a / (CAUCHY * CAUCHY));
    case BP_LOSS_HUBER:
        return a <= HUBER ? 1 : HUBER / a;
    case BP_LOSS_SQUARE:
        break;
    }
    return 1;
}

static double loss(const struct bp_least_squares *fit, const double *residuals, const double *x) {
    double sum = 0;
    size_t i;
    for (i = 0; i < fit->rows; i++) {
        if (fit->weights[i] > 0) {
            sum += fit->weights[i] * loss_of(fit->loss, residuals[i] / fit->scale);
        }
    }
    for (i = 0; i < fit->count; i++) {
        sum += 0.5 * x[i] * x[i];
    }
    return sum;
}

static void differentiate(struct bp_least_squares *fit, struct room *r) {
    double step = fit->step > 0 ? fit->step : STEP;
    size_t i, j;
    memcpy(r->moved, fit->x, fit->count * sizeof *fit->x);
    for (j = 0; j < fit->count; j++) {
        double *column = r->jacobian + j * fit->rows;
        memcpy(column, fit->residuals, fit->rows * sizeof *column);
        r->moved[j] = fit->x[j] + step;
        fit->residuals_of(fit->data, r->moved, j, column);
        r->moved[j] = fit->x[j];
        for (i = 0; i < fit->rows; i++) {
            column[i] = (column[i] - fit->residuals[i]) / step;
        }
    }
}

/* Gauss-Newton matrix and negative gradient, in residuals scaled to 1. */
static void normal_equations(const struct bp_least_squares *fit, struct room *r) {
    size_t n = fit->count, i, j, k;
    memset(r->matrix, 0, n * n * sizeof *r->matrix);
    for (i = 0; i < fit->rows; i++) {
        double t = trust(fit->loss, fit->residuals[i] / fit->scale);
        r->trial[i] = fit->weights[i] * t / (fit->scale * fit->scale);
    }
    for (j = 0; j < n; j++) {
        const double *a = r->jacobian + j * fit->rows;
        double g = -fit->x[j];
        for (i = 0; i < fit->rows; i++) {
            g -= fit->weights[i] > 0 ? r->trial[i] * a[i] * fit->residuals[i] : 0;
        }
        r->gradient[j] = g;
        for (k = 0; k <= j; k++) {
            const double *b = r->jacobian + k * fit->rows;
            double sum = j == k ? 1 : 0;
            for (i = 0; i < fit->rows; i++) {
                sum += fit->weights[i] > 0 ? r->trial[i] * a[i] * b[i] : 0;
            }
            r->matrix[j * n + k] = r->matrix[k * n + j] = sum;
        }
    }
}

/* One step downhill; what it gained, 0 when no damping helps. */
static double improve(struct bp_least_squares *fit, struct room *r, double *damping) {
    double before = loss(fit, fit->residuals, fit->x), after;
    size_t j;
    for (; *damping <= MOST_DAMPING; *damping *= 5) {
        if (!factorise(r->matrix, r->factor, fit->count, *damping)) {
            continue;
        }
        memcpy(r->step, r->gradient, fit->count * sizeof *r->step);
        substitute(r->factor, fit->count, r->step);
        for (j = 0; j < fit->count; j++) {
            r->moved[j] = fit->x[j] + r->step[j];
        }
        fit->residuals_of(fit->data, r->moved, BP_ALL_PARAMETERS, r->trial);
        after = loss(fit, r->trial, r->moved);
        if (after < before) {
            memcpy(fit->x, r->moved, fit->count * sizeof *fit->x);
            memcpy(fit->residuals, r->trial, fit->rows * sizeof *fit->residuals);
            *damping /= 5;
            return before - after;
        }
    }
    return 0;
}

/* The posterior's covariance is the inverse of the matrix; its diagonal, column by column. */
static void deviate(const struct bp_least_squares *fit, struct room *r) {
    int known = factorise(r->matrix, r->factor, fit->count, 0);
    size_t j;
    for (j = 0; j < fit->count; j++) {
        memset(r->step, 0, fit->count * sizeof *r->step);
        r->step[j] = 1;
        if (known) {
            substitute(r->factor, fit->count, r->step);
        }
        fit->deviations[j] = known ? sqrt(r->step[j]) : 1;
    }
}

int bp_least_squares_fit(struct bp_least_squares *fit) {
    struct room r = rooms(fit);
    double damping = 1e-2;
    int i;
    fit->residuals_of(fit->data, fit->x, BP_ALL_PARAMETERS, fit->residuals);
    fit->scale = spread(fit, r.trial);
    if (!isfinite(loss(fit, fit->residuals, fit->x))) {
        return 0;
    }
    for (i = 0; i < fit->iterations; i++) {
        double before, gain;
        fit->scale = spread(fit, r.trial);
        before = loss(fit, fit->residuals, fit->x);
        differentiate(fit, &r);
        normal_equations(fit, &r);
        gain = improve(fit, &r, &damping);
        if (gain < LEAST_GAIN * before) {
            break;
        }
    }
    fit->scale = spread(fit, r.trial);
    differentiate(fit, &r);
    normal_equations(fit, &r);
    deviate(fit, &r);
    return 1;
}
