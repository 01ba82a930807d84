/* How fast a replica goes while so many requests run: what one of them waits for, and what its steps take. */
#ifndef BP_KERNEL_PACE_H
#define BP_KERNEL_PACE_H

#include "kernel/serve/flow.h"
#include "kernel/serve/infer_case.h"

struct bp_pace {
    double step_s;    /* of a step without prompts */
    double met;       /* chance that a request finds others running */
    double planned_s; /* of a step that is planned when a request comes */
    double
        rest_s; /* of a request that meets others: until a step is over and its prompt has room in the next */
    double own_s;    /* from there to the end of its prompt */
    double answer_s; /* from the first token of an answer to its last */
    double tpot_s;   /* the same for each token after the first, mean over answers */
    double share;    /* of the time, what prompts take */
};

/* Prompts of mean length that the budget of a step holds. */
double bp_pace_together(const struct bp_infer_case *c, const struct bp_infer_demand *d);

/*
** With k running while a request does, of a replica that answers so many requests per second at most. k is 1 or more.
*/
struct bp_pace bp_pace_of(const struct bp_infer_case *c, const struct bp_infer_demand *d, double k,
                          double capacity_per_s);

#endif
