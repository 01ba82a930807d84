#include "topk.h"

#include <math.h>

void bp_topk_init(struct bp_topk *topk, struct bp_topk_entry *room, size_t capacity) {
    topk->entries = room;
    topk->capacity = capacity;
    topk->count = 0;
}

static int is_worse(const struct bp_topk_entry *a, const struct bp_topk_entry *b) {
    if (a->rank != b->rank) {
        return a->rank > b->rank;
    }
    if (a->step_s != b->step_s) {
        return a->step_s > b->step_s;
    }
    return a->index > b->index;
}

static void swap(struct bp_topk_entry *a, struct bp_topk_entry *b) {
    struct bp_topk_entry keep = *a;
    *a = *b;
    *b = keep;
}

static void rise(struct bp_topk_entry *heap, size_t at) {
    while (at > 0 && is_worse(&heap[at], &heap[(at - 1) / 2])) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sink_from(struct bp_topk_entry *heap, size_t count, size_t at) {
    for (;;) {
        size_t worst = at, child = 2 * at + 1;
        if (child < count && is_worse(&heap[child], &heap[worst])) {
            worst = child;
        }
        if (child + 1 < count && is_worse(&heap[child + 1], &heap[worst])) {
            worst = child + 1;
        }
        if (worst == at) {
            return;
        }
        swap(&heap[at], &heap[worst]);
        at = worst;
    }
}

/* Where the group of the entry is kept already; count if nowhere. */
static size_t kept_at(const struct bp_topk *topk, const struct bp_topk_entry *entry) {
    size_t i;
    for (i = 0; i < topk->count; i++) {
        if (entry->group == topk->entries[i].group) {
            break;
        }
    }
    return i;
}

void bp_topk_offer(struct bp_topk *topk, const struct bp_topk_entry *entry) {
    size_t at;
    if (topk->count == topk->capacity && !is_worse(&topk->entries[0], entry)) {
        return;
    }
    at = entry->group != 0 ? kept_at(topk, entry) : topk->count;
    if (at < topk->count) {
        if (is_worse(&topk->entries[at], entry)) {
            topk->entries[at] = *entry;
            sink_from(topk->entries, topk->count, at);
        }
    } else if (topk->count < topk->capacity) {
        topk->entries[topk->count] = *entry;
        rise(topk->entries, topk->count++);
    } else {
        topk->entries[0] = *entry;
        sink_from(topk->entries, topk->count, 0);
    }
}

double bp_topk_worst(const struct bp_topk *topk) {
    return topk->count < topk->capacity ? INFINITY : topk->entries[0].rank;
}

void bp_topk_sort(struct bp_topk *topk) {
    size_t left;
    for (left = topk->count; left > 1; left--) {
        swap(&topk->entries[0], &topk->entries[left - 1]);
        sink_from(topk->entries, left - 1, 0);
    }
}
