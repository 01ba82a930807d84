#include "serving_state.h"

#include <math.h>

/* Whether a replica takes another request; with a shared queue only with a free place. */
static int takes(const struct bp_serving_work *w, const struct bp_replica *r) {
    int places = w->in->routing != BP_ROUTING_SHARED_QUEUE ||
                 (double)r->in_flight < r->pool->room * (double)r->pool->groups;
    return r->condition == BP_UP && places;
}

/* Requests it has, and those whose KV cache is on its way to it. */
static int64_t has(const struct bp_replica *r) {
    return r->in_flight + r->coming;
}

/* Most of the prompt in the cache when that is asked for, then fewest in flight; those that tie take turns. */
static int32_t least(const struct bp_serving_work *w, struct bp_pool *p, const struct bp_request *q,
                     int by_prefix) {
    int32_t k, best = BP_NONE, best_hit = 0, count = p->end - p->begin;
    for (k = 0; k < count; k++) {
        int32_t i = p->begin + (p->turn + k) % count;
        const struct bp_replica *r = &w->replicas[i];
        int32_t hit = by_prefix ? bp_groups_hit(w, r, q) : 0;
        if (takes(w, r) && (best == BP_NONE || hit > best_hit ||
                            (hit == best_hit && has(r) < has(&w->replicas[best])))) {
            best = i;
            best_hit = hit;
        }
    }
    p->turn = best == BP_NONE ? p->turn : (best - p->begin + 1) % count;
    return best;
}

static int32_t next_in_turn(struct bp_serving_work *w, struct bp_pool *p) {
    int32_t i, count = p->end - p->begin;
    for (i = 0; i < count; i++) {
        int32_t at = p->begin + (p->turn + i) % count;
        if (takes(w, &w->replicas[at])) {
            p->turn = (at - p->begin + 1) % count;
            return at;
        }
    }
    return BP_NONE;
}

/* Each that takes requests with the same chance: the first that is drawn from all, where it does. */
static int32_t any(struct bp_serving_work *w, const struct bp_pool *p) {
    int32_t i, ups = 0, wanted, count = p->end - p->begin;
    wanted = p->begin + (int32_t)((1 - bp_random_unit(&w->routing)) * (double)count);
    if (wanted < p->end && takes(w, &w->replicas[wanted])) {
        return wanted;
    }
    for (i = p->begin; i < p->end; i++) {
        ups += takes(w, &w->replicas[i]);
    }
    wanted = (int32_t)((1 - bp_random_unit(&w->routing)) * (double)ups);
    for (i = p->begin; i < p->end; i++) {
        if (takes(w, &w->replicas[i]) && wanted-- == 0) {
            return i;
        }
    }
    return BP_NONE;
}

/* Of two drawn ones, which may be the same, the one with fewer in flight. */
static int32_t of_two(struct bp_serving_work *w, const struct bp_pool *p) {
    int32_t one = any(w, p), other = any(w, p);
    return one == BP_NONE || has(&w->replicas[one]) <= has(&w->replicas[other]) ? one : other;
}

/* The replica that has a request, or had it last. */
static int32_t replica_of(const struct bp_serving_work *w, const struct bp_request *q) {
    return q->group == BP_NONE ? BP_NONE : (int32_t)(w->groups[q->group].replica - w->replicas);
}

static int32_t of_session(struct bp_serving_work *w, struct bp_pool *p,
                          const struct bp_request *q) {
    int32_t home = q->session >= 0 && !q->opens ? replica_of(w, q - 1) : BP_NONE;
    int there = home >= p->begin && home < p->end && takes(w, &w->replicas[home]);
    return there ? home : least(w, p, q, p->prompts_only);
}

static int32_t pick(struct bp_serving_work *w, struct bp_pool *p, const struct bp_request *q) {
    if (p->end - p->begin == 1) {
        return takes(w, &w->replicas[p->begin]) ? p->begin : BP_NONE;
    }
    switch ((enum bp_routing)w->in->routing) {
    case BP_ROUTING_ROUND_ROBIN:
        return next_in_turn(w, p);
    case BP_ROUTING_RANDOM:
        return any(w, p);
    case BP_ROUTING_TWO_CHOICES:
        return of_two(w, p);
    case BP_ROUTING_SESSION:
        return of_session(w, p, q);
    case BP_ROUTING_PREFIX:
        return least(w, p, q, !q->whole);
    case BP_ROUTING_LEAST_REQUESTS:
    case BP_ROUTING_SHARED_QUEUE:
        break;
    }
    return least(w, p, q, 0);
}

/* A request as the engine of a group sees it: later than sent by the front end, one after another. */
static void submit(struct bp_serving_work *w, struct bp_group *g, int32_t id) {
    struct bp_request *q = &w->requests[id];
    struct bp_replica *r = g->replica;
    const struct bp_engine *e = &r->pool->serve.in.engine;
    double others = bp_groups_running(r) + bp_groups_waiting(r);
    double reading = e->front_token_s * (double)q->input;
    double front = q->whole ? 0 : e->front_s + e->front_sequence_s * others + reading;
    double between = q->whole ? 0 : e->submit_s + reading;
    q->group = (int32_t)(g - w->groups);
    q->ready_s = fmax(w->now_s + front, r->last_ready_s + between);
    q->front_s = q->ready_s - w->now_s;
    r->last_ready_s = q->ready_s;
    r->in_flight++;
    g->in_flight++;
    bp_line_push(w->requests, &r->pending, id);
    if (r->pending.count > 1) {
        return;
    }
    if (r->doing == BP_IDLE) {
        bp_event_set(w, r, fmin(r->event_s, q->ready_s));
    } else if (r->doing == BP_LEAP && !bp_groups_all_wait(r)) {
        bp_engine_cut_leap(w, r);
    }
}

static int send_now(struct bp_serving_work *w, int32_t id) {
    const struct bp_request *q = &w->requests[id];
    int apart = w->pools[1].end > w->pools[1].begin && !q->whole;
    int32_t replica = pick(w, &w->pools[apart], q);
    if (replica == BP_NONE) {
        return 0;
    }
    submit(w, bp_groups_deal(w, &w->replicas[replica], q), id);
    return 1;
}

void bp_router_send(struct bp_serving_work *w, int32_t id) {
    if (w->gate.count > 0 || !send_now(w, id)) {
        bp_line_push(w->requests, &w->gate, id);
    }
}

/* When the link has carried it, one after another; layer by layer from when the first was computed. */
static double carried_s(const struct bp_serving_work *w, const struct bp_request *q,
                        double seconds) {
    double layers = (double)w->in->model.layers, now = w->now_s, first;
    if (!w->in->prefill_pool.layer_wise || now > q->moved_s) { /* later it had to wait for room */
        return fmax(now, w->link_free_s) + seconds;
    }
    first = q->start_s + (now - q->start_s) / layers;
    return fmax(fmax(first, w->link_free_s) + seconds, now + seconds / layers);
}

static void depart(struct bp_serving_work *w, int32_t id, struct bp_group *target) {
    struct bp_request *q = &w->requests[id];
    const struct bp_prefill_pool *prefill = &w->in->prefill_pool;
    double seconds = (double)q->context * w->token_bytes / prefill->link_bytes_s;
    q->target = (int32_t)(target - w->groups);
    target->promised += bp_admit_tokens(&w->pools[0], q);
    target->coming++;
    target->replica->coming++;
    w->link_busy_s += seconds;
    w->link_free_s = carried_s(w, q, seconds);
    bp_due_push(w, w->link_free_s + prefill->link_latency_s, id, BP_MOVED);
}

/* The KV cache leaves when the group that will decode has room for them. */
static void depart_all(struct bp_serving_work *w) {
    while (w->leaving.count > 0) {
        const struct bp_request *q = &w->requests[w->leaving.first];
        int32_t replica = pick(w, &w->pools[0], q);
        struct bp_group *g;
        double need, running;
        if (replica == BP_NONE) {
            return;
        }
        g = bp_groups_deal(w, &w->replicas[replica], q);
        need = g->used + g->promised + bp_admit_tokens(g->pool, q);
        running = (double)g->running + (double)g->coming;
        if (need > g->pool->tokens || running >= g->pool->room) {
            return;
        }
        depart(w, bp_line_pop(w->requests, &w->leaving), g);
    }
}

void bp_router_arrived(struct bp_serving_work *w, struct bp_request *q) {
    struct bp_group *g;
    if (q->target == BP_NONE) {
        return;
    }
    g = &w->groups[q->target];
    q->target = BP_NONE;
    g->promised = fmax(0, g->promised - bp_admit_tokens(g->pool, q));
    if (g->coming > 0) { /* none where it has failed since */
        g->coming--;
        g->replica->coming--;
    }
}

void bp_router_open(struct bp_serving_work *w) {
    depart_all(w);
    while (w->gate.count > 0) {
        int32_t id = bp_line_pop(w->requests, &w->gate);
        if (!send_now(w, id)) {
            bp_line_push_front(w->requests, &w->gate, id);
            return;
        }
    }
}

/* At at_s there is nothing left to hand out: what the replicas have done by then. */
static void close_loop(struct bp_serving_work *w, double at_s) {
    int32_t i;
    w->closing.at_s = at_s;
    w->closing.link_busy_s = w->link_busy_s;
    for (i = 0; i < w->replica_count; i++) {
        w->closing.busy_s += w->replicas[i].busy_s;
        w->closing.running_s += w->replicas[i].running_s;
    }
}

/*
** Fewer requests of each client, or sessions, are a burst, and no loop: of so many, half are counted where clients begin
** all at once.
*/
enum { LOOP = 4 };

/* Sessions that the first so many requests are of; without turns each is one. */
static size_t sessions_of(const struct bp_serving_work *w, size_t requests) {
    size_t turns = (size_t)w->in->load.turns;
    return (requests + turns - 1) / turns;
}

/* Whether rates count no more than the time in which all clients have something to ask. */
static int is_loop(const struct bp_serving_work *w) {
    const struct bp_serving_load *load = &w->in->load;
    return !load->drains && sessions_of(w, w->count) >= LOOP * (size_t)load->concurrency;
}

/*
** One more request, or session, has been handed out. Clients that think before it begin as they go on, by chance, and others
** all at once.
*/
static void note_handed(struct bp_serving_work *w, double at_s) {
    const struct bp_serving_load *load = &w->in->load;
    size_t handed = sessions_of(w, w->stream);
    if (!is_loop(w)) {
        return;
    }
    if (handed == 2 * (size_t)load->concurrency && !(load->think_s > 0 && load->turns == 1)) {
        w->closing.from_s = at_s;
    }
    if (handed == sessions_of(w, w->count)) {
        close_loop(w, at_s);
    }
}

/* It comes when its client has thought: until now its arrival was the time to think. */
static void follow(struct bp_serving_work *w, int32_t id, double at_s) {
    struct bp_request *q = &w->requests[id];
    q->arrival_s += at_s;
    bp_due_push(w, fmax(w->now_s, q->arrival_s), id, BP_SENDS);
}

/* A client of a closed loop goes on with the next request that nobody has sent. */
void bp_router_next_client(struct bp_serving_work *w, double at_s) {
    while (w->stream < w->count && !w->requests[w->stream].opens) {
        w->stream++;
    }
    if (w->stream < w->count) {
        follow(w, (int32_t)w->stream++, at_s);
        note_handed(w, at_s);
    }
}

static void go_on(struct bp_serving_work *w, int32_t id, double at_s) {
    if (w->requests[id].goes_on) {
        follow(w, id + 1, at_s);
    } else if (w->closed) {
        bp_router_next_client(w, at_s);
    }
}

static void leave(struct bp_serving_work *w, struct bp_group *g) {
    g->in_flight--;
    g->replica->in_flight--;
    bp_scale_left(w, g->replica);
}

void bp_router_answered(struct bp_serving_work *w, int32_t id) {
    struct bp_request *q = &w->requests[id];
    w->left--;
    leave(w, &w->groups[q->group]);
    go_on(w, id, q->done_s);
}

void bp_router_move(struct bp_serving_work *w, int32_t id) {
    struct bp_request *q = &w->requests[id];
    struct bp_group *g = &w->groups[q->group];
    g->sending += bp_admit_held(g->pool, q);
    q->whole = 1;
    q->moved_s = w->now_s;
    bp_line_push(w->requests, &w->leaving, id);
}

void bp_router_moved(struct bp_serving_work *w, int32_t id) {
    struct bp_request *q = &w->requests[id];
    struct bp_group *g = &w->groups[q->group];
    g->sending -= bp_admit_held(g->pool, q);
    g->used -= bp_admit_held(g->pool, q);
    bp_cache_keep(w, q->group, id);
    leave(w, g);
    if (g->replica->doing == BP_IDLE && g->waiting.count > 0) {
        bp_event_set(w, g->replica, w->now_s); /* it may have waited for the room */
    }
    q->moved_s = w->now_s;
    if (takes(w, w->groups[q->target].replica)) {
        submit(w, &w->groups[q->target], id);
    } else {
        bp_router_arrived(w, q);
        bp_router_send(w, id);
    }
}

/* Where replicas fail faster than they answer, nothing would ever end: its client gives up (assumption). */
enum { MOST_TRIES = 100 };

void bp_router_failed(struct bp_serving_work *w, int32_t id) {
    struct bp_request *q = &w->requests[id];
    leave(w, &w->groups[q->group]);
    q->first_s = q->done_s = q->start_s = q->moved_s = -1;
    q->target = BP_NONE;
    if (w->in->failures.lose || q->tries >= MOST_TRIES) {
        q->lost = 1;
        w->lost++;
        w->left--;
        go_on(w, id, w->now_s);
        return;
    }
    q->context = q->input;
    q->left = q->output;
    q->whole = 0;
    q->tries++;
    w->retried++;
    bp_due_push(w, w->now_s, id, BP_SENDS);
}
