/* Runs the schedules of core/kernel/schedule in the event simulation. */
#ifndef BP_SIM_SCHEDULES_H
#define BP_SIM_SCHEDULES_H

#include "pipeline.h"

/*
** How a schedule lays p devices, m micro-batches and vpp out. BP_EDOMAIN for combinations that a schedule
** does not have.
*/
int bp_schedule_shape(enum bp_schedule schedule, int64_t devices, int64_t micro_batches,
                      int64_t vpp, struct bp_pipe_shape *shape, struct bp_error *err);

/*
** Runs a schedule: makes its lists in work->given, by groups of `group` as in bp_schedule_order, and simulates
** them. Schedules that leave W out have them placed where this pipe's times leave gaps; of three ways to
** choose the gaps, the one with the shortest span stays.
*/
int bp_schedule_run(enum bp_schedule schedule, const struct bp_pipe *pipe, int64_t group,
                    struct bp_pipe_work *work, struct bp_pipe_times *times, struct bp_error *err);

#endif
