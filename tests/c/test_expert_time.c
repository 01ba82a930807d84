/* Matmuls of experts, and waiting for their shares, by hand. */
#include "ideal.h"

/* The host reads the experts' shares once in the forward of each of 58 MoE layers, and once more in
** every one that is computed again. */
static void test_moe_wait(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 16, 4096);
    (void)state;
    make_ideal(&in);
    in.plan.ep = 8;
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.profile.common.moe_wait_s = 1e-3;
    assert_near(time_of(&in).host_s, 2 * 58e-3, 1e-9);
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.plan.recompute_share = 0.5;
    assert_near(time_of(&in).host_s, 2 * 1.5 * 58e-3, 1e-9);
    in.profile.expert_counts = BP_EXPERT_COUNTS_KEPT; /* nobody reads them */
    assert_near(time_of(&in).host_s, 0, 0);
    in.profile.expert_counts = BP_EXPERT_COUNTS_READ;
    in.model = llama_model();
    in.plan.ep = 1;
    assert_near(time_of(&in).host_s, 0, 0);
}

/*
** 32 experts of a rank are launched one by one, two matmuls and their gradients; the shared expert's
** two, the five of MLA and the router's once each: 58 (6 * 32 + 3 * 8) + 3 * 3 * 7 + 3 launches.
*/
static void test_launches(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    double without;
    (void)state;
    make_ideal(&in);
    in.plan.ep = 8;
    without = time_of(&in).matmul_s;
    in.profile.common.launch = 0.5;
    in.device.gemm16.t0_s = 10e-6;
    assert_near(time_of(&in).matmul_s - without, 5e-6 * (58 * (6 * 32 + 3 * 8) + 3 * 3 * 7 + 3),
                1e-6);
}

/* No matmul of an expert starts sooner than so after the last; in 8 bit it is three kernels. */
static void test_starts_of_experts(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double starts = 58 * 6 * 32;
    double without;
    (void)state;
    make_ideal(&in);
    in.plan.ep = 8;
    without = time_of(&in).matmul_s;
    in.profile.launches = BP_LAUNCHES_EAGER;
    assert_near(time_of(&in).matmul_s - without, starts * 5e-6, 1e-6);
    in.plan.precision = BP_PRECISION_FP8;
    without = time_of(&in).matmul_s - starts * 15e-6;
    in.profile.launches = BP_LAUNCHES_COMPILED;
    assert_near(time_of(&in).matmul_s, without, 1e-6);
    in.profile.common.launch =
        0.5; /* the larger of the two counts: half of 40 us against three times 5 us */
    in.device.gemm8.t0_s = 40e-6;
    without = time_of(&in).matmul_s;
    in.profile.launches = BP_LAUNCHES_EAGER;
    assert_near(time_of(&in).matmul_s, without, 1e-9);
}

/*
** A rank's 32 experts get 1,024 rows each of 8 times 4,096 tokens, and 64 more are not used in forward and in
** the gradient of the input: of twice the tokens no more than that are lost.
*/
static void test_tiles_of_experts(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double routed = 58 * 32 * 3 * 7168.0 * 2048;
    double once;
    (void)state;
    make_ideal(&in);
    in.plan.ep = 8;
    once = time_of(&in).matmul_s;
    in.job.seq_len = 2 * 4096;
    assert_near(2 * once - time_of(&in).matmul_s, 4 * 64 * routed / PEAK, 1e-6);
}

/* What slows experts down is no more than what the power limit allows at half the peak. */
static void test_experts_under_a_power_limit(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    double slow, limited;
    (void)state;
    make_ideal(&in);
    in.plan.ep = 8;
    in.profile.expert_gemm = 1.2;
    slow = time_of(&in).matmul_s;
    in.profile.expert_gemm = 1;
    assert_near(slow - time_of(&in).matmul_s,
                0.2 * (6 * 4096 * 8 + 4 * 64 * 32) * (58 * 3 * 7168.0 * 2048) / PEAK, 1e-6);
    in.profile.sustained_flop_w = 0.5 * PEAK / 700;
    limited = time_of(&in).matmul_s;
    in.profile.expert_gemm = 1.2;
    assert_true(time_of(&in).matmul_s < 1.02 * limited);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moe_wait),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_starts_of_experts),
        cmocka_unit_test(test_tiles_of_experts),
        cmocka_unit_test(test_experts_under_a_power_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
