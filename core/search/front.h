/*
** The Pareto front of a stream, in memory the caller gives: every plan that no other beats or equals
** in all objectives. Of plans equal in all of them the one with the lowest index is kept, so the front
** does not depend on the order in which entries are offered.
*/
#ifndef BP_SEARCH_FRONT_H
#define BP_SEARCH_FRONT_H

#include <stddef.h>
#include <stdint.h>

enum { BP_FRONT_OBJECTIVES = 4 };

struct bp_front_entry {
    double ranks[BP_FRONT_OBJECTIVES]; /* less is better; unused ones 0 */
    uint64_t index;
    double usd_h; /* price the entry was judged at */
};

struct bp_front {
    struct bp_front_entry *entries; /* borrowed */
    size_t capacity, count;
    int is_full; /* an entry of the front was lost: the front is not known */
};

void bp_front_init(struct bp_front *front, struct bp_front_entry *room, size_t capacity);
void bp_front_offer(struct bp_front *front, const struct bp_front_entry *entry);

/* Orders entries by their first rank, then by the others, then by index. */
void bp_front_sort(struct bp_front *front);

#endif
