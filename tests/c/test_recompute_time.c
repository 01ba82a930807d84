/* What recomputation does again, in seconds and FLOP by hand. */
#include "ideal.h"

static void test_recomputation(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    struct bp_train_time t;
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_FULL; /* all layers' forward again; not the head */
    t = time_of(&in);
    assert_near(t.recompute_s, 80 * (LAYER + CORE), 1e-9);
    assert_near(t.hardware_flop - t.model_flop, PEAK * t.recompute_s, 1e-9);
    in.plan.recompute_share = 0.25;
    assert_near(time_of(&in).recompute_s, 20 * (LAYER + CORE), 1e-9);
    in.plan.recompute_share = 1;
    in.plan.recompute = BP_RECOMPUTE_SELECTIVE; /* attention alone */
    t = time_of(&in);
    assert_near(t.recompute_s, 80 * CORE, 1e-9);
    assert_near(t.hardware_flop - t.model_flop, PEAK * t.recompute_s, 1e-9);
    assert_near(t.hfu_frac / t.mfu_frac, t.hardware_flop / t.model_flop, 1e-12);
}

/* Under adapters the gradients of frozen weights are no work: two matmuls of three, all of attention. */
static void test_adapters_execute_less(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    struct bp_train_time all = time_of(&in), t;
    (void)state;
    in.plan.lora_rank = 16;
    t = time_of(&in);
    assert_near(t.model_flop, all.model_flop, 1);
    assert_near(t.hardware_flop, PEAK * (t.matmul_s + t.attention_s), 1e-9 * all.model_flop);
    assert_true(t.hfu_frac < t.mfu_frac);
}

/*
** MLA makes queries, keys and values of its heads again: 2 * 4096 * 128 (1536 * 192 + 512 * 256) FLOP in each
** of 61 layers, and reads and writes what assembles them, 128 (2 * 64 + 2 * 256 + 64) elements a token.
*/
static void test_selective_latent_attention(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 1, 1, 4096);
    const double up = 61 * 2 * 4096.0 * 128 * (1536 * 192 + 512 * 256);
    struct bp_train_time t;
    (void)state;
    make_ideal(&in);
    in.plan.recompute = BP_RECOMPUTE_SELECTIVE;
    t = time_of(&in);
    assert_near(t.recompute_s, up / PEAK, 1e-9);
    assert_near(t.hardware_flop - t.model_flop, up, 1e-9);
    in.device.mem_bw_bytes_s = 1e12;
    in.device.gemm16.w = 1e12;
    assert_near(time_of(&in).recompute_s, up / PEAK + 61 * 4096.0 * 2 * 128 * 704 / 1e12, 1e-6);
    in.plan.flash = 0; /* stored scores are what weighs most: the core again */
    t = time_of(&in);
    assert_near(t.hardware_flop - t.model_flop, 61 * 128 * 2.0 * 320 * 4096 * 4097 / 2, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recomputation),
        cmocka_unit_test(test_adapters_execute_less),
        cmocka_unit_test(test_selective_latent_attention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
