#include "serving_state.h"

#include <math.h>
#include <string.h>

/* Tokens it has gained by decoding. */
static double gained(const struct bp_replica *r, const struct bp_request *q) {
    return (double)(r->tick - q->began) * r->pool->serve.advance;
}

static void reset_group(struct bp_group *g) {
    bp_line_clear(&g->waiting);
    g->running = 0;
    g->partial = g->oldest = g->latest = BP_NONE;
    g->cache_old = g->cache_new = BP_NONE;
    g->context = g->cached = g->promised = 0;
    g->coming = 0;
    g->used = g->sending + g->shared;
    g->piece.complete = 0;
}

void bp_engine_reset(struct bp_replica *r) {
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        reset_group(&r->groups[i]);
    }
    bp_line_clear(&r->pending);
    r->coming = 0;
    r->doing = BP_IDLE;
    r->last_ready_s = -INFINITY;
    r->waited = 0;
    r->polled = r->tick;
    r->event_s = INFINITY;
}

/* The first token may wait for the others of its packet. */
static double first_seen_at(const struct bp_replica *r, const struct bp_request *q) {
    const struct bp_engine *e = &r->pool->serve.in.engine;
    double others = fmin((double)e->stream_interval, (double)q->output) - 1;
    return r->now + e->stream_wait * others / r->pool->serve.advance * r->step_s;
}

/* Requests in a replica, those that wait for a place apart. */
static double in_flight(const struct bp_replica *r) {
    int64_t with_place = r->in_flight;
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        const struct bp_group *g = &r->groups[i];
        with_place -= g->full ? (int64_t)g->waiting.count : 0;
    }
    return (double)with_place;
}

/*
** The first token is there. What the engine's curve adds to the time of the front end and of the prompt passes
** outside of the engine; what it takes off has been decoded by now, as far as the answer goes. Returns when the
** last token is out, if that was all.
*/
static double say_first(const struct bp_serving_work *w, const struct bp_replica *r,
                        struct bp_request *q) {
    const struct bp_replica *decodes = r->pool->prompts_only ? &w->replicas[w->pools[0].begin] : r;
    double token_s = decodes->lately_s / decodes->lately / decodes->pool->serve.advance;
    double factor = bp_calibrated_first(&w->in->engine.calibration, in_flight(r));
    double seen_s = first_seen_at(r, q), said;
    q->late_s = (factor - 1) * (q->front_s + seen_s - q->start_s);
    q->first_s = seen_s + q->late_s;
    said = fmin(floor(fmax(0, -q->late_s) / token_s + 0.5), (double)q->left - 1);
    q->left -= 1 + (int32_t)said;
    return r->now + fmin(0, q->late_s + said * token_s);
}

static void finish(struct bp_serving_work *w, struct bp_request *q, double at_s) {
    int32_t id = (int32_t)(q - w->requests);
    q->done_s = fmax(at_s + fmax(0, q->late_s), q->first_s);
    bp_cache_keep(w, q->group, id);
    bp_router_answered(w, id);
}

/* The prompt is computed: its first token is there, and it decodes the rest. */
static void start_decoding(struct bp_serving_work *w, struct bp_group *g, int32_t id) {
    struct bp_request *q = &w->requests[id];
    double said_s = q->first_s < 0 ? say_first(w, g->replica, q) : g->replica->now;
    if (q->left <= 0) {
        g->used -= bp_admit_held(g->pool, q);
        finish(w, q, said_s);
        return;
    }
    if (g->pool->prompts_only) {
        bp_router_move(w, id);
        return;
    }
    q->began = g->replica->tick;
    q->finish = g->replica->tick + (int64_t)ceil((double)q->left / g->pool->serve.advance);
    bp_running_add(w->requests, g, id);
    g->context += (double)(q->input + q->output - q->left);
}

/* Leaves the running, at its end or thrown out, with `left` tokens still to say. */
static void stop_decoding(struct bp_serving_work *w, struct bp_group *g, size_t at, int32_t left) {
    struct bp_request *q = &w->requests[g->heap[at]];
    double more = gained(g->replica, q);
    bp_running_remove(w->requests, g, at);
    g->context -= (double)(q->input + q->output - q->left) + more;
    g->used -= bp_admit_held(g->pool, q) + (bp_admit_reserves(g->pool) ? 0 : more);
    q->left = left;
    if (g->running == 0) {
        g->context = 0;
    }
}

static void finish_due(struct bp_serving_work *w, struct bp_group *g) {
    while (g->running > 0 && w->requests[g->heap[0]].finish <= g->replica->tick) {
        int32_t id = g->heap[0];
        stop_decoding(w, g, 0, 0);
        finish(w, &w->requests[id], g->replica->now);
    }
}

/* The latest gives its blocks back and is computed again, with what it has said so far. */
static void preempt(struct bp_serving_work *w, struct bp_group *g) {
    int32_t id = g->latest;
    struct bp_request *q = &w->requests[id];
    size_t at = 0;
    int32_t left = (int32_t)fmax(1, (double)q->left - floor(gained(g->replica, q)));
    while (g->heap[at] != id) {
        at++;
    }
    stop_decoding(w, g, at, left);
    bp_cache_drop(w, q->group, id);
    q->context = q->input + q->output - left;
    q->whole = 0;
    bp_line_push_front(w->requests, &g->waiting, id);
    g->replica->preemptions++;
}

static void make_room(struct bp_serving_work *w, struct bp_group *g) {
    double advance = g->pool->serve.advance;
    while (!bp_admit_reserves(g->pool) && g->running > 1 &&
           g->used + (double)g->running * advance > g->pool->tokens) {
        preempt(w, g);
    }
    bp_cache_make_room(w, g);
}

static void decode_ticks(struct bp_replica *r, double steps) {
    double kept = BP_RECENT_STEPS / (BP_RECENT_STEPS + steps);
    int32_t i;
    r->lately_s *= kept;
    r->lately = (r->lately + steps) * kept;
    r->tick += (int64_t)steps;
    for (i = 0; i < r->pool->groups; i++) {
        struct bp_group *g = &r->groups[i];
        double grown = (double)g->running * steps * g->pool->serve.advance;
        g->context += grown;
        if (!bp_admit_reserves(g->pool)) {
            g->used += grown;
        }
        g->peak = fmax(g->peak, g->used);
    }
}

static void start_complete(struct bp_serving_work *w, struct bp_group *g) {
    int32_t *complete = g->heap + g->running;
    size_t i, count = g->piece.complete;
    g->piece.complete = 0;
    for (i = 0; i < count; i++) {
        start_decoding(w, g, complete[i]);
    }
    g->peak = fmax(g->peak, g->used);
}

static void pass(struct bp_replica *r, double running) {
    double seconds = r->steps * r->seconds;
    r->busy_s += seconds;
    r->running_s += running * seconds;
    r->engine_steps += (int64_t)r->steps;
    r->lately_s += seconds;
    r->before_s = r->steps > 1 ? r->seconds : r->last_s;
    r->last_s = r->seconds;
}

/* Prompts of the step under way, and their tokens. */
static double prompts_of(const struct bp_replica *r) {
    double prompts = r->groups[0].piece.prompts;
    int32_t i;
    for (i = 1; i < r->pool->groups; i++) {
        prompts += r->groups[i].piece.prompts;
    }
    return prompts;
}

static double prompt_tokens_of(const struct bp_replica *r) {
    double tokens = r->groups[0].piece.tokens;
    int32_t i;
    for (i = 1; i < r->pool->groups; i++) {
        tokens += r->groups[i].piece.tokens;
    }
    return tokens;
}

void bp_engine_complete(struct bp_serving_work *w, struct bp_replica *r) {
    enum bp_doing did = r->doing;
    double running = bp_groups_running(r);
    int32_t i;
    r->now = r->event_s;
    r->doing = BP_IDLE;
    r->after_prompt = did == BP_PROMPTS && prompt_tokens_of(r) > 0;
    if (did == BP_PROMPTS) {
        pass(r, running + prompts_of(r));
        /* New ones count from the next tick on: they are pushed after this one. */
        if (r->with && running > 0) {
            decode_ticks(r, 1);
        }
    } else if (did == BP_LEAP) {
        r->step_s = r->seconds;
        pass(r, running);
        decode_ticks(r, r->steps);
    }
    for (i = 0; did != BP_IDLE && i < r->pool->groups; i++) {
        if (did == BP_PROMPTS) {
            start_complete(w, &r->groups[i]);
        }
        finish_due(w, &r->groups[i]);
    }
}

/* A step with prompts in it; `with` says whether the running sequences decode in it too. */
static void prompt_step(struct bp_serving_work *w, struct bp_replica *r, int with) {
    r->doing = BP_PROMPTS;
    r->with = with;
    r->steps = 1;
    r->seconds = bp_serving_step_s(r, with, 1);
    bp_event_set(w, r, r->now + r->seconds);
}

/* Mean time of the steps of a leap: each looks back on more than the one before. */
static double mean_step_s(const struct bp_replica *r, double steps) {
    return steps <= 1 ? r->lone_seconds : bp_serving_step_s(r, 1, steps);
}

/* Steps, at most `most`, that a leap takes until `seconds` are over; a part of the last counts. */
static double steps_until(const struct bp_replica *r, double seconds, double most) {
    double before = 0, after = fmin(most, ceil(seconds / r->lone_seconds)), began, ended;
    if (after <= 1) {
        return seconds / r->lone_seconds;
    }
    if (after * mean_step_s(r, after) <= seconds) {
        return after;
    }
    while (after - before > 1) {
        double middle = floor(0.5 * (before + after));
        if (middle * mean_step_s(r, middle) < seconds) {
            before = middle;
        } else {
            after = middle;
        }
    }
    began = before * mean_step_s(r, before);
    ended = after * mean_step_s(r, after);
    return before + (seconds - began) / (ended - began);
}

/* Decode steps until an answer of a group is said, or its pool is full. */
static double steps_of_group(const struct bp_serving_work *w, const struct bp_group *g) {
    double steps = (double)(w->requests[g->heap[0]].finish - g->replica->tick);
    double growth = (double)g->running * g->pool->serve.advance;
    if (!bp_admit_reserves(g->pool)) {
        steps = fmin(steps, fmax(1, floor((g->pool->tokens - g->used) / growth)));
    }
    return steps;
}

/* Decode steps until something may change. */
static double leap(const struct bp_serving_work *w, const struct bp_replica *r) {
    double steps = INFINITY, interval = (double)r->pool->serve.in.engine.recv_interval;
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        if (r->groups[i].running > 0) {
            steps = fmin(steps, steps_of_group(w, &r->groups[i]));
        }
    }
    if (r->pending.count > 0 && !bp_groups_all_wait(r)) {
        double until = steps_until(r, w->requests[r->pending.first].ready_s - r->now, steps);
        double ahead = bp_engine_ahead(&r->pool->serve.in.engine);
        double due = fmax(1, ceil(until + ahead));
        double since = (double)(r->tick - r->polled);
        steps = fmin(steps, fmax(1, ceil((since + due) / interval) * interval - since));
    }
    return fmax(1, steps);
}

static void set_leap(struct bp_serving_work *w, struct bp_replica *r, double steps) {
    r->steps = steps;
    r->seconds = mean_step_s(r, steps);
    bp_event_set(w, r, r->now + steps * r->seconds);
}

static void start_leap(struct bp_serving_work *w, struct bp_replica *r) {
    r->doing = BP_LEAP;
    r->lone_seconds = bp_serving_step_s(r, 1, 1);
    set_leap(w, r, leap(w, r));
}

void bp_engine_cut_leap(struct bp_serving_work *w, struct bp_replica *r) {
    double steps = leap(w, r);
    if (steps < r->steps) {
        set_leap(w, r, steps);
    }
}

/* What a group adds to the next step. */
static void begin_group(struct bp_serving_work *w, struct bp_group *g, int held) {
    const struct bp_infer_setup *in = &g->pool->serve.in;
    memset(&g->piece, 0, sizeof g->piece);
    if (!held) {
        int mixed = in->engine.policy == BP_POLICY_MIXED;
        double rows = (double)g->running * (1 + (double)in->plan.draft_tokens);
        bp_admit_gather(w, g, mixed ? g->pool->budget - rows : g->pool->budget);
        bp_cache_make_room(w, g);
    }
}

static void begin_groups(struct bp_serving_work *w, struct bp_replica *r, int held) {
    double taken = 0;
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        begin_group(w, &r->groups[i], held);
        taken += (double)r->groups[i].running + r->groups[i].piece.admitted;
    }
    r->most = fmax(r->most, taken);
    for (i = 0; i < r->pool->groups; i++) {
        if (r->groups[i].piece.tokens <= 0) {
            start_complete(w, &r->groups[i]);
        }
    }
}

void bp_engine_begin(struct bp_serving_work *w, struct bp_replica *r) {
    int mixed = r->pool->serve.in.engine.policy == BP_POLICY_MIXED, held, decode;
    int32_t i;
    bp_admit_look(w, r);
    for (i = 0; i < r->pool->groups; i++) {
        make_room(w, &r->groups[i]);
    }
    held = bp_admit_holds_back(r);
    begin_groups(w, r, held);
    decode = bp_groups_running(r) > 0;
    if (prompt_tokens_of(r) > 0 || (held && decode)) {
        prompt_step(w, r, held || mixed);
    } else if (decode) {
        start_leap(w, r);
    } else {
        double next = r->pending.count > 0 ? w->requests[r->pending.first].ready_s : INFINITY;
        bp_event_set(w, r, fmax(r->now, next));
    }
}

/* Calls `take` for what a list of requests links, from id on. */
static void each(struct bp_serving_work *w, int32_t id,
                 void (*take)(struct bp_serving_work *, int32_t)) {
    while (id != BP_NONE) {
        int32_t after = w->requests[id].after;
        take(w, id);
        id = after;
    }
}

static void release(struct bp_serving_work *w, int32_t id) {
    bp_cache_drop(w, w->requests[id].group, id);
}

static void spill_group(struct bp_serving_work *w, struct bp_group *g) {
    struct bp_group was = *g;
    const int32_t *complete = g->heap + g->running;
    void (*const takes[])(struct bp_serving_work *, int32_t) = {release, bp_router_failed};
    size_t i, t;
    for (t = 0; t < 2; t++) {
        each(w, was.oldest, takes[t]);
        for (i = 0; i < was.piece.complete; i++) {
            takes[t](w, complete[i]);
        }
        if (was.partial != BP_NONE) {
            takes[t](w, was.partial);
        }
        if (t == 0) {
            bp_cache_clear(w, g);
            reset_group(g);
        }
    }
    each(w, was.waiting.first, bp_router_failed);
}

void bp_engine_spill(struct bp_serving_work *w, struct bp_replica *r) {
    int32_t i, pending = r->pending.first;
    for (i = 0; i < r->pool->groups; i++) {
        spill_group(w, &r->groups[i]);
    }
    bp_engine_reset(r);
    each(w, pending, bp_router_failed);
}
