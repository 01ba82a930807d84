/* The requests of a load, and what a run's requests come to. */
#ifndef BP_SIM_SERVING_LOAD_H
#define BP_SIM_SERVING_LOAD_H

#include "serving.h"

/* Fills `count` requests: lengths, and for an open load the arrivals. */
void bp_serving_draw(const struct bp_serving_load *load, struct bp_request *requests, size_t count);

/* Means and percentiles of requests[skip ..]; `values` has room for count numbers. */
void bp_serving_sum(const struct bp_request *requests, size_t count, size_t skip, double *values,
                    struct bp_serving_out *out);

#endif
