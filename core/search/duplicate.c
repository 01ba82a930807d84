#include "duplicate.h"

#define AT(member) offsetof(struct bp_plan, member)

static int recomputes_all(const struct bp_plan *plan) {
    return plan->recompute == BP_RECOMPUTE_FULL && plan->recompute_share >= 1;
}

/* Whether a field changes nothing in this plan, whatever its value. */
static int is_inert(const struct bp_model *model, const struct bp_plan *plan,
                    const struct bp_field *field) {
    switch (field->offset) {
    case AT(sequence_parallel):
    case AT(overlap_tp):
        return plan->tp == 1;
    case AT(overlap_ep):
        return plan->ep * plan->etp == 1;
    case AT(zero):
    case AT(overlap_dp):
        return plan->dp * plan->cp == 1 && (model->experts == 0 || plan->tp == 1);
    case AT(schedule):
    case AT(rank_order):
        return plan->pp == 1;
    case AT(split):
        return plan->pp == 1 || bp_plan_is_cut(plan);
    case AT(recompute_share):
        return plan->recompute == BP_RECOMPUTE_NONE;
    case AT(recompute_up_proj):
        return model->kv_lora_rank == 0 || recomputes_all(plan);
    case AT(recompute_mlp):
        return model->ffn_hidden == 0 || recomputes_all(plan);
    case AT(recompute_moe):
        return model->experts == 0 || recomputes_all(plan);
    case AT(recompute_shared):
        return model->shared_ffn == 0 || plan->recompute_moe || recomputes_all(plan);
    case AT(recompute_norms):
    case AT(recompute_activation):
        return recomputes_all(plan);
    default:
        return 0;
    }
}

/* A derived field written as 0 here and as its number there: whether the other came first. */
static int is_alias(const struct bp_walk_dim *dim, int64_t value, int64_t follows) {
    size_t i;
    for (i = 0; i < dim->digit; i++) {
        int64_t other = (int64_t)dim->values[i];
        if ((other == 0 ? follows : other) == value) {
            return 1;
        }
    }
    return 0;
}

static const struct bp_walk_dim *dim_of(const struct bp_walk *walk, size_t offset) {
    size_t i;
    for (i = 0; i < walk->count; i++) {
        if (walk->dims[i].field->offset == offset) {
            return &walk->dims[i];
        }
    }
    return NULL;
}

/*
** A share of 0 is no recompute, in whatever mode: of all such plans the first counts. It has the first
** mode, for that, too, is there with a share of 0.
*/
static int recomputes_nothing_again(const struct bp_walk *walk, const struct bp_plan *plan) {
    const struct bp_walk_dim *mode, *share;
    size_t zero = 0;
    if (plan->recompute != BP_RECOMPUTE_NONE && plan->recompute_share > 0) {
        return 0;
    }
    share = dim_of(walk, AT(recompute_share));
    while (share && zero < share->count && share->values[zero] != 0) {
        zero++;
    }
    if (share ? zero == share->count : plan->recompute_share > 0) {
        return 0; /* no share of 0 is there */
    }
    mode = dim_of(walk, AT(recompute));
    if (!mode) {
        return 0;
    }
    return mode->digit > 0 ||
           (share && plan->recompute != BP_RECOMPUTE_NONE && share->digit != zero);
}

/*
** An end stage that is given as many layers as it has unasked; other is what is given for the other end.
*/
static int is_cut_again(const struct bp_walk_dim *dim, const struct bp_model *model,
                        const struct bp_plan *plan, int64_t given, int64_t other) {
    int64_t stages = plan->pp - (other > 0), rest = model->layers - other, share;
    if (stages < 1 || plan->pp == 1 || (other == 0 && plan->split != BP_SPLIT_LAYERS)) {
        return 0;
    }
    share = rest % stages == 0 ? rest / stages : -1;
    return is_alias(dim, given > 0 ? given : share, share);
}

/* The first value of a dimension is nobody's duplicate. */
int bp_is_duplicate(const struct bp_walk *walk, const struct bp_model *model,
                    const struct bp_plan *plan) {
    size_t i;
    if (recomputes_nothing_again(walk, plan)) {
        return 1;
    }
    for (i = 0; i < walk->count; i++) {
        const struct bp_walk_dim *dim = &walk->dims[i];
        if (dim->digit == 0) {
            continue;
        }
        if (dim->field->offset == AT(dp) && is_alias(dim, plan->dp, plan->dp)) {
            return 1;
        }
        if (dim->field->offset == AT(shard) && is_alias(dim, plan->shard, plan->dp * plan->cp)) {
            return 1;
        }
        if ((dim->field->offset == AT(first_layers) &&
             is_cut_again(dim, model, plan, plan->first_layers, plan->last_layers)) ||
            (dim->field->offset == AT(last_layers) &&
             is_cut_again(dim, model, plan, plan->last_layers, plan->first_layers))) {
            return 1;
        }
        /* ZeRO-2 in a pipeline, which accumulates whole gradients, is ZeRO-1. */
        if (dim->field->offset == AT(zero) && plan->zero == 2 && plan->pp > 1 &&
            is_alias(dim, 1, 0)) {
            return 1;
        }
        if (is_inert(model, plan, dim->field)) {
            return 1;
        }
    }
    return 0;
}

uint64_t bp_distinct(const struct bp_walk *walk, size_t places, const struct bp_model *model,
                     const struct bp_plan *plan) {
    uint64_t distinct = 1;
    size_t i;
    for (i = places; i < walk->count; i++) {
        distinct *= is_inert(model, plan, walk->dims[i].field) ? 1 : walk->dims[i].count;
    }
    return distinct;
}
