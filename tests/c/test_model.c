/* What "follows from the other fields" becomes, and which shapes are refused. */
#include "near.h"

#include <string.h>

#include "kernel/describe/model.h"

static struct bp_model tiny(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.layers = 4;
    m.hidden = 64;
    m.heads = 8;
    m.ffn_hidden = 256;
    m.vocab = 1000;
    return m;
}

static struct bp_model tiny_moe(void) {
    struct bp_model m = tiny();
    m.experts = 8;
    m.topk = 2;
    m.moe_ffn = 32;
    return m;
}

static struct bp_model tiny_mla(void) {
    struct bp_model m = tiny();
    m.kv_lora_rank = 16;
    m.qk_nope_dim = 12;
    m.qk_rope_dim = 4;
    m.v_head_dim = 10;
    return m;
}

static struct bp_model tiny_hybrid(void) {
    struct bp_model m = tiny();
    m.linear_layers = 3;
    m.linear_key_heads = 2;
    m.linear_value_heads = 4;
    m.linear_key_dim = 8;
    m.linear_value_dim = 8;
    m.conv_kernel = 4;
    return m;
}

static void assert_refused(struct bp_model m, const char *field, const char *text) {
    struct bp_error err;
    assert_int_equal(bp_model_resolve(&m, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
}

static void dense_defaults(void **state) {
    struct bp_model m = tiny();
    (void)state;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    assert_int_equal(m.kv_heads, 8);
    assert_int_equal(m.head_dim, 8);
    assert_int_equal(m.v_head_dim, 8);
    assert_int_equal(m.global_kv_heads, 8);
    assert_int_equal(m.global_head_dim, 8);
    assert_int_equal(m.embedding_dim, 64);
    assert_int_equal(m.attention_layers, 4);
    assert_int_equal(m.ffn_layers, 4);
    assert_int_equal(m.dense_layers, 4);
    assert_int_equal(m.window_layers, 0);
}

static void moe_defaults(void **state) {
    struct bp_model m = tiny_moe();
    (void)state;
    m.shared_experts = 2;
    m.dense_layers = 1;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    assert_int_equal(m.shared_ffn, 64);
    assert_int_equal(m.ffn_layers - m.dense_layers, 3);

    m = tiny_moe();
    m.moe_ffn = 0;
    m.shared_ffn = 48;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    assert_int_equal(m.moe_ffn, 256);
    assert_int_equal(m.shared_experts, 1);
    assert_int_equal(m.shared_ffn, 48);
    assert_int_equal(m.dense_layers, 0);
}

static void latent_defaults(void **state) {
    struct bp_model m = tiny_mla();
    (void)state;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    assert_int_equal(m.head_dim, 16);
    assert_int_equal(m.v_head_dim, 10);
}

static void layers_by_kind(void **state) {
    struct bp_model m = tiny_hybrid();
    (void)state;
    m.sliding_window = 128;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    assert_int_equal(m.attention_layers, 1);
    assert_int_equal(m.window_layers, 1);

    m = tiny();
    m.ffn_hidden = 0;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    assert_int_equal(m.ffn_layers, 0);
    assert_int_equal(m.dense_layers, 0);
}

static void is_idempotent(void **state) {
    struct bp_model models[] = {tiny(), tiny_moe(), tiny_mla(), tiny_hybrid()};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof models / sizeof *models; i++) {
        struct bp_model once, twice;
        models[i].sliding_window = 16;
        assert_int_equal(bp_model_resolve(&models[i], NULL), BP_OK);
        memcpy(&once, &models[i], sizeof once);
        memcpy(&twice, &models[i], sizeof twice);
        assert_int_equal(bp_model_resolve(&twice, NULL), BP_OK);
        assert_memory_equal(&once, &twice, sizeof once);
    }
}

static void refuses_bad_heads(void **state) {
    struct bp_model m = tiny();
    (void)state;
    m.heads = 0;
    assert_refused(m, "model.heads", "at least 1");
    m.heads = 7;
    assert_refused(m, "model.heads", "7 does not divide 64");
    m.head_dim = 8;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
    m = tiny();
    m.kv_heads = 3;
    assert_refused(m, "model.kv_heads", "3 does not divide 8");
    m = tiny();
    m.global_kv_heads = 5;
    assert_refused(m, "model.global_kv_heads", "5 does not divide 8");
    m = tiny();
    m.o_groups = 3;
    assert_refused(m, "model.o_groups", "3 does not divide 8");
}

static void refuses_bad_layers(void **state) {
    struct bp_model m = tiny_hybrid();
    (void)state;
    m.linear_layers = 5;
    assert_refused(m, "model.linear_layers", "more than the 4");
    m = tiny_hybrid();
    m.attention_layers = 2;
    assert_refused(m, "model.attention_layers", "more than the 1");
    m = tiny();
    m.attention_layers = 1;
    m.ffn_layers = 2;
    assert_refused(m, "model.layers", "neither a mixer nor");
    m = tiny();
    m.ffn_layers = 5;
    assert_refused(m, "model.ffn_layers", "more than the 4");
    m = tiny();
    m.window_layers = 2;
    assert_refused(m, "model.sliding_window", "with window_layers");
    m.sliding_window = 16;
    m.window_layers = 5;
    assert_refused(m, "model.window_layers", "more than the 4");
}

static void refuses_bad_experts(void **state) {
    struct bp_model m = tiny();
    (void)state;
    m.topk = 2;
    assert_refused(m, "model.experts", "must be given");
    m = tiny_moe();
    m.topk = 0;
    assert_refused(m, "model.topk", "at least 1");
    m.topk = 9;
    assert_refused(m, "model.topk", "9 is more than the 8 experts");
    m = tiny_moe();
    m.dense_layers = 5;
    assert_refused(m, "model.dense_layers", "more than the 4");
    m = tiny_moe();
    m.dense_layers = 1;
    m.ffn_hidden = 0;
    assert_refused(m, "model.ffn_hidden", "dense feed-forward");
    m = tiny_moe();
    m.ffn_hidden = 0;
    m.moe_ffn = 0;
    assert_refused(m, "model.moe_ffn", "with experts");
}

static void refuses_incomplete_mixers(void **state) {
    struct bp_model m = tiny_mla();
    (void)state;
    m.v_head_dim = 0;
    assert_refused(m, "model.v_head_dim", "with kv_lora_rank");
    m = tiny_mla();
    m.head_dim = 12;
    assert_refused(m, "model.head_dim", "qk_nope_dim + qk_rope_dim");
    m = tiny_mla();
    m.qkv_bias = 1;
    assert_refused(m, "model.kv_lora_rank", "not together with");
    m = tiny_hybrid();
    m.conv_kernel = 0;
    assert_refused(m, "model.conv_kernel", "with linear_layers");
    m = tiny_hybrid();
    m.linear_key_heads = 3;
    assert_refused(m, "model.linear_key_heads", "3 does not divide 4");
    m = tiny();
    m.mamba_layers = 2;
    assert_refused(m, "model.mamba_heads", "with mamba_layers");
    m = tiny();
    m.index_layers = 4;
    assert_refused(m, "model.index_heads", "with index_layers");
    m.compress_layers = 1;
    assert_refused(m, "model.index_layers", "5 is more than the 4");
}

static void refuses_bad_images(void **state) {
    struct bp_model m = tiny();
    (void)state;
    m.vocab = 0;
    m.arch = BP_ARCH_VISION;
    assert_refused(m, "model.image_size", "vision");
    m.image_size = 224;
    assert_refused(m, "model.patch_size", "0 does not divide 224");
    m.patch_size = 15;
    assert_refused(m, "model.patch_size", "15 does not divide 224");
    m.patch_size = 16;
    assert_int_equal(bp_model_resolve(&m, NULL), BP_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_defaults),
        cmocka_unit_test(moe_defaults),
        cmocka_unit_test(latent_defaults),
        cmocka_unit_test(layers_by_kind),
        cmocka_unit_test(is_idempotent),
        cmocka_unit_test(refuses_bad_heads),
        cmocka_unit_test(refuses_bad_layers),
        cmocka_unit_test(refuses_bad_experts),
        cmocka_unit_test(refuses_incomplete_mixers),
        cmocka_unit_test(refuses_bad_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
