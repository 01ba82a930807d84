/* Encoders in serving: what a prompt adds before its tokens, the cross KV cache, weights, by hand. */
#include "kernel/count/kv.h"
#include "kernel/serve/infer_memory.h"
#include "serving_fixture.h"

/* Arithmetic only: memory and links take no time. */
static struct bp_infer_setup arithmetic(void) {
    struct bp_infer_setup s = clockwork(0.01);
    s.model.layers = 2;
    s.device.bf16_flop_s = 1e15;
    s.device.gemm16.u = s.device.attention.u = 1;
    s.device.gemm16.k0 = s.device.gemm16.tiles0 = s.device.gemm16.throttle = 0;
    s.device.gemm16.wave = s.device.gemm16.depth_s = 0;
    s.device.attention.s0 = s.device.attention.throttle = 0;
    return s;
}

/* An encoder of 3 layers, 512 wide with 4 heads and 2048 in the MLP, and a decoder that looks across. */
static void add_encoder(struct bp_model *m, int64_t tok) {
    m->encoder.layers = 3;
    m->encoder.hidden = 512;
    m->encoder.heads = 4;
    m->encoder.ffn_hidden = 2048;
    m->cross_layers = 2;
    m->cross_tok = tok;
}

/* Patches of 16 pixels, 4 of them a token of the decoder. */
static void add_tower(struct bp_model *m, double images) {
    add_encoder(m, 0);
    m->cross_layers = 0;
    m->encoder.patch_size = 16;
    m->encoder.merge = 4;
    m->encoder.projector_layers = 1;
    m->images = images;
    m->image_tok = images > 0 ? 256 : 0;
}

static const double LAYER = 4 * 512.0 * 512 + 2 * 512.0 * 2048;

/* 1000 tokens through the encoder, whose keys and values two layers of 2 heads then make. */
static void test_prompt(void **state) {
    struct bp_infer_setup s = arithmetic();
    struct bp_infer_case c;
    double encoder, keys;
    (void)state;
    c = prepared(&s);
    assert_near(bp_infer_inputs(&c, 4), 0, 0);
    add_encoder(&s.model, 1000);
    c = prepared(&s);
    encoder = 3 * (2 * 1000 * LAYER + 2 * 256 * 4 * 1000.0 * 1000) / 1e15;
    keys = 2 * 2 * 1000 * 512.0 * 2 * 256 / 1e15;
    assert_near(bp_infer_inputs(&c, 1), encoder + keys, 1e-4);
    assert_near(bp_infer_inputs(&c, 4), 4 * (encoder + keys), 1e-4);
    assert_near(bp_infer_inputs(&c, 0.25), 0.25 * (encoder + keys), 1e-4);
    s.plan.tp = 2; /* ranks share all of it */
    s.network.scaleup.bw_bytes_s = 1e18;
    s.network.scaleup.alpha_s = s.network.scaleup.step_s = s.network.scaleup.ramp = 0;
    c = prepared(&s);
    assert_near(bp_infer_inputs(&c, 1), 0.5 * (encoder + keys), 1e-4);
}

/* Two images of 1024 patches. */
static void test_images(void **state) {
    struct bp_infer_setup s = arithmetic();
    struct bp_infer_case c;
    const double image = 3 * (2 * 1024 * LAYER + 2 * 256 * 4 * 1024.0 * 1024) +
                         2 * 1024 * 768.0 * 512 + 2 * 256 * 2048.0 * 1024;
    (void)state;
    add_tower(&s.model, 2);
    c = prepared(&s);
    assert_near(bp_infer_inputs(&c, 1), 2 * image / 1e15, 1e-4);
    add_tower(&s.model, 0);
    c = prepared(&s);
    assert_near(bp_infer_inputs(&c, 1), 0, 0);
    /* The tower runs kernel by kernel: 3 layers of 10 launches. */
    add_tower(&s.model, 1);
    s.engine.eager_kernel_s = 1e-3;
    c = prepared(&s);
    assert_near(bp_infer_inputs(&c, 1), 0.03, 1e-9);
}

/* A step has it once for every prompt that starts, and none for those that go on. */
static void test_step(void **state) {
    struct bp_infer_setup s = arithmetic();
    struct bp_infer_case c;
    struct bp_infer_batch starts = {2, 1000, 0, 0, 0, 2}, goes_on = {2, 1000, 0, 0, 0, 0};
    (void)state;
    add_tower(&s.model, 2);
    c = prepared(&s);
    assert_near(bp_infer_time(&c, &starts) - bp_infer_time(&c, &goes_on),
                s.engine.slowdown * bp_infer_inputs(&c, 2), 1e-9);
}

/* 2 layers, keys and values of 2 heads of 128 in 16 bit: 2048 B for every token, own or of the encoder. */
static void test_cross_cache(void **state) {
    struct bp_infer_setup s = arithmetic();
    struct bp_kv_cache_in in;
    struct bp_kv_cache_out out;
    struct bp_error err;
    (void)state;
    add_encoder(&s.model, 1500);
    bp_defaults(&bp_kv_cache_in_schema, &in);
    in.model = s.model;
    in.tokens = 200;
    assert_int_equal(bp_kv_cache(&in, &out, &err), BP_OK);
    assert_near(out.sequence_bytes, 2048 * (200.0 + 1500), 0);
    assert_near(out.bytes_per_token, 2048, 0);
    in.tp = 2;
    assert_int_equal(bp_kv_cache(&in, &out, &err), BP_OK);
    assert_near(out.device_bytes, 1024 * (200.0 + 1500), 0);
}

/* Decoding reads the encoder's keys beside its own; time and cache grow with the encoder's tokens. */
static void test_decode(void **state) {
    struct bp_infer_setup s = arithmetic();
    struct bp_infer_case c;
    double before = 0, inputs_before = 0;
    int64_t tok;
    (void)state;
    s.device.mem_bw_bytes_s = 1e12;
    s.device.bf16_flop_s = 1e21;
    add_encoder(&s.model, 1500);
    c = prepared(&s);
    assert_near(bp_infer_decode(&c, 10, 200, 0), 10 * 2048 * (200 + 1500) / 0.75e12, 1e-9);
    for (tok = 500; tok <= 8000; tok *= 2) {
        double decode_s, inputs_s;
        s.model.cross_tok = tok;
        c = prepared(&s);
        decode_s = bp_infer_decode(&c, 10, 200, 0);
        inputs_s = bp_infer_inputs(&c, 1);
        assert_true(decode_s > before && inputs_s > inputs_before);
        before = decode_s;
        inputs_before = inputs_s;
    }
}

/* A tower stays in 16 bit when the decoder does not; the encoder of an encoder-decoder goes with it. */
static void test_weights(void **state) {
    struct bp_infer_setup s = arithmetic(), tower = s, across = s;
    struct bp_infer_case none, c;
    double encoder;
    (void)state;
    s.plan.weights = tower.plan.weights = across.plan.weights = BP_FORMAT_FP8;
    none = prepared(&s);
    add_tower(&tower.model, 0);
    c = prepared(&tower);
    encoder = (double)c.params.encoder;
    assert_near(encoder, 3 * (LAYER + 4 * 512.0) + 2 * 512 + 769 * 512.0 + 2048 * 1024.0, 0);
    assert_near(bp_infer_weight_bytes(&c) - bp_infer_weight_bytes(&none), 2 * encoder, 1e-9);
    add_encoder(&across.model, 1500);
    c = prepared(&across);
    encoder = (double)c.params.encoder;
    across.model.encoder.layers = 0;
    none = prepared(&across);
    /* Without one of its own the decoder reads tokens as wide as itself: 512 more for keys and values. */
    assert_near(bp_infer_weight_bytes(&c) - bp_infer_weight_bytes(&none),
                encoder - 2 * 512 * 2 * 256.0, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prompt), cmocka_unit_test(test_images),
        cmocka_unit_test(test_step),   cmocka_unit_test(test_cross_cache),
        cmocka_unit_test(test_decode), cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
