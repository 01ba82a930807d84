#include "space.h"

#include <string.h>

void bp_space_init(struct bp_space *space, const struct bp_plan *base) {
    space->base = *base;
    space->dims_count = 0;
    space->values_count = 0;
    space->size = 1;
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

size_t bp_space_digit(const struct bp_space *space, uint64_t index, size_t dim) {
    size_t i;
    for (i = space->dims_count - 1; i > dim; i--) {
        index /= space->dims[i].count;
    }
    return (size_t)(index % space->dims[dim].count);
}

static size_t position(const struct bp_space *space, const struct bp_dim *dim, double value) {
    size_t i;
    for (i = 0; i < dim->count && space->values[dim->first + i] != value; i++) {
    }
    return i;
}

int bp_space_find(const struct bp_space *space, const struct bp_plan *plan, uint64_t *index) {
    struct bp_plan decoded;
    uint64_t at = 0;
    size_t i;
    for (i = 0; i < space->dims_count; i++) {
        const struct bp_dim *dim = &space->dims[i];
        size_t digit = position(space, dim, bp_plan_get(plan, dim->field));
        if (digit == dim->count) {
            return 0;
        }
        at = at * dim->count + digit;
    }
    bp_space_decode(space, at, &decoded);
    for (i = 0; i < bp_plan_schema.count; i++) {
        const struct bp_field *field = &bp_plan_schema.fields[i];
        if (bp_plan_get(plan, field) != bp_plan_get(&decoded, field)) {
            return 0;
        }
    }
    *index = at;
    return 1;
}
