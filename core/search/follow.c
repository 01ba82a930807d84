#include "follow.h"

#include <stddef.h>

#define AT(member) offsetof(struct bp_plan, member)

static int holds(int asked, int is) {
    return asked == BP_FOLLOW_ANY || asked == is;
}

void bp_follows_apply(const struct bp_follows *follows, struct bp_plan *plan) {
    int sharded = plan->zero == 3 && plan->shard > 1;
    size_t i;
    for (i = 0; i < follows->count; i++) {
        const struct bp_follow *f = &follows->list[i];
        if (holds(f->precision, (int)plan->precision) && holds(f->sharded, sharded) &&
            holds(f->sequence_parallel, plan->sequence_parallel != 0)) {
            bp_field_set(f->field, plan, f->value);
        }
    }
}

static int follows_field(const struct bp_follow *f, size_t offset) {
    return (f->precision != BP_FOLLOW_ANY && offset == AT(precision)) ||
           (f->sharded != BP_FOLLOW_ANY && (offset == AT(zero) || offset == AT(shard))) ||
           (f->sequence_parallel != BP_FOLLOW_ANY && offset == AT(sequence_parallel));
}

int bp_follows_reach(const struct bp_follows *follows, enum bp_part part,
                     const struct bp_field *field) {
    size_t i;
    for (i = 0; i < follows->count; i++) {
        const struct bp_follow *f = &follows->list[i];
        if (!bp_part_ignores(part, f->field) && follows_field(f, field->offset)) {
            return 1;
        }
    }
    return 0;
}

int bp_follows_set(const struct bp_follows *follows, const struct bp_field *field) {
    size_t i;
    for (i = 0; i < follows->count && follows->list[i].field != field; i++) {
    }
    return i < follows->count;
}
