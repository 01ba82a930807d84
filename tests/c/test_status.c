/* What a kernel says when it cannot answer. */
#include "kernel/status.h"

#include <string.h>

#include "near.h"

static void fail_fills_the_error(void **state) {
    struct bp_error err;
    (void)state;
    assert_int_equal(
        bp_fail(&err, BP_EPLAN, "plan.tp", "%d does not divide %d attention heads", 3, 32),
        BP_EPLAN);
    assert_int_equal(err.code, BP_EPLAN);
    assert_string_equal(err.field, "plan.tp");
    assert_string_equal(err.text, "3 does not divide 32 attention heads");
}

static void fail_returns_the_code_it_was_given(void **state) {
    static const enum bp_code codes[] = {BP_EDOMAIN, BP_EPLAN, BP_EOVERFLOW};
    struct bp_error err;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_int_equal(bp_fail(&err, codes[i], "a", "b"), codes[i]);
        assert_int_equal(err.code, codes[i]);
        assert_int_not_equal(codes[i], BP_OK);
    }
}

static void fail_needs_no_error_to_fill(void **state) {
    (void)state;
    assert_int_equal(bp_fail(NULL, BP_EDOMAIN, "plan", "%s", "text"), BP_EDOMAIN);
}

static void fail_cuts_what_is_too_long(void **state) {
    struct {
        struct bp_error err;
        char after[8];
    } guarded;
    char field[2 * BP_FIELD_MAX], text[2 * BP_TEXT_MAX];
    (void)state;
    memset(field, 'f', sizeof field);
    memset(text, 't', sizeof text);
    field[sizeof field - 1] = text[sizeof text - 1] = '\0';
    memset(&guarded, 0x5a, sizeof guarded);
    bp_fail(&guarded.err, BP_EDOMAIN, field, "%s", text);
    assert_int_equal(strlen(guarded.err.field), BP_FIELD_MAX - 1);
    assert_int_equal(strlen(guarded.err.text), BP_TEXT_MAX - 1);
    assert_int_equal(guarded.after[0], 0x5a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_the_error),
        cmocka_unit_test(fail_returns_the_code_it_was_given),
        cmocka_unit_test(fail_needs_no_error_to_fill),
        cmocka_unit_test(fail_cuts_what_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
