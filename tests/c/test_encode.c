/* Encoders and image transformers: FLOP by hand, padding, windows, what bounds a call. */
#include "inference_fixture.h"
#include "kernel/serve/encode.h"
#include "near.h"

static struct bp_model bert_model(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.arch = BP_ARCH_ENCODER;
    m.layers = 12;
    m.hidden = 768;
    m.heads = 12;
    m.ffn_hidden = 3072;
    m.gated_mlp = m.lm_head = 0;
    m.vocab = 30522;
    return m;
}

static struct bp_encode_in encode_in(struct bp_model model) {
    struct bp_encode_in in;
    bp_defaults(&bp_encode_in_schema, &in);
    in.model = model;
    in.device = ideal_device();
    in.runtime = ideal_runtime();
    return in;
}

static struct bp_encode_out encode(struct bp_encode_in in) {
    struct bp_encode_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_encode(&in, &out, &err), BP_OK);
    return out;
}

static void refused(struct bp_encode_in in, const char *field) {
    struct bp_encode_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_encode(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

/* A layer of BERT-base: 12 h^2 weights, and 4 h t FLOP a token for scores and values. */
#define LAYER_WEIGHTS (12.0 * 768 * 768)

static void test_flop(void **state) {
    struct bp_encode_in in = encode_in(bert_model());
    struct bp_encode_out out;
    double token = 12 * (2 * LAYER_WEIGHTS + 4.0 * 768 * 128);
    (void)state;
    in.batch = 8;
    in.tokens = 128;
    out = encode(in);
    assert_near(out.item_flop, 128 * token, 1e-12);
    assert_near(out.flop, 8 * 128 * token, 1e-12);
    /* Heads of 64 values use matmul units by (64/104)/(128/168) of what wide ones do. */
    assert_near(out.matmul_s, 8 * 128 * 24 * LAYER_WEIGHTS / PEAK16, 1e-6);
    assert_near(out.attention_s,
                8 * 128 * 12 * 4.0 * 768 * 128 / PEAK16 * (104.0 / 64) * (128.0 / 168), 1e-4);
    assert_near(out.per_s, 8 / out.time_s, 1e-15);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_COMPUTE);
}

/* The published 61.6 GMAC of a ViT-L/16 at 224 pixels (timm) are 123 GFLOP. */
static void test_image(void **state) {
    struct bp_encode_in in = encode_in(vit_model());
    struct bp_encode_out small, large;
    (void)state;
    small = encode(in);
    assert_near(small.tokens, 197, 0);
    assert_near(small.item_flop, 2 * 61.6e9, 5e-3);
    in.image = 384;
    large = encode(in);
    assert_near(large.tokens, 24 * 24 + 1, 0);
    assert_true(large.item_flop > small.item_flop * 577 / 197); /* attention grows faster */
    in.image = 230; /* an incomplete patch is left out */
    assert_near(encode(in).tokens, 197, 0);
}

/* Texts half as long as the longest: half of the rows without padding, and a quarter of the pairs. */
static void test_padding(void **state) {
    struct bp_encode_in in = encode_in(bert_model());
    struct bp_encode_out fixed, removed;
    (void)state;
    in.batch = 64;
    in.tokens = 256;
    in.mean_tokens = 128;
    fixed = encode(in);
    assert_near(fixed.padding_frac, 0.5, 1e-15);
    in.padding = BP_PADDING_REMOVED;
    removed = encode(in);
    assert_near(removed.padding_frac, 0, 0);
    assert_near(removed.matmul_s, fixed.matmul_s / 2, 1e-6);
    assert_near(removed.attention_s, fixed.attention_s / 4, 1e-4);
    /* Where scores are stored, attention sees the padded matrices. */
    in.runtime.fused_tokens = 0;
    removed = encode(in);
    in.padding = BP_PADDING_FIXED;
    assert_near(removed.attention_s, encode(in).attention_s, 1e-12);
    in.mean_tokens = 257;
    refused(in, "mean_tokens");
}

/* A window as long as the text changes nothing; half as long halves the pairs. */
static void test_window(void **state) {
    struct bp_encode_in in = encode_in(bert_model());
    double whole;
    (void)state;
    in.tokens = 512;
    whole = encode(in).attention_s;
    in.model.sliding_window = 512;
    assert_near(encode(in).attention_s, whole, 1e-12);
    in.model.sliding_window = 256;
    assert_near(encode(in).attention_s, whole / 2, 1e-4);
}

static void test_bounds(void **state) {
    struct bp_encode_in in = encode_in(bert_model());
    struct bp_encode_out out;
    (void)state;
    in.tokens = 128;
    in.runtime.host_kernel_s = 1e-3; /* 12 layers of 10 launches */
    out = encode(in);
    assert_near(out.time_s, 0.12, 1e-12);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_LAUNCH);
    in = encode_in(bert_model());
    in.tokens = 128;
    in.device.mem_bw_bytes_s = 1e9;
    out = encode(in);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_MEMORY);
    assert_true(out.time_s > 12 * LAYER_WEIGHTS * 2 / 1e9);
    in = encode_in(bert_model());
    in.tokens = 128;
    in.batch = 4;
    in.item_bytes = 1e6;
    in.runtime.input_bytes_s = 1e9;
    out = encode(in);
    assert_near(out.input_s, 4e-3, 1e-12);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_INPUT);
}

static void test_formats_and_memory(void **state) {
    struct bp_encode_in in = encode_in(bert_model());
    double half, vocab = 30522.0 * 768;
    (void)state;
    in.batch = 32;
    in.tokens = 128;
    half = encode(in).matmul_s;
    in.dtype = BP_DTYPE_INT8;
    assert_near(encode(in).matmul_s, half / 2, 1e-6);
    in.dtype = BP_DTYPE_FP32;
    assert_true(encode(in).weights_bytes > 4 * (12 * LAYER_WEIGHTS + vocab));
    assert_near(encode(in).matmul_s, half * 1e15 / 6e13, 1e-6);
    in.head = 1;
    assert_near(encode(in).matmul_s - half * 1e15 / 6e13, 32 * 128 * 2 * vocab / 6e13, 1e-6);
    assert_true(encode(in).fits);
    in.batch = 1000000;
    assert_false(encode(in).fits);
}

static void test_refused(void **state) {
    struct bp_encode_in in = encode_in(bert_model());
    (void)state;
    refused(in, "tokens");
    in.tokens = 128;
    in.image = 224;
    refused(in, "image");
    in.image = 0;
    in.device.int8_flop_s = 0;
    in.dtype = BP_DTYPE_INT8;
    refused(in, "dtype");
    in = encode_in(moe_model());
    in.tokens = 128;
    refused(in, "model");
    in = encode_in(llama_model());
    in.model.cross_layers = 80;
    in.model.cross_tok = in.tokens = 128;
    refused(in, "model");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flop),    cmocka_unit_test(test_image),
        cmocka_unit_test(test_padding), cmocka_unit_test(test_window),
        cmocka_unit_test(test_bounds),  cmocka_unit_test(test_formats_and_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
