/* How a model is spread over devices, and what one training step processes. */
#ifndef BP_KERNEL_PLAN_H
#define BP_KERNEL_PLAN_H

#include "kernel/describe/model.h"
#include "kernel/describe/network.h"
#include "kernel/field.h"
#include "kernel/status.h"

#define BP_RECOMPUTE(E)                                                                            \
    E(BP_RECOMPUTE_NONE, "none")                                                                   \
    E(BP_RECOMPUTE_SELECTIVE, "selective")                                                         \
    E(BP_RECOMPUTE_FULL, "full")
BP_DECLARE_ENUM(bp_recompute, BP_RECOMPUTE);

#define BP_SCHEDULE(E)                                                                             \
    E(BP_SCHEDULE_1F1B, "1f1b")                                                                    \
    E(BP_SCHEDULE_GPIPE, "gpipe")                                                                  \
    E(BP_SCHEDULE_ZB_H1, "zb_h1")                                                                  \
    E(BP_SCHEDULE_ZB_H2, "zb_h2")                                                                  \
    E(BP_SCHEDULE_ZBV, "zbv")                                                                      \
    E(BP_SCHEDULE_DUALPIPE, "dualpipe")                                                            \
    E(BP_SCHEDULE_DUALPIPE_V, "dualpipe_v")
BP_DECLARE_ENUM(bp_schedule, BP_SCHEDULE);

/* Number format of the matmuls; master weights and optimizer states stay fp32 unless said. */
#define BP_PRECISION(E)                                                                            \
    E(BP_PRECISION_FP32, "fp32")                                                                   \
    E(BP_PRECISION_TF32, "tf32")                                                                   \
    E(BP_PRECISION_FP16, "fp16")                                                                   \
    E(BP_PRECISION_BF16, "bf16")                                                                   \
    E(BP_PRECISION_FP8, "fp8")                                                                     \
    E(BP_PRECISION_MXFP8, "mxfp8")                                                                 \
    E(BP_PRECISION_INT8, "int8")                                                                   \
    E(BP_PRECISION_NVFP4, "nvfp4")
BP_DECLARE_ENUM(bp_precision, BP_PRECISION);

/* What an optimizer keeps per parameter; sources and bytes are in train_states.c. */
#define BP_OPTIMIZER(E)                                                                            \
    E(BP_OPTIMIZER_ADAM, "adam")                                                                   \
    E(BP_OPTIMIZER_ADAM_BF16, "adam_bf16")                                                         \
    E(BP_OPTIMIZER_ADAM_8BIT, "adam_8bit")                                                         \
    E(BP_OPTIMIZER_ADAFACTOR, "adafactor")                                                         \
    E(BP_OPTIMIZER_MUON, "muon")                                                                   \
    E(BP_OPTIMIZER_LION, "lion")                                                                   \
    E(BP_OPTIMIZER_MOMENTUM, "momentum")                                                           \
    E(BP_OPTIMIZER_SGD, "sgd")
BP_DECLARE_ENUM(bp_optimizer, BP_OPTIMIZER);

/* States that live in host memory, or on its drives (ZeRO-Infinity, arXiv:2104.07857). */
#define BP_OFFLOAD(E)                                                                              \
    E(BP_OFFLOAD_NONE, "none")                                                                     \
    E(BP_OFFLOAD_OPTIMIZER, "optimizer")                                                           \
    E(BP_OFFLOAD_OPTIMIZER_WEIGHTS, "optimizer_weights")                                           \
    E(BP_OFFLOAD_OPTIMIZER_NVME, "optimizer_nvme")                                                 \
    E(BP_OFFLOAD_OPTIMIZER_WEIGHTS_NVME, "optimizer_weights_nvme")
BP_DECLARE_ENUM(bp_offload, BP_OFFLOAD);

/* How the cross-entropy handles its logits. */
#define BP_CROSS_ENTROPY(E)                                                                        \
    E(BP_CROSS_ENTROPY_PLAIN, "plain")                                                             \
    E(BP_CROSS_ENTROPY_FUSED, "fused")                                                             \
    E(BP_CROSS_ENTROPY_CHUNKED, "chunked")
BP_DECLARE_ENUM(bp_cross_entropy, BP_CROSS_ENTROPY);

/* Which ranks are neighbours, innermost first; expert ranks lie within the data-parallel ones. */
#define BP_RANK_ORDER(E)                                                                           \
    E(BP_RANK_ORDER_DATA_INSIDE, "tp-cp-dp-pp")                                                    \
    E(BP_RANK_ORDER_PIPELINE_INSIDE, "tp-cp-pp-dp")
BP_DECLARE_ENUM(bp_rank_order, BP_RANK_ORDER);

/* How layers are cut into pipeline stages, where first_layers and last_layers do not say it. */
#define BP_SPLIT(E)                                                                                \
    E(BP_SPLIT_LAYERS, "layers")                                                                   \
    E(BP_SPLIT_WORK, "work")
BP_DECLARE_ENUM(bp_split, BP_SPLIT);

#define BP_PLAN_FIELDS(F, S)                                                                       \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, INT, tp, , "", 1, 1, 65536, "tensor-parallel ranks")                                      \
    F(S, INT, pp, , "", 1, 1, 65536, "pipeline stages")                                            \
    F(S, INT, vpp, , "", 1, 1, 65536, "virtual stages per device (interleaving)")                  \
    F(S, INT, dp, , "", 0, 0, 1e8, "data-parallel ranks; 0 = devices / (tp * pp * cp)")            \
    F(S, INT, cp, , "", 1, 1, 65536, "context-parallel ranks")                                     \
    F(S, INT, ep, , "", 1, 1, 65536,                                                               \
      "expert-parallel ranks (a part of dp * cp, times tp when etp = 1)")                          \
    F(S, INT, etp, , "", 1, 1, 65536, "tensor-parallel ranks inside an expert")                    \
    F(S, INT, zero, , "", 1, 0, 3,                                                                 \
      "ZeRO stage: 1 shards optimizer, 2 gradients, 3 weights (FSDP)")                             \
    F(S, INT, shard, , "", 0, 0, 1e8,                                                              \
      "ranks that states are sharded over (HSDP); 0 = all dp * cp")                                \
    F(S, FLAG, sequence_parallel, , "", 1, 0, 1,                                                   \
      "activations between tensor-parallel regions are split too")                                 \
    F(S, ENUM, recompute, bp_recompute, "", BP_RECOMPUTE_NONE, 0, 0, "activation recomputation")   \
    F(S, NUM, recompute_share, , "frac", 1, 0, 1,                                                  \
      "share of layers that recompute (block mode); free: quarters")                               \
    F(S, INT, micro_batch, , "", 1, 1, 1e6, "sequences in one micro-batch")                        \
    F(S, ENUM, schedule, bp_schedule, "", BP_SCHEDULE_1F1B, 0, 0,                                  \
      "pipeline schedule; vpp > 1 interleaves it")                                                 \
    F(S, ENUM, precision, bp_precision, "", BP_PRECISION_BF16, 0, 0, "format of the matmuls")      \
    F(S, FLAG, flash, , "", 1, 0, 1, "fused attention that never stores the score matrix")         \
    F(S, FLAG, overlap_dp, , "", 1, 0, 1, "gradient and parameter traffic runs under compute")     \
    F(S, FLAG, overlap_tp, , "", 0, 0, 1,                                                          \
      "tensor-parallel traffic is cut up and run under matmuls")                                   \
    F(S, FLAG, overlap_ep, , "", 0, 0, 1, "expert all-to-alls run under compute")                  \
    F(S, INT, grad_bytes, , "B", 4, 2, 4, "bytes of one accumulated gradient element")             \
    F(S, INT, master_bytes, , "B", 4, 0, 4,                                                        \
      "bytes of the master copy of a 16-bit weight: 4, or 0 = none")                               \
    F(S, ENUM, optimizer, bp_optimizer, "", BP_OPTIMIZER_ADAM, 0, 0,                               \
      "what the optimizer keeps per parameter")                                                    \
    F(S, ENUM, offload, bp_offload, "", BP_OFFLOAD_NONE, 0, 0,                                     \
      "states in host memory, gradients along with the optimizer's; _nvme: on the host's drives")  \
    F(S, INT, lora_rank, , "", 0, 0, 65536,                                                        \
      "rank of adapters on all matrices outside routed experts; 0 = all weights are trained")      \
    F(S, INT, base_bits, , "", 16, 4, 16, "bits of the frozen weights under adapters: 16, 8 or 4") \
    F(S, ENUM, cross_entropy, bp_cross_entropy, "", BP_CROSS_ENTROPY_PLAIN, 0, 0,                  \
      "plain keeps copies of the logits, fused works in place, chunked never stores them")         \
    F(S, ENUM, rank_order, bp_rank_order, "", BP_RANK_ORDER_DATA_INSIDE, 0, 0,                     \
      "which ranks are neighbours, innermost first")                                               \
    F(S, ENUM, split, bp_split, "", BP_SPLIT_LAYERS, 0, 0,                                         \
      "stages of equal layers, or of equal matmul work with the head's")                           \
    F(S, INT, first_layers, , "", 0, 0, 65536,                                                     \
      "layers of the first stage, the others even; 0 = as split says")                             \
    F(S, INT, last_layers, , "", 0, 0, 65536,                                                      \
      "layers of the last stage, the others even; 0 = as split says")                              \
    F(S, NUM, offload_activations, , "frac", 0, 0, 1,                                              \
      "share of the kept activations that waits for backward in host memory; free: quarters")      \
    F(S, FLAG, recompute_norms, , "", 0, 0, 1, "norms are computed again in backward")             \
    F(S, FLAG, recompute_activation, , "", 0, 0, 1,                                                \
      "the MLP's activation function is computed again in backward")                               \
    F(S, FLAG, recompute_up_proj, , "", 0, 0, 1,                                                   \
      "MLA's queries, keys and values are made again from their latents")                          \
    F(S, FLAG, recompute_mlp, , "", 0, 0, 1, "dense MLPs are computed again in backward")          \
    F(S, FLAG, recompute_moe, , "", 0, 0, 1,                                                       \
      "MoE layers are computed again in backward, with their all-to-alls")                         \
    F(S, FLAG, recompute_shared, , "", 0, 0, 1, "shared experts are computed again in backward")   \
    F(S, FLAG, quantized_params, , "", 0, 0, 1, "8- and 4-bit recipes keep no 16-bit weights")
BP_DECLARE_STRUCT(bp_plan, BP_PLAN_FIELDS);

#define BP_JOB_FIELDS(F, S)                                                                        \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, INT, global_batch, , "", BP_REQUIRED, 1, 1e12,                                            \
      "sequences (or images) in one optimizer step")                                               \
    F(S, INT, seq_len, , "tok", BP_REQUIRED, 1, 1e9, "tokens in one sequence")                     \
    F(S, NUM, tokens, , "tok", 0, 0, 1e18, "tokens of the whole run; 0 = only the step is asked")
BP_DECLARE_STRUCT(bp_job, BP_JOB_FIELDS);

/*
** Why a plan is refused, in the order in which it is found out. Stable: searches tally by it.
*/
#define BP_REJECT(E)                                                                               \
    E(BP_REJECT_NONE, "none")                                                                      \
    E(BP_REJECT_DEVICES, "devices")                                                                \
    E(BP_REJECT_HEADS, "heads")                                                                    \
    E(BP_REJECT_LAYERS, "layers")                                                                  \
    E(BP_REJECT_SEQUENCE, "sequence")                                                              \
    E(BP_REJECT_EXPERTS, "experts")                                                                \
    E(BP_REJECT_SHARDING, "sharding")                                                              \
    E(BP_REJECT_BATCH, "batch")                                                                    \
    E(BP_REJECT_SCHEDULE, "schedule")                                                              \
    E(BP_REJECT_PRECISION, "precision")                                                            \
    E(BP_REJECT_MEMORY, "memory")                                                                  \
    E(BP_REJECT_RULE, "rule")
BP_DECLARE_ENUM(bp_reject, BP_REJECT);
enum { BP_REJECT_COUNT = BP_ENUM_COUNT(BP_REJECT) };

/*
** Fills in dp and shard where they are 0. Does not judge: bp_plan_check does.
*/
void bp_plan_resolve(struct bp_plan *plan, const struct bp_network *network);

/* Whether backward computes modules of a layer again that the field recompute does not name. */
static inline int bp_plan_remakes(const struct bp_plan *plan) {
    return plan->recompute_norms || plan->recompute_activation || plan->recompute_up_proj ||
           plan->recompute_mlp || plan->recompute_moe || plan->recompute_shared;
}

/* Whether the layers of the end stages are given, and all others have as many as each other. */
static inline int bp_plan_is_cut(const struct bp_plan *plan) {
    return plan->first_layers > 0 || plan->last_layers > 0;
}

/*
** Whether model, network, job and (resolved) plan fit together structurally; says nothing of memory.
** Returns an enum bp_reject; err (may be NULL) gets the field and the sentence.
*/
enum bp_reject bp_plan_check(const struct bp_model *model, const struct bp_network *network,
                             const struct bp_plan *plan, const struct bp_job *job,
                             struct bp_error *err);

#endif
