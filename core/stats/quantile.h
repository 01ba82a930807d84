/* Order statistics of small samples, with and without weights. */
#ifndef BP_STATS_QUANTILE_H
#define BP_STATS_QUANTILE_H

#include <stddef.h>

/* Middle of the values, which it sorts; 0 of none. */
double bp_median(double *values, size_t count);

struct bp_weighted {
    double value, weight;
};

/*
** The least value with at least `share` of `total` weight at or below it, INFINITY when all of them
** together do not reach that. Sorts the items. total may exceed the sum of the weights: the rest then
** counts as infinitely large values.
*/
double bp_weighted_quantile(struct bp_weighted *items, size_t count, double share, double total);

#endif
