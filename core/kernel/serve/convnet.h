/* Convolutional networks by their totals: a batch of images once through. */
#ifndef BP_KERNEL_CONVNET_H
#define BP_KERNEL_CONVNET_H

#include "kernel/describe/device.h"
#include "kernel/field.h"
#include "kernel/status.h"
#include "kernel/time/runtime.h"

#define BP_CONVNET_FIELDS(F, S)                                                                    \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, NOTE, source, , "", 0, 0, 0, "where the totals were read")                                \
    F(S, NUM, image_flop, , "FLOP", BP_REQUIRED, 1, 1e18,                                          \
      "of one image, multiply and add are two: twice the MAC that papers call FLOPs")              \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e15, "weights")                                       \
    F(S, NUM, activations, , "", BP_REQUIRED, 1, 1e15,                                             \
      "values that all convolutions of one image write")                                           \
    F(S, NUM, apart_passes, , "", 4, 0, 1000,                                                      \
      "times normalisation, activation functions and sums read or write the activations, where "   \
      "each is a kernel of its own")                                                               \
    F(S, INT, layers, , "", BP_REQUIRED, 1, 1e6, "convolutions and matmuls")                       \
    F(S, INT, image, , "", 224, 1, 1e6, "pixels of one side")
BP_DECLARE_STRUCT(bp_convnet, BP_CONVNET_FIELDS);

#define BP_CONVNET_FORWARD_IN_FIELDS(F, S)                                                         \
    F(S, STRUCT, network, bp_convnet, "", 0, 0, 0, "what sees")                                    \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "where it runs, one of them")                     \
    F(S, STRUCT, runtime, bp_runtime, "", 0, 0, 0, "by which software")                            \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_FP16, 0, 0, "format of weights and activations")      \
    F(S, INT, batch, , "", 1, 1, 1e9, "images of one call")                                        \
    F(S, INT, image, , "", 0, 0, 1e6, "pixels of one side; 0 = what the totals are for")           \
    F(S, NUM, item_bytes, , "B", 0, 0, 1e12, "one image as it is sent; 0 = fp32 pixels")
BP_DECLARE_STRUCT(bp_convnet_forward_in, BP_CONVNET_FORWARD_IN_FIELDS);

#define BP_CONVNET_FORWARD_OUT_FIELDS(F, S)                                                        \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the call")                                     \
    F(S, NUM, per_s, , "1/s", 0, 0, BP_ANY, "images per second, calls back to back")               \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "arithmetic of the call")                              \
    F(S, NUM, item_flop, , "FLOP", 0, 0, BP_ANY, "arithmetic of one image at this size")           \
    F(S, NUM, matmul_s, , "s", 0, 0, BP_ANY, "convolutions")                                       \
    F(S, NUM, elementwise_s, , "s", 0, 0, BP_ANY, "what runs apart from them")                     \
    F(S, NUM, host_s, , "s", 0, 0, BP_ANY, "the call, and launches that the device waits for")     \
    F(S, NUM, input_s, , "s", 0, 0, BP_ANY, "bringing the images in")                              \
    F(S, ENUM, bound, bp_inference_bound, "", 0, 0, 0, "the largest part")                         \
    F(S, NUM, util_frac, , "frac", 0, 0, BP_ANY, "share of the dense peak that is reached")        \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights, in dtype")                             \
    F(S, NUM, memory_bytes, , "B", 0, 0, BP_ANY, "weights and two mean layers of activations")     \
    F(S, FLAG, fits, , "", 0, 0, 1, "within the device's memory")
BP_DECLARE_STRUCT(bp_convnet_forward_out, BP_CONVNET_FORWARD_OUT_FIELDS);

int bp_convnet_forward(const struct bp_convnet_forward_in *in, struct bp_convnet_forward_out *out,
                       struct bp_error *err);

#endif
