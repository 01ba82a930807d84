/*
** Why plans were rejected: a count per reason with one example. The example is the nearest miss
** where "near" means something (least memory short, best among what a rule rejected), else the
** first; ties go to the lower index, so a tally does not depend on the order of the search.
*/
#ifndef BP_SEARCH_TALLY_H
#define BP_SEARCH_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/describe/plan.h"

/*
** Slots: the reasons of enum bp_reject, then one for each rule, then plans that were not looked at
** because a bound says that none is among the best (distance: the lowest such bound).
*/
enum { BP_TALLY_RULES = 64, BP_TALLY_BOUNDED = BP_REJECT_COUNT + BP_TALLY_RULES, BP_TALLY_SLOTS };

struct bp_tally_slot {
    uint64_t count;
    uint64_t example; /* index of a plan; meaningless while count is 0 */
    double distance;  /* of the example: bytes short, rank, or 0 */
};

struct bp_tally {
    struct bp_tally_slot slots[BP_TALLY_SLOTS];
};

void bp_tally_init(struct bp_tally *tally);

/* count plans rejected for one reason, the first of them at index. */
void bp_tally_add(struct bp_tally *tally, size_t slot, uint64_t count, uint64_t index,
                  double distance);

/* Sum over all slots. */
uint64_t bp_tally_total(const struct bp_tally *tally);

#endif
