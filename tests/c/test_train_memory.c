/* Memory of the fullest stage: states by ZeRO stage, pipelines, experts, logits, overhead. */
#include "cases.h"

static struct bp_train_memory memory_of(const struct bp_train_step_in *in) {
    struct ready_case r;
    struct bp_train_memory out;
    struct bp_error err = {0};
    assert_int_equal(bp_train_memory(make_ready(&r, in), &out, &err), BP_OK);
    return out;
}

static double states(const struct bp_train_memory *m) {
    return (double)(m->weights_bytes + m->gradients_bytes + m->optimizer_bytes);
}

/* 70,553,706,496 parameters at 2 + 2 + 12: 141.1 + 141.1 + 846.6 GB, the 1.12 TB of "70B". */
static void test_sixteen_bytes(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    struct bp_train_memory m;
    const double n = 70553706496.0;
    (void)state;
    in.plan.grad_bytes = 2;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * n, 1e-11);
    assert_near((double)m.gradients_bytes, 2 * n, 1e-11);
    assert_near((double)m.optimizer_bytes, 12 * n, 1e-11);
    assert_near(states(&m), 1.12e12, 0.01);
    in.plan.grad_bytes = 4;
    m = memory_of(&in);
    assert_near(states(&m), 18 * n, 1e-11);
    in.plan.precision = BP_PRECISION_FP32; /* the weights are the master copy: 4 + 4 + 8 */
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 4 * n, 1e-11);
    assert_near((double)m.optimizer_bytes, 8 * n, 1e-11);
}

/* Llama 13B (arXiv:2302.13971, table 2): 13,015,864,320 parameters. */
static struct bp_model llama_13b(void) {
    struct bp_model m = llama_model();
    m.layers = 40;
    m.hidden = 5120;
    m.heads = m.kv_heads = 40;
    m.ffn_hidden = 13824;
    m.vocab = 32000;
    return m;
}

/* TP 4 and ZeRO-3 over 32 devices: 16 * 13.0e9 / 32 = 0.81 + 0.81 + 4.88 = 6.5 GB each. */
static void test_13b_on_32(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 4, 1, 8, 8, 4096);
    struct bp_train_memory m;
    const double n = 13015864320.0;
    (void)state;
    in.plan.zero = 3;
    in.plan.grad_bytes = 2;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * n / 32, 1e-8);
    assert_near((double)m.gradients_bytes, 2 * n / 32, 1e-8);
    assert_near((double)m.optimizer_bytes, 12 * n / 32, 1e-8);
    assert_near(states(&m), 6.5e9, 0.002);
}

/* Which of 2 + 4 + 12 bytes each stage divides by eight data ranks. */
static void test_zero_stages(void **state) {
    static const double divided[4][3] = {{1, 1, 1}, {1, 1, 8}, {1, 8, 8}, {8, 8, 8}};
    const double n = 13015864320.0 / 4;
    int zero;
    (void)state;
    for (zero = 0; zero <= 3; zero++) {
        struct bp_train_step_in in = spread(llama_13b(), 4, 1, 8, 8, 4096);
        struct bp_train_memory m;
        in.plan.zero = zero;
        m = memory_of(&in);
        assert_near((double)m.weights_bytes, 2 * n / divided[zero][0], 1e-8);
        assert_near((double)m.gradients_bytes, 4 * n / divided[zero][1], 1e-8);
        assert_near((double)m.optimizer_bytes, 12 * n / divided[zero][2], 1e-8);
    }
}

/* A pipeline accumulates over its micro-batches in flight: ZeRO-2 keeps whole gradients there. */
static void test_zero2_in_a_pipeline(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 2, 8, 64, 1);
    struct bp_train_memory one, two;
    (void)state;
    in.plan.zero = 1;
    one = memory_of(&in);
    in.plan.zero = 2;
    two = memory_of(&in);
    assert_int_equal(two.gradients_bytes, one.gradients_bytes);
    in.plan.zero = 3;
    assert_near((double)memory_of(&in).gradients_bytes, (double)one.gradients_bytes / 8, 1e-8);
}

/* Four shards of eight ranks: HSDP divides by four. Context-parallel ranks shard like data ranks. */
static void test_who_shards(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 8, 8, 4096);
    struct bp_train_memory m;
    const double n = 13015864320.0;
    (void)state;
    in.plan.zero = 3;
    in.plan.shard = 4;
    m = memory_of(&in);
    assert_near(states(&m), 18 * n / 4, 1e-8);
    in.plan.shard = 0;
    in.plan.dp = 2;
    in.plan.cp = 4;
    m = memory_of(&in);
    assert_near(states(&m), 18 * n / 8, 1e-8);
}

/*
** The layer in use and the next one, and one layer's gradients: (2*2 + 4) * 317,209,600; embedding and
** head as 16 bit: 2 * 2 * 32000*5120.
*/
static void test_gathered_layers(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 8, 8, 4096);
    const double layer = 4.0 * 5120 * 5120 + 3.0 * 5120 * 13824 + 2 * 5120;
    const double ends = 2 * 2 * 32000.0 * 5120;
    (void)state;
    in.plan.zero = 2;
    assert_int_equal(memory_of(&in).working_bytes, 0);
    in.plan.zero = 3;
    assert_near((double)memory_of(&in).working_bytes, 8 * layer + ends, 1e-4);
    in.plan.shard = 1; /* nothing to gather */
    assert_int_equal(memory_of(&in).working_bytes, 0);
}

/*
** Llama 70B over 4 stages of 20 layers, TP 8: stage 0 holds 20/80 of the layers and the embedding,
** 128256*8192, the last one the head of the same size.
*/
static void test_pipeline_stage(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 8, 4, 1, 32, 4096);
    const double table = 128256.0 * 8192, layers = 70553706496.0 - 2 * table;
    struct bp_train_memory m = memory_of(&in);
    (void)state;
    assert_int_equal(m.stage, 0);
    assert_int_equal(m.in_flight, 4);
    assert_near((double)m.weights_bytes, 2 * (layers / 4 + table) / 8, 1e-12);
    assert_near((double)m.activations_bytes, 4 * 20 * 4096 * 274688.0 / 8, 1e-12);
    assert_int_equal(m.logits_bytes, 0);
    assert_near((double)m.working_bytes, 4096 * 2 * (8192 + 2 * 28672.0) / 8, 1e-12);
    in.job.global_batch = 2; /* fewer micro-batches than stages */
    m = memory_of(&in);
    assert_int_equal(m.in_flight, 2);
    assert_near((double)m.activations_bytes, 2 * 20 * 4096 * 274688.0 / 8, 1e-12);
}

/*
** Full recomputation leaves so little in flight that the logits decide: 4096*128256*16/8 bytes, which are gone when
** the backward of the layers begins. Logits that the training loop holds are there then, too.
*/
static void test_last_stage_fullest(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 8, 4, 1, 32, 4096);
    struct bp_train_memory m;
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.profile.logit_bytes = 16;
    m = memory_of(&in);
    assert_int_equal(m.stage, 3);
    assert_int_equal(m.in_flight, 1);
    assert_near((double)m.logits_bytes, 4096 * 128256.0 * 16 / 8, 1e-12);
    assert_near((double)m.activations_bytes, 20 * 4096 * 2 * 8192.0 / 8, 1e-12);
    assert_int_equal(m.working_bytes, 0);
    assert_int_equal(m.above_loss_bytes, 0);
    in.profile.logit_bytes = in.profile.held_logit_bytes = 15;
    m = memory_of(&in);
    assert_int_equal(m.above_loss_bytes, m.working_bytes);
    assert_int_equal(m.loss_bytes, m.logits_bytes);
    assert_near((double)m.logits_bytes, 4096 * 128256.0 * 15 / 8, 1e-12);
    assert_near((double)m.working_bytes,
                4096 * (274688 - 2 * 8192.0 + 2 * (8192 + 2 * 28672.0)) / 8, 1e-12);
}

/* 82 layers over 4 stages are 20, 21, 21, 20: with next to no activations the second is fullest. */
static void test_second_stage_fullest(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 4, 1, 4, 1);
    struct bp_train_memory m;
    (void)state;
    in.model.layers = 82;
    in.model.vocab = 1000;
    m = memory_of(&in);
    assert_int_equal(m.stage, 1);
    assert_int_equal(m.in_flight, 3);
    assert_near((double)m.weights_bytes, 2 * 21 * (855638016 + 2 * 8192.0), 1e-6);
}

/* Tied matrices are stored once on one stage, and on both ends of a pipeline. */
static void test_tied_embeddings(void **state) {
    struct bp_train_step_in in = spread(gpt_model(), 1, 1, 1, 4, 1);
    const double table = 51200.0 * 12288;
    double tied, untied;
    struct bp_train_memory m = memory_of(&in);
    (void)state;
    tied = states(&m);
    in.model.tied_embeddings = 0;
    m = memory_of(&in);
    untied = states(&m);
    assert_near(untied - tied, 18 * table, 1e-9);
    in = spread(gpt_model(), 1, 2, 1, 1, 1);
    m = memory_of(&in);
    assert_int_equal(m.stage, 1); /* as many layers and the same table, and the logits */
    tied = states(&m);
    in.model.tied_embeddings = 0;
    m = memory_of(&in);
    assert_near(tied, states(&m), 0);
}

/*
** DeepSeek-V3 on tp 2, dp 8, experts over all 16 ranks: 58*256*3*7168*2048 expert parameters / 16,
** held by that rank alone; the other 17.3e9 / 2 are shared by eight.
*/
static void test_experts(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 2, 1, 8, 8, 4096);
    const double expert = 58 * 256 * 3 * 7168.0 * 2048;
    struct ready_case r;
    struct bp_train_memory m;
    double dense;
    (void)state;
    in.plan.ep = 16;
    make_ready(&r, &in);
    dense = (double)r.model.params.total_params - expert;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * (dense / 2 + expert / 16), 1e-11);
    assert_near((double)m.optimizer_bytes, 12 * (dense / 16 + expert / 16), 1e-11);
    in.plan.ep = 4; /* four ranks have the same experts: their optimizer is shared by four */
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * (dense / 2 + expert / 4), 1e-11);
    assert_near((double)m.optimizer_bytes, 12 * (dense / 16 + expert / 16), 1e-11);
    in.plan.etp = 2; /* 4 * 2 ranks for one set of experts, two sets */
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * (dense / 2 + expert / 8), 1e-11);
    assert_near((double)m.optimizer_bytes, 12 * (dense / 16 + expert / 16), 1e-11);
}

/* A prediction layer is one more layer with logits of its own. */
static void test_prediction_layer(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    struct bp_train_memory without = memory_of(&in), with;
    const double layer = 855638016.0 + 2 * 8192;
    (void)state;
    in.model.mtp_layers = 1;
    with = memory_of(&in);
    assert_near(states(&with) - states(&without), 18 * layer, 1e-6);
    assert_near((double)with.logits_bytes, 2 * (double)without.logits_bytes, 1e-9);
    assert_near((double)with.activations_bytes, 81.0 / 80 * (double)without.activations_bytes,
                1e-9);
}

/* Where ranks share states, in FSDP gradients, collectives hold memory in streams of their own. */
static void test_sharded_fragmentation(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 8, 8, 4096);
    int64_t alone, shared;
    (void)state;
    in.device.memory_bytes = (int64_t)8e12; /* room for all that is cached */
    in.profile.fragmentation = 1.1;
    in.profile.zero_stages = BP_ZERO_STAGES_FSDP;
    in.plan.zero = 1;
    in.profile.sharded_fragmentation = 1.4;
    alone = memory_of(&in).overhead_bytes;
    in.profile.sharded_fragmentation = 0;
    assert_int_equal(memory_of(&in).overhead_bytes, alone);
    in.profile.zero_stages = BP_ZERO_STAGES_ALL;
    alone = memory_of(&in).overhead_bytes - (int64_t)in.profile.context_bytes;
    in.profile.sharded_fragmentation = 1.4;
    shared = memory_of(&in).overhead_bytes - (int64_t)in.profile.context_bytes;
    assert_near((double)shared, 4.0 * (double)alone, 1e-6);
}

/*
** Beside frozen weights that no rank shares, such collectives touch the shards of adapters alone: of moments, and from
** ZeRO 2 on of gradients. A higher stage needs no more. Gathered weights are touched with all there is.
*/
static void test_sharded_fragmentation_of_adapters(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 8, 8, 4096);
    int64_t before = INT64_MAX, zero;
    (void)state;
    in.device.memory_bytes = (int64_t)8e12; /* room for all that is cached */
    in.profile.context_bytes = 0;
    in.profile.fragmentation = 1.1;
    in.profile.sharded_fragmentation = 1.4;
    in.profile.zero_stages = BP_ZERO_STAGES_ALL;
    in.plan.lora_rank = 8;
    for (zero = 0; zero <= 3; zero++) {
        struct bp_train_memory m;
        double shards, allocated;
        in.plan.zero = zero;
        m = memory_of(&in);
        allocated = (double)(m.total_bytes - m.overhead_bytes);
        shards = zero < 1   ? 0
                 : zero < 2 ? (double)m.optimizer_bytes
                 : zero < 3 ? (double)(m.optimizer_bytes + m.gradients_bytes)
                            : allocated;
        assert_near((double)m.overhead_bytes, 0.4 * shards + 0.1 * (allocated - shards), 1e-6);
        assert_true(m.total_bytes < before);
        before = m.total_bytes;
    }
}

/*
** Softmax in fp32 and its 16-bit copy, 6 bytes, and 11 beside them of each of 40 heads' scores; of one layer, whatever is
** recomputed. Fused attention has none.
*/
static void test_scores(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 1, 1, 2048);
    const double scores = 40 * 2048.0 * 2048;
    (void)state;
    in.profile.score_bytes = 11;
    assert_int_equal(memory_of(&in).scores_bytes, 0);
    in.plan.flash = 0;
    assert_near((double)memory_of(&in).scores_bytes, (6 + 11) * scores, 1e-9);
    in.plan.recompute = BP_RECOMPUTE_FULL;
    assert_near((double)memory_of(&in).scores_bytes, (6 + 11) * scores, 1e-9);
}

/*
** Of a step of one micro-batch of 16,384 tokens on one device, whose update leaves no gradients: none at the loss (100
** bytes a logit), those of head and last layer in the backward of the latter, all at the end. From a second micro-batch
** on, and where they are not freed, all of them are always there.
*/
static void test_new_gradients(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 1, 1, 16384);
    const double n = 13015864320.0, table = 32000.0 * 5120, layer = 317204480.0;
    struct bp_train_memory m;
    (void)state;
    in.plan.grad_bytes = 2;
    in.profile.gradients_freed = 1;
    in.profile.logit_bytes = 100;
    m = memory_of(&in);
    assert_int_equal(m.gradients_bytes, 0);
    assert_near((double)m.logits_bytes, 16384 * 32000.0 * 100, 1e-12);
    in.job.global_batch = 2;
    assert_near((double)memory_of(&in).gradients_bytes, 2 * n, 1e-9);
    in.job.global_batch = 1;
    in.profile.logit_bytes = 0;
    m = memory_of(&in);
    assert_near((double)m.gradients_bytes, 2 * (table + layer), 1e-6);
    assert_true(m.activations_bytes > 0);
    in.job.seq_len = 16;
    m = memory_of(&in);
    assert_near((double)m.gradients_bytes, 2 * n, 1e-9);
    assert_int_equal(m.activations_bytes, 0);
    in.profile.gradients_freed = 0;
    assert_true(memory_of(&in).activations_bytes > 0);
    in.profile.gradients_freed = 1;
    in.model.tied_embeddings = 1; /* the embedding's is added to the head's: both are there */
    assert_near((double)memory_of(&in).gradients_bytes, 2 * (n - table) + 2 * table, 1e-9);
}

/* A loss of as many logits at a time as half of the room holds; where there is no room, of next to none. */
static void test_loss_in_room(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 1, 1, 16384);
    struct bp_train_memory whole, m;
    double rest;
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.plan.lora_rank = 16;
    in.profile.logit_bytes = 100;
    in.profile.fragmentation = 1.01;
    in.device.memory_bytes = 1000000000000;
    whole = memory_of(&in);
    in.profile.loss_in_room = 1;
    assert_int_equal(memory_of(&in).total_bytes, whole.total_bytes);
    rest = states(&whole) + (double)whole.activations_bytes;
    in.device.memory_bytes = (int64_t)(in.profile.context_bytes + 1.01 * (rest + 40e9));
    m = memory_of(&in);
    assert_near((double)m.loss_bytes, 20e9, 1e-6);
    assert_near((double)(m.capacity_bytes - m.total_bytes), 1.01 * 20e9, 1e-6);
    in.device.memory_bytes = (int64_t)(in.profile.context_bytes + 0.5 * rest);
    assert_int_equal(memory_of(&in).loss_bytes, 0);
}

/*
** A loss of eight parts of the logits: two bytes of each, four of a part; and the head's gradient, of a part and the sum.
** Each matrix is updated when its gradient is there, so that no more than those of both ends exist.
*/
static void test_loss_in_parts(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 1, 1, 4096);
    const double table = 1e6 * 5120;
    struct bp_train_memory m;
    (void)state;
    in.model.vocab = 1000000;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.plan.cross_entropy = BP_CROSS_ENTROPY_FUSED;
    in.plan.grad_bytes = 2;
    in.plan.update_in_backward = 1;
    in.profile.gradients_freed = 1;
    in.profile.loss_chunks = 8;
    m = memory_of(&in);
    assert_near((double)m.logits_bytes, 4096e6 * (2 + 4.0 / 8), 1e-12);
    assert_near((double)m.gradients_bytes, 2 * 2 * table, 1e-12);
    in.profile.loss_chunks = 0; /* in place */
    m = memory_of(&in);
    assert_near((double)m.loss_bytes, 4096e6 * 2, 1e-12);
}

/* A bucket of gradients from ZeRO 2 on, in 16 bit. */
static void test_bucket(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 8, 8, 512);
    int64_t without, zero;
    (void)state;
    for (zero = 0; zero < 4; zero++) {
        in.plan.zero = zero;
        in.profile.bucket_params = 0;
        without = memory_of(&in).working_bytes;
        in.profile.bucket_params = 1e9;
        assert_int_equal(memory_of(&in).working_bytes - without, zero < 2 ? 0 : 2000000000);
    }
}

/* Weights that come from the host leave as much to the allocator as those of other ranks do. */
static void test_streamed_fragmentation(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 1, 1, 512);
    struct bp_train_memory m;
    (void)state;
    in.plan.zero = 3;
    in.profile.fragmentation = 1.01;
    in.profile.sharded_fragmentation = 1.08;
    in.profile.context_bytes = 0;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_WEIGHTS;
    m = memory_of(&in);
    assert_near((double)m.overhead_bytes, 0.08 * (double)(m.total_bytes - m.overhead_bytes), 1e-6);
    in.plan.offload = BP_OFFLOAD_OPTIMIZER;
    m = memory_of(&in);
    assert_near((double)m.overhead_bytes, 0.01 * (double)(m.total_bytes - m.overhead_bytes), 1e-6);
}

/* A class head looks at one row per image: 64 * 1000 logits, not 64 * 197 * 1000. */
static void test_class_head(void **state) {
    struct bp_train_step_in in = spread(vit_model(), 1, 1, 1, 64, 197);
    (void)state;
    in.plan.micro_batch = 64;
    in.profile.logit_bytes = 10;
    assert_int_equal(memory_of(&in).loss_bytes, 640000);
}

/* Both directions' weights and gradients; p + 1 micro-batches in flight (arXiv:2412.19437, table 2). */
static void test_dualpipe(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 8, 4, 1, 32, 4096);
    struct bp_train_memory one = memory_of(&in), two;
    (void)state;
    in.plan.schedule = BP_SCHEDULE_DUALPIPE;
    two = memory_of(&in);
    assert_near((double)two.weights_bytes, 2.0 * (double)one.weights_bytes, 1e-9);
    assert_near((double)two.gradients_bytes, 2.0 * (double)one.gradients_bytes, 1e-9);
    assert_int_equal(two.optimizer_bytes, one.optimizer_bytes);
    assert_int_equal(two.in_flight, 5);
    in = spread(llama_model(), 8, 1, 1, 32, 4096);
    one = memory_of(&in);
    in.plan.schedule = BP_SCHEDULE_DUALPIPE; /* says nothing without a pipeline */
    assert_int_equal(memory_of(&in).total_bytes, one.total_bytes);
}

static void test_overhead(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 8, 1, 1, 1, 4096);
    struct bp_train_memory plain, m;
    (void)state;
    in.profile.context_bytes = 0;
    in.profile.fragmentation = 1;
    plain = memory_of(&in);
    assert_int_equal(plain.overhead_bytes, 0);
    in.profile.context_bytes = 2e9;
    in.profile.fragmentation = 1.1;
    m = memory_of(&in);
    assert_near((double)m.overhead_bytes, 2e9 + 0.1 * (double)plain.total_bytes, 1e-9);
    assert_int_equal(m.total_bytes, plain.total_bytes + m.overhead_bytes);
}

/* What an allocator caches beyond 8.4 % fills the device at most; a plan that needs more needs all of it. */
static void test_cached_overhead(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 8, 1, 1, 1, 4096);
    double plain, kept;
    (void)state;
    in.profile.context_bytes = 0;
    in.profile.fragmentation = 1;
    plain = (double)memory_of(&in).total_bytes;
    in.profile.fragmentation = 1.5;
    in.device.memory_bytes = (int64_t)(2 * plain);
    assert_near((double)memory_of(&in).total_bytes, 1.5 * plain, 1e-9);
    in.device.memory_bytes = (int64_t)(1.2 * plain);
    assert_near((double)memory_of(&in).total_bytes, 1.2 * plain, 1e-9);
    in.device.memory_bytes = (int64_t)(0.9 * plain);
    kept = (double)memory_of(&in).total_bytes;
    assert_near(kept, 1.084 * plain, 1e-9);
}

/*
** ln(total / capacity) against a normal distribution: one deviation of room is 84.13 %. Below the total the states stay:
** half of the rest is ln 2 of its deviations, and none of it no chance.
*/
static void test_fit_probability(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 8, 1, 1, 1, 4096);
    struct bp_train_memory memory = memory_of(&in);
    double total = (double)memory.total_bytes;
    double known = (double)(memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes);
    double half;
    (void)state;
    in.profile.memory_spread = 0.1;
    in.device.memory_bytes = (int64_t)total;
    assert_near(memory_of(&in).fit_probability, 0.5, 1e-6);
    in.device.memory_bytes = (int64_t)(total * exp(0.1));
    assert_near(memory_of(&in).fit_probability, 0.841344746, 1e-6);
    in.profile.context_bytes = 0;
    in.profile.fragmentation = 1;
    total = (double)memory_of(&in).total_bytes;
    half = log(0.5) * (total - known) / (0.1 * total);
    in.device.memory_bytes = (int64_t)(0.5 * (known + total));
    assert_near(memory_of(&in).fit_probability, 0.5 * erfc(-half / sqrt(2.0)), 1e-6);
    in.device.memory_bytes = (int64_t)known;
    assert_near(memory_of(&in).fit_probability, 0, 0);
    in.profile.memory_spread = 0;
    in.device.memory_bytes = (int64_t)total - 1;
    assert_near(memory_of(&in).fit_probability, 0, 0);
    in.device.memory_bytes = (int64_t)total + 1;
    assert_near(memory_of(&in).fit_probability, 1, 0);
}

/*
** Gradients that are new grow from none at the loss to all at the end of the backward. With long sequences the peak is
** where there are few of them, and the device still has to hold all of them with weights and moments: 18 bytes of each of
** the weights.
*/
static void test_counted_away_from_the_peak(void **state) {
    struct bp_train_step_in in = spread(llama_13b(), 1, 1, 1, 1, 1);
    struct bp_train_memory shorter, longer;
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.profile.gradients_freed = 1;
    in.profile.memory_spread = 0.1;
    shorter = memory_of(&in);
    in.job.seq_len = 1 << 18;
    longer = memory_of(&in);
    assert_true(longer.gradients_bytes < shorter.gradients_bytes / 2);
    assert_int_equal(longer.counted_bytes, shorter.counted_bytes);
    assert_near((double)longer.counted_bytes, 9 * (double)longer.weights_bytes, 1e-9);
    in.device.memory_bytes = longer.counted_bytes;
    assert_near(memory_of(&in).fit_probability, 0, 0);
    assert_int_equal(bp_memory_over(&longer, longer.total_bytes),
                     longer.counted_bytes - longer.capacity_bytes);
    in.device.memory_bytes += (longer.total_bytes - longer.counted_bytes) / 2;
    assert_true(memory_of(&in).fit_probability > 0);
}

/* What only ever needs more, and what only ever needs less, whatever the rest of the plan. */
static void check_order(const struct bp_train_step_in *in) {
    struct bp_train_step_in other = *in;
    struct bp_train_memory m = memory_of(in), o;
    other.plan.micro_batch = 2 * in->plan.micro_batch;
    other.job.global_batch = 2 * in->job.global_batch;
    assert_true(memory_of(&other).total_bytes > m.total_bytes);
    other = *in;
    other.plan.recompute = BP_RECOMPUTE_FULL;
    o = memory_of(&other);
    assert_true(o.activations_bytes < m.activations_bytes);
    assert_true(o.total_bytes <= m.total_bytes);
    other.plan.recompute_share = 0.5;
    assert_true(memory_of(&other).activations_bytes > o.activations_bytes);
    other = *in;
    other.plan.recompute_norms = other.plan.recompute_activation = 1;
    assert_true(memory_of(&other).total_bytes < m.total_bytes);
    other = *in;
    other.plan.zero = 0;
    assert_true(memory_of(&other).total_bytes >= m.total_bytes);
    other = *in;
    other.plan.offload = BP_OFFLOAD_OPTIMIZER;
    assert_true(memory_of(&other).total_bytes < m.total_bytes);
    other = *in;
    other.plan.lora_rank = 8;
    assert_true(memory_of(&other).total_bytes < m.total_bytes);
}

static void test_order(void **state) {
    static const enum bp_precision formats[] = {BP_PRECISION_BF16, BP_PRECISION_FP8,
                                                BP_PRECISION_NVFP4};
    int64_t tp, pp, zero;
    size_t format, moe;
    (void)state;
    for (tp = 1; tp <= 8; tp *= 2) {
        for (pp = 1; pp <= 4; pp *= 2) {
            for (zero = 0; zero <= 2; zero++) {
                for (format = 0; format < 3; format++) {
                    for (moe = 0; moe <= 1; moe++) {
                        struct bp_train_step_in in =
                            spread(moe ? moe_model() : llama_13b(), tp, pp, 8, 64, 4096);
                        in.plan.ep = moe ? 8 : 1;
                        in.plan.zero = zero;
                        in.plan.precision = formats[format];
                        check_order(&in);
                    }
                }
            }
        }
    }
}

static void test_too_large_to_count(void **state) {
    struct bp_train_step_in in = spread(gpt_model(), 1, 1, 1, 1000000, 1000000000);
    struct bp_train_memory out;
    struct bp_error err = {0};
    struct ready_case r;
    (void)state;
    in.plan.micro_batch = 1000000;
    assert_int_equal(bp_train_memory(make_ready(&r, &in), &out, &err), BP_EOVERFLOW);
    assert_string_equal(err.field, "plan");
    assert_string_equal(err.text, "needs more bytes than can be counted");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sixteen_bytes),
        cmocka_unit_test(test_13b_on_32),
        cmocka_unit_test(test_zero_stages),
        cmocka_unit_test(test_zero2_in_a_pipeline),
        cmocka_unit_test(test_who_shards),
        cmocka_unit_test(test_gathered_layers),
        cmocka_unit_test(test_pipeline_stage),
        cmocka_unit_test(test_last_stage_fullest),
        cmocka_unit_test(test_second_stage_fullest),
        cmocka_unit_test(test_tied_embeddings),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_prediction_layer),
        cmocka_unit_test(test_class_head),
        cmocka_unit_test(test_sharded_fragmentation),
        cmocka_unit_test(test_sharded_fragmentation_of_adapters),
        cmocka_unit_test(test_dualpipe),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_new_gradients),
        cmocka_unit_test(test_loss_in_room),
        cmocka_unit_test(test_loss_in_parts),
        cmocka_unit_test(test_bucket),
        cmocka_unit_test(test_streamed_fragmentation),
        cmocka_unit_test(test_overhead),
        cmocka_unit_test(test_cached_overhead),
        cmocka_unit_test(test_fit_probability),
        cmocka_unit_test(test_counted_away_from_the_peak),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_too_large_to_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
