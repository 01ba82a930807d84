/* Latency budgets. */
#include "kernel/serve/latency.h"
#include "near.h"

static struct bp_latency_budget_out run(double sla, double inference, double search) {
    struct bp_latency_budget_in in;
    struct bp_latency_budget_out out;
    struct bp_error err;
    bp_defaults(&bp_latency_budget_in_schema, &in);
    in.sla_s = sla;
    in.network_s = 0.005;
    in.features_s = 0.010;
    in.postprocess_s = 0.005;
    in.inference_s = inference;
    in.search_s = search;
    assert_int_equal(bp_latency_budget(&in, &out, &err), BP_OK);
    return out;
}

static void test_by_hand(void **state) {
    struct bp_latency_budget_out out = run(0.050, 0.020, 0);
    (void)state;
    assert_near(out.left_s, 0.010, 1e-12);
    assert_true(out.within);
    assert_near(out.inference_frac, 0.4, 1e-12);
    assert_near(out.other_frac, 0.4, 1e-12);
    out = run(0.050, 0.020, 0.015);
    assert_near(out.left_s, -0.005, 1e-12);
    assert_false(out.within);
    assert_near(out.search_frac, 0.3, 1e-12);
}

/* Every part counts, and counts once. */
static void test_all_parts_count(void **state) {
    struct bp_latency_budget_in in;
    struct bp_latency_budget_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_latency_budget_in_schema, &in);
    in.sla_s = 256;
    in.network_s = 1;
    in.features_s = 2;
    in.preprocess_s = 4;
    in.queue_s = 8;
    in.inference_s = 16;
    in.search_s = 32;
    in.postprocess_s = 64;
    in.buffer_s = 128;
    assert_int_equal(bp_latency_budget(&in, &out, &err), BP_OK);
    assert_near(out.used_s, 255, 0);
    assert_near(out.left_s, 1, 0);
    assert_near(out.inference_frac + out.search_frac + out.other_frac, 255.0 / 256, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_all_parts_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
