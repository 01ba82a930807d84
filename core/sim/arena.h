/* The one block of memory that a simulation gets from its caller, handed out in parts. */
#ifndef BP_SIM_ARENA_H
#define BP_SIM_ARENA_H

#include <stddef.h>

/* From nowhere (at NULL) it only counts. */
struct bp_arena {
    char *at;
    size_t used;
};

/* The next part, aligned for a double; NULL where it only counts. */
void *bp_arena_cut(struct bp_arena *b, size_t bytes);

#endif
