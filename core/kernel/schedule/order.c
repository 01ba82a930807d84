#include "kernel/schedule/order.h"

#include <string.h>

void bp_order_add(struct bp_order *o, int kind, int chunk, uint32_t micro) {
    struct bp_pipe_op op = {micro, (uint16_t)chunk, (uint8_t)kind, 0};
    o->list[o->count++] = op;
}

void bp_order_forward(struct bp_order *o, int chunk) {
    if (o->next_forward[chunk] < o->stop[chunk]) {
        bp_order_add(o, BP_PIPE_F, chunk, o->next_forward[chunk]++);
    }
}

void bp_order_backward(struct bp_order *o, int chunk, int kind) {
    if (o->next_backward[chunk] < o->stop[chunk]) {
        bp_order_add(o, kind, chunk, o->next_backward[chunk]++);
    }
}

void bp_order_weight(struct bp_order *o) {
    while (o->parked < o->count && o->list[o->parked].kind != BP_PIPE_B) {
        o->parked++;
    }
    if (o->parked < o->count) {
        const struct bp_pipe_op *b = &o->list[o->parked++];
        bp_order_add(o, BP_PIPE_W, b->chunk, b->micro);
    }
}

void bp_order_in_turn(struct bp_order *o, int32_t m, int32_t warm, int kind) {
    int32_t i;
    for (i = 0; i < m + warm; i++) {
        bp_order_forward(o, 0);
        if (i >= warm) {
            bp_order_backward(o, 0, kind);
        }
    }
}

int32_t bp_schedule_order(enum bp_schedule schedule, const struct bp_pipe_shape *shape,
                          int64_t group, int32_t device, struct bp_pipe_op *list) {
    struct bp_order o;
    memset(&o, 0, sizeof o);
    o.list = list;
    o.stop[0] = o.stop[1] = (uint32_t)shape->micro_batches;
    if (shape->devices == 1) {
        schedule = BP_SCHEDULE_1F1B;
    }
    bp_schedule_facts(schedule)->order(&o, shape, group, device);
    return o.count;
}
