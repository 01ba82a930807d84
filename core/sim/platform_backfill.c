/*
** EASY backfill (Lifka, 1995): the first job that waits is promised nodes and a time, by when those of the
** running jobs have ended; others start before it on other nodes, or on those if they end in time.
*/
#include "platform_state.h"

#include <math.h>

void bp_promise_drop(struct bp_platform_work *w) {
    int32_t i;
    if (w->promise.job < 0) {
        return;
    }
    for (i = 0; i < w->promise.count; i++) {
        bp_rooms_keep(&w->rooms, w->promise.nodes[i], 0);
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
    const struct bp_node *n = &w->rooms.nodes[p->nodes[0]];
    int32_t i;
    p->count = look->count;
    p->spare = look->need > 0 ? 0 : n->free + bp_gained(&w->rooms, p->nodes[0]) - look->devices;
    for (i = 0; i < p->count; i++) {
        bp_rooms_keep(&w->rooms, p->nodes[i], 1);
    }
}

/* Of nodes that are away nobody knows when they are back: then nothing is promised. */
static void promise(struct bp_platform_work *w, int32_t first) {
    struct bp_promise *p = &w->promise;
    struct bp_look look;
    int enough = 0;
    p->job = first;
    p->stale = 0;
    p->count = 0;
    p->at_s = INFINITY;
    bp_look_open(&w->rooms, &look, w->jobs[first].devices, p->nodes);
    w->look.count = 0;
    if (w->limits.count > 0) {
        bp_job_heap_push(&w->look, w->limits.items[0].at_s, 0);
    }
    while (!enough && w->look.count > 0) {
        double at_s;
        int32_t job = next_limit(w, &at_s);
        enough = bp_look_at(&w->rooms, &look, w->jobs, job);
        if (enough) {
            p->at_s = fmax(at_s, w->now_s);
        }
    }
    if (enough) {
        keep(w, &look);
        w->jobs[first].promised_s = fmin(w->jobs[first].promised_s, p->at_s);
    }
}

/* Beside what the first one needs on its node, when it is in time but longer. */
static int place_beside(struct bp_platform_work *w, int32_t job) {
    struct bp_promise *p = &w->promise;
    int32_t devices = w->jobs[job].devices;
    if (p->count != 1 || devices > p->spare || devices > w->rooms.size ||
        w->rooms.nodes[p->nodes[0]].down || w->rooms.nodes[p->nodes[0]].free < devices) {
        return 0;
    }
    p->spare -= devices;
    return bp_rooms_place_on(&w->rooms, w->jobs, job, p->nodes[0]);
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
