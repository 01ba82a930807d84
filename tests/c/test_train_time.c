/* Every part of a step's time, counted by hand in a world where nothing else takes time. */
#include "cases.h"

static struct bp_train_time time_of(const struct bp_train_step_in *in) {
    struct ready_case r;
    struct bp_train_time out;
    struct bp_error err = {0};
    assert_int_equal(bp_train_time(make_ready(&r, in), &out, &err), BP_OK);
    return out;
}

/* Llama 70B at 4096 tokens, one micro-batch per data rank, everything but arithmetic for free. */
static struct bp_train_step_in ideal(int64_t tp, int64_t pp, int64_t dp, int64_t batch) {
    struct bp_train_step_in in = spread(llama_model(), tp, pp, dp, batch, 4096);
    make_ideal(&in);
    return in;
}

#define LAYER_MATMUL 855638016.0 /* 2*8192*(8192 + 1024) + 3*8192*28672 */
#define HEAD_MATMUL (128256.0 * 8192)
#define PEAK 1e15

/* Attention of a layer, forward: 4 * 8192 * 4096*4097/2 FLOP; backward 2.5 times that, 1.25 slower. */
#define CORE (4.0 * 8192 * (4096.0 * 4097 / 2) / PEAK)
#define CORE_BOTH (CORE * (1 + 2.5 * 1.25))

/* One micro-batch of a layer, forward, matmuls alone. */
#define LAYER (2 * LAYER_MATMUL * 4096 / PEAK)
#define HEAD (2 * HEAD_MATMUL * 4096 / PEAK)

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

/*
** Eight data ranks in one domain at 450 GB/s, 70,553,706,496 parameters, nothing hidden:
** ZeRO-0 2*7/8*4N, ZeRO-1 7/8*(4N + 2N), ZeRO-2 the reduction for each of two micro-batches,
** ZeRO-3 two gathers and a reduction of all layers for each, one gather of embedding and head.
*/
static void test_data_parallel(void **state) {
    const double n = 70553706496.0, tables = 2 * HEAD_MATMUL, layers = n - tables, bw = 450e9;
    const double expected[] = {2 * 0.875 * 4 * n / bw, 0.875 * 6 * n / bw,
                               0.875 * (2 * 4 + 2) * n / bw,
                               0.875 * 2 * ((2 * 2 + 4) * layers + (2 + 4) * tables) / bw};
    int zero;
    (void)state;
    for (zero = 0; zero <= 3; zero++) {
        struct bp_train_step_in in = ideal(1, 1, 8, 16);
        struct bp_train_time t;
        in.network.scaleup.bw_bytes_s = bw;
        in.plan.overlap_dp = 0;
        in.plan.zero = zero;
        t = time_of(&in);
        assert_near(t.dp_s, expected[zero], 1e-6);
        assert_near(t.tp_s + t.pp_s + t.ep_s + t.cp_s + t.bubble_s, 0, 0);
        assert_near(t.step_s, t.matmul_s + t.attention_s + t.dp_s, 1e-9);
    }
}

/* ZeRO-0 reduces over all ranks even where a shard size was given; HSDP reduces shards once more. */
static void test_replicas(void **state) {
    const double n = 70553706496.0, bw = 450e9;
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    (void)state;
    in.network.scaleup.bw_bytes_s = bw;
    in.plan.overlap_dp = 0;
    in.plan.zero = 0;
    in.plan.shard = 2;
    assert_near(time_of(&in).dp_s, 2 * 0.875 * 4 * n / bw, 1e-6);
    in.plan.zero = 1; /* 1/2 (4N + 2N) in pairs, then 2*3/4 of half the gradient over four */
    assert_near(time_of(&in).dp_s, (0.5 * 6 * n + 1.5 * 4 * n / 2) / bw, 1e-6);
}

/* What runs under the last backward does not show, except for the least share. */
static void test_hidden_data_traffic(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    double open, backward = 2 * (80 * LAYER + HEAD) + 80 * 2.5 * 1.25 * CORE;
    (void)state;
    in.plan.zero = 0;
    in.plan.overlap_dp = 0;
    in.network.scaleup.bw_bytes_s = 450e9;
    open = time_of(&in).dp_s;
    in.plan.overlap_dp = 1;
    in.profile.overlap_dp = 0.1;
    assert_true(open > 0.1 * backward);
    assert_near(time_of(&in).dp_s, open - 0.1 * backward, 1e-9);
    in.profile.overlap_dp = 0.5;
    in.profile.exposed_dp = 0.08;
    in.network.scaleup.bw_bytes_s = 900e9;
    assert_true(open / 2 < 0.5 * backward);
    assert_near(time_of(&in).dp_s, 0.08 * open / 2, 1e-9);
}

/*
** Four sequences of 4096 tokens, h 8192: an all-reduce of 268.4 MB, four in each layer; round a ring
** of eight at 450 GB/s, the 160 of a forward pass of 80 layers take 167 ms.
*/
static void test_tensor_parallel(void **state) {
    struct bp_train_step_in in = ideal(8, 1, 1, 4);
    const double message = 2.0 * 4 * 4096 * 8192, one = 2 * 0.875 * message / 450e9;
    struct bp_train_time t;
    (void)state;
    in.plan.micro_batch = 4;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.sequence_parallel = 0;
    t = time_of(&in);
    assert_near(message, 268.4e6, 1e-3);
    assert_near(160 * one, 0.167, 1e-3);
    assert_near(t.tp_s, 320 * one, 1e-9);
    in.plan.sequence_parallel = 1; /* gather and scatter: the same bytes */
    assert_near(time_of(&in).tp_s, 320 * one, 1e-9);
    in.plan.overlap_tp = 1;
    in.profile.overlap_tp = 0.4;
    assert_near(time_of(&in).tp_s, 0.6 * 320 * one, 1e-9);
    in.plan.overlap_tp = 0;
    in.plan.recompute = BP_RECOMPUTE_FULL; /* the forward's two once more, in recompute_s */
    t = time_of(&in);
    assert_near(t.tp_s, 320 * one, 1e-9);
    assert_near(t.recompute_s, 160 * one + 80 * 4 * (LAYER + CORE) / 8, 1e-9);
}

/* Even stages without a head, links for free: (p-1)/(m+p-1), interleaved (p-1)/(v m + p-1). */
static void test_bubble(void **state) {
    static const struct {
        int64_t pp, vpp, m;
        double fraction;
    } cases[] = {
        {8, 1, 32, 7.0 / 39}, {8, 1, 1, 7.0 / 8},       {4, 1, 12, 3.0 / 15},
        {8, 2, 32, 7.0 / 71}, {16, 5, 16, 15.0 / 95.0}, {1, 1, 4, 0},
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

/* A first stage without layers still costs its micro-batches' host time, and no NaN. */
static void test_empty_first_stage(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 82, 1, 82, 4096);
    struct bp_train_time t = time_of(&in);
    (void)state;
    assert_true(isfinite(t.step_s) && t.bubble_s > 0);
}

/*
** Stages eight devices apart, at 50 GB/s: 4096*8192*2 bytes forward and back for each micro-batch,
** and once more for each of the three hops that fill and drain the pipeline.
*/
static void test_sends(void **state) {
    struct bp_train_step_in in = ideal(1, 4, 8, 64);
    const double send = 4096.0 * 8192 * 2 / 50e9;
    struct bp_train_time t;
    (void)state;
    in.model.vocab = 0;
    in.network.scaleout.bw_bytes_s = 50e9;
    in.plan.zero = 0;
    in.plan.overlap_dp = 0;
    t = time_of(&in);
    assert_near(t.pp_s, 8 * 2 * send, 1e-9);
    assert_near(t.bubble_s, 3 * (20 * (3 * LAYER + CORE_BOTH) + 2 * send), 1e-6);
    in = ideal(8, 4, 1, 8);
    in.network.scaleout.bw_bytes_s = 50e9;
    assert_near(time_of(&in).pp_s, 8 * 2 * send / 8, 1e-9); /* sequence parallel: 1/8 each */
    in.plan.sequence_parallel = 0;
    assert_near(time_of(&in).pp_s, 8 * 2 * send, 1e-9);
}

/*
** Four context ranks of 1024 tokens: keys and values of 8 heads, 1024*8*256*2 bytes, move three
** times forward, and with their gradients twice that backward; 0.9 of attention hides them.
*/
static void test_context_parallel(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double ring = 3 * 1024.0 * 8 * 256 * 2 / 1e9;
    const double hidden = 0.9 * CORE_BOTH / 4;
    struct bp_train_time t;
    (void)state;
    in.network.devices = in.plan.cp = 4;
    t = time_of(&in);
    assert_near(t.cp_s, 0, 0);
    assert_near(t.attention_s, 80 * CORE_BOTH / 4, 1e-9);
    in.network.scaleup.bw_bytes_s = 1e9;
    in.plan.zero = 0;
    assert_near(time_of(&in).cp_s, 80 * (3 * ring - hidden), 1e-9);
}

/*
** DeepSeek-V3, 58 MoE layers: 4096 tokens * 8 visits * 7168 * 2 bytes leave and return, forward and
** backward; 7/8 of them for another rank.
*/
static void test_expert_parallel(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double visits = 4096.0 * 8 * 7168 * 2;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.ep = 8;
    assert_near(time_of(&in).ep_s, 58 * 4 * 0.875 * visits / 450e9, 1e-9);
    in.plan.overlap_ep = 1;
    in.profile.overlap_ep = 0.5;
    assert_near(time_of(&in).ep_s, 58 * 2 * 0.875 * visits / 450e9, 1e-9);
}

/*
** tp 2: a rank exchanges its half of the tokens. ep 4 * etp 2: three quarters of that half leave, and
** the two ranks of an expert gather each other's, then sum: two collectives of the whole, half moved.
*/
static void test_expert_tensor_parallel(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 2, 1, 4, 4, 4096);
    const double half = 4096.0 * 8 * 7168 * 2 / 2;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.ep = 8;
    assert_near(time_of(&in).ep_s, 58 * 4 * 0.875 * half / 450e9, 1e-9);
    in.plan.ep = 4;
    in.plan.etp = 2;
    assert_near(time_of(&in).ep_s, 58 * 2 * (2 * 0.75 * half + 2 * 0.5 * 2 * half) / 450e9, 1e-9);
    in.plan.ep = 1; /* no exchange left, only the pair's gather and sum */
    assert_near(time_of(&in).ep_s, 58 * 2 * (2 * 0.5 * 2 * half) / 450e9, 1e-9);
}

/* Gradients of experts are reduced over the ranks that share them: 2 of 8, and not at all under ep 8. */
static void test_expert_gradients(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double expert = 58 * 256 * 3 * 7168.0 * 2048;
    struct ready_case r;
    double dense;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.zero = 0;
    in.plan.overlap_dp = 0;
    make_ready(&r, &in);
    dense = 2 * 0.875 * 4 * ((double)r.params.total_params - expert) / 450e9;
    in.plan.ep = 8;
    assert_near(time_of(&in).dp_s, dense, 1e-9);
    in.plan.ep = 4;
    assert_near(time_of(&in).dp_s, dense + 2 * 0.5 * 4 * expert / 4 / 450e9, 1e-9);
}

/* Adam moves 30 bytes a parameter and 12 a gradient: on 3 TB/s, all of it or an eighth. */
static void test_optimizer(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    const double n = 70553706496.0;
    (void)state;
    in.device.mem_bw_bytes_s = 3e12;
    in.plan.zero = 0;
    assert_near(time_of(&in).optimizer_s, 42 * n / 3e12, 1e-9);
    in.plan.zero = 1;
    assert_near(time_of(&in).optimizer_s, (30 * n / 8 + 12 * n) / 3e12, 1e-9);
    in.plan.zero = 2;
    assert_near(time_of(&in).optimizer_s, 42 * n / 8 / 3e12, 1e-9);
}

/*
** The host launches 80 layers forward, 1.6 times as much backward; device and host meet in a 4-norm.
** 10 ms per step come on top.
*/
static void test_host(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 2);
    const double f = 80 * (LAYER + CORE) + HEAD;
    const double b = 2 * (80 * LAYER + HEAD) + 80 * 2.5 * 1.25 * CORE;
    double hf = 80 * 0.01, hb = 1.6 * hf;
    struct bp_train_time t;
    (void)state;
    in.profile.host_layer_s = 0.01;
    in.profile.host_step_s = 0.01;
    t = time_of(&in);
    assert_near(t.step_s,
                2 * (pow(pow(f, 4) + pow(hf, 4), 0.25) + pow(pow(b, 4) + pow(hb, 4), 0.25)) + 0.01,
                1e-9);
    assert_near(t.host_s, t.step_s - t.matmul_s - t.attention_s, 1e-9);
    assert_int_equal(t.bound, BP_BOUND_COMPUTE);
    in.profile.host_layer_s = 0.1;
    assert_int_equal(time_of(&in).bound, BP_BOUND_HOST);
}

/* 128 devices in nodes of eight: four doublings. */
static void test_straggler(void **state) {
    struct bp_train_step_in in = ideal(8, 1, 16, 16);
    struct bp_train_time t;
    (void)state;
    in.profile.straggler = 0.01;
    t = time_of(&in);
    assert_near(t.straggler_s, 4 * 0.01 * (t.step_s - t.straggler_s), 1e-9);
}

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
        cmocka_unit_test(test_data_parallel),
        cmocka_unit_test(test_replicas),
        cmocka_unit_test(test_hidden_data_traffic),
        cmocka_unit_test(test_tensor_parallel),
        cmocka_unit_test(test_bubble),
        cmocka_unit_test(test_uneven_stages),
        cmocka_unit_test(test_empty_first_stage),
        cmocka_unit_test(test_sends),
        cmocka_unit_test(test_context_parallel),
        cmocka_unit_test(test_expert_parallel),
        cmocka_unit_test(test_expert_tensor_parallel),
        cmocka_unit_test(test_expert_gradients),
        cmocka_unit_test(test_optimizer),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_straggler),
        cmocka_unit_test(test_recomputation),
        cmocka_unit_test(test_class_head),
        cmocka_unit_test(test_peak_of_the_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
