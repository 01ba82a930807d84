#include "serving_state.h"

#include <math.h>

/* Replicas whose events are at the same time: the lower number first. */
static int replica_earlier(const struct bp_serving_work *w, int32_t a, int32_t b) {
    double x = w->replicas[a].event_s, y = w->replicas[b].event_s;
    return x < y || (x <= y && a < b);
}

static void put(struct bp_serving_work *w, size_t i, int32_t replica) {
    w->order[i] = replica;
    w->replicas[replica].place = i;
}

void bp_event_set(struct bp_serving_work *w, struct bp_replica *r, double at_s) {
    int32_t me = (int32_t)(r - w->replicas);
    size_t i = r->place, count = (size_t)w->replica_count;
    r->event_s = at_s;
    while (i > 0 && replica_earlier(w, me, w->order[(i - 1) / 2])) {
        put(w, i, w->order[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && replica_earlier(w, w->order[child + 1], w->order[child])) {
            child++;
        }
        if (!replica_earlier(w, w->order[child], me)) {
            break;
        }
        put(w, i, w->order[child]);
        i = child;
    }
    put(w, i, me);
}

struct bp_replica *bp_event_first(struct bp_serving_work *w) {
    return &w->replicas[w->order[0]];
}

static int due_earlier(const struct bp_due *a, const struct bp_due *b) {
    return a->at_s < b->at_s || (a->at_s <= b->at_s && a->order < b->order);
}

void bp_due_push(struct bp_serving_work *w, double at_s, int32_t id, enum bp_what what) {
    struct bp_due new = {at_s, w->due_made++, id, (int32_t)what};
    size_t i = w->due_count++;
    while (i > 0 && due_earlier(&new, &w->due[(i - 1) / 2])) {
        w->due[i] = w->due[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->due[i] = new;
}

struct bp_due bp_due_pop(struct bp_serving_work *w) {
    struct bp_due first = w->due[0], moved = w->due[--w->due_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= w->due_count) {
            break;
        }
        if (child + 1 < w->due_count && due_earlier(&w->due[child + 1], &w->due[child])) {
            child++;
        }
        if (!due_earlier(&w->due[child], &moved)) {
            break;
        }
        w->due[i] = w->due[child];
        i = child;
    }
    w->due[i] = moved;
    return first;
}

double bp_due_first_s(const struct bp_serving_work *w) {
    return w->due_count > 0 ? w->due[0].at_s : INFINITY;
}
