/*
** Pipeline schedules in closed form: the time a schedule wastes, and how many micro-batches it keeps
** activations of. core/sim simulates the same schedules.
*/
#ifndef BP_KERNEL_PIPELINE_H
#define BP_KERNEL_PIPELINE_H

#include "kernel/describe/plan.h"
#include "kernel/field.h"
#include "kernel/status.h"

/*
** Share of a layer's activations that the weight gradient still needs once the input gradient is
** done: 32 of 34 sbh without stored scores. Qi et al., arXiv:2401.10241, table 1.
*/
#define BP_WEIGHT_SHARE (32.0 / 34.0)

/*
** For step models: the same as the kernel below, without its checks. p stages, m micro-batches, v
** virtual stages per device; f forward, b whole backward, w its weight-gradient part, each the
** seconds that one device spends on one micro-batch (all its virtual stages together).
*/
double bp_bubble_time(enum bp_schedule schedule, double p, double m, double v, double f, double b,
                      double w);

/*
** Seconds of a step over stages of unequal times, without sends: GPipe exactly; 1F1B of at least `stages`
** micro-batches from below, by at most a few percent (tests/c/test_sim_pipeline.c), and exactly where the
** last stage is the slowest. forward and backward list each stage's seconds. 0 where there is no such form.
*/
double bp_uneven_step(enum bp_schedule schedule, int64_t stages, int64_t micro_batches,
                      const double *forward, const double *backward);

/*
** Micro-batches that interleaving takes through one chunk before it changes to the next: the fewest, at least
** p, that leave a last group of p or more, as Megatron Core's schedules.py demands of
** microbatch_group_size_per_vp_stage (2024 on; before, m had to be a multiple of p). All of them below 2p.
*/
double bp_interleaved_group(double p, double m);

/* Micro-batches whose activations the device at stage (0-based) keeps at its peak. */
double bp_in_flight(enum bp_schedule schedule, double p, double m, double v, double stage);

/* Whether a schedule runs p stages, m micro-batches and v virtual stages at all. */
int bp_schedule_check(enum bp_schedule schedule, int64_t p, int64_t m, int64_t v,
                      struct bp_error *err);

/* Copies of the weights of a stage that a device holds: DualPipe runs both directions. */
double bp_weight_copies(enum bp_schedule schedule);

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
