/*
** A replica that never lacks requests: how its steps are composed, and what it answers. Composition is counted in
** steps, so that it depends on places and budgets only; how long steps take comes from bp_infer_time.
*/
#ifndef BP_KERNEL_SATURATED_H
#define BP_KERNEL_SATURATED_H

#include "kernel/serve/flow.h"
#include "kernel/serve/infer_case.h"

struct bp_saturated {
    double per_s;   /* answers per second */
    double places;  /* that bring it: fewer than there are where an engine has to be told so */
    double running; /* sequences that run, and prompts that are computed, in the mean */
    double
        filled; /* the same with all places open: fewer where the budget of a step does not fill them */
};

/* Seconds that the front end spends on each request, one after another: what a replica answers has that bound. */
double bp_infer_front_serial_s(const struct bp_infer_case *c, const struct bp_infer_demand *d);

/* With so many places, all of them refilled as soon as an engine does so. places is 1 or more. */
struct bp_saturated bp_saturated_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                                    double places);

/* Answers per second with so many places, all of them taken, whether or not fewer would bring more. */
double bp_saturated_taken(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                          double places);

#endif
