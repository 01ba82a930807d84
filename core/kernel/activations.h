/* What backward needs from forward: bytes kept per layer, from the list of tensors. */
#ifndef BP_KERNEL_ACTIVATIONS_H
#define BP_KERNEL_ACTIVATIONS_H

#include "train_case.h"

/*
** Bytes that one device keeps of one mean layer and one micro-batch under the given recomputation.
*/
double bp_activations_layer(const struct bp_train_case *c, enum bp_recompute recompute);

/* Bytes kept of one mean layer and micro-batch under the plan (a share of layers may recompute). */
double bp_activations_kept(const struct bp_train_case *c);

#endif
