#include "serving_state.h"

#include <math.h>
#include <string.h>

/* Tokens it has gained by decoding. */
static double gained(const struct bp_replica *r, const struct bp_request *q) {
    return (double)(r->tick - q->began) * r->pool->serve.advance;
}

void bp_engine_reset(struct bp_replica *r) {
    bp_line_clear(&r->waiting);
    bp_line_clear(&r->pending);
    r->running = 0;
    r->partial = r->oldest = r->latest = BP_NONE;
    r->cache_old = r->cache_new = BP_NONE;
    r->context = r->cached = r->promised = 0;
    r->coming = 0;
    r->used = r->sending + r->shared;
    r->doing = BP_IDLE;
    r->piece.complete = 0;
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
    return (double)(r->in_flight - (r->full ? (int64_t)r->waiting.count : 0));
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
    bp_cache_keep(w, q->replica, id);
    bp_router_answered(w, id);
}

/* The prompt is computed: its first token is there, and it decodes the rest. */
static void start_decoding(struct bp_serving_work *w, struct bp_replica *r, int32_t id) {
    struct bp_request *q = &w->requests[id];
    double said_s = q->first_s < 0 ? say_first(w, r, q) : r->now;
    if (q->left <= 0) {
        r->used -= bp_admit_held(r->pool, q);
        finish(w, q, said_s);
        return;
    }
    if (r->pool->prompts_only) {
        bp_router_move(w, id);
        return;
    }
    q->began = r->tick;
    q->finish = r->tick + (int64_t)ceil((double)q->left / r->pool->serve.advance);
    bp_running_add(w->requests, r, id);
    r->context += (double)(q->input + q->output - q->left);
}

/* Leaves the running, at its end or thrown out, with `left` tokens still to say. */
static void stop_decoding(struct bp_serving_work *w, struct bp_replica *r, size_t at,
                          int32_t left) {
    struct bp_request *q = &w->requests[r->heap[at]];
    double more = gained(r, q);
    bp_running_remove(w->requests, r, at);
    r->context -= (double)(q->input + q->output - q->left) + more;
    r->used -= bp_admit_held(r->pool, q) + (bp_admit_reserves(r->pool) ? 0 : more);
    q->left = left;
    if (r->running == 0) {
        r->context = 0;
    }
}

static void finish_due(struct bp_serving_work *w, struct bp_replica *r) {
    while (r->running > 0 && w->requests[r->heap[0]].finish <= r->tick) {
        int32_t id = r->heap[0];
        stop_decoding(w, r, 0, 0);
        finish(w, &w->requests[id], r->now);
    }
}

/* The latest gives its blocks back and is computed again, with what it has said so far. */
static void preempt(struct bp_serving_work *w, struct bp_replica *r) {
    int32_t id = r->latest;
    struct bp_request *q = &w->requests[id];
    size_t at = 0;
    int32_t left = (int32_t)fmax(1, (double)q->left - floor(gained(r, q)));
    while (r->heap[at] != id) {
        at++;
    }
    stop_decoding(w, r, at, left);
    bp_cache_drop(w, q->replica, id);
    q->context = q->input + q->output - left;
    q->whole = 0;
    bp_line_push_front(w->requests, &r->waiting, id);
    r->preemptions++;
}

static void make_room(struct bp_serving_work *w, struct bp_replica *r) {
    double advance = r->pool->serve.advance;
    while (!bp_admit_reserves(r->pool) && r->running > 1 &&
           r->used + (double)r->running * advance > r->pool->tokens) {
        preempt(w, r);
    }
    bp_cache_make_room(w, r);
}

static void decode_ticks(struct bp_replica *r, double steps) {
    double grown = (double)r->running * steps * r->pool->serve.advance;
    double kept = BP_RECENT_STEPS / (BP_RECENT_STEPS + steps);
    r->lately_s *= kept;
    r->lately = (r->lately + steps) * kept;
    r->tick += (int64_t)steps;
    r->context += grown;
    if (!bp_admit_reserves(r->pool)) {
        r->used += grown;
    }
    r->peak = fmax(r->peak, r->used);
}

static void start_complete(struct bp_serving_work *w, struct bp_replica *r) {
    int32_t *complete = r->heap + r->running;
    size_t i, count = r->piece.complete;
    r->piece.complete = 0;
    for (i = 0; i < count; i++) {
        start_decoding(w, r, complete[i]);
    }
    r->peak = fmax(r->peak, r->used);
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

void bp_engine_complete(struct bp_serving_work *w, struct bp_replica *r) {
    enum bp_doing did = r->doing;
    r->now = r->event_s;
    r->doing = BP_IDLE;
    r->after_prompt = did == BP_PROMPTS && r->piece.tokens > 0;
    if (did == BP_PROMPTS) {
        pass(r, (double)r->running + r->piece.prompts);
        /* New ones count from the next tick on: they are pushed after this one. */
        if (r->with && r->running > 0) {
            decode_ticks(r, 1);
        }
        start_complete(w, r);
        finish_due(w, r);
    } else if (did == BP_LEAP) {
        r->step_s = r->seconds;
        pass(r, (double)r->running);
        decode_ticks(r, r->steps);
        finish_due(w, r);
    }
}

/* A step with prompts in it; `with` says whether the running sequences decode in it too. */
static void prompt_step(struct bp_serving_work *w, struct bp_replica *r, int with) {
    r->doing = BP_PROMPTS;
    r->with = with;
    r->steps = 1;
    r->seconds = bp_serving_step_s(r->pool, &r->piece, with ? (double)r->running : 0, r->context);
    bp_event_set(w, r, r->now + r->seconds);
}

/* Mean time of the steps of a leap: each looks back on more than the one before. */
static double mean_step_s(const struct bp_replica *r, double steps) {
    const struct bp_piece none = {0, 0, 0, 0, 0, 0};
    double running = (double)r->running, growth = running * r->pool->serve.advance;
    if (steps <= 1) {
        return r->lone_seconds;
    }
    return bp_serving_step_s(r->pool, &none, running, r->context + 0.5 * growth * (steps - 1));
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

/* Decode steps until something may change. */
static double leap(const struct bp_serving_work *w, const struct bp_replica *r) {
    double steps = (double)(w->requests[r->heap[0]].finish - r->tick);
    double growth = (double)r->running * r->pool->serve.advance;
    double interval = (double)r->pool->serve.in.engine.recv_interval;
    if (!bp_admit_reserves(r->pool)) {
        steps = fmin(steps, fmax(1, floor((r->pool->tokens - r->used) / growth)));
    }
    if (r->waiting.count == 0 && r->pending.count > 0) {
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
    const struct bp_piece none = {0, 0, 0, 0, 0, 0};
    r->doing = BP_LEAP;
    r->lone_seconds = bp_serving_step_s(r->pool, &none, (double)r->running, r->context);
    set_leap(w, r, leap(w, r));
}

void bp_engine_cut_leap(struct bp_serving_work *w, struct bp_replica *r) {
    double steps = leap(w, r);
    if (steps < r->steps) {
        set_leap(w, r, steps);
    }
}

void bp_engine_begin(struct bp_serving_work *w, struct bp_replica *r) {
    int mixed = r->pool->serve.in.engine.policy == BP_POLICY_MIXED, held;
    bp_admit_look(w, r);
    make_room(w, r);
    held = bp_admit_holds_back(r);
    memset(&r->piece, 0, sizeof r->piece);
    if (!held) {
        double rows = (double)r->running * (1 + (double)r->pool->serve.in.plan.draft_tokens);
        bp_admit_gather(w, r, mixed ? r->pool->budget - rows : r->pool->budget);
        bp_cache_make_room(w, r);
    }
    if (r->piece.tokens <= 0) {
        start_complete(w, r);
    }
    if (r->piece.tokens > 0 || (held && r->running > 0)) {
        prompt_step(w, r, held || mixed);
    } else if (r->running > 0) {
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
    bp_cache_drop(w, w->requests[id].replica, id);
}

void bp_engine_spill(struct bp_serving_work *w, struct bp_replica *r) {
    struct bp_replica was = *r;
    const int32_t *complete = r->heap + r->running;
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
            bp_cache_clear(w, r);
            bp_engine_reset(r);
        }
    }
    each(w, was.waiting.first, bp_router_failed);
    each(w, was.pending.first, bp_router_failed);
}
