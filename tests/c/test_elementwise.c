/* Elements that the elementwise kernels of a layer move, counted by hand. */
#include "kernel/time/elementwise.h"

#include "cases.h"

/* Parts of one layer that are attention, a state space and experts. */
struct kinds {
    double attention, mamba, moe;
};

static double both(const struct bp_train_step_in *in, struct kinds kinds) {
    struct ready_case r;
    const struct bp_train_case *c = make_ready(&r, in);
    struct bp_layer list;
    bp_layer_clear(&list);
    bp_layer_add(&list, c->model, BP_BLOCK_GLOBAL, kinds.attention);
    bp_layer_add(&list, c->model, BP_BLOCK_MAMBA, kinds.mamba);
    bp_layer_add(&list, c->model, BP_BLOCK_MOE, kinds.moe);
    return bp_elements_forward(c, &list) + bp_elements_backward(c, &list);
}

/* Attention of Llama 70B: half of 10 + 8 passes over the stream, q and k rotated each way. */
static void test_attention(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    struct kinds k = {1, 0, 0};
    const double stream = 9 * 8192.0, rotated = 2 * 2 * (64 + 8) * 128.0;
    (void)state;
    assert_near(both(&in, k), stream + rotated, 0);
    in = spread(llama_model(), 8, 1, 1, 1, 4096);
    assert_near(both(&in, k), (stream + rotated) / 8, 0);
    in.plan.sequence_parallel = 0;
    assert_near(both(&in, k), stream + rotated / 8, 0);
}

/* DeepSeek-V3, per head: 64 of q read and written; 256 read, keys of 192 and values of 128 written. */
static void test_latent_attention(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 1, 1, 4096);
    struct kinds k = {1, 0, 0};
    (void)state;
    assert_near(both(&in, k), 9 * 7168.0 + 2 * 128 * (2 * 64 + 256 + 192 + 128.0), 0);
}

/* Eight routed tokens permuted in 10 passes, scores of 256 experts, gated products of nine experts. */
static void test_experts(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 1, 1, 4096);
    struct kinds k = {0, 0, 1};
    const double rest = 9 * 7168.0 + (20 + 10) * 256 + (3 + 5) * 9 * 2048.0;
    (void)state;
    in.profile.moe_passes = 10;
    assert_near(both(&in, k), rest + 2 * 10 * 8 * 7168.0, 0);
    in.model.moe_latent = 1024; /* experts on a projection: that is what is permuted */
    assert_near(both(&in, k), rest + 2 * 10 * 8 * 1024.0, 0);
}

/*
** Mamba-2, 128 heads of 64, state 128, 8 groups: x, B and C of 8192 + 2048 wide, and a state of 8192 *
** 128 for every 128 tokens, in 8 and 20 passes of 16 bit.
*/
static void test_state_space(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    struct kinds k = {0, 1, 0};
    (void)state;
    in.model.mamba_layers = 40;
    in.model.mamba_heads = 128;
    in.model.mamba_head_dim = 64;
    in.model.ssm_state = 128;
    in.model.ssm_groups = 8;
    in.model.conv_kernel = 4;
    in.profile.common.mixer_passes = 1;
    assert_near(both(&in, k), 9 * 8192.0 + (8 + 14) * 10240.0 + (8 + 20) * 8192.0, 0);
    in.profile.common.mixer_passes =
        2; /* the norm and residual of the stream are not the mixer's */
    assert_near(both(&in, k), 9 * 8192.0 + 2 * ((8 + 14) * 10240.0 + (8 + 20) * 8192.0), 0);
}

/* A layer of several kinds moves what they move one by one. */
static void test_sum_of_kinds(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 1, 1, 4096);
    struct kinds a = {1, 0, 0}, b = {0, 0, 1};
    struct kinds mean = {0.75, 0, 0.25};
    (void)state;
    assert_near(both(&in, mean), 0.75 * both(&in, a) + 0.25 * both(&in, b), 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention),    cmocka_unit_test(test_latent_attention),
        cmocka_unit_test(test_experts),      cmocka_unit_test(test_state_space),
        cmocka_unit_test(test_sum_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
