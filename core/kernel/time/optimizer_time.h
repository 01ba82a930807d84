/* How long the optimizer takes on one device. */
#ifndef BP_KERNEL_OPTIMIZER_TIME_H
#define BP_KERNEL_OPTIMIZER_TIME_H

#include "kernel/count/train_case.h"

/* Update of `params` optimizer states, and clearing of `gradients` accumulated ones. */
double bp_optimizer_time(const struct bp_train_case *c, double params, double gradients);

/*
** What Muon computes besides: the orthogonal matrices nearest to so many parameters of momentum, in
** layers outside and inside routed experts. 0 for other optimizers.
*/
double bp_muon_time(const struct bp_train_case *c, double dense, double expert);

#endif
