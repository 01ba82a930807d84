/* Images by diffusion: counts by hand, published sizes, guidance, resolution, memory. */
#include "inference_fixture.h"
#include "kernel/layer/diffusion.h"
#include "kernel/serve/diffusion.h"
#include "near.h"

static struct bp_diffusion_in plain_in(void) {
    struct bp_diffusion_in in;
    bp_defaults(&bp_diffusion_in_schema, &in);
    in.device = ideal_device();
    in.runtime = ideal_runtime();
    in.runtime.fused_tokens = 1000000;
    in.steps = 1;
    in.passes = 1;
    return in;
}

/* One level of 32 channels without transformers over 8 x 8 latents. */
static struct bp_diffusion_in unet_in(void) {
    struct bp_diffusion_in in = plain_in();
    in.model.image = 64;
    in.model.level1.channels = 32;
    in.model.middle_transformers = 0;
    return in;
}

/* Width 64, two heads, one double and one single layer; 16 tokens of image, 4 of text. */
static struct bp_diffusion_in transformer_in(void) {
    struct bp_diffusion_in in = plain_in();
    in.model.image = 64;
    in.model.latent_channels = 16;
    in.model.hidden = 64;
    in.model.heads = 2;
    in.model.double_layers = in.model.single_layers = 1;
    in.model.text_tok = 4;
    in.model.text_dim = 32;
    return in;
}

static struct bp_diffusion_in sd15_in(void) {
    struct bp_diffusion_in in = plain_in();
    in.model.level1.channels = 320;
    in.model.level2.channels = 640;
    in.model.level3.channels = in.model.level4.channels = 1280;
    in.model.level1.transformers = in.model.level2.transformers = in.model.level3.transformers = 1;
    return in;
}

static struct bp_diffusion_out draw(struct bp_diffusion_in in) {
    struct bp_diffusion_out out = {0};
    struct bp_error err = {0};
    assert_int_equal(bp_diffusion(&in, &out, &err), BP_OK);
    return out;
}

/*
** In units of a convolution from 32 to 32 channels, 9 * 32 * 32 a pixel: 4 down, 4 at the turn, 3 * (2 + 1) up;
** three matrices 64 x 32 beside them, first and last convolution of 9 * 4 * 32; time: 32 x 128, 128 x 128, and 128 x
** 32 in each of seven blocks.
*/
static void test_unet_by_hand(void **state) {
    struct bp_diffusion_out out = draw(unet_in());
    double pixel = 17 * 9216 + 3 * 2048 + 2 * 1152, once = 7 * 4096 + 4096 + 16384;
    (void)state;
    assert_near(out.pass_flop, 2 * (64 * pixel + once), 1e-12);
    /* Biases of 14 convolutions, 3 matrices, 7 rows of time; of the ends; two numbers a channel of 15 norms. */
    assert_true(out.denoiser_params == pixel + once + (14 + 3 + 7) * 32 + 32 + 4 + 2 * 128 +
                                           4 * 2 * (32 + 32) + 3 * 2 * (64 + 32) + 2 * 32);
}

/* 12 width^2 a token in each stream of a double layer and in a single one; text joins the attention. */
static void test_transformer_by_hand(void **state) {
    struct bp_diffusion_out out = draw(transformer_in());
    double h2 = 64 * 64, streams = 2 * (16 + 4) * 12 * h2, single = 2 * 20 * 12 * h2;
    double vectors = 2 * (2 * 6 + 3 + 2) * h2, attention = 2 * 2.0 * (32 + 32) * 20 * 20 * 2;
    double ends = 2 * (2 * 16 * 64 * 64 + 4 * 32 * 64 + 256 * 64 + h2);
    (void)state;
    assert_near(out.pass_flop, streams + single + vectors + attention + ends, 1e-12);
    assert_near(out.tokens, 20, 1e-12);
}

static void refused(struct bp_diffusion_in in, const char *field) {
    struct bp_diffusion_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_diffusion(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

/* Layers over 16 tokens of image, which attend to each other and to four of text: 14 width^2 a token of image, 2 of text. */
static void test_cross_layers_by_hand(void **state) {
    struct bp_diffusion_in in = transformer_in();
    struct bp_diffusion_out out;
    double h2 = 64 * 64, layer = 16 * 14 * h2 + 4 * 2 * h2;
    double ends = 2 * 16 * 64 * 64 + 4 * (32 * 64 + h2) + 256 * 64 + 7 * h2;
    double attention = 2.0 * (32 + 32) * 16 * (16 + 4) * 2;
    (void)state;
    in.model.double_layers = in.model.single_layers = 0;
    in.model.cross_layers = 1;
    out = draw(in);
    assert_near(out.pass_flop, 2 * (layer + ends) + attention, 1e-12);
    assert_near(out.tokens, 16, 1e-12);
    in.model.ffn_hidden = 128; /* of 256 */
    assert_near(out.pass_flop - draw(in).pass_flop, 2 * 16 * 2 * 64 * 128, 1e-9);
    in.model.double_layers = 1;
    refused(in, "model.double_layers");
}

/* Five frames are two latents; a decoder of films has three frames in every convolution, and attends within one. */
static void test_films(void **state) {
    struct bp_diffusion_in in = transformer_in();
    struct bp_diffusion_out image, still, film;
    (void)state;
    in.model.double_layers = in.model.single_layers = 0;
    in.model.cross_layers = 1;
    image = draw(in);
    in.model.latent_frames = 4;
    still = draw(in);
    assert_near(still.pass_flop, image.pass_flop, 1e-12);
    assert_true(still.decoder_params > 2.8 * image.decoder_params);
    assert_true(still.decoder_params < 3 * image.decoder_params);
    in.frames = 5;
    film = draw(in);
    assert_near(film.tokens, 2 * still.tokens, 1e-12);
    assert_true(film.decoder_params == still.decoder_params);
    /* One frame of latents more at the coarsest level, four at the finest. */
    assert_true(film.decode_flop > 2 * still.decode_flop);
    assert_true(film.decode_flop < 5 * still.decode_flop);
    in.model.frames = 5;
    in.frames = 0;
    assert_near(draw(in).pass_flop, film.pass_flop, 1e-12);
    in.frames = 4;
    refused(in, "frames");
    in = transformer_in();
    in.frames = 5;
    refused(in, "frames");
    in = unet_in(); /* a film has two sides, too */
    in.model.image_height = 128;
    assert_near(draw(in).denoise_bytes, 2 * draw(unet_in()).denoise_bytes, 1e-12);
}

/* Once more among the 16 tokens of image: 4 width^2 a token, a vector of 3, biases of each. */
static void test_dual_layers_by_hand(void **state) {
    struct bp_diffusion_in in = transformer_in();
    struct bp_diffusion_out plain = draw(in), dual;
    double h2 = 64 * 64;
    (void)state;
    in.model.dual_layers = 1;
    dual = draw(in);
    assert_near(dual.pass_flop - plain.pass_flop,
                2 * (16 * 4 + 3) * h2 + 2.0 * (32 + 32) * 16 * 16 * 2, 1e-9);
    assert_near(dual.denoiser_params - plain.denoiser_params, 7 * h2 + 7 * 64, 1e-9);
    in.model.dual_layers = 2;
    refused(in, "model.dual_layers");
}

/* Tensors of the published checkpoints: U-Net 859,520,964, decoder of the autoencoder 49,490,179. */
static void test_published(void **state) {
    struct bp_diffusion_out out = draw(sd15_in());
    (void)state;
    assert_true(out.denoiser_params == 859520964);
    assert_true(out.decoder_params == 49490179);
    assert_near(out.pass_flop, 0.80e12, 0.01); /* as often stated for 512 x 512 */
    assert_true(out.denoise_s >= out.pass_flop / PEAK16);
    assert_true(out.denoise_s < 1.2 * out.pass_flop / PEAK16); /* heads of 40 are padded to 64 */
    assert_near(out.weights_bytes, 2 * (859520964.0 + 49490179.0), 1e-12);
}

static void test_steps_and_guidance(void **state) {
    struct bp_diffusion_in in = sd15_in();
    struct bp_diffusion_out one = draw(in), all;
    (void)state;
    in.steps = 50;
    in.passes = 0; /* the model is guided */
    all = draw(in);
    assert_near(all.item_flop, 100 * one.pass_flop + one.decode_flop, 1e-12);
    assert_near(all.denoise_s, 100 * one.denoise_s, 3e-3);
    in.model.guided = 0;
    assert_near(draw(in).item_flop, 50 * one.pass_flop + one.decode_flop, 1e-12);
    in.batch = 4;
    assert_near(draw(in).decode_s, 4 * one.decode_s, 1e-3);
}

/* Twice the side: convolutions four times, attention among pixels sixteen times. */
static void test_resolution(void **state) {
    struct bp_diffusion_in in = unet_in();
    struct bp_diffusion_out small = draw(in), large;
    (void)state;
    in.width = 128;
    large = draw(in);
    assert_near((large.pass_flop - 98304) / (small.pass_flop - 98304), 4, 1e-12);
    assert_near(large.denoise_bytes, 4 * small.denoise_bytes, 1e-12);
    in = sd15_in();
    small = draw(in);
    in.width = 1024;
    assert_true(draw(in).pass_flop > 4.5 * small.pass_flop);
    in.height = 512;
    large = draw(in);
    in.width = 512;
    in.height = 1024;
    assert_near(large.time_s, draw(in).time_s, 1e-12);
}

/* Four tensors as large as the widest: 256 channels at full resolution in front of the last level. */
static void test_memory(void **state) {
    struct bp_diffusion_in in = sd15_in();
    struct bp_diffusion_out out = draw(in);
    (void)state;
    assert_near(out.decode_bytes, 4.0 * 256 * 512 * 512 * 2, 1e-12);
    assert_near(out.memory_bytes, out.weights_bytes + out.decode_bytes, 1e-12);
    in.device.memory_bytes = (int64_t)out.memory_bytes - 1;
    assert_false(draw(in).fits);
    in.decoder_dtype = BP_DTYPE_FP32;
    in.device.fp32_flop_s = PEAK16;
    assert_near(draw(in).decode_bytes, 2 * out.decode_bytes, 1e-12);
}

/*
** Group norms read twice and write once, joins read and write, at 0.8 of the bandwidth, however much a runtime
** fuses; one that fuses less than that moves its passes over seven blocks of 32 channels.
*/
static void test_moved(void **state) {
    struct bp_diffusion_in in = unet_in();
    double norms = 3 * (4 * (32 + 32) + 3 * (64 + 32)), joins = 2 * 3 * 64, least;
    (void)state;
    in.device.mem_bw_bytes_s = 1e9;
    least = draw(in).step_s;
    in.runtime.passes = 1;
    assert_near(draw(in).step_s, least, 1e-12);
    in.runtime.passes = 1000;
    assert_near(draw(in).step_s - least, 64 * 2 * (7 * 32 * 1000 - norms - joins) / 0.8e9, 1e-9);
}

static void test_refused(void **state) {
    struct bp_diffusion_in in = unet_in();
    (void)state;
    in.width = 100;
    refused(in, "width");
    in = unet_in();
    in.model.hidden = 64;
    refused(in, "model");
    in = unet_in();
    in.model.level1.heads = 5;
    refused(in, "model.heads");
    in = transformer_in();
    in.model.heads = 5;
    refused(in, "model.heads");
    in = transformer_in();
    in.model.double_layers = in.model.single_layers = 0;
    refused(in, "model.double_layers");
    in = transformer_in();
    in.height = 8;
    refused(in, "height");
    in = transformer_in();
    in.dtype = BP_DTYPE_FP4;
    refused(in, "dtype");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unet_by_hand),
        cmocka_unit_test(test_transformer_by_hand),
        cmocka_unit_test(test_cross_layers_by_hand),
        cmocka_unit_test(test_dual_layers_by_hand),
        cmocka_unit_test(test_films),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_steps_and_guidance),
        cmocka_unit_test(test_resolution),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
