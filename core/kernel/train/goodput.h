/* How much of a long run is progress, when devices fail and state is saved. */
#ifndef BP_KERNEL_GOODPUT_H
#define BP_KERNEL_GOODPUT_H

#include "kernel/field.h"
#include "kernel/status.h"

/*
** 50,000 device-hours between interruptions: 419 unexpected ones in 54 days on 16,384 H100 are one
** per 50,700. Llama 3, arXiv:2407.21783, section 3.3.4.
*/
#define BP_GOODPUT_IN_FIELDS(F, S)                                                                 \
    F(S, INT, devices, , "", BP_REQUIRED, 1, 1e8, "devices that all have to work")                 \
    F(S, NUM, device_mtbf_s, , "s", 1.8e8, 1, 1e15, "device time between two interruptions")       \
    F(S, NUM, checkpoint_s, , "s", BP_REQUIRED, 0, 1e6,                                            \
      "time training stands still for a checkpoint")                                               \
    F(S, NUM, restart_s, , "s", BP_REQUIRED, 0, 1e7,                                               \
      "from an interruption to training again, lost work apart")                                   \
    F(S, NUM, interval_s, , "s", 0, 0, 1e9, "time between checkpoints; 0 = the optimum young_s")   \
    F(S, NUM, evaluation_frac, , "frac", 0, 0, 1, "share of the time spent on evaluation")         \
    F(S, NUM, stall_frac, , "frac", 0, 0, 1, "share of the time spent waiting for data")
BP_DECLARE_STRUCT(bp_goodput_in, BP_GOODPUT_IN_FIELDS);

#define BP_GOODPUT_OUT_FIELDS(F, S)                                                                \
    F(S, NUM, goodput_frac, , "frac", 0, 0, 1, "share of the time that is progress")               \
    F(S, NUM, mtbf_s, , "s", 0, 0, BP_ANY, "time between two interruptions of the whole run")      \
    F(S, NUM, interruptions_per_day, , "1/day", 0, 0, BP_ANY, "interruptions of the whole run")    \
    F(S, NUM, interval_s, , "s", 0, 0, BP_ANY, "time between checkpoints that was used")           \
    F(S, NUM, young_s, , "s", 0, 0, BP_ANY, "best interval, first order (Young)")                  \
    F(S, NUM, daly_s, , "s", 0, 0, BP_ANY, "best interval, higher order (Daly)")                   \
    F(S, NUM, checkpoint_frac, , "frac", 0, 0, 1, "share lost to saving")                          \
    F(S, NUM, rework_frac, , "frac", 0, 0, 1, "share lost to work done again")                     \
    F(S, NUM, restart_frac, , "frac", 0, 0, 1, "share lost to restarting")
BP_DECLARE_STRUCT(bp_goodput_out, BP_GOODPUT_OUT_FIELDS);

int bp_goodput(const struct bp_goodput_in *in, struct bp_goodput_out *out, struct bp_error *err);

#endif
