/*
** Expressions as a tape: a list of operations on numbered values. Values 0 .. inputs - 1 are the inputs, then
** come the constants, then one value for every operation in order. A tape is evaluated for blocks of samples,
** operation by operation, so that an operation costs a fraction of a nanosecond per sample.
*/
#ifndef BP_STATS_TAPE_H
#define BP_STATS_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/field.h"

/* E(MEMBER, "name", operands) */
#define BP_TAPE_OPS(E)                                                                             \
    E(BP_TAPE_ADD, "add", 2)                                                                       \
    E(BP_TAPE_SUB, "sub", 2)                                                                       \
    E(BP_TAPE_MUL, "mul", 2)                                                                       \
    E(BP_TAPE_DIV, "div", 2)                                                                       \
    E(BP_TAPE_POW, "pow", 2)                                                                       \
    E(BP_TAPE_MOD, "mod", 2)                                                                       \
    E(BP_TAPE_MAX, "max", 2)                                                                       \
    E(BP_TAPE_MIN, "min", 2)                                                                       \
    E(BP_TAPE_LESS, "less", 2)       /* 1 where a < b, else 0 */                                   \
    E(BP_TAPE_AT_MOST, "at_most", 2) /* 1 where a <= b, else 0 */                                  \
    E(BP_TAPE_CHOOSE, "choose", 3)   /* b where a is not 0, else c */                              \
    E(BP_TAPE_NEG, "neg", 1)                                                                       \
    E(BP_TAPE_ABS, "abs", 1)                                                                       \
    E(BP_TAPE_CEIL, "ceil", 1)                                                                     \
    E(BP_TAPE_FLOOR, "floor", 1)                                                                   \
    E(BP_TAPE_SQRT, "sqrt", 1)                                                                     \
    E(BP_TAPE_EXP, "exp", 1)                                                                       \
    E(BP_TAPE_LOG, "log", 1)

BP_DECLARE_ENUM(bp_tape_op, BP_TAPE_OPS);

struct bp_tape_line {
    enum bp_tape_op op;
    uint32_t a, b, c; /* values it reads; those that it has no use for are 0 */
};

struct bp_tape {
    size_t inputs, constants, lines;
    const double *constant;
    const struct bp_tape_line *line;
};

enum { BP_TAPE_BLOCK = 512 };

/* Doubles that bp_tape_run needs to work in. */
size_t bp_tape_room(const struct bp_tape *tape);

/* Writes the constants into the room, once for all blocks. */
void bp_tape_prepare(const struct bp_tape *tape, double *room);

/* The values `at` of a block in the room: BP_TAPE_BLOCK doubles. Inputs are written there by the caller. */
double *bp_tape_value(double *room, size_t at);

/* Works out all lines for the first `count` samples of the block. */
void bp_tape_run(const struct bp_tape *tape, double *room, size_t count);

#endif
