#include "pipeline.h"

#include <string.h>

/* How far a check has got, for what it says. */
struct check {
    const struct bp_pipe_shape *shape;
    struct bp_pipe_work *w;
    struct bp_error *err;
};

static const char *const kind_names[] = {"F", "B", "W", "B"};

static uint8_t *seen_at(const struct check *c, int32_t device, int32_t chunk, uint32_t micro) {
    size_t slot = (size_t)device * (size_t)c->shape->chunks + (size_t)chunk;
    return &c->w->seen[slot * (size_t)c->shape->micro_batches + micro];
}

/* Under BOTH_WAYS each half of the micro-batches passes one chunk of every device. */
static int passes(const struct bp_pipe_shape *s, int32_t chunk, uint32_t micro) {
    int second = micro >= (uint32_t)(s->micro_batches / 2);
    return s->layout != BP_PIPE_LAYOUT_BOTH_WAYS || second == (chunk == 1);
}

static int say(const struct check *c, int32_t device, int32_t index, const struct bp_pipe_op *op,
               const char *what) {
    return bp_fail(c->err, BP_EDOMAIN, "schedule",
                   "device %d, operation %d: %s of micro-batch %u (chunk %d) %s", (int)device,
                   (int)index + 1, kind_names[op->kind], (unsigned)op->micro, op->chunk, what);
}

static int check_op(const struct check *c, int32_t device, int32_t index,
                    const struct bp_pipe_op *op) {
    unsigned bit = 1u << (op->kind == BP_PIPE_BW ? BP_PIPE_B : op->kind);
    uint8_t *seen;
    if (op->chunk >= c->shape->chunks || op->micro >= (uint32_t)c->shape->micro_batches) {
        return say(c, device, index, op, "does not exist");
    }
    if (!passes(c->shape, op->chunk, op->micro)) {
        return say(c, device, index, op, "goes the other way, through the other chunk");
    }
    seen = seen_at(c, device, op->chunk, op->micro);
    if (*seen & bit) {
        return say(c, device, index, op, "is there a second time");
    }
    *seen = (uint8_t)(*seen | bit);
    return BP_OK;
}

/* A pair is a forward and the backward behind it, or the other way round. */
static int check_pair(const struct check *c, int32_t device, int32_t index,
                      const struct bp_pipe_op *list) {
    const struct bp_pipe_op *op = &list[index];
    int last = index + 1 == c->w->given_count[device];
    if (op->with_next &&
        (last || op[1].with_next || op->kind == BP_PIPE_W || op[1].kind == BP_PIPE_W ||
         (op->kind == BP_PIPE_F) == (op[1].kind == BP_PIPE_F))) {
        return say(c, device, index, op, "can only run with an F or B behind it, one of each");
    }
    return BP_OK;
}

static int check_complete(const struct check *c, int32_t device) {
    unsigned whole = 1u << BP_PIPE_F | 1u << BP_PIPE_B;
    int32_t chunk;
    uint32_t micro;
    for (chunk = 0; chunk < c->shape->chunks; chunk++) {
        for (micro = 0; micro < (uint32_t)c->shape->micro_batches; micro++) {
            unsigned seen = *seen_at(c, device, chunk, micro);
            if (passes(c->shape, chunk, micro) && (seen & whole) != whole) {
                return bp_fail(c->err, BP_EDOMAIN, "schedule",
                               "device %d never runs %s of micro-batch %u (chunk %d)", (int)device,
                               seen & 1u << BP_PIPE_F ? "B" : "F", (unsigned)micro, (int)chunk);
            }
        }
    }
    return BP_OK;
}

/* B is the input gradient alone exactly where a W follows. */
static void settle_backward(const struct check *c, int32_t device, struct bp_pipe_op *list) {
    int32_t i;
    for (i = 0; i < c->w->given_count[device]; i++) {
        if (list[i].kind == BP_PIPE_B || list[i].kind == BP_PIPE_BW) {
            unsigned seen = *seen_at(c, device, list[i].chunk, list[i].micro);
            list[i].kind = seen & 1u << BP_PIPE_W ? BP_PIPE_B : BP_PIPE_BW;
        }
    }
}

static int check_device(const struct check *c, int32_t device) {
    struct bp_pipe_op *list = c->w->given + (size_t)device * c->w->room;
    int32_t i;
    int code = BP_OK;
    for (i = 0; code == BP_OK && i < c->w->given_count[device]; i++) {
        code = check_op(c, device, i, &list[i]);
        if (code == BP_OK) {
            code = check_pair(c, device, i, list);
        }
    }
    if (code == BP_OK) {
        code = check_complete(c, device);
    }
    if (code == BP_OK) {
        settle_backward(c, device, list);
    }
    return code;
}

int bp_pipe_check(const struct bp_pipe_shape *shape, struct bp_pipe_work *work,
                  struct bp_error *err) {
    struct check c = {shape, work, err};
    size_t cells = (size_t)shape->devices * (size_t)shape->chunks * (size_t)shape->micro_batches;
    int32_t device;
    memset(work->seen, 0, cells);
    for (device = 0; device < shape->devices; device++) {
        int code = check_device(&c, device);
        if (code != BP_OK) {
            return code;
        }
    }
    return BP_OK;
}
