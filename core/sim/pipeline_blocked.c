#include "pipeline.h"

/* The result that a blocked device waits for. */
struct wanted {
    int32_t device, chunk, slot;
    uint32_t micro;
    const char *kind;
};

static struct wanted wanted_by(const struct bp_pipe_shape *s, const struct bp_pipe_turn *t) {
    int64_t cells = (int64_t)s->devices * s->chunks * s->micro_batches;
    int64_t at = t->needs % cells;
    struct wanted x;
    x.kind = t->needs < cells ? "F" : "B";
    x.micro = (uint32_t)(at % s->micro_batches);
    x.slot = (int32_t)(at / s->micro_batches);
    x.device = x.slot / s->chunks;
    x.chunk = x.slot % s->chunks;
    return x;
}

/*
** Blocked devices wait for each other in a circle, and others for those: the one of the circle that
** stopped first, or -1.
*/
static int32_t first_blocked(const struct bp_pipe_shape *s, const struct bp_pipe_turn *turns) {
    int32_t d = 0, first, i;
    while (d < s->devices && turns[d].next == turns[d].end) {
        d++;
    }
    if (d == s->devices) {
        return -1;
    }
    for (i = 0; i < s->devices; i++) { /* whoever is reached after so many steps is in the circle */
        d = wanted_by(s, &turns[d]).device;
    }
    for (first = d, i = 0; i < s->devices; i++) {
        d = wanted_by(s, &turns[d]).device;
        if (turns[d].clock < turns[first].clock ||
            (turns[d].clock <= turns[first].clock && d < first)) {
            first = d;
        }
    }
    return first;
}

int bp_pipe_blocked(const struct bp_pipe_shape *s, const struct bp_pipe_work *work,
                    struct bp_error *err) {
    static const char *const kinds[] = {"F", "B", "W", "B"};
    int32_t device = first_blocked(s, work->turns);
    const struct bp_pipe_turn *t;
    const struct bp_pipe_op *op;
    struct wanted x;
    if (device < 0) {
        return BP_OK;
    }
    t = &work->turns[device];
    x = wanted_by(s, t);
    op = t->next;
    if (op->with_next && x.slot == device * s->chunks + op[1].chunk && x.micro == op[1].micro) {
        op++;
    }
    return bp_fail(err, BP_EDOMAIN, "schedule",
                   "deadlock: device %d waits at operation %d, %s of micro-batch %u (chunk %d), "
                   "for %s of micro-batch %u on device %d (chunk %d)%s",
                   (int)device, work->given_count[device] - (int)(t->end - t->next) + 1,
                   kinds[op->kind], (unsigned)op->micro, op->chunk, x.kind, (unsigned)x.micro,
                   (int)x.device, (int)x.chunk,
                   x.device == device ? ", later in its own list" : "");
}
