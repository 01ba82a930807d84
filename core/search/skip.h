/* Runs of plans that share a structural rejection: counted at once instead of checked one by one. */
#ifndef BP_SEARCH_SKIP_H
#define BP_SEARCH_SKIP_H

#include "space.h"

/*
** Whether a structural check up to and including the one for this reason looks at the field: plans
** that agree in all such fields are rejected for the same reason. Follows bp_plan_check.
*/
int bp_reject_looks_at(enum bp_reject reason, const struct bp_field *field);

/*
** For every structural reason the length of the aligned runs of indices over which nothing changes
** that the reason looks at; 1 for the others.
*/
void bp_skip_lengths(const struct bp_space *space, uint64_t lengths[BP_REJECT_COUNT]);

#endif
