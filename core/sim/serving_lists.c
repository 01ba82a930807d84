#include "serving_state.h"

void bp_line_clear(struct bp_line *l) {
    l->first = l->last = BP_NONE;
    l->count = 0;
}

void bp_line_push(struct bp_request *requests, struct bp_line *l, int32_t id) {
    requests[id].after = BP_NONE;
    if (l->last == BP_NONE) {
        l->first = id;
    } else {
        requests[l->last].after = id;
    }
    l->last = id;
    l->count++;
}

void bp_line_push_front(struct bp_request *requests, struct bp_line *l, int32_t id) {
    requests[id].after = l->first;
    l->first = id;
    if (l->last == BP_NONE) {
        l->last = id;
    }
    l->count++;
}

int32_t bp_line_pop(struct bp_request *requests, struct bp_line *l) {
    int32_t id = l->first;
    l->first = requests[id].after;
    if (l->first == BP_NONE) {
        l->last = BP_NONE;
    }
    l->count--;
    return id;
}

/* The heap of running sequences, by the decode step that finishes them; ties by number. */
static int earlier(const struct bp_request *requests, int32_t a, int32_t b) {
    int64_t x = requests[a].finish, y = requests[b].finish;
    return x < y || (x == y && a < b);
}

static void sift_up(const struct bp_request *requests, int32_t *heap, size_t i) {
    int32_t id = heap[i];
    while (i > 0 && earlier(requests, id, heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = id;
}

static void sift_down(const struct bp_request *requests, int32_t *heap, size_t count, size_t i) {
    int32_t id = heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && earlier(requests, heap[child + 1], heap[child])) {
            child++;
        }
        if (!earlier(requests, heap[child], id)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = id;
}

/* Order of admission: an engine that runs out of memory throws out the latest. */
static void link_latest(struct bp_request *requests, struct bp_group *g, int32_t id) {
    requests[id].before = g->latest;
    requests[id].after = BP_NONE;
    if (g->latest != BP_NONE) {
        requests[g->latest].after = id;
    } else {
        g->oldest = id;
    }
    g->latest = id;
}

static void unlink_running(struct bp_request *requests, struct bp_group *g, int32_t id) {
    const struct bp_request *q = &requests[id];
    if (q->before != BP_NONE) {
        requests[q->before].after = q->after;
    } else {
        g->oldest = q->after;
    }
    if (q->after != BP_NONE) {
        requests[q->after].before = q->before;
    } else {
        g->latest = q->before;
    }
}

void bp_running_add(struct bp_request *requests, struct bp_group *g, int32_t id) {
    g->heap[g->running++] = id;
    sift_up(requests, g->heap, g->running - 1);
    link_latest(requests, g, id);
}

void bp_running_remove(struct bp_request *requests, struct bp_group *g, size_t at) {
    int32_t moved;
    unlink_running(requests, g, g->heap[at]);
    moved = g->heap[--g->running];
    if (at < g->running) {
        g->heap[at] = moved;
        sift_down(requests, g->heap, g->running, at);
        sift_up(requests, g->heap, at);
    }
}
