/* What the elementwise kernels of a layer move: norms, activations, rotation, routing, scans. */
#ifndef BP_KERNEL_ELEMENTWISE_H
#define BP_KERNEL_ELEMENTWISE_H

#include "kernel/count/train_case.h"

/* 16-bit elements per token on one device, one way, of the mean layer of a list. */
double bp_elements_forward(const struct bp_train_case *c, const struct bp_layer *list);
double bp_elements_backward(const struct bp_train_case *c, const struct bp_layer *list);

/* Of the forward ones, those that rotate and put together queries, keys and values. */
double bp_elements_assembled(const struct bp_train_case *c, const struct bp_layer *list);

/* Of the forward ones, those of one kind of layer's norms and activation functions. */
struct bp_elements_parts {
    double norms, mlp_act, routed_act, shared_act;
    double routed; /* routing and permutation, without the activation function */
};
struct bp_elements_parts bp_elements_parts(const struct bp_train_case *c,
                                           const struct bp_layer *list);

/* Elements of the state that the scans of linear attention and state-space sub-layers carry. */
double bp_scan_state(const struct bp_layer *list);

#endif
