/* Starts of replicas. */
#include "kernel/serve/cold_start.h"
#include "near.h"

static struct bp_cold_start_out run(const struct bp_cold_start_in *in) {
    struct bp_cold_start_out out;
    struct bp_error err;
    assert_int_equal(bp_cold_start(in, &out, &err), BP_OK);
    return out;
}

/* The published 130 GB in 84 s, within the digits of the speed; and all parts, each once. */
static void test_by_hand(void **state) {
    struct bp_cold_start_in in;
    struct bp_cold_start_out out;
    (void)state;
    bp_defaults(&bp_cold_start_in_schema, &in);
    in.weights_bytes = 130e9;
    assert_near(run(&in).load_s, 84, 0.05);
    in.load_bytes_s = 130e9;
    in.fetch_bytes_s = 65e9;
    in.image_bytes = 4e9;
    in.image_bytes_s = 1e9;
    in.machine_s = 8;
    in.engine_s = 16;
    out = run(&in);
    assert_near(out.start_s, 31, 1e-12);
    assert_near(out.image_s, 4, 1e-12);
    assert_near(out.fetch_s, 2, 1e-12);
}

static void test_nothing_to_fetch(void **state) {
    struct bp_cold_start_in in;
    (void)state;
    bp_defaults(&bp_cold_start_in_schema, &in);
    in.engine_s = 0;
    in.weights_bytes = 0;
    assert_near(run(&in).start_s, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_nothing_to_fetch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
