/* Weights, gradients and optimizer states of one pipeline stage on one device. */
#ifndef BP_KERNEL_TRAIN_STATES_H
#define BP_KERNEL_TRAIN_STATES_H

#include "kernel/count/activations.h"
#include "kernel/count/train_case.h"

/* Layers of one stage by kind; dense layers of a MoE model lead the stack. */
struct bp_layer_mix bp_stage_mix(const struct bp_train_case *c, int64_t stage);

/* The mean layer of a stage's mix; of the model where the mix is empty. */
struct bp_layer_mix bp_layer_of(const struct bp_train_case *c, struct bp_layer_mix mix);

/* Bytes on the device, and of it elsewhere. */
struct bp_train_states {
    double weights, gradients, optimizer;
    double host, nvme; /* what is offloaded, in memory of the host and on its drives */
    double paged;      /* moments that leave the device when it is short of memory */
    double gathered;   /* whole weights and gradients of layers in use, where sharded; a bucket */
    double working_grads;  /* gradients of the layer and the head in progress, before they add up */
    double backward_grads; /* gradients of the stage that wait for the end of backward */
    double head_gradient;  /* of the gradients, where they are new: of the head */
    double first_gradients; /* of them: of the head and the last layer */
    double casts;  /* 16-bit copies of weights of 32 bit, from their forward to their backward */
    double update; /* copies that the optimizer makes while it updates */
};

/* States of the stage at `stage`, on the rank that holds most of them. */
struct bp_train_states bp_train_states(const struct bp_train_case *c, struct bp_layer_mix mix,
                                       int64_t stage);

/* Whether backward makes the gradients that the update leaves none of, and no earlier micro-batch has made them. */
int bp_are_gradients_new(const struct bp_train_case *c);

/* Whether ranks share the sums of gradients. */
int bp_are_gradients_shared(const struct bp_train_case *c);

/*
** Bytes that the update of one parameter moves, 30 with Adam: gradient, master and weight, and its moments
** there and back. Arithmetic is left out (Muon's matmuls).
*/
double bp_update_bytes(const struct bp_train_case *c);

/*
** Bytes that plan.offload moves: in a step over the link to the host and to and from its drives; streamed
** weights in every pass of a micro-batch; and the rank's own shard of gradients or weights, which gradients that
** add up on the host move in every backward pass (the last of them is in link), and streamed weights on drives
** once in a step. 0 without.
*/
struct bp_offloaded {
    double link, drives, weights, shard;
};
struct bp_offloaded bp_offloaded(const struct bp_train_case *c);

/*
** Seconds of a step that plan.offload adds, nothing else of it hidden: gradients to the host, the update
** there, weights back; streamed weights cross once in every forward and backward. Gradients that add up on
** the host leave beside the backward pass (backward_s) of the next micro-batch, both ways of the link at once:
** what is longer than that counts. The update, too, runs at
** the rate of the link: memory of the host has more for each device (51 GB/s of a DGX A100, 77 of a DGX
** H100, from memory), its cores get less than all of that (assumption). States on drives are read before and written
** after it, weights read in every pass, beside the rest: the slower of the two counts (ZeRO-Infinity,
** arXiv:2104.07857).
*/
double bp_offload_time(const struct bp_train_case *c, const struct bp_offloaded *moved,
                       double micro_batches, double backward_s);

/* Whether weights come from the host, or from drives, for every pass. */
int bp_are_weights_streamed(const struct bp_plan *plan);

/* Whether states of the plan may lie in memory of the host: offloaded or paged. */
int bp_offloads_states(const struct bp_plan *plan);

/* Bytes a second between the device and the memory of its host, each way. */
double bp_host_link(const struct bp_train_case *c);

#endif
