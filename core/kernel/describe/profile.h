/*
** How software spends time and memory around the kernels: what a class of framework does, by name,
** coefficients, which fits and calibration change, and constants that all classes have in common. The values per class, with their sources and fit, are
** in lua/ballpark/catalog/profiles.lua; the defaults here, for kernels called without a class, are
** assumptions near those of "megatron".
*/
#ifndef BP_KERNEL_PROFILE_H
#define BP_KERNEL_PROFILE_H

#include "kernel/describe/common_fit.h"
#include "kernel/describe/network.h"
#include "kernel/field.h"

/* How the host launches kernels: one by one; not at all, the step is one program or captured graph. */
#define BP_LAUNCHES(E)                                                                             \
    E(BP_LAUNCHES_EAGER, "eager")                                                                  \
    E(BP_LAUNCHES_COMPILED, "compiled")
BP_DECLARE_ENUM(bp_launches, BP_LAUNCHES);

/* What adds the gradients of micro-batches up: the matmuls that make them, or kernels of their own. */
#define BP_GRADIENT_SUM(E)                                                                         \
    E(BP_GRADIENT_SUM_FUSED, "fused")                                                              \
    E(BP_GRADIENT_SUM_SEPARATE, "separate")
BP_DECLARE_ENUM(bp_gradient_sum, BP_GRADIENT_SUM);

/* Activations that all ranks of a tensor-parallel group have: each sends all of them, or its part. */
#define BP_SENDS(E)                                                                                \
    E(BP_SENDS_WHOLE, "whole")                                                                     \
    E(BP_SENDS_SPLIT, "split")
BP_DECLARE_ENUM(bp_sends, BP_SENDS);

/*
** Tensor-parallel traffic of backward: the device waits, unless the plan overlaps it, or makes weight gradients
** meanwhile; or it waits even where the plan overlaps traffic.
*/
#define BP_TP_BACKWARD(E)                                                                          \
    E(BP_TP_BACKWARD_WAITS, "waits")                                                               \
    E(BP_TP_BACKWARD_BESIDE_WEIGHTS, "beside_weights")                                             \
    E(BP_TP_BACKWARD_ALWAYS_WAITS, "always_waits")
BP_DECLARE_ENUM(bp_tp_backward, BP_TP_BACKWARD);

/*
** When ZeRO-1 and 2 gather updated weights: beside the next forward; when the step ends; then, too, tensor
** by tensor.
*/
#define BP_WEIGHT_GATHER(E)                                                                        \
    E(BP_WEIGHT_GATHER_FORWARD, "forward")                                                         \
    E(BP_WEIGHT_GATHER_STEP_END, "step_end")                                                       \
    E(BP_WEIGHT_GATHER_BY_TENSOR, "by_tensor")
BP_DECLARE_ENUM(bp_weight_gather, BP_WEIGHT_GATHER);

/* What FSDP or ZeRO-3 gathers in one message: the weights of a layer, or each parameter by itself. */
#define BP_LAYER_GATHER(E)                                                                         \
    E(BP_LAYER_GATHER_WHOLE, "whole")                                                              \
    E(BP_LAYER_GATHER_BY_PARAMETER, "by_parameter")
BP_DECLARE_ENUM(bp_layer_gather, BP_LAYER_GATHER);

/* What gradients are reduced in: all of a stage in one message, or buckets as DistributedDataParallel's. */
#define BP_BUCKETS(E)                                                                              \
    E(BP_BUCKETS_ONE, "one")                                                                       \
    E(BP_BUCKETS_DDP, "ddp")
BP_DECLARE_ENUM(bp_buckets, BP_BUCKETS);

/* When gradients of FSDP shards are summed over replicas (HSDP): beside the last backward, or after it. */
#define BP_REPLICA_SUM(E)                                                                          \
    E(BP_REPLICA_SUM_BESIDE_BACKWARD, "beside_backward")                                           \
    E(BP_REPLICA_SUM_AFTER, "after")
BP_DECLARE_ENUM(bp_replica_sum, BP_REPLICA_SUM);

/* What FSDP or ZeRO-3 reduces gradients in: the format they are summed in, or that of the matmuls (16 bit). */
#define BP_SHARD_SUMS(E)                                                                           \
    E(BP_SHARD_SUMS_AS_KEPT, "as_kept")                                                            \
    E(BP_SHARD_SUMS_NARROW, "narrow")
BP_DECLARE_ENUM(bp_shard_sums, BP_SHARD_SUMS);

/* How often a token crosses to a rank with several of its experts: for each of them, once, or to all ranks that there are. */
#define BP_EXPERT_COPIES(E)                                                                        \
    E(BP_EXPERT_COPIES_EACH, "each")                                                               \
    E(BP_EXPERT_COPIES_MERGED, "merged")                                                           \
    E(BP_EXPERT_COPIES_ALL, "all")
BP_DECLARE_ENUM(bp_expert_copies, BP_EXPERT_COPIES);

/* Parts of sequences that tensor-parallel ranks gather and scatter: in place, or laid out anew by a copy each. */
#define BP_TP_PARTS(E)                                                                             \
    E(BP_TP_PARTS_IN_PLACE, "in_place")                                                            \
    E(BP_TP_PARTS_COPIED, "copied")
BP_DECLARE_ENUM(bp_tp_parts, BP_TP_PARTS);

/*
** How context-parallel ranks attend: keys and values go round, or whole sequences are gathered and heads dealt, or keys
** and values are repeated for every query head and gathered before attention starts.
*/
#define BP_CONTEXT(E)                                                                              \
    E(BP_CONTEXT_RING, "ring")                                                                     \
    E(BP_CONTEXT_HEADS, "heads")                                                                   \
    E(BP_CONTEXT_REPEATED, "repeated")
BP_DECLARE_ENUM(bp_context, BP_CONTEXT);

/* How the host learns how many tokens each expert gets: it reads them, or kernels take the counts where they are. */
#define BP_EXPERT_COUNTS(E)                                                                        \
    E(BP_EXPERT_COUNTS_READ, "read")                                                               \
    E(BP_EXPERT_COUNTS_KEPT, "kept")
BP_DECLARE_ENUM(bp_expert_counts, BP_EXPERT_COUNTS);

/* Casts of experts' operands to 8 bit: by kernels of their own, or by those that write them. */
#define BP_EXPERT_CASTS(E)                                                                         \
    E(BP_EXPERT_CASTS_SEPARATE, "separate")                                                        \
    E(BP_EXPERT_CASTS_FUSED, "fused")
BP_DECLARE_ENUM(bp_expert_casts, BP_EXPERT_CASTS);

/* 16-bit weights beside fp32 ones: kept, or cast layer by layer. */
#define BP_NARROW_WEIGHTS(E)                                                                       \
    E(BP_NARROW_WEIGHTS_KEPT, "kept")                                                              \
    E(BP_NARROW_WEIGHTS_CAST, "cast")
BP_DECLARE_ENUM(bp_narrow_weights, BP_NARROW_WEIGHTS);

/* Pipelines of the software: in use, seen in no published run, or refused. */
#define BP_PIPELINES(E)                                                                            \
    E(BP_PIPELINES_USUAL, "usual")                                                                 \
    E(BP_PIPELINES_RARE, "rare")                                                                   \
    E(BP_PIPELINES_NONE, "none")
BP_DECLARE_ENUM(bp_pipelines, BP_PIPELINES);

/*
** ZeRO stages of the software: all; none, gradients or weights (PyTorch's FSDP: NO_SHARD, SHARD_GRAD_OP, FULL_SHARD);
** none or weights (compiled programs shard an array in all of its uses); none or the optimizer.
*/
#define BP_ZERO_STAGES(E)                                                                          \
    E(BP_ZERO_STAGES_ALL, "all")                                                                   \
    E(BP_ZERO_STAGES_FSDP, "fsdp")                                                                 \
    E(BP_ZERO_STAGES_WEIGHTS, "weights")                                                           \
    E(BP_ZERO_STAGES_OPTIMIZER, "optimizer")
BP_DECLARE_ENUM(bp_zero_stages, BP_ZERO_STAGES);

/*
** What selective recomputation repeats: the core of attention; every second matmul, too (a policy by operation of
** PyTorch); or all but the projections of attention, whose outputs are kept (remat policies of MaxText).
*/
#define BP_SELECTIVE(E)                                                                            \
    E(BP_SELECTIVE_ATTENTION, "attention")                                                         \
    E(BP_SELECTIVE_POLICY, "policy")                                                               \
    E(BP_SELECTIVE_PROJECTIONS, "projections")
BP_DECLARE_ENUM(bp_selective, BP_SELECTIVE);

/* Tensor-parallel collectives between the sends of a pipeline: queued like others, or waited for by the host. */
#define BP_PIPE_COLLECTIVES(E)                                                                     \
    E(BP_PIPE_COLLECTIVES_QUEUED, "queued")                                                        \
    E(BP_PIPE_COLLECTIVES_WAITED, "waited")
BP_DECLARE_ENUM(bp_pipe_collectives, BP_PIPE_COLLECTIVES);

/*
** How adapters run: in fp32 behind casts and a dropout, as PEFT's are; in 16 bit, an operation after the other; in
** kernels that do the rest beside their matmuls.
*/
#define BP_ADAPTERS(E)                                                                             \
    E(BP_ADAPTERS_CAST, "cast")                                                                    \
    E(BP_ADAPTERS_SEPARATE, "separate")                                                            \
    E(BP_ADAPTERS_FUSED, "fused")
BP_DECLARE_ENUM(bp_adapters, BP_ADAPTERS);

/*
** Embedding, head and norms beside frozen weights of fewer than 16 bits: in 16 bit, or in fp32, as PEFT's
** prepare_model_for_kbit_training makes them.
*/
#define BP_BASE_ENDS(E)                                                                            \
    E(BP_BASE_ENDS_NARROW, "narrow")                                                               \
    E(BP_BASE_ENDS_FP32, "fp32")
BP_DECLARE_ENUM(bp_base_ends, BP_BASE_ENDS);

/*
** Constants of all training software: no class says its own. Fits vary them; people who know better for their
** machines may. Those of common_fit.h are fitted, the rest says its source.
*/
#define BP_COMMON_FIELDS(F, S)                                                                     \
    F(S, NUM, launch, , "frac", BP_FIT_LAUNCH, 0, 2,                                               \
      "share of the isolated kernel's empty time that a full queue leaves")                        \
    F(S, NUM, attention_backward, , "", BP_FIT_ATTENTION_BACKWARD, 0.1, 20,                        \
      "backward over the attention kernel's own estimate")                                         \
    F(S, NUM, misaligned, , "frac", BP_FIT_MISALIGNED, 0, 2,                                       \
      "slow-down of a matmul per halving of its sizes' alignment below 128 bytes")                 \
    F(S, NUM, elementwise, , "frac", BP_FIT_ELEMENTWISE, 0.01, 2,                                  \
      "share of memory bandwidth of elementwise kernels")                                          \
    F(S, NUM, softmax_passes, , "", BP_FIT_SOFTMAX_PASSES, 0, 100,                                 \
      "passes over the score matrix, forward, when attention is not fused")                        \
    F(S, NUM, host_pipe, , "frac", BP_FIT_HOST_PIPE, 0, 20,                                        \
      "growth of host_layer_s per rank of TP in a pipeline whose collectives the host waits for")  \
    F(S, NUM, overlap_tp, , "frac", BP_FIT_OVERLAP_TP, 0, 1,                                       \
      "share of tensor-parallel traffic hidden when overlap is on")                                \
    F(S, NUM, overlap_dp, , "frac", BP_FIT_OVERLAP_DP, 0, 1,                                       \
      "share of the window that hides gradient traffic")                                           \
    F(S, NUM, overlap_ep, , "frac", BP_FIT_OVERLAP_EP, 0, 1,                                       \
      "most of expert all-to-alls that compute hides when overlap is on")                          \
    F(S, NUM, selective_mlp, , "frac", BP_FIT_SELECTIVE_MLP, 0, 1,                                 \
      "share of the matmuls that a remat policy repeats")                                          \
    F(S, NUM, mixer_passes, , "", BP_FIT_MIXER_PASSES, 0.1, 20,                                    \
      "time of convolution, scan, gate and norm of state-space and linear mixers over their "      \
      "traffic's")                                                                                 \
    F(S, NUM, moe_wait_s, , "s", BP_FIT_MOE_WAIT_S, 0, 1,                                          \
      "wait in a MoE layer forward: the host reads how many tokens each expert gets")              \
    F(S, NUM, gemm_fp4, , "", BP_FIT_GEMM_FP4, 0.1, 10,                                            \
      "4-bit matmul time in training over that of the serving kernels behind the curves")          \
    F(S, NUM, quantize, , "", BP_FIT_QUANTIZE, 0, 10,                                              \
      "share of the isolated quantisation passes that remain")                                     \
    F(S, NUM, straggler, , "", BP_FIT_STRAGGLER, 0, 1, "slow-down per doubling of nodes")          \
    F(S, NUM, host_link, , "frac", 0.8, 0.001, 2,                                                  \
      "share of device.host_bytes_s that copies to and from the host reach (25 of 31.5 GB/s of "   \
      "PCIe 4 x16 with pinned memory: assumption)")                                                \
    F(S, NUM, nvme_bytes_s, , "B/s", 3e9, 1e6, 1e15,                                               \
      "device's share of the host's drives (25 GB/s of a DGX-2, arXiv:2104.07857, among eight)")
BP_DECLARE_STRUCT(bp_common, BP_COMMON_FIELDS);

/*
** What the software does, by name; then coefficients. Shipped classes agree in sustained_flop_w,
** exposed_dp, moe_passes, imbalance, scaleup, scaleout and latency, and in attention but for older kernels: these
** are here because they are of one's own clocks, hosts, routing and networks, which a calibration fits.
*/
#define BP_PROFILE_FIELDS(F, S)                                                                        \
    F(S, NOTE, name, , "", 0, 0, 0, "class of framework")                                              \
    F(S, NOTE, source, , "", 0, 0, 0, "where the coefficients come from")                              \
    F(S, NOTE, class, , "", 0, 0, 0,                                                                   \
      "class that holds wherever nothing is said here, as of the year, the device and its network")    \
    F(S, NOTE, calibration, , "", 0, 0, 0,                                                             \
      "runs they were calibrated on, and what these changed: see `ballpark calibrate`")                \
    F(S, NOTE, attention_kernels, , "", 0, 0, 0,                                                       \
      "generation of the attention kernels: first, second, cudnn_2024; none: today's")                 \
    F(S, ENUM, launches, bp_launches, "", BP_LAUNCHES_EAGER, 0, 0,                                     \
      "how the host launches kernels: compiled programs and graphs wait for no host")                  \
    F(S, ENUM, gradient_sum, bp_gradient_sum, "", BP_GRADIENT_SUM_FUSED, 0, 0,                         \
      "gradients of micro-batches are added up by the matmuls, or by kernels of their own")            \
    F(S, ENUM, sends, bp_sends, "", BP_SENDS_WHOLE, 0, 0,                                              \
      "each tensor-parallel rank sends all activations to the next stage, or its part")                \
    F(S, ENUM, tp_backward, bp_tp_backward, "", BP_TP_BACKWARD_WAITS, 0, 0,                            \
      "tensor-parallel traffic of backward: alone, beside weight gradients, alone where overlapped")   \
    F(S, ENUM, tp_parts, bp_tp_parts, "", BP_TP_PARTS_IN_PLACE, 0, 0,                                  \
      "what tensor-parallel ranks gather and scatter of sequences lies in place, or is copied there")  \
    F(S, ENUM, context, bp_context, "", BP_CONTEXT_RING, 0, 0,                                         \
      "context-parallel ranks send keys and values round, deal heads, or gather repeated keys")        \
    F(S, ENUM, weight_gather, bp_weight_gather, "", BP_WEIGHT_GATHER_FORWARD, 0, 0,                    \
      "when ZeRO-1 and 2 gather updated weights: beside forward, or at the end of the step")           \
    F(S, ENUM, layer_gather, bp_layer_gather, "", BP_LAYER_GATHER_WHOLE, 0, 0,                         \
      "what FSDP or ZeRO-3 gathers in one message")                                                    \
    F(S, ENUM, buckets, bp_buckets, "", BP_BUCKETS_ONE, 0, 0,                                          \
      "messages that gradients are reduced in: one, or buckets of 25 MiB in 16 bit (ddp)")             \
    F(S, ENUM, replica_sum, bp_replica_sum, "", BP_REPLICA_SUM_BESIDE_BACKWARD, 0, 0,                  \
      "when gradients of FSDP shards are summed over replicas (HSDP)")                                 \
    F(S, ENUM, shard_sums, bp_shard_sums, "", BP_SHARD_SUMS_AS_KEPT, 0, 0,                             \
      "format in which FSDP or ZeRO-3 reduces gradients: that they are kept in, or 16 bit (narrow)")   \
    F(S, ENUM, expert_copies, bp_expert_copies, "", BP_EXPERT_COPIES_EACH, 0, 0,                       \
      "how often a token crosses to a rank: for each of its experts there, once, or to all ranks")     \
    F(S, ENUM, expert_counts, bp_expert_counts, "", BP_EXPERT_COUNTS_READ, 0, 0,                       \
      "how many tokens each expert gets is read by the host, or kept on the device")                   \
    F(S, ENUM, expert_casts, bp_expert_casts, "", BP_EXPERT_CASTS_SEPARATE, 0, 0,                      \
      "operands of experts' 8-bit matmuls are cast by kernels of their own, or by those that write "   \
      "them")                                                                                          \
    F(S, ENUM, narrow_weights, bp_narrow_weights, "", BP_NARROW_WEIGHTS_KEPT, 0, 0,                    \
      "16-bit weights are kept beside the fp32 ones, or cast from them layer by layer")                \
    F(S, FLAG, autocast, , "", 0, 0, 1,                                                                \
      "operators cast 32-bit weights and keep the casts, beside a residual stream of 32 bit")          \
    F(S, FLAG, narrow_kept, , "", 0, 0, 1,                                                             \
      "8-bit recipes keep inputs of activation functions in 8 bit, attention's output once, in 12")    \
    F(S, FLAG, whole_inputs, , "", 0, 0, 1,                                                            \
      "inputs that tensor-parallel ranks gather for a matmul are kept whole, not gathered again")      \
    F(S, ENUM, selective, bp_selective, "", BP_SELECTIVE_ATTENTION, 0, 0,                              \
      "what selective recomputation repeats: attention, or matmuls that a remat policy names, too")    \
    F(S, ENUM, pipe_collectives, bp_pipe_collectives, "", BP_PIPE_COLLECTIVES_QUEUED, 0, 0,            \
      "tensor-parallel collectives between the sends of a pipeline")                                   \
    F(S, ENUM, adapters, bp_adapters, "", BP_ADAPTERS_SEPARATE, 0, 0,                                  \
      "how adapters run: in fp32 behind casts and dropout, in 16 bit one by one, or fused")            \
    F(S, FLAG, joint_adapters, , "", 0, 0, 1,                                                          \
      "matrices that read the same input are one, with one adapter")                                   \
    F(S, FLAG, eager_kept, , "", 0, 0, 1,                                                              \
      "norms and gates run one operation after the other, and keep what lies between")                 \
    F(S, FLAG, eager_scores, , "", 0, 0, 1,                                                            \
      "stored scores are scaled, masked, cast and dropped one operation after the other")              \
    F(S, FLAG, narrow_inputs, , "", 0, 0, 1, "frozen matrices of bitsandbytes keep their input")       \
    F(S, FLAG, fused_qkv, , "", 0, 0, 1,                                                               \
      "queries, keys and values are one matrix: its output stays, and its adapters share a dropout")   \
    F(S, FLAG, gradients_freed, , "", 0, 0, 1,                                                         \
      "an update leaves no gradients: of a step of one micro-batch, none are there at the loss")       \
    F(S, FLAG, host_gradients, , "", 0, 0, 1,                                                          \
      "the host has a gradient's place for every weight that is streamed from it, frozen or not")      \
    F(S, FLAG, gathers_ahead, , "", 0, 0, 1,                                                           \
      "gathers of FSDP are not limited: all layers of frozen weights are whole at one time")           \
    F(S, ENUM, base_ends, bp_base_ends, "", BP_BASE_ENDS_NARROW, 0, 0,                                 \
      "embedding and head beside frozen weights of bitsandbytes")                                      \
    F(S, ENUM, pipelines, bp_pipelines, "", BP_PIPELINES_USUAL, 0, 0,                                  \
      "whether it has pipelines, and whether published runs do; what it refuses no search proposes")   \
    F(S, FLAG, interleaves, , "", 1, 0, 1, "it runs several chunks of layers on a stage")              \
    F(S, ENUM, zero_stages, bp_zero_stages, "", BP_ZERO_STAGES_ALL, 0, 0,                              \
      "ZeRO stages that it has; no search proposes others")                                            \
    F(S, INT, pipeline_zero, , "", 3, 0, 3, "highest ZeRO stage that it takes with stages")            \
    F(S, INT, seen_pipeline_zero, , "", 3, 0, 3,                                                       \
      "highest ZeRO stage that published runs of it have with stages")                                 \
    F(S, INT, unseen_zero, , "", 0, 0, 3,                                                              \
      "ZeRO stage that no published run of it has without stages; 0 = none")                           \
    F(S, FLAG, cuts_context, , "", 1, 0, 1, "it has context parallelism")                              \
    F(S, INT, seen_cut_tok, , "tok", 8192, 0, 1e9,                                                     \
      "shortest sequence that published runs cut among context-parallel ranks")                        \
    F(S, INT, seen_part_tok, , "tok", 2048, 0, 1e9, "shortest part of one that they give a rank")      \
    F(S, INT, usual_stages, , "", 16, 1, 1e6,                                                          \
      "stages that all but one in twenty of the published runs with stages stay within")               \
    F(S, NOTE, fp8_scales, , "", 0, 0, 0, "what scales of 8-bit matmuls are of, where it costs")       \
    F(S, NUM, gemm, , "", 1.1, 0.1, 10, "matmul time in training over the isolated kernel's")          \
    F(S, NUM, narrow_gemm, , "", 1, 0.1, 10,                                                           \
      "8-bit matmuls with their casts over those with one scale for a tensor")                         \
    F(S, NUM, attention, , "", 1, 0.1, 20, "attention time over the curve's (older kernels > 1)")      \
    F(S, NUM, attention_backward, , "", 1, 0.1, 20,                                                    \
      "backward attention over forward's, beside that of today's kernels")                             \
    F(S, NUM, sustained_flop_w, , "FLOP/s/W", 1.08e12, 0, 1e15,                                        \
      "16-bit matmul rate the power limit sustains per watt; 0 = no limit")                            \
    F(S, NUM, elementwise_passes, , "", 1, 0.1, 20,                                                    \
      "elementwise traffic over that of fused kernels")                                                \
    F(S, NUM, host_layer_s, , "s", 8e-4, 0, 1, "host time to launch one layer forward")                \
    F(S, NUM, host_tp, , "frac", 0.2, 0, 2,                                                            \
      "growth of host_layer_s under tensor parallelism: launching collectives")                        \
    F(S, NUM, host_gather_s, , "s", 0, 0, 1,                                                           \
      "host time to gather and let go the weights of a layer for a pass, where they are sharded")      \
    F(S, NUM, host_pad_s, , "s", 0, 0, 1,                                                              \
      "host time of a layer forward to put adapters of some of queries, keys and values in "           \
      "their columns, where these are one matrix")                                                     \
    F(S, NUM, host_micro_s, , "s", 5e-4, 0, 1,                                                         \
      "time a stage waits for the host to hand a micro-batch over")                                    \
    F(S, NUM, host_step_s, , "s", 1e-2, 0, 10, "host time per step: optimizer, data, logging")         \
    F(S, NUM, exposed_dp, , "frac", 0.08, 0, 1, "least share of data-parallel traffic that shows")     \
    F(S, NUM, exposed_fsdp, , "frac", 0.1, 0, 1,                                                       \
      "least share of FSDP gathers and scatters that shows")                                           \
    F(S, NUM, moe_passes, , "", 9, 0, 100,                                                             \
      "passes over routed tokens for permuting and combining")                                         \
    F(S, NUM, expert_gemm, , "", 1.1, 0.1, 10,                                                         \
      "grouped expert matmuls over plain ones of as many rows and tiles")                              \
    F(S, NUM, imbalance, , "", 1, 1, 20,                                                               \
      "tokens of the fullest experts' rank over the mean: its matmuls, memory and traffic")            \
    F(S, NUM, scaleup, , "", 1, 0.01, 100, "bandwidth inside a domain over the network's own")         \
    F(S, NUM, scaleout, , "", 1, 0.01, 100, "bandwidth between domains over the network's own")        \
    F(S, NUM, latency, , "", 1, 0, 1000, "fixed times of collectives over the network's own")          \
    F(S, NUM, context_bytes, , "B", 1.07e9, 0, 1e15,                                                   \
      "memory of context, library workspaces and collective buffers")                                  \
    F(S, NUM, fragmentation, , "", 1.03, 1, 10, "reserved over allocated memory")                      \
    F(S, NUM, sharded_fragmentation, , "", 0, 0, 10,                                                   \
      "the same where ranks share states, in FSDP from ZeRO 2 on, of these alone beside whole frozen " \
      "weights; 0 = no other")                                                                         \
    F(S, NUM, activation_copies, , "", 1, 0.1, 10, "kept activations over those of fused kernels")     \
    F(S, NUM, score_bytes, , "B", 0, 0, 100,                                                           \
      "per score of unfused attention: what a layer has at one time beside what it keeps; above 0 "    \
      "what it keeps of scores is there once")                                                         \
    F(S, NUM, working_grad_bytes, , "B", 0, 0, 100,                                                    \
      "per parameter of a layer and the head: gradients not yet added up when backward begins")        \
    F(S, NUM, backward_grad_bytes, , "B", 0, 0, 100,                                                   \
      "per parameter: gradients that wait for the end of backward to be added up")                     \
    F(S, NUM, update_bytes, , "B", 0, 0, 100,                                                          \
      "per trained parameter: copies that an optimizer makes while it updates, of fp32 moments")       \
    F(S, NUM, update_group, , "", 0, 0, 1e15,                                                          \
      "parameters that ZeRO 3 updates at one time; 0 = all of a rank")                                 \
    F(S, NUM, live_params, , "", 0, 0, 1e15,                                                           \
      "parameters that ZeRO 3 leaves gathered for their next use; 0 = the layer in use and the next")  \
    F(S, NUM, bucket_params, , "", 0, 0, 1e15,                                                         \
      "elements of the buffer that ZeRO 2 and 3 fill with gradients before they reduce them; "         \
      "0 = those of a layer")                                                                          \
    F(S, NUM, logit_bytes, , "B", 10, 0, 100,                                                          \
      "bytes kept per logit on the last stage at the peak")                                            \
    F(S, FLAG, loss_in_room, , "", 0, 0, 1,                                                            \
      "the loss is taken of as many of the logits at a time as half of the free memory holds")         \
    F(S, INT, loss_chunks, , "", 0, 0, 1e6,                                                            \
      "parts of the logits of a fused loss, of which one at a time is in fp32; 0 = it works in place") \
    F(S, NUM, held_logit_bytes, , "B", 0, 0, 100,                                                      \
      "bytes per logit that the training loop holds for as long as backward runs")                     \
    F(S, NUM, memory_spread, , "", 0.06, 0, 2,                                                         \
      "standard deviation of ln(measured/predicted) memory")                                           \
    F(S, STRUCT, common, bp_common, "", 0, 0, 0, "constants of all training software")
BP_DECLARE_STRUCT(bp_profile, BP_PROFILE_FIELDS);

/* Share of the matmuls that selective recomputation repeats. */
double bp_profile_selective_mlp(const struct bp_profile *profile);

/* The network as software of this profile was seen to use it. */
struct bp_network bp_profile_network(const struct bp_profile *profile,
                                     const struct bp_network *network);

#endif
