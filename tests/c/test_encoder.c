/* Encoders beside a decoder: published parameter counts, FLOP and seconds counted by hand, memory, refusals. */
#include "kernel/layer/encoder.h"

#include "cases.h"
#include "kernel/count/flops.h"
#include "kernel/count/train_encoder.h"
#include "kernel/count/train_states.h"
#include "kernel/time/comm.h"
#include "kernel/train/train_stages.h"

/* T5 v1.1 XXL (t5/models/gin, google-research), 512 tokens on both sides. */
static struct bp_model t5_model(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.layers = m.encoder.layers = m.cross_layers = 24;
    m.hidden = 4096;
    m.heads = m.head_dim = 64;
    m.ffn_hidden = 10240;
    m.vocab = 32128;
    m.norms_per_layer = 3;
    m.relative_buckets = m.encoder.relative_buckets = 32;
    m.cross_tok = 512;
    m.encoder.gated_mlp = 1;
    m.encoder.norm = BP_NORM_RMS;
    return m;
}

/* Qwen3-VL-8B: 27 layers of 1152, patches of 16 pixels over 2 frames, 2 x 2 of them a token, 3 inner projectors. */
static struct bp_model vision_model(void) {
    struct bp_model m;
    struct bp_encoder *e = &m.encoder;
    bp_defaults(&bp_model_schema, &m);
    m.layers = 36;
    m.hidden = 4096;
    m.heads = 32;
    m.kv_heads = 8;
    m.ffn_hidden = 12288;
    m.vocab = 151936;
    m.qk_norm_dim = 128;
    e->layers = 27;
    e->hidden = 1152;
    e->heads = 16;
    e->ffn_hidden = 4304;
    e->qkv_bias = e->out_bias = e->mlp_bias = e->projector_bias = 1;
    e->learned_positions = 2304;
    e->patch_size = 16;
    e->frames = 2;
    e->merge = 4;
    e->projector_layers = 2;
    e->deepstack = 3;
    return m;
}

static struct bp_params_out params_of(struct bp_model m) {
    struct bp_params_in in = {m};
    struct bp_params_out out;
    struct bp_error err;
    assert_int_equal(bp_params(&in, &out, &err), BP_OK);
    return out;
}

static struct bp_flops_out flops_of(struct bp_model m, int64_t seq_len) {
    struct bp_flops_in in = {m, seq_len};
    struct bp_flops_out out;
    struct bp_error err;
    assert_int_equal(bp_flops(&in, &out, &err), BP_OK);
    return out;
}

/* Matrices of one layer of T5's encoder, and of Qwen3-VL's. */
static const double T5_LAYER = 4 * 4096.0 * 4096 + 3 * 4096.0 * 10240;
static const double VISION_LAYER = 4 * 1152.0 * 1152 + 2 * 1152.0 * 4304;
static const double PATCH = 3.0 * 2 * 16 * 16 * 1152;
static const double PROJECTOR = 4608.0 * 4608 + 4608.0 * 4096;

static void test_params(void **state) {
    struct bp_model m = t5_model();
    struct bp_params_out p = params_of(m);
    (void)state;
    assert_int_equal(p.total_params, 11135332352);
    assert_near((double)p.encoder, 24 * (T5_LAYER + 2 * 4096) + 4096 + 32 * 64, 0);
    assert_int_equal(p.projector, 0);
    p = params_of(vision_model());
    assert_int_equal(p.total_params, 8767123696);
    assert_int_equal(p.encoder, 576388336);
    assert_near((double)p.projector, 4 * (PROJECTOR + 4608 + 4096) + 3 * 2 * 4608.0, 0);
    /* What a token of the decoder uses is the decoder's. */
    assert_int_equal(p.active_params, p.total_params - p.encoder);
    m.encoder.layers = 0;
    assert_int_equal(params_of(m).encoder, 0);
}

/* Whisper large v3: two convolutions, no bias on keys. */
static void test_sound(void **state) {
    const double layer = 4 * 1280.0 * 1280 + 3 * 1280 + 2 * 1280.0 * 5120 + 5120 + 1280 + 4 * 1280;
    struct bp_model m = t5_model();
    struct bp_encoder *e = &m.encoder;
    (void)state;
    e->layers = 32;
    e->hidden = 1280;
    e->heads = 20;
    e->ffn_hidden = 5120;
    e->gated_mlp = e->key_bias = 0;
    e->qkv_bias = e->out_bias = e->mlp_bias = 1;
    e->norm = BP_NORM_LAYER;
    e->learned_positions = 1500;
    e->relative_buckets = 0;
    e->mel_bins = 128;
    assert_near(
        (double)params_of(m).encoder,
        32 * layer + 2560 + 1500 * 1280.0 + (3 * 128 + 1) * 1280.0 + (3 * 1280 + 1) * 1280.0, 0);
    /* Cross attention reads keys and values from the encoder's width. */
    assert_near((double)(params_of(t5_model()).attention - params_of(m).attention),
                24 * 2 * (4096.0 - 1280) * 4096, 0);
}

/* Per token of a sequence of 256, beside 512 tokens of the encoder. */
static void test_flops(void **state) {
    struct bp_model m = t5_model(), plain = m;
    struct bp_flops_out f = flops_of(m, 256), none;
    const double keys = 24 * 2 * 4096.0 * 4096;
    const double encoder = 24 * 512.0 * (2 * T5_LAYER + 2 * 128 * 64 * 512.0);
    (void)state;
    assert_near(f.encoder_forward, encoder / 256, 1e-12);
    plain.encoder.layers = 0;
    none = flops_of(plain, 256);
    assert_near(none.encoder_forward, 0, 0);
    assert_near(f.model_token - none.model_token, 3 * encoder / 256, 1e-12);
    /* Keys and values of 512 tokens are twice as many as the sequence has. */
    m.cross_layers = m.encoder.layers = 0;
    assert_near(none.matmul_forward - flops_of(m, 256).matmul_forward,
                2 * (24 * 2 * 4096.0 * 4096 + 2 * keys), 1e-12);
}

/* Two images of 1024 patches in a sequence of 2048; only the projector of a frozen tower is trained. */
static void test_vision_flops(void **state) {
    struct bp_model m = vision_model();
    const double tower =
        1024 * (2 * 27 * VISION_LAYER + 2 * PATCH) + 27 * 2 * 2 * 72 * 16 * 1024.0 * 1024;
    const double projector = 4 * 256 * 2 * PROJECTOR;
    struct bp_flops_out none = flops_of(m, 2048), f;
    (void)state;
    assert_near(none.encoder_forward, 0, 0);
    m.images = 2;
    m.image_tok = 256;
    f = flops_of(m, 2048);
    assert_near(f.encoder_forward, 2 * (tower + projector) / 2048, 1e-12);
    assert_near(f.model_token - none.model_token, 3 * f.encoder_forward, 1e-12);
    m.image_tok = 0;
    m.image_size = 512; /* 32 x 32 patches */
    assert_near(flops_of(m, 2048).encoder_forward, f.encoder_forward, 1e-12);
    m.encoder_frozen = 1;
    assert_near(flops_of(m, 2048).model_token - none.model_token,
                2 * (tower + 3 * projector) / 2048, 1e-12);
}

/* Seconds of matmuls in a world where nothing else takes time. */
static double matmul_s(struct bp_train_step_in in) {
    make_ideal(&in);
    in.device.memory_bytes = (int64_t)1 << 50;
    in.profile.common.misaligned = 0; /* widths are no multiples of whole lines */
    return estimate(&in).time.matmul_s;
}

static void test_time(void **state) {
    struct bp_train_step_in in = spread(t5_model(), 1, 1, 1, 4, 256), without = in;
    (void)state;
    without.model.encoder.layers = 0;
    assert_near(matmul_s(in) - matmul_s(without), 3 * 4 * 512 * 2 * 24 * T5_LAYER / 1e15, 1e-9);
    in.model.cross_tok = without.model.cross_tok = 1024;
    assert_near(matmul_s(in) - matmul_s(without), 3 * 4 * 1024 * 2 * 24 * T5_LAYER / 1e15, 1e-9);
}

static void test_vision_time(void **state) {
    struct bp_train_step_in in = spread(vision_model(), 1, 1, 1, 4, 2048), with = in;
    const double tower = 1024 * 2 * (27 * VISION_LAYER + PATCH);
    const double projector = 4 * 256 * 2 * PROJECTOR;
    (void)state;
    with.model.images = 2;
    with.model.image_tok = 256;
    assert_near(matmul_s(with) - matmul_s(in), 3 * 8 * (tower + projector) / 1e15, 1e-9);
    with.model.encoder_frozen = 1;
    assert_near(matmul_s(with) - matmul_s(in), 8 * (tower + 3 * projector) / 1e15, 1e-9);
    with.plan.lora_rank = in.plan.lora_rank = 8; /* nothing of the encoder has gradients */
    assert_near(matmul_s(with) - matmul_s(in), 8 * (tower + projector) / 1e15, 1e-9);
    with.plan.lora_rank = in.plan.lora_rank = 0;
    with.model.encoder_frozen = 0;
    with.model.images = 0.5; /* every other sequence has one */
    assert_near(matmul_s(with) - matmul_s(in), 3 * 2 * (tower + projector) / 1e15, 1e-9);
}

/* Executed and credited FLOP of a step agree with the matmuls' and attention's seconds. */
static void test_rates(void **state) {
    struct bp_train_step_in in = spread(vision_model(), 1, 1, 1, 4, 2048);
    struct bp_train_step_out out;
    (void)state;
    in.model.images = 2;
    in.model.image_tok = 256;
    out = estimate(&in);
    assert_near(out.time.model_flop, 4 * 2048 * flops_of(in.model, 2048).model_token, 1e-12);
    assert_near(out.time.hardware_flop, out.time.model_flop, 1e-12);
    in.plan.recompute = BP_RECOMPUTE_FULL;
    out = estimate(&in);
    assert_near(out.time.hardware_flop,
                out.time.model_flop * 4 / 3 - 4 * 2048 * 2 * 151936.0 * 4096, 1e-12);
}

/* Every byte of states is on the first stage; a frozen tower has weights only. */
static void test_states(void **state) {
    struct bp_train_step_in in = spread(vision_model(), 2, 2, 1, 8, 2048);
    struct ready_case with, without, frozen;
    struct bp_train_states a, b;
    const double encoder = 576388336 / 2.0;
    const double projector = (double)params_of(vision_model()).projector / 2;
    (void)state;
    make_ready(&with, &in);
    in.model.encoder_frozen = 1;
    make_ready(&frozen, &in);
    in.model.encoder.layers = 0;
    in.model.encoder_frozen = 0;
    make_ready(&without, &in);
    a = bp_train_states(&with.c, bp_stage_mix(&with.c, 0), 0);
    b = bp_train_states(&without.c, bp_stage_mix(&without.c, 0), 0);
    assert_near(a.weights - b.weights, 2 * encoder, 1e-9);
    assert_near(a.gradients - b.gradients, 4 * encoder, 1e-9);
    assert_near(a.optimizer - b.optimizer, 12 * encoder, 1e-9);
    a = bp_train_states(&frozen.c, bp_stage_mix(&frozen.c, 0), 0);
    assert_near(a.weights - b.weights, 2 * encoder, 1e-9);
    assert_near(a.gradients - b.gradients, 4 * projector, 1e-9);
    assert_near(a.optimizer - b.optimizer, 12 * projector, 1e-9);
    a = bp_train_states(&with.c, bp_stage_mix(&with.c, 1), 1);
    b = bp_train_states(&without.c, bp_stage_mix(&without.c, 1), 1);
    assert_near(a.weights, b.weights, 0);
}

/* 16-bit tensors of 27 layers over 1024 patches: two streams, norms' outputs, attention and MLP. */
static void test_kept(void **state) {
    struct bp_train_step_in in = spread(vision_model(), 1, 1, 1, 1, 2048);
    struct ready_case r;
    const double layer = 2 * 1152 * 4 + 2 * (4 * 1152.0) + 4 * 16 + 2 * 2 * 4304.0;
    const double projector = 4 * 256 * 2 * (4608.0 + 2 * 4608);
    double copies;
    (void)state;
    in.model.images = 1;
    in.model.image_tok = 256;
    make_ready(&r, &in);
    copies = r.in.profile.activation_copies;
    assert_near(bp_encoder_kept(&r.c), copies * (1024 * 27 * layer + projector), 1e-9);
    in.model.encoder_frozen = 1;
    make_ready(&r, &in);
    assert_near(bp_encoder_kept(&r.c), copies * projector, 1e-9);
    in.model.images = 0;
    make_ready(&r, &in);
    assert_near(bp_encoder_kept(&r.c), 0, 0);
}

/* In a pipeline the first stage has the encoder's time, and no other. */
static void test_stages(void **state) {
    struct bp_train_step_in in = spread(t5_model(), 1, 2, 1, 8, 512), without = in;
    struct ready_case a, b;
    struct bp_train_stage with[2], plain[2];
    struct bp_error err;
    const double narrow = 64.0 / (64 + 40) * (128 + 40) / 128; /* heads of 64 against 128 */
    (void)state;
    make_ideal(&in);
    make_ideal(&without);
    without.model.encoder.layers = 0;
    make_ready(&a, &in);
    make_ready(&b, &without);
    assert_int_equal(bp_train_stages(&a.c, with, &err), BP_OK);
    assert_int_equal(bp_train_stages(&b.c, plain, &err), BP_OK);
    assert_near(with[1].forward_s, plain[1].forward_s, 0);
    assert_near(with[0].forward_s - plain[0].forward_s,
                512 * 24 * (2 * T5_LAYER + 2 * 128 * 64 * 512.0 / narrow) / 1e15, 1e-6);
}

/* Between stages go 512 tokens of the decoder, and 1024 of the encoder for the next stage's cross attention. */
static void test_sends(void **state) {
    struct bp_train_step_in in = spread(t5_model(), 1, 2, 1, 8, 512), without = in;
    struct ready_case a, b;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.model.cross_tok = 1024;
    without = in;
    without.model.cross_layers = without.model.encoder.layers = 0;
    make_ready(&a, &in);
    make_ready(&b, &without);
    assert_near(bp_stage_send(&b.c), 2 * 512 * 4096 / 450e9, 1e-9);
    assert_near(bp_stage_send(&a.c), 2 * (512 + 1024) * 4096 / 450e9, 1e-9);
}

static void refuse(struct bp_model m, const char *field) {
    struct bp_error err;
    assert_int_equal(bp_model_resolve(&m, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_refused(void **state) {
    struct bp_model m = vision_model();
    struct bp_train_step_in in = spread(m, 1, 1, 1, 1, 512);
    struct bp_train_step_out out;
    struct bp_error err;
    (void)state;
    m.images = 1;
    refuse(m, "model.image_tok");
    m.image_tok = 256;
    m.encoder.projector_layers = 0;
    refuse(m, "model.encoder.merge");
    m.encoder.merge = 1;
    refuse(m, "model.encoder.projector_layers");
    m.encoder.patch_size = 0;
    m.encoder.projector_layers = 1;
    refuse(m, "model.images");
    m.encoder.layers = 0;
    refuse(m, "model.images");
    m = t5_model();
    m.images = 1;
    refuse(m, "model.images");
    m = t5_model();
    m.encoder.heads = 48;
    refuse(m, "model.encoder.heads");
    in.model.images = 3; /* 768 tokens of a sequence of 512 */
    in.model.image_tok = 256;
    assert_int_equal(bp_train_step(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "model.images");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_params), cmocka_unit_test(test_sound),
        cmocka_unit_test(test_flops),  cmocka_unit_test(test_vision_flops),
        cmocka_unit_test(test_time),   cmocka_unit_test(test_vision_time),
        cmocka_unit_test(test_rates),  cmocka_unit_test(test_states),
        cmocka_unit_test(test_kept),   cmocka_unit_test(test_stages),
        cmocka_unit_test(test_sends),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
