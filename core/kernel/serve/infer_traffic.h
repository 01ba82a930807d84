/* Traffic between the ranks of a serving engine, with the collectives that engines have of their own; seconds. */
#ifndef BP_KERNEL_INFER_TRAFFIC_H
#define BP_KERNEL_INFER_TRAFFIC_H

#include "kernel/serve/infer_case.h"
#include "kernel/time/collective.h"

/* One collective of so many bytes. */
double bp_infer_collective(const struct bp_infer_case *c, enum bp_collective_op op, double bytes,
                           double ranks);
/* Partial sums of tensor parallelism, and what stages hand on. */
double bp_infer_sums(const struct bp_infer_case *c, double rows);
/* What a step waits for of tokens on their way to experts, which take so long, and back. */
double bp_infer_exposed_traffic(const struct bp_infer_case *c, double tokens, double experts_s);

#endif
