#include "search.h"

#include <math.h>
#include <string.h>

#include "duplicate.h"

/* What needs more bytes than can be counted does not fit. */
static void set_uncountable(const struct bp_train_case *c, struct bp_train_memory *memory) {
    memset(memory, 0, sizeof *memory);
    memory->total_bytes = INT64_MAX;
    memory->capacity_bytes = c->device->memory_bytes;
}

/* Where a run stands: the plan in hand, what is known of it, and what it shares with others. */
struct run {
    const struct bp_search *search;
    struct bp_memo *memo; /* may be NULL */
    struct bp_walk walk;
    struct bp_repeats repeats;
    struct bp_train_case c;
    struct bp_candidate at;
    struct bp_found *found;
    int64_t limit_bytes;
    int is_checked; /* at.plan is valid in structure but for what changes next */
    int is_sized;   /* at.memory is that of the plan in hand */
    struct bp_error *err;
};

static int size_up(struct run *r) {
    int code = r->memo ? bp_memo_memory(r->memo, &r->walk, &r->c, &r->at.memory, r->err)
                       : bp_train_memory(&r->c, &r->at.memory, r->err);
    if (code == BP_EOVERFLOW) {
        set_uncountable(&r->c, &r->at.memory);
        return BP_OK;
    }
    return code;
}

static int time_up(struct run *r) {
    int code = r->memo ? bp_memo_time(r->memo, &r->walk, &r->c, &r->at.time, r->err)
                       : bp_train_time(&r->c, &r->at.time, r->err);
    if (code == BP_OK) {
        r->at.scored = 0;
        bp_candidate_price(r->search, &r->at, r->search->terms.usd_h);
    }
    return code;
}

static void start(struct run *r, const struct bp_search *search, struct bp_error *err) {
    r->search = search;
    r->memo = NULL;
    r->c = search->site;
    r->c.plan = &r->at.plan;
    r->limit_bytes = bp_search_limit(search);
    r->err = err;
}

/* Memory decides before any time is spent on time. */
int bp_search_weigh(const struct bp_search *search, struct bp_candidate *candidate,
                    enum bp_reject *reason, struct bp_error *err) {
    struct run r;
    int code;
    *reason = bp_search_check(search, &candidate->plan, err);
    if (*reason) {
        return BP_OK;
    }
    start(&r, search, err);
    r.at = *candidate;
    code = size_up(&r);
    if (code == BP_OK && bp_memory_over(&r.at.memory, r.limit_bytes) > 0) {
        *reason = BP_REJECT_MEMORY;
    } else if (code == BP_OK) {
        code = time_up(&r);
    }
    *candidate = r.at;
    return code;
}

static void reject_by_rule(struct bp_found *found, const struct bp_candidate *c) {
    found->evaluated++;
    bp_tally_add(&found->tally, BP_REJECT_COUNT + c->rule, 1, c->index, c->rank);
}

/* A plan that fits. */
static int take(struct run *r) {
    enum bp_reject reason;
    int code = time_up(r);
    r->at.index = r->walk.index;
    if (!code) {
        code = bp_search_judge(r->search, &r->at, &reason);
    }
    if (code) {
        return code;
    }
    if (reason) {
        reject_by_rule(r->found, &r->at);
    } else if (isfinite(r->at.rank)) {
        bp_search_keep(r->search, &r->at, r->found);
    } else {
        return bp_fail(r->err, BP_EDOMAIN, "plan", "its estimate is not a finite number");
    }
    return BP_OK;
}

/* Positions from here on, up to end, that share the first places. */
static uint64_t left_in_run(const struct run *r, size_t places, uint64_t end) {
    uint64_t run = bp_walk_run(&r->walk, places);
    uint64_t left = run - r->walk.position % run;
    return left < end - r->walk.position ? left : end - r->walk.position;
}

/* Counts all plans up to end that share the structural reason of this one. */
static size_t reject_checked(struct run *r, enum bp_reject reason, uint64_t end) {
    size_t places = bp_walk_places(&r->walk, reason);
    uint64_t count = left_in_run(r, places, end);
    r->found->evaluated += count;
    bp_tally_add(&r->found->tally, reason, count, r->walk.index, 0);
    return bp_walk_next(&r->walk, places);
}

/*
** Counts the plans up to end that need the same memory: the first is no duplicate, so within a whole
** run the others that are can be counted. A run that end cuts is gone through one by one.
*/
static size_t reject_sized(struct run *r, uint64_t end) {
    size_t places = r->walk.sized;
    uint64_t run = bp_walk_run(&r->walk, places), count = 1, again = 0;
    if (r->walk.position % run == 0 && left_in_run(r, places, end) == run) {
        count = bp_distinct(&r->walk, places, &r->c);
        again = run - count;
    } else {
        places = r->walk.count;
    }
    r->found->evaluated += count;
    r->found->duplicates += again;
    bp_tally_add(&r->found->tally, BP_REJECT_MEMORY, count, r->walk.index,
                 (double)bp_memory_over(&r->at.memory, r->limit_bytes));
    return bp_walk_next(&r->walk, places);
}

/* Copies the fields of the walk's plan that have changed; the derived ones stay. */
static void follow(struct run *r, size_t from) {
    size_t i;
    for (i = from; i < r->walk.count; i++) {
        const struct bp_walk_dim *dim = &r->walk.dims[i];
        bp_plan_set(&r->at.plan, dim->field, dim->values[dim->digit]);
    }
}

/*
** Memory and all that follows, of a plan that is valid in structure; *changed is the slowest dimension
** that may make it a duplicate now, and becomes the next change.
*/
static int estimate(struct run *r, uint64_t end, size_t *changed) {
    size_t places = bp_repeated_places(&r->repeats, &r->walk, &r->c, *changed);
    int code = BP_OK;
    if (places > 0) {
        r->found->duplicates += left_in_run(r, places, end);
        *changed = bp_walk_next(&r->walk, places);
        return BP_OK;
    }
    if (!r->is_sized) {
        code = size_up(r);
        r->is_sized = 1;
    }
    if (code == BP_OK && bp_memory_over(&r->at.memory, r->limit_bytes) > 0) {
        *changed = reject_sized(r, end);
        return BP_OK;
    }
    code = code ? code : take(r);
    *changed = bp_walk_next(&r->walk, r->walk.count);
    return code;
}

/* Whether no plan that agrees in the checked fields can be among the best. */
static int is_beyond(struct run *r, double *bound) {
    if (!r->memo || isinf(r->search->threshold)) {
        return 0;
    }
    *bound = bp_search_floor(r->search, bp_memo_least_step(r->memo, &r->walk, &r->c));
    return *bound > r->search->threshold;
}

static size_t skip_bounded(struct run *r, double bound, uint64_t end) {
    uint64_t count = left_in_run(r, r->walk.checked, end);
    r->found->evaluated += count;
    bp_tally_add(&r->found->tally, BP_TALLY_BOUNDED, count, r->walk.index, bound);
    return bp_walk_next(&r->walk, r->walk.checked);
}

/* The plan at which the walk stands; `changed` is the slowest dimension that has changed. */
static int visit(struct run *r, uint64_t end, size_t *changed) {
    enum bp_reject reason;
    double bound;
    r->is_sized = r->is_sized && *changed >= r->walk.sized;
    if (r->is_checked && *changed >= r->walk.checked) {
        follow(r, *changed);
        return estimate(r, end, changed);
    }
    r->at.plan = r->walk.plan;
    bp_space_settle(r->search->space, r->c.network, &r->at.plan);
    reason = bp_search_check(r->search, &r->at.plan, NULL);
    if (reason) {
        *changed = reject_checked(r, reason, end);
        return BP_OK;
    }
    r->is_checked = 1;
    if (r->memo) {
        bp_memo_turn(r->memo, &r->walk);
    }
    if (is_beyond(r, &bound)) {
        *changed = skip_bounded(r, bound, end);
        return BP_OK;
    }
    *changed = 0;
    return estimate(r, end, changed);
}

int bp_search_run(const struct bp_search *search, struct bp_memo *memo, uint64_t begin,
                  uint64_t end, struct bp_found *found, struct bp_error *err) {
    struct run r;
    size_t changed = 0;
    int code = BP_OK;
    start(&r, search, err);
    r.memo = memo;
    r.found = found;
    r.is_checked = r.is_sized = 0;
    bp_walk_init(&r.walk, search->space);
    bp_repeats_init(&r.repeats, &r.walk);
    bp_walk_seek(&r.walk, begin);
    r.at.plan = r.walk.plan;
    while (code == BP_OK && r.walk.position < end) {
        code = visit(&r, end, &changed);
    }
    return code;
}
