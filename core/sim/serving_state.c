#include "serving_state.h"

void bp_ring_push(struct bp_ring *r, int32_t id) {
    r->at[(r->head + r->count) % r->capacity] = id;
    r->count++;
}

void bp_ring_push_front(struct bp_ring *r, int32_t id) {
    r->head = (r->head + r->capacity - 1) % r->capacity;
    r->at[r->head] = id;
    r->count++;
}

int32_t bp_ring_first(const struct bp_ring *r) {
    return r->at[r->head];
}

int32_t bp_ring_pop(struct bp_ring *r) {
    int32_t id = r->at[r->head];
    r->head = (r->head + 1) % r->capacity;
    r->count--;
    return id;
}

/* The heap of running sequences, by the decode step that finishes them; ties by number. */
static int earlier(const struct bp_serving_work *w, int32_t a, int32_t b) {
    int64_t x = w->requests[a].finish, y = w->requests[b].finish;
    return x < y || (x == y && a < b);
}

static void sift_up(struct bp_serving_work *w, size_t i) {
    int32_t id = w->heap[i];
    while (i > 0 && earlier(w, id, w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = id;
}

static void sift_down(struct bp_serving_work *w, size_t i) {
    int32_t id = w->heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= w->running) {
            break;
        }
        if (child + 1 < w->running && earlier(w, w->heap[child + 1], w->heap[child])) {
            child++;
        }
        if (!earlier(w, w->heap[child], id)) {
            break;
        }
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = id;
}

static void heap_remove(struct bp_serving_work *w, size_t i) {
    int32_t moved = w->heap[--w->running];
    if (i < w->running) {
        w->heap[i] = moved;
        sift_down(w, i);
        sift_up(w, i);
    }
}

/* Order of admission: an engine that runs out of memory throws out the latest. */
static void link_latest(struct bp_serving_work *w, int32_t id) {
    struct bp_request *r = &w->requests[id];
    r->before = w->latest;
    r->after = BP_NONE;
    if (w->latest != BP_NONE) {
        w->requests[w->latest].after = id;
    } else {
        w->oldest = id;
    }
    w->latest = id;
}

static void unlink_running(struct bp_serving_work *w, int32_t id) {
    const struct bp_request *r = &w->requests[id];
    if (r->before != BP_NONE) {
        w->requests[r->before].after = r->after;
    } else {
        w->oldest = r->after;
    }
    if (r->after != BP_NONE) {
        w->requests[r->after].before = r->before;
    } else {
        w->latest = r->before;
    }
}

void bp_running_add(struct bp_serving_work *w, int32_t id) {
    w->heap[w->running++] = id;
    sift_up(w, w->running - 1);
    link_latest(w, id);
}

void bp_running_remove(struct bp_serving_work *w, size_t at) {
    unlink_running(w, w->heap[at]);
    heap_remove(w, at);
}
