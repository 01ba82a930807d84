/* How long one device computes on a layer and the head, without traffic. */
#ifndef BP_KERNEL_LAYER_TIME_H
#define BP_KERNEL_LAYER_TIME_H

#include "kernel/count/train_case.h"

/* Seconds of one micro-batch. */
struct bp_pass_time {
    double matmul, attention, elementwise;
};

struct bp_compute_time {
    struct bp_pass_time forward, backward;
    double weight;    /* part of backward that makes weight gradients */
    double selective; /* part of forward that selective recomputation does again */
    double modules;   /* part of forward in modules that the plan names beside it */
    double up_proj;   /* the same of MLA's up-projection, which may be what selective does */
};

/* The mean layer of a list. */
struct bp_compute_time bp_layer_time(const struct bp_train_case *c, const struct bp_layer *list);

/* One multi-token-prediction layer without its pass through the head. */
struct bp_compute_time bp_mtp_time(const struct bp_train_case *c);

/* Vocabulary (or class) head with its loss. */
struct bp_compute_time bp_head_time(const struct bp_train_case *c);

/* Adding the gradients of one micro-batch to their sums, where the matmuls do not. */
double bp_sum_time(const struct bp_train_case *c, double params);

#endif
