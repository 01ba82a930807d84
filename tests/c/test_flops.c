/* FLOP per token by convention, against the formulas as published. */
#include "kernel/count/flops.h"

#include "cases.h"

static struct bp_flops_out count(struct bp_model model, int64_t seq_len) {
    struct bp_flops_in in;
    struct bp_flops_out out;
    struct bp_error err = {0};
    in.model = model;
    in.seq_len = seq_len;
    assert_int_equal(bp_flops(&in, &out, &err), BP_OK);
    return out;
}

/* 96 B s L h^2 (1 + s/6h + V/16Lh) over the B s tokens: arXiv:2104.04473, equation 3. */
static double megatron_2021(double layers, double h, double vocab, double s) {
    return 96 * layers * h * h * (1 + s / (6 * h) + vocab / (16 * layers * h));
}

static void test_megatron_formula(void **state) {
    struct bp_flops_out out = count(gpt_model(), 2048);
    (void)state;
    assert_near(out.megatron_token, megatron_2021(96, 12288, 51200, 2048), 1e-14);
    assert_near(out.megatron_token, 1433998983168.0, 1e-15); /* the same, worked out */
    out = count(gpt_model(), 8192);
    assert_near(out.megatron_token, megatron_2021(96, 12288, 51200, 8192), 1e-14);
}

/* Three passes instead of four are 72 instead of 96, and the head's 6 V h stay. */
static void test_megatron_without_recompute(void **state) {
    struct bp_flops_out out = count(gpt_model(), 2048);
    double head = 6.0 * 51200 * 12288;
    (void)state;
    assert_near(out.model_token_full - head, 0.75 * (out.megatron_token - head), 1e-14);
}

/* Llama 70B: N = 80 (2 h^2 + 2 h 1024 + 3 h 28672) + V h = 69,501,714,432. */
static void test_6n_12lads(void **state) {
    struct bp_flops_out out = count(llama_model(), 8192);
    double n = 69501714432.0, pairs = 8192.0 * 8193 / 2;
    (void)state;
    assert_near(out.matmul_forward, 2 * n, 1e-15);
    assert_near(out.model_token_full, 6 * n + 12.0 * 80 * 64 * 128 * 8192, 1e-15);
    assert_near(out.model_token_full, 481434796032.0, 1e-15);
    /* Causal: s (s+1) / 2 pairs of s^2, two matmuls of width 128 for each of 64 heads. */
    assert_near(out.attention_forward, 80 * 4.0 * 64 * 128 * pairs / 8192, 1e-14);
    assert_near(out.model_token, 3 * (out.matmul_forward + out.attention_forward), 1e-15);
}

/*
** DeepSeek-V3: one token visits 8 + 1 experts of 3*7168*2048 and passes MLA
** 7168*1536 + 1536*128*192 + 7168*576 + 512*128*256 + 128*128*7168 = 187,105,280.
*/
static void test_moe(void **state) {
    double mla = 187105280, dense = 3.0 * 7168 * 18432, expert = 3.0 * 7168 * 2048;
    double n = 61 * mla + 3 * dense + 58 * (9 * expert + 7168.0 * 256) + 129280.0 * 7168;
    struct bp_flops_out out = count(moe_model(), 4096);
    (void)state;
    assert_near(out.matmul_forward, 2 * n, 1e-15);
    /* Scores over 192, values over 128 dimensions of 128 heads. */
    assert_near(out.attention_forward_full, 61 * 2.0 * 128 * (192 + 128) * 4096, 1e-15);
    assert_near(out.attention_forward, 61 * 2.0 * 128 * (192 + 128) * 4097 / 2, 1e-15);
}

/*
** Its prediction layer: one more attention and MoE layer, 2 h^2 to join, one more head. Megatron-Bridge
** prints 260.0 GFLOP per token at 4096 tokens (6,288 tokens/s at 1,635 TFLOP/s on GB300).
*/
static void test_multi_token_prediction(void **state) {
    struct bp_model m = moe_model();
    struct bp_flops_out without = count(m, 4096), with;
    double expert = 3.0 * 7168 * 2048;
    double n = 187105280 + 9 * expert + 7168.0 * 256 + 2 * 7168.0 * 7168 + 129280.0 * 7168;
    (void)state;
    m.mtp_layers = 1;
    with = count(m, 4096);
    assert_near(with.matmul_forward - without.matmul_forward, 2 * n, 1e-12);
    assert_near(with.attention_forward, 62.0 / 61 * without.attention_forward, 1e-12);
    assert_near(with.model_token, 1635e12 / 6288, 0.003);
    assert_near(with.megatron_token - without.megatron_token,
                4 * (2 * n + 2.0 * 128 * 320 * 4096) - 2 * 129280.0 * 7168, 1e-12);
}

/*
** ViT-L/16 on 197 tokens: published as 61.6 GMAC per image. Layers 24*12*1024^2, patches 768*1024,
** attention 24*2*1024*197 per token, nothing masked.
*/
static void test_vision(void **state) {
    struct bp_flops_out out = count(vit_model(), 197);
    double matmul = 24 * 12.0 * 1024 * 1024 + 768.0 * 1024;
    double per_image = 197 * (out.matmul_forward + out.attention_forward);
    (void)state;
    assert_near(out.matmul_forward, 2 * matmul, 1e-15);
    assert_near(out.attention_forward, out.attention_forward_full, 0);
    assert_near(out.attention_forward, 24 * 4.0 * 1024 * 197, 1e-15);
    assert_near(per_image / 2, 61.6e9, 0.005);
}

/* A window of w tokens: w (w+1)/2 pairs while it fills, w for every token after. */
static void test_window(void **state) {
    struct bp_model m = llama_model();
    struct bp_flops_out plain = count(m, 8192), half;
    double pairs = 1024.0 * 1025 / 2 + 1024.0 * (8192 - 1024);
    (void)state;
    m.sliding_window = 1024;
    m.window_layers = 40;
    half = count(m, 8192);
    assert_near(half.attention_forward,
                plain.attention_forward / 2 + 40 * 4.0 * 64 * 128 * pairs / 8192, 1e-14);
    assert_near(half.attention_forward_full, plain.attention_forward_full, 0);
    m.sliding_window = 1 << 20; /* wider than the sequence: no window */
    assert_near(count(m, 8192).attention_forward, plain.attention_forward, 1e-15);
}

static void test_one_token(void **state) {
    struct bp_flops_out out = count(llama_model(), 1);
    (void)state;
    assert_near(out.attention_forward, out.attention_forward_full, 0);
    assert_near(out.attention_forward, 80 * 4.0 * 64 * 128, 1e-15);
}

static void test_bad_model(void **state) {
    struct bp_flops_in in;
    struct bp_flops_out out;
    struct bp_error err = {0};
    (void)state;
    in.model = llama_model();
    in.model.kv_heads = 7;
    in.seq_len = 1;
    assert_int_equal(bp_flops(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "model.kv_heads");
    assert_string_equal(err.text, "7 does not divide 64 attention heads");
}

/*
** DeepSeek-V3 with an indexer of 64 heads of 128 in all layers: of the latter 6144 of 8192 queries 2048 pairs
** are left, of the first all before; every pair is scored. With topk as long as the sequence only that is more.
*/
static void test_indexer(void **state) {
    struct bp_model m = moe_model();
    double dense = count(m, 8192).attention_forward, index = 61 * 64 * 128 * 8193.0;
    double pairs = 2048 * 2049 / 2.0 + 6144 * 2048.0;
    (void)state;
    m.index_layers = 61;
    m.index_heads = 64;
    m.index_dim = 128;
    m.index_topk = 2048;
    assert_near(count(m, 8192).attention_forward, 61 * 128 * 2 * 320.0 * pairs / 8192 + index,
                1e-12);
    m.index_topk = 8192;
    assert_near(count(m, 8192).attention_forward, dense + index, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indexer),
        cmocka_unit_test(test_megatron_formula),
        cmocka_unit_test(test_megatron_without_recompute),
        cmocka_unit_test(test_6n_12lads),
        cmocka_unit_test(test_moe),
        cmocka_unit_test(test_multi_token_prediction),
        cmocka_unit_test(test_vision),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_one_token),
        cmocka_unit_test(test_bad_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
