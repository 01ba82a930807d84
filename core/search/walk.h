/*
** The order in which a search goes through a space. Fields that structural checks look at vary
** slowest, in the order of the checks; then those that memory looks at; those that only time looks at
** vary fastest. So plans that are rejected for one reason lie side by side and are counted at once,
** and what neighbours share is made once. A position is a place in this order, an index the name of
** the plan (see space.h): any cut of the positions covers every plan once.
*/
#ifndef BP_SEARCH_WALK_H
#define BP_SEARCH_WALK_H

#include "space.h"

/* One dimension with more than one value. */
struct bp_walk_dim {
    const struct bp_field *field;
    const double *values;
    size_t count, digit;
    uint64_t stride; /* of the index */
    uint64_t run;    /* positions over which the digit stays */
};

struct bp_walk {
    size_t count;   /* of dims, slowest first */
    size_t checked; /* the first so many are looked at by structural checks */
    size_t sized;   /* the first so many by checks or memory */
    struct bp_walk_dim dims[BP_SPACE_DIMS];
    uint64_t position, size;
    uint64_t index;
    const struct bp_follows *follows;
    struct bp_plan plan; /* derived fields and those that follow not filled in */
};

/* Borrows the space. Stands at position 0. */
void bp_walk_init(struct bp_walk *walk, const struct bp_space *space);

/* Goes to position < size. */
void bp_walk_seek(struct bp_walk *walk, uint64_t position);

/*
** Goes to the next position at which one of the first `places` dimensions has changed, and returns
** the slowest that has; walk->position is walk->size behind the last. places = walk->count: the very
** next position.
*/
size_t bp_walk_next(struct bp_walk *walk, size_t places);

/* Positions that share the digits of the first `places` dimensions. */
uint64_t bp_walk_run(const struct bp_walk *walk, size_t places);

/* How many of the first dimensions the checks up to and including this reason look at. */
size_t bp_walk_places(const struct bp_walk *walk, enum bp_reject reason);

#endif
