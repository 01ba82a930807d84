/* What a search has found so far. Two of these, of different plans of one space, add up to one. */
#ifndef BP_SEARCH_FOUND_H
#define BP_SEARCH_FOUND_H

#include "front.h"
#include "tally.h"
#include "topk.h"

struct bp_found {
    uint64_t evaluated; /* = feasible + all of the tally */
    uint64_t feasible;
    uint64_t duplicates; /* skipped: mean the same as a plan with a lower index */
    uint64_t ahead;      /* feasible plans with a rank below mark */
    double mark;
    struct bp_tally tally;
    struct bp_topk topk;
    struct bp_front front; /* of several objectives */
};

/* Memory for what is kept, borrowed by a bp_found. front may be empty for one objective. */
struct bp_found_room {
    struct bp_topk_entry *top;
    size_t top_capacity; /* at least 1 */
    struct bp_front_entry *front;
    size_t front_capacity;
};

/* mark may be -INFINITY. */
void bp_found_init(struct bp_found *found, const struct bp_found_room *room, double mark);

/* Adds what another search found in other plans of the space. */
void bp_found_merge(struct bp_found *found, const struct bp_found *other);

#endif
