/* How a model is spread over devices, and what one training step processes. */
#ifndef BP_KERNEL_PLAN_H
#define BP_KERNEL_PLAN_H

#include "kernel/describe/model.h"
#include "kernel/describe/network.h"
#include "kernel/describe/plan_line.h"
#include "kernel/field.h"
#include "kernel/schedule/schedule.h"
#include "kernel/status.h"

#define BP_RECOMPUTE(E)                                                                            \
    E(BP_RECOMPUTE_NONE, "none")                                                                   \
    E(BP_RECOMPUTE_SELECTIVE, "selective")                                                         \
    E(BP_RECOMPUTE_FULL, "full")
BP_DECLARE_ENUM(bp_recompute, BP_RECOMPUTE);

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
    E(BP_OPTIMIZER_SGD, "sgd")                                                                     \
    E(BP_OPTIMIZER_PAGED_ADAM_8BIT, "paged_adam_8bit")                                             \
    E(BP_OPTIMIZER_GALORE, "galore")
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

/* Matrices that have adapters: all but routed experts; of attention; of its queries, keys and values; of queries and
** values; of dense feed-forward parts and shared experts. outputs: a bias and a scale of what every matrix gives
** (LLaMA-Adapter V2, arXiv:2304.15010, section 3), of rank 2 where they are counted as a row each. */
#define BP_LORA_TARGETS(E)                                                                         \
    E(BP_LORA_TARGETS_ALL, "all")                                                                  \
    E(BP_LORA_TARGETS_ATTENTION, "attention")                                                      \
    E(BP_LORA_TARGETS_QKV, "qkv")                                                                  \
    E(BP_LORA_TARGETS_QV, "qv")                                                                    \
    E(BP_LORA_TARGETS_MLP, "mlp")                                                                  \
    E(BP_LORA_TARGETS_OUTPUTS, "outputs")
BP_DECLARE_ENUM(bp_lora_targets, BP_LORA_TARGETS);

/*
** What stores frozen weights in 4 or 8 bits and makes them wide for every pass: bitsandbytes (nf4, int8), with double
** quantisation of the scales or without; torchao; layers of GPTQ, AWQ and their kind.
*/
#define BP_BASE_FORMAT(E)                                                                          \
    E(BP_BASE_FORMAT_BITSANDBYTES, "bitsandbytes")                                                 \
    E(BP_BASE_FORMAT_BITSANDBYTES_SINGLE, "bitsandbytes_single")                                   \
    E(BP_BASE_FORMAT_BITSANDBYTES_DYNAMIC, "bitsandbytes_dynamic")                                 \
    E(BP_BASE_FORMAT_TORCHAO, "torchao")                                                           \
    E(BP_BASE_FORMAT_GPTQ, "gptq")
BP_DECLARE_ENUM(bp_base_format, BP_BASE_FORMAT);

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

/* Modules of a layer that backward computes again. */
#define BP_PLAN_MODULES(F, S)                                                                      \
    F(S, FLAG, recompute_norms, , "", 0, 0, 1, "norms are computed again in backward",             \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .matters = BP_MATTERS_NORMS, .label = "norms again",    \
      .words = "norms recomputed")                                                                 \
    F(S, FLAG, recompute_activation, , "", 0, 0, 1,                                                \
      "the MLP's activation function is computed again in backward",                               \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .matters = BP_MATTERS_ACTIVATION,                       \
      .label = "activation again", .words = "activation function recomputed")                      \
    F(S, FLAG, recompute_up_proj, , "", 0, 0, 1,                                                   \
      "MLA's queries, keys and values are made again from their latents",                          \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .matters = BP_MATTERS_UP_PROJ,                          \
      .label = "up-projection again", .words = "MLA's up-projection recomputed")                   \
    F(S, FLAG, recompute_mlp, , "", 0, 0, 1, "dense MLPs are computed again in backward",          \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .matters = BP_MATTERS_MLP, .label = "MLP again",        \
      .words = "MLP recomputed")                                                                   \
    F(S, FLAG, recompute_moe, , "", 0, 0, 1,                                                       \
      "MoE layers are computed again in backward, with their all-to-alls",                         \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .matters = BP_MATTERS_MOE, .label = "MoE again",        \
      .words = "MoE recomputed")                                                                   \
    F(S, FLAG, recompute_shared, , "", 0, 0, 1, "shared experts are computed again in backward",   \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .matters = BP_MATTERS_SHARED,                           \
      .label = "shared experts again", .words = "shared experts recomputed")

/* A line ends with how the field behaves, see kernel/describe/plan_line.h. */
#define BP_PLAN_FIELDS(F, S)                                                                       \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, INT, tp, , "", 1, 1, 65536, "tensor-parallel ranks",                                      \
      .reads =                                                                                     \
          BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SYNC | BP_IN_SEND | BP_IN_STATES | BP_IN_KEPT,     \
      .check = BP_REJECT_DEVICES, .free = BP_FREE_TENSOR, .searched = 1, .place = 1, .always = 1,  \
      .words = "tp %d", .sets = BP_SETS_RANKS)                                                     \
    F(S, INT, pp, , "", 1, 1, 65536, "pipeline stages",                                            \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_SEND | BP_IN_FLIGHT | BP_IN_STATES | BP_IN_KEPT,    \
      .check = BP_REJECT_DEVICES, .free = BP_FREE_PIPELINE, .searched = 1, .place = 2,             \
      .always = 1, .words = "pp %d", .sets = BP_SETS_RANKS)                                        \
    F(S, INT, vpp, , "", 1, 1, 65536, "virtual stages per device (interleaving)",                  \
      .reads = BP_IN_SEND | BP_IN_FLIGHT, .check = BP_REJECT_LAYERS, .matters = BP_MATTERS_PP,     \
      .repeats = BP_REPEATS_NEVER, .free = BP_FREE_INTERLEAVE, .searched = 1, .place = 4,          \
      .words = "vpp %d", .sets = BP_SETS_RANKS)                                                    \
    F(S, INT, dp, , "", 0, 0, 1e8, "data-parallel ranks; 0 = devices / (tp * pp * cp)",            \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_SEND | BP_IN_FLIGHT | BP_IN_STATES,                 \
      .check = BP_REJECT_DEVICES, .repeats = BP_REPEATS_DP, .free = BP_FREE_WIDTH, .place = 3,     \
      .always = 1, .words = "dp %d", .sets = BP_SETS_REPLICAS)                                     \
    F(S, INT, cp, , "", 1, 1, 65536, "context-parallel ranks",                                     \
      .reads =                                                                                     \
          BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SYNC | BP_IN_SEND | BP_IN_STATES | BP_IN_KEPT,     \
      .check = BP_REJECT_DEVICES, .free = BP_FREE_CONTEXT, .searched = 1, .place = 5,              \
      .words = "cp %d", .sets = BP_SETS_RANKS)                                                     \
    F(S, INT, ep, , "", 1, 1, 65536,                                                               \
      "expert-parallel ranks (a part of dp * cp, times tp when etp = 1)",                          \
      .reads =                                                                                     \
          BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SYNC | BP_IN_SEND | BP_IN_STATES | BP_IN_KEPT,     \
      .check = BP_REJECT_EXPERTS, .matters = BP_MATTERS_EXPERTS, .repeats = BP_REPEATS_NEVER,      \
      .free = BP_FREE_EXPERT, .searched = 1, .place = 6, .words = "ep %d", .sets = BP_SETS_RANKS)  \
    F(S, INT, etp, , "", 1, 1, 65536, "tensor-parallel ranks inside an expert",                    \
      .reads =                                                                                     \
          BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SYNC | BP_IN_SEND | BP_IN_STATES | BP_IN_KEPT,     \
      .check = BP_REJECT_EXPERTS, .matters = BP_MATTERS_EXPERTS, .repeats = BP_REPEATS_NEVER,      \
      .free = BP_FREE_EXPERT_TENSOR, .place = 7, .words = "etp %d", .sets = BP_SETS_RANKS,         \
      .unsearched = "etp")                                                                         \
    F(S, INT, zero, , "", 1, 0, 3,                                                                 \
      "ZeRO stage: 1 shards optimizer, 2 gradients, 3 weights (FSDP)",                             \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES, .check = BP_REJECT_SCHEDULE,                \
      .matters = BP_MATTERS_STATES, .repeats = BP_REPEATS_ZERO, .free = BP_FREE_ZERO,              \
      .searched = 1, .place = 11, .always = 1, .label = "ZeRO", .words = "ZeRO %d")                \
    F(S, INT, shard, , "", 0, 0, 1e8,                                                              \
      "ranks that states are sharded over (HSDP); 0 = all dp * cp",                                \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES, .check = BP_REJECT_SHARDING,                \
      .matters = BP_MATTERS_SHARDED, .repeats = BP_REPEATS_SHARD, .free = BP_FREE_WIDTH,           \
      .label = "sharded over", .words = "sharded over %d", .sets = BP_SETS_REPLICAS)               \
    F(S, FLAG, sequence_parallel, , "", 1, 0, 1,                                                   \
      "activations between tensor-parallel regions are split too",                                 \
      .reads = BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SEND | BP_IN_KEPT,                            \
      .check = BP_REJECT_SEQUENCE, .matters = BP_MATTERS_TP, .words = "no sequence parallel",      \
      .unsearched = "sequence parallelism")                                                        \
    F(S, ENUM, recompute, bp_recompute, "", BP_RECOMPUTE_NONE, 0, 0, "activation recomputation",   \
      .reads = BP_IN_PIPE | BP_IN_KEPT, .repeats = BP_REPEATS_MODE, .searched = 1, .place = 12,    \
      .words = "%s recompute")                                                                     \
    F(S, NUM, recompute_share, , "frac", 1, 0, 1,                                                  \
      "share of layers that recompute (block mode); free: quarters",                               \
      .reads = BP_IN_PIPE | BP_IN_KEPT, .matters = BP_MATTERS_RECOMPUTED,                          \
      .free = BP_FREE_QUARTERS, .label = "recomputed")                                             \
    F(S, INT, micro_batch, , "", 1, 1, 1e6, "sequences in one micro-batch",                        \
      .reads = BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SEND | BP_IN_FLIGHT | BP_IN_KEPT,             \
      .check = BP_REJECT_BATCH, .free = BP_FREE_MICRO_BATCH, .searched = 1, .place = 10,           \
      .always = 1, .label = "mb", .words = "micro-batch %d")                                       \
    F(S, ENUM, schedule, bp_schedule, "", BP_SCHEDULE_1F1B, 0, 0,                                  \
      "pipeline schedule, or a function (help pipelines); vpp > 1 interleaves it",                 \
      .reads = BP_IN_FLIGHT | BP_IN_STATES, .check = BP_REJECT_SCHEDULE, .matters = BP_MATTERS_PP, \
      .words = "%s", .unsearched = "schedule")                                                     \
    F(S, ENUM, precision, bp_precision, "", BP_PRECISION_BF16, 0, 0, "format of the matmuls",      \
      .reads =                                                                                     \
          BP_IN_COMPUTE | BP_IN_TRAFFIC | BP_IN_SYNC | BP_IN_SEND | BP_IN_STATES | BP_IN_KEPT,     \
      .check = BP_REJECT_PRECISION, .always = 1, .words = "%s", .sets = BP_SETS_TRAINING,          \
      .unsearched = "precision")                                                                   \
    F(S, FLAG, flash, , "", 1, 0, 1, "fused attention that never stores the score matrix",         \
      .reads = BP_IN_COMPUTE | BP_IN_KEPT, .words = "no fused attention",                          \
      .unsearched = "fused attention")                                                             \
    F(S, FLAG, overlap_dp, , "", 1, 0, 1, "gradient and parameter traffic runs under compute",     \
      .reads = BP_IN_PIPE, .matters = BP_MATTERS_REPLICAS,                                         \
      .words = "no overlap of data-parallel traffic")                                              \
    F(S, FLAG, overlap_tp, , "", 0, 0, 1,                                                          \
      "tensor-parallel traffic is cut up and run under matmuls", .reads = BP_IN_PIPE,              \
      .matters = BP_MATTERS_TP, .words = "TP overlap", .unsearched = "overlap_tp")                 \
    F(S, FLAG, overlap_ep, , "", 0, 0, 1, "expert all-to-alls run under compute",                  \
      .reads = BP_IN_PIPE, .check = BP_REJECT_SCHEDULE, .matters = BP_MATTERS_EXPERT_RANKS,        \
      .words = "EP overlap", .unsearched = "overlap_ep")                                           \
    F(S, INT, grad_bytes, , "B", 4, 2, 4, "bytes of one accumulated gradient element",             \
      .reads = BP_IN_COMPUTE | BP_IN_SYNC | BP_IN_STATES, .free = BP_FREE_GRADIENT,                \
      .label = "gradients", .words = "gradients of %d bytes", .unsearched = "gradients")           \
    F(S, INT, master_bytes, , "B", 4, 0, 4,                                                        \
      "bytes of the master copy of a 16-bit weight: 4, 2 = the bits that it lacks, or 0 = none",   \
      .reads = BP_IN_SYNC | BP_IN_STATES, .check = BP_REJECT_PRECISION,                            \
      .matters = BP_MATTERS_NARROW_WEIGHTS, .repeats = BP_REPEATS_MASTER, .free = BP_FREE_MASTER,  \
      .label = "master copy", .words = "master copy of %d bytes", .sets = BP_SETS_TRAINING)        \
    F(S, ENUM, optimizer, bp_optimizer, "", BP_OPTIMIZER_ADAM, 0, 0,                               \
      "what the optimizer keeps per parameter", .reads = BP_IN_SYNC | BP_IN_STATES,                \
      .words = "optimizer %s", .sets = BP_SETS_TRAINING, .unsearched = "optimizer")                \
    F(S, ENUM, offload, bp_offload, "", BP_OFFLOAD_NONE, 0, 0,                                     \
      "states in host memory, gradients along with the optimizer's; _nvme: on the host's drives",  \
      .reads = BP_IN_SYNC | BP_IN_STATES, .words = "offload %s", .unsearched = "offload")          \
    F(S, INT, lora_rank, , "", 0, 0, 65536,                                                        \
      "rank of adapters on the matrices that lora_targets names; 0 = weights are trained",         \
      .reads = BP_IN_COMPUTE | BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT,                \
      .check = BP_REJECT_PRECISION, .label = "LoRA", .words = "LoRA of rank %d",                   \
      .sets = BP_SETS_TRAINING)                                                                    \
    F(S, INT, trained_layers, , "", 0, 0, 100000,                                                  \
      "layers whose weights are trained while the others are frozen, without adapters; 0 = all",   \
      .reads = BP_IN_COMPUTE | BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT,                \
      .check = BP_REJECT_PRECISION, .label = "trained layers", .words = "%d layers trained",       \
      .sets = BP_SETS_TRAINING)                                                                    \
    F(S, INT, base_bits, , "", 16, 2, 16, "bits of the frozen weights under adapters: 16 to 2",    \
      .reads = BP_IN_COMPUTE | BP_IN_SYNC | BP_IN_STATES, .check = BP_REJECT_PRECISION,            \
      .matters = BP_MATTERS_ADAPTERS, .repeats = BP_REPEATS_NEVER, .free = BP_FREE_BITS,           \
      .label = "base bits", .words = "base in %d bits", .sets = BP_SETS_TRAINING)                  \
    F(S, ENUM, base_format, bp_base_format, "", BP_BASE_FORMAT_BITSANDBYTES, 0, 0,                 \
      "what stores frozen weights of fewer than 16 bits and makes them wide for every pass",       \
      .reads = BP_IN_COMPUTE | BP_IN_STATES, .matters = BP_MATTERS_NARROW_BASE,                    \
      .label = "base format", .words = "base by %s", .sets = BP_SETS_TRAINING)                     \
    F(S, ENUM, lora_targets, bp_lora_targets, "", BP_LORA_TARGETS_ALL, 0, 0,                       \
      "matrices that have adapters, none of them of routed experts",                               \
      .reads = BP_IN_COMPUTE | BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT,                \
      .matters = BP_MATTERS_ADAPTERS, .label = "LoRA on", .words = "LoRA on %s",                   \
      .sets = BP_SETS_TRAINING)                                                                    \
    F(S, NUM, lora_dropout, , "frac", 0, 0, 0.99,                                                  \
      "share of what comes into adapters that is dropped; kept beside it while layers do not "     \
      "recompute",                                                                                 \
      .reads = BP_IN_PIPE | BP_IN_KEPT, .matters = BP_MATTERS_ADAPTERS, .label = "LoRA dropout",   \
      .words = "LoRA dropout %g", .sets = BP_SETS_TRAINING)                                        \
    F(S, FLAG, lora_ends, , "", 0, 0, 1,                                                           \
      "embedding and head are trained beside adapters or some of the layers",                      \
      .reads = BP_IN_COMPUTE | BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT,                \
      .matters = BP_MATTERS_FROZEN, .label = "ends trained",                                       \
      .words = "embedding and head trained", .sets = BP_SETS_TRAINING)                             \
    F(S, ENUM, cross_entropy, bp_cross_entropy, "", BP_CROSS_ENTROPY_PLAIN, 0, 0,                  \
      "plain keeps copies of the logits, fused works in place, chunked never stores them",         \
      .reads = BP_IN_KEPT, .words = "%s cross-entropy")                                            \
    F(S, ENUM, rank_order, bp_rank_order, "", BP_RANK_ORDER_DATA_INSIDE, 0, 0,                     \
      "which ranks are neighbours, innermost first",                                               \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_SEND, .matters = BP_MATTERS_PP, .label = "ranks",   \
      .words = "ranks %s")                                                                         \
    F(S, ENUM, split, bp_split, "", BP_SPLIT_LAYERS, 0, 0,                                         \
      "stages of equal layers, or of equal matmul work with the head's",                           \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT,                                \
      .matters = BP_MATTERS_EVEN_STAGES, .words = "stages of equal %s")                            \
    F(S, INT, first_layers, , "", 0, 0, 65536,                                                     \
      "layers of the first stage, the others even; 0 = as split says",                             \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT, .check = BP_REJECT_LAYERS,     \
      .repeats = BP_REPEATS_FIRST, .free = BP_FREE_END_STAGE, .place = 8, .label = "first",        \
      .words = "%d layers on the first stage")                                                     \
    F(S, INT, last_layers, , "", 0, 0, 65536,                                                      \
      "layers of the last stage, the others even; 0 = as split says",                              \
      .reads = BP_IN_PIPE | BP_IN_SYNC | BP_IN_STATES | BP_IN_KEPT, .check = BP_REJECT_LAYERS,     \
      .repeats = BP_REPEATS_LAST, .free = BP_FREE_END_STAGE, .place = 9, .label = "last",          \
      .words = "%d layers on the last stage")                                                      \
    F(S, NUM, offload_activations, , "frac", 0, 0, 1,                                              \
      "share of the kept activations that waits for backward in host memory; free: quarters",      \
      .reads = BP_IN_PIPE | BP_IN_KEPT, .free = BP_FREE_NONE_OR_QUARTERS,                          \
      .label = "activations offloaded", .words = "activations offloaded (%g of them)")             \
    F(S, FLAG, update_in_backward, , "", 0, 0, 1,                                                  \
      "the optimizer takes each gradient as backward makes it (torchtune's optimizer_in_bwd), so " \
      "that one layer's are kept; for one micro-batch a step",                                     \
      .reads = BP_IN_STATES, .check = BP_REJECT_BATCH, .repeats = BP_REPEATS_NEVER,                \
      .label = "update in backward", .words = "update in backward")                                \
    BP_PLAN_MODULES(F, S)                                                                          \
    F(S, FLAG, quantized_params, , "", 0, 0, 1, "8- and 4-bit recipes keep no 16-bit weights",     \
      .reads = BP_IN_STATES, .matters = BP_MATTERS_LOW_PRECISION, .label = "quantized",            \
      .words = "quantized weights only", .sets = BP_SETS_TRAINING)
BP_DECLARE_STRUCT(bp_plan, BP_PLAN_FIELDS);

#define BP_JOB_FIELDS(F, S)                                                                        \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, INT, global_batch, , "", BP_REQUIRED, 1, 1e12,                                            \
      "sequences (or images) in one optimizer step")                                               \
    F(S, INT, seq_len, , "tok", BP_REQUIRED, 1, 1e9, "tokens in one sequence")                     \
    F(S, NUM, document_tok, , "tok", 0, 0, 1e9,                                                    \
      "tokens of a document that fused attention stays inside, where several share a sequence; "   \
      "mean of their squares over their mean; 0 = the sequence is one")                            \
    F(S, NUM, tokens, , "tok", 0, 0, 1e18, "tokens of the whole run; 0 = only the step is asked")
BP_DECLARE_STRUCT(bp_job, BP_JOB_FIELDS);

/*
** Fills in dp and shard where they are 0. Does not judge: bp_plan_check does.
*/
void bp_plan_resolve(struct bp_plan *plan, const struct bp_network *network);

#define BP_PLAN_OR_MODULE(S, KIND, member, ...) || plan->member

/* Whether backward computes modules of a layer again that the field recompute does not name. */
static inline int bp_plan_remakes(const struct bp_plan *plan) {
    return 0 BP_PLAN_MODULES(BP_PLAN_OR_MODULE, );
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
