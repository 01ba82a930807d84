#include "search.h"

#include <math.h>
#include <string.h>

#include "duplicate.h"
#include "skip.h"

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
static int size_up(const struct bp_train_case *c, struct bp_train_memory *memory,
                   struct bp_error *err) {
    int code = bp_train_memory(c, memory, err);
    if (code == BP_EOVERFLOW) {
        memset(memory, 0, sizeof *memory);
        memory->total_bytes = INT64_MAX;
        memory->capacity_bytes = c->device->memory_bytes;
        return BP_OK;
    }
    return code;
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

/* Memory decides before any time is spent on time. */
static int estimate(const struct bp_search *search, struct bp_candidate *candidate,
                    enum bp_reject *reason, struct bp_error *err) {
    struct bp_train_case c = search->site;
    int code;
    c.plan = &candidate->plan;
    code = size_up(&c, &candidate->memory, err);
    if (code) {
        return code;
    }
    if (candidate->memory.total_bytes > bp_search_limit(search)) {
        *reason = BP_REJECT_MEMORY;
        return BP_OK;
    }
    *reason = BP_REJECT_NONE;
    code = bp_train_time(&c, &candidate->time, err);
    if (code == BP_OK) {
        take_worth(search, candidate);
    }
    return code;
}

int bp_search_weigh(const struct bp_search *search, struct bp_candidate *candidate,
                    enum bp_reject *reason, struct bp_error *err) {
    *reason = check(search, &candidate->plan, err);
    return *reason ? BP_OK : estimate(search, candidate, reason, err);
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

static void reject(const struct bp_search *search, struct bp_found *found,
                   const struct bp_candidate *c, enum bp_reject reason) {
    found->evaluated++;
    if (reason == BP_REJECT_RULE) {
        bp_tally_add(&found->tally, BP_REJECT_COUNT + c->rule, 1, c->index, c->rank);
    } else {
        bp_tally_add(&found->tally, reason, 1, c->index,
                     (double)(c->memory.total_bytes - bp_search_limit(search)));
    }
}

static void keep(struct bp_found *found, const struct bp_candidate *c) {
    struct bp_topk_entry entry = {c->rank, c->index, c->score, c->worth.usd_h};
    found->evaluated++;
    found->feasible++;
    found->ahead += c->rank < found->mark;
    bp_topk_offer(&found->topk, &entry);
}

/* A plan that is valid in structure. */
static int take(const struct bp_search *search, struct bp_candidate *c, struct bp_found *found,
                struct bp_error *err) {
    enum bp_reject reason;
    int code = estimate(search, c, &reason, err);
    if (!code && !reason) {
        code = bp_search_judge(search, c, &reason);
    }
    if (code) {
        return code;
    }
    if (reason) {
        reject(search, found, c, reason);
    } else if (isfinite(c->rank)) {
        keep(found, c);
    } else {
        return bp_fail(err, BP_EDOMAIN, "plan", "its estimate is not a finite number");
    }
    return BP_OK;
}

/* Counts all plans up to end that share the structural reason of this one; returns how many. */
static uint64_t reject_run(struct bp_found *found, enum bp_reject reason, uint64_t index,
                           uint64_t end, uint64_t length) {
    uint64_t count = length - index % length;
    if (count > end - index) {
        count = end - index;
    }
    found->evaluated += count;
    bp_tally_add(&found->tally, reason, count, index, 0);
    return count;
}

int bp_search_run(const struct bp_search *search, uint64_t begin, uint64_t end,
                  struct bp_found *found, struct bp_error *err) {
    uint64_t lengths[BP_REJECT_COUNT];
    struct bp_candidate c;
    bp_skip_lengths(search->space, lengths);
    for (c.index = begin; c.index < end;) {
        enum bp_reject reason;
        bp_space_decode(search->space, c.index, &c.plan);
        reason = check(search, &c.plan, NULL);
        if (reason) {
            c.index += reject_run(found, reason, c.index, end, lengths[reason]);
            continue;
        }
        if (bp_is_duplicate(search->space, search->site.model, c.index, &c.plan)) {
            found->duplicates++;
        } else {
            int code = take(search, &c, found, err);
            if (code) {
                return code;
            }
        }
        c.index++;
    }
    return BP_OK;
}
