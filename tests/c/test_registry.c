/* The registry of kernels: sorted, complete, and every field list in it consistent. */
#include "kernel/registry.h"

#include <string.h>

#include "near.h"

static void kernels_are_sorted_and_complete(void **state) {
    size_t i;
    (void)state;
    assert_non_null(bp_kernels[0]);
    for (i = 0; bp_kernels[i]; i++) {
        const struct bp_kernel *kernel = bp_kernels[i];
        assert_true(i == 0 || strcmp(bp_kernels[i - 1]->name, kernel->name) < 0);
        assert_non_null(kernel->call);
        assert_non_null(kernel->in);
        assert_non_null(kernel->out);
        assert_true(*kernel->title && *kernel->formula && *kernel->validity && *kernel->source);
    }
}

static size_t size_of(const struct bp_field *field) {
    switch (field->kind) {
    case BP_INT:
        return sizeof(int64_t);
    case BP_NUM:
        return sizeof(double);
    case BP_FLAG:
    case BP_ENUM:
        return sizeof(int);
    case BP_STRUCT:
        return field->sub->size;
    case BP_NOTE:
        break;
    }
    return 0;
}

static int names_count(const struct bp_field *field) {
    int count = 0;
    while (field->names[count]) {
        count++;
    }
    return count;
}

static void check_default(const struct bp_field *field) {
    if (isnan(field->def)) { /* required */
        return;
    }
    if (field->kind == BP_ENUM) {
        assert_true(isnan(field->def) || (field->def >= 0 && field->def < names_count(field)));
    } else if (field->kind == BP_FLAG) {
        assert_true(field->def == 0 || field->def == 1);
    } else if (field->kind == BP_INT || field->kind == BP_NUM) {
        assert_true(field->def >= field->min && field->def <= field->max);
    }
    if (field->kind == BP_INT) {
        assert_true(field->def == floor(field->def));
    }
}

static void check_schema(const struct bp_schema *schema) {
    size_t i, j, end = 0;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *field = &schema->fields[i];
        check_default(field);
        assert_true(field->min <= field->max);
        assert_true(field->kind == BP_NOTE || field->offset >= end);
        end = field->kind == BP_NOTE ? end : field->offset + size_of(field);
        assert_true(end <= schema->size);
        for (j = 0; j < i; j++) {
            assert_string_not_equal(schema->fields[j].name, field->name);
        }
        if (field->kind == BP_STRUCT) {
            check_schema(field->sub);
        }
    }
}

static void field_lists_are_consistent(void **state) {
    size_t i;
    (void)state;
    for (i = 0; bp_kernels[i]; i++) {
        check_schema(bp_kernels[i]->in);
        check_schema(bp_kernels[i]->out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_sorted_and_complete),
        cmocka_unit_test(field_lists_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
