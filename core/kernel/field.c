#include "kernel/field.h"

#include <string.h>

#include "kernel/status.h"

double bp_field_get(const struct bp_field *field, const void *s) {
    const void *at = (const char *)s + field->offset;
    switch (field->kind) {
    case BP_INT:
        return (double)*(const int64_t *)at;
    case BP_NUM:
        return *(const double *)at;
    case BP_FLAG:
    case BP_ENUM:
        return *(const int *)at;
    case BP_STRUCT:
    case BP_NOTE:
        break;
    }
    return 0;
}

void bp_field_set(const struct bp_field *field, void *s, double value) {
    void *at = (char *)s + field->offset;
    switch (field->kind) {
    case BP_INT:
        *(int64_t *)at = (int64_t)value;
        break;
    case BP_NUM:
        *(double *)at = value;
        break;
    case BP_FLAG:
    case BP_ENUM:
        *(int *)at = (int)value;
        break;
    case BP_STRUCT:
    case BP_NOTE:
        break;
    }
}

static void set_default(const struct bp_field *field, void *s) {
    if (field->kind == BP_STRUCT) {
        bp_defaults(field->sub, (char *)s + field->offset);
    } else {
        bp_field_set(field, s, isnan(field->def) ? 0.0 : field->def);
    }
}

void bp_defaults(const struct bp_schema *schema, void *s) {
    size_t i;
    memset(s, 0, schema->size);
    for (i = 0; i < schema->count; i++) {
        set_default(&schema->fields[i], s);
    }
}

int bp_field_range(const struct bp_field *field, double value, struct bp_error *err) {
    const char *space = *field->unit ? " " : "";
    if (value >= field->min && value <= field->max) {
        return BP_OK;
    }
    if (isinf(field->max)) {
        return bp_fail(err, BP_EDOMAIN, field->name, "must be at least %.15g%s%s, got %.15g",
                       field->min, space, field->unit, value);
    }
    return bp_fail(err, BP_EDOMAIN, field->name, "must be from %.15g to %.15g%s%s, got %.15g",
                   field->min, field->max, space, field->unit, value);
}

int bp_field_is_required(const struct bp_field *field) {
    size_t i;
    if (field->kind != BP_STRUCT) {
        return isnan(field->def);
    }
    for (i = 0; i < field->sub->count; i++) {
        if (bp_field_is_required(&field->sub->fields[i])) {
            return 1;
        }
    }
    return 0;
}

const struct bp_field *bp_field_find(const struct bp_schema *schema, const char *name) {
    size_t i;
    for (i = 0; i < schema->count; i++) {
        if (strcmp(schema->fields[i].name, name) == 0) {
            return &schema->fields[i];
        }
    }
    return NULL;
}

const struct bp_field *bp_field_not_finite(const struct bp_schema *schema, const void *s) {
    size_t i;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *field = &schema->fields[i], *found = NULL;
        if (field->kind == BP_STRUCT) {
            found = bp_field_not_finite(field->sub, (const char *)s + field->offset);
        } else if (field->kind == BP_NUM && !isfinite(bp_field_get(field, s))) {
            found = field;
        }
        if (found) {
            return found;
        }
    }
    return NULL;
}
