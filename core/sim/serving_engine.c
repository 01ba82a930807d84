#include "kernel/infer_step.h"
#include "serving_state.h"

#include <math.h>
#include <string.h>

/* Share of the pool that stays free for sequences that run when a new one asks (vLLM's watermark). */
#define WATERMARK 0.01

double bp_serving_blocks(const struct bp_serving_work *w, double tokens) {
    double block = (double)w->serve.in.engine.block_tokens;
    return ceil(tokens / block) * block;
}

/* Tokens of its prompt that need no computing; the last always does. */
int32_t bp_serving_cached(const struct bp_serving_work *w, const struct bp_request *r) {
    return (int32_t)fmin(w->in->load.prefix_tokens, (double)r->input - 1);
}

static int reserves(const struct bp_serving_work *w) {
    return w->serve.in.engine.reserve_output;
}

/* What a sequence holds from its admission on; one that is not reserved for grows beyond it. */
static double admitted_tokens(const struct bp_serving_work *w, const struct bp_request *r) {
    return bp_serving_blocks(w, (double)r->context + (reserves(w) ? (double)r->left : 0));
}

/* Tokens it has gained by decoding. */
static double gained(const struct bp_serving_work *w, const struct bp_request *r) {
    return (double)(w->tick - r->began) * w->serve.advance;
}

/* A request as the engine sees it: later than sent by the front end, one after another. */
static void submit(struct bp_serving_work *w, int32_t id) {
    struct bp_request *r = &w->requests[id];
    const struct bp_engine *e = &w->serve.in.engine;
    double others = (double)(w->running + w->waiting.count);
    double front = e->front_s + e->front_sequence_s * others;
    r->ready_s = fmax(r->arrival_s + front, w->last_ready_s + e->submit_s);
    w->last_ready_s = r->ready_s;
    bp_ring_push(&w->pending, id);
}

int bp_serving_is_closed(const struct bp_serving_work *w) {
    return w->in->load.arrivals == BP_ARRIVALS_CLOSED;
}

void bp_serving_submit_next(struct bp_serving_work *w, double at) {
    if (w->created < w->count) {
        int32_t id = (int32_t)w->created++;
        w->requests[id].arrival_s = at;
        submit(w, id);
    }
}

/* Answers reach the client some steps after the device made them. */
static double seen_at(const struct bp_serving_work *w) {
    return w->now + w->serve.in.engine.lag_steps * w->step_s;
}

/* The first token may wait for the others of its packet. */
static double first_seen_at(const struct bp_serving_work *w, const struct bp_request *r) {
    const struct bp_engine *e = &w->serve.in.engine;
    double others = fmin((double)e->stream_interval, (double)r->output) - 1;
    return seen_at(w) + e->stream_wait * others / w->serve.advance * w->step_s;
}

static void finish(struct bp_serving_work *w, int32_t id) {
    struct bp_request *r = &w->requests[id];
    r->done_s = fmax(seen_at(w), r->first_s);
    if (bp_serving_is_closed(w)) {
        bp_serving_submit_next(w, r->done_s + w->in->load.think_s);
    }
}

/* The prompt is computed: its first token is there, and it decodes the rest. */
static void start_decoding(struct bp_serving_work *w, int32_t id) {
    struct bp_request *r = &w->requests[id];
    if (r->first_s < 0) {
        r->first_s = first_seen_at(w, r);
        r->left--;
    }
    if (r->left <= 0) {
        w->used -= r->held;
        finish(w, id);
        return;
    }
    r->began = w->tick;
    r->finish = w->tick + (int64_t)ceil((double)r->left / w->serve.advance);
    bp_running_add(w, id);
    w->context += (double)(r->input + r->output - r->left);
}

/* Leaves the running, at its end or thrown out, with `left` tokens still to say. */
static void stop_decoding(struct bp_serving_work *w, size_t at, int32_t left) {
    int32_t id = w->heap[at];
    struct bp_request *r = &w->requests[id];
    double more = gained(w, r);
    bp_running_remove(w, at);
    w->context -= (double)(r->input + r->output - r->left) + more;
    w->used -= r->held + (reserves(w) ? 0 : more);
    r->left = left;
    if (w->running == 0) {
        w->context = 0;
    }
}

static void finish_due(struct bp_serving_work *w) {
    while (w->running > 0 && w->requests[w->heap[0]].finish <= w->tick) {
        int32_t id = w->heap[0];
        stop_decoding(w, 0, 0);
        finish(w, id);
    }
}

/* The latest gives its blocks back and is computed again, with what it has said so far. */
static void preempt(struct bp_serving_work *w) {
    int32_t id = w->latest;
    struct bp_request *r = &w->requests[id];
    size_t at = 0;
    int32_t left = (int32_t)fmax(1, (double)r->left - floor(gained(w, r)));
    while (w->heap[at] != id) {
        at++;
    }
    stop_decoding(w, at, left);
    r->context = r->input + r->output - left;
    r->done = bp_serving_cached(w, r);
    bp_ring_push_front(&w->waiting, id);
    w->preemptions++;
}

static void make_room(struct bp_serving_work *w) {
    double growth = (double)w->running * w->serve.advance;
    while (!reserves(w) && w->running > 1 && w->used + growth > w->pool) {
        preempt(w);
        growth = (double)w->running * w->serve.advance;
    }
}

static void look(struct bp_serving_work *w) {
    while (w->pending.count > 0 && w->requests[bp_ring_first(&w->pending)].ready_s <= w->now) {
        bp_ring_push(&w->waiting, bp_ring_pop(&w->pending));
    }
}

static int has_room(const struct bp_serving_work *w, const struct bp_request *r) {
    double kept = w->running > 0 && !reserves(w) ? WATERMARK * w->pool : 0;
    return w->used + admitted_tokens(w, r) + kept <= w->pool;
}

/* The prompts of one step. */
struct piece {
    double prompts, tokens, past;
    size_t complete; /* how many end with this step; their numbers are at the end of the heap */
    double admitted;
};

static int32_t next_prompt(struct bp_serving_work *w, double admitted) {
    int32_t id;
    struct bp_request *r;
    if (w->partial != BP_NONE) {
        id = w->partial;
        w->partial = BP_NONE;
        return id;
    }
    if (w->waiting.count == 0) {
        return BP_NONE;
    }
    r = &w->requests[bp_ring_first(&w->waiting)];
    if ((double)w->running + admitted >= w->room || !has_room(w, r)) {
        return BP_NONE;
    }
    id = bp_ring_pop(&w->waiting);
    r->held = (int32_t)admitted_tokens(w, r);
    w->used += r->held;
    if (r->start_s < 0) {
        r->start_s = w->now;
    }
    return id;
}

/*
** Takes prompts while tokens are left. Completed ones are kept behind the running in the heap's
** memory until the step is over.
*/
static void gather(struct bp_serving_work *w, double budget, struct piece *p) {
    int32_t *complete = w->heap + w->running;
    memset(p, 0, sizeof *p);
    while (budget >= 1) {
        int whole = !w->serve.in.engine.chunked_prefill;
        int32_t id;
        struct bp_request *r;
        double rest, taken;
        if (whole && p->prompts > 0 && w->partial == BP_NONE && w->waiting.count > 0 &&
            (double)w->requests[bp_ring_first(&w->waiting)].context > budget) {
            break;
        }
        id = next_prompt(w, p->admitted);
        if (id == BP_NONE) {
            break;
        }
        r = &w->requests[id];
        rest = (double)(r->context - r->done);
        taken = whole ? rest : fmin(rest, budget);
        p->prompts++;
        p->admitted++;
        p->tokens += taken;
        p->past += (double)r->done;
        budget -= taken;
        r->done += (int32_t)taken;
        if (r->done < r->context) {
            w->partial = id;
            break;
        }
        complete[p->complete++] = id;
    }
}

static double kept(double *table, size_t size,
                   double (*time_of)(const struct bp_infer_case *, double),
                   const struct bp_infer_case *c, double tokens) {
    size_t i = (size_t)tokens;
    if (i >= size) {
        return time_of(c, tokens);
    }
    if (!(table[i] >= 0)) {
        table[i] = time_of(c, (double)i);
    }
    return table[i];
}

static double dense_s(struct bp_serving_work *w, double prompts, double tokens, double decoding) {
    const struct bp_infer_case *c = &w->serve;
    double rows = ceil(bp_infer_rows(c, prompts, tokens, decoding));
    return kept(w->dense, BP_KEPT_TOKENS, bp_infer_dense, c, rows) +
           kept(w->experts, BP_KEPT_TOKENS, bp_infer_experts, c, tokens + decoding);
}

static double head_s(struct bp_serving_work *w, double rows) {
    return kept(w->head, BP_KEPT_TOKENS, bp_infer_head, &w->serve, rows);
}

static double step_time(struct bp_serving_work *w, const struct piece *p, double running,
                        double context) {
    const struct bp_infer_case *c = &w->serve;
    double drafts = (double)c->in.plan.drafts, rows = running * (1 + drafts);
    double device = dense_s(w, p->prompts, p->tokens, rows) + head_s(w, rows + (double)p->complete);
    if (running > 0) {
        device += bp_infer_decode(c, running, context / running);
    }
    if (p->tokens > 0) {
        device += bp_infer_prefill(c, p->prompts, p->tokens, p->past / p->prompts);
    }
    if (drafts > 0 && running > 0) {
        device += drafts * (dense_s(w, 0, 0, running) / c->layers + head_s(w, running));
    }
    return bp_infer_host(c, device, p->tokens, running);
}

static void pass(struct bp_serving_work *w, double seconds, double running, int64_t steps) {
    w->now += seconds;
    w->busy_s += seconds;
    w->running_s += running * seconds;
    w->steps += steps;
}

static void decode_ticks(struct bp_serving_work *w, double steps) {
    double grown = (double)w->running * steps * w->serve.advance;
    w->tick += (int64_t)steps;
    w->context += grown;
    if (!reserves(w)) {
        w->used += grown;
    }
    w->peak = fmax(w->peak, w->used);
}

/* What a lone sequence's step takes: the pace of answers before there are any. */
double bp_serving_lone_step(struct bp_serving_work *w) {
    const struct piece none = {0, 0, 0, 0, 0};
    return step_time(w, &none, 1, (double)w->requests[0].input);
}

/* A step with prompts in it; `with` says whether the running sequences decode in it too. */
static void prompt_step(struct bp_serving_work *w, const struct piece *p, int with) {
    int32_t *complete = w->heap + w->running;
    double running = with ? (double)w->running : 0;
    double seconds = step_time(w, p, running, w->context);
    size_t i;
    pass(w, seconds, (double)w->running + p->prompts, 1);
    /* New ones count from the next tick on: they are pushed after this one. */
    if (with && w->running > 0) {
        decode_ticks(w, 1);
    }
    for (i = 0; i < p->complete; i++) {
        start_decoding(w, complete[i]);
    }
    w->peak = fmax(w->peak, w->used);
    finish_due(w);
}

/* Decode steps until something may change, at `seconds` each. */
static double leap(const struct bp_serving_work *w, double seconds, int blocked) {
    double steps = (double)(w->requests[w->heap[0]].finish - w->tick);
    double growth = (double)w->running * w->serve.advance;
    double interval = (double)w->serve.in.engine.recv_interval;
    if (!reserves(w)) {
        steps = fmin(steps, fmax(1, floor((w->pool - w->used) / growth)));
    }
    if (!blocked && w->pending.count > 0) {
        double until = (w->requests[bp_ring_first(&w->pending)].ready_s - w->now) / seconds;
        double due = fmax(1, ceil(until));
        double since = (double)(w->tick - w->polled);
        steps = fmin(steps, fmax(1, ceil((since + due) / interval) * interval - since));
    }
    return fmax(1, steps);
}

static void decode_run(struct bp_serving_work *w, int blocked) {
    const struct piece none = {0, 0, 0, 0, 0};
    double running = (double)w->running, growth = running * w->serve.advance;
    double seconds = step_time(w, &none, running, w->context);
    double steps = leap(w, seconds, blocked);
    if (steps > 1) {
        seconds = step_time(w, &none, running, w->context + 0.5 * growth * (steps - 1));
    }
    w->step_s = seconds;
    pass(w, steps * seconds, running, (int64_t)steps);
    decode_ticks(w, steps);
    finish_due(w);
}

/*
** Engines that wait for company hold prompts back while others decode, until each attention group has
** one or the wait is over.
*/
static int holds_back(struct bp_serving_work *w) {
    const struct bp_engine *e = &w->serve.in.engine;
    int64_t groups = w->serve.in.plan.dp;
    int enough = groups > 1 && (int64_t)w->waiting.count >= groups;
    if (e->batch_wait == 0 || w->running == 0 || w->partial != BP_NONE || w->waiting.count == 0 ||
        enough || w->waited >= e->batch_wait) {
        w->waited = 0;
        return 0;
    }
    w->waited++;
    return 1;
}

/* An engine with an interval looks at every so many decode steps, after a prompt and when idle. */
static void look_if_due(struct bp_serving_work *w, int after_prompt) {
    int64_t interval = w->serve.in.engine.recv_interval, since = w->tick - w->polled;
    if (after_prompt || w->running == 0) {
        w->polled = w->tick;
        look(w);
    } else if (since >= interval) {
        w->polled = w->tick - since % interval;
        if (w->polled == w->tick) {
            look(w);
        }
    }
}

int bp_serving_step(struct bp_serving_work *w, int after_prompt) {
    int mixed = w->serve.in.engine.policy == BP_POLICY_MIXED, held;
    struct piece p;
    look_if_due(w, after_prompt);
    make_room(w);
    held = holds_back(w);
    memset(&p, 0, sizeof p);
    if (!held) {
        double rows = (double)w->running * (1 + (double)w->serve.in.plan.drafts);
        gather(w, mixed ? w->budget - rows : w->budget, &p);
    }
    if (p.tokens > 0) {
        prompt_step(w, &p, mixed);
        return 1;
    }
    if (w->running > 0) {
        if (held) {
            prompt_step(w, &p, 1);
        } else {
            decode_run(w, w->waiting.count > 0);
        }
    } else if (w->pending.count > 0) {
        w->now = fmax(w->now, w->requests[bp_ring_first(&w->pending)].ready_s);
    }
    return 0;
}
