/* A forward pass of a network that is no language model: its operations added up under a runtime. */
#ifndef BP_KERNEL_FORWARD_H
#define BP_KERNEL_FORWARD_H

#include "kernel/describe/device.h"
#include "kernel/layer/attention.h"
#include "kernel/time/runtime.h"

/* What runs it, and the sum so far. */
struct bp_forward {
    const struct bp_device *device;
    const struct bp_runtime *runtime;
    enum bp_dtype dtype; /* of weights and matmuls */
    double flop;
    double attention_s; /* of sum.kernels_s */
    struct bp_forward_time sum;
};

/* An empty pass. */
struct bp_forward bp_forward_of(const struct bp_device *device, const struct bp_runtime *runtime,
                                enum bp_dtype dtype);

/* `times` matmuls of rows x n x k; nothing where one of them is 0. */
void bp_forward_matmul(struct bp_forward *f, double times, double rows, double n, double k);

/* The same of a convolution: k inputs of one output are `taps` neighbours of its channels. */
void bp_forward_convolution(struct bp_forward *f, double times, double rows, double n, double k,
                            double taps);

/* Time of the attention of so many layers, in one 16-bit kernel or with stored scores; its FLOP are the caller's,
** whose heads may be padded here. */
void bp_forward_attention(struct bp_forward *f, const struct bp_attention_shape *shape,
                          double layers, int fused);

/* Traffic of kernels that hardly compute. */
void bp_forward_stream(struct bp_forward *f, double bytes);

#endif
