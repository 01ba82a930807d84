#include "work.h"

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
    return c->plan->overlap_tp ? 1 - c->profile->overlap_tp : 1;
}

double bp_ep_shown(const struct bp_train_case *c) {
    return c->plan->overlap_ep ? 1 - c->profile->overlap_ep : 1;
}
