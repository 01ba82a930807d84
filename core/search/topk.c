#include "topk.h"

void bp_topk_init(struct bp_topk *topk, struct bp_topk_entry *room, size_t capacity) {
    topk->entries = room;
    topk->capacity = capacity;
    topk->count = 0;
}

static int is_worse(const struct bp_topk_entry *a, const struct bp_topk_entry *b) {
    if (a->rank != b->rank) {
        return a->rank > b->rank;
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

static void sink(struct bp_topk_entry *heap, size_t count) {
    size_t at = 0;
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

void bp_topk_offer(struct bp_topk *topk, const struct bp_topk_entry *entry) {
    if (topk->count < topk->capacity) {
        topk->entries[topk->count] = *entry;
        rise(topk->entries, topk->count++);
    } else if (is_worse(&topk->entries[0], entry)) {
        topk->entries[0] = *entry;
        sink(topk->entries, topk->count);
    }
}

void bp_topk_sort(struct bp_topk *topk) {
    size_t left;
    for (left = topk->count; left > 1; left--) {
        swap(&topk->entries[0], &topk->entries[left - 1]);
        sink(topk->entries, left - 1);
    }
}
