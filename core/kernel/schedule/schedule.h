/*
** Pipeline schedules. Everything that is known of one stands in its record, in a file of this folder:
** what it wastes and keeps in closed form, the order of its operations (core/sim simulates it), what it
** needs, and what other programs call it. A new schedule is a line in BP_SCHEDULE and a file.
*/
#ifndef BP_KERNEL_SCHEDULE_H
#define BP_KERNEL_SCHEDULE_H

#include <stdint.h>

#include "kernel/field.h"
#include "kernel/status.h"

/* The member, its name, and its record. */
#define BP_SCHEDULE(E)                                                                             \
    E(BP_SCHEDULE_1F1B, "1f1b", bp_one_f_one_b)                                                    \
    E(BP_SCHEDULE_GPIPE, "gpipe", bp_gpipe)                                                        \
    E(BP_SCHEDULE_ZB_H1, "zb_h1", bp_zb_h1)                                                        \
    E(BP_SCHEDULE_ZB_H2, "zb_h2", bp_zb_h2)                                                        \
    E(BP_SCHEDULE_ZBV, "zbv", bp_zbv)                                                              \
    E(BP_SCHEDULE_DUALPIPE, "dualpipe", bp_dualpipe)                                               \
    E(BP_SCHEDULE_DUALPIPE_V, "dualpipe_v", bp_dualpipe_v)                                         \
    E(BP_SCHEDULE_BREADTH_FIRST, "breadth_first", bp_breadth_first)
BP_DECLARE_ENUM(bp_schedule, BP_SCHEDULE);

/*
** How the stages lie on the devices. LOOP: stage c p + d is chunk c of device d. V: the same, back
** and forth, so that the last stage may lie beside the first. BOTH_WAYS: the first half of the
** micro-batches enters at device 0 through the chunks 0, the other half at device p-1 through the
** chunks 1, which hold the same p stages the other way round.
*/
#define BP_PIPE_LAYOUT(E)                                                                          \
    E(BP_PIPE_LAYOUT_LOOP, "loop")                                                                 \
    E(BP_PIPE_LAYOUT_V, "v")                                                                       \
    E(BP_PIPE_LAYOUT_BOTH_WAYS, "both_ways")
BP_DECLARE_ENUM(bp_pipe_layout, BP_PIPE_LAYOUT);

struct bp_pipe_shape {
    enum bp_pipe_layout layout;
    int32_t devices, chunks, micro_batches;
};

/*
** A pipeline of even stages: p devices, m micro-batches, v virtual stages per device; f forward, b whole
** backward, w its weight-gradient part, each the seconds that one device spends on one micro-batch (all
** its virtual stages together).
*/
struct bp_even_pipe {
    double p, m, v, f, b, w;
};

struct bp_order;

struct bp_schedule_facts {
    const char *about, *source;
    const char *formula; /* of bubble and kept, in the letters of bp_even_pipe and i, the device */

    const char
        *software; /* part of a program's name that says it runs this one; NULL: only its name */
    const char *torch;             /* in torch.distributed.pipelining; NULL: not there */
    const char *torch_interleaved; /* the same with v > 1 */

    enum bp_pipe_layout layout;
    int chunks;        /* parts of the model on a device; 0: the plan's vpp */
    int least_vpp;     /* in a pipeline; 0 and 1: any */
    int weight_copies; /* of its stages that a device holds */
    int pairs;         /* runs a forward and a backward of two micro-batches together */
    int fills;         /* its order leaves W out: they go where a device would idle */
    int whole_passes;  /* no stage waits for less than (p-1)/v whole forwards and backwards */
    int even_stages;   /* runs even numbers of stages, of micro-batches, only */
    int even_micro_batches;
    int least_micro_batches; /* over the number of stages; 0: any number will do */

    /* Seconds that a device idles in a step, p > 1. */
    double (*bubble)(const struct bp_even_pipe *pipe);
    /* Most micro-batches that device i keeps activations of; may be more than m. */
    double (*kept)(double p, double m, double v, double i);
    /* Micro-batches of a chunk in a row where v > 1; NULL: all of them. */
    double (*group)(double p, double m);
    /* As bp_uneven_step; NULL: there is no such form. */
    double (*uneven)(int64_t stages, double m, const double *f, const double *b);
    /* Lists the operations of a device, p > 1; group as in bp_schedule_order. */
    void (*order)(struct bp_order *order, const struct bp_pipe_shape *shape, int64_t group,
                  int32_t device);
};

/* The record of a schedule. */
const struct bp_schedule_facts *bp_schedule_facts(enum bp_schedule schedule);

/*
** Share of a layer's activations that the weight gradient still needs once the input gradient is
** done: 32 of 34 sbh without stored scores. Qi et al., arXiv:2401.10241, table 1.
*/
#define BP_WEIGHT_SHARE (32.0 / 34.0)

/* Seconds that a device idles in a step; 0 without a pipeline. The letters are those of bp_even_pipe. */
double bp_bubble_time(enum bp_schedule schedule, double p, double m, double v, double f, double b,
                      double w);

/*
** Seconds of a step over stages of unequal times, without sends: GPipe exactly; 1F1B of at least `stages`
** micro-batches from below, by at most a few percent (tests/c/test_sim_pipeline.c), and exactly where the
** last stage is the slowest. forward and backward list each stage's seconds. 0 where there is no such form.
*/
double bp_uneven_step(enum bp_schedule schedule, int64_t stages, int64_t micro_batches,
                      const double *forward, const double *backward);

/* Micro-batches that a schedule takes through one chunk before it changes to the next; m where v is 1. */
double bp_schedule_group(enum bp_schedule schedule, double p, double m, double v);

/*
** Micro-batches that interleaved 1F1B takes through one chunk before it changes to the next: the fewest, at least
** p, that leave a last group of p or more, as Megatron Core's schedules.py demands of
** microbatch_group_size_per_vp_stage (2024 on; before, m had to be a multiple of p). All of them below 2p.
*/
double bp_interleaved_group(double p, double m);

/* Micro-batches whose activations the device at stage (0-based) keeps at its peak. */
double bp_in_flight(enum bp_schedule schedule, double p, double m, double v, double stage);

/* What a schedule may ask of p stages, m micro-batches and v virtual stages. */
enum bp_schedule_need {
    BP_SCHEDULE_NEEDS_NOTHING,
    BP_SCHEDULE_NEEDS_NO_VPP,
    BP_SCHEDULE_NEEDS_VPP,
    BP_SCHEDULE_NEEDS_EVEN_STAGES,
    BP_SCHEDULE_NEEDS_MICRO_BATCHES
};

/* The first of its needs that is not met. */
enum bp_schedule_need bp_schedule_lacks(enum bp_schedule schedule, int64_t p, int64_t m, int64_t v);

/* The same as an error (BP_EDOMAIN) of the fields stages, micro_batches and vpp. */
int bp_schedule_check(enum bp_schedule schedule, int64_t p, int64_t m, int64_t v,
                      struct bp_error *err);

#endif
