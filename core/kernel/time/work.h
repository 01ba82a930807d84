/* Seconds of one device by what it does, and what shows of traffic that runs beside compute. */
#ifndef BP_KERNEL_WORK_H
#define BP_KERNEL_WORK_H

#include "kernel/count/train_case.h"

/*
** Seconds that one device spends on one micro-batch. A linear form in the number of layers, so that
** every stage costs one multiplication.
*/
struct bp_work {
    double matmul, attention, elementwise, recompute, tp, cp, ep, zero3;
};

/* The sum of its parts. */
double bp_work_total(const struct bp_work *w);

/* Adds so many times w. */
void bp_work_add(struct bp_work *to, const struct bp_work *w, double times);

/* What shows of traffic that may run under `window` seconds, never less than the stated share. */
double bp_exposed(double comm, double window, double least);

/* Share of tensor-parallel traffic that the plan leaves unhidden. */
double bp_tp_shown(const struct bp_train_case *c);
double bp_tp_shown_backward(const struct bp_train_case *c);

/* What shows of seconds of expert traffic beside so many seconds of another micro-batch's compute. */
double bp_ep_shown(const struct bp_train_case *c, double comm, double window);

/* The least share of expert traffic that can show where overlap is on, or may be. */
double bp_ep_least(const struct bp_train_case *c, int hides);

#endif
