#include "tape.h"

#include <math.h>

BP_DEFINE_ENUM(bp_tape_op, BP_TAPE_OPS);

size_t bp_tape_room(const struct bp_tape *tape) {
    return (tape->inputs + tape->constants + tape->lines) * BP_TAPE_BLOCK;
}

double *bp_tape_value(double *room, size_t at) {
    return room + at * BP_TAPE_BLOCK;
}

void bp_tape_prepare(const struct bp_tape *tape, double *room) {
    size_t i, k;
    for (k = 0; k < tape->constants; k++) {
        double *out = bp_tape_value(room, tape->inputs + k);
        for (i = 0; i < BP_TAPE_BLOCK; i++) {
            out[i] = tape->constant[k];
        }
    }
}

/* Lua's a % b for floats. */
static double modulo(double a, double b) {
    double rest = fmod(a, b);
    return rest * b < 0 ? rest + b : rest;
}

#define EACH(expression)                                                                           \
    for (i = 0; i < count; i++) {                                                                  \
        out[i] = expression;                                                                       \
    }                                                                                              \
    break

static void run_line(const struct bp_tape_line *line, double *room, double *restrict out,
                     size_t count) {
    const double *a = bp_tape_value(room, line->a), *b = bp_tape_value(room, line->b);
    const double *c = bp_tape_value(room, line->c);
    size_t i;
    switch (line->op) {
    case BP_TAPE_ADD:
        EACH(a[i] + b[i]);
    case BP_TAPE_SUB:
        EACH(a[i] - b[i]);
    case BP_TAPE_MUL:
        EACH(a[i] * b[i]);
    case BP_TAPE_DIV:
        EACH(a[i] / b[i]);
    case BP_TAPE_POW:
        EACH(pow(a[i], b[i]));
    case BP_TAPE_MOD:
        EACH(modulo(a[i], b[i]));
    case BP_TAPE_MAX:
        EACH(a[i] < b[i] ? b[i] : a[i]);
    case BP_TAPE_MIN:
        EACH(b[i] < a[i] ? b[i] : a[i]);
    case BP_TAPE_LESS:
        EACH(a[i] < b[i] ? 1.0 : 0.0);
    case BP_TAPE_AT_MOST:
        EACH(a[i] <= b[i] ? 1.0 : 0.0);
    case BP_TAPE_CHOOSE:
        EACH(a[i] != 0 ? b[i] : c[i]);
    case BP_TAPE_NEG:
        EACH(-a[i]);
    case BP_TAPE_ABS:
        EACH(fabs(a[i]));
    case BP_TAPE_CEIL:
        EACH(ceil(a[i]));
    case BP_TAPE_FLOOR:
        EACH(floor(a[i]));
    case BP_TAPE_SQRT:
        EACH(sqrt(a[i]));
    case BP_TAPE_EXP:
        EACH(exp(a[i]));
    case BP_TAPE_LOG:
        EACH(log(a[i]));
    }
}

void bp_tape_run(const struct bp_tape *tape, double *room, size_t count) {
    size_t first = tape->inputs + tape->constants, k;
    for (k = 0; k < tape->lines; k++) {
        run_line(&tape->line[k], room, bp_tape_value(room, first + k), count);
    }
}
