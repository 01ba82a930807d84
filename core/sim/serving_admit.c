#include "serving_state.h"

#include "kernel/serve/queue.h"

#include <math.h>

/* Share of the pool that stays free for sequences that run when a new one asks (vLLM's watermark). */
#define WATERMARK 0.01

double bp_admit_blocks(const struct bp_pool *p, double tokens) {
    double block = (double)p->serve.in.engine.block_tokens;
    return ceil(tokens / block) * block;
}

int bp_admit_reserves(const struct bp_pool *p) {
    return p->serve.in.engine.reserve_output;
}

static double own_tokens(const struct bp_pool *p, const struct bp_request *q) {
    int whole_answer = bp_admit_reserves(p) && !p->prompts_only;
    return bp_admit_blocks(p, (double)q->context + (whole_answer ? (double)q->left : 0));
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
    return r->running > 0 ? fmin(steps, 1) * r->last_s + fmax(0, steps - 1) * r->before_s : 0;
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
        bp_line_push(w->requests, &r->waiting, id);
    }
}

/* An engine with an interval polls every so many decode steps, after a prompt and when idle. */
void bp_admit_look(struct bp_serving_work *w, struct bp_replica *r) {
    int64_t interval = r->pool->serve.in.engine.recv_interval, since = r->tick - r->polled;
    r->full = 0;
    if (r->after_prompt || r->running == 0) {
        r->polled = r->tick;
        look(w, r);
    } else if (since >= interval) {
        r->polled = r->tick - since % interval;
        if (r->polled == r->tick) {
            look(w, r);
        }
    }
}

/*
** Engines that wait for company hold prompts back while others decode, until each attention group has one or the wait is
** over (TensorRT-LLM, _balance_adp_requests of its py_executor.py, 2025). A prompt comes to the group with the fewest
** requests, which is where one has ended: any of them.
*/
int bp_admit_holds_back(struct bp_replica *r) {
    const struct bp_engine *e = &r->pool->serve.in.engine;
    int64_t groups = r->pool->serve.in.plan.dp;
    if (e->batch_wait == 0 || r->running == 0 || r->partial != BP_NONE || r->waiting.count == 0 ||
        (groups > 1 && (double)r->waiting.count >= bp_until_all((double)groups)) ||
        r->waited >= e->batch_wait) {
        r->waited = 0;
        return 0;
    }
    r->waited++;
    return 1;
}

static int has_room(const struct bp_serving_work *w, const struct bp_replica *r,
                    const struct bp_request *q) {
    double growth = (double)r->running * r->pool->serve.advance; /* those that run come first */
    double kept =
        r->running > 0 && !bp_admit_reserves(r->pool) ? WATERMARK * r->pool->tokens + growth : 0;
    double shared = bp_cache_shared(w, q, q->replica);
    return r->used + bp_admit_tokens(r->pool, q) - shared + kept <= r->pool->tokens;
}

/* What of a prompt is in the cache. */
static int32_t hit_of(const struct bp_serving_work *w, const struct bp_request *q) {
    return q->whole ? q->context : bp_cache_hit(w, q, q->replica);
}

static void admit(struct bp_serving_work *w, struct bp_replica *r, int32_t id) {
    struct bp_request *q = &w->requests[id];
    int32_t hit = hit_of(w, q);
    bp_router_arrived(r, q);
    q->done = hit;
    q->held = (int32_t)own_tokens(r->pool, q);
    r->used += bp_admit_held(r->pool, q);
    bp_cache_take(w, q->replica, id);
    if (q->start_s < 0) {
        q->start_s = r->now;
        q->cached = hit;
        w->cached_tokens += (double)hit;
        w->prompt_tokens += (double)q->input;
    }
}

static int32_t next_prompt(struct bp_serving_work *w, struct bp_replica *r, double admitted) {
    int32_t id = r->partial;
    if (id != BP_NONE) {
        r->partial = BP_NONE;
        return id;
    }
    r->full = r->waiting.count > 0 && ((double)r->running + admitted >= r->pool->room ||
                                       !has_room(w, r, &w->requests[r->waiting.first]));
    if (r->full || r->waiting.count == 0) {
        return BP_NONE;
    }
    id = bp_line_pop(w->requests, &r->waiting);
    admit(w, r, id);
    return id;
}

/* Engines that do not cut prompts leave one for the next step that this step has no budget for. */
static int too_long(const struct bp_serving_work *w, const struct bp_replica *r, double budget) {
    const struct bp_request *q;
    if (r->pool->serve.in.engine.chunked_prefill || !(r->piece.prompts > 0) ||
        r->partial != BP_NONE || r->waiting.count == 0) {
        return 0;
    }
    q = &w->requests[r->waiting.first];
    return (double)(q->context - hit_of(w, q)) > budget;
}

/*
** Takes prompts while tokens are left. Completed ones are kept behind the running in the heap's
** memory until the step is over. What came from another pool is complete without a token.
*/
void bp_admit_gather(struct bp_serving_work *w, struct bp_replica *r, double budget) {
    struct bp_piece *p = &r->piece;
    int32_t *complete = r->heap + r->running;
    int cut = r->pool->serve.in.engine.chunked_prefill;
    while (budget >= 1 && !too_long(w, r, budget)) {
        int goes_on = r->partial != BP_NONE;
        int32_t id = next_prompt(w, r, p->admitted);
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
        r->most = fmax(r->most, (double)r->running + p->admitted);
        p->tokens += taken;
        p->past += taken > 0 ? (double)q->done : 0;
        budget -= taken;
        q->done += (int32_t)taken;
        if (q->done < q->context) {
            r->partial = id;
            break;
        }
        complete[p->complete++] = id;
    }
}
