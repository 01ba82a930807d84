#include "platform_state.h"

static int earlier(const struct bp_job_due *a, const struct bp_job_due *b) {
    return a->at_s < b->at_s || (a->at_s <= b->at_s && a->job < b->job);
}

static void put(struct bp_job_heap *h, size_t i, struct bp_job_due due) {
    h->items[i] = due;
    if (h->place) {
        h->place[(size_t)due.job * h->stride] = (int32_t)i;
    }
}

/* Lets the item find its place from i on, upwards and downwards. */
static void settle(struct bp_job_heap *h, size_t i, struct bp_job_due due) {
    while (i > 0 && earlier(&due, &h->items[(i - 1) / 2])) {
        put(h, i, h->items[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < h->count && earlier(&h->items[child + 1], &h->items[child])) {
            child++;
        }
        if (child >= h->count || !earlier(&h->items[child], &due)) {
            break;
        }
        put(h, i, h->items[child]);
        i = child;
    }
    put(h, i, due);
}

void bp_job_heap_push(struct bp_job_heap *h, double at_s, int32_t job) {
    struct bp_job_due due = {at_s, job};
    settle(h, h->count++, due);
}

static void remove_at(struct bp_job_heap *h, size_t i) {
    struct bp_job_due last = h->items[--h->count];
    if (i < h->count) {
        settle(h, i, last);
    }
}

struct bp_job_due bp_job_heap_pop(struct bp_job_heap *h) {
    struct bp_job_due first = h->items[0];
    if (h->place) {
        h->place[(size_t)first.job * h->stride] = -1;
    }
    remove_at(h, 0);
    return first;
}

void bp_job_heap_remove(struct bp_job_heap *h, int32_t job) {
    int32_t *place = &h->place[(size_t)job * h->stride];
    if (*place >= 0) {
        size_t i = (size_t)*place;
        *place = -1;
        remove_at(h, i);
    }
}
