/* What each optimizer, format, adapter and kind of stage keeps, by hand. */
#include "cases.h"
#include "kernel/count/adapters.h"

static struct bp_train_memory memory_of(const struct bp_train_step_in *in) {
    struct ready_case r;
    struct bp_train_memory out;
    struct bp_error err = {0};
    assert_int_equal(bp_train_memory(make_ready(&r, in), &out, &err), BP_OK);
    return out;
}

/* Llama 13B (arXiv:2302.13971, table 2) on one device. */
static struct bp_train_step_in one_device(void) {
    struct bp_model m = llama_model();
    m.layers = 40;
    m.hidden = 5120;
    m.heads = m.kv_heads = 40;
    m.ffn_hidden = 13824;
    m.vocab = 32000;
    return spread(m, 1, 1, 1, 8, 4096);
}

static const double ALL = 13015864320.0;
static const double ENDS = 2 * 32000.0 * 5120;

static void test_optimizers(void **state) {
    static const struct {
        enum bp_optimizer optimizer;
        double matrices, ends; /* bytes per parameter, without the master copy */
    } table[] = {
        {BP_OPTIMIZER_ADAM, 8, 8},
        {BP_OPTIMIZER_ADAM_BF16, 4, 4},
        {BP_OPTIMIZER_MUON, 4, 8},
        {BP_OPTIMIZER_LION, 4, 4},
        {BP_OPTIMIZER_MOMENTUM, 4, 4},
        {BP_OPTIMIZER_SGD, 0, 0},
        {BP_OPTIMIZER_ADAM_8BIT, 2.00390625, 2.00390625},
        {BP_OPTIMIZER_PAGED_ADAM_8BIT, 0, 0},           /* in pages of the host */
        {BP_OPTIMIZER_ADAFACTOR, 0.0015625, 0.0015625}, /* 4 * (5120 + 5120) / 5120^2 */
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        struct bp_train_step_in in = one_device();
        double moments = table[i].matrices * (ALL - ENDS) + table[i].ends * ENDS;
        in.plan.optimizer = table[i].optimizer;
        assert_near((double)memory_of(&in).optimizer_bytes, moments + 4 * ALL, 1e-9);
        in.plan.master_bytes = 0;
        assert_near((double)memory_of(&in).optimizer_bytes, moments, 1e-7);
    }
}

/*
** The host takes the optimizer, and from ZeRO 2 on the gradients, too; with the weights, two layers and the
** ends pass through.
*/
static void test_offload(void **state) {
    struct bp_train_step_in in = one_device();
    const double layer = (ALL - ENDS - 5120) / 40;
    struct bp_train_memory m;
    int64_t plain;
    (void)state;
    in.profile.working_grad_bytes = 0;
    plain = memory_of(&in).gradients_bytes;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * ALL, 1e-11);
    assert_int_equal(m.gradients_bytes, plain);
    assert_int_equal(m.optimizer_bytes, 0);
    in.plan.zero = 2;
    m = memory_of(&in);
    assert_int_equal(m.gradients_bytes, 0);
    assert_int_equal(m.optimizer_bytes, 0);
    in.plan.zero = 0;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_WEIGHTS;
    m = memory_of(&in);
    assert_int_equal(m.weights_bytes, 0);
    assert_near((double)m.working_bytes, 2 * (2 * layer + ENDS), 1e-5);
}

/* Per parameter: 2 + 2 bytes of gradient and weight, and 30 of the host's Adam, at 10 GB/s. */
static void test_offload_takes_time(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_step_out plain, offloaded;
    double streamed;
    (void)state;
    make_ideal(&in);
    in.profile.common.host_link = 0.5;
    in.device.host_bytes_s = 2e10;
    in.device.mem_bw_bytes_s = 3e12;
    in.device.memory_bytes = 1000000000000;
    plain = estimate(&in);
    in.plan.offload = BP_OFFLOAD_OPTIMIZER; /* the device updates nothing itself */
    offloaded = estimate(&in);
    assert_near(offloaded.time.offload_s, 34 * ALL / 1e10, 1e-9);
    assert_near(plain.time.optimizer_s - offloaded.time.optimizer_s, 30 * ALL / 3e12, 1e-9);
    assert_near(plain.time.offload_s, 0, 0);
    assert_int_equal(offloaded.time.bound, BP_BOUND_OFFLOAD);
    /* weights: two bytes, twice in each of 8 micro-batches; gradients: 7 times, less what backward hides */
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_WEIGHTS;
    streamed = estimate(&in).time.offload_s - offloaded.time.offload_s;
    assert_true(streamed > 2 * 8 * 2 * ALL / 1e10);
    assert_true(streamed < (2 * 8 * 2 + 7 * 2) * ALL / 1e10);
}

/* One device, one micro-batch: the gradients of a layer or of the ends, whichever is larger. */
static void test_update_in_backward(void **state) {
    struct bp_train_step_in in = one_device();
    const double layer = (ALL - ENDS - 5120) / 40;
    struct bp_train_memory plain, m;
    (void)state;
    plain = memory_of(&in);
    in.plan.update_in_backward = 1;
    in.job.global_batch = in.plan.micro_batch; /* one micro-batch */
    m = memory_of(&in);
    assert_true(layer < ENDS);
    assert_near((double)m.gradients_bytes, (double)in.plan.grad_bytes * ENDS, 1e-9);
    assert_int_equal(m.optimizer_bytes, plain.optimizer_bytes);
    assert_true(m.total_bytes < plain.total_bytes);
}

/*
** Two bytes of every gradient cross the link after each of 8 micro-batches; the last waits for nothing, the
** others run beside the next backward pass, which is faster here than the link.
*/
static void test_gradients_that_add_up_on_the_host(void **state) {
    struct bp_train_step_in in = one_device();
    double once, every, slow_link;
    (void)state;
    make_ideal(&in);
    in.profile.common.host_link = 0.5;
    in.device.host_bytes_s = 2e10;
    in.device.mem_bw_bytes_s = 3e12;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER;
    once = estimate(&in).time.offload_s;
    in.plan.zero = 2;
    every = estimate(&in).time.offload_s;
    assert_true(every >= once);
    in.device.host_bytes_s =
        2e9; /* backward is short beside it: 20 s a copy less what runs beside */
    slow_link = estimate(&in).time.offload_s;
    in.plan.zero = 0;
    once = estimate(&in).time.offload_s;
    assert_true(slow_link - once > 0);
    assert_true(slow_link - once < 7 * 2 * ALL / 1e9);
    in.device.host_bytes_s = 2e12;
    once = estimate(&in).time.offload_s;
    in.plan.zero = 2; /* copies are hidden */
    assert_near(estimate(&in).time.offload_s, once, 0);
}

/*
** On drives: the states, 12 bytes, are read and written beside the update on the host; weights are read in
** both passes of 8 micro-batches and written once. The slower of the two counts.
*/
static void test_offload_to_drives(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory host, drives;
    double on_host;
    (void)state;
    make_ideal(&in);
    in.profile.common.host_link = 0.5;
    in.device.host_bytes_s = 2e10;
    in.device.mem_bw_bytes_s = 1e24;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER;
    on_host = estimate(&in).time.offload_s;
    host = memory_of(&in);
    assert_near((double)host.host_bytes, (4 + 12) * ALL, 1e-9);
    assert_int_equal(host.nvme_bytes, 0);
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_NVME;
    drives = memory_of(&in);
    assert_int_equal(drives.total_bytes, host.total_bytes);
    assert_near((double)drives.host_bytes, 4 * ALL, 1e-9);
    assert_near((double)drives.nvme_bytes, 12 * ALL, 1e-9);
    in.profile.common.nvme_bytes_s = 1e9;
    assert_near(estimate(&in).time.offload_s, 24 * ALL / 1e9, 1e-9);
    in.profile.common.nvme_bytes_s = 1e12; /* the host takes longer */
    assert_near(estimate(&in).time.offload_s, on_host, 0);
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_WEIGHTS_NVME;
    in.profile.common.nvme_bytes_s = 1e9;
    drives = memory_of(&in);
    assert_int_equal(drives.weights_bytes, 0);
    assert_near((double)drives.nvme_bytes, 14 * ALL, 1e-9);
    assert_near(estimate(&in).time.offload_s, (24 + 2 * 8 * 2 + 2) * ALL / 1e9, 1e-9);
}

/*
** Four stages keep 4, 3, 2 and 1 micro-batches, all on their hosts: the fullest host is the first stage's,
** whatever stage is the fullest device, and a node has what its own stages have.
*/
static void test_hosts_of_stages(void **state) {
    struct bp_train_step_in in = spread(one_device().model, 1, 4, 2, 16, 4096);
    struct bp_train_memory m;
    double one;
    (void)state;
    in.plan.offload_activations = 1;
    in.profile.logit_bytes = 20;
    in.network.node_size = 8;
    m = memory_of(&in);
    one = (double)m.host_node_bytes / 20; /* two devices for each stage */
    assert_true(one > 0);
    assert_int_equal(m.stage, 3); /* the head */
    assert_near((double)m.host_bytes, 4 * one, 1e-6);
    assert_int_equal(m.nvme_node_bytes, 0);
    in.network.node_size = 4;
    assert_near((double)memory_of(&in).host_node_bytes, 14 * one, 1e-6);
    in.network.node_size = 3; /* two of the first stage, one of the second */
    assert_near((double)memory_of(&in).host_node_bytes, 11 * one, 1e-6);
    in.network.node_size = 1;
    assert_near((double)memory_of(&in).host_node_bytes, 4 * one, 1e-6);
    in.network.node_size = 64; /* no more than there are */
    assert_near((double)memory_of(&in).host_node_bytes, 20 * one, 1e-6);
    in.plan.offload_activations = 0;
    assert_int_equal(memory_of(&in).host_node_bytes, 0);
}

/* What a host has no room for does not fit, however much the device has. */
static void test_memory_of_the_host(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory m;
    int64_t need;
    (void)state;
    in.device.memory_bytes = 1000000000000;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER;
    need = memory_of(&in).host_node_bytes;
    assert_near((double)need, 16 * ALL, 1e-9);
    assert_int_equal(estimate(&in).fits, 1); /* unknown */
    in.network.host_memory_bytes = need;
    assert_int_equal(estimate(&in).fits, 1);
    in.network.host_memory_bytes = need - 1;
    m = memory_of(&in);
    assert_int_equal(bp_memory_over(&m, m.capacity_bytes), 1);
    assert_int_equal(bp_memory_over(&m, m.total_bytes - 5), 5); /* the larger of both */
    in.network.host_memory_bytes = need - 7;
    m = memory_of(&in);
    assert_int_equal(bp_memory_over(&m, m.total_bytes - 5), 7);
    assert_near(m.fit_probability, 0, 0);
    assert_int_equal(estimate(&in).fits, 0);
    assert_int_equal(estimate(&in).time.bound, BP_BOUND_MEMORY);
}

/* Rank 16 on four 5120 x 5120 and three 5120 x 13824 matrices of 40 layers. */
static const double ADAPTERS = 16 * 40 * (4 * 2 * 5120.0 + 3 * (5120.0 + 13824));

static void test_adapters(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory m;
    (void)state;
    in.plan.lora_rank = 16;
    in.profile.backward_grad_bytes = 100; /* of next to nothing */
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * ALL + 2 * ADAPTERS, 1e-11);
    assert_near((double)m.gradients_bytes, 4 * ADAPTERS, 1e-9);
    assert_near((double)m.optimizer_bytes, 12 * ADAPTERS, 1e-9);
    in.plan.base_bits = 4; /* layers in 4 bit and a byte per 64, ends stay */
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, (0.5 + 1.0 / 64) * (ALL - ENDS) + 2 * ENDS + 2 * ADAPTERS,
                1e-9);
    in.plan.base_format = BP_BASE_FORMAT_BITSANDBYTES_DYNAMIC; /* a twentieth is left in 16 bit */
    in.profile.adapters = BP_ADAPTERS_FUSED;                   /* their own master copy */
    assert_near((double)memory_of(&in).weights_bytes,
                (0.95 * (0.5 + 1.0 / 64) + 0.05 * 2) * (ALL - ENDS) + 2 * ENDS, 1e-9);
    in.profile.adapters = BP_ADAPTERS_SEPARATE;
    in.plan.base_bits = 8; /* of which nothing is left */
    assert_near((double)memory_of(&in).weights_bytes, ALL - ENDS + 2 * ENDS + 2 * ADAPTERS,
                1e-9);                         /* a scale per row is nothing */
    in.plan.base_format = BP_BASE_FORMAT_GPTQ; /* a scale of 2 bytes and a zero of 4 bits for 128 */
    assert_near((double)memory_of(&in).weights_bytes,
                (1 + 2.5 / 128) * (ALL - ENDS) + 2 * ENDS + 2 * ADAPTERS, 1e-9);
    in.plan.base_format = BP_BASE_FORMAT_BITSANDBYTES_SINGLE;
    in.plan.base_bits = 4;
    in.profile.base_ends = BP_BASE_ENDS_FP32;
    in.profile.adapters = BP_ADAPTERS_CAST; /* their own master copy */
    assert_near((double)memory_of(&in).weights_bytes, (0.5 + 1.0 / 16) * (ALL - ENDS) + 4 * ENDS,
                1e-9);
    in.plan.base_format = BP_BASE_FORMAT_GPTQ; /* whose embedding and head are left as they are */
    assert_near((double)memory_of(&in).weights_bytes, (0.5 + 2.5 / 128) * (ALL - ENDS) + 2 * ENDS,
                1e-9);
}

/*
** Four bits are searched on integer lanes: 64 a core, as A100 (108 cores, 19.5 TFLOP/s of fp32) and RTX 3090 (82, 35.6)
** both have; more fp32 of as many cores never makes fewer.
*/
static void test_integer_lanes(void **state) {
    struct bp_train_step_in in = one_device();
    double rate = 19.5e12, last, s;
    (void)state;
    in.plan.lora_rank = 16;
    in.plan.base_bits = 4;
    in.device.mem_bw_bytes_s = 1e18;
    in.device.cores = 108;
    in.device.fp32_flop_s = rate;
    last = bp_widening_s(&in.plan, &in.device);
    in.device.cores = 82;
    in.device.fp32_flop_s = 35.6e12;
    assert_near(bp_widening_s(&in.plan, &in.device), last * (19.5 / 2) / (35.6 / 4), 1e-9);
    for (in.device.cores = 108; rate < 100e12; rate *= 1.01) {
        in.device.fp32_flop_s = rate;
        s = bp_widening_s(&in.plan, &in.device);
        assert_true(s <= last);
        last = s;
    }
}

/* What lies outside the stack: frozen beside adapters, as narrow as layers or as it is in a dynamic checkpoint; else it learns. */
static void test_outside_the_stack(void **state) {
    struct bp_train_step_in in = one_device();
    const double more = 1e9;
    struct bp_train_memory bare = memory_of(&in), m;
    (void)state;
    in.model.extra_params = (int64_t)more;
    m = memory_of(&in);
    assert_near((double)(m.weights_bytes - bare.weights_bytes), 2 * more, 1e-9);
    assert_near((double)(m.optimizer_bytes - bare.optimizer_bytes), 12 * more, 1e-9);
    in.plan.lora_rank = 16;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * (ALL + more) + 2 * ADAPTERS, 1e-11);
    assert_near((double)m.optimizer_bytes, 12 * ADAPTERS, 1e-9);
    in.plan.base_bits = 4;
    assert_near((double)memory_of(&in).weights_bytes,
                (0.5 + 1.0 / 64) * (ALL - ENDS + more) + 2 * ENDS + 2 * ADAPTERS, 1e-9);
    in.plan.base_format = BP_BASE_FORMAT_BITSANDBYTES_DYNAMIC;
    assert_near((double)memory_of(&in).weights_bytes,
                (0.95 * (0.5 + 1.0 / 64) + 0.05 * 2) * (ALL - ENDS) + 2 * (ENDS + more) +
                    2 * ADAPTERS,
                1e-9);
    in.plan.base_bits = 8; /* there are dynamic checkpoints of 4 bit alone */
    assert_near((double)memory_of(&in).weights_bytes, ALL - ENDS + more + 2 * ENDS + 2 * ADAPTERS,
                1e-9);
}

/* Frozen weights of 4 bit that stream from the host: their bytes there, and as many again where it keeps gradients' places. */
static void test_host_gradients(void **state) {
    struct bp_train_step_in in = one_device();
    const double weights = (0.5 + 1.0 / 64) * (ALL - ENDS) + 2 * ENDS;
    (void)state;
    in.plan.lora_rank = 16;
    in.plan.base_bits = 4;
    in.plan.zero = 3;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_WEIGHTS;
    in.profile.adapters = BP_ADAPTERS_CAST;
    assert_near((double)memory_of(&in).host_bytes, weights + (12 + 4) * ADAPTERS, 1e-9);
    in.profile.host_gradients = 1;
    assert_near((double)memory_of(&in).host_bytes, 2 * weights + 12 * ADAPTERS, 1e-9);
}

/*
** Behind an embedding in fp32 checkpoints have 4 bytes, and a copy of the head waits in 16 bit; not where the engine
** casts the whole model, nor of GPTQ.
*/
static void test_wide_stream(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory narrow, wide;
    int64_t working;
    (void)state;
    in.plan.lora_rank = 16;
    in.plan.base_bits = 4;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.profile.base_ends = BP_BASE_ENDS_FP32;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_KEPT;
    narrow = memory_of(&in);
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    wide = memory_of(&in);
    assert_int_equal(wide.weights_bytes, narrow.weights_bytes);
    assert_int_equal(wide.activations_bytes, 2 * narrow.activations_bytes);
    assert_near((double)(wide.logits_bytes - narrow.logits_bytes),
                2 * (double)(in.model.hidden * in.model.vocab), 1e-12);
    in.profile.logit_bytes = 0; /* a layer's backward decides */
    working = memory_of(&in).working_bytes;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_KEPT;
    assert_true(working > memory_of(&in).working_bytes);
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    in.plan.base_format = BP_BASE_FORMAT_GPTQ;
    in.profile.logit_bytes = one_device().profile.logit_bytes;
    wide = memory_of(&in);
    assert_int_equal(wide.activations_bytes, narrow.activations_bytes);
    assert_int_equal(wide.logits_bytes, narrow.logits_bytes);
}

/* FSDP and ZeRO-3 flatten weights of one format alone: embedding and head stay in 16 bit. */
static void test_narrow_ends_of_shards(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory m;
    (void)state;
    in.plan.lora_rank = 16;
    in.plan.base_bits = 4;
    in.profile.base_ends = BP_BASE_ENDS_FP32;
    in.profile.adapters = BP_ADAPTERS_CAST;
    in.network.devices = in.plan.dp = 2;
    m = memory_of(&in); /* ZeRO-0: each has all, in fp32 at the ends */
    assert_near((double)m.weights_bytes, (0.5 + 1.0 / 64) * (ALL - ENDS) + 4 * ENDS, 1e-9);
    in.plan.zero = 3;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, ((0.5 + 1.0 / 64) * (ALL - ENDS) + 2 * ENDS) / 2, 1e-9);
}

/*
** Autocast keeps the 16-bit casts of fp32 weights, all but the embedding's, until backward, or the loss where layers
** are computed again; the residual stream stays in fp32. FSDP has neither.
*/
static void test_autocast(void **state) {
    struct bp_train_step_in in = one_device();
    const double casts = 2 * (ALL - ENDS / 2);
    struct bp_train_memory without, with;
    (void)state;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.profile.logit_bytes = 200;
    without = memory_of(&in);
    in.profile.autocast = 1;
    with = memory_of(&in);
    assert_near((double)(with.working_bytes - without.working_bytes), casts, 1e-6);
    assert_int_equal(with.activations_bytes, 2 * without.activations_bytes);
    in.profile.logit_bytes = 10; /* a layer's backward or the casts decide */
    in.plan.lora_rank = 16;      /* of frozen weights nothing is cast */
    with = memory_of(&in);
    in.profile.autocast = 0;
    assert_int_equal(with.total_bytes, memory_of(&in).total_bytes);
    in.plan.lora_rank = 0;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER; /* masters are away, and weights in 16 bit */
    without = memory_of(&in);
    in.profile.autocast = 1;
    assert_int_equal(memory_of(&in).total_bytes, without.total_bytes);
    in.profile.autocast = 0;
    in.plan.offload = BP_OFFLOAD_NONE;
    in.network.devices = in.plan.dp = 8;
    in.plan.zero = 3;
    without = memory_of(&in);
    in.profile.autocast = 1;
    assert_int_equal(memory_of(&in).total_bytes, without.total_bytes);
}

/* Copies of embedding and head that learn are in 16 bit: weight 2, gradient 2, moments 2 + 2, and the original. */
static void test_ends_beside_adapters(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory without, with;
    (void)state;
    in.plan.lora_rank = 16;
    in.profile.adapters = BP_ADAPTERS_CAST;
    without = memory_of(&in);
    in.plan.lora_ends = 1;
    with = memory_of(&in);
    assert_int_equal(with.weights_bytes, without.weights_bytes);
    assert_near((double)(with.gradients_bytes - without.gradients_bytes), 2 * ENDS, 1e-9);
    assert_near((double)(with.optimizer_bytes - without.optimizer_bytes), (2 + 2 + 2) * ENDS, 1e-9);
    in.plan.grad_bytes = 2;
    assert_near((double)memory_of(&in).gradients_bytes, 2 * (ADAPTERS + ENDS), 1e-9);
    in.plan.grad_bytes = 4;
    in.plan.base_bits = 4; /* beside narrow weights they are in fp32 */
    assert_near((double)memory_of(&in).gradients_bytes, 4 * (ADAPTERS + ENDS), 1e-9);
}

/* Frozen weights over two devices: half of them, and all of them gathered where the host is ahead. */
static void test_gathers_ahead(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory m;
    (void)state;
    in.network.devices = in.plan.dp = 2;
    in.plan.lora_rank = 16;
    in.plan.zero = 3;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, (2 * ALL + 2 * ADAPTERS) / 2, 1e-9);
    in.profile.gathers_ahead = 1;
    assert_true(memory_of(&in).working_bytes > m.working_bytes);
    assert_near((double)memory_of(&in).working_bytes, 2 * ALL, 0.01);
    in.plan.lora_rank = 0; /* weights that learn wait for their gradients */
    m = memory_of(&in);
    in.profile.gathers_ahead = 0;
    assert_int_equal(memory_of(&in).working_bytes, m.working_bytes);
}

/* The matrices of a 5120-wide layer by what they are called; embedding and head trained along. */
static void test_adapted_matrices(void **state) {
    static const struct {
        enum bp_lora_targets targets;
        double sides;
    } table[] = {{BP_LORA_TARGETS_QV, 2 * 2 * 5120.0},
                 {BP_LORA_TARGETS_QKV, 3 * 2 * 5120.0},
                 {BP_LORA_TARGETS_ATTENTION, 4 * 2 * 5120.0},
                 {BP_LORA_TARGETS_MLP, 3 * (5120.0 + 13824)},
                 {BP_LORA_TARGETS_ALL, 4 * 2 * 5120.0 + 3 * (5120.0 + 13824)}};
    struct bp_train_step_in in = one_device();
    size_t i;
    (void)state;
    in.plan.lora_rank = 8;
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        in.plan.lora_targets = table[i].targets;
        assert_near((double)memory_of(&in).gradients_bytes, 4 * 8 * 40 * table[i].sides, 1e-9);
    }
    in.plan.lora_ends = 1; /* adapters in fp32, the ends that learn in the format of the model */
    assert_near((double)memory_of(&in).gradients_bytes,
                4 * (8 * 40 * table[i - 1].sides) + 2 * ENDS, 1e-9);
}

/*
** What adapters on queries and values keep of one token in 40 layers 5120 wide with gated MLPs of 13824, in 16 bit:
** frozen matrices no input, dropout 2 bytes and a mask of one byte for each of two inputs, or once of a fused matrix;
** without dropout the input itself, 2 bytes. Narrow matrices of bitsandbytes keep theirs where the profile says so.
*/
static void test_inputs_beside_adapters(void **state) {
    struct bp_train_step_in in = one_device();
    double tokens, bare, all, dropped;
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_NONE;
    in.profile.activation_copies = 1.0;
    tokens = (double)(in.plan.micro_batch * in.job.seq_len);
    all = (double)memory_of(&in).activations_bytes;
    in.plan.lora_rank = 8;
    in.plan.lora_targets = BP_LORA_TARGETS_QV;
    in.plan.base_bits = 4;
    in.profile.narrow_inputs = 1;
    assert_near((double)memory_of(&in).activations_bytes, all, 1e-12);
    in.profile.narrow_inputs = 0;
    bare = (double)memory_of(&in)
               .activations_bytes; /* without the input of the MLP and of its last matrix */
    assert_near(all - bare, 40 * tokens * 2 * (5120.0 + 13824), 1e-9);
    in.plan.lora_dropout = 0.05;
    dropped = (double)memory_of(&in).activations_bytes;
    assert_near(dropped - bare, 40 * tokens * 5120 * (2 * 3 - 2.0), 1e-9);
    in.profile.fused_qkv =
        1; /* one dropout for both, queries and keys before their rotation, both adapters' outputs */
    assert_near((double)memory_of(&in).activations_bytes - dropped,
                40 * tokens * 5120 * (2 * 2 - 3.0 + 2 * 2), 1e-9);
    in.plan.lora_targets = BP_LORA_TARGETS_QKV; /* which need not be copied into columns */
    assert_near((double)memory_of(&in).activations_bytes - dropped,
                40 * tokens * 5120 * (2 * 2 - 3.0), 1e-9);
}

/* Gates that run alone keep the other factor; RMS norms their input in fp32 and, where their weight learns, in 16 bit. */
static void test_eager_kept(void **state) {
    struct bp_train_step_in in = one_device();
    double tokens, fused;
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_NONE;
    in.profile.activation_copies = 1.0;
    in.model.norm = BP_NORM_RMS;
    tokens = (double)(in.plan.micro_batch * in.job.seq_len);
    fused = (double)memory_of(&in).activations_bytes;
    in.profile.eager_kept = 1;
    assert_near((double)memory_of(&in).activations_bytes - fused,
                40 * tokens * 2 * (13824 + 2 * (4.0 - 2 + 2) / 2 * 5120), 1e-9);
    in.model.norm = BP_NORM_LAYER;
    assert_near((double)memory_of(&in).activations_bytes - fused, 40 * tokens * 2 * 13824, 1e-9);
}

/*
** DeepSeek-V3, rank 1, tp 1: q 7168+1536 and 1536+128*192, keys and values 7168+576 and
** 512+128*256, output 128*128+7168 = 100,544 in each of 61 layers; three dense MLPs of
** 3*(7168+18432); the shared expert of 58 layers, 3*(7168+2048). Routed experts have none.
*/
static void test_adapters_of_latents(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    const double latent = 8704.0 + 26112 + 7744 + 33280 + 23552;
    const double sides = 61 * latent + 3 * 3 * 25600.0 + 58 * 3 * 9216.0;
    (void)state;
    in.plan.ep = 8;
    in.plan.zero = 0;
    in.plan.lora_rank = 1;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * sides, 1e-9);
}

/* One adapter for queries, keys and values, one for gate and up: rows and columns, of 40 layers. */
static void test_joint_adapters(void **state) {
    struct bp_train_step_in in = one_device();
    const double qkv = 5120 + 3 * 5120.0, out = 2 * 5120.0, up = 5120 + 2 * 13824.0,
                 down = 13824 + 5120.0;
    (void)state;
    in.plan.lora_rank = 16;
    in.profile.joint_adapters = 1;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * 16 * 40 * (qkv + out + up + down),
                1e-9);
    in.plan.lora_targets = BP_LORA_TARGETS_QKV;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * 16 * 40 * qkv, 1e-9);
    in.plan.lora_targets = BP_LORA_TARGETS_ATTENTION;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * 16 * 40 * (qkv + out), 1e-9);
    in.plan.lora_targets = BP_LORA_TARGETS_MLP;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * 16 * 40 * (up + down), 1e-9);
    in.profile.joint_adapters = 0;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * 16 * 40 * 3 * (5120 + 13824.0), 1e-9);
}

/* Kernels beside an adapter's matmuls: 7 bytes a side forward and 9 backward, 2.5 more each way with dropout. */
static void test_adapters_run_kernels(void **state) {
    struct bp_train_step_in in = one_device();
    double fused, plain, dropped, cast;
    (void)state;
    in.plan.lora_rank = 16;
    in.profile.adapters = BP_ADAPTERS_FUSED; /* 2 and 4 */
    fused = estimate(&in).time.elementwise_s;
    in.profile.adapters = BP_ADAPTERS_SEPARATE;
    plain = estimate(&in).time.elementwise_s;
    in.plan.lora_dropout = 0.1;
    dropped = estimate(&in).time.elementwise_s;
    in.profile.adapters = BP_ADAPTERS_CAST; /* 14 and 28 */
    cast = estimate(&in).time.elementwise_s;
    assert_near((dropped - plain) / (plain - fused), 5.0 / (16 - 6), 1e-9);
    assert_near((cast - fused) / (plain - fused), (42.0 - 6) / (16 - 6), 1e-9);
}

/* No gradients but those of adapters: backward is as long as forward; the update is of adapters alone. */
static void test_adapters_take_less_time(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_step_out full, lora;
    (void)state;
    make_ideal(&in);
    full = estimate(&in);
    in.plan.lora_rank = 16;
    lora = estimate(&in);
    assert_near(lora.time.matmul_s, full.time.matmul_s * (2.0 / 3 + ADAPTERS / (ALL - ENDS / 2)),
                1e-4); /* norms */
    assert_true(lora.time.attention_s == full.time.attention_s);
    in = one_device();
    full = estimate(&in);
    in.plan.lora_rank = 16;
    lora = estimate(&in);
    assert_near(lora.time.offload_s, full.time.offload_s * ADAPTERS / ALL, 1e-9);
}

/* Two quantised copies of every matrix of a layer beside the 16-bit weights, or in their place. */
static void test_quantized_weights(void **state) {
    static const struct {
        enum bp_precision precision;
        double copies;
    } table[] = {
        {BP_PRECISION_BF16, 0},
        {BP_PRECISION_FP8, 2},
        {BP_PRECISION_MXFP8, 2 + 2.0 / 32},
        {BP_PRECISION_NVFP4, 1 + 2.0 / 16},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        struct bp_train_step_in in = one_device();
        const double layers = ALL - ENDS, copies = table[i].copies;
        in.plan.precision = table[i].precision;
        assert_near((double)memory_of(&in).weights_bytes, (2 + copies) * layers + 2 * ENDS, 1e-9);
        in.plan.quantized_params = 1;
        assert_near((double)memory_of(&in).weights_bytes,
                    (copies > 0 ? copies : 2) * layers + 2 * ENDS, 1e-9);
    }
}

/* Blackwell reads one copy of fp8 weights along both axes; blocks need one for each. */
static void test_one_copy_of_quantized_weights(void **state) {
    struct bp_train_step_in in = one_device();
    const double layers = ALL - ENDS;
    (void)state;
    in.device.fp4_flop_s = 1e16;
    in.plan.quantized_params = 1;
    in.plan.precision = BP_PRECISION_FP8;
    assert_near((double)memory_of(&in).weights_bytes, layers + 2 * ENDS, 1e-9);
    in.plan.precision = BP_PRECISION_MXFP8;
    assert_near((double)memory_of(&in).weights_bytes, (2 + 2.0 / 32) * layers + 2 * ENDS, 1e-9);
}

/* Of FSDP in one program about a layer is gathered and no gradient waits; otherwise two layers and a gradient. */
static void test_gathered_by_one_program(void **state) {
    struct bp_train_step_in in = one_device();
    const double layer = (ALL - ENDS - 5120) / 40;
    int64_t eager;
    (void)state;
    in.network.devices = 8;
    in.plan.dp = 8;
    in.plan.zero = 3;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    eager = memory_of(&in).working_bytes;
    in.profile.launches = BP_LAUNCHES_COMPILED;
    assert_near((double)(eager - memory_of(&in).working_bytes), (2 + 4) * layer, 1e-6);
}

/* Stages of FSDP keep their weights and the sum of their gradients whole, where PyTorch cuts them. */
static void test_stages_of_fsdp(void **state) {
    struct bp_train_step_in in = one_device();
    const double stage = (ALL - ENDS - 5120) / 2 + ENDS / 2; /* the last one has 5,120 more */
    struct bp_train_memory m;
    (void)state;
    in.network.devices = 16;
    in.plan.dp = 8;
    in.plan.pp = 2;
    in.plan.zero = 3;
    in.job.global_batch = 64;
    assert_near((double)memory_of(&in).gradients_bytes, 4 * stage / 8, 1e-6);
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    in.profile.zero_stages = BP_ZERO_STAGES_FSDP;
    m = memory_of(&in);
    assert_near((double)m.gradients_bytes, 4 * stage, 1e-6);
    assert_near((double)m.optimizer_bytes, 12 * stage / 8, 1e-6);
    assert_near((double)m.working_bytes, 2 * stage + 4096 * 2 * (5120 + 2 * 13824.0), 1e-6);
    in.plan.lora_rank = 16; /* of frozen weights in 4 bit that is what they are gathered in */
    in.plan.base_bits = 4;
    assert_true((double)memory_of(&in).working_bytes < 0.5 * 2 * stage);
}

/* FSDP casts layers from the fp32 shard: 4 + 4 + 8 bytes per parameter, and what is gathered. */
static void test_cast_weights(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory m;
    int64_t gathered;
    (void)state;
    in.network.devices = 8;
    in.plan.dp = 8;
    in.plan.zero = 3;
    gathered = memory_of(&in).working_bytes;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    m = memory_of(&in);
    assert_int_equal(m.weights_bytes, 0);
    assert_near((double)(m.gradients_bytes + m.optimizer_bytes), 16 * ALL / 8, 1e-8);
    assert_int_equal(m.working_bytes, gathered);
    in.plan.zero = 1; /* weights are replicated, masters are not */
    assert_near((double)memory_of(&in).weights_bytes, 2 * ALL, 1e-8);
    in.plan.offload =
        BP_OFFLOAD_OPTIMIZER; /* masters are away, so weights are copies on the device */
    in.plan.zero = 0;
    assert_near((double)memory_of(&in).weights_bytes, 2 * ALL, 1e-8);
    in.plan.zero = 3;
    assert_near((double)memory_of(&in).weights_bytes, 2 * ALL / 8, 1e-8);
    in.plan.offload = BP_OFFLOAD_OPTIMIZER_WEIGHTS;
    assert_int_equal(memory_of(&in).weights_bytes, 0);
    in.plan.offload = BP_OFFLOAD_NONE;
    in.plan.master_bytes = 0; /* nothing to cast from */
    assert_near((double)memory_of(&in).weights_bytes, 2 * ALL / 8, 1e-8);
}

/*
** PyTorch shares no fp32 weights under ZeRO 1, where moments are in shards; under ZeRO 2 FSDP has shards of the weights and
** keeps what it gathered to the end of backward, frozen weights and those without masters, too.
*/
static void test_stages_that_fsdp_keeps(void **state) {
    struct bp_train_step_in in = one_device();
    const double layer = (ALL - ENDS - 5120) / 40;
    struct bp_train_memory m;
    (void)state;
    in.network.devices = in.plan.dp = 8;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    in.profile.zero_stages = BP_ZERO_STAGES_FSDP;
    in.profile.working_grad_bytes = 0;
    in.plan.zero = 1;
    m = memory_of(&in);
    assert_int_equal(m.weights_bytes, 0);
    assert_near((double)m.optimizer_bytes, (4 + 8.0 / 8) * ALL, 1e-8);
    in.plan.zero = 2;
    m = memory_of(&in);
    assert_int_equal(m.weights_bytes, 0);
    assert_near((double)m.optimizer_bytes, 12 * ALL / 8, 1e-8);
    assert_near((double)m.gradients_bytes, 4 * ALL / 8, 1e-8);
    assert_near((double)m.working_bytes, 2 * ALL + 4 * layer, 1e-6);
    in.plan.master_bytes = 0;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * ALL / 8, 1e-8);
    assert_near((double)m.working_bytes, 2 * ALL + 4 * layer, 1e-6);
    in.plan.master_bytes = 2; /* bits that the 16-bit weight lacks */
    in.plan.zero = 0;
    m = memory_of(&in);
    assert_near((double)m.weights_bytes, 2 * ALL, 1e-8);
    assert_near((double)m.optimizer_bytes, 10 * ALL, 1e-8);
}

/* Copies of 8 bit stay where weights are whole, but a compiled program makes them where it uses them. */
static void test_quantised_copies_of_cast_weights(void **state) {
    struct bp_train_step_in in = one_device();
    (void)state;
    in.profile.narrow_weights = BP_NARROW_WEIGHTS_CAST;
    in.plan.precision = BP_PRECISION_FP8;
    in.plan.zero = 0;
    assert_near((double)memory_of(&in).weights_bytes, 2 * (ALL - ENDS), 1e-6);
    in.profile.launches = BP_LAUNCHES_COMPILED;
    assert_int_equal(memory_of(&in).weights_bytes, 0);
    in.network.devices = in.plan.dp = 8;
    in.plan.zero = 1;
    assert_near((double)memory_of(&in).weights_bytes, 2 * ALL, 1e-8);
}

/* Backward updates a rank's shard of a layer, or of the ends; the layer itself is there whole before. */
static void test_shards_updated_in_backward(void **state) {
    struct bp_train_step_in in = one_device();
    struct bp_train_memory plain, m;
    (void)state;
    in.network.devices = in.plan.dp = 8;
    in.job.global_batch = 8;
    in.plan.zero = 3;
    plain = memory_of(&in);
    in.plan.update_in_backward = 1;
    m = memory_of(&in);
    assert_near((double)m.gradients_bytes, (double)in.plan.grad_bytes * ENDS / 8, 1e-8);
    assert_int_equal(m.working_bytes, plain.working_bytes);
    in.plan.update_in_backward = 0;
    in.plan.offload = BP_OFFLOAD_OPTIMIZER; /* nor does that make a layer's gradient any longer */
    assert_int_equal(memory_of(&in).working_bytes, plain.working_bytes);
}

/* 16-bit gradients on their way into fp32: of a layer and the head at first, of the stage at last. */
static void test_gradients_in_flight(void **state) {
    struct bp_train_step_in in = one_device();
    const double layer = (ALL - ENDS - 5120) / 40;
    struct bp_train_memory m;
    (void)state;
    in.profile.working_grad_bytes = 2;
    in.profile.backward_grad_bytes = 0;
    m = memory_of(&in);
    assert_near((double)m.working_bytes, 2 * (layer + ENDS / 2), 1e-5);
    assert_true(m.activations_bytes > 0 && m.logits_bytes > 0);
    in.profile.backward_grad_bytes = 100; /* at the end nothing else is there */
    m = memory_of(&in);
    assert_near((double)m.working_bytes, 100 * ALL, 1e-9);
    assert_int_equal(m.activations_bytes, 0);
    assert_int_equal(m.logits_bytes, 0);
    in.plan.grad_bytes = 2; /* they add up where they are */
    assert_int_equal(memory_of(&in).working_bytes, 0);
}

static void test_cross_entropy(void **state) {
    struct bp_train_step_in in = one_device();
    const double logits = 4096.0 * 32000;
    (void)state;
    in.profile.logit_bytes = 12;
    assert_near((double)memory_of(&in).logits_bytes, 12 * logits, 1e-9);
    in.plan.cross_entropy = BP_CROSS_ENTROPY_FUSED;
    assert_near((double)memory_of(&in).loss_bytes, 2 * logits, 1e-9);
    in.plan.cross_entropy = BP_CROSS_ENTROPY_CHUNKED;
    assert_int_equal(memory_of(&in).loss_bytes, 0);
}

/*
** Four layers of DeepSeek-V3, the first dense, over two stages and four experts' ranks: the second
** stage has two MoE layers of 256 * 3*7168*2048 / 4 expert parameters each, the first only one.
*/
static void test_dense_layers_lead(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 2, 4, 16, 4096);
    const double experts = 2 * 256 * 3 * 7168.0 * 2048 / 4;
    const double attention = 187107328.0; /* 7168*1536 + 1536*24576 + 7168*576 + 512*32768 + ... */
    struct bp_train_memory m;
    (void)state;
    in.model.layers = 4;
    in.model.dense_layers = 1;
    in.plan.ep = 4;
    m = memory_of(&in);
    assert_int_equal(m.stage, 1);
    assert_near((double)m.weights_bytes / 2,
                experts + 2 * (attention + 3 * 7168.0 * 2048 + 256 * 7168.0 + 2 * 7168) +
                    129280 * 7168.0,
                1e-3);
}

/* A head of four layers' work leaves the last of two stages five of sixteen layers. */
static void test_equal_work(void **state) {
    struct bp_train_step_in in = spread(gpt_model(), 1, 2, 1, 8, 1024);
    const double layer = 12.0 * 12288 * 12288;
    struct bp_train_memory even, work;
    (void)state;
    in.model.layers = 16;
    in.model.vocab = 4 * 12 * 12288;
    in.model.tied_embeddings = 0;
    even = memory_of(&in);
    in.plan.split = BP_SPLIT_WORK;
    work = memory_of(&in);
    assert_int_equal(even.stage, 1); /* the logits */
    assert_int_equal(work.stage, 0);
    assert_near((double)work.weights_bytes, 2 * (11 * layer + 4 * layer), 1e-4);
}

/* 16 layers on 4 stages as 6, 4, 4, 2 and as 2, 4, 4, 6: weights of the fullest stage by hand. */
static void test_given_ends(void **state) {
    struct bp_train_step_in in = spread(gpt_model(), 1, 4, 1, 8, 1024);
    const double layer = 12.0 * 12288 * 12288, vocabulary = 4 * layer;
    struct bp_train_memory first, last;
    (void)state;
    in.model.layers = 16;
    in.model.vocab = 4 * 12 * 12288;
    in.model.tied_embeddings = 0;
    in.plan.first_layers = 6;
    in.plan.last_layers = 2;
    first = memory_of(&in);
    in.plan.first_layers = 2;
    in.plan.last_layers = 6;
    last = memory_of(&in);
    assert_int_equal(first.stage, 0);
    assert_near((double)first.weights_bytes, 2 * (6 * layer + vocabulary), 1e-4);
    assert_int_equal(last.stage, 3);
    assert_near((double)last.weights_bytes, 2 * (6 * layer + vocabulary), 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizers),
        cmocka_unit_test(test_offload),
        cmocka_unit_test(test_offload_takes_time),
        cmocka_unit_test(test_update_in_backward),
        cmocka_unit_test(test_gradients_that_add_up_on_the_host),
        cmocka_unit_test(test_offload_to_drives),
        cmocka_unit_test(test_hosts_of_stages),
        cmocka_unit_test(test_memory_of_the_host),
        cmocka_unit_test(test_adapters),
        cmocka_unit_test(test_integer_lanes),
        cmocka_unit_test(test_outside_the_stack),
        cmocka_unit_test(test_host_gradients),
        cmocka_unit_test(test_wide_stream),
        cmocka_unit_test(test_narrow_ends_of_shards),
        cmocka_unit_test(test_autocast),
        cmocka_unit_test(test_ends_beside_adapters),
        cmocka_unit_test(test_gathers_ahead),
        cmocka_unit_test(test_inputs_beside_adapters),
        cmocka_unit_test(test_eager_kept),
        cmocka_unit_test(test_adapted_matrices),
        cmocka_unit_test(test_adapters_of_latents),
        cmocka_unit_test(test_joint_adapters),
        cmocka_unit_test(test_adapters_run_kernels),
        cmocka_unit_test(test_adapters_take_less_time),
        cmocka_unit_test(test_quantized_weights),
        cmocka_unit_test(test_one_copy_of_quantized_weights),
        cmocka_unit_test(test_gathered_by_one_program),
        cmocka_unit_test(test_stages_of_fsdp),
        cmocka_unit_test(test_cast_weights),
        cmocka_unit_test(test_stages_that_fsdp_keeps),
        cmocka_unit_test(test_quantised_copies_of_cast_weights),
        cmocka_unit_test(test_shards_updated_in_backward),
        cmocka_unit_test(test_gradients_in_flight),
        cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_dense_layers_lead),
        cmocka_unit_test(test_equal_work),
        cmocka_unit_test(test_given_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
