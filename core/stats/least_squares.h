/*
** Robust least squares: Levenberg-Marquardt with forward differences, a loss under which a faulty
** measurement says little about the rest, and a prior that keeps what the data cannot identify where
** it was. Deterministic; works in memory of the caller.
**
** Parameters are in units of their prior's standard deviation, prior mean 0. Minimised is
**   sum_i weights[i] loss(residual_i / scale) + sum_j x_j^2 / 2
** with scale the robust standard deviation of the residuals, taken anew in every iteration.
*/
#ifndef BP_STATS_LEAST_SQUARES_H
#define BP_STATS_LEAST_SQUARES_H

#include <stddef.h>

enum bp_loss { BP_LOSS_CAUCHY, BP_LOSS_HUBER, BP_LOSS_SQUARE };

/* In place of a parameter's number: any of them may have changed. */
#define BP_ALL_PARAMETERS ((size_t)-1)

/*
** Residuals at x. When `changed` is a parameter, only that one differs from the last call with
** BP_ALL_PARAMETERS at the base point, residuals holds those of that call, and entries that the
** parameter does not touch may be left alone.
*/
typedef void bp_residuals_fn(void *data, const double *x, size_t changed, double *residuals);

struct bp_least_squares {
    size_t rows, count;
    bp_residuals_fn *residuals_of;
    void *data;
    const double *weights; /* of rows; a row of weight 0 is left out altogether */
    enum bp_loss loss;
    int iterations;                 /* at most */
    double step;                    /* of the differences; 0: as for smooth residuals */
    double least_scale, most_scale; /* of the measurements, if known; 0: any */
    double *work;                   /* bp_least_squares_work() doubles */

    double *x;          /* in: where to start; out: the minimum */
    double *residuals;  /* out: of rows, at x */
    double *deviations; /* out: posterior standard deviations; 1 = the data said nothing */
    double scale;       /* out */
};

/* Doubles of working memory. */
size_t bp_least_squares_work(size_t rows, size_t count);

/* 1, or 0 when the residuals at the start are not finite. */
int bp_least_squares_fit(struct bp_least_squares *fit);

#endif
