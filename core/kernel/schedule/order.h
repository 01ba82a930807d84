/* The order of a device's operations, and what schedules put it together from. */
#ifndef BP_KERNEL_SCHEDULE_ORDER_H
#define BP_KERNEL_SCHEDULE_ORDER_H

#include "kernel/schedule/schedule.h"

/* B is the input gradient when a W of its own follows, BW the whole backward in one go. */
enum bp_pipe_kind { BP_PIPE_F, BP_PIPE_B, BP_PIPE_W, BP_PIPE_BW, BP_PIPE_KINDS };

struct bp_pipe_op {
    uint32_t micro; /* micro-batch, 0-based like all indices here */
    uint16_t chunk; /* which of the stages that the device holds */
    uint8_t kind;
    uint8_t with_next; /* runs together with the operation behind it, see pair_frac */
};

/* A list in the making: operations of a kind and chunk are taken micro-batch by micro-batch. */
struct bp_order {
    struct bp_pipe_op *list;
    int32_t count, parked; /* next B in the list whose W has not been added */
    uint32_t next_forward[2], next_backward[2], stop[2];
};

/* Appends an operation. */
void bp_order_add(struct bp_order *o, int kind, int chunk, uint32_t micro);

/* The next forward or backward (of the kind B or BW) of the chunk, if there is one left. */
void bp_order_forward(struct bp_order *o, int chunk);
void bp_order_backward(struct bp_order *o, int chunk, int kind);

/* W of the oldest B that has none. */
void bp_order_weight(struct bp_order *o);

/* m forwards, and behind the first `warm` of them a backward after each, and after the last. */
void bp_order_in_turn(struct bp_order *o, int32_t m, int32_t warm, int kind);

/*
** Lists what a device of the schedule does into `list`, which has room for three operations of every
** micro-batch and chunk, and returns how many. `group` is how many micro-batches interleaving does of one
** chunk before it changes to the next; 0 = as bp_interleaved_group.
*/
int32_t bp_schedule_order(enum bp_schedule schedule, const struct bp_pipe_shape *shape,
                          int64_t group, int32_t device, struct bp_pipe_op *list);

#endif
