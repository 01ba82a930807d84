/*
** How software spends time and memory around the kernels: one small set of coefficients per class
** of framework, and what calibration changes. The values per class, with their sources and fit, are
** in lua/ballpark/catalog/profiles.lua; the defaults here, for kernels called without a class, are
** assumptions near those of "megatron".
*/
#ifndef BP_KERNEL_PROFILE_H
#define BP_KERNEL_PROFILE_H

#include "kernel/describe/network.h"
#include "kernel/field.h"

#define BP_PROFILE_FIELDS(F, S)                                                                    \
    F(S, NOTE, name, , "", 0, 0, 0, "class of framework")                                          \
    F(S, NOTE, source, , "", 0, 0, 0, "where the coefficients come from")                          \
    F(S, NOTE, calibration, , "", 0, 0, 0,                                                         \
      "runs they were calibrated on, see `ballpark calibrate`")                                    \
    F(S, NUM, gemm, , "", 1.1, 0.1, 10, "matmul time in training over the isolated kernel's")      \
    F(S, NUM, launch, , "frac", 0.5, 0, 2,                                                         \
      "share of the isolated kernel's empty time that a full queue leaves")                        \
    F(S, NUM, attention, , "", 1, 0.1, 20, "attention time over the curve's (older kernels > 1)")  \
    F(S, NUM, attention_backward, , "", 1, 0.1, 20,                                                \
      "backward over the attention kernel's own estimate")                                         \
    F(S, NUM, misaligned, , "frac", 0.1, 0, 2,                                                     \
      "slow-down of a matmul per halving of its sizes' alignment below 128 bytes")                 \
    F(S, FLAG, separate_sums, , "", 0, 0, 1,                                                       \
      "gradients of micro-batches are added up by kernels of their own, not by the matmuls")       \
    F(S, NUM, sustained_flop_w, , "FLOP/s/W", 1.08e12, 0, 1e15,                                    \
      "16-bit matmul rate the power limit sustains per watt; 0 = no limit")                        \
    F(S, NUM, elementwise, , "frac", 0.68, 0.01, 2,                                                \
      "share of memory bandwidth of elementwise kernels")                                          \
    F(S, NUM, elementwise_passes, , "", 1, 0.1, 20,                                                \
      "elementwise traffic over that of fused kernels")                                            \
    F(S, NUM, softmax_passes, , "", 5, 0, 100,                                                     \
      "passes over the score matrix when attention is not fused")                                  \
    F(S, NUM, host_layer_s, , "s", 8e-4, 0, 1, "host time to launch one layer forward")            \
    F(S, NUM, host_tp, , "frac", 0.08, 0, 2,                                                       \
      "growth of host_layer_s per doubling of TP: launching collectives")                          \
    F(S, NUM, host_pipe, , "frac", 0, 0, 20,                                                       \
      "growth of host_layer_s per rank of TP in a pipeline: collectives between sends")            \
    F(S, NUM, host_micro_s, , "s", 5e-4, 0, 1,                                                     \
      "time a stage waits for the host to hand a micro-batch over")                                \
    F(S, NUM, host_step_s, , "s", 1e-2, 0, 10, "host time per step: optimizer, data, logging")     \
    F(S, NUM, overlap_tp, , "frac", 0.37, 0, 1,                                                    \
      "share of tensor-parallel traffic hidden when overlap is on")                                \
    F(S, FLAG, tp_beside_weights, , "", 0, 0, 1,                                                   \
      "tensor-parallel traffic of backward runs beside the weight gradients' matmuls")             \
    F(S, NUM, overlap_dp, , "frac", 0.8, 0, 1, "share of the window that hides gradient traffic")  \
    F(S, NUM, overlap_weights, , "frac", 1, 0, 1,                                                  \
      "share of that window which hides the gather of updated weights under ZeRO-1 and 2")         \
    F(S, NUM, overlap_fsdp, , "frac", 0.95, 0, 1, "share of the window that hides FSDP traffic")   \
    F(S, FLAG, overlap_replicas, , "", 1, 0, 1,                                                    \
      "sums over replicas of FSDP shards (HSDP) run beside the last backward")                     \
    F(S, NUM, overlap_ep, , "frac", 0.25, 0, 1,                                                    \
      "share of expert all-to-alls hidden when overlap is on")                                     \
    F(S, NUM, exposed_dp, , "frac", 0.08, 0, 1, "least share of data-parallel traffic that shows") \
    F(S, NUM, exposed_cp, , "frac", 0.1, 0, 1,                                                     \
      "least share of the exchange of keys and values that shows")                                 \
    F(S, NUM, exposed_fsdp, , "frac", 0.1, 0, 1,                                                   \
      "least share of FSDP gathers and scatters that shows")                                       \
    F(S, FLAG, split_sends, , "", 0, 0, 1,                                                         \
      "each tensor-parallel rank sends its part of the activations to the next stage")             \
    F(S, NUM, weight_gathers, , "", 0, 0, 1000,                                                    \
      "messages per layer in which ZeRO-1 and 2 gather updated weights; 0 = all in one")           \
    F(S, NUM, bucket_params, , "", 0, 0, 1e12,                                                     \
      "parameters whose gradients are reduced in one message; 0 = all of a stage")                 \
    F(S, NUM, layer_gathers, , "", 1, 1, 1000,                                                     \
      "messages in which FSDP or ZeRO-3 gathers the weights of a layer")                           \
    F(S, NUM, selective_mlp, , "frac", 0, 0, 1,                                                    \
      "share of the matmuls that selective recomputation repeats (remat policies of XLA)")         \
    F(S, NUM, moe_passes, , "", 9, 0, 100,                                                         \
      "passes over routed tokens for permuting and combining")                                     \
    F(S, NUM, mixer_passes, , "", 1.5, 0.1, 20,                                                    \
      "time of convolution, scan, gate and norm of state-space and linear mixers over their "      \
      "traffic's")                                                                                 \
    F(S, FLAG, merged_copies, , "", 0, 0, 1,                                                       \
      "a token crosses once to a rank with several of its experts, not once for each")             \
    F(S, NUM, expert_gemm, , "", 1.1, 0.1, 10,                                                     \
      "grouped expert matmuls over plain ones of as many rows and tiles")                          \
    F(S, NUM, expert_rows, , "", 64, 0, 4096,                                                      \
      "rows that the matmuls of an expert waste: its last tile is not full")                       \
    F(S, NUM, expert_start_s, , "s", 5e-6, 0, 1,                                                   \
      "least time from one kernel of an expert's matmuls to the next: too small to hide a start")  \
    F(S, NUM, moe_wait_s, , "s", 1e-3, 0, 1,                                                       \
      "wait in a MoE layer forward: the host reads how many tokens each expert gets")              \
    F(S, NUM, gemm_fp4, , "", 1, 0.1, 10,                                                          \
      "4-bit matmul time in training over that of the serving kernels behind the curves")          \
    F(S, NUM, imbalance, , "", 1, 1, 20,                                                           \
      "tokens of the fullest experts' rank over the mean: its matmuls, memory and traffic")        \
    F(S, NUM, quantize, , "", 0.4, 0, 10, "share of the isolated quantisation passes that remain") \
    F(S, NUM, straggler, , "", 0.005, 0, 1, "slow-down per doubling of nodes")                     \
    F(S, NUM, scaleup, , "", 1, 0.01, 100, "bandwidth inside a domain over the network's own")     \
    F(S, NUM, scaleout, , "", 1, 0.01, 100, "bandwidth between domains over the network's own")    \
    F(S, NUM, latency, , "", 1, 0, 1000, "fixed times of collectives over the network's own")      \
    F(S, NUM, host_link, , "frac", 0.8, 0.001, 2,                                                  \
      "share of device.host_bytes_s that copies to and from the host reach (25 of 31.5 GB/s of "   \
      "PCIe 4 x16 with pinned memory: assumption)")                                                \
    F(S, NUM, nvme_bytes_s, , "B/s", 3e9, 1e6, 1e15,                                               \
      "device's share of the host's drives (25 GB/s of a DGX-2, arXiv:2104.07857, among eight)")   \
    F(S, NUM, context_bytes, , "B", 1.07e9, 0, 1e12,                                               \
      "memory of context, library workspaces and collective buffers")                              \
    F(S, NUM, fragmentation, , "", 1.03, 1, 10, "reserved over allocated memory")                  \
    F(S, NUM, activation_copies, , "", 1, 0.1, 10, "kept activations over those of fused kernels") \
    F(S, FLAG, cast_weights, , "", 0, 0, 1,                                                        \
      "16-bit weights are cast from the fp32 ones layer by layer: none are kept beside them")      \
    F(S, NUM, working_grad_bytes, , "B", 0, 0, 100,                                                \
      "per parameter of a layer and the head: gradients not yet added up when backward begins")    \
    F(S, NUM, backward_grad_bytes, , "B", 0, 0, 100,                                               \
      "per parameter: gradients that wait for the end of backward to be added up")                 \
    F(S, NUM, logit_bytes, , "B", 10, 0, 100,                                                      \
      "bytes kept per logit on the last stage at the peak")                                        \
    F(S, NUM, memory_spread, , "", 0.06, 0, 2,                                                     \
      "standard deviation of ln(measured/predicted) memory")
BP_DECLARE_STRUCT(bp_profile, BP_PROFILE_FIELDS);

/* The network as software of this profile was seen to use it. */
struct bp_network bp_profile_network(const struct bp_profile *profile,
                                     const struct bp_network *network);

#endif
