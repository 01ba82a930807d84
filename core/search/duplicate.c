#include "duplicate.h"

/* Whether a field changes nothing in this plan, whatever its value. */
static int is_inert(const struct bp_model *model, const struct bp_plan *plan,
                    const struct bp_field *field) {
    int one_replica = plan->dp * plan->cp == 1 && (model->experts == 0 || plan->tp == 1);
    switch (field->offset) {
    case offsetof(struct bp_plan, sequence_parallel):
    case offsetof(struct bp_plan, overlap_tp):
        return plan->tp == 1;
    case offsetof(struct bp_plan, overlap_ep):
        return plan->ep == 1;
    case offsetof(struct bp_plan, zero):
    case offsetof(struct bp_plan, overlap_dp):
        return one_replica;
    case offsetof(struct bp_plan, schedule):
        return plan->pp == 1;
    case offsetof(struct bp_plan, recompute_share):
        return plan->recompute == BP_RECOMPUTE_NONE;
    default:
        return 0;
    }
}

/* A derived field written as 0 here and as its number there: whether the other came first. */
static int is_alias(const struct bp_space *space, uint64_t index, size_t dim, int64_t value,
                    int64_t follows) {
    const double *values = space->values + space->dims[dim].first;
    size_t digit = bp_space_digit(space, index, dim), i;
    for (i = 0; i < digit; i++) {
        int64_t other = (int64_t)values[i];
        if ((other == 0 ? follows : other) == value) {
            return 1;
        }
    }
    return 0;
}

/* ZeRO-2 in a pipeline, which accumulates whole gradients, is ZeRO-1: whether that came first. */
static int is_zero_one(const struct bp_space *space, uint64_t index, size_t dim,
                       const struct bp_plan *plan) {
    return plan->zero == 2 && plan->pp > 1 && is_alias(space, index, dim, 1, 0);
}

int bp_is_duplicate(const struct bp_space *space, const struct bp_model *model, uint64_t index,
                    const struct bp_plan *plan) {
    size_t i;
    for (i = 0; i < space->dims_count; i++) {
        const struct bp_dim *dim = &space->dims[i];
        if (dim->count == 1) {
            continue;
        }
        if (dim->field->offset == offsetof(struct bp_plan, dp)) {
            if (is_alias(space, index, i, plan->dp, plan->dp)) {
                return 1;
            }
        } else if (dim->field->offset == offsetof(struct bp_plan, shard)) {
            if (is_alias(space, index, i, plan->shard, plan->dp * plan->cp)) {
                return 1;
            }
        } else if (dim->field->offset == offsetof(struct bp_plan, zero) &&
                   is_zero_one(space, index, i, plan)) {
            return 1;
        } else if (bp_plan_get(plan, dim->field) != space->values[dim->first] &&
                   is_inert(model, plan, dim->field)) {
            return 1;
        }
    }
    return 0;
}
