/* Traffic of a step by hand: who sends how much over which link, and what of it shows. */
#include "ideal.h"

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

/* Replicas of FSDP shards sum 4 bytes of half the parameters over four, beside the last backward or after it. */
static void test_replicas_of_shards(void **state) {
    const double n = 70553706496.0, bw = 450e9;
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    double beside;
    (void)state;
    in.network.scaleup.bw_bytes_s = bw;
    in.plan.zero = 3;
    in.plan.shard = 2;
    in.plan.overlap_dp = 1;
    in.profile.exposed_fsdp = 0.1;
    in.profile.replica_sum = BP_REPLICA_SUM_BESIDE_BACKWARD;
    beside = time_of(&in).dp_s;
    in.profile.replica_sum = BP_REPLICA_SUM_AFTER;
    assert_near(time_of(&in).dp_s - beside, 0.9 * 1.5 * 4 * n / 2 / bw, 1e-6);
}

/*
** Gradients that travel in 16 bit and are kept in fp32: 2 bytes in place of 4 for the layers and tables of each of
** two micro-batches, and for the sum over replicas; memory does not change.
*/
static void test_narrow_shard_sums(void **state) {
    const double n = 70553706496.0, bw = 450e9;
    struct bp_train_step_in in = ideal(1, 1, 8, 16);
    struct bp_train_step_out kept, narrow;
    struct bp_error err;
    (void)state;
    in.network.scaleup.bw_bytes_s = bw;
    in.plan.overlap_dp = 0;
    in.plan.zero = 3;
    assert_int_equal(bp_train_step(&in, &kept, &err), BP_OK);
    in.profile.shard_sums = BP_SHARD_SUMS_NARROW;
    assert_int_equal(bp_train_step(&in, &narrow, &err), BP_OK);
    assert_near(kept.time.dp_s - narrow.time.dp_s, 2 * 0.875 * 2 * n / bw, 1e-6);
    assert_int_equal(kept.memory.total_bytes, narrow.memory.total_bytes);
    in = ideal(1, 1, 8, 8);
    in.network.scaleup.bw_bytes_s = bw;
    in.plan.overlap_dp = 0;
    in.plan.zero = 3;
    in.plan.shard = 2;
    assert_int_equal(bp_train_step(&in, &kept, &err), BP_OK);
    in.profile.shard_sums = BP_SHARD_SUMS_NARROW;
    assert_int_equal(bp_train_step(&in, &narrow, &err), BP_OK);
    assert_near(kept.time.dp_s - narrow.time.dp_s, (0.5 * 2 * n + 1.5 * 2 * n / 2) / bw, 1e-6);
}

/* What runs under the last backward does not show, except for the least share. */
static void test_hidden_data_traffic(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    double open, backward = 2 * (80 * LAYER + HEAD) + 80 * 2.5 * 1.18 * CORE;
    (void)state;
    in.plan.zero = 0;
    in.plan.overlap_dp = 0;
    in.network.scaleup.bw_bytes_s = 450e9;
    open = time_of(&in).dp_s;
    in.plan.overlap_dp = 1;
    in.profile.common.overlap_dp = 0.1;
    assert_true(open > 0.1 * backward);
    assert_near(time_of(&in).dp_s, open - 0.1 * backward, 1e-9);
    in.profile.common.overlap_dp = 0.5;
    in.profile.exposed_dp = 0.08;
    in.network.scaleup.bw_bytes_s = 900e9;
    assert_true(open / 2 < 0.5 * backward);
    assert_near(time_of(&in).dp_s, 0.08 * open / 2, 1e-9);
}

/*
** Four stages of five chunks work on each chunk for four micro-batches: gradients of four chunks travel while
** 4 * 4/5 backwards of a stage run, not one.
*/
static void test_interleaved_window(void **state) {
    struct bp_train_step_in in = ideal(1, 4, 8, 64);
    const double backward = 20 * (2 * LAYER + CORE_BOTH - CORE);
    double whole;
    (void)state;
    in.model.vocab = 0;
    in.network.scaleup.bw_bytes_s = 1e9;
    in.plan.zero = 0;
    in.plan.overlap_dp = 1;
    in.profile.exposed_dp = 0;
    in.profile.common.overlap_dp = 0;
    whole = time_of(&in).dp_s;
    in.profile.common.overlap_dp = 0.1;
    assert_near(time_of(&in).dp_s, whole - 0.1 * backward, 1e-9);
    in.plan.vpp = 5;
    assert_near(time_of(&in).dp_s, whole - 0.1 * 3.2 * backward, 1e-9);
}

/*
** Software that gathers updated weights after the step shows the gather whole, and in six messages per
** layer it pays six times 80 start-up times of 1 ms.
*/
static void test_gathered_weights(void **state) {
    const double n = 70553706496.0, bw = 450e9, gather = 0.875 * 2 * n / bw;
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    (void)state;
    in.network.scaleup.bw_bytes_s = bw;
    in.plan.zero = 1;
    in.plan.overlap_dp = 1;
    in.profile.common.overlap_dp = 1;
    assert_near(time_of(&in).dp_s, 0, 0);
    in.profile.weight_gather = BP_WEIGHT_GATHER_STEP_END;
    assert_near(time_of(&in).dp_s, gather, 1e-6);
    in.network.scaleup.alpha_s = 1e-3;
    in.profile.weight_gather = BP_WEIGHT_GATHER_BY_TENSOR;
    assert_near(time_of(&in).dp_s, gather + 6 * 80 * 1e-3, 1e-6);
}

/* An all-reduce in buckets of 13,107,200 parameters starts as often as they fit into 70.6 billion. */
static void test_buckets_of_gradients(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    double whole;
    (void)state;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.network.scaleup.alpha_s = 1e-3;
    in.plan.zero = 0;
    in.plan.overlap_dp = 0;
    whole = time_of(&in).dp_s;
    in.profile.buckets = BP_BUCKETS_DDP;
    assert_near(time_of(&in).dp_s, whole + (70553706496.0 / 13107200 - 1) * 1e-3, 1e-6);
}

/* ZeRO-3 that asks for twelve parameters of a layer one by one waits for twelve messages each time. */
static void test_gathers_of_a_layer(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 8, 8);
    double whole;
    (void)state;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.network.scaleup.alpha_s = 1e-3;
    in.plan.zero = 3;
    in.plan.overlap_dp = 0;
    whole = time_of(&in).dp_s;
    in.profile.layer_gather =
        BP_LAYER_GATHER_BY_PARAMETER; /* two gathers and a scatter of 80 layers; of the tables one each */
    assert_near(time_of(&in).dp_s, whole + 11 * (80 * 3 + 2) * 1e-3, 1e-6);
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
    /* Backward gathers two inputs again: 3.1 ms of 2.0 that half of 7/12 of its matmuls take. */
    in.network.scaleup.bw_bytes_s = 150e9;
    assert_near(time_of(&in).tp_s, 960 * one + 80 * (3 * one - 7.0 / 24 * LAYER), 1e-9);
    in.profile.whole_inputs = 1;
    assert_near(time_of(&in).tp_s, 960 * one, 1e-9);
    in.profile.whole_inputs = 0;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.overlap_tp = 1;
    in.profile.common.overlap_tp = 0.4;
    assert_near(time_of(&in).tp_s, 0.6 * 320 * one, 1e-9);
    in.plan.overlap_tp = 0;
    in.plan.recompute = BP_RECOMPUTE_FULL; /* the forward's two once more, in recompute_s */
    t = time_of(&in);
    assert_near(t.tp_s, 320 * one, 1e-9);
    assert_near(t.recompute_s, 160 * one + 80 * 4 * (LAYER + CORE) / 8, 1e-9);
}

/* Software whose overlap is of forward alone: backward's 160 show in full. */
static void test_tensor_parallel_of_forward(void **state) {
    struct bp_train_step_in in = ideal(8, 1, 1, 1);
    const double one = 2 * 0.875 * 2.0 * 4096 * 8192 / 450e9;
    (void)state;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.profile.common.overlap_tp = 0.4;
    in.profile.tp_backward = BP_TP_BACKWARD_ALWAYS_WAITS;
    assert_near(time_of(&in).tp_s, 320 * one, 1e-9);
    in.plan.overlap_tp = 1;
    assert_near(time_of(&in).tp_s, (0.6 * 160 + 160) * one, 1e-9);
}

/* Beside the weight gradients run all of backward's 160, under sequence parallelism their scatters. */
static void test_tensor_parallel_beside_weights(void **state) {
    struct bp_train_step_in in = ideal(8, 1, 1, 1);
    const double one = 2 * 0.875 * 2.0 * 4096 * 8192 / 450e9;
    (void)state;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.profile.common.overlap_tp = 0.4;
    in.profile.tp_backward = BP_TP_BACKWARD_BESIDE_WEIGHTS;
    in.plan.sequence_parallel = 0;
    assert_near(time_of(&in).tp_s, (160 + 0.6 * 160) * one, 1e-9);
    in.plan.sequence_parallel = 1;
    assert_near(time_of(&in).tp_s, (160 + 0.8 * 160) * one, 1e-9);
    in.plan.overlap_tp = 1;
    assert_near(time_of(&in).tp_s, 0.6 * 320 * one, 1e-9);
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
    in.plan.vpp = 5; /* five times as many, of which a quarter shows */
    assert_near(time_of(&in).pp_s, 0.25 * 5 * 8 * 2 * send, 1e-9);
    in.plan.vpp = 1;
    in.profile.sends =
        BP_SENDS_SPLIT; /* an eighth from each rank, and 7/8 of it gathered at 450 GB/s */
    in.network.scaleup.bw_bytes_s = 450e9;
    assert_near(time_of(&in).pp_s, 8 * 2 * (send / 8 + 0.875 * 4096 * 8192 * 2 / 450e9), 1e-9);
}

/*
** Eight stages of eight replicas: with the pipeline inside, stages are neighbours on the fast links and
** replicas eight devices apart. In one domain the order makes no difference.
*/
static void test_rank_order(void **state) {
    struct bp_train_step_in in = ideal(1, 8, 8, 64);
    struct bp_train_time outside, inside;
    (void)state;
    in.network.scaleup.bw_bytes_s = 450e9;
    in.network.scaleout.bw_bytes_s = 50e9;
    in.plan.overlap_dp = 0;
    outside = time_of(&in);
    in.plan.rank_order = BP_RANK_ORDER_PIPELINE_INSIDE;
    inside = time_of(&in);
    assert_near(outside.pp_s / inside.pp_s, 9, 1e-9);
    assert_near(inside.dp_s / outside.dp_s, 9, 1e-9);
    in.network.domain = 64;
    inside = time_of(&in);
    in.plan.rank_order = BP_RANK_ORDER_DATA_INSIDE;
    assert_near(inside.step_s, time_of(&in).step_s, 0);
}

/*
** Eight data-parallel ranks that share experts are neighbours even where the pipeline lies inside: a
** domain larger than theirs makes nothing slower.
*/
static void test_rank_order_of_one_block(void **state) {
    struct bp_train_step_in in = setup(moe_model(), 64, 64, 4096);
    struct bp_train_time small;
    (void)state;
    in.plan.pp = 8;
    in.plan.ep = 8;
    in.plan.overlap_dp = 0;
    in.plan.rank_order = BP_RANK_ORDER_PIPELINE_INSIDE;
    small = time_of(&in);
    in.network.domain = 16;
    assert_near(time_of(&in).dp_s, small.dp_s, 0);
    in.plan.zero = 3;
    in.plan.shard = 4; /* two replicas in that block */
    small = time_of(&in);
    in.network.domain = 8;
    assert_near(time_of(&in).dp_s, small.dp_s, 0);
}

/* Two context ranks of 2048 queries that look back 1024 tokens each, into their neighbour's keys too. */
static void test_windows_over_context_ranks(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    double alone, full;
    (void)state;
    full = time_of(&in).attention_s;
    in.model.window_layers = in.model.layers;
    in.model.sliding_window = 1024;
    alone = time_of(&in).attention_s;
    in.network.devices = in.plan.cp = 2;
    assert_near(time_of(&in).attention_s / alone, 1024 * 2048 / (1024 * 1025 / 2.0 + 1024.0 * 3072),
                1e-9);
    in.network.devices = in.plan.cp = 8; /* blocks shorter than the window */
    assert_near(time_of(&in).attention_s / alone, 1024 * 512 / (1024 * 1025 / 2.0 + 1024.0 * 3072),
                1e-9);
    in.model.sliding_window = 4096; /* reaches everything */
    assert_near(time_of(&in).attention_s / full, 1 / 8.0 * 4096 / 4097, 1e-9);
}

/*
** Four context ranks of 1024 tokens: keys and values of 8 heads, 1024*8*256*2 bytes, move three
** times forward, and with their gradients twice that backward; 0.9 of attention hides them.
*/
static void test_context_parallel(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double ring = 3 * 1024.0 * 8 * 256 * 2 / 1e9;
    const double core = CORE_BOTH / 4 * 4096 / 4097; /* cut evenly: no diagonal to count twice */
    const double hidden = 0.9 * core;
    struct bp_train_time t;
    (void)state;
    in.network.devices = in.plan.cp = 4;
    t = time_of(&in);
    assert_true(t.cp_s < 1e-12);
    assert_near(t.attention_s, 80 * core, 1e-9);
    in.network.scaleup.bw_bytes_s = 1e9;
    in.plan.zero = 0;
    assert_near(time_of(&in).cp_s, 80 * (3 * ring - hidden), 1e-9);
}

/* As PyTorch has it: keys and values of all 64 query heads, in fp32 gradients behind them, and nothing of it hidden. */
static void test_repeated_keys(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double ring = 3 * 1024.0 * 64 * 256 * 2 / 1e9;
    (void)state;
    in.network.devices = in.plan.cp = 4;
    in.network.scaleup.bw_bytes_s = 1e9;
    in.plan.zero = 0;
    in.profile.context = BP_CONTEXT_REPEATED;
    assert_near(time_of(&in).cp_s, 80 * (1 + 1 + 2) * ring, 1e-9);
    assert_near(time_of(&in).attention_s, 80 * CORE_BOTH / 4 * 4096 / 4097, 1e-9);
}

/*
** Four ranks that deal heads: queries and outputs of 64 heads and keys and values of 8, 3/4 of 1024 tokens of
** them for other ranks, forward and again backward, and nothing of it hidden. 128 ranks get no whole heads.
*/
static void test_dealt_heads(void **state) {
    struct bp_train_step_in in = ideal(1, 1, 1, 1);
    const double sent = 1024.0 * (2 * 64 + 2 * 8) * 128 * 2 * 3 / 4 / 1e9;
    double ring;
    (void)state;
    in.network.devices = in.plan.cp = 4;
    in.network.scaleup.bw_bytes_s = 1e9;
    in.plan.zero = 0;
    in.profile.context = BP_CONTEXT_HEADS;
    assert_near(time_of(&in).cp_s, 80 * 2 * sent, 1e-9);
    assert_near(time_of(&in).attention_s, 80 * CORE_BOTH / 4, 1e-9);
    in.network.devices = in.plan.cp = 128;
    ring = time_of(&in).cp_s;
    in.profile.context = BP_CONTEXT_RING;
    assert_near(time_of(&in).cp_s, ring, 1e-12);
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
    in.profile.imbalance = 1.5; /* the fullest rank receives for so much longer */
    assert_near(time_of(&in).ep_s, 1.5 * 58 * 4 * 0.875 * visits / 450e9, 1e-9);
}

/*
** Eight micro-batches, seven of which run beside another. The most that compute may hide is half here; what is
** longer than the compute beside it shows by as much as it is longer.
*/
static void test_expert_overlap(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 64, 4096);
    double traffic, slow, slower;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.ep = 8;
    traffic = time_of(&in).ep_s;
    in.plan.overlap_ep = 1;
    in.profile.common.overlap_ep = 0.5;
    assert_near(time_of(&in).ep_s, (7 * 0.5 + 1) / 8 * traffic, 1e-9);
    in.network.scaleup.bw_bytes_s = 4.5e9;
    slow = time_of(&in).ep_s;
    in.network.scaleup.bw_bytes_s = 2.25e9;
    slower = time_of(&in).ep_s;
    assert_near(slower - slow, 100 * traffic, 1e-9);
    assert_true(slow > 50 * traffic && slow < 100 * traffic);
    in.job.global_batch = 8; /* nothing to run beside */
    in.network.scaleup.bw_bytes_s = 450e9;
    assert_near(time_of(&in).ep_s, traffic / 8, 1e-9);
}

/*
** Gathers of ZeRO-3 run under expert traffic that shows. A lone micro-batch takes as long with that overlap as without,
** several never longer.
*/
static void test_expert_overlap_beside_gathers(void **state) {
    static const int recompute[] = {BP_RECOMPUTE_NONE, BP_RECOMPUTE_FULL};
    int i, batches;
    (void)state;
    for (i = 0; i < 2; i++) {
        for (batches = 1; batches <= 4; batches++) {
            struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8 * batches, 4096);
            double without;
            in.plan.ep = 8;
            in.plan.zero = 3;
            in.plan.overlap_dp = 1;
            in.plan.recompute = recompute[i];
            in.network.scaleup.bw_bytes_s = 20e9;
            without = time_of(&in).step_s;
            in.plan.overlap_ep = 1;
            if (batches == 1) {
                assert_near(time_of(&in).step_s, without, 1e-6);
            } else {
                assert_true(time_of(&in).step_s <= without);
            }
        }
    }
}

/*
** Experts of 4 of 8 groups: of eight ranks with a group each a token visits 4 (1 - C(96, 8) / C(128, 8)) = 3.64, of
** four ranks with two each 4 (1 - C(6, 4) / C(8, 4)) = 3.14.
*/
static void test_routing_by_groups(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double copy = 58 * 4 * 4096.0 * 7168 * 2 / 450e9;
    double missed = 1;
    int i;
    (void)state;
    for (i = 0; i < 8; i++) {
        missed *= (96.0 - i) / (128 - i);
    }
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.profile.expert_copies = BP_EXPERT_COPIES_MERGED;
    in.model.route_groups = 8;
    in.model.route_top = 4;
    in.plan.ep = 8;
    assert_near(time_of(&in).ep_s, 0.875 * 4 * (1 - missed) * copy, 1e-9);
    in.plan.ep = 4;
    assert_near(time_of(&in).ep_s, 0.75 * 4 * (1 - 15.0 / 70) * copy, 1e-9);
    in.model.route_groups = 0;
    in.model.route_top = 0;
    assert_true(time_of(&in).ep_s > 0.75 * 4 * (1 - 15.0 / 70) * copy);
}

/*
** One copy to a rank with several of a token's experts. It misses all 32 of 256 of a rank with the chance
** 224/256 * 223/255 * ... * 217/249 = 0.3382, so it visits 8 (1 - 0.3382) = 5.29 ranks.
** With one expert a rank the same is sent either way.
*/
static void test_merged_copies(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    double each, missed = 1;
    int i;
    (void)state;
    for (i = 0; i < 8; i++) {
        missed *= (224.0 - i) / (256 - i);
    }
    assert_near(missed, 0.3382, 2e-4);
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.ep = 8;
    each = time_of(&in).ep_s;
    in.profile.expert_copies = BP_EXPERT_COPIES_MERGED;
    assert_near(time_of(&in).ep_s, (1 - missed) * each, 1e-9);
    in = spread(moe_model(), 1, 1, 256, 256, 4096);
    make_ideal(&in);
    in.network.domain = in.plan.ep = 256;
    in.network.scaleup.bw_bytes_s = 450e9;
    each = time_of(&in).ep_s;
    in.profile.expert_copies = BP_EXPERT_COPIES_MERGED;
    assert_near(time_of(&in).ep_s, each, 1e-9);
}

/* Gathered, a token goes to all ranks: with eight of them as often as to each of eight experts, with four half as often. */
static void test_gathered_tokens(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    double each;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.ep = 8;
    each = time_of(&in).ep_s;
    in.profile.expert_copies = BP_EXPERT_COPIES_ALL;
    assert_near(time_of(&in).ep_s, each, 1e-9);
    in.plan.ep = 4;
    assert_near(time_of(&in).ep_s, 0.5 * (0.75 / 0.875) * each, 1e-9);
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
    dense = 2 * 0.875 * 4 * ((double)r.model.params.total_params - expert) / 450e9;
    in.plan.ep = 8;
    assert_near(time_of(&in).dp_s, dense, 1e-9);
    in.plan.ep = 4;
    assert_near(time_of(&in).dp_s, dense + 2 * 0.5 * 4 * expert / 4 / 450e9, 1e-9);
}

/* 61 mixers, 3 dense layers and 58 groups of shared experts synchronise, both ways; routed ones do not. */
static void test_moe_tensor_parallel(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 8, 1, 1, 1, 4096);
    const double one = 2 * 0.875 * 4096.0 * 7168 * 2 / 450e9;
    (void)state;
    make_ideal(&in);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.plan.ep = 8;
    assert_near(time_of(&in).tp_s, 2 * 122 * one, 1e-9);
    in.model.shared_experts = 0;
    assert_near(time_of(&in).tp_s, 2 * 64 * one, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_parallel),
        cmocka_unit_test(test_replicas),
        cmocka_unit_test(test_replicas_of_shards),
        cmocka_unit_test(test_narrow_shard_sums),
        cmocka_unit_test(test_hidden_data_traffic),
        cmocka_unit_test(test_interleaved_window),
        cmocka_unit_test(test_gathered_weights),
        cmocka_unit_test(test_buckets_of_gradients),
        cmocka_unit_test(test_gathers_of_a_layer),
        cmocka_unit_test(test_tensor_parallel),
        cmocka_unit_test(test_tensor_parallel_beside_weights),
        cmocka_unit_test(test_tensor_parallel_of_forward),
        cmocka_unit_test(test_sends),
        cmocka_unit_test(test_rank_order),
        cmocka_unit_test(test_windows_over_context_ranks),
        cmocka_unit_test(test_rank_order_of_one_block),
        cmocka_unit_test(test_context_parallel),
        cmocka_unit_test(test_repeated_keys),
        cmocka_unit_test(test_dealt_heads),
        cmocka_unit_test(test_expert_parallel),
        cmocka_unit_test(test_expert_overlap),
        cmocka_unit_test(test_expert_overlap_beside_gathers),
        cmocka_unit_test(test_routing_by_groups),
        cmocka_unit_test(test_merged_copies),
        cmocka_unit_test(test_gathered_tokens),
        cmocka_unit_test(test_expert_tensor_parallel),
        cmocka_unit_test(test_expert_gradients),
        cmocka_unit_test(test_moe_tensor_parallel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
