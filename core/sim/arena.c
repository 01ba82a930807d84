#include "arena.h"

void *bp_arena_cut(struct bp_arena *b, size_t bytes) {
    void *part = b->at ? b->at + b->used : NULL;
    b->used += (bytes + 15) / 16 * 16;
    return part;
}
