/*
** The kernels of ballpark.h: the same functions of the same structs, with inputs checked as a table of Lua would be.
*/
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "ballpark.h"
#include "bind/numerals.h"
#include "error.h"
#include "kernel/registry.h"

int ballpark_api_version(void) {
    return BALLPARK_API_VERSION;
}

const char *ballpark_version(void) {
    return BALLPARK_VERSION;
}

/* Marks what has no default, so that a field that nobody set is told from one that is zero. */
static void mark_required(const struct bp_schema *schema, void *in) {
    size_t i;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *field = &schema->fields[i];
        void *at = (char *)in + field->offset;
        if (field->kind == BP_STRUCT) {
            mark_required(field->sub, at);
        } else if (field->kind == BP_INT && isnan(field->def)) {
            *(int64_t *)at = INT64_MIN;
        } else if (field->kind == BP_NUM && isnan(field->def)) {
            *(double *)at = NAN;
        } else if ((field->kind == BP_FLAG || field->kind == BP_ENUM) && isnan(field->def)) {
            *(int *)at = INT_MIN;
        }
    }
}

static int is_marked(const struct bp_field *field, const void *at) {
    switch (field->kind) {
    case BP_INT:
        return *(const int64_t *)at == INT64_MIN;
    case BP_NUM:
        return isnan(*(const double *)at);
    case BP_FLAG:
    case BP_ENUM:
        return *(const int *)at == INT_MIN;
    case BP_STRUCT:
    case BP_NOTE:
        break;
    }
    return 0;
}

static int choices_of(const struct bp_field *field) {
    int count = 0;
    if (field->kind == BP_FLAG) {
        return 2;
    }
    while (field->names[count]) {
        count++;
    }
    return count;
}

static int check_value(const struct bp_field *field, const void *at, const char *path,
                       struct bp_error *err) {
    struct bp_error range;
    if (is_marked(field, at)) {
        return bp_fail(err, BP_EDOMAIN, path, isnan(field->def) ? "is missing" : "is not a number");
    }
    if (field->kind == BP_FLAG || field->kind == BP_ENUM) {
        int value = *(const int *)at, count = choices_of(field);
        if (value >= 0 && value < count) {
            return BP_OK;
        }
        return bp_fail(err, BP_EDOMAIN, path, "must be from 0 to %d, got %d", count - 1, value);
    }
    if (bp_field_range(field,
                       field->kind == BP_INT ? (double)*(const int64_t *)at : *(const double *)at,
                       &range) == BP_OK) {
        return BP_OK;
    }
    return bp_fail(err, BP_EDOMAIN, path, "%s", range.text);
}

static int check_struct(const struct bp_schema *schema, const void *in, const char *prefix,
                        struct bp_error *err) {
    char path[BP_FIELD_MAX];
    size_t i;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *field = &schema->fields[i];
        const void *at = (const char *)in + field->offset;
        int code = BP_OK;
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", field->name);
        if (field->kind == BP_STRUCT) {
            code = check_struct(field->sub, at, path, err);
        } else if (field->kind != BP_NOTE) {
            code = check_value(field, at, path, err);
        }
        if (code != BP_OK) {
            return code;
        }
    }
    return BP_OK;
}

/* Whether both share a byte: an answer is emptied before its inputs are read. */
static int overlap(const struct bp_kernel *kernel, const void *in, const void *out) {
    uintptr_t a = (uintptr_t)in, b = (uintptr_t)out;
    return a < b + kernel->out->size && b < a + kernel->in->size;
}

static int answered(const struct bp_kernel *kernel, const void *in, void *out,
                    struct ballpark_error *error) {
    struct bp_error err = {BP_OK, "", ""};
    struct bp_numerals numerals = bp_numerals_begin();
    int code;
    if (!in || !out) {
        code = bp_fail(&err, BP_EDOMAIN, in ? "out" : "in", "is missing");
    } else if (overlap(kernel, in, out)) {
        code = bp_fail(&err, BP_EDOMAIN, "out", "lies where in does");
    } else {
        code = check_struct(kernel->in, in, "", &err);
        if (code == BP_OK) {
            code = bp_kernel_answer(kernel, in, out, &err);
        }
    }
    bp_numerals_end(&numerals);
    bp_embed_error(error, &err);
    return code;
}

#define DEFINE(name)                                                                               \
    extern const struct bp_kernel bp_##name##_kernel;                                              \
    void ballpark_##name##_defaults(struct ballpark_##name##_in *in) {                             \
        if (in) {                                                                                  \
            bp_defaults(bp_##name##_kernel.in, in);                                                \
            mark_required(bp_##name##_kernel.in, in);                                              \
        }                                                                                          \
    }                                                                                              \
    int ballpark_##name(const struct ballpark_##name##_in *in, struct ballpark_##name##_out *out,  \
                        struct ballpark_error *error) {                                            \
        return answered(&bp_##name##_kernel, in, out, error);                                      \
    }
BALLPARK_KERNELS(DEFINE)
