/*
** EASY backfill (Lifka, 1995): the first job that waits is promised a time, by which enough of the running
** jobs have ended. All nodes that have room for it then are kept for it. Others start before it on the rest;
** on kept ones if they end in time, leave room for both, or there are more than the first job takes.
*/
#include "platform_state.h"

#include <math.h>

void bp_promise_drop(struct bp_platform_work *w) {
    int32_t i;
    if (w->promise.job < 0) {
        return;
    }
    for (i = 0; i < w->promise.count; i++) {
        if (w->rooms.nodes[w->promise.nodes[i]].kept) {
            bp_rooms_keep(&w->rooms, w->promise.nodes[i], 0);
        }
    }
    w->promise.job = -1;
    w->promise.count = 0;
}

/*
** Running jobs by when they say that they end: of a heap the earliest, then the children of what was
** taken. w->look holds places in w->limits.
*/
static int32_t next_limit(struct bp_platform_work *w, double *at_s) {
    const struct bp_job_heap *limits = &w->limits;
    struct bp_job_due due = bp_job_heap_pop(&w->look);
    size_t child = 2 * (size_t)due.job + 1, end = child + 2;
    for (; child < end && child < limits->count; child++) {
        bp_job_heap_push(&w->look, limits->items[child].at_s, (int32_t)child);
    }
    *at_s = due.at_s;
    return limits->items[due.job].job;
}

static void keep(struct bp_platform_work *w, const struct bp_look *look) {
    struct bp_promise *p = &w->promise;
    int32_t i;
    p->count = look->count;
    p->asks = look->asks;
    p->spare = look->count - look->nodes;
    for (i = 0; i < p->count; i++) {
        struct bp_node *n = &w->rooms.nodes[p->nodes[i]];
        n->then = n->free + bp_gained(&w->rooms, p->nodes[i]);
        bp_rooms_keep(&w->rooms, p->nodes[i], 1);
    }
}

/*
** Jobs that end at that very time count too. Of nodes that are away nobody knows when they are back: then
** nothing is promised.
*/
static void promise(struct bp_platform_work *w, int32_t first) {
    struct bp_promise *p = &w->promise;
    struct bp_look look;
    p->job = first;
    p->stale = 0;
    p->count = 0;
    p->at_s = INFINITY;
    bp_look_open(&w->rooms, &look, w->jobs[first].devices, p->nodes);
    w->look.count = 0;
    if (w->limits.count > 0) {
        bp_job_heap_push(&w->look, w->limits.items[0].at_s, 0);
    }
    while (w->look.count > 0 && w->look.items[0].at_s <= p->at_s) {
        double at_s;
        int32_t job = next_limit(w, &at_s);
        if (bp_look_at(&w->rooms, &look, w->jobs, job)) {
            p->at_s = fmax(at_s, w->now_s);
        }
    }
    if (p->at_s < INFINITY) {
        keep(w, &look);
        w->jobs[first].promised_s = fmin(w->jobs[first].promised_s, p->at_s);
    }
}

/* The fullest kept node on which the first job and `devices` more have room; -1 = none. */
static int32_t node_for_both(const struct bp_platform_work *w, int32_t devices) {
    const struct bp_promise *p = &w->promise;
    int32_t i, found = -1;
    for (i = 0; i < p->count && p->asks + devices <= w->rooms.size; i++) {
        const struct bp_node *n = &w->rooms.nodes[p->nodes[i]];
        if (n->kept && !n->down && n->free >= devices && n->then - devices >= p->asks &&
            (found < 0 || n->free < w->rooms.nodes[found].free)) {
            found = p->nodes[i];
        }
    }
    return found;
}

/* The first job does without the node. */
static void let_go(struct bp_platform_work *w, int32_t node) {
    if (w->rooms.nodes[node].kept) {
        bp_rooms_keep(&w->rooms, node, 0);
        w->promise.spare--;
    }
}

/* A job that ends too late, on kept nodes that the first job can share or do without. */
static int place_beside(struct bp_platform_work *w, int32_t job) {
    const struct bp_job *j = &w->jobs[job];
    int32_t whole = bp_whole_nodes(&w->rooms, j->devices), node = node_for_both(w, j->devices);
    if (node >= 0) {
        w->rooms.nodes[node].then -= j->devices;
        return bp_rooms_place_on(&w->rooms, w->jobs, job, node);
    }
    if (w->promise.spare < (whole > 0 ? whole : 1) || !bp_rooms_place(&w->rooms, w->jobs, job, 1)) {
        return 0;
    }
    for (node = j->node; node >= 0; node = w->rooms.nodes[node].gang_next) {
        let_go(w, node);
    }
    return 1;
}

static void try_one(struct bp_platform_work *w, int32_t job) {
    const struct bp_job *j = &w->jobs[job];
    double over = j->tries > 0 ? w->classes[j->class].restart_s : 0;
    int in_time = w->now_s + (j->left_s + over) * w->in->limit_factor <= w->promise.at_s;
    if (bp_rooms_place(&w->rooms, w->jobs, job, in_time) || (!in_time && place_beside(w, job))) {
        bp_queue_remove(w, job);
        w->backfilled++;
        bp_job_begin(w, job);
    }
}

void bp_backfill(struct bp_platform_work *w, int32_t first, int32_t arrived) {
    int64_t looked = 0;
    int32_t job;
    if (w->promise.job != first || w->promise.stale || w->now_s > w->promise.at_s) {
        bp_promise_drop(w);
        promise(w, first);
        arrived = -1;
    }
    if (arrived >= 0) {
        if (arrived != first) {
            try_one(w, arrived);
        }
        return;
    }
    bp_queue_rewind(w);
    while (w->rooms.free > 0 && looked++ <= w->in->backfill_depth &&
           (job = bp_queue_next(w)) >= 0) {
        if (job != first) {
            try_one(w, job);
        }
    }
}
