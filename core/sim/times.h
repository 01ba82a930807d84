/* Mean and percentiles of the times that a simulation counted. */
#ifndef BP_SIM_TIMES_H
#define BP_SIM_TIMES_H

#include "kernel/field.h"

#define BP_SPREAD_OUT_FIELDS(F, S)                                                                 \
    F(S, NUM, mean_s, , "s", 0, 0, BP_ANY, "mean")                                                 \
    F(S, NUM, p50_s, , "s", 0, 0, BP_ANY, "median")                                                \
    F(S, NUM, p90_s, , "s", 0, 0, BP_ANY, "90th percentile")                                       \
    F(S, NUM, p99_s, , "s", 0, 0, BP_ANY, "99th percentile")                                       \
    F(S, NUM, at_s, , "s", 0, 0, BP_ANY, "at the percentile that was asked for")
BP_DECLARE_STRUCT(bp_spread_out, BP_SPREAD_OUT_FIELDS);

/* The k-th smallest of `count` values, which it reorders. */
double bp_times_nth(double *values, size_t count, size_t k);

/* Reorders the values; `asked` in percent. Zeros of no values. */
struct bp_spread_out bp_times_sum(double *values, size_t count, double asked);

#endif
