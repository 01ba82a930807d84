#include "field.h"

#include <string.h>

static void set_default(const struct bp_field *field, void *s) {
    char *at = (char *)s + field->offset;
    double def = isnan(field->def) ? 0.0 : field->def;
    switch (field->kind) {
    case BP_INT:
        *(int64_t *)(void *)at = (int64_t)def;
        break;
    case BP_NUM:
        *(double *)(void *)at = def;
        break;
    case BP_FLAG:
    case BP_ENUM:
        *(int *)(void *)at = (int)def;
        break;
    case BP_STRUCT:
        bp_defaults(field->sub, at);
        break;
    case BP_NOTE:
        break;
    }
}

void bp_defaults(const struct bp_schema *schema, void *s) {
    size_t i;
    memset(s, 0, schema->size);
    for (i = 0; i < schema->count; i++) {
        set_default(&schema->fields[i], s);
    }
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
