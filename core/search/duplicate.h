/* Plans that mean the same: which of them a search looks at. */
#ifndef BP_SEARCH_DUPLICATE_H
#define BP_SEARCH_DUPLICATE_H

#include "kernel/model.h"
#include "space.h"

/*
** Whether a plan with a lower index of the space means the same as the one at index: they differ
** only in fields that do nothing here (sequence_parallel without tp, overlap without traffic), or
*in
** a derived field given once as 0 and once as the number it stands for. plan is the resolved plan
*at
** index, valid in structure.
*/
int bp_is_duplicate(const struct bp_space *space, const struct bp_model *model, uint64_t index,
                    const struct bp_plan *plan);

#endif
