#include "search.h"

#include <math.h>
#include <string.h>

#include "duplicate.h"

BP_DEFINE_ENUM(bp_objective, BP_OBJECTIVE);
BP_DEFINE_SCHEMA(bp_worth, BP_WORTH_FIELDS, "worth", "price and slack of an estimate");

/* What the run's inner steps return besides BP_OK and the codes of kernels. */
enum { STOPPED = -1 };

void bp_found_init(struct bp_found *found, struct bp_topk_entry *room, size_t capacity,
                   double mark) {
    found->evaluated = 0;
    found->feasible = 0;
    found->duplicates = 0;
    found->ahead = 0;
    found->mark = mark;
    bp_tally_init(&found->tally);
    bp_topk_init(&found->topk, room, capacity);
}

static void take_score(const struct bp_search *search, struct bp_candidate *c) {
    int more_is_better = 1;
    if (c->scored) {
        c->rank = -c->score;
        return;
    }
    switch (search->objective) {
    case BP_OBJECTIVE_STEP_S:
        c->score = c->time.step_s;
        more_is_better = 0;
        break;
    case BP_OBJECTIVE_TOKENS_PER_S:
        c->score = c->time.tokens_per_s;
        break;
    case BP_OBJECTIVE_MFU_FRAC:
        c->score = c->time.mfu_frac;
        break;
    case BP_OBJECTIVE_STEP_USD:
        c->score = c->worth.step_usd;
        more_is_better = 0;
        break;
    case BP_OBJECTIVE_TOK_USD:
        c->score = c->worth.tok_usd;
        more_is_better = 0;
        break;
    case BP_OBJECTIVE_HEADROOM_BYTES:
        c->score = (double)c->worth.headroom_bytes;
        break;
    }
    c->rank = more_is_better ? -c->score : c->score;
}

void bp_candidate_price(const struct bp_search *search, struct bp_candidate *c, double usd_h) {
    double devices = (double)search->site.network->devices;
    double tokens = c->time.tokens_per_s * c->time.step_s;
    c->worth.usd_h = usd_h;
    c->worth.step_usd = usd_h * devices * c->time.step_s / 3600;
    c->worth.tok_usd = tokens > 0 ? c->worth.step_usd / tokens : 0;
    take_score(search, c);
}

static void take_worth(const struct bp_search *search, struct bp_candidate *c) {
    const struct bp_network *network = search->site.network;
    c->worth.headroom_bytes = c->memory.capacity_bytes - c->memory.total_bytes;
    c->worth.nodes = (network->devices + network->node_size - 1) / network->node_size;
    c->scored = 0;
    bp_candidate_price(search, c, search->usd_h);
}

/* A number format the device has no peak for cannot be timed. */
static enum bp_reject check_precision(const struct bp_search *search, const struct bp_plan *plan,
                                      struct bp_error *err) {
    if (bp_device_peak(search->site.device, bp_case_dtype(plan)) > 0) {
        return BP_REJECT_NONE;
    }
    bp_fail(err, BP_EPLAN, "plan.precision", "the device has no peak for %s",
            bp_precision_names[plan->precision]);
    return BP_REJECT_PRECISION;
}

static enum bp_reject check(const struct bp_search *search, struct bp_plan *plan,
                            struct bp_error *err) {
    const struct bp_train_case *site = &search->site;
    enum bp_reject reason;
    bp_plan_resolve(plan, site->network);
    reason = bp_plan_check(site->model, site->network, plan, site->job, err);
    return reason ? reason : check_precision(search, plan, err);
}

/* What needs more bytes than can be counted does not fit. */
static void set_uncountable(const struct bp_train_case *c, struct bp_train_memory *memory) {
    memset(memory, 0, sizeof *memory);
    memory->total_bytes = INT64_MAX;
    memory->capacity_bytes = c->device->memory_bytes;
}

/* z with a share `chance` of the normal distribution below it, by bisection: erfc has no inverse. */
static double normal_quantile(double chance) {
    double low = -8, high = 8;
    int i;
    for (i = 0; i < 60; i++) {
        double z = 0.5 * (low + high);
        if (0.5 * erfc(-z / sqrt(2.0)) < chance) {
            low = z;
        } else {
            high = z;
        }
    }
    return 0.5 * (low + high);
}

double bp_search_reserve(const struct bp_profile *profile, double chance) {
    return chance == 0.5 ? 0 : 1 - exp(-profile->memory_spread * normal_quantile(chance));
}

int64_t bp_search_limit(const struct bp_search *search) {
    return (int64_t)((double)search->site.device->memory_bytes * (1 - search->reserve));
}

/* Where a run stands: the plan in hand, what is known of it, and what it shares with others. */
struct run {
    const struct bp_search *search;
    struct bp_memo *memo; /* may be NULL */
    struct bp_walk walk;
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
        take_worth(r->search, &r->at);
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
    *reason = check(search, &candidate->plan, err);
    if (*reason) {
        return BP_OK;
    }
    start(&r, search, err);
    r.at = *candidate;
    code = size_up(&r);
    if (code == BP_OK && r.at.memory.total_bytes > r.limit_bytes) {
        *reason = BP_REJECT_MEMORY;
    } else if (code == BP_OK) {
        code = time_up(&r);
    }
    *candidate = r.at;
    return code;
}

int bp_search_judge(const struct bp_search *search, struct bp_candidate *candidate,
                    enum bp_reject *reason) {
    *reason = BP_REJECT_NONE;
    if (search->judge) {
        switch (search->judge(search->judge_data, candidate)) {
        case BP_JUDGE_KEEP:
            take_score(search, candidate);
            break;
        case BP_JUDGE_REJECT:
            *reason = BP_REJECT_RULE;
            break;
        case BP_JUDGE_STOP:
            return STOPPED;
        }
    }
    return BP_OK;
}

static void keep(struct bp_found *found, const struct bp_candidate *c) {
    struct bp_topk_entry entry = {c->rank, c->index, c->score, c->worth.usd_h};
    found->evaluated++;
    found->feasible++;
    found->ahead += c->rank < found->mark;
    bp_topk_offer(&found->topk, &entry);
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
        keep(r->found, &r->at);
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
        count = bp_distinct(&r->walk, places, r->c.model, &r->at.plan);
        again = run - count;
    } else {
        places = r->walk.count;
    }
    r->found->evaluated += count;
    r->found->duplicates += again;
    bp_tally_add(&r->found->tally, BP_REJECT_MEMORY, count, r->walk.index,
                 (double)(r->at.memory.total_bytes - r->limit_bytes));
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

/* Memory and all that follows, of a plan that is valid in structure; *next becomes the change. */
static int estimate(struct run *r, uint64_t end, size_t *next) {
    int code = BP_OK;
    if (bp_is_duplicate(&r->walk, r->c.model, &r->at.plan)) {
        r->found->duplicates++;
        *next = bp_walk_next(&r->walk, r->walk.count);
        return BP_OK;
    }
    if (!r->is_sized) {
        code = size_up(r);
        r->is_sized = 1;
    }
    if (code == BP_OK && r->at.memory.total_bytes > r->limit_bytes) {
        *next = reject_sized(r, end);
        return BP_OK;
    }
    code = code ? code : take(r);
    *next = bp_walk_next(&r->walk, r->walk.count);
    return code;
}

/* The plan at which the walk stands; `changed` is the slowest dimension that has changed. */
static int visit(struct run *r, uint64_t end, size_t *changed) {
    enum bp_reject reason;
    r->is_sized = r->is_sized && *changed >= r->walk.sized;
    if (r->is_checked && *changed >= r->walk.checked) {
        follow(r, *changed);
        return estimate(r, end, changed);
    }
    r->at.plan = r->walk.plan;
    reason = check(r->search, &r->at.plan, NULL);
    if (reason) {
        *changed = reject_checked(r, reason, end);
        return BP_OK;
    }
    r->is_checked = 1;
    if (r->memo) {
        bp_memo_turn(r->memo, &r->walk);
    }
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
    bp_walk_seek(&r.walk, begin);
    r.at.plan = r.walk.plan;
    while (code == BP_OK && r.walk.position < end) {
        code = visit(&r, end, &changed);
    }
    return code;
}
