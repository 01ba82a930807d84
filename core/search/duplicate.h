/* Plans that mean the same: which of them a search looks at. */
#ifndef BP_SEARCH_DUPLICATE_H
#define BP_SEARCH_DUPLICATE_H

#include "kernel/model.h"
#include "walk.h"

/*
** Whether a plan with a lower index of the space means the same as the one the walk stands at: they
** differ only in fields that do nothing here (sequence_parallel without tp, overlap without traffic),
** or in a derived field given once as 0 and once as the number it stands for, or in whether no recompute
** is written as that or as a share of 0. plan is the resolved
** plan there, valid in structure.
*/
int bp_is_duplicate(const struct bp_walk *walk, const struct bp_model *model,
                    const struct bp_plan *plan);

/*
** How many of the positions that differ from this one only in dimensions from `places` on, all of
** them fields that memory ignores, are no duplicates. The walk stands at the first, not a duplicate.
*/
uint64_t bp_distinct(const struct bp_walk *walk, size_t places, const struct bp_model *model,
                     const struct bp_plan *plan);

#endif
