#include "duplicate.h"

#include "kernel/train/plan_means.h"
#include "launch.h"

#define AT(member) offsetof(struct bp_plan, member)

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

static int is_before(const struct bp_walk_dim *dim, double value) {
    size_t i;
    for (i = 0; i < dim->digit && dim->values[i] != value; i++) {
    }
    return i < dim->digit;
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

/* Whether plans of the space have this value of a field, in which `plan` is one of them. */
static int has_value(const struct bp_walk *walk, size_t offset, double value, double here) {
    const struct bp_walk_dim *dim = dim_of(walk, offset);
    size_t i;
    if (!dim) {
        return here == value;
    }
    for (i = 0; i < dim->count && dim->values[i] != value; i++) {
    }
    return i < dim->count;
}

/*
** A share of 0 is no recompute, in whatever mode: of all such plans the first mode counts. Without such
** a share, of those without recompute the first share does.
*/
static int recomputes_nothing_again(const struct bp_walk *walk, const struct bp_plan *plan) {
    return (plan->recompute == BP_RECOMPUTE_NONE || plan->recompute_share <= 0) &&
           has_value(walk, AT(recompute_share), 0, plan->recompute_share);
}

/*
** Where selective recomputation makes queries, keys and values of the heads again, and nothing else, it
** is the field for that, and beside it does nothing.
*/
static int remakes_heads_again(const struct bp_walk *walk, const struct bp_walk_dim *mode,
                               const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    if (!bp_selective_is_up_proj(c)) {
        return 0;
    }
    switch ((enum bp_recompute)plan->recompute) {
    case BP_RECOMPUTE_SELECTIVE:
        return is_before(mode, BP_RECOMPUTE_NONE) &&
               (plan->recompute_up_proj ||
                (plan->recompute_share >= 1 && has_value(walk, AT(recompute_up_proj), 1, 0)));
    case BP_RECOMPUTE_NONE:
        return plan->recompute_up_proj && is_before(mode, BP_RECOMPUTE_SELECTIVE);
    case BP_RECOMPUTE_FULL:
        break;
    }
    return 0;
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

/* ZeRO-2 in a pipeline, which accumulates whole gradients, is ZeRO-1 where the software has that. */
static int is_zero_again(const struct bp_walk_dim *dim, const struct bp_train_case *c) {
    int64_t zero = c->plan->zero, other = zero == 1 ? 2 : 1;
    return c->plan->pp > 1 && (zero == 1 || zero == 2) && is_before(dim, (double)other) &&
           bp_launches_zero(c->profile, other);
}

/* Of weights that are not sharded, every number of ranks that they could be sharded over. */
static int is_shard_again(const struct bp_walk_dim *dim, const struct bp_plan *plan) {
    int64_t ranks = plan->dp * plan->cp;
    size_t i;
    if (plan->zero > 0) {
        return is_alias(dim, plan->shard, ranks);
    }
    for (i = 0; i < dim->digit && dim->values[i] != 0 && ranks % (int64_t)dim->values[i] != 0;
         i++) {
    }
    return i < dim->digit;
}

/* Whether the plan is one with another value of this dimension, which has not its first. */
static int is_again(const struct bp_walk *walk, const struct bp_walk_dim *dim,
                    const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    switch ((enum bp_repeats_by)dim->field->repeats) {
    case BP_REPEATS_UNREAD:
        return !bp_plan_means(c, dim->field);
    case BP_REPEATS_NEVER:
        return 0;
    case BP_REPEATS_DP:
        return is_alias(dim, plan->dp, plan->dp);
    case BP_REPEATS_MASTER: /* 2 bytes are for those who say so */
        return !bp_plan_means(c, dim->field) && is_before(dim, plan->master_bytes > 0 ? 0 : 4);
    case BP_REPEATS_SHARD:
        return is_shard_again(dim, plan);
    case BP_REPEATS_FIRST:
        return is_cut_again(dim, c->model, plan, plan->first_layers, plan->last_layers);
    case BP_REPEATS_LAST:
        return is_cut_again(dim, c->model, plan, plan->last_layers, plan->first_layers);
    case BP_REPEATS_MODE:
        return recomputes_nothing_again(walk, plan) || remakes_heads_again(walk, dim, c);
    case BP_REPEATS_ZERO:
        return is_zero_again(dim, c) || !bp_plan_means(c, dim->field);
    }
    return 0;
}

/* Whether fields that no check looks at have a say in is_again. */
static int is_open(const struct bp_field *field) {
    return field->repeats >= BP_REPEATS_SHARD || field->matters >= BP_MATTERS_RECOMPUTED;
}

void bp_repeats_init(struct bp_repeats *repeats, const struct bp_walk *walk) {
    size_t i;
    repeats->count = 0;
    for (i = 0; i < walk->count; i++) {
        if (is_open(walk->dims[i].field)) {
            repeats->open[repeats->count++] = i;
        }
    }
}

size_t bp_repeated_places(const struct bp_repeats *repeats, const struct bp_walk *walk,
                          const struct bp_train_case *c, size_t changed) {
    size_t i;
    for (i = changed; i < walk->count; i++) {
        const struct bp_walk_dim *dim = &walk->dims[i];
        if (dim->digit > 0 && !is_open(dim->field) && is_again(walk, dim, c)) {
            return i < walk->checked ? walk->checked : i + 1;
        }
    }
    for (i = 0; i < repeats->count; i++) {
        const struct bp_walk_dim *dim = &walk->dims[repeats->open[i]];
        if (dim->digit > 0 && is_again(walk, dim, c)) {
            return walk->count;
        }
    }
    return 0;
}

int bp_is_duplicate(const struct bp_walk *walk, const struct bp_train_case *c) {
    struct bp_repeats repeats;
    bp_repeats_init(&repeats, walk);
    return bp_repeated_places(&repeats, walk, c, 0) > 0;
}

uint64_t bp_distinct(const struct bp_walk *walk, size_t places, const struct bp_train_case *c) {
    uint64_t distinct = 1;
    size_t i;
    for (i = places; i < walk->count; i++) {
        distinct *= bp_plan_means(c, walk->dims[i].field) ? walk->dims[i].count : 1;
    }
    return distinct;
}
