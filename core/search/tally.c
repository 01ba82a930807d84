#include "tally.h"

#include <string.h>

void bp_tally_init(struct bp_tally *tally) {
    memset(tally, 0, sizeof *tally);
}

void bp_tally_add(struct bp_tally *tally, size_t slot, uint64_t count, uint64_t index,
                  double distance) {
    struct bp_tally_slot *s = &tally->slots[slot];
    if (s->count == 0 || distance < s->distance ||
        (distance == s->distance && index < s->example)) {
        s->example = index;
        s->distance = distance;
    }
    s->count += count;
}

uint64_t bp_tally_total(const struct bp_tally *tally) {
    uint64_t total = 0;
    size_t i;
    for (i = 0; i < BP_TALLY_SLOTS; i++) {
        total += tally->slots[i].count;
    }
    return total;
}
