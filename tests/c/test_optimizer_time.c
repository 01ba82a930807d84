/* What the optimizer takes, by hand. */
#include "ideal.h"

/* Adam moves 30 bytes a parameter and 12 a gradient: on 3 TB/s, all of it or an eighth. */
static void test_optimizer(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    const double n = 70553706496.0;
    (void)state;
    in.device.mem_bw_bytes_s = 3e12;
    in.plan.zero = 0;
    assert_near(time_of(&in).optimizer_s, 42 * n / 3e12, 1e-9);
    in.plan.zero = 1;
    assert_near(time_of(&in).optimizer_s, (30 * n / 8 + 12 * n) / 3e12, 1e-9);
    in.plan.zero = 2;
    assert_near(time_of(&in).optimizer_s, 42 * n / 8 / 3e12, 1e-9);
    in.plan.optimizer = BP_OPTIMIZER_SGD; /* no moments to read and write, 16 bytes less */
    assert_near(time_of(&in).optimizer_s, 26 * n / 8 / 3e12, 1e-9);
    in.plan.optimizer = BP_OPTIMIZER_LION;
    assert_near(time_of(&in).optimizer_s, 34 * n / 8 / 3e12, 1e-9);
}

/* Gradients of 16 bit are cleared and measured in 6 bytes; states of nothing but bf16 move 2 + 4 + 8 for an update. */
static void test_narrow_update(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    const double n = 70553706496.0;
    (void)state;
    in.device.mem_bw_bytes_s = 3e12;
    in.plan.zero = 0;
    in.plan.grad_bytes = 2;
    assert_near(time_of(&in).optimizer_s, (30 + 6) * n / 3e12, 1e-9); /* to a master copy in fp32 */
    in.plan.master_bytes = 0;
    in.plan.optimizer = BP_OPTIMIZER_ADAM_BF16;
    assert_near(time_of(&in).optimizer_s, (14 + 6) * n / 3e12, 1e-9);
}

/* Adam moves 30 bytes a parameter and 12 a gradient of the prediction layer as of all others. */
static void test_states_of_prediction(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    const double n = 70553706496.0, layer = 855638016.0 + 2 * 8192;
    double added = layer + 2.0 * 8192 * 8192 + 3 * 8192;
    (void)state;
    in.device.mem_bw_bytes_s = 3e12;
    in.plan.zero = 0;
    in.model.mtp_layers = 1;
    assert_near(time_of(&in).optimizer_s, 42 * (n + added) / 3e12, 1e-9);
}

/*
** Five steps of 4 m m n + 2 m m m FLOP for as many matrices of 8192 x 28672 as the parameters in layers make,
** shared by eight ranks. Experts count by their own shape, of which 2048 is the shorter side.
*/
static void test_muon(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    const double m = 8192, n = 28672, params = 80 * (LAYER_MATMUL + 2 * 8192);
    struct bp_train_step_in moe = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double experts = 58 * 256 * 3 * 7168.0 * 2048 / 8;
    double adam;
    (void)state;
    in.plan.optimizer = BP_OPTIMIZER_MUON;
    assert_near(time_of(&in).optimizer_s,
                params / (m * n) / 8 * 5 * (4 * m * m * n + 2 * m * m * m) / PEAK, 1e-6);
    in.plan.zero = 0; /* every rank the same */
    assert_near(time_of(&in).optimizer_s,
                params / (m * n) * 5 * (4 * m * m * n + 2 * m * m * m) / PEAK, 1e-6);
    in.plan.offload = BP_OFFLOAD_OPTIMIZER;
    in.device.host_bytes_s = 1e15;
    assert_true(time_of(&in).optimizer_s < 0.01);
    make_ideal(&moe);
    moe.plan.ep = 8;
    adam = time_of(&moe).optimizer_s;
    moe.plan.optimizer = BP_OPTIMIZER_MUON;
    assert_true(time_of(&moe).optimizer_s - adam >
                experts * 5 * (4 * 2048.0 + 2 * 2048.0 * 2048 / 7168) / PEAK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizer),
        cmocka_unit_test(test_narrow_update),
        cmocka_unit_test(test_states_of_prediction),
        cmocka_unit_test(test_muon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
