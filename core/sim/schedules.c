#include "schedules.h"

#include "kernel/train/pipeline.h"

#include <math.h>

/* A list in the making: operations of a kind and chunk are taken micro-batch by micro-batch. */
struct maker {
    struct bp_pipe_op *list;
    int32_t count, parked; /* next B in the list whose W has not been added */
    uint32_t next_forward[2], next_backward[2], stop[2];
};

static void add(struct maker *k, int kind, int chunk, uint32_t micro) {
    struct bp_pipe_op op = {micro, (uint16_t)chunk, (uint8_t)kind, 0};
    k->list[k->count++] = op;
}

/* The next forward of the chunk, if there is one left. */
static void forward(struct maker *k, int chunk) {
    if (k->next_forward[chunk] < k->stop[chunk]) {
        add(k, BP_PIPE_F, chunk, k->next_forward[chunk]++);
    }
}

static void backward(struct maker *k, int chunk, int kind) {
    if (k->next_backward[chunk] < k->stop[chunk]) {
        add(k, kind, chunk, k->next_backward[chunk]++);
    }
}

/* W of the oldest B that has none. */
static void weight(struct maker *k) {
    while (k->parked < k->count && k->list[k->parked].kind != BP_PIPE_B) {
        k->parked++;
    }
    if (k->parked < k->count) {
        const struct bp_pipe_op *b = &k->list[k->parked++];
        add(k, BP_PIPE_W, b->chunk, b->micro);
    }
}

/*
** 1F1B: p-d-1 forwards, then forward and backward in turn (PipeDream-Flush, arXiv:2006.09503; Megatron,
** arXiv:2104.04473 section 2.2). GPipe and the zero-bubble schedules differ in the forwards they
** start with: m; as 1F1B (H1); twice that (H2, arXiv:2401.10241 section 2).
*/
static void in_turn(struct maker *k, int32_t m, int32_t warm, int kind) {
    int32_t i;
    for (i = 0; i < m + warm; i++) {
        forward(k, 0);
        if (i >= warm) {
            backward(k, 0, kind);
        }
    }
}

/*
** Interleaving takes the micro-batches in groups: all of a group through chunk 0, then through chunk
** 1, ... of the size asked for, with a smaller last one (Megatron-LM).
*/
struct groups {
    int32_t size, rest; /* rest micro-batches in all */
};

static struct groups groups_of(const struct bp_pipe_shape *s, int64_t asked) {
    int32_t m = s->micro_batches;
    struct groups g = {(int32_t)bp_interleaved_group(s->devices, m), m};
    if (asked > 0) {
        g.size = asked < m ? (int32_t)asked : m;
    }
    return g;
}

static int32_t next_group(struct groups *g) {
    int32_t size = g->size < g->rest ? g->size : g->rest;
    g->rest -= size;
    return size;
}

/* Where a pass over all chunks and micro-batches is. */
struct walk {
    struct groups groups;
    int32_t first, size, chunk, at;
};

static struct walk walk_from(struct groups groups) {
    struct walk w = {groups, 0, 0, 0, 0};
    w.size = next_group(&w.groups);
    return w;
}

static void step(struct walk *w, struct maker *k, int kind, int32_t chunks) {
    int32_t chunk = kind == BP_PIPE_F ? w->chunk : chunks - 1 - w->chunk;
    add(k, kind, chunk, (uint32_t)(w->first + w->at));
    if (++w->at == w->size) {
        w->at = 0;
        if (++w->chunk == chunks) {
            w->chunk = 0;
            w->first += w->size;
            w->size = next_group(&w->groups);
        }
    }
}

/* Interleaved 1F1B, arXiv:2104.04473 section 2.2 and Megatron-LM's schedule table. */
static void interleaved(struct maker *k, const struct bp_pipe_shape *s, int32_t device,
                        int64_t group) {
    struct walk f = walk_from(groups_of(s, group)), b = f;
    int32_t n = s->micro_batches * s->chunks, i;
    int32_t warm = 2 * (s->devices - device - 1) + (s->chunks - 1) * f.size;
    warm = warm < n ? warm : n;
    for (i = 0; i < n + warm; i++) {
        if (i < n) {
            step(&f, k, BP_PIPE_F, s->chunks);
        }
        if (i >= warm) {
            step(&b, k, BP_PIPE_BW, s->chunks);
        }
    }
}

/*
** ZBV, arXiv:2401.10241 section 6: forwards of chunk 0 until the first is back on chunk 1, then two
** forwards and two backwards in turn. W is placed when it runs. A short step runs the
** beginning and the end of a longer one.
*/
static void zbv(struct maker *k, int32_t p, int32_t m, int32_t d) {
    int32_t full = m > 2 * p - 1 ? m : 2 * p - 1, i;
    for (i = 0; i < 2 * (p - d) - 1; i++) {
        forward(k, 0);
    }
    for (i = 0; i < d; i++) {
        forward(k, 1);
        forward(k, 0);
    }
    for (i = 0; i < p - d; i++) {
        forward(k, 1);
        backward(k, 1, BP_PIPE_B);
    }
    for (i = 0; i < full - p; i++) {
        forward(k, 0);
        backward(k, 0, BP_PIPE_B);
        forward(k, 1);
        backward(k, 1, BP_PIPE_B);
    }
    for (i = 0; i < d; i++) {
        backward(k, 0, BP_PIPE_B);
        backward(k, 1, BP_PIPE_B);
    }
    for (i = 0; i < p - d; i++) {
        backward(k, 0, BP_PIPE_B);
    }
}

static void pair(struct maker *k, int forward_chunk) {
    k->list[k->count].with_next = 0;
    forward(k, forward_chunk);
    k->list[k->count - 1].with_next = 1;
    backward(k, 1 - forward_chunk, BP_PIPE_BW);
}

/*
** DualPipe, arXiv:2412.19437 section 3.2.1, in the eight phases of the authors' open-source release
** (2025). `half` is p/2, d the distance from the nearer end, n the micro-batches of one direction;
** chunk 0 means the direction that starts at the nearer end.
*/
static void both_ways(struct maker *k, int32_t half, int32_t d, int32_t n) {
    int32_t inner = half - d - 1, i;
    int split = 0;
    for (i = 0; i < 2 * inner; i++) {
        forward(k, 0);
    }
    for (i = 0; i <= d; i++) {
        forward(k, 0);
        forward(k, 1);
    }
    for (i = 0; i < inner; i++) {
        backward(k, 1, BP_PIPE_B);
        weight(k);
        forward(k, 1);
    }
    for (i = 0; i < n - 2 * half + d + 1; i++) {
        if (i == 0 && inner == 0) { /* the middle hands over at once instead of pairing */
            forward(k, 0);
            backward(k, 1, BP_PIPE_BW);
        } else {
            pair(k, 0);
        }
        pair(k, 1);
    }
    for (i = 0; i < inner; i++) {
        backward(k, 1, BP_PIPE_BW);
        pair(k, 1);
    }
    for (i = 0; i <= d; i++) {
        split = split || (i == (d + 1) / 2 && d % 2 == 1);
        backward(k, 1, split ? BP_PIPE_B : BP_PIPE_BW);
        split = split || (i == (d + 1) / 2 && d % 2 == 0);
        backward(k, 0, split ? BP_PIPE_B : BP_PIPE_BW);
    }
    for (i = 0; i < inner; i++) {
        weight(k);
        backward(k, 0, BP_PIPE_B);
    }
    for (i = 0; i <= d; i++) {
        weight(k);
    }
}

/* The half of the devices that the second direction enters first sees the chunks swapped. */
static void swap_ways(struct maker *k, int32_t n) {
    int32_t i;
    for (i = 0; i < k->count; i++) {
        struct bp_pipe_op *op = &k->list[i];
        op->micro = op->chunk == 0 ? op->micro + (uint32_t)n : op->micro - (uint32_t)n;
        op->chunk = (uint16_t)(1 - op->chunk);
    }
}

static void dualpipe(struct maker *k, const struct bp_pipe_shape *s, int32_t device) {
    int32_t p = s->devices, n = s->micro_batches / 2;
    int far = device >= p / 2;
    k->stop[0] = (uint32_t)n;
    k->stop[1] = (uint32_t)s->micro_batches;
    k->next_forward[1] = k->next_backward[1] = (uint32_t)n;
    both_ways(k, p / 2, far ? p - 1 - device : device, n);
    if (far) {
        swap_ways(k, n);
    }
}

static void make_list(enum bp_schedule schedule, const struct bp_pipe_shape *s, int64_t group,
                      int32_t device, struct maker *k) {
    int32_t p = s->devices, m = s->micro_batches, after = p - device - 1;
    switch (schedule) {
    case BP_SCHEDULE_1F1B:
        if (s->chunks > 1) {
            interleaved(k, s, device, group);
        } else {
            in_turn(k, m, after, BP_PIPE_BW);
        }
        break;
    case BP_SCHEDULE_GPIPE:
        in_turn(k, m, m - 1, BP_PIPE_BW);
        break;
    case BP_SCHEDULE_ZB_H1:
        in_turn(k, m, after, BP_PIPE_B);
        break;
    case BP_SCHEDULE_ZB_H2:
        in_turn(k, m, 2 * after, BP_PIPE_B);
        break;
    case BP_SCHEDULE_ZBV:
        zbv(k, p, m, device);
        break;
    case BP_SCHEDULE_DUALPIPE:
        dualpipe(k, s, device);
        break;
    case BP_SCHEDULE_DUALPIPE_V: /* one direction, both its halves on one device */
        both_ways(k, p, device, m);
        break;
    }
}

int bp_schedule_shape(enum bp_schedule schedule, int64_t devices, int64_t micro_batches,
                      int64_t vpp, struct bp_pipe_shape *shape, struct bp_error *err) {
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
    if (devices > 1 && (schedule == BP_SCHEDULE_ZBV || schedule == BP_SCHEDULE_DUALPIPE_V)) {
        shape->layout = BP_PIPE_LAYOUT_V;
        shape->chunks = 2;
    } else if (devices > 1 && schedule == BP_SCHEDULE_DUALPIPE) {
        shape->layout = BP_PIPE_LAYOUT_BOTH_WAYS;
        shape->chunks = 2;
    }
    return BP_OK;
}

static void make_lists(enum bp_schedule schedule, const struct bp_pipe_shape *s, int64_t group,
                       struct bp_pipe_work *w) {
    int32_t device;
    for (device = 0; device < s->devices; device++) {
        struct maker k = {0};
        k.list = w->given + (size_t)device * w->room;
        k.stop[0] = k.stop[1] = (uint32_t)s->micro_batches;
        make_list(s->devices == 1 ? BP_SCHEDULE_1F1B : schedule, s, group, device, &k);
        w->given_count[device] = k.count;
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
    int fills = schedule == BP_SCHEDULE_ZB_H1 || schedule == BP_SCHEDULE_ZB_H2 ||
                schedule == BP_SCHEDULE_ZBV;
    make_lists(schedule, &pipe->shape, group, work);
    if (!fills || pipe->shape.devices == 1) {
        return bp_pipe_run(pipe, work, NULL, times, err);
    }
    set_limits(schedule, pipe, work);
    return bp_pipe_run(pipe, work, &fill, times, err);
}
