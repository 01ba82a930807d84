/*
** Settings that software takes along with others where nobody states them: gradients of another width where
** weights are sharded or matmuls are narrow, traffic of tensor parallelism under matmuls beside sequence
** parallelism. An estimate of one plan has them in its plan; the plans of a space get theirs here.
*/
#ifndef BP_SEARCH_FOLLOW_H
#define BP_SEARCH_FOLLOW_H

#include "kernel/describe/plan.h"
#include "kernel/field.h"

enum { BP_FOLLOWS = 64, BP_FOLLOW_ANY = -1 };

/* The field has the value in plans for which all of these hold that are not BP_FOLLOW_ANY. */
struct bp_follow {
    const struct bp_field *field;
    double value;
    int precision;         /* an enum bp_precision */
    int sharded;           /* whether ranks hold shards of the weights: ZeRO 3 over more than one */
    int sequence_parallel; /* 0 or 1 */
};

/* In their order: of several that hold for a field the last counts. */
struct bp_follows {
    size_t count;
    struct bp_follow list[BP_FOLLOWS];
};

/* Sets the fields of a resolved plan. */
void bp_follows_apply(const struct bp_follows *follows, struct bp_plan *plan);

/*
** Whether a part of an estimate that does not look at a field of the plan itself does so through one that
** follows it.
*/
int bp_follows_reach(const struct bp_follows *follows, enum bp_part part,
                     const struct bp_field *field);

/* Whether a field follows others. */
int bp_follows_set(const struct bp_follows *follows, const struct bp_field *field);

#endif
