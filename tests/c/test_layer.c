/* Layers as lists of operations: what one model's list says in every fold, counted by hand. */
#include "kernel/layer/layer.h"

#include "cases.h"
#include "kernel/count/kv.h"
#include "kernel/count/params.h"
#include "kernel/time/layer_time.h"

static struct bp_layers layers_of(struct bp_model m) {
    struct bp_layers out;
    struct bp_error err;
    assert_int_equal(bp_model_resolve(&m, &err), BP_OK);
    bp_layers_of(&m, &out);
    return out;
}

/* Llama 70B: queries, keys and values in one matmul, output, gate and up, down. */
static void test_dense(void **state) {
    struct bp_layers layers = layers_of(llama_model());
    const struct bp_op_matmul *op = layers.stack.matmul;
    const struct bp_ranks whole = {1, 1, 1}, sixteen = {16, 1, 1};
    (void)state;
    assert_int_equal(layers.stack.matmuls, 4);
    assert_near(bp_matmul_share(&op[0], &whole).out, (64 + 2 * 8) * 128.0, 0);
    /* A sixteenth of the queries; the 8 key/value heads are replicated once on 16 ranks. */
    assert_near(bp_matmul_share(&op[0], &sixteen).out, (4 + 2 * 1) * 128.0, 0);
    assert_near(bp_matmul_share(&op[1], &sixteen).in, 8192 / 16, 0);
    assert_near(bp_matmul_share(&op[2], &sixteen).out, 2 * 28672 / 16, 0);
    assert_near(bp_matmul_share(&op[3], &sixteen).in, 28672 / 16, 0);
    assert_near(bp_layer_params(&layers.stack, 0).all,
                80 * (8192.0 * 128 * (64 + 16) + 8192.0 * 8192 + 3 * 8192.0 * 28672), 0);
}

/* Layers with and without window: one attention each, the same matmuls once. */
static void test_windows_share_matmuls(void **state) {
    struct bp_model m = llama_model();
    struct bp_layers layers;
    (void)state;
    m.sliding_window = 1024;
    m.window_layers = 60;
    layers = layers_of(m);
    assert_int_equal(layers.stack.matmuls, 4);
    assert_int_equal(layers.stack.attentions, 2);
    assert_near(layers.stack.matmul[0].count, 80, 0);
    assert_near(layers.stack.attention[0].count, 60, 0);
    assert_near(layers.stack.attention[0].window, 1024, 0);
    assert_near(layers.stack.attention[1].window, 0, 0);
    m.global_head_dim = 256; /* then they are other matrices */
    layers = layers_of(m);
    assert_int_equal(layers.stack.matmuls, 6);
    assert_near(layers.stack.matmul[2].out, 64 * 256, 0);
    assert_near(layers.stack.attention[1].qk_dim, 256, 0);
}

/* DeepSeek-V3: 671 G parameters in 61 layers, of which a token meets 9 of 257 experts. */
static void test_experts(void **state) {
    struct bp_layers layers = layers_of(moe_model());
    const struct bp_op_matmul *up = bp_layer_experts(&layers.stack);
    const struct bp_ranks ranks = {2, 32, 2};
    const double expert = 3 * 7168.0 * 2048;
    (void)state;
    assert_near(up->count, 58, 0);
    assert_near(bp_matmul_share(up, &ranks).experts, 8, 0);
    assert_near(bp_matmul_share(up, &ranks).out, 2048, 0);
    assert_near(bp_role_params(&layers.stack, BP_ROLE_EXPERT, 256).all, 256 * expert, 0);
    assert_near(bp_role_params(&layers.stack, BP_ROLE_SHARED, 0).all, expert, 0);
    assert_near(layers.stack.attention[0].cached_width, 576, 0);
    assert_true(bp_layer_has_role(&layers.stack, BP_ROLE_HEADS));
    assert_null(bp_layer_experts(&layers.mtp));
}

/* A prediction layer joins two hidden states. */
static void test_prediction_layer(void **state) {
    struct bp_model m = moe_model();
    struct bp_layers layers;
    (void)state;
    m.mtp_layers = 1;
    layers = layers_of(m);
    assert_near(bp_role_params(&layers.mtp, BP_ROLE_JOIN, 0).all, 2 * 7168.0 * 7168, 0);
    assert_near(bp_layer_experts(&layers.mtp)->count, 1, 0);
}

/* A decoder that attends to 1500 tokens of an encoder: their keys are made and cached once a sequence. */
static void test_cross_attention(void **state) {
    struct bp_model m = llama_model();
    struct bp_layers plain = layers_of(m), crossed;
    struct bp_kv_cache_in in;
    struct bp_kv_cache_out one, two;
    struct bp_error err;
    (void)state;
    m.cross_layers = 80;
    m.cross_tok = 1500;
    crossed = layers_of(m);
    assert_int_equal(crossed.stack.matmuls, plain.stack.matmuls + 3);
    assert_near(bp_layer_params(&crossed.stack, 0).all - bp_layer_params(&plain.stack, 0).all,
                80 * (2 * 8192.0 * 8192 + 2 * 8192.0 * 1024), 0);
    bp_defaults(&bp_kv_cache_in_schema, &in);
    in.model = m;
    in.tokens = 100;
    assert_int_equal(bp_kv_cache(&in, &one, &err), BP_OK);
    assert_near(one.sequence_bytes, 80 * 2 * 2 * 1024.0 * (100 + 1500), 0);
    assert_near(one.bytes_per_token, 80 * 2 * 2 * 1024.0, 0);
    in.tokens = 200;
    assert_int_equal(bp_kv_cache(&in, &two, &err), BP_OK);
    assert_near(two.sequence_bytes - one.sequence_bytes, 100 * one.bytes_per_token, 0);
}

/* Of a sequence of 3000 tokens all see 1500 keys; half as many rows make these. */
static void test_cross_attention_in_training(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 3000), with;
    struct ready_case a, b;
    const double layer =
        2 * 8192.0 * 8192 + 8192.0 * 1024; /* query, output, half of keys, values */
    double matmul, attention;
    (void)state;
    make_ideal(&in);
    with = in;
    with.model.cross_layers = 80;
    with.model.cross_tok = 1500;
    make_ready(&a, &in);
    make_ready(&b, &with);
    matmul = bp_layer_time(&b.c, &b.model.layers.stack).forward.matmul -
             bp_layer_time(&a.c, &a.model.layers.stack).forward.matmul;
    attention = bp_layer_time(&b.c, &b.model.layers.stack).forward.attention -
                bp_layer_time(&a.c, &a.model.layers.stack).forward.attention;
    assert_near(matmul, 2 * bp_case_tokens(&a.c) * layer / in.device.bf16_flop_s, 1e-6);
    assert_near(attention, 2 * 2 * 128 * 64.0 * 1500 * bp_case_tokens(&a.c) / in.device.bf16_flop_s,
                1e-6);
}

/* Qwen3-Next-80B-A3B: 12 of 48 layers attend, with an output gate as wide as the query. */
static void test_gated_attention(void **state) {
    const double query = 16 * 256, kv = 2 * 256, h = 2048;
    struct bp_model m = llama_model(), plain;
    struct bp_layers gated, without;
    double all;
    (void)state;
    m.layers = m.attention_layers = 12;
    m.hidden = 2048;
    m.heads = 16;
    m.kv_heads = 2;
    m.head_dim = 256;
    m.qk_norm_dim = 256;
    plain = m;
    m.attention_gate = 1;
    gated = layers_of(m);
    without = layers_of(plain);
    assert_near(bp_layer_params(&gated.stack, 0).all - bp_layer_params(&without.stack, 0).all,
                12 * h * query, 0);
    m.ffn_hidden = m.ffn_layers = 0;
    gated = layers_of(m);
    all = 12 * (h * (2 * query + 2 * kv) + query * h + 2 * 256);
    assert_near(bp_layer_params(&gated.stack, 0).all, all, 0);
    assert_near(gated.stack.matmul[0].out, 2 * query, 0);
    assert_near(gated.stack.pass[1].width, query, 0);
}

/* Of 8192 tokens each sees 2048 that an indexer of 64 heads of 128 selects, which scores half of all pairs. */
static void test_indexer_in_training(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 8192), with;
    struct ready_case a, b;
    struct bp_compute_time plain, indexed;
    const double tokens = 8192, seen = 2048 * 2049 / 2.0 + 2048.0 * (8192 - 2048);
    const double all = 8192 * 8193 / 2.0, head = 2 * 2 * 128 * 64;
    const double matmuls = 8192.0 * (64 * 128 + 64 + 128);
    const double scores = 2 * 64 * 128 * all / 1e15;
    (void)state;
    make_ideal(&in);
    in.profile.common.misaligned = 0;
    in.device.attention.throttle = 0;
    with = in;
    with.model.index_layers = 80;
    with.model.index_heads = 64;
    with.model.index_dim = 128;
    with.model.index_topk = 2048;
    make_ready(&a, &in);
    make_ready(&b, &with);
    plain = bp_layer_time(&a.c, &a.model.layers.stack);
    indexed = bp_layer_time(&b.c, &b.model.layers.stack);
    assert_near(plain.forward.attention, head * all / 1e15, 1e-6);
    assert_near(indexed.forward.attention, head * seen / 1e15 + scores, 1e-6);
    assert_near(indexed.forward.matmul - plain.forward.matmul, 2 * tokens * matmuls / 1e15, 1e-6);
    assert_near(indexed.backward.matmul - plain.backward.matmul, 4 * tokens * matmuls / 1e15, 1e-6);
    /* Backward makes gradients of queries and keys of every score. */
    assert_near((plain.backward.attention - indexed.backward.attention + 2 * scores) /
                    (plain.forward.attention - indexed.forward.attention + scores),
                plain.backward.attention / plain.forward.attention, 1e-6);
}

static void test_bad_cross_attention(void **state) {
    struct bp_model m = llama_model();
    struct bp_error err;
    (void)state;
    m.cross_layers = 81;
    m.cross_tok = 10;
    assert_int_equal(bp_model_resolve(&m, &err), BP_EDOMAIN);
    m.cross_layers = 80;
    m.cross_tok = 0;
    assert_int_equal(bp_model_resolve(&m, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "model.cross_tok");
}

/* The lists have room for a model of every kind at once. */
static void test_room(void **state) {
    struct bp_model m = moe_model();
    struct bp_layers layers;
    (void)state;
    m.mtp_layers = 1;
    m.sliding_window = 128;
    m.window_layers = 20;
    m.index_layers = 10;
    m.index_heads = 64;
    m.index_dim = 128;
    m.index_topk = 2048;
    m.index_ratio = 4;
    m.compress_layers = 10;
    m.compress_ratio = 128;
    m.linear_layers = 5;
    m.linear_value_heads = m.linear_key_heads = 16;
    m.linear_value_dim = m.linear_key_dim = 128;
    m.mamba_layers = 5;
    m.mamba_heads = 64;
    m.mamba_head_dim = m.ssm_state = 64;
    m.ssm_groups = 8;
    m.conv_kernel = 4;
    m.shared_gate = 1;
    m.moe_latent = 1024;
    layers = layers_of(m);
    assert_true(layers.stack.matmuls < BP_LAYER_MATMULS);
    assert_true(layers.stack.attentions < BP_LAYER_ATTENTIONS);
    assert_true(layers.stack.indexes < BP_LAYER_INDEXES);
    assert_true(layers.stack.scans < BP_LAYER_SCANS);
    assert_true(layers.stack.passes < BP_LAYER_PASSES);
    assert_true(layers.stack.kepts < BP_LAYER_KEPT);
    assert_true(layers.stack.caches < BP_LAYER_CACHES);
    assert_true(layers.stack.weightses < BP_LAYER_WEIGHTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_windows_share_matmuls),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_prediction_layer),
        cmocka_unit_test(test_cross_attention),
        cmocka_unit_test(test_cross_attention_in_training),
        cmocka_unit_test(test_gated_attention),
        cmocka_unit_test(test_indexer_in_training),
        cmocka_unit_test(test_bad_cross_attention),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
