#include "skip.h"

#define AT(member) offsetof(struct bp_plan, member)

enum bp_reject bp_reject_first_look(const struct bp_field *field) {
    switch (field->offset) {
    case AT(tp):
    case AT(pp):
    case AT(cp):
    case AT(dp):
        return BP_REJECT_DEVICES;
    case AT(vpp):
    case AT(first_layers):
    case AT(last_layers):
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
    case AT(master_bytes):
    case AT(lora_rank):
    case AT(base_bits):
        return BP_REJECT_PRECISION;
    default:
        return BP_REJECT_MEMORY;
    }
}

int bp_reject_looks_at(enum bp_reject reason, const struct bp_field *field) {
    return bp_reject_first_look(field) <= reason;
}
