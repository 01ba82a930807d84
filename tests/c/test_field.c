/* One list makes struct, descriptors and defaults: what field.h promises. */
#include "kernel/field.h"

#include <math.h>
#include <string.h>

#include "near.h"

#define COLOUR(E)                                                                                  \
    E(COLOUR_RED, "red")                                                                           \
    E(COLOUR_BLUE, "blue")
BP_DECLARE_ENUM(colour, COLOUR);
BP_DEFINE_ENUM(colour, COLOUR);

#define INNER_FIELDS(F, S)                                                                         \
    F(S, NUM, share, , "frac", 0.25, 0, 1, "a share")                                              \
    F(S, INT, parts, , "", 3, 0, 9, "parts")
BP_DECLARE_STRUCT(inner, INNER_FIELDS);
BP_DEFINE_SCHEMA(inner, INNER_FIELDS, "inner", "what is inside");

#define OUTER_FIELDS(F, S)                                                                         \
    F(S, NOTE, name, , "", 0, 0, 0, "text beside the numbers")                                     \
    F(S, INT, bytes, , "B", BP_REQUIRED, 1, 1e15, "has to be given")                               \
    F(S, INT, whole, , "", -7, -10, 10, "a count")                                                 \
    F(S, NUM, time_s, , "s", 1.5, 0, BP_ANY, "a time")                                             \
    F(S, FLAG, on, , "", 1, 0, 1, "a switch")                                                      \
    F(S, ENUM, colour, colour, "", COLOUR_BLUE, 0, 0, "a name")                                    \
    F(S, STRUCT, inner, inner, "", 0, 0, 0, "a struct")
BP_DECLARE_STRUCT(outer, OUTER_FIELDS);
BP_DEFINE_SCHEMA(outer, OUTER_FIELDS, "outer", "everything once");

static void numbers_that_are_none_are_found(void **state) {
    struct outer s;
    (void)state;
    bp_defaults(&outer_schema, &s);
    assert_null(bp_field_not_finite(&outer_schema, &s));
    s.inner.share = (double)NAN;
    assert_string_equal(bp_field_not_finite(&outer_schema, &s)->name, "share");
    s.time_s = -(double)INFINITY;
    assert_string_equal(bp_field_not_finite(&outer_schema, &s)->name, "time_s");
}

static void defaults_fill_every_kind(void **state) {
    struct outer s;
    (void)state;
    memset(&s, 0xff, sizeof s);
    bp_defaults(&outer_schema, &s);
    assert_int_equal(s.bytes, 0); /* required: nothing to put in */
    assert_int_equal(s.whole, -7);
    assert_near(s.time_s, 1.5, 0);
    assert_int_equal(s.on, 1);
    assert_int_equal(s.colour, COLOUR_BLUE);
    assert_near(s.inner.share, 0.25, 0);
    assert_int_equal(s.inner.parts, 3);
}

static void defaults_stay_inside_the_struct(void **state) {
    struct {
        char before[16];
        struct outer s;
        char after[16];
    } guarded;
    size_t i;
    (void)state;
    memset(&guarded, 0x5a, sizeof guarded);
    bp_defaults(&outer_schema, &guarded.s);
    for (i = 0; i < sizeof guarded.before; i++) {
        assert_int_equal(guarded.before[i], 0x5a);
        assert_int_equal(guarded.after[i], 0x5a);
    }
}

static void schema_describes_the_struct(void **state) {
    (void)state;
    assert_string_equal(outer_schema.name, "outer");
    assert_string_equal(outer_schema.doc, "everything once");
    assert_int_equal(outer_schema.size, sizeof(struct outer));
    assert_int_equal(outer_schema.count, 7);
    assert_int_equal(inner_schema.count, 2);
}

static void find_gives_the_descriptor(void **state) {
    const struct bp_field *field = bp_field_find(&outer_schema, "bytes");
    (void)state;
    assert_non_null(field);
    assert_string_equal(field->name, "bytes");
    assert_int_equal(field->kind, BP_INT);
    assert_string_equal(field->unit, "B");
    assert_true(isnan(field->def));
    assert_near(field->min, 1, 0);
    assert_near(field->max, 1e15, 0);
    assert_int_equal(field->offset, offsetof(struct outer, bytes));
    assert_null(field->names);
    assert_null(field->sub);
}

static void find_gives_names_and_inner_schema(void **state) {
    const struct bp_field *colour = bp_field_find(&outer_schema, "colour");
    const struct bp_field *inner = bp_field_find(&outer_schema, "inner");
    (void)state;
    assert_ptr_equal(colour->names, colour_names);
    assert_string_equal(colour->names[COLOUR_RED], "red");
    assert_string_equal(colour->names[COLOUR_BLUE], "blue");
    assert_null(colour->names[2]);
    assert_ptr_equal(inner->sub, &inner_schema);
    assert_true(isinf(bp_field_find(&outer_schema, "time_s")->max));
}

static void find_knows_no_other_name(void **state) {
    static const char *const unknown[] = {"", "byte", "bytess", "Bytes", "share", "outer"};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_null(bp_field_find(&outer_schema, unknown[i]));
    }
}

static void members_are_set_and_read_as_numbers(void **state) {
    static const struct {
        const char *name;
        double value;
    } cases[] = {
        {"bytes", 4096}, {"whole", -9}, {"time_s", 2.25}, {"on", 0}, {"colour", COLOUR_RED}};
    struct outer s, before;
    size_t i;
    (void)state;
    bp_defaults(&outer_schema, &s);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bp_field *field = bp_field_find(&outer_schema, cases[i].name);
        bp_field_set(field, &s, cases[i].value);
        assert_true(bp_field_get(field, &s) == cases[i].value);
    }
    assert_true(s.bytes == 4096 && s.whole == -9 && s.time_s == 2.25 && s.on == 0);
    assert_int_equal(s.colour, COLOUR_RED);
    before = s;
    bp_field_set(bp_field_find(&outer_schema, "inner"), &s, 5);
    bp_field_set(bp_field_find(&outer_schema, "name"), &s, 5);
    assert_memory_equal(&before, &s, sizeof s);
    assert_true(bp_field_get(bp_field_find(&outer_schema, "inner"), &s) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_none_are_found),
        cmocka_unit_test(defaults_fill_every_kind),
        cmocka_unit_test(defaults_stay_inside_the_struct),
        cmocka_unit_test(schema_describes_the_struct),
        cmocka_unit_test(find_gives_the_descriptor),
        cmocka_unit_test(find_gives_names_and_inner_schema),
        cmocka_unit_test(find_knows_no_other_name),
        cmocka_unit_test(members_are_set_and_read_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
