#include "train_fit.h"

#include <math.h>

int bp_train_run_resolve(struct bp_train_run *run, struct bp_error *err) {
    return bp_train_resolve(&run->in, &run->resolved, &run->site, err);
}

double bp_coefficient_value(const struct bp_coefficient *c, double x) {
    return fmin(c->high, fmax(c->low, c->prior * exp(c->width * x)));
}

/* Later coefficients win, so the first to put back is the last that was set: all hold the same. */
static void apply(struct bp_train_fit *fit, size_t i, const double *x) {
    struct bp_train_run *run = &fit->runs[i];
    size_t j;
    for (j = 0; j < fit->count; j++) {
        const struct bp_coefficient *c = &fit->coefficients[j];
        double *at = (double *)(void *)((char *)&run->in + c->offset);
        if (!c->applies[i]) {
            continue;
        }
        *at = c->given[i];
        if (x) {
            double value = bp_coefficient_value(c, x[j]);
            value = c->times ? c->given[i] * value : value;
            *at = fmin(c->most, fmax(c->least, value));
        }
    }
    run->resolved.network = bp_profile_network(&run->in.profile, &run->in.network);
}

double bp_train_fit_step(struct bp_train_fit *fit, size_t i, const double *x) {
    struct bp_train_time time;
    apply(fit, i, x);
    return bp_train_time(&fit->runs[i].site, &time, NULL) == BP_OK ? time.step_s : NAN;
}

/* Of a difference, in widths. */
static const double LENGTH = 1e-3;

static double slope_at(struct bp_train_fit *fit, size_t i, double *x, size_t j, double base) {
    double was = x[j], slope = 0;
    if (fit->coefficients[j].applies[i]) {
        x[j] += LENGTH;
        slope = log(bp_train_fit_step(fit, i, x) / base) / LENGTH;
        x[j] = was;
    }
    return slope;
}

void bp_train_fit_slopes(struct bp_train_fit *fit, size_t i, double *x, double *slopes) {
    double base = bp_train_fit_step(fit, i, x);
    size_t j;
    for (j = 0; j < fit->count; j++) {
        slopes[j] = isfinite(base) ? slope_at(fit, i, x, j, base) : NAN;
    }
}

double bp_train_fit_spread(struct bp_train_fit *fit, size_t i, double *x,
                           const double *deviations) {
    double base = bp_train_fit_step(fit, i, x), sum = 0;
    size_t j;
    for (j = 0; j < fit->count; j++) {
        double slope = slope_at(fit, i, x, j, base);
        sum += slope * slope * deviations[j] * deviations[j];
    }
    return sqrt(sum);
}

void bp_train_fit_residuals(void *data, const double *x, size_t changed, double *residuals) {
    struct bp_train_fit *fit = data;
    size_t i;
    for (i = 0; i < fit->rows; i++) {
        if (fit->weights[i] <= 0) {
            residuals[i] = 0;
        } else if (changed == BP_ALL_PARAMETERS || fit->coefficients[changed].applies[i]) {
            residuals[i] = log(bp_train_fit_step(fit, i, x) / fit->runs[i].measured_s);
        }
    }
}
