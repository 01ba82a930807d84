/*
** What runs a network that is no language model: an inference runtime as the few numbers by which it
** differs from isolated kernels. Values per class of software, with their fit, are in
** lua/ballpark/catalog/runtimes.lua.
*/
#ifndef BP_KERNEL_RUNTIME_H
#define BP_KERNEL_RUNTIME_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/time/gemm.h"

#define BP_RUNTIME_FIELDS(F, S)                                                                    \
    F(S, NOTE, name, , "", 0, 0, 0, "catalog name")                                                \
    F(S, NOTE, source, , "", 0, 0, 0, "where the numbers come from")                               \
    F(S, INT, kernels, , "", 10, 1, 1000, "launches of a transformer layer")                       \
    F(S, INT, conv_kernels, , "", 1, 1, 1000, "launches of a convolution with what follows it")    \
    F(S, NUM, call_s, , "s", 1e-4, 0, 10, "host time of a call, before and after the kernels")     \
    F(S, NUM, host_kernel_s, , "s", 5e-6, 0, 1, "host time of a launch; the device may wait")      \
    F(S, NUM, launch, , "frac", 0.7, 0, 2,                                                         \
      "share of an isolated kernel's empty time that is left")                                     \
    F(S, NUM, matmul, , "", 1, 0.05, 5, "speed of matmuls over that of isolated ones")             \
    F(S, NUM, conv, , "", 0.7, 0.05, 5, "speed of convolutions over matmuls of as many FLOP")      \
    F(S, NUM, passes, , "", 16, 0, 1000,                                                           \
      "times a layer reads or writes its hidden states outside of matmuls and attention")          \
    F(S, NUM, quantize, , "frac", 1, 0, 10,                                                        \
      "share of the passes that quantise activations; fused into other kernels: 0")                \
    F(S, INT, fused_tokens, , "tok", 512, 0, 1e9,                                                  \
      "longest sequence whose attention is one 16-bit kernel; others store their scores")          \
    F(S, NUM, score_passes, , "", 5, 0, 100, "passes over stored scores")                          \
    F(S, NUM, gather, , "frac", 0.5, 0.01, 1, "share of memory bandwidth when rows are gathered")  \
    F(S, NUM, input_bytes_s, , "B/s", 0, 0, 1e15,                                                  \
      "rate at which inputs come to the device; 0 = they are there")
BP_DECLARE_STRUCT(bp_runtime, BP_RUNTIME_FIELDS);

#define BP_INFERENCE_BOUND(E)                                                                      \
    E(BP_INFERENCE_BOUND_COMPUTE, "compute")                                                       \
    E(BP_INFERENCE_BOUND_MEMORY, "memory")                                                         \
    E(BP_INFERENCE_BOUND_LAUNCH, "launch")                                                         \
    E(BP_INFERENCE_BOUND_INPUT, "input")                                                           \
    E(BP_INFERENCE_BOUND_NETWORK, "network")
BP_DECLARE_ENUM(bp_inference_bound, BP_INFERENCE_BOUND);

/* Seconds of a forward pass by what they are spent on; compute and memory overlap inside kernels. */
struct bp_forward_time {
    double kernels_s;           /* on the device */
    double compute_s, memory_s; /* what arithmetic and traffic alone would take */
    double fixed_s;             /* of kernels_s: empty times */
    double host_s;              /* launches, on the host */
    double input_s, network_s;  /* bringing inputs in, exchanging between devices */
};

/* Bytes of an activation that is kept in dtype: 8-bit matmuls leave 16 bits behind. */
double bp_runtime_activation_bytes(enum bp_dtype dtype);

/* Adds `times` launches of a matmul under a runtime; `speed` over that of a matmul. */
void bp_runtime_matmul(const struct bp_runtime *runtime, const struct bp_device *device,
                       const struct bp_gemm_parts *parts, double speed, double times,
                       struct bp_forward_time *sum);

/* Share of bandwidth that plain copies and elementwise kernels reach on data-centre devices (assumption). */
#define BP_COPY_SHARE 0.8

/* Adds traffic of kernels that hardly compute. */
void bp_runtime_stream(const struct bp_device *device, double bytes, double share,
                       struct bp_forward_time *sum);

/* The whole call: device and host overlap, the rest adds up. */
double bp_runtime_total(const struct bp_runtime *runtime, const struct bp_forward_time *sum);

/* The largest part of it. */
enum bp_inference_bound bp_runtime_bound(const struct bp_runtime *runtime,
                                         const struct bp_forward_time *sum);

#endif
