#include "search.h"

#include <math.h>
#include <string.h>

#include "launch.h"

/* What the run's inner steps return besides BP_OK and the codes of kernels. */
enum { STOPPED = -1 };

void bp_search_init(struct bp_search *search) {
    memset(search, 0, sizeof *search);
    search->objectives[0] = BP_OBJECTIVE_STEP_S;
    search->terms.pue = 1;
    search->threshold = INFINITY;
}

/* On one system all plans take the same devices: fewer devices means the fastest on these. */
static enum bp_objective ordering(const struct bp_search *search) {
    enum bp_objective objective = search->objectives[0];
    return objective == BP_OBJECTIVE_DEVICES ? BP_OBJECTIVE_STEP_S : objective;
}

static double value_of(const struct bp_search *search, const struct bp_candidate *c,
                       enum bp_objective objective) {
    return bp_objective_value(objective, &search->site, &c->memory, &c->time, &c->worth);
}

/* The rank of a plan that has to be better than others by a share; only what follows time can be. */
static double behind(enum bp_objective order, double rank, double handicap) {
    if (!bp_objective_follows_time(order)) {
        return rank;
    }
    return rank < 0 ? rank / (1 + handicap) : rank * (1 + handicap);
}

static void take_score(const struct bp_search *search, struct bp_candidate *c) {
    enum bp_objective order = ordering(search);
    if (c->scored) {
        c->rank = -c->score;
        return;
    }
    c->score = value_of(search, c, search->objectives[0]);
    c->rank =
        behind(order, bp_objective_rank(order, value_of(search, c, order)), c->worth.handicap);
}

void bp_candidate_price(const struct bp_search *search, struct bp_candidate *c, double usd_h) {
    c->worth = bp_worth_of(&search->site, &search->terms, &c->memory, &c->time, usd_h);
    bp_launch_unusual(&search->site, &c->plan, &c->worth);
    take_score(search, c);
}

/* A step a little shorter than the bound: rounding must not make a bound of a value. */
#define BOUND_SLACK 1e-9

double bp_search_floor(const struct bp_search *search, double step_s) {
    const struct bp_job *job = search->site.job;
    enum bp_objective objective = ordering(search);
    struct bp_train_memory memory = {0};
    struct bp_train_time time = {0};
    struct bp_worth worth;
    if (!bp_objective_follows_time(objective)) {
        return -INFINITY;
    }
    time.step_s = step_s * (1 - BOUND_SLACK);
    time.tokens_per_s = (double)job->global_batch * (double)job->seq_len / time.step_s;
    worth = bp_worth_of(&search->site, &search->terms, &memory, &time, search->terms.usd_h);
    return bp_objective_rank(objective,
                             bp_objective_value(objective, &search->site, &memory, &time, &worth));
}

/* A number format the device has no peak for cannot be timed. */
static enum bp_reject check_precision(const struct bp_search *search, const struct bp_plan *plan,
                                      struct bp_error *err) {
    if (bp_case_has_units(search->site.device, plan)) {
        return BP_REJECT_NONE;
    }
    bp_fail(err, BP_EPLAN, "plan.precision", "the device has no peak for %s",
            bp_precision_names[plan->precision]);
    return BP_REJECT_PRECISION;
}

enum bp_reject bp_search_check(const struct bp_search *search, struct bp_plan *plan,
                               struct bp_error *err) {
    const struct bp_train_case *site = &search->site;
    enum bp_reject reason;
    bp_plan_resolve(plan, site->network);
    reason = bp_plan_check(site->model, site->network, plan, site->job, err);
    if (reason == BP_REJECT_NONE || reason > BP_REJECT_SCHEDULE) {
        enum bp_reject refused = bp_launch_check(site, plan, search->launched, err);
        reason = refused ? refused : reason;
    }
    return reason ? reason : check_precision(search, plan, err);
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

/* A number for the fields in which kept plans are to differ; never 0. Two plans that differ get the
** same one with a chance of 2^-64. */
static uint64_t group_of(const struct bp_search *search, const struct bp_plan *plan) {
    uint64_t group = 0x9e3779b97f4a7c15u, bits;
    size_t i;
    for (i = 0; i < search->differ_count; i++) {
        double value = bp_plan_get(plan, search->differ[i]);
        memcpy(&bits, &value, sizeof bits);
        group = (group ^ bits) * 0xbf58476d1ce4e5b9u;
        group ^= group >> 29;
    }
    return search->differ_count > 0 ? group | 1 : 0;
}

static void offer_to_front(const struct bp_search *search, const struct bp_candidate *c,
                           struct bp_found *found) {
    struct bp_front_entry entry = {{0}, c->index, c->worth.usd_h};
    size_t i;
    for (i = 0; i < search->objectives_count; i++) {
        enum bp_objective objective = search->objectives[i];
        entry.ranks[i] = bp_objective_rank(objective, value_of(search, c, objective));
    }
    bp_front_offer(&found->front, &entry);
}

void bp_search_keep(const struct bp_search *search, const struct bp_candidate *c,
                    struct bp_found *found) {
    struct bp_topk_entry entry = {
        c->rank, c->index, c->score, c->worth.usd_h, 0, c->time.step_s * (1 + c->worth.handicap)};
    found->evaluated++;
    found->feasible++;
    found->ahead += c->rank < found->mark;
    if (c->rank <= bp_topk_worst(&found->topk)) {
        entry.group = group_of(search, &c->plan);
        bp_topk_offer(&found->topk, &entry);
    }
    if (search->objectives_count > 1) {
        offer_to_front(search, c, found);
    }
}
