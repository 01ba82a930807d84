/* Plans that mean the same: which of them a search looks at. */
#ifndef BP_SEARCH_DUPLICATE_H
#define BP_SEARCH_DUPLICATE_H

#include "kernel/count/train_case.h"
#include "walk.h"

/* A walk's dimensions of which other fields than checked ones say whether they do something. */
struct bp_repeats {
    size_t open[BP_SPACE_DIMS], count;
};

void bp_repeats_init(struct bp_repeats *repeats, const struct bp_walk *walk);

/*
** Whether another plan of the space means the same as the one the walk stands at and is the one of them
** that counts: they differ only in fields that do nothing here (sequence_parallel without tp, overlap
** without traffic), or in a derived field given once as 0 and once as the number it stands for, or in
** how the same is written (no recompute as that or as a share of 0). c->plan is the resolved plan
** there, valid in structure; dimensions before `changed` and all checked ones are as they were at a
** position for which this was asked last.
** 0: none does. Else all positions that share the first so many dimensions are repeated, too.
*/
size_t bp_repeated_places(const struct bp_repeats *repeats, const struct bp_walk *walk,
                          const struct bp_train_case *c, size_t changed);

/* The same of a single position. */
int bp_is_duplicate(const struct bp_walk *walk, const struct bp_train_case *c);

/*
** How many of the positions that differ from this one only in dimensions from `places` on, all of
** them fields that memory ignores, are no duplicates. The walk stands at the first, not a duplicate.
*/
uint64_t bp_distinct(const struct bp_walk *walk, size_t places, const struct bp_train_case *c);

#endif
