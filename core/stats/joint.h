/* Draws of numbers that are normal together. The same seed gives the same bits, in whatever parts they are drawn. */
#ifndef BP_STATS_JOINT_H
#define BP_STATS_JOINT_H

#include <stddef.h>
#include <stdint.h>

/*
** The lower Cholesky factor of a covariance (row by row, n * n) in place. A number that follows from those before
** it, as one that has no spread or is the same as another, gets a column of zeros.
*/
void bp_joint_factor(double *matrix, size_t n);

/* `mean` and the factor of the covariance of n numbers. */
struct bp_joint {
    const double *mean, *factor;
    size_t n;
    uint64_t seed;
};

/*
** Draw i of all numbers into out[0 .. n); `scores` is room for n. Draws come in pairs that mirror each other about
** the mean, so that an even number of them has it exactly.
*/
void bp_joint_draw(const struct bp_joint *joint, uint64_t i, double *scores, double *out);

#endif
