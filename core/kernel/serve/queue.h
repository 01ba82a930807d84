/* Waiting for one of several servers, in closed form. */
#ifndef BP_KERNEL_QUEUE_H
#define BP_KERNEL_QUEUE_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_QUEUE_IN_FIELDS(F, S)                                                                   \
    F(S, INT, servers, , "", BP_REQUIRED, 1, 1e7, "replicas, devices or slots")                    \
    F(S, NUM, rate_per_s, , "1/s", BP_REQUIRED, 0, 1e15, "arrivals per second")                    \
    F(S, NUM, service_s, , "s", BP_REQUIRED, 1e-12, 1e12, "mean time one is served")               \
    F(S, NUM, arrival_cv, , "", 1, 0, 100,                                                         \
      "standard deviation over mean of the time between arrivals; 1 = Poisson")                    \
    F(S, NUM, service_cv, , "", 1, 0, 100,                                                         \
      "standard deviation over mean of the service time; 1 = exponential")                         \
    F(S, NUM, percentile, , "", 99, 0, 99.9999, "percentile of the wait that is asked")
BP_DECLARE_STRUCT(bp_queue_in, BP_QUEUE_IN_FIELDS);

#define BP_QUEUE_OUT_FIELDS(F, S)                                                                  \
    F(S, NUM, utilization_frac, , "frac", 0, 0, 1, "share of the servers that work")               \
    F(S, NUM, wait_probability, , "frac", 0, 0, 1, "share of arrivals that wait (Erlang C)")       \
    F(S, NUM, wait_s, , "s", 0, 0, BP_ANY, "mean wait")                                            \
    F(S, NUM, wait_percentile_s, , "s", 0, 0, BP_ANY, "that percentile of the wait")               \
    F(S, NUM, waiting, , "", 0, 0, BP_ANY, "mean number waiting")                                  \
    F(S, NUM, total_s, , "s", 0, 0, BP_ANY, "mean time from arrival to end")
BP_DECLARE_STRUCT(bp_queue_out, BP_QUEUE_OUT_FIELDS);

int bp_queue(const struct bp_queue_in *in, struct bp_queue_out *out, struct bp_error *err);

/* Erlang C: chance that an arrival waits when load servers' worth of work meets servers > load. */
double bp_erlang_c(double servers, double load);

/* Chance that of a Poisson number with this mean fewer than so many are. */
double bp_fewer_than(double count, double mean);

/* Mean of a Poisson number of which those that are not 0 have this mean (Newton's method): mean = n / (1 - exp(-n)). */
double bp_poisson_of_some(double mean);

/* Arrivals, each at any of so many places, until every place has had one: the mean (coupon collector). */
double bp_until_all(double places);

#endif
