/*
** Many measured training runs, and coefficients of the estimate that they share: step times under any
** values of the coefficients, and the values that meet the measurements best.
*/
#ifndef BP_STATS_TRAIN_FIT_H
#define BP_STATS_TRAIN_FIT_H

#include <stddef.h>

#include "kernel/train/train_step.h"
#include "least_squares.h"

/* One run. `in` is the input as it came; `resolved` and `site` follow it. */
struct bp_train_run {
    struct bp_train_step_in in;
    struct bp_train_resolved resolved;
    struct bp_train_case site; /* refers into this struct: runs must not be moved */
    double measured_s;         /* seconds of a step; 0 = not measured */
};

/*
** A number somewhere in the input. Its value is prior * exp(width * x), kept inside [low, high];
** with `times` it is a factor on what the input says. What is set stays inside [least, most]. Of two
** coefficients for one field the later wins where both apply.
*/
struct bp_coefficient {
    size_t offset; /* of the double in struct bp_train_step_in */
    double prior, width, low, high, least, most;
    int times;
    const unsigned char *applies; /* per run */
    const double *given;          /* per run: what the input said */
};

struct bp_train_fit {
    struct bp_train_run *runs;
    size_t rows;
    const struct bp_coefficient *coefficients;
    size_t count;
    const double *weights; /* while fitting: runs of weight 0 are not evaluated */
};

/* Resolves run->in. Errors: as bp_train_resolve. */
int bp_train_run_resolve(struct bp_train_run *run, struct bp_error *err);

/* Value of a coefficient at x. */
double bp_coefficient_value(const struct bp_coefficient *coefficient, double x);

/* Seconds of a step of run i under x (NULL: as the input says), NAN when there is none. */
double bp_train_fit_step(struct bp_train_fit *fit, size_t i, const double *x);

/*
** By how much ln(step) of run i grows with each coefficient at x, per width: slopes[0 .. count), 0 for what does not
** apply and NAN where there is no step. x is as it was on return.
*/
void bp_train_fit_slopes(struct bp_train_fit *fit, size_t i, double *x, double *slopes);

/*
** Standard deviation of ln(step) of run i that the deviations of the coefficients leave, in units of
** their widths and taken as independent. x is as it was on return.
*/
double bp_train_fit_spread(struct bp_train_fit *fit, size_t i, double *x, const double *deviations);

/* A bp_residuals_fn: ln(estimated / measured); data is struct bp_train_fit. */
void bp_train_fit_residuals(void *data, const double *x, size_t changed, double *residuals);

#endif
