/*
** The space of a search: a base plan and, for every field that varies, the list of its values.
** A plan of the space is an index; the first dimension varies slowest. Dimensions stand in the
** order of the plan's field list whatever order they are given in, so an index means the same plan
** in every run, thread and shard.
*/
#ifndef BP_SEARCH_SPACE_H
#define BP_SEARCH_SPACE_H

#include "follow.h"
#include "kernel/describe/plan.h"
#include "kernel/field.h"
#include "kernel/status.h"

/* Values of all dimensions together; a plan has some thirty fields, lists of hundreds are already unusual. */
enum { BP_SPACE_DIMS = 40, BP_SPACE_VALUES = 4096 };

struct bp_dim {
    const struct bp_field *field;
    size_t first, count; /* in bp_space.values */
};

struct bp_space {
    struct bp_plan base;
    size_t dims_count, values_count;
    struct bp_dim dims[BP_SPACE_DIMS];
    double values[BP_SPACE_VALUES];
    uint64_t size; /* plans; 1 when nothing varies */
    struct bp_follows follows;
};

/* Says that the list of a field is wrong; returns the code of the error. */
int bp_space_fail(struct bp_error *err, const struct bp_field *field, const char *text);

/* A space of one plan, the base. */
void bp_space_init(struct bp_space *space, const struct bp_plan *base);

/*
** Lets a field of the plan vary over values. Errors (field "space.<name>"): an empty list, a value
** twice, a field twice, too many values, more than 2^63 plans.
*/
int bp_space_add(struct bp_space *space, const struct bp_field *field, const double *values,
                 size_t count, struct bp_error *err);

/* The plan at index < size; derived fields (dp = 0) are not filled in. */
void bp_space_decode(const struct bp_space *space, uint64_t index, struct bp_plan *plan);

/* Fills in the derived fields of a plan of the space, and the settings that follow others. */
void bp_space_settle(const struct bp_space *space, const struct bp_network *network,
                     struct bp_plan *plan);

/* A field of a plan as a number, and back. */
static inline double bp_plan_get(const struct bp_plan *plan, const struct bp_field *field) {
    return bp_field_get(field, plan);
}

static inline void bp_plan_set(struct bp_plan *plan, const struct bp_field *field, double value) {
    bp_field_set(field, plan, value);
}

#endif
