#include "serving_state.h"

#include <math.h>

/* Share of the pool that stays free for sequences that run when a new one asks (vLLM's watermark). */
#define WATERMARK 0.01

double bp_admit_own(const struct bp_pool *p, const struct bp_request *q, double tokens) {
    double block = (double)p->serve.in.engine.block_tokens;
    double shared = fmin(p->shared, floor((double)q->input / block) * block);
    return ceil(fmax(1, tokens - shared) / block) * block;
}

int bp_admit_reserves(const struct bp_pool *p) {
    return p->serve.in.engine.reserve_output;
}

static double own_tokens(const struct bp_pool *p, const struct bp_request *q) {
    int whole_answer = bp_admit_reserves(p) && !p->prompts_only;
    return bp_admit_own(p, q, (double)q->context + (whole_answer ? (double)q->left : 0));
}

double bp_admit_tokens(const struct bp_pool *p, const struct bp_request *q) {
    return p->beside + own_tokens(p, q);
}

double bp_admit_held(const struct bp_pool *p, const struct bp_request *q) {
    return p->beside + (double)q->held;
}

/* Requests that came within the steps planned ahead are not in the next; an idle engine plans none. */
static double planned_s(const struct bp_replica *r) {
    double steps = bp_engine_ahead(&r->pool->serve.in.engine);
    return bp_groups_running(r) > 0 ? fmin(steps, 1) * r->last_s + fmax(0, steps - 1) * r->before_s
                                    : 0;
}

/* Between two steps the engine queues what has come; steps before now were as long as the last one. */
static double queued_s(const struct bp_replica *r, double ready_s) {
    double since = r->now - ready_s;
    return r->last_s > 0 ? r->now - floor(since / r->last_s) * r->last_s : r->now;
}

static void look(struct bp_serving_work *w, struct bp_replica *r) {
    double until = r->now - planned_s(r);
    while (r->pending.count > 0 && w->requests[r->pending.first].ready_s <= until) {
        int32_t id = bp_line_pop(w->requests, &r->pending);
        w->requests[id].ready_s = queued_s(r, w->requests[id].ready_s);
        bp_line_push(w->requests, &w->groups[w->requests[id].group].waiting, id);
    }
}

/* An engine with an interval polls every so many decode steps, after a prompt and when idle. */
void bp_admit_look(struct bp_serving_work *w, struct bp_replica *r) {
    int64_t interval = r->pool->serve.in.engine.recv_interval, since = r->tick - r->polled;
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        r->groups[i].full = 0;
    }
    if (r->after_prompt || !(bp_groups_running(r) > 0)) {
        r->polled = r->tick;
        look(w, r);
    } else if (since >= interval) {
        r->polled = r->tick - since % interval;
        if (r->polled == r->tick) {
            look(w, r);
        }
    }
}

static int any_partial(const struct bp_replica *r) {
    int32_t i;
    for (i = 0; i < r->pool->groups && r->groups[i].partial == BP_NONE; i++) {
    }
    return i < r->pool->groups;
}

/*
** Engines that wait for company hold prompts back while others decode, until each attention group has one or the wait is
** over (TensorRT-LLM, _balance_adp_requests of its py_executor.py, 2025).
*/
int bp_admit_holds_back(struct bp_replica *r) {
    const struct bp_engine *e = &r->pool->serve.in.engine;
    if (e->batch_wait == 0 || !(bp_groups_running(r) > 0) || any_partial(r) ||
        !(bp_groups_waiting(r) > 0) || (r->pool->groups > 1 && bp_groups_all_wait(r)) ||
        r->waited >= e->batch_wait) {
        r->waited = 0;
        return 0;
    }
    r->waited++;
    return 1;
}

static int has_room(const struct bp_serving_work *w, const struct bp_group *g,
                    const struct bp_request *q) {
    double growth = (double)g->running * g->pool->serve.advance; /* those that run come first */
    double kept =
        g->running > 0 && !bp_admit_reserves(g->pool) ? WATERMARK * g->pool->tokens + growth : 0;
    double shared = bp_cache_shared(w, q, q->group);
    return g->used + bp_admit_tokens(g->pool, q) - shared + kept <= g->pool->tokens;
}

/* What of a prompt is in the cache. */
static int32_t hit_of(const struct bp_serving_work *w, const struct bp_request *q) {
    return q->whole ? q->context : bp_cache_hit(w, q, q->group);
}

static void admit(struct bp_serving_work *w, struct bp_group *g, int32_t id) {
    struct bp_request *q = &w->requests[id];
    int32_t hit = hit_of(w, q);
    bp_router_arrived(w, q);
    q->done = hit;
    q->held = (int32_t)own_tokens(g->pool, q);
    g->used += bp_admit_held(g->pool, q);
    bp_cache_take(w, q->group, id);
    if (q->start_s < 0) {
        q->start_s = g->replica->now;
        q->cached = hit;
        w->cached_tokens += (double)hit;
        w->prompt_tokens += (double)q->input;
    }
}

static int32_t next_prompt(struct bp_serving_work *w, struct bp_group *g, double admitted) {
    int32_t id = g->partial;
    if (id != BP_NONE) {
        g->partial = BP_NONE;
        return id;
    }
    g->full = g->waiting.count > 0 && ((double)g->running + admitted >= g->pool->room ||
                                       !has_room(w, g, &w->requests[g->waiting.first]));
    if (g->full || g->waiting.count == 0) {
        return BP_NONE;
    }
    id = bp_line_pop(w->requests, &g->waiting);
    admit(w, g, id);
    return id;
}

/* Engines that do not cut prompts leave one for the next step that this step has no budget for. */
static int too_long(const struct bp_serving_work *w, const struct bp_group *g, double budget) {
    const struct bp_request *q;
    if (g->pool->serve.in.engine.chunked_prefill || !(g->piece.prompts > 0) ||
        g->partial != BP_NONE || g->waiting.count == 0) {
        return 0;
    }
    q = &w->requests[g->waiting.first];
    return (double)(q->context - hit_of(w, q)) > budget;
}

/*
** Takes prompts while tokens are left. Completed ones are kept behind the running in the heap's
** memory until the step is over. What came from another pool is complete without a token.
*/
void bp_admit_gather(struct bp_serving_work *w, struct bp_group *g, double budget) {
    struct bp_piece *p = &g->piece;
    int32_t *complete = g->heap + g->running;
    int cut = g->pool->serve.in.engine.chunked_prefill;
    while (budget >= 1 && !too_long(w, g, budget)) {
        int goes_on = g->partial != BP_NONE;
        int32_t id = next_prompt(w, g, p->admitted);
        struct bp_request *q;
        double rest, taken;
        if (id == BP_NONE) {
            break;
        }
        q = &w->requests[id];
        rest = (double)(q->context - q->done);
        taken = cut ? fmin(rest, budget) : rest;
        p->prompts += taken > 0;
        p->starts += taken > 0 && !goes_on;
        p->admitted++;
        p->tokens += taken;
        p->past += taken > 0 ? (double)q->done : 0;
        budget -= taken;
        q->done += (int32_t)taken;
        if (q->done < q->context) {
            g->partial = id;
            break;
        }
        complete[p->complete++] = id;
    }
}
