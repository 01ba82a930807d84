#include "front.h"

void bp_front_init(struct bp_front *front, struct bp_front_entry *room, size_t capacity) {
    front->entries = room;
    front->capacity = capacity;
    front->count = 0;
    front->is_full = 0;
}

/* At least as good in everything, and better in something or first among equals. */
static int beats(const struct bp_front_entry *a, const struct bp_front_entry *b) {
    int better = 0, i;
    for (i = 0; i < BP_FRONT_OBJECTIVES; i++) {
        if (a->ranks[i] > b->ranks[i]) {
            return 0;
        }
        better |= a->ranks[i] < b->ranks[i];
    }
    return better || a->index <= b->index;
}

static void swap(struct bp_front_entry *a, struct bp_front_entry *b) {
    struct bp_front_entry keep = *a;
    *a = *b;
    *b = keep;
}

void bp_front_offer(struct bp_front *front, const struct bp_front_entry *entry) {
    size_t i, kept = 0;
    for (i = 0; i < front->count; i++) {
        if (beats(&front->entries[i], entry)) {
            swap(&front->entries[0], &front->entries[i]); /* likely to beat the next one, too */
            return;
        }
    }
    for (i = 0; i < front->count; i++) {
        if (!beats(entry, &front->entries[i])) {
            front->entries[kept++] = front->entries[i];
        }
    }
    front->count = kept;
    if (kept == front->capacity) {
        front->is_full = 1;
        return;
    }
    front->entries[front->count++] = *entry;
}

static int is_after(const struct bp_front_entry *a, const struct bp_front_entry *b) {
    int i;
    for (i = 0; i < BP_FRONT_OBJECTIVES; i++) {
        if (a->ranks[i] != b->ranks[i]) {
            return a->ranks[i] > b->ranks[i];
        }
    }
    return a->index > b->index;
}

static void sink(struct bp_front_entry *heap, size_t count, size_t at) {
    for (;;) {
        size_t last = at, child = 2 * at + 1;
        if (child < count && is_after(&heap[child], &heap[last])) {
            last = child;
        }
        if (child + 1 < count && is_after(&heap[child + 1], &heap[last])) {
            last = child + 1;
        }
        if (last == at) {
            return;
        }
        swap(&heap[at], &heap[last]);
        at = last;
    }
}

void bp_front_sort(struct bp_front *front) {
    size_t i;
    for (i = front->count / 2; i-- > 0;) {
        sink(front->entries, front->count, i);
    }
    for (i = front->count; i > 1; i--) {
        swap(&front->entries[0], &front->entries[i - 1]);
        sink(front->entries, i - 1, 0);
    }
}
