#include "skip.h"

#define AT(member) offsetof(struct bp_plan, member)

/* Which check is the first to look at a field. */
static enum bp_reject first_look(const struct bp_field *field) {
    switch (field->offset) {
    case AT(tp):
    case AT(pp):
    case AT(cp):
    case AT(dp):
        return BP_REJECT_DEVICES;
    case AT(vpp):
        return BP_REJECT_LAYERS;
    case AT(sequence_parallel):
        return BP_REJECT_SEQUENCE;
    case AT(ep):
    case AT(etp):
        return BP_REJECT_EXPERTS;
    case AT(shard):
        return BP_REJECT_SHARDING;
    case AT(micro_batch):
        return BP_REJECT_BATCH;
    case AT(schedule):
        return BP_REJECT_SCHEDULE;
    case AT(precision):
        return BP_REJECT_PRECISION;
    default:
        return BP_REJECT_MEMORY;
    }
}

int bp_reject_looks_at(enum bp_reject reason, const struct bp_field *field) {
    return first_look(field) <= reason;
}

void bp_skip_lengths(const struct bp_space *space, uint64_t lengths[BP_REJECT_COUNT]) {
    int reason;
    size_t i;
    for (reason = 0; reason < BP_REJECT_COUNT; reason++) {
        lengths[reason] = 1;
        if (reason == BP_REJECT_NONE || reason >= BP_REJECT_MEMORY) {
            continue;
        }
        for (i = space->dims_count; i-- > 0;) {
            if (bp_reject_looks_at((enum bp_reject)reason, space->dims[i].field)) {
                break;
            }
            lengths[reason] *= space->dims[i].count;
        }
    }
}
