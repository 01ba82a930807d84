/* The 6ND rule and MFU. */
#include "kernel/train/training_rule.h"
#include "near.h"

static struct bp_training_rule_out rule(double params, double tokens, double mfu, int64_t devices,
                                        double batch_tokens, double overhead) {
    struct bp_training_rule_in in;
    struct bp_training_rule_out out;
    struct bp_error err;
    bp_defaults(&bp_training_rule_in_schema, &in);
    in.params = params;
    in.tokens = tokens;
    in.peak_flop_s = devices == 128 ? 989e12 : 312e12;
    in.mfu_frac = mfu;
    in.devices = devices;
    in.batch_tokens = batch_tokens;
    in.overhead_factor = overhead;
    assert_int_equal(bp_training_rule(&in, &out, &err), BP_OK);
    return out;
}

static void test_by_hand(void **state) {
    struct bp_training_rule_out out = rule(7e9, 1e12, 0.4, 1000, 0, 1);
    (void)state;
    assert_near(out.flop, 4.2e22, 1e-15);
    assert_near(out.time_s, 336538.46, 1e-7);
    assert_near(out.device_s, 336538461.5, 1e-7);
    assert_near(out.step_s, 0, 0);
    out = rule(70e9, 2e12, 0.45, 128, 1e6, 1);
    assert_near(out.step_s, 7.3727671, 1e-7);
    assert_near(out.tokens_per_s, 135634.285714, 1e-9);
    assert_near(out.time_s / 86400, 170.66590, 1e-7);
    assert_near(out.tokens_per_param, 28.5714286, 1e-7);
}

/* A hundred steps of a hundredth of the tokens are the run; overhead stretches both. */
static void test_properties(void **state) {
    struct bp_training_rule_out out = rule(7e9, 1e12, 0.4, 1000, 1e10, 1);
    struct bp_training_rule_out slow = rule(7e9, 1e12, 0.4, 1000, 1e10, 8);
    (void)state;
    assert_near(out.step_s * 100, out.time_s, 1e-12);
    assert_near(slow.time_s, 8 * out.time_s, 1e-12);
    assert_near(slow.step_s, 8 * out.step_s, 1e-12);
    assert_near(slow.flop, out.flop, 0);
}

static struct bp_mfu_in measured(double tokens_per_s) {
    struct bp_mfu_in in;
    bp_defaults(&bp_mfu_in_schema, &in);
    in.params = 7e9;
    in.tokens_per_s = tokens_per_s;
    in.devices = 64;
    in.peak_flop_s = 989e12;
    in.target_frac = 0.45;
    return in;
}

static void test_mfu(void **state) {
    struct bp_mfu_in in = measured(150e3);
    struct bp_mfu_out out;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_mfu(&in, &out, &err), BP_OK);
    assert_near(out.mfu_frac, 6.3e15 / 6.3296e16, 1e-12);
    assert_near(out.flop_s_device, 6.3e15 / 64, 1e-12);
    assert_near(out.of_target_frac, 0.2211828, 1e-6);
    /* The rule run at that MFU gives the speed back. */
    in.tokens_per_s = out.tokens_per_s_target;
    assert_int_equal(bp_mfu(&in, &out, &err), BP_OK);
    assert_near(out.mfu_frac, 0.45, 1e-12);
}

static void test_faster_than_the_peak(void **state) {
    struct bp_mfu_in in = measured(2e6);
    struct bp_mfu_out out;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_mfu(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "tokens_per_s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_mfu),
        cmocka_unit_test(test_faster_than_the_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
