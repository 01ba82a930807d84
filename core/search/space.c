#include "space.h"

#include <string.h>

void bp_space_init(struct bp_space *space, const struct bp_plan *base) {
    space->base = *base;
    space->dims_count = 0;
    space->values_count = 0;
    space->size = 1;
    space->follows.count = 0;
}

int bp_space_fail(struct bp_error *err, const struct bp_field *field, const char *text) {
    char path[BP_FIELD_MAX] = "space.";
    strncat(path, field->name, sizeof path - strlen(path) - 1);
    return bp_fail(err, BP_EDOMAIN, path, "%s", text);
}

static int has_twice(const double *values, size_t count) {
    size_t i, j;
    for (i = 1; i < count; i++) {
        for (j = 0; j < i; j++) {
            if (values[i] == values[j]) {
                return 1;
            }
        }
    }
    return 0;
}

static int refuse(const struct bp_space *space, const struct bp_field *field, const double *values,
                  size_t count, struct bp_error *err) {
    size_t i;
    if (count == 0) {
        return bp_space_fail(err, field, "is an empty list");
    }
    if (space->dims_count == BP_SPACE_DIMS || count > BP_SPACE_VALUES - space->values_count) {
        return bp_space_fail(err, field, "makes more values than a space can hold (4096)");
    }
    for (i = 0; i < space->dims_count; i++) {
        if (space->dims[i].field == field) {
            return bp_space_fail(err, field, "is given twice");
        }
    }
    if (has_twice(values, count)) {
        return bp_space_fail(err, field, "lists a value twice");
    }
    if (space->size > (uint64_t)INT64_MAX / count) {
        return bp_space_fail(err, field, "makes the space larger than 2^63 plans");
    }
    return BP_OK;
}

int bp_space_add(struct bp_space *space, const struct bp_field *field, const double *values,
                 size_t count, struct bp_error *err) {
    size_t at = space->dims_count;
    int code = refuse(space, field, values, count, err);
    if (code) {
        return code;
    }
    for (; at > 0 && space->dims[at - 1].field > field; at--) {
        space->dims[at] = space->dims[at - 1];
    }
    space->dims[at].field = field;
    space->dims[at].first = space->values_count;
    space->dims[at].count = count;
    memcpy(space->values + space->values_count, values, count * sizeof *values);
    space->values_count += count;
    space->dims_count++;
    space->size *= count;
    return BP_OK;
}

void bp_space_decode(const struct bp_space *space, uint64_t index, struct bp_plan *plan) {
    size_t i;
    *plan = space->base;
    for (i = space->dims_count; i-- > 0;) {
        const struct bp_dim *dim = &space->dims[i];
        bp_plan_set(plan, dim->field, space->values[dim->first + index % dim->count]);
        index /= dim->count;
    }
}

void bp_space_settle(const struct bp_space *space, const struct bp_network *network,
                     struct bp_plan *plan) {
    bp_plan_resolve(plan, network);
    bp_follows_apply(&space->follows, plan);
}
