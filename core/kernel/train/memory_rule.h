/* Rules of thumb for memory: weights, training states by convention, activations of a layer. */
#ifndef BP_KERNEL_MEMORY_RULE_H
#define BP_KERNEL_MEMORY_RULE_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_WEIGHTS_IN_FIELDS(F, S)                                                                 \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e16, "parameters")                                    \
    F(S, NUM, bytes_per_param, , "B", 2, 0.1, 16, "stored size of one")                            \
    F(S, NUM, overhead_factor, , "", 1, 1, 10,                                                     \
      "what runs beside them: buffers, context, activations")                                      \
    F(S, NUM, device_bytes, , "B", 0, 0, 1e15, "memory of one device; 0 = not asked")
BP_DECLARE_STRUCT(bp_weights_in, BP_WEIGHTS_IN_FIELDS);

#define BP_WEIGHTS_OUT_FIELDS(F, S)                                                                \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "the weights alone")                             \
    F(S, NUM, footprint_bytes, , "B", 0, 0, BP_ANY, "with the overhead")                           \
    F(S, NUM, devices, , "", 0, 0, BP_ANY,                                                         \
      "devices whose memory holds the footprint; 0 = not asked")
BP_DECLARE_STRUCT(bp_weights_out, BP_WEIGHTS_OUT_FIELDS);

int bp_weights(const struct bp_weights_in *in, struct bp_weights_out *out, struct bp_error *err);

/* Bytes per parameter under mixed precision and Adam: weights + gradients + (fp32 master, m, v). */
#define BP_STATES_CONVENTION(E)                                                                    \
    E(BP_STATES_CONVENTION_16, "2+2+12")                                                           \
    E(BP_STATES_CONVENTION_14, "2+0+12")                                                           \
    E(BP_STATES_CONVENTION_18, "2+4+12")
BP_DECLARE_ENUM(bp_states_convention, BP_STATES_CONVENTION);

#define BP_STATES_IN_FIELDS(F, S)                                                                  \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e16, "parameters")                                    \
    F(S, ENUM, convention, bp_states_convention, "", BP_STATES_CONVENTION_16, 0, 0,                \
      "bytes of weights + gradients + optimizer per parameter")                                    \
    F(S, INT, zero, , "", 0, 0, 3, "ZeRO stage: 1 shards optimizer, 2 gradients, 3 weights")       \
    F(S, INT, split, , "", 1, 1, 1e8, "devices the model itself is cut over (TP * PP)")            \
    F(S, INT, shard, , "", 1, 1, 1e8, "ranks the states are sharded over (DP)")                    \
    F(S, NUM, device_bytes, , "B", 0, 0, 1e15, "memory of one device; 0 = not asked")
BP_DECLARE_STRUCT(bp_states_in, BP_STATES_IN_FIELDS);

#define BP_STATES_OUT_FIELDS(F, S)                                                                 \
    F(S, NUM, bytes_per_param, , "B", 0, 0, BP_ANY, "all states of one parameter")                 \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights on one device")                         \
    F(S, NUM, gradients_bytes, , "B", 0, 0, BP_ANY, "gradients on one device")                     \
    F(S, NUM, optimizer_bytes, , "B", 0, 0, BP_ANY, "optimizer states on one device")              \
    F(S, NUM, total_bytes, , "B", 0, 0, BP_ANY, "all of it on one device")                         \
    F(S, NUM, model_bytes, , "B", 0, 0, BP_ANY, "states of the whole model, once")                 \
    F(S, NUM, devices, , "", 0, 0, BP_ANY, "fewest devices that hold model_bytes; 0 = not asked")
BP_DECLARE_STRUCT(bp_states_out, BP_STATES_OUT_FIELDS);

int bp_states(const struct bp_states_in *in, struct bp_states_out *out, struct bp_error *err);

#define BP_ACTIVATION_RULE_IN_FIELDS(F, S)                                                         \
    F(S, INT, batch, , "", BP_REQUIRED, 1, 1e9, "sequences in one micro-batch")                    \
    F(S, INT, seq_len, , "tok", BP_REQUIRED, 1, 1e9, "tokens in one sequence")                     \
    F(S, INT, hidden, , "", BP_REQUIRED, 1, 1e7, "width of the residual stream")                   \
    F(S, INT, heads, , "", BP_REQUIRED, 1, 1e6, "attention heads")                                 \
    F(S, INT, layers, , "", 1, 1, 100000, "layers on the device")                                  \
    F(S, INT, tp, , "", 1, 1, 65536, "tensor-parallel ranks, with sequence parallelism")           \
    F(S, INT, every, , "", 1, 1, 100000, "layers between two checkpointed activations")            \
    F(S, FLAG, flash, , "", 0, 0, 1, "the score matrix is never stored")
BP_DECLARE_STRUCT(bp_activation_rule_in, BP_ACTIVATION_RULE_IN_FIELDS);

#define BP_ACTIVATION_RULE_OUT_FIELDS(F, S)                                                        \
    F(S, NUM, layer_bytes, , "B", 0, 0, BP_ANY, "one layer on one device, all kept")               \
    F(S, NUM, layer_whole_bytes, , "B", 0, 0, BP_ANY, "one layer on all tensor-parallel ranks")    \
    F(S, NUM, input_bytes, , "B", 0, 0, BP_ANY, "a layer's input, what checkpointing keeps")       \
    F(S, NUM, kept_bytes, , "B", 0, 0, BP_ANY, "all layers without checkpointing")                 \
    F(S, NUM, conservative_bytes, , "B", 0, 0, BP_ANY,                                             \
      "checkpointing, as if an input were as large as a layer")                                    \
    F(S, NUM, exact_bytes, , "B", 0, 0, BP_ANY,                                                    \
      "checkpointing: inputs kept, `every` layers alive")                                          \
    F(S, NUM, best_every_conservative, , "", 0, 0, BP_ANY,                                         \
      "best `every` under the conservative form, sqrt(layers)")                                    \
    F(S, NUM, best_every_exact, , "", 0, 0, BP_ANY, "best `every` under the exact form")
BP_DECLARE_STRUCT(bp_activation_rule_out, BP_ACTIVATION_RULE_OUT_FIELDS);

int bp_activation_rule(const struct bp_activation_rule_in *in, struct bp_activation_rule_out *out,
                       struct bp_error *err);

#endif
