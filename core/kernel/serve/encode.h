/* Encoders: a batch of texts or images once through a stack of transformer layers. */
#ifndef BP_KERNEL_ENCODE_H
#define BP_KERNEL_ENCODE_H

#include "kernel/describe/device.h"
#include "kernel/describe/model.h"
#include "kernel/field.h"
#include "kernel/status.h"
#include "kernel/time/runtime.h"

#define BP_PADDING(E)                                                                              \
    E(BP_PADDING_FIXED, "fixed")                                                                   \
    E(BP_PADDING_REMOVED, "removed")
BP_DECLARE_ENUM(bp_padding, BP_PADDING);

#define BP_ENCODE_IN_FIELDS(F, S)                                                                  \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what encodes")                                     \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "where it runs, one of them")                     \
    F(S, STRUCT, runtime, bp_runtime, "", 0, 0, 0, "by which software")                            \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_FP16, 0, 0, "format of weights and matmuls")          \
    F(S, INT, batch, , "", 1, 1, 1e9, "texts or images of one call")                               \
    F(S, INT, tokens, , "tok", 0, 0, 1e9,                                                          \
      "length of a text after padding; 0 = what an image of the model has")                        \
    F(S, NUM, mean_tokens, , "tok", 0, 0, 1e9, "mean length without padding; 0 = tokens")          \
    F(S, ENUM, padding, bp_padding, "", BP_PADDING_FIXED, 0, 0,                                    \
      "padding is computed like text (fixed) or taken out before the matmuls (removed)")           \
    F(S, INT, image, , "", 0, 0, 1e6,                                                              \
      "vision: pixels of one side; 0 = what the model was made for")                               \
    F(S, FLAG, head, , "", 0, 0, 1, "a vocabulary head on every token (masked-token models)")      \
    F(S, NUM, item_bytes, , "B", 0, 0, 1e12,                                                       \
      "one input as it is sent; 0 = three int64 a token, or fp32 pixels")
BP_DECLARE_STRUCT(bp_encode_in, BP_ENCODE_IN_FIELDS);

#define BP_ENCODE_OUT_FIELDS(F, S)                                                                 \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the call")                                     \
    F(S, NUM, per_s, , "1/s", 0, 0, BP_ANY, "texts or images per second, calls back to back")      \
    F(S, NUM, tokens, , "tok", 0, 0, BP_ANY, "length of a sequence")                               \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "arithmetic of the call: multiply and add are two")    \
    F(S, NUM, item_flop, , "FLOP", 0, 0, BP_ANY, "the same of one text or image")                  \
    F(S, NUM, padding_frac, , "frac", 0, 0, 1, "share of the computed tokens that is padding")     \
    F(S, NUM, matmul_s, , "s", 0, 0, BP_ANY, "matmuls")                                            \
    F(S, NUM, attention_s, , "s", 0, 0, BP_ANY, "attention")                                       \
    F(S, NUM, elementwise_s, , "s", 0, 0, BP_ANY, "norms, additions, activations")                 \
    F(S, NUM, host_s, , "s", 0, 0, BP_ANY, "the call, and launches that the device waits for")     \
    F(S, NUM, input_s, , "s", 0, 0, BP_ANY, "bringing the inputs in")                              \
    F(S, ENUM, bound, bp_inference_bound, "", 0, 0, 0, "the largest part")                         \
    F(S, NUM, util_frac, , "frac", 0, 0, BP_ANY, "share of the dense peak that is reached")        \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights, in dtype")                             \
    F(S, NUM, memory_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "weights and the activations of the widest layer")                                           \
    F(S, FLAG, fits, , "", 0, 0, 1, "within the device's memory")
BP_DECLARE_STRUCT(bp_encode_out, BP_ENCODE_OUT_FIELDS);

int bp_encode(const struct bp_encode_in *in, struct bp_encode_out *out, struct bp_error *err);

#endif
