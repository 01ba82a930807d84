/* Traffic of a training step: which group talks how much, and how long it takes unhidden. */
#ifndef BP_KERNEL_COMM_H
#define BP_KERNEL_COMM_H

#include "kernel/count/train_case.h"

/*
** Rank order, innermost first: tensor, context, data, pipeline (expert ranks lie inside the first
** three), the default of Megatron-LM; innermost groups use the fastest tier.
*/

/* Seconds of the mean layer of a list and one micro-batch, before any overlap. */
struct bp_layer_comm {
    double tp_forward, tp_backward;
    double cp_forward, cp_backward;
    double ep_forward, ep_backward;
    double tp_mlp, tp_shared; /* of tp_forward, that of dense MLPs and of shared experts */
};
struct bp_layer_comm bp_layer_comm(const struct bp_train_case *c, const struct bp_layer *list);

/* ZeRO-3: one all-gather of so many weights, one reduce-scatter of their gradients; 0 otherwise. */
struct bp_shard_comm {
    double gather, reduce;
};
struct bp_shard_comm bp_shard_comm(const struct bp_train_case *c, double dense, double expert);

/* Seconds to send one micro-batch's activations to the next stage. */
double bp_stage_send(const struct bp_train_case *c);

/* Seconds per step to reduce gradients, and to gather parameters, of so many parameters (ZeRO 0-2). */
struct bp_data_comm {
    double gradients, parameters;
};
struct bp_data_comm bp_data_comm(const struct bp_train_case *c, double dense, double expert);

/* Fewer shards than ranks: all-reduce of the shards' gradients over the replicas, once a step. */
double bp_replica_comm(const struct bp_train_case *c, double dense, double expert);

#endif
