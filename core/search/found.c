#include "found.h"

void bp_found_init(struct bp_found *found, const struct bp_found_room *room, double mark) {
    found->evaluated = 0;
    found->feasible = 0;
    found->duplicates = 0;
    found->ahead = 0;
    found->mark = mark;
    bp_tally_init(&found->tally);
    bp_topk_init(&found->topk, room->top, room->top_capacity);
    bp_front_init(&found->front, room->front, room->front_capacity);
}

void bp_found_merge(struct bp_found *found, const struct bp_found *other) {
    size_t i;
    found->evaluated += other->evaluated;
    found->feasible += other->feasible;
    found->duplicates += other->duplicates;
    found->ahead += other->ahead;
    for (i = 0; i < BP_TALLY_SLOTS; i++) {
        const struct bp_tally_slot *slot = &other->tally.slots[i];
        if (slot->count > 0) {
            bp_tally_add(&found->tally, i, slot->count, slot->example, slot->distance);
        }
    }
    for (i = 0; i < other->topk.count; i++) {
        bp_topk_offer(&found->topk, &other->topk.entries[i]);
    }
    for (i = 0; i < other->front.count; i++) {
        bp_front_offer(&found->front, &other->front.entries[i]);
    }
    found->front.is_full |= other->front.is_full;
}
