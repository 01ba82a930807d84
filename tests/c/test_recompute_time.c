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
    assert_true(t.model_flop < all.model_flop);
    assert_near(t.hardware_flop, PEAK * (t.matmul_s + t.attention_s), 1e-9 * all.model_flop);
    assert_near(t.hfu_frac, t.mfu_frac, 1e-12);
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

/* Gate, up and down of 80 layers: 2 * 3 * 8192 * 28672 FLOP a token. */
#define MLPS (80 * 2.0 * 3 * 8192 * 28672 * 4096)

/* A module's forward again, with the FLOP; its elementwise work where memory takes time. */
static void test_dense_modules(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double norms = 80 * 4096.0 * 2 * 4 * 8192, act = 80 * 4096.0 * 2 * 3 * 28672;
    struct bp_train_time t;
    (void)state;
    in.plan.recompute_mlp = 1;
    t = time_of(&in);
    assert_near(t.recompute_s, MLPS / PEAK, 1e-9);
    assert_near(t.hardware_flop - t.model_flop, MLPS, 1e-9);
    in.plan.recompute = BP_RECOMPUTE_SELECTIVE; /* the core beside it */
    assert_near(time_of(&in).recompute_s, MLPS / PEAK + 80 * CORE, 1e-9);
    in.plan.recompute = BP_RECOMPUTE_FULL; /* all, once */
    assert_near(time_of(&in).recompute_s, 80 * (LAYER + CORE), 1e-9);
    in.plan.recompute_share = 0.25; /* the module in the other layers */
    assert_near(time_of(&in).recompute_s, 20 * (LAYER + CORE) + 0.75 * MLPS / PEAK, 1e-9);
    in = ideal(1, 1, 1, 1);
    in.device.mem_bw_bytes_s = in.device.gemm16.w = 1e12;
    in.plan.recompute_norms = 1;
    assert_near(time_of(&in).recompute_s, norms / 1e12, 1e-9);
    in.plan.recompute_activation = 1;
    assert_near(time_of(&in).recompute_s, (norms + act) / 1e12, 1e-9);
    assert_near(time_of(&in).hardware_flop, time_of(&in).model_flop, 0);
    in.plan.recompute_mlp = 1; /* has the activation function in it */
    assert_near(time_of(&in).recompute_s, (norms + act) / 1e12 + MLPS / PEAK, 1e-6);
}

/* The region of the MLP is one of two, and runs through its collectives a third time. */
static void test_traffic_of_modules(void **state) {
    struct bp_train_step_in in = ideal(2, 1, 1, 1);
    struct bp_train_time t;
    (void)state;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.recompute_mlp = 1;
    t = time_of(&in);
    assert_true(t.tp_s > 0);
    assert_near(t.recompute_s, MLPS / 2 / PEAK + t.tp_s / 4, 1e-9);
}

/*
** DeepSeek-V3, 58 layers of experts: routing 2 * 7168 * 256, eight visits and the shared expert of
** 2 * 3 * 7168 * 2048 each; three dense MLPs of 18432. The tiles of 256 experts waste 64 rows each.
*/
static void test_modules_of_experts(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 1, 1, 4096), up;
    const double expert = 2.0 * 3 * 7168 * 2048, routing = 2.0 * 7168 * 256;
    const double tiles = 58 * 256 * 64 * expert;
    const double moe = 58 * 4096 * (routing + 9 * expert), shared = 58 * 4096 * expert;
    struct bp_train_time t;
    (void)state;
    make_ideal(&in);
    up = in;
    in.plan.recompute_shared = 1;
    t = time_of(&in);
    assert_near(t.recompute_s, shared / PEAK, 1e-9);
    assert_near(t.hardware_flop - t.model_flop, shared, 1e-9);
    in.plan.recompute_moe = 1; /* shared ones are a part */
    t = time_of(&in);
    assert_near(t.recompute_s, (moe + tiles) / PEAK, 1e-9);
    assert_near(t.hardware_flop - t.model_flop, moe, 1e-9);
    in.plan.recompute_mlp = 1;
    assert_near(time_of(&in).recompute_s, (moe + tiles + 3 * 4096 * 2.0 * 3 * 7168 * 18432) / PEAK,
                1e-9);
    up.plan.recompute_up_proj = 1;
    t = time_of(&up);
    up.plan.recompute = BP_RECOMPUTE_SELECTIVE; /* of latent attention the same module */
    assert_near(time_of(&up).recompute_s, t.recompute_s, 0);
    up.plan.recompute_up_proj = 0;
    assert_near(time_of(&up).recompute_s, t.recompute_s, 0);
    assert_near(time_of(&up).hardware_flop, t.hardware_flop, 0);
}

/* Experts on other ranks: tokens go there and back again. */
static void test_exchange_again(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    double alone;
    (void)state;
    make_ideal(&in);
    in.plan.ep = 8;
    in.plan.recompute_moe = 1;
    alone = time_of(&in).recompute_s;
    in.network.scaleup.bw_bytes_s = 450e9;
    assert_true(time_of(&in).ep_s > 0);
    assert_near(time_of(&in).recompute_s, alone + time_of(&in).ep_s / 2, 1e-9);
}

/*
** Activations of 80 layers, 4096 * 274688 bytes each, leave in forward and come back in backward: beside
** the work, so that only what takes longer shows.
*/
static void test_offloaded_activations(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double bytes = 80 * 4096 * 274688.0;
    struct bp_train_time plain = time_of(&in), t;
    double forward = 80 * (LAYER + CORE) + HEAD, backward = plain.step_s - forward, copy;
    (void)state;
    in.plan.offload_activations = 1;
    in.profile.common.host_link = 0.5;
    in.device.host_bytes_s = 2e12;
    assert_near(time_of(&in).step_s, plain.step_s, 0);
    in.device.host_bytes_s = 2 * bytes / (1.5 * forward); /* less than backward takes */
    t = time_of(&in);
    assert_near(t.offload_s, 0.5 * forward, 1e-6);
    assert_near(t.host_s, plain.host_s, 0);
    assert_near(t.step_s, plain.step_s + t.offload_s, 1e-9);
    in.plan.offload_activations = 0.5;
    assert_near(time_of(&in).step_s, plain.step_s, 0);
    in.plan.offload_activations = 1;
    in.device.host_bytes_s = 16e9;
    copy = bytes / 8e9;
    assert_true(copy > backward);
    t = time_of(&in);
    assert_near(t.offload_s, 2 * copy - forward - backward, 1e-6);
    assert_int_equal(t.bound, BP_BOUND_OFFLOAD);
}

/* Zero bubble puts weight gradients where copies come back: a faster device that waits for them is no slower. */
static void test_faster_beside_copies(void **state) {
    struct bp_train_step_in in = ideal(1, 4, 1, 8);
    double last = INFINITY, speed;
    (void)state;
    in.plan.schedule = BP_SCHEDULE_ZB_H1;
    in.plan.offload_activations = 1;
    in.device.host_bytes_s = 64e9;
    for (speed = 0; speed < 20; speed++) {
        double step_s = time_of(&in).step_s;
        assert_true(step_s <= last);
        last = step_s;
        in.device.bf16_flop_s *= 1.2;
    }
    assert_true(time_of(&in).offload_s > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recomputation),
        cmocka_unit_test(test_adapters_execute_less),
        cmocka_unit_test(test_selective_latent_attention),
        cmocka_unit_test(test_dense_modules),
        cmocka_unit_test(test_traffic_of_modules),
        cmocka_unit_test(test_modules_of_experts),
        cmocka_unit_test(test_exchange_again),
        cmocka_unit_test(test_offloaded_activations),
        cmocka_unit_test(test_faster_beside_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
