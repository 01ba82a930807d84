/* Compute, host and pipeline of a step, counted by hand. */
#include "ideal.h"

static void test_one_device(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 3);
    struct bp_train_time t = time_of(&in);
    (void)state;
    assert_int_equal(t.micro_batches, 3);
    assert_near(t.matmul_s, 3 * 3 * (80 * LAYER + HEAD), 1e-9);
    assert_near(t.attention_s, 3 * 80 * CORE_BOTH, 1e-9);
    assert_near(t.step_s, t.matmul_s + t.attention_s, 1e-9);
    assert_near(t.tokens_per_s, 3 * 4096 / t.step_s, 1e-12);
    /* The arithmetic is 3 forwards; only the slower backward of attention is lost. */
    assert_near(t.model_flop, PEAK * (t.matmul_s + 3 * 80 * 3 * CORE), 1e-9);
    assert_near(t.mfu_frac, t.model_flop / PEAK / t.step_s, 1e-12);
    assert_near(t.hfu_frac, t.mfu_frac, 0);
    assert_int_equal(t.bound, BP_BOUND_COMPUTE);
}

/* One device: nothing to send, nothing to wait for. Exactly nothing, with all real overheads on. */
static void test_one_device_is_silent(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 1, 4, 4096);
    struct bp_train_time t;
    int zero;
    (void)state;
    for (zero = 0; zero <= 3; zero++) {
        in.plan.zero = zero;
        t = time_of(&in);
        assert_near(t.tp_s, 0, 0);
        assert_near(t.cp_s, 0, 0);
        assert_near(t.ep_s, 0, 0);
        assert_near(t.pp_s, 0, 0);
        assert_near(t.dp_s, 0, 0);
        assert_near(t.bubble_s, 0, 0);
        assert_near(t.straggler_s, 0, 0);
        assert_near(t.bubble_frac, 0, 0);
        assert_true(t.matmul_s > 0 && t.host_s > 0 && t.elementwise_s > 0 && t.optimizer_s > 0);
    }
}

/* Even stages without a head, links for free: (p-1)/(m+p-1), interleaved (p-1)/(v m + p-1). */
static void test_bubble(void **state) {
    static const struct {
        int64_t pp, vpp, m;
        double fraction;
    } cases[] = {
        {8, 1, 32, 7.0 / 39}, {8, 1, 1, 7.0 / 8},       {4, 1, 12, 3.0 / 15},
        {8, 2, 32, 7.0 / 71}, {16, 5, 16, 15.0 / 95.0}, {1, 1, 4, 0},
        {4, 2, 10, 3.0 / 23}, {8, 2, 12, 7.0 / 31},     {8, 2, 5, 10.0 / 20},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bp_train_step_in in = ideal(1, cases[i].pp, 1, cases[i].m);
        struct bp_train_time t;
        in.model.vocab = 0;
        in.plan.vpp = cases[i].vpp;
        t = time_of(&in);
        assert_int_equal(t.micro_batches, cases[i].m);
        assert_near(t.bubble_frac, cases[i].fraction, 1e-9);
        assert_near(t.step_s * (1 - t.bubble_frac), t.matmul_s + t.attention_s, 1e-9);
        assert_near(t.matmul_s, 3 * 80 * LAYER * (double)(cases[i].m) / (double)cases[i].pp, 1e-9);
    }
}

/* 80 layers over 3 stages are 27, 27, 26 and the head, worth 1.2 layers: m of the slowest, one of each
** other. */
static void test_uneven_stages(void **state) {
    struct bp_train_step_in in = ideal(1, 3, 1, 6);
    struct bp_train_time t = time_of(&in);
    const double layer = 3 * LAYER + CORE_BOTH, head = 3 * HEAD;
    (void)state;
    assert_true(head > layer); /* so the last stage is the slowest */
    assert_near(t.matmul_s + t.attention_s, 6 * (26 * layer + head), 1e-9);
    assert_near(t.bubble_s, 2 * 27 * layer, 1e-9);
    in.model.vocab = 1024;
    t = time_of(&in);
    assert_near(t.matmul_s + t.attention_s, 6 * 27 * layer, 1e-9);
    assert_near(t.bubble_s, 53 * layer + head * 1024 / 128256, 1e-9);
}

/* 80 layers over 4 stages as 26, 20, 20, 14 and as 14, 20, 20, 26, where the head comes on top. */
static void test_given_ends(void **state) {
    struct bp_train_step_in in = ideal(1, 4, 1, 6);
    const double layer = 3 * LAYER + CORE_BOTH, head = 3 * HEAD;
    struct bp_train_time t;
    (void)state;
    in.plan.first_layers = 26;
    in.plan.last_layers = 14;
    t = time_of(&in);
    assert_near(t.matmul_s + t.attention_s, 6 * 26 * layer, 1e-9);
    assert_near(t.bubble_s, 54 * layer + head, 1e-9);
    in.plan.first_layers = 14;
    in.plan.last_layers = 26;
    t = time_of(&in);
    assert_near(t.matmul_s + t.attention_s, 6 * (26 * layer + head), 1e-9);
    assert_near(t.bubble_s, 54 * layer, 1e-9);
}

/* A first stage without layers still costs its micro-batches' host time, and no NaN. */
static void test_empty_first_stage(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 82, 1, 82, 4096);
    struct bp_train_time t = time_of(&in);
    (void)state;
    assert_true(isfinite(t.step_s) && t.bubble_s > 0);
}

/* Norms and residuals 10 h, rotary 2 (64 + 8) 128, gated product 3 f; backward 8 h, the same, 5 f. */
static void test_elementwise(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double rotary = 2 * 72 * 128, forward = 10 * 8192 + rotary + 3 * 28672;
    const double backward = 8 * 8192 + rotary + 5 * 28672, logits = (14 + 8) * 128256.0;
    double layers_s, logits_s;
    (void)state;
    in.device.mem_bw_bytes_s = 3e12;
    in.profile.common.elementwise = 0.5;
    layers_s = 4096 * 80 * 2 * (forward + backward) / 1.5e12;
    logits_s = 4096 * logits / (0.88 * 3e12); /* one pass over gigabytes */
    assert_near(time_of(&in).elementwise_s, layers_s + logits_s, 1e-12);
    in.profile.elementwise_passes = 2;
    assert_near(time_of(&in).elementwise_s, 2 * (layers_s + logits_s), 1e-12);
}

/*
** Endless arithmetic, 3 TB/s: a matmul of T rows moves 2 (T i + i o + T o) bytes forward and for the
** input gradient, and 2 (T i + T o) + 8 i o for the accumulated fp32 weight gradient.
*/
static void test_traffic_of_matmuls(void **state) {
    static const double shapes[4][2] = {{8192, 10240}, {8192, 8192}, {8192, 57344}, {28672, 8192}};
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    double bytes = 6 * 4096.0 * (8192 + 128256) + 12 * HEAD_MATMUL;
    int i;
    (void)state;
    for (i = 0; i < 4; i++) {
        double in_width = shapes[i][0], out_width = shapes[i][1];
        bytes += 80 * (6 * 4096 * (in_width + out_width) + 12 * in_width * out_width);
    }
    in.device.bf16_flop_s = 1e24;
    in.device.mem_bw_bytes_s = 3e12;
    assert_near(time_of(&in).matmul_s, bytes / 3e12, 1e-6);
}

/*
** A feed-forward width of 28680 leaves 16 bytes of a line of 128 in 16 bit: three halvings for the way back,
** two for the way in, which is twice as wide; one more each in 8 bit. All else is whole.
*/
static void test_misaligned_matmuls(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double matrix = 6 * 4096 * 80 * 8192.0 * 28680 / PEAK;
    double even;
    (void)state;
    in.profile.common.misaligned = 0.2;
    assert_near(time_of(&in).matmul_s, 3 * (80 * LAYER + HEAD), 1e-9);
    in.model.ffn_hidden = 28680;
    in.profile.common.misaligned = 0;
    even = time_of(&in).matmul_s;
    in.profile.common.misaligned = 0.2;
    assert_near(time_of(&in).matmul_s, even + 0.2 * (2 * 2 + 3) * matrix, 1e-9);
    in.plan.precision = BP_PRECISION_FP8;
    in.device.fp8_flop_s = PEAK;
    assert_near(time_of(&in).matmul_s, even + 0.2 * (2 * 3 + 4) * matrix, 1e-9);
}

/*
** Sums of their own: each of three micro-batches reads and writes fp32 sums and reads 16-bit gradients, 10
** bytes, of all that the device holds; matmuls write 2 bytes instead of 8. Shards of ZeRO-3 are added up as
** they arrive, where there are ranks to shard over, and frozen weights have no gradients.
*/
static void test_separate_sums(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 3), two = ideal(1, 1, 2, 6);
    const double held = 80.0 * 855654400 + 2 * 1050673152.0;
    double fused, matmul;
    (void)state;
    in.device.mem_bw_bytes_s = 3e12;
    in.profile.common.elementwise = 0.5;
    fused = time_of(&in).elementwise_s;
    in.profile.gradient_sum = BP_GRADIENT_SUM_SEPARATE;
    assert_near(time_of(&in).elementwise_s - fused, 3 * 10 * held / 1.5e12, 1e-6);
    in.plan.zero = 3;
    assert_near(time_of(&in).elementwise_s - fused, 3 * 10 * held / 1.5e12, 1e-6);
    two.device.mem_bw_bytes_s = 3e12;
    two.profile.common.elementwise = 0.5;
    two.profile.gradient_sum = BP_GRADIENT_SUM_SEPARATE;
    two.plan.zero = 3;
    assert_near(time_of(&two).elementwise_s, fused, 1e-9);
    in.plan.zero = 0;
    in.plan.lora_rank = 16;
    fused = time_of(&in).elementwise_s;
    in.profile.gradient_sum = BP_GRADIENT_SUM_FUSED;
    assert_near(time_of(&in).elementwise_s, fused, 1e-9);
    in.profile.gradient_sum = BP_GRADIENT_SUM_SEPARATE;
    in.plan.lora_rank = 0;
    in.device.bf16_flop_s = 1e24;
    matmul = time_of(&in).matmul_s;
    in.profile.gradient_sum = BP_GRADIENT_SUM_FUSED;
    assert_near(time_of(&in).matmul_s - matmul, 3 * 6 * (80 * LAYER_MATMUL + HEAD_MATMUL) / 3e12,
                1e-6);
}

/*
** DeepSeek-V3 on one rank of eight: all weights a token meets. Over tp 2 everything is halved but the
** two projections into the latents, 7168*(1536 + 576), which each rank makes for itself.
*/
static void test_moe_matmuls(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double latent = 61 * 7168.0 * (1536 + 576), routed = 58 * 8 * 3 * 7168.0 * 2048;
    const double tiles = 4.0 * 64 * 58 * 32 * 3 * 7168 * 2048; /* rows that nobody uses */
    struct ready_case r;
    double all;
    (void)state;
    make_ideal(&in);
    make_ready(&r, &in);
    all = (double)r.model.params.matmul_params_active;
    in.plan.ep = 8;
    assert_near(time_of(&in).matmul_s, (6 * 4096 * all + tiles) / PEAK, 1e-9);
    in.profile.imbalance = 1.5; /* the fullest expert sets the pace */
    assert_near(time_of(&in).matmul_s, (6 * 4096 * (all + 0.5 * routed) + tiles) / PEAK, 1e-9);
    in.profile.imbalance = 1;
    in.plan.tp = 2;
    in.plan.dp = 4;
    assert_near(time_of(&in).matmul_s,
                2 * (6 * 4096 * ((all - latent) / 2 + latent) + tiles) / PEAK, 1e-9);
    in.plan.etp = 2;
    in.plan.ep = 4;
    assert_near(time_of(&in).matmul_s,
                2 * (6 * 4096 * ((all - latent) / 2 + latent) + tiles) / PEAK, 1e-9);
}

/*
** Queries and outputs through a low rank, one projection for keys and values: all weights that multiply
** a token, and over tp 2 half of them but for the shared latents and the one key-value head.
*/
static void test_low_rank_projections(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    struct ready_case r;
    double all, latent;
    (void)state;
    in.model.q_lora_rank = 1024;
    in.model.o_lora_rank = 512;
    in.model.o_groups = 8;
    in.model.shared_kv = 1;
    in.model.kv_heads = 1;
    make_ready(&r, &in);
    all = (double)r.model.params.matmul_params_active;
    assert_near(all,
                80 * (1024 * 16384.0 + 8192 * 128 + 512 * 8192 + 4096 * 8192 + 3 * 8192 * 28672.0) +
                    HEAD_MATMUL,
                1e-12);
    assert_near(time_of(&in).matmul_s, 6 * 4096 * all / PEAK, 1e-9);
    latent = 80 * 8192.0 * (1024 + 128);
    in.plan.tp = in.network.devices = 2;
    assert_near(time_of(&in).matmul_s, 6 * 4096 * ((all - latent) / 2 + latent) / PEAK, 1e-9);
}

/*
** A prediction layer is one more layer, a matrix of 2 h^2 and one more pass through the head, behind the
** last layer: on one device, and on the second of two stages, which keeps 38 of 80 layers.
*/
static void test_multi_token_prediction(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double join = 2 * 2.0 * 8192 * 8192 * 4096 / PEAK;
    const double layer = 3 * LAYER + CORE_BOTH;
    struct bp_train_time t;
    (void)state;
    in.model.mtp_layers = 1;
    t = time_of(&in);
    assert_near(t.matmul_s, 3 * (81 * LAYER + join + 2 * HEAD), 1e-9);
    assert_near(t.attention_s, 81 * CORE_BOTH, 1e-9);
    assert_near(t.model_flop, PEAK * (t.matmul_s + 3 * 81 * CORE), 1e-9);
    in = ideal(1, 2, 1, 2);
    in.model.mtp_layers = 1;
    t = time_of(&in); /* 42 layers, and 38 + 1 + 2 * 1.2 */
    assert_near(t.matmul_s + t.attention_s, 2 * 42 * layer, 1e-9);
    assert_near(t.bubble_s, 39 * layer + 3 * (join + 2 * HEAD), 1e-9);
}

/* A 16-bit head between 8-bit layers is not limited; 16-bit layers with it are. */
static void test_power_limit_by_format(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    double free_s;
    (void)state;
    free_s = time_of(&in).matmul_s;
    in.profile.sustained_flop_w = 0.1 * PEAK / 700;
    assert_near(time_of(&in).matmul_s, 10 * free_s, 1e-3);
    in.plan.precision = BP_PRECISION_FP8;
    assert_near(time_of(&in).matmul_s, 3 * (80 * LAYER / 2 + HEAD), 1e-9);
}

/* Scales of a row cost 8-bit layers half as much again, and the 16-bit head nothing. */
static void test_recipe_of_8_bit(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    (void)state;
    in.profile.narrow_gemm = 1.5;
    assert_near(time_of(&in).matmul_s, 3 * (80 * LAYER + HEAD), 1e-9);
    in.plan.precision = BP_PRECISION_FP8;
    assert_near(time_of(&in).matmul_s, 3 * (1.5 * 80 * LAYER / 2 + HEAD), 1e-9);
}

/* Forward and backward of attention have factors of their own: both, and backward alone. */
static void test_attention_kernels(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    double forward = 80 * CORE, backward = 80 * (CORE_BOTH - CORE);
    (void)state;
    in.profile.attention = 2;
    assert_near(time_of(&in).attention_s, 2 * (forward + backward), 1e-9);
    in.profile.attention_backward = 0.75;
    assert_near(time_of(&in).attention_s, 2 * (forward + 0.75 * backward), 1e-9);
}

/*
** Stored scores: 64 heads multiply 4096 x 4096 pairs twice, masked or not, backward twice as often; 4.5 passes of 16 bit
** forward and 5.5 backward at the share of elementwise kernels. What fused kernels gain changes nothing of it, what matmuls
** lose does.
*/
static void test_unfused_attention(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double matmul = 80 * 4 * 64 * 4096.0 * 4096 * 128 / PEAK,
                 pass = 80 * 2 * 64 * 4096.0 * 4096 / 1e12;
    (void)state;
    in.plan.flash = 0;
    in.profile.attention = 0.5;
    in.profile.attention_backward = in.profile.common.attention_backward = 2;
    in.profile.common.softmax_passes = 4.5;
    assert_near(time_of(&in).attention_s, 3 * matmul, 1e-6);
    in.profile.gemm = 1.25;
    assert_near(time_of(&in).attention_s, 1.25 * 3 * matmul, 1e-6);
    in.device.mem_bw_bytes_s = 1e12;
    in.device.gemm16.w = 1e12;
    in.profile.common.elementwise = 0.5;
    assert_near(time_of(&in).attention_s, 1.25 * 3 * matmul + (4.5 + 5.5) * pass / 0.5, 1e-6);
}

/*
** One operation after the other: 14 passes of 16 bit forward, casts of the softmax included, and 11/9 as many backward.
** Where norms are not RMS norms, dropout reads and writes fp32 and keeps a mask: 9 bytes more. In fp32 nothing is cast.
*/
static void test_eager_scores(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double scores = 80 * 64 * 4096.0 * 4096, both = 1 + 11.0 / 9;
    double matmul;
    (void)state;
    in.plan.flash = 0;
    in.model.norm = BP_NORM_RMS;
    matmul = time_of(&in).attention_s;
    in.profile.eager_scores = 1;
    in.device.mem_bw_bytes_s = 1e12;
    in.device.gemm16.w = 1e12;
    assert_near(time_of(&in).attention_s, matmul + both * 28 * scores / 1e12, 1e-6);
    in.model.norm = BP_NORM_LAYER;
    assert_near(time_of(&in).attention_s, matmul + both * (28 + 9) * scores / 1e12, 1e-6);
}

/* 4-bit layers at four times the rate, and what training's kernels gain on the curves'. */
static void test_fp4(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    (void)state;
    in.device.fp4_flop_s = 4 * PEAK;
    in.plan.precision = BP_PRECISION_NVFP4;
    assert_near(time_of(&in).matmul_s, 3 * (80 * LAYER / 4 + HEAD), 1e-9);
    in.profile.common.gemm_fp4 = 0.8;
    assert_near(time_of(&in).matmul_s, 3 * (0.8 * 80 * LAYER / 4 + HEAD), 1e-9);
}

/*
** The host launches 80 layers and as much as one more for the head forward, 1.6 times as much backward, and
** under full recomputation the layers once more; device and host meet in a 4-norm. 10 ms per step come on
** top.
*/
static void test_host(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 2);
    const double f = 80 * (LAYER + CORE) + HEAD;
    const double b = 2 * (80 * LAYER + HEAD) + 80 * 2.5 * 1.18 * CORE;
    const double hf = 81 * 0.01, hb = 1.6 * hf, again = 80 * 0.01;
    struct bp_train_time t;
    (void)state;
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.profile.host_layer_s = 0.01;
    in.profile.host_step_s = 0.01;
    t = time_of(&in);
    assert_near(t.step_s,
                2 * (pow(pow(f, 4) + pow(hf, 4), 0.25) + pow(pow(b, 4) + pow(hb, 4), 0.25)) + 0.01,
                1e-9);
    assert_near(t.host_s, t.step_s - t.matmul_s - t.attention_s, 1e-9);
    assert_int_equal(t.bound, BP_BOUND_COMPUTE);
    in.plan.recompute = BP_RECOMPUTE_FULL;
    assert_near(time_of(&in).step_s,
                2 * (pow(pow(f, 4) + pow(hf, 4), 0.25) +
                     pow(pow(b + 80 * (LAYER + CORE), 4) + pow(hb + again, 4), 0.25)) +
                    0.01,
                1e-9);
    in.profile.host_layer_s = 0.1;
    assert_int_equal(time_of(&in).bound, BP_BOUND_HOST);
}

/* Hooks that gather sharded weights hold up every layer; nothing is gathered where there is one copy. */
static void test_host_gathers(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 2, 2);
    double before;
    (void)state;
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.profile.host_layer_s = 1e2;
    in.profile.host_gather_s = 1e2;
    in.plan.zero = 1;
    before = time_of(&in).host_s;
    in.plan.zero = 3;
    assert_near(time_of(&in).host_s / before, 2, 1e-3);
    in = ideal(1, 1, 1, 2);
    in.plan.zero = 3;
    before = time_of(&in).step_s;
    in.profile.host_gather_s = 1e2;
    assert_near(time_of(&in).step_s, before, 1e-9);
}

/* Without a head the host has the layers only. */
static void test_host_without_a_head(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    (void)state;
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.profile.host_layer_s = 1e3; /* nothing but the host */
    assert_near(time_of(&in).step_s, 81 * 2.6 * 1e3, 1e-6);
    in.model.vocab = 0;
    assert_near(time_of(&in).step_s, 80 * 2.6 * 1e3, 1e-6);
}

/* In a pipeline a layer waits for so much more per tensor-parallel rank: 1 + 0.5 * 8 of 0.1 s. */
static void test_host_in_a_pipeline(void **state) {
    struct bp_train_step_in in = ideal(8, 1, 1, 1);
    double alone;
    (void)state;
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.profile.host_layer_s = 0.1;
    in.profile.host_tp = 0;
    alone = time_of(&in).host_s;
    in.profile.pipe_collectives = BP_PIPE_COLLECTIVES_WAITED;
    in.profile.common.host_pipe = 0.5;
    assert_near(time_of(&in).host_s, alone, 0);
    in = ideal(8, 2, 1, 1);
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.model.vocab = 0;
    in.profile.host_layer_s = 1e3; /* nothing but the host */
    in.profile.host_tp = 0;
    in.profile.pipe_collectives = BP_PIPE_COLLECTIVES_WAITED;
    in.profile.common.host_pipe = 0.5;
    assert_near(time_of(&in).step_s, 80 * 2.6 * 1e3 * (1 + 0.5 * 8), 1e-6);
    in.plan.tp = 1; /* no collectives, nothing to wait for */
    in.network.devices = 2;
    assert_near(time_of(&in).step_s, 80 * 2.6 * 1e3, 1e-6);
}

/* A layer under tensor parallelism launches as many collectives whatever the ranks. */
static void test_host_under_tensor_parallelism(void **state) {
    int64_t tp;
    (void)state;
    for (tp = 1; tp <= 8; tp *= 2) {
        struct bp_train_step_in in = ideal(8, 1, 1, 1);
        in.plan.tp = tp;
        in.network.devices = tp;
        in.profile.launches = BP_LAUNCHES_EAGER;
        in.model.vocab = 0;
        in.profile.host_layer_s = 1e3; /* nothing but the host */
        in.profile.host_tp = 0.5;
        assert_near(time_of(&in).step_s, 80 * 2.6 * 1e3 * (tp > 1 ? 1.5 : 1), 1e-6);
    }
}

/* Two stages of 40 layers: what the collectives wait is a floor, in an 8-norm over compute and launches. */
static void test_floor_of_collectives(void **state) {
    struct bp_train_step_in in = ideal(8, 2, 1, 1);
    const double f = 40 * (LAYER + CORE) / 8, b = 40 * (2 * LAYER + 2.5 * 1.18 * CORE) / 8;
    const double h = 40 * 0.001, floor_s = h * (1 + 0.5 * 8);
    double forward, backward;
    (void)state;
    in.profile.launches = BP_LAUNCHES_EAGER;
    in.model.vocab = 0;
    in.profile.host_layer_s = 0.001;
    in.profile.host_tp = 0;
    in.profile.pipe_collectives = BP_PIPE_COLLECTIVES_WAITED;
    in.profile.common.host_pipe = 0.5;
    forward = pow(pow(pow(f, 4) + pow(h, 4), 2) + pow(floor_s, 8), 0.125);
    backward = pow(pow(pow(b, 4) + pow(1.6 * h, 4), 2) + pow(1.6 * floor_s, 8), 0.125);
    assert_near(time_of(&in).step_s, 2 * (forward + backward), 1e-9);
}

/* 128 devices in nodes of eight: four doublings. */
static void test_straggler(void **state) {
    struct bp_train_step_in in = ideal(8, 1, 16, 16);
    struct bp_train_time t;
    (void)state;
    in.profile.common.straggler = 0.01;
    t = time_of(&in);
    assert_near(t.straggler_s, 4 * 0.01 * (t.step_s - t.straggler_s), 1e-9);
}

/* A class head multiplies one row per image. */
static void test_class_head(void **state) {
    struct bp_train_step_in in = spread(vit_model(), 1, 1, 1, 64, 197), headless;
    (void)state;
    make_ideal(&in);
    in.plan.micro_batch = 64;
    headless = in;
    headless.model.classes = 0;
    assert_near(time_of(&in).matmul_s - time_of(&headless).matmul_s,
                3 * 2 * 64 * 1000.0 * 1024 / PEAK, 1e-6);
}

static void test_peak_of_the_precision(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    struct bp_train_time t;
    (void)state;
    in.plan.precision = BP_PRECISION_FP8; /* layers twice as fast, head and attention as before */
    t = time_of(&in);
    assert_near(t.matmul_s, 3 * (80 * LAYER / 2 + HEAD), 1e-9);
    assert_near(t.attention_s, 80 * CORE_BOTH, 1e-9);
    assert_near(t.mfu_frac, t.model_flop / t.step_s / (2 * PEAK), 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device),
        cmocka_unit_test(test_one_device_is_silent),
        cmocka_unit_test(test_bubble),
        cmocka_unit_test(test_uneven_stages),
        cmocka_unit_test(test_given_ends),
        cmocka_unit_test(test_empty_first_stage),
        cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_misaligned_matmuls),
        cmocka_unit_test(test_separate_sums),
        cmocka_unit_test(test_traffic_of_matmuls),
        cmocka_unit_test(test_moe_matmuls),
        cmocka_unit_test(test_low_rank_projections),
        cmocka_unit_test(test_multi_token_prediction),
        cmocka_unit_test(test_power_limit_by_format),
        cmocka_unit_test(test_recipe_of_8_bit),
        cmocka_unit_test(test_attention_kernels),
        cmocka_unit_test(test_unfused_attention),
        cmocka_unit_test(test_eager_scores),
        cmocka_unit_test(test_fp4),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_host_gathers),
        cmocka_unit_test(test_host_without_a_head),
        cmocka_unit_test(test_host_in_a_pipeline),
        cmocka_unit_test(test_host_under_tensor_parallelism),
        cmocka_unit_test(test_floor_of_collectives),
        cmocka_unit_test(test_straggler),
        cmocka_unit_test(test_class_head),
        cmocka_unit_test(test_peak_of_the_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
