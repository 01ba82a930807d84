#include "walk.h"

/* Slow before fast: the check that looks at a field first, then memory, then time. */
static int speed(const struct bp_field *field) {
    return 2 * (int)bp_first_check(field) + bp_memory_ignores(field);
}

static void insert(struct bp_walk *walk, struct bp_walk_dim dim) {
    size_t at = walk->count++;
    for (; at > 0 && speed(walk->dims[at - 1].field) >= speed(dim.field); at--) {
        walk->dims[at] = walk->dims[at - 1];
    }
    walk->dims[at] = dim;
}

static void measure(struct bp_walk *walk) {
    uint64_t run = 1;
    size_t i;
    for (i = walk->count; i-- > 0;) {
        walk->dims[i].run = run;
        run *= walk->dims[i].count;
    }
    walk->checked = bp_walk_places(walk, BP_REJECT_PRECISION);
    for (i = walk->checked; i < walk->count && !bp_memory_ignores(walk->dims[i].field); i++) {
    }
    walk->sized = i;
}

void bp_walk_init(struct bp_walk *walk, const struct bp_space *space) {
    uint64_t stride = 1;
    size_t i;
    walk->count = 0;
    walk->size = space->size;
    walk->position = walk->index = 0;
    walk->follows = &space->follows;
    walk->plan = space->base;
    for (i = space->dims_count; i-- > 0;) {
        const struct bp_dim *dim = &space->dims[i];
        const double *values = space->values + dim->first;
        struct bp_walk_dim made = {dim->field, values, dim->count, 0, stride, 1};
        bp_plan_set(&walk->plan, dim->field, values[0]);
        if (dim->count > 1) {
            insert(walk, made);
        }
        stride *= dim->count;
    }
    measure(walk);
}

static void turn(struct bp_walk *walk, size_t place, size_t digit) {
    struct bp_walk_dim *dim = &walk->dims[place];
    walk->index += ((uint64_t)digit - dim->digit) * dim->stride; /* modulo 2^64 */
    dim->digit = digit;
    bp_plan_set(&walk->plan, dim->field, dim->values[digit]);
}

void bp_walk_seek(struct bp_walk *walk, uint64_t position) {
    size_t i;
    walk->position = position;
    for (i = 0; i < walk->count; i++) {
        turn(walk, i, (size_t)(position / walk->dims[i].run % walk->dims[i].count));
    }
}

uint64_t bp_walk_run(const struct bp_walk *walk, size_t places) {
    return places > 0 ? walk->dims[places - 1].run : walk->size;
}

size_t bp_walk_next(struct bp_walk *walk, size_t places) {
    uint64_t run = bp_walk_run(walk, places);
    size_t i;
    walk->position += run - (run > 1 ? walk->position % run : 0);
    for (i = walk->count; i > places; i--) {
        turn(walk, i - 1, 0);
    }
    for (; i > 0; i--) {
        struct bp_walk_dim *dim = &walk->dims[i - 1];
        if (dim->digit + 1 < dim->count) {
            turn(walk, i - 1, dim->digit + 1);
            return i - 1;
        }
        turn(walk, i - 1, 0);
    }
    walk->position = walk->size;
    return 0;
}

size_t bp_walk_places(const struct bp_walk *walk, enum bp_reject reason) {
    size_t i = 0;
    while (i < walk->count && bp_check_reads(reason, walk->dims[i].field)) {
        i++;
    }
    return i;
}
