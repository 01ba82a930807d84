/* Rules of thumb for training, as people do them on paper: FLOP and time, and MFU back from speed. */
#ifndef BP_KERNEL_TRAINING_RULE_H
#define BP_KERNEL_TRAINING_RULE_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_TRAINING_RULE_IN_FIELDS(F, S)                                                           \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e16, "parameters N (of a MoE: the active ones)")      \
    F(S, NUM, tokens, , "tok", BP_REQUIRED, 1, 1e18, "tokens D of the run")                        \
    F(S, NUM, peak_flop_s, , "FLOP/s", BP_REQUIRED, 1e6, 1e21, "dense peak of one device")         \
    F(S, NUM, mfu_frac, , "frac", BP_REQUIRED, 1e-6, 1, "share of the peak that is reached")       \
    F(S, INT, devices, , "", 1, 1, 1e8, "devices")                                                 \
    F(S, NUM, flop_per_param_tok, , "FLOP", 6, 1, 100,                                             \
      "2 forward and 4 backward; 8 with full recomputation")                                       \
    F(S, NUM, overhead_factor, , "", 1, 0.01, 1000,                                                \
      "time on top that no part of the model explains")                                            \
    F(S, NUM, batch_tokens, , "tok", 0, 0, 1e15, "tokens of one step; 0 = step not asked")
BP_DECLARE_STRUCT(bp_training_rule_in, BP_TRAINING_RULE_IN_FIELDS);

#define BP_TRAINING_RULE_OUT_FIELDS(F, S)                                                          \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "FLOP of the run, 6 N D")                              \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the run")                                      \
    F(S, NUM, device_s, , "device s", 0, 0, BP_ANY, "device time of the run")                      \
    F(S, NUM, tokens_per_s, , "tok/s", 0, 0, BP_ANY, "tokens per second, all devices")             \
    F(S, NUM, step_s, , "s", 0, 0, BP_ANY, "time of a step of batch_tokens")                       \
    F(S, NUM, tokens_per_param, , "", 0, 0, BP_ANY,                                                \
      "tokens per parameter (compute-optimal: about 20)")
BP_DECLARE_STRUCT(bp_training_rule_out, BP_TRAINING_RULE_OUT_FIELDS);

int bp_training_rule(const struct bp_training_rule_in *in, struct bp_training_rule_out *out,
                     struct bp_error *err);

#define BP_MFU_IN_FIELDS(F, S)                                                                     \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e16, "parameters N (of a MoE: the active ones)")      \
    F(S, NUM, tokens_per_s, , "tok/s", BP_REQUIRED, 0, 1e15, "measured, all devices")              \
    F(S, INT, devices, , "", BP_REQUIRED, 1, 1e8, "devices")                                       \
    F(S, NUM, peak_flop_s, , "FLOP/s", BP_REQUIRED, 1e6, 1e21, "dense peak of one device")         \
    F(S, NUM, flop_per_param_tok, , "FLOP", 6, 1, 100, "2 forward and 4 backward")                 \
    F(S, NUM, target_frac, , "frac", 1, 1e-6, 1, "MFU to compare with")
BP_DECLARE_STRUCT(bp_mfu_in, BP_MFU_IN_FIELDS);

#define BP_MFU_OUT_FIELDS(F, S)                                                                    \
    F(S, NUM, mfu_frac, , "frac", 0, 0, BP_ANY, "model FLOP per second over the dense peak")       \
    F(S, NUM, flop_s_device, , "FLOP/s", 0, 0, BP_ANY, "model FLOP per second of one device")      \
    F(S, NUM, of_target_frac, , "frac", 0, 0, BP_ANY, "mfu_frac over target_frac")                 \
    F(S, NUM, tokens_per_s_target, , "tok/s", 0, 0, BP_ANY, "tokens per second at the target")
BP_DECLARE_STRUCT(bp_mfu_out, BP_MFU_OUT_FIELDS);

int bp_mfu(const struct bp_mfu_in *in, struct bp_mfu_out *out, struct bp_error *err);

#endif
