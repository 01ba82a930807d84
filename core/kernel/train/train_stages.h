/* What each stage of a pipeline computes and keeps: the parts behind bp_train_step, stage by stage. */
#ifndef BP_KERNEL_TRAIN_STAGES_H
#define BP_KERNEL_TRAIN_STAGES_H

#include "kernel/train/train_step.h"

#define BP_TRAIN_STAGE_FIELDS(F, S)                                                                \
    F(S, INT, layers, , "", 0, 0, BP_ANY,                                                          \
      "layers of the stage, its multi-token-prediction ones too")                                  \
    F(S, NUM, forward_s, , "s", 0, 0, BP_ANY, "forward of one micro-batch, host included")         \
    F(S, NUM, backward_s, , "s", 0, 0, BP_ANY, "its whole backward")                               \
    F(S, NUM, weight_s, , "s", 0, 0, BP_ANY, "of that, the weight gradients")                      \
    F(S, NUM, send_s, , "s", 0, 0, BP_ANY, "activations of one micro-batch to the next stage")     \
    F(S, NUM, send_shown_s, , "s", 0, 0, BP_ANY,                                                   \
      "what shows of a device's sends of one micro-batch in one direction")                        \
    F(S, NUM, micro_bytes, , "B", 0, 0, BP_ANY, "activations that one micro-batch keeps")          \
    F(S, STRUCT, memory, bp_train_memory, "", 0, 0, 0, "memory of the stage, per device")
BP_DECLARE_STRUCT(bp_train_stage, BP_TRAIN_STAGE_FIELDS);

/* Stages 0 to pp - 1 of a resolved case, in order; `out` has room for all of them. */
int bp_train_stages(const struct bp_train_case *c, struct bp_train_stage *out,
                    struct bp_error *err);

#endif
