#include "schedules.h"

#include <math.h>

int bp_schedule_shape(enum bp_schedule schedule, int64_t devices, int64_t micro_batches,
                      int64_t vpp, struct bp_pipe_shape *shape, struct bp_error *err) {
    const struct bp_schedule_facts *facts = bp_schedule_facts(schedule);
    double units = (double)devices * (double)micro_batches * (double)vpp;
    int code = bp_schedule_check(schedule, devices, micro_batches, vpp, err);
    if (code != BP_OK) {
        return code;
    }
    if (2 * units > BP_PIPE_UNITS_MAX) {
        return bp_fail(err, BP_EDOMAIN, "micro_batches",
                       "%.0f operations are too many to simulate (at most %d): kernel.bubble has "
                       "the closed form",
                       2 * units, BP_PIPE_UNITS_MAX);
    }
    shape->layout = BP_PIPE_LAYOUT_LOOP;
    shape->devices = (int32_t)devices;
    shape->chunks = (int32_t)vpp;
    shape->micro_batches = (int32_t)micro_batches;
    if (devices > 1 && facts->chunks > 0) {
        shape->layout = facts->layout;
        shape->chunks = facts->chunks;
    }
    return BP_OK;
}

static void make_lists(enum bp_schedule schedule, const struct bp_pipe_shape *s, int64_t group,
                       struct bp_pipe_work *w) {
    int32_t device;
    for (device = 0; device < s->devices; device++) {
        w->given_count[device] =
            bp_schedule_order(schedule, s, group, device, w->given + (size_t)device * w->room);
    }
}

/* What a device may keep before it has to run a W: the closed form of the schedule. */
static void set_limits(enum bp_schedule schedule, const struct bp_pipe *pipe,
                       struct bp_pipe_work *w) {
    const struct bp_pipe_shape *s = &pipe->shape;
    double per_device = 0;
    int32_t i;
    for (i = 0; i < bp_pipe_stages(s); i++) {
        per_device = fmax(per_device, pipe->kept[i] * s->chunks);
    }
    for (i = 0; i < s->devices; i++) {
        w->limit[i] = per_device * bp_in_flight(schedule, s->devices, INFINITY, 1, i);
    }
}

int bp_schedule_run(enum bp_schedule schedule, const struct bp_pipe *pipe, int64_t group,
                    struct bp_pipe_work *work, struct bp_pipe_times *times, struct bp_error *err) {
    /* As long as the W, half as long, or there at all: what wastes least depends on the times. */
    static const double least[] = {1, 0.5, 0};
    static const struct bp_pipe_fill fill = {least, sizeof least / sizeof *least};
    make_lists(schedule, &pipe->shape, group, work);
    if (!bp_schedule_facts(schedule)->fills || pipe->shape.devices == 1) {
        return bp_pipe_run(pipe, work, NULL, times, err);
    }
    set_limits(schedule, pipe, work);
    return bp_pipe_run(pipe, work, &fill, times, err);
}
