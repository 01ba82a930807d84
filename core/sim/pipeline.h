/*
** Event simulation of pipeline schedules: every device works through its own ordered list of
** operations; each starts when the device is free and what it needs from other stages has arrived.
** Gives start and end of every operation, idle time and kept activations of every device. All memory
** comes from the caller.
*/
#ifndef BP_SIM_PIPELINE_H
#define BP_SIM_PIPELINE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/schedule/order.h"
#include "kernel/status.h"

/* Stages of a micro-batch's way: p under BOTH_WAYS, else p times the chunks of a device. */
int32_t bp_pipe_stages(const struct bp_pipe_shape *shape);

/* Times and sizes per stage, in the order in which a micro-batch meets them. */
struct bp_pipe {
    struct bp_pipe_shape shape;
    const double *forward_s, *backward_s, *weight_s; /* backward_s whole, weight_s its W part */
    const double *kept;                              /* what one micro-batch keeps from F on */
    double send_s;      /* from the end on one device to the arrival on the next */
    double weight_frac; /* share of `kept` that W still needs after B */
    double pair_frac;   /* time of a pair run together, over the sum of its two times */
};

struct bp_pipe_step {
    struct bp_pipe_op op;
    double start_s, end_s;
    double kept; /* on the device: from the start of an F, from the end of a B or W */
};

struct bp_pipe_device {
    double busy_s, start_s, end_s; /* of its first and last operation */
    double peak, peak_at_s;        /* of what is kept */
};

/*
** What the operations of a kind and slot (device, chunk) have in common. Cells are indices in `done`,
** of the first micro-batch: those of the others follow.
*/
struct bp_pipe_rule {
    double length_s, change;   /* of the device's time, and of what it keeps */
    double lag_s;              /* from the end of `need` to its arrival */
    size_t first, need, gives; /* cells: waited for, in this order; filled by its end */
    int32_t wakes;             /* the device that may wait for what it gives, else its own */
};

/* How far a device is in its list. */
struct bp_pipe_turn {
    const struct bp_pipe_op *next, *end;
    const struct bp_pipe_op *parked; /* next B of the list whose W has not run */
    const struct bp_pipe_rule *rules;
    struct bp_pipe_step *step; /* where the next one goes */
    double clock, held, limit; /* limit: of what it may hold, see bp_pipe_fill */
    int64_t needs;             /* index in `done` it is blocked on, or -1 */
};

/*
** Memory of a simulation, carved out of one block. Device d has its list in given[d room ...] and
** what became of it in steps[d room ...].
*/
struct bp_pipe_work {
    size_t room;              /* operations a device can have */
    struct bp_pipe_op *given; /* the order to run */
    struct bp_pipe_step *steps;
    struct bp_pipe_device *devices;
    int32_t *given_count, *step_count;
    struct bp_pipe_rule *rules; /* per slot and kind */
    struct bp_pipe_turn *turns; /* per device */
    int32_t *order;             /* devices, in the order in which their operations can run */
    double *done;  /* end of F, then of B, per slot and micro-batch, < 0 not yet; zeros; unread */
    double *limit; /* per device: see bp_pipe_fill */
    int32_t *before, *after; /* per slot: slots of the neighbouring stages, or -1 */
    int32_t *owner;          /* per slot: its device */
    int32_t *stage;          /* per slot */
    int32_t *queue;          /* devices that may go on */
    uint8_t *seen;           /* per slot and micro-batch: bits of the kinds listed */
};

/* stages * micro_batches of a simulation; beyond, the closed forms of kernel/pipeline.h are near. */
#define BP_PIPE_UNITS_MAX (1 << 20)

/* Bytes for bp_pipe_place, 0 when the shape is larger than BP_PIPE_UNITS_MAX. */
size_t bp_pipe_bytes(const struct bp_pipe_shape *shape);

/* Carves the block (aligned as for a double) into the arrays; lists are empty. */
void bp_pipe_place(const struct bp_pipe_shape *shape, void *block, struct bp_pipe_work *work);

/*
** Operations W that no list contains, put where a device would idle: between two operations when the
** gap is at least `least` times the W's length, when an F would keep more than work->limit of the
** device, and at the end. All `count` shares (each smaller than the one before) are tried; the first
** with the shortest span stays.
*/
struct bp_pipe_fill {
    const double *least;
    int count;
};

struct bp_pipe_times {
    double makespan_s; /* from the first start to the last end */
    double span_s;     /* longest a device takes from its own start to its own end */
};

/*
** Runs the lists in work->given (with W put in when fill is not NULL). BP_EDOMAIN with field
** "schedule" when they block each other: the text names the first operation that waits for ever.
*/
int bp_pipe_run(const struct bp_pipe *pipe, struct bp_pipe_work *work,
                const struct bp_pipe_fill *fill, struct bp_pipe_times *times, struct bp_error *err);

/* What bp_pipe_run says of lists that have come to a stop: BP_OK when all of them are through. */
int bp_pipe_blocked(const struct bp_pipe_shape *shape, const struct bp_pipe_work *work,
                    struct bp_error *err);

/*
** Most micro-batches that the device kept activations of in the last run; one of several chunks, or one
** that only waits for its W, counts as the part that it is.
*/
double bp_pipe_in_flight(const struct bp_pipe *pipe, const struct bp_pipe_work *work,
                         int32_t device);

/*
** Whether every device runs every operation of its chunks exactly once. A B without a W of its own
** becomes BW. To be called before bp_pipe_run on lists that somebody else made.
*/
int bp_pipe_check(const struct bp_pipe_shape *shape, struct bp_pipe_work *work,
                  struct bp_error *err);

#endif
