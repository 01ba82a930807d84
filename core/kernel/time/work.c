#include "kernel/time/work.h"

#include <math.h>

double bp_work_total(const struct bp_work *w) {
    return w->matmul + w->attention + w->elementwise + w->recompute + w->tp + w->cp + w->ep +
           w->zero3;
}

void bp_work_add(struct bp_work *to, const struct bp_work *w, double times) {
    to->matmul += times * w->matmul;
    to->attention += times * w->attention;
    to->elementwise += times * w->elementwise;
    to->recompute += times * w->recompute;
    to->tp += times * w->tp;
    to->cp += times * w->cp;
    to->ep += times * w->ep;
    to->zero3 += times * w->zero3;
}

double bp_exposed(double comm, double window, double least) {
    return fmax(comm - window, least * comm);
}

double bp_tp_shown(const struct bp_train_case *c) {
    return c->plan->overlap_tp ? 1 - c->profile->common.overlap_tp : 1;
}

/*
** The gradient of a region's input is summed over the ranks while the matmul of the weights' gradient runs.
** Under sequence parallelism only the scatter is: for the gather before the region the backward waits.
*/
double bp_tp_shown_backward(const struct bp_train_case *c) {
    double share = c->plan->sequence_parallel ? 0.5 : 1;
    if (c->profile->tp_backward == BP_TP_BACKWARD_ALWAYS_WAITS) {
        return 1;
    }
    if (c->plan->overlap_tp || c->profile->tp_backward == BP_TP_BACKWARD_WAITS) {
        return bp_tp_shown(c);
    }
    return 1 - c->profile->common.overlap_tp * share;
}

double bp_ep_shown(const struct bp_train_case *c, double comm, double window) {
    return c->plan->overlap_ep ? bp_exposed(comm, window, bp_ep_least(c, 1)) : comm;
}

double bp_ep_least(const struct bp_train_case *c, int hides) {
    return hides ? 1 - c->profile->common.overlap_ep : 1;
}
