/* The published pipeline schedules as lists of operations, ready to be simulated. */
#ifndef BP_SIM_SCHEDULES_H
#define BP_SIM_SCHEDULES_H

#include "kernel/describe/plan.h"
#include "pipeline.h"

/*
** How a schedule lays p devices, m micro-batches and vpp out; vpp only counts for 1f1b. BP_EDOMAIN
** for combinations that a schedule does not have.
*/
int bp_schedule_shape(enum bp_schedule schedule, int64_t devices, int64_t micro_batches,
                      int64_t vpp, struct bp_pipe_shape *shape, struct bp_error *err);

/*
** Runs a schedule: makes its lists in work->given and simulates them. `group` is how many micro-batches
** interleaving does of one chunk before it changes to the next; 0 = as bp_interleaved_group.
** Zero-bubble schedules place W where this pipe's times leave gaps; of three ways to choose the gaps, the
** one with the shortest span stays.
*/
int bp_schedule_run(enum bp_schedule schedule, const struct bp_pipe *pipe, int64_t group,
                    struct bp_pipe_work *work, struct bp_pipe_times *times, struct bp_error *err);

#endif
