#include "serving.h"

#include "arena.h"
#include "kernel/count/kv.h"
#include "kernel/serve/infer_step.h"
#include "serving_state.h"

#include <math.h>
#include <string.h>

/*
** Of lengths that differ, so many that their mean is known to a few in a hundred, however few clients there are; of clients
** that think, whose rate is that of exponential times, to one in a hundred.
*/
#define REQUESTS_DRAWN 1000
#define REQUESTS_THOUGHT 10000

/* Of each client, as the public benchmark sends; of sessions so many, whole ones. */
#define PER_CLIENT 10

static size_t closed_requests(const struct bp_serving_load *load) {
    size_t each = PER_CLIENT * (size_t)load->concurrency * (size_t)load->turns, least = 0;
    if (load->think_s > 0 && load->turns == 1) {
        least = REQUESTS_THOUGHT;
    } else if (load->lengths != BP_LENGTHS_FIXED) {
        least = REQUESTS_DRAWN;
    }
    return each > least ? each : least;
}

size_t bp_serving_requests(const struct bp_serving_load *load) {
    if (load->requests > 0) {
        return (size_t)load->requests;
    }
    switch ((enum bp_arrivals)load->arrivals) {
    case BP_ARRIVALS_CLOSED:
        return closed_requests(load);
    case BP_ARRIVALS_DIURNAL:
        return (size_t)fmin(1e8, fmax(1, load->rate_per_s * load->period_s));
    case BP_ARRIVALS_OPEN:
        break;
    }
    return REQUESTS_DRAWN;
}

static size_t replicas_of(const struct bp_serving_in *in) {
    int64_t most = in->autoscale.target > 0 && in->autoscale.max > 0 ? in->autoscale.max : 0;
    most = in->autoscale.target > 0 && in->autoscale.min > most ? in->autoscale.min : most;
    return (size_t)(in->replicas > most ? in->replicas : most) + (size_t)in->prefill_pool.replicas;
}

/* Keys of the prefix cache; none where nothing can come again. */
static size_t keys_of(const struct bp_serving_in *in, const struct bp_serving_source *source) {
    if (!in->engine.prefix_cache) {
        return 0;
    }
    if (source->blocks) {
        return source->distinct;
    }
    return in->load.turns > 1 && !source->trace
               ? (source->count + (size_t)in->load.turns - 1) / (size_t)in->load.turns
               : 0;
}

static const struct bp_infer_plan *plan_of(const struct bp_serving_in *in, size_t replica,
                                           size_t replicas) {
    int prefill = replica >= replicas - (size_t)in->prefill_pool.replicas;
    return prefill ? &in->prefill_pool.plan : &in->plan;
}

/* Of all replicas. */
static size_t groups_of(const struct bp_serving_in *in) {
    size_t replicas = replicas_of(in), prefill = (size_t)in->prefill_pool.replicas;
    return (replicas - prefill) * (size_t)in->plan.dp + prefill * (size_t)in->prefill_pool.plan.dp;
}

/* Sequences of a group: what runs and what has just been computed. */
static size_t places_of(const struct bp_serving_in *in, size_t requests) {
    return (size_t)fmin((double)in->engine.max_running, (double)requests) + 2;
}

static void lay_out_groups(struct bp_serving_work *w, struct bp_arena *b) {
    size_t i, g, places = places_of(w->in, w->count), count = groups_of(w->in);
    struct bp_group *groups = bp_arena_cut(b, count * sizeof *groups);
    int32_t *heaps = bp_arena_cut(b, count * places * sizeof *heaps);
    w->groups = groups;
    w->group_count = (int32_t)count;
    for (i = 0; b->at && i < (size_t)w->replica_count; i++) {
        size_t own = (size_t)plan_of(w->in, i, (size_t)w->replica_count)->dp;
        w->replicas[i].groups = groups;
        for (g = 0; g < own; g++) {
            groups[g].heap = heaps;
            heaps += places;
        }
        groups += own;
    }
}

static void lay_out_pool(struct bp_pool *p, struct bp_arena *b) {
    double **tables[] = {&p->dense, &p->experts, &p->head};
    size_t i, t;
    for (t = 0; t < 3; t++) {
        *tables[t] = bp_arena_cut(b, BP_KEPT_TOKENS * sizeof(double));
        for (i = 0; b->at && i < BP_KEPT_TOKENS; i++) {
            (*tables[t])[i] = -1;
        }
    }
}

static void lay_out(struct bp_serving_work *w, struct bp_arena *b) {
    const struct bp_serving_in *in = w->in;
    size_t replicas = replicas_of(in);
    size_t prefill = (size_t)in->prefill_pool.replicas;
    w->keys = keys_of(in, w->source);
    w->replica_count = (int32_t)replicas;
    w->pools[0].end = w->pools[1].begin = (int32_t)(replicas - prefill);
    w->pools[1].end = (int32_t)replicas;
    w->requests = bp_arena_cut(b, w->count * sizeof *w->requests);
    w->replicas = bp_arena_cut(b, replicas * sizeof *w->replicas);
    w->order = bp_arena_cut(b, replicas * sizeof *w->order);
    w->due = bp_arena_cut(b, (w->count + 1) * sizeof *w->due);
    w->cache = bp_arena_cut(b, w->keys * groups_of(in) * sizeof *w->cache);
    lay_out_pool(&w->pools[0], b);
    if (prefill > 0) {
        lay_out_pool(&w->pools[1], b);
    }
    lay_out_groups(w, b);
}

size_t bp_serving_bytes(const struct bp_serving_in *in, const struct bp_serving_source *source) {
    struct bp_serving_work w;
    struct bp_arena b = {NULL, 0};
    memset(&w, 0, sizeof w);
    w.in = in;
    w.source = source;
    w.count = source->count;
    bp_arena_cut(&b, sizeof w);
    lay_out(&w, &b);
    bp_arena_cut(&b, w.count * sizeof *w.values);
    return b.used;
}

/* A trace begins with its first request: nobody waits for it, and no replica is paid until it comes. */
static double beginning_of(const struct bp_serving_source *source) {
    return source->trace && source->count > 0 ? source->trace[0].arrival_s : 0;
}

static void prepare_requests(struct bp_serving_work *w) {
    double begins_s = beginning_of(w->source);
    size_t i;
    if (!w->source->trace) {
        memset(w->requests, 0, w->count * sizeof *w->requests);
        bp_serving_draw(&w->in->load, w->source, w->requests);
    } else {
        memcpy(w->requests, w->source->trace, w->count * sizeof *w->requests);
    }
    for (i = 0; i < w->count; i++) {
        struct bp_request *q = &w->requests[i];
        if (w->source->trace) {
            q->arrival_s = (q->arrival_s - begins_s) / w->in->load.speed;
            q->opens = 1;
            q->session = -1;
        }
        q->first_s = q->done_s = q->start_s = q->moved_s = -1;
        q->late_s = 0;
        q->context = q->input;
        q->left = q->output;
        q->group = q->target = BP_NONE;
    }
}

static void prepare_groups(struct bp_replica *r) {
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        struct bp_group *g = &r->groups[i];
        int32_t *heap = g->heap;
        memset(g, 0, sizeof *g);
        g->heap = heap;
        g->pool = r->pool;
        g->replica = r;
    }
}

static void prepare_replicas(struct bp_serving_work *w) {
    int32_t i;
    memset(w->cache, 0, w->keys * (size_t)w->group_count * sizeof *w->cache);
    for (i = 0; i < w->replica_count; i++) {
        struct bp_replica *r = &w->replicas[i];
        struct bp_group *groups = r->groups;
        memset(r, 0, sizeof *r);
        r->groups = groups;
        r->pool = &w->pools[i >= w->pools[1].begin];
        r->step_s = bp_serving_lone_step_s(r->pool, (double)w->requests[0].input);
        r->lately_s = BP_RECENT_STEPS * r->step_s;
        r->lately = BP_RECENT_STEPS;
        r->place = (size_t)i;
        w->order[i] = i;
        prepare_groups(r);
        bp_engine_reset(r);
    }
}

static double tokens_of(const struct bp_request *q) {
    return (double)q->input + (double)q->output;
}

static void lengths(const struct bp_serving_work *w, double *mean, double *longest) {
    size_t i;
    *mean = *longest = 0;
    for (i = 0; i < w->count; i++) {
        double tokens = tokens_of(&w->requests[i]);
        *longest = fmax(*longest, tokens);
        *mean += tokens / (double)w->count;
    }
}

/* Tokens that all prompts begin with; a pool that gets its prompts from another one gets each of them whole. */
static double shared_of(const struct bp_serving_work *w, const struct bp_pool *p) {
    const struct bp_serving_load *load = &w->in->load;
    double prompt = 0;
    size_t i;
    if (w->keys > 0 || (w->in->prefill_pool.replicas > 0 && !p->prompts_only)) {
        return 0;
    }
    for (i = 0; i < w->count; i++) {
        prompt = fmax(prompt, (double)w->requests[i].input);
    }
    return fmin(prompt, fmin(load->shared_tokens, load->prefix_tokens));
}

/* The most room that a request takes beside what all prompts begin with. */
static double most_own(const struct bp_serving_work *w, const struct bp_pool *p) {
    double most = 0;
    size_t i;
    for (i = 0; i < w->count; i++) {
        most = fmax(most, bp_admit_own(p, &w->requests[i], tokens_of(&w->requests[i])));
    }
    return most;
}

static int set_pool(struct bp_serving_work *w, struct bp_pool *p, const struct bp_infer_plan *plan,
                    struct bp_error *err) {
    const struct bp_serving_in *in = w->in;
    struct bp_infer_setup setup = {in->model,  in->device, in->network,
                                   in->curves, *plan,      in->engine};
    double mean, longest, lone_s;
    struct bp_infer_memory_out memory;
    struct bp_infer_room room;
    int code = bp_infer_prepare(&setup, &p->serve, err);
    lengths(w, &mean, &longest);
    code = code == BP_OK ? bp_infer_memory_of(&p->serve, mean, &memory, err) : code;
    if (code != BP_OK) {
        return code;
    }
    p->groups = (int32_t)plan->dp;
    /* Steps that take no time, or none that is known, would go on for ever. */
    lone_s = bp_serving_lone_step_s(p, mean);
    if (!isfinite(lone_s) || lone_s <= 0) {
        return bp_fail(err, BP_EDOMAIN, "device",
                       "no time of a step follows from it: its rate of that format is not known");
    }
    p->told = in->pool_tokens > 0 ? in->pool_tokens : memory.pool_tokens;
    code = bp_infer_room_of(&p->serve, mean, shared_of(w, p), p->told, &room, err);
    if (code != BP_OK) {
        return code;
    }
    p->tokens = room.tokens / (double)p->groups;
    p->beside = room.beside;
    p->shared = room.shared;
    p->budget = (double)in->engine.token_budget * (double)plan->pp;
    p->room = (double)in->engine.max_running;
    if (p->tokens < p->beside + most_own(w, p)) {
        return bp_fail(
            err, BP_EDOMAIN, "memory",
            "the KV pool%s holds %.0f tokens and a request has %.0f: %.1f GiB of weights on a "
            "device that may use %.1f GiB",
            p->groups > 1 ? " of an attention group" : "", p->told / (double)p->groups, longest,
            memory.weights_bytes / 0x1p30, memory.usable_bytes / 0x1p30);
    }
    return BP_OK;
}

/* Bytes that move with a token of a prompt. */
static int set_transfer(struct bp_serving_work *w, struct bp_error *err) {
    struct bp_kv_cache_in in;
    struct bp_kv_cache_out out;
    double longest;
    int code;
    bp_defaults(&bp_kv_cache_in_schema, &in);
    in.model = w->in->model;
    lengths(w, &in.tokens, &longest);
    in.bytes_per_value = w->pools[0].serve.kv_value_bytes;
    code = bp_kv_cache(&in, &out, err);
    w->token_bytes = out.sequence_bytes / in.tokens;
    return code;
}

static int check_fleet(const struct bp_serving_in *in, struct bp_error *err) {
    const struct bp_autoscale *a = &in->autoscale;
    if (a->target > 0 && in->prefill_pool.replicas > 0) {
        return bp_fail(err, BP_EPLAN, "autoscale", "is of one pool: not with a prefill_pool");
    }
    if (a->target > 0 && a->min > (a->max > 0 ? a->max : in->replicas)) {
        return bp_fail(err, BP_EPLAN, "autoscale.min",
                       "is above the %lld replicas there are at most",
                       (long long)(a->max > 0 ? a->max : in->replicas));
    }
    return BP_OK;
}

static int set_pools(struct bp_serving_work *w, struct bp_error *err) {
    const struct bp_prefill_pool *prefill = &w->in->prefill_pool;
    int code = set_pool(w, &w->pools[0], &w->in->plan, err);
    if (code != BP_OK || prefill->replicas == 0) {
        return code;
    }
    w->pools[1].prompts_only = 1;
    code = set_pool(w, &w->pools[1], &prefill->plan, err);
    return code == BP_OK ? set_transfer(w, err) : code;
}

static double next_arrival_s(struct bp_serving_work *w) {
    while (!w->closed && w->stream < w->count && !w->requests[w->stream].opens) {
        w->stream++;
    }
    return w->closed || w->stream >= w->count ? INFINITY : w->requests[w->stream].arrival_s;
}

/* The first of what comes from outside of the replicas; ties: changes of the fleet, then what is due. */
static void outside_event(struct bp_serving_work *w, double stream_s, double scale_s) {
    if (scale_s <= fmin(stream_s, bp_due_first_s(w))) {
        w->now_s = scale_s;
        bp_scale_run(w);
    } else if (bp_due_first_s(w) <= stream_s) {
        struct bp_due due = bp_due_pop(w);
        w->now_s = due.at_s;
        if (due.what == BP_MOVED) {
            bp_router_moved(w, due.id);
        } else {
            w->arrived++;
            bp_router_send(w, due.id);
        }
    } else {
        w->now_s = stream_s;
        w->arrived++;
        bp_router_send(w, (int32_t)w->stream++);
    }
}

/* What comes from outside until `until_s`; whether there was anything. */
static int outside(struct bp_serving_work *w, double until_s) {
    int any = 0;
    for (;;) {
        double stream_s = next_arrival_s(w), scale_s = bp_scale_next_s(w);
        double first = fmin(stream_s, fmin(bp_due_first_s(w), scale_s));
        if (!(first <= until_s) || first == INFINITY) {
            return any;
        }
        outside_event(w, stream_s, scale_s);
        any = 1;
    }
}

static void start_clients(struct bp_serving_work *w) {
    int64_t i;
    for (i = 0; w->closed && i < w->in->load.concurrency; i++) {
        bp_router_next_client(w, 0);
    }
}

/* Whether something may still happen; without replicas that could serve nothing does. */
static int advance(struct bp_serving_work *w) {
    struct bp_replica *r = bp_event_first(w);
    double at = r->event_s;
    double first = fmin(next_arrival_s(w), fmin(bp_due_first_s(w), bp_scale_next_s(w)));
    if (first <= at && first < INFINITY) {
        outside_event(w, next_arrival_s(w), bp_scale_next_s(w));
        return 1;
    }
    if (at == INFINITY) {
        return 0;
    }
    w->now_s = at;
    bp_engine_complete(w, r);
    bp_router_open(w);
    outside(w, at);
    if (r->event_s <= at) {
        bp_engine_begin(w, r);
    }
    return 1;
}

int bp_serving_open(const struct bp_serving_in *in, const struct bp_serving_source *source,
                    void *memory, struct bp_serving_work **work, struct bp_error *err) {
    struct bp_arena b = {memory, 0};
    struct bp_serving_work *w = bp_arena_cut(&b, sizeof *w);
    int code;
    memset(w, 0, sizeof *w);
    w->in = in;
    w->source = source;
    w->count = w->left = source->count;
    w->closed = !source->trace && in->load.arrivals == BP_ARRIVALS_CLOSED;
    lay_out(w, &b);
    w->values = bp_arena_cut(&b, w->count * sizeof *w->values);
    prepare_requests(w);
    code = check_fleet(in, err);
    code = code == BP_OK ? set_pools(w, err) : code;
    if (code != BP_OK) {
        return code;
    }
    prepare_replicas(w);
    bp_line_clear(&w->gate);
    bp_line_clear(&w->leaving);
    /* Streams of their own, so that failures and routes change no arrival. */
    bp_random_seed(&w->routing, (uint64_t)in->load.seed ^ 0x726f757465ULL);
    bp_random_seed(&w->failing, (uint64_t)in->load.seed ^ 0x6661696c73ULL);
    bp_scale_open(w);
    start_clients(w);
    *work = w;
    return BP_OK;
}

int bp_serving_go(struct bp_serving_work *w, size_t events) {
    while (events-- > 0) {
        if (w->left == 0 || !advance(w)) {
            return 0;
        }
    }
    return 1;
}

void bp_serving_close(struct bp_serving_work *w, struct bp_serving_out *out,
                      const struct bp_request **answered) {
    bp_scale_close(w);
    bp_serving_sum(w, w->values, out);
    *answered = w->requests;
}

int bp_serving_run(const struct bp_serving_in *in, const struct bp_serving_source *source,
                   void *memory, struct bp_serving_out *out, const struct bp_request **answered,
                   struct bp_error *err) {
    struct bp_serving_work *w;
    int code = bp_serving_open(in, source, memory, &w, err);
    if (code != BP_OK) {
        return code;
    }
    bp_serving_go(w, SIZE_MAX);
    bp_serving_close(w, out, answered);
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_serving_in, BP_SERVING_IN_FIELDS, "serving", "a service under load");
BP_DEFINE_SCHEMA(bp_serving_out, BP_SERVING_OUT_FIELDS, "serving result", "what the requests saw");
