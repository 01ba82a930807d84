/* The kernel `bubble`: what a pipeline of even stages wastes and keeps under a schedule. */
#ifndef BP_KERNEL_PIPELINE_H
#define BP_KERNEL_PIPELINE_H

#include "kernel/field.h"
#include "kernel/schedule/schedule.h"
#include "kernel/status.h"

#define BP_BUBBLE_IN_FIELDS(F, S)                                                                  \
    F(S, INT, stages, , "", BP_REQUIRED, 1, 65536, "pipeline stages p, one device (group) each")   \
    F(S, INT, micro_batches, , "", BP_REQUIRED, 1, 1e9, "micro-batches m of a step")               \
    F(S, INT, vpp, , "", 1, 1, 65536, "virtual stages v per device (interleaving)")                \
    F(S, ENUM, schedule, bp_schedule, "", BP_SCHEDULE_1F1B, 0, 0, "order of the micro-batches")    \
    F(S, NUM, forward_s, , "s", 1, 0, 1e9, "forward of one micro-batch on one device")             \
    F(S, NUM, backward_s, , "s", 0, 0, 1e9, "its whole backward; 0 = 2 * forward_s")               \
    F(S, NUM, weight_s, , "s", 0, 0, 1e9,                                                          \
      "the weight-gradient part of backward; 0 = backward_s / 2")                                  \
    F(S, INT, stage, , "", 0, 0, 65535, "stage whose micro-batches in flight are asked, 0-based")
BP_DECLARE_STRUCT(bp_bubble_in, BP_BUBBLE_IN_FIELDS);

#define BP_BUBBLE_OUT_FIELDS(F, S)                                                                 \
    F(S, NUM, bubble_s, , "s", 0, 0, BP_ANY, "time a device idles in one step")                    \
    F(S, NUM, bubble_frac, , "frac", 0, 0, 1,                                                      \
      "bubble over the whole time, (p-1)/(m+p-1) for 1F1B")                                        \
    F(S, NUM, ideal_ratio, , "frac", 0, 0, BP_ANY,                                                 \
      "bubble over the time without bubble, (p-1)/m for 1F1B")                                     \
    F(S, NUM, path_s, , "s", 0, 0, BP_ANY, "work and bubble of one step")                          \
    F(S, NUM, in_flight, , "", 0, 0, BP_ANY, "micro-batches the stage keeps activations of")       \
    F(S, NUM, weight_copies, , "", 1, 1, 2, "copies of its weights a device holds")                \
    F(S, INT, group, , "", 1, 1, BP_ANY,                                                           \
      "micro-batches in a row of one virtual stage; all where there is one")
BP_DECLARE_STRUCT(bp_bubble_out, BP_BUBBLE_OUT_FIELDS);

int bp_bubble(const struct bp_bubble_in *in, struct bp_bubble_out *out, struct bp_error *err);

#endif
