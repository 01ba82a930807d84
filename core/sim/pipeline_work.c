#include "pipeline.h"

#include <math.h>

/* F, and then B and W, or F and BW. */
enum { OPS_PER_UNIT = 3 };

int32_t bp_pipe_stages(const struct bp_pipe_shape *s) {
    return s->layout == BP_PIPE_LAYOUT_BOTH_WAYS ? s->devices : s->devices * s->chunks;
}

static size_t units(const struct bp_pipe_shape *s) {
    return (size_t)bp_pipe_stages(s) * (size_t)s->micro_batches;
}

/* Hands out aligned parts of a block; with a NULL block it only counts. */
struct carver {
    char *block;
    size_t used;
};

static void *carve(struct carver *c, size_t count, size_t size) {
    size_t at = c->used;
    c->used += (count * size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return c->block ? c->block + at : NULL;
}

static void carve_all(const struct bp_pipe_shape *s, struct carver *c, struct bp_pipe_work *w) {
    size_t p = (size_t)s->devices, slots = p * (size_t)s->chunks;
    size_t cells = slots * (size_t)s->micro_batches;
    w->room = OPS_PER_UNIT * units(s) / p;
    w->given = carve(c, p * w->room, sizeof *w->given);
    w->steps = carve(c, p * w->room, sizeof *w->steps);
    w->devices = carve(c, p, sizeof *w->devices);
    w->given_count = carve(c, p, sizeof *w->given_count);
    w->step_count = carve(c, p, sizeof *w->step_count);
    w->rules = carve(c, slots * BP_PIPE_KINDS, sizeof *w->rules);
    w->turns = carve(c, p, sizeof *w->turns);
    w->order = carve(c, p * w->room, sizeof *w->order);
    w->done = carve(c, 2 * (cells + (size_t)s->micro_batches), sizeof *w->done);
    w->limit = carve(c, p, sizeof *w->limit);
    w->before = carve(c, slots, sizeof *w->before);
    w->after = carve(c, slots, sizeof *w->after);
    w->owner = carve(c, slots, sizeof *w->owner);
    w->stage = carve(c, slots, sizeof *w->stage);
    w->queue = carve(c, p, sizeof *w->queue);
    w->seen = carve(c, cells, sizeof *w->seen);
}

size_t bp_pipe_bytes(const struct bp_pipe_shape *shape) {
    struct carver c = {NULL, 0};
    struct bp_pipe_work w;
    double asked = (double)shape->devices * shape->chunks * (double)shape->micro_batches;
    if (asked > BP_PIPE_UNITS_MAX) {
        return 0;
    }
    carve_all(shape, &c, &w);
    return c.used;
}

/* Device of stage `at` on a way that began at device 0; BOTH_WAYS mirrors it for chunk 1. */
static int32_t device_of(const struct bp_pipe_shape *s, int32_t at) {
    int32_t d = at % s->devices;
    return s->layout == BP_PIPE_LAYOUT_V && at / s->devices % 2 ? s->devices - 1 - d : d;
}

static void link_way(const struct bp_pipe_shape *s, struct bp_pipe_work *w, int backwards) {
    int32_t stages = bp_pipe_stages(s), last = -1, at;
    for (at = 0; at < stages; at++) {
        int32_t device = backwards ? s->devices - 1 - at : device_of(s, at);
        int32_t chunk = backwards ? 1 : at / s->devices;
        int32_t slot = device * s->chunks + chunk;
        w->owner[slot] = device;
        w->stage[slot] = at;
        w->before[slot] = last;
        w->after[slot] = -1;
        if (last >= 0) {
            w->after[last] = slot;
        }
        last = slot;
    }
}

void bp_pipe_place(const struct bp_pipe_shape *shape, void *block, struct bp_pipe_work *work) {
    struct carver c = {block, 0};
    int32_t d;
    carve_all(shape, &c, work);
    link_way(shape, work, 0);
    if (shape->layout == BP_PIPE_LAYOUT_BOTH_WAYS) {
        link_way(shape, work, 1);
    }
    for (d = 0; d < shape->devices; d++) {
        work->given_count[d] = 0;
        work->limit[d] = INFINITY;
    }
}

double bp_pipe_in_flight(const struct bp_pipe *pipe, const struct bp_pipe_work *work,
                         int32_t device) {
    const struct bp_pipe_step *step = work->steps + (size_t)device * work->room;
    int both_ways = pipe->shape.layout == BP_PIPE_LAYOUT_BOTH_WAYS;
    double now = 0, most = 0;
    int32_t i;
    for (i = 0; i < work->step_count[device]; i++) {
        int kind = step[i].op.kind;
        now += kind == BP_PIPE_F   ? 1
               : kind == BP_PIPE_B ? pipe->weight_frac - 1
               : kind == BP_PIPE_W ? -pipe->weight_frac
                                   : -1;
        most = fmax(most, now);
    }
    return both_ways ? most : most / pipe->shape.chunks;
}
