/*
** What the pieces of a training estimate have in common: the case they look at, and the few numbers
** that all of them derive from it.
*/
#ifndef BP_KERNEL_TRAIN_CASE_H
#define BP_KERNEL_TRAIN_CASE_H

#include "kernel/count/params.h"
#include "kernel/describe/device.h"
#include "kernel/describe/model.h"
#include "kernel/describe/network.h"
#include "kernel/describe/plan.h"
#include "kernel/describe/profile.h"
#include "kernel/layer/attention.h"
#include "kernel/layer/layer.h"

/* What a simulation says of a plan's pipeline, for a schedule that has no closed form. */
struct bp_simulated {
    double makespan_s;       /* of all forwards and backwards, with what shows of their sends */
    double weight_copies;    /* of its stages that a device holds */
    const double *in_flight; /* per stage: most micro-batches that it keeps activations of */
};

/*
** Resolved structs, borrowed. params and layers belong to the model and are made once for a whole search.
*/
struct bp_train_case {
    const struct bp_model *model;
    const struct bp_params_out *params;
    const struct bp_device *device;
    const struct bp_network *network;
    const struct bp_plan *plan; /* resolved, and accepted by bp_plan_check */
    const struct bp_job *job;
    const struct bp_profile *profile;
    const struct bp_layers *layers;
    const struct bp_simulated *simulated; /* NULL: the closed form of plan->schedule */
};

/* Tokens of one micro-batch on one device, before tensor-parallel ranks split them. */
double bp_case_tokens(const struct bp_train_case *c);

/* Micro-batches of one step and pipeline. */
int64_t bp_case_micro_batches(const struct bp_train_case *c);

/* Format of the matmuls inside layers, and of the head (fp8 and fp4 recipes keep it 16-bit). */
enum bp_dtype bp_case_dtype(const struct bp_plan *plan);
enum bp_dtype bp_case_head_dtype(const struct bp_plan *plan);

/*
** Whether the device multiplies in the format of the plan. Matmuls of mxfp8 take their scales inside the matrix units, which
** came with those of 4 bit (Blackwell, CDNA 4; Transformer Engine refuses the recipe before). Scales that
** software applies are fp8 with a recipe of blocks.
*/
int bp_case_has_units(const struct bp_device *device, const struct bp_plan *plan);

/* Bytes of one activation element that is kept in the format of the residual stream. */
double bp_case_element_bytes(const struct bp_plan *plan);

/* Whether context-parallel ranks attend to whole sequences, each with its share of the heads. */
int bp_case_deals_heads(const struct bp_train_case *c);

/* Tokens of a sequence that attention stays inside: a document of several, where its kernel is fused. */
double bp_case_document(const struct bp_train_case *c);

/*
** Whether layers that run one operation after the other drop some of what the softmax gives: models with RMS norms do
** not (LLaMA and later), T5 does.
*/
int bp_case_drops_scores(const struct bp_train_case *c);

/*
** Attention as training computes it: one micro-batch and the heads of one tensor-parallel rank, before context
** parallelism cuts it.
*/
struct bp_attention_shape bp_case_attention(const struct bp_train_case *c,
                                            const struct bp_op_attention *op);

/* Ranks that share a layer. */
struct bp_ranks bp_case_ranks(const struct bp_plan *plan);

/*
** Whether selective recomputation makes queries, keys and values of the heads again, not the core of
** attention: MLA with a fused core.
*/
int bp_case_remakes_heads(const struct bp_train_case *c);

/*
** Layers of one pipeline stage (0-based) as the plan cuts the stack, without the
** multi-token-prediction layers, which the last stage has as well.
*/
int64_t bp_case_stage_layers(const struct bp_train_case *c, int64_t stage);

/* Parameters of one device: dense part and routed experts of a layer. */
struct bp_case_params {
    double layer_dense;           /* of the mean layer, after tensor parallelism */
    double layer_expert;          /* after expert and expert-tensor parallelism */
    double mtp_dense, mtp_expert; /* of one multi-token-prediction layer */
};
struct bp_case_params bp_case_params(const struct bp_train_case *c);

/* Of the first and the last stage beside layers, after tensor parallelism. */
struct bp_case_ends {
    double embedding, head;
};
struct bp_case_ends bp_case_ends(const struct bp_train_case *c);

/*
** The vocabulary head multiplies every token, a class head one row per sequence: columns on one device
** (0 = no head) and rows of one micro-batch.
*/
double bp_case_head_width(const struct bp_train_case *c);
double bp_case_head_rows(const struct bp_train_case *c);

/* Ranks over which dense and expert states are replicated or sharded. */
double bp_case_data_ranks(const struct bp_plan *plan);
double bp_case_expert_data_ranks(const struct bp_plan *plan);

/* Of these, ranks that share one copy: plan.shard, or all of them when nothing is sharded (ZeRO 0). */
double bp_case_shards(const struct bp_plan *plan);

/* Whether weights are shared among ranks, and gathered for each layer. */
int bp_case_is_fsdp(const struct bp_plan *plan);

/*
** Whether the software shares states as PyTorch's FSDP does. Ranks have shards of the weights there from ZeRO 2 on, which
** keeps what it gathered to the end of backward (SHARD_GRAD_OP; reshard_after_forward off).
*/
int bp_case_is_of_fsdp(const struct bp_train_case *c);

/* Whether ranks share weights, gathered for each layer or for all of a step. */
int bp_case_shares_weights(const struct bp_train_case *c);

/*
** ZeRO stage from which ranks share fp32 masters: the first, but where they are the weights themselves, in PyTorch. What
** shares an optimizer there (ZeroRedundancyOptimizer) shares moments alone.
*/
int bp_case_master_stage(const struct bp_train_case *c);
double bp_case_expert_shards(const struct bp_plan *plan);

#endif
