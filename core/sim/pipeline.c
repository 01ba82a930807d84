#include "pipeline.h"

#include <math.h>
#include <string.h>

struct run {
    const struct bp_pipe *pipe;
    struct bp_pipe_work *w;
    const struct bp_pipe_fill *fill;
    size_t cells, micro_batches; /* done[cells ...] holds the ends of B */
    int32_t chunks, devices;
    int32_t queued; /* the queue is a stack */
};

static void push(struct run *r, int32_t device) {
    r->w->queue[r->queued++] = device;
    r->w->needs[device] = -1;
}

static size_t cell(const struct run *r, int32_t slot, uint32_t micro) {
    return (size_t)slot * r->micro_batches + micro;
}

/* Index in `done` of what the operation waits for, and the slot it comes from; -1: nothing. */
static int64_t waits_for(const struct run *r, int32_t slot, const struct bp_pipe_op *op,
                         int32_t *from) {
    *from = slot;
    if (op->kind == BP_PIPE_F) {
        *from = r->w->before[slot];
        return *from < 0 ? -1 : (int64_t)cell(r, *from, op->micro);
    }
    if (op->kind == BP_PIPE_W) {
        return (int64_t)(r->cells + cell(r, slot, op->micro));
    }
    if (r->w->after[slot] < 0 || r->w->done[cell(r, slot, op->micro)] < 0) {
        return (int64_t)cell(r, slot, op->micro);
    }
    *from = r->w->after[slot];
    return (int64_t)(r->cells + cell(r, *from, op->micro));
}

/* When the operation may start, or a negative number after noting what blocks it. */
static double ready_at(struct run *r, int32_t device, const struct bp_pipe_op *op) {
    int32_t from;
    int64_t need = waits_for(r, device * r->chunks + op->chunk, op, &from);
    double at;
    if (need < 0) {
        return 0;
    }
    at = r->w->done[need];
    if (at < 0) {
        r->w->needs[device] = need;
        return -1;
    }
    return r->w->owner[from] == device ? at : at + r->pipe->send_s;
}

static double length(const struct run *r, int32_t slot, const struct bp_pipe_op *op) {
    int32_t stage = r->w->stage[slot];
    switch (op->kind) {
    case BP_PIPE_F:
        return r->pipe->forward_s[stage];
    case BP_PIPE_B:
        return r->pipe->backward_s[stage] - r->pipe->weight_s[stage];
    case BP_PIPE_W:
        return r->pipe->weight_s[stage];
    default:
        return r->pipe->backward_s[stage];
    }
}

/* What the device keeps more (F) or less after the operation. */
static double change(const struct run *r, int32_t slot, const struct bp_pipe_op *op) {
    double kept = r->pipe->kept[r->w->stage[slot]];
    switch (op->kind) {
    case BP_PIPE_F:
        return kept;
    case BP_PIPE_B:
        return -kept * (1 - r->pipe->weight_frac);
    case BP_PIPE_W:
        return -kept * r->pipe->weight_frac;
    default:
        return -kept;
    }
}

/* The device that waited for this result goes on. */
static void wake(struct run *r, int32_t neighbour, int64_t index) {
    if (neighbour >= 0 && r->w->needs[r->w->owner[neighbour]] == index) {
        push(r, r->w->owner[neighbour]);
    }
}

static void publish(struct run *r, int32_t slot, const struct bp_pipe_op *op, double end) {
    size_t index = cell(r, slot, op->micro);
    if (op->kind == BP_PIPE_W) {
        return;
    }
    if (op->kind != BP_PIPE_F) {
        index += r->cells;
    }
    r->w->done[index] = end;
    wake(r, op->kind == BP_PIPE_F ? r->w->after[slot] : r->w->before[slot], (int64_t)index);
}

static void record(struct run *r, int32_t device, const struct bp_pipe_op *op, double start,
                   double end) {
    struct bp_pipe_work *w = r->w;
    struct bp_pipe_device *about = &w->devices[device];
    struct bp_pipe_step *step = &w->steps[(size_t)device * w->room + w->step_count[device]];
    int32_t slot = device * r->chunks + op->chunk;
    if (w->step_count[device]++ == 0) {
        about->start_s = start;
    }
    w->held[device] += change(r, slot, op);
    step->op = *op;
    step->start_s = start;
    step->end_s = end;
    step->kept = w->held[device];
    if (step->kept > about->peak) {
        about->peak = step->kept;
        about->peak_at_s = start;
    }
    publish(r, slot, op, end);
}

static void run_one(struct run *r, int32_t device, const struct bp_pipe_op *op, double ready) {
    double start = fmax(r->w->clock[device], ready);
    double took = length(r, device * r->chunks + op->chunk, op);
    r->w->clock[device] = start + took;
    r->w->devices[device].busy_s += took;
    record(r, device, op, start, start + took);
}

/* An operation and the one behind it, when both are ready. */
static int run_pair(struct run *r, int32_t device, const struct bp_pipe_op *op) {
    double first = ready_at(r, device, &op[0]), second, start, took;
    if (first < 0) {
        return 0;
    }
    second = ready_at(r, device, &op[1]);
    if (second < 0) {
        return 0;
    }
    start = fmax(r->w->clock[device], fmax(first, second));
    took = r->pipe->pair_frac * (length(r, device * r->chunks + op[0].chunk, &op[0]) +
                                 length(r, device * r->chunks + op[1].chunk, &op[1]));
    r->w->clock[device] = start + took;
    r->w->devices[device].busy_s += took;
    record(r, device, &op[0], start, start + took);
    record(r, device, &op[1], start, start + took);
    r->w->head[device] += 2;
    return 1;
}

/* The oldest B whose W has not run, or NULL. */
static const struct bp_pipe_op *parked(const struct run *r, int32_t device) {
    const struct bp_pipe_op *list = r->w->given + (size_t)device * r->w->room;
    int32_t *at = &r->w->parked[device];
    while (*at < r->w->head[device] && list[*at].kind != BP_PIPE_B) {
        (*at)++;
    }
    return *at < r->w->head[device] ? &list[*at] : NULL;
}

static void run_weight(struct run *r, int32_t device, const struct bp_pipe_op *b) {
    struct bp_pipe_op w = *b;
    w.kind = BP_PIPE_W;
    r->w->parked[device]++;
    run_one(r, device, &w, 0);
}

/* Relative slack: limits are sums of shares. */
#define LIMIT_SLACK 1e-9

/* Puts W before an operation that is ready at `ready`. */
static void fill_gap(struct run *r, int32_t device, const struct bp_pipe_op *op, double ready) {
    const struct bp_pipe_op *b;
    while ((b = parked(r, device)) != NULL) {
        double gap = ready - r->w->clock[device];
        int32_t slot = device * r->chunks + b->chunk;
        double took = r->pipe->weight_s[r->w->stage[slot]];
        double kept = r->w->held[device] + change(r, device * r->chunks + op->chunk, op);
        if (!(gap > 0 && gap >= r->fill->least * took * (1 - LIMIT_SLACK)) &&
            !(op->kind == BP_PIPE_F && kept > r->w->limit[device] * (1 + LIMIT_SLACK))) {
            return;
        }
        run_weight(r, device, b);
    }
}

/* Runs the device until it is blocked or through. */
static void advance(struct run *r, int32_t device) {
    struct bp_pipe_work *w = r->w;
    const struct bp_pipe_op *list = w->given + (size_t)device * w->room;
    while (w->head[device] < w->given_count[device]) {
        const struct bp_pipe_op *op = &list[w->head[device]];
        double ready;
        if (op->with_next) {
            if (!run_pair(r, device, op)) {
                return;
            }
            continue;
        }
        ready = ready_at(r, device, op);
        if (ready < 0) {
            return;
        }
        if (r->fill) {
            fill_gap(r, device, op, ready);
        }
        w->head[device]++;
        run_one(r, device, op, ready);
    }
}

static void start(struct run *r) {
    struct bp_pipe_work *w = r->w;
    size_t i;
    int32_t d;
    for (i = 0; i < 2 * r->cells; i++) {
        w->done[i] = -1;
    }
    memset(w->devices, 0, (size_t)r->devices * sizeof *w->devices);
    r->queued = 0;
    for (d = r->devices - 1; d >= 0; d--) {
        w->clock[d] = w->held[d] = 0;
        w->head[d] = w->parked[d] = w->step_count[d] = 0;
        push(r, d);
    }
}

static const char *kind_name(int kind) {
    return kind == BP_PIPE_F ? "F" : kind == BP_PIPE_W ? "W" : "B";
}

static int is_blocked(const struct run *r, int32_t device) {
    return r->w->head[device] < r->w->given_count[device];
}

/* The device whose result a blocked one waits for: blocked as well, or itself. */
static int32_t blocker(const struct run *r, int32_t device) {
    size_t need = (size_t)r->w->needs[device];
    size_t at = need >= r->cells ? need - r->cells : need;
    return (int32_t)(at / r->micro_batches) / r->chunks;
}

/*
** Blocked devices wait for each other in a circle, and others for those: the one of the circle that
** stopped first, or -1.
*/
static int32_t first_blocked(const struct run *r) {
    int32_t d = 0, first, i;
    while (d < r->devices && !is_blocked(r, d)) {
        d++;
    }
    if (d == r->devices) {
        return -1;
    }
    for (i = 0; i < r->devices; i++) { /* whoever is reached after so many steps is in the circle */
        d = blocker(r, d);
    }
    for (first = d, i = 0; i < r->devices; i++) {
        d = blocker(r, d);
        if (r->w->clock[d] < r->w->clock[first] ||
            (r->w->clock[d] <= r->w->clock[first] && d < first)) {
            first = d;
        }
    }
    return first;
}

static int say_blocked(const struct run *r, int32_t device, struct bp_error *err) {
    const struct bp_pipe_op *op = &r->w->given[(size_t)device * r->w->room + r->w->head[device]];
    size_t need = (size_t)r->w->needs[device];
    const char *what = need >= r->cells ? "B" : "F";
    size_t at = need >= r->cells ? need - r->cells : need;
    int slot = (int)(at / r->micro_batches), other = slot / r->chunks;
    if (op->with_next && slot == device * r->chunks + op[1].chunk &&
        at % r->micro_batches == op[1].micro) {
        op++;
    }
    return bp_fail(err, BP_EDOMAIN, "schedule",
                   "deadlock: device %d waits at operation %d, %s of micro-batch %u (chunk %d), "
                   "for %s of micro-batch %u on device %d (chunk %d)%s",
                   (int)device, (int)r->w->head[device] + 1, kind_name(op->kind),
                   (unsigned)op->micro, op->chunk, what, (unsigned)(at % r->micro_batches), other,
                   slot % r->chunks, other == device ? ", later in its own list" : "");
}

static void finish(struct run *r, struct bp_pipe_times *times) {
    int32_t d;
    double first = INFINITY, last = 0, span = 0;
    for (d = 0; d < r->devices; d++) {
        struct bp_pipe_device *about = &r->w->devices[d];
        const struct bp_pipe_op *b;
        while (r->fill && (b = parked(r, d)) != NULL) {
            run_weight(r, d, b);
        }
        about->end_s = r->w->clock[d];
        first = fmin(first, about->start_s);
        last = fmax(last, about->end_s);
        span = fmax(span, about->end_s - about->start_s);
    }
    times->makespan_s = last - first;
    times->span_s = span;
}

int bp_pipe_run(const struct bp_pipe *pipe, struct bp_pipe_work *work,
                const struct bp_pipe_fill *fill, struct bp_pipe_times *times,
                struct bp_error *err) {
    struct run r = {0};
    int32_t blocked;
    r.pipe = pipe;
    r.w = work;
    r.fill = fill;
    r.devices = pipe->shape.devices;
    r.chunks = pipe->shape.chunks;
    r.micro_batches = (size_t)pipe->shape.micro_batches;
    r.cells = (size_t)r.devices * (size_t)r.chunks * r.micro_batches;
    start(&r);
    while (r.queued > 0) {
        advance(&r, work->queue[--r.queued]);
    }
    blocked = first_blocked(&r);
    if (blocked >= 0) {
        return say_blocked(&r, blocked, err);
    }
    finish(&r, times);
    return BP_OK;
}
