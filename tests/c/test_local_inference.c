/* One sequence on one machine: bytes over bandwidth, where layers are, passes of a prompt, memory. */
#include "kernel/local/local_inference.h"
#include "near.h"

#include <string.h>

#define BANDWIDTH 1e12
#define PEAK16 1e14
#define HOST_BANDWIDTH 1e11

/* Ten layers; parts of 1, 8 (layers) and 1 GB; kernels that reach all and cost nothing beside. */
static struct bp_local_engine perfect(void) {
    struct bp_local_engine e;
    bp_defaults(&bp_local_engine_schema, &e);
    e.stream16 = e.stream8 = e.stream4 = e.stream_kv = 1;
    e.stream_plain = 1;
    e.unpack = e.unpack_plain = e.convert = 0;
    e.score = 1;
    e.gap_s = e.host_s = e.split_s = e.token_s = e.hop_s = e.pass_s = 0;
    e.matmul16 = e.matmul8 = e.attention = 1;
    e.rows0 = e.k0 = e.activation_bytes = 0;
    return e;
}

static struct bp_local_inference_in local_in(void) {
    struct bp_local_inference_in in;
    bp_defaults(&bp_local_inference_in_schema, &in);
    bp_defaults(&bp_model_schema, &in.model);
    bp_defaults(&bp_device_schema, &in.device);
    in.model.layers = 10;
    in.model.hidden = 4096;
    in.model.heads = 32;
    in.model.kv_heads = 8;
    in.model.ffn_hidden = 16384;
    in.model.vocab = 100000;
    in.device.memory_bytes = 16000000000;
    in.device.mem_bw_bytes_s = BANDWIDTH;
    in.device.bf16_flop_s = PEAK16;
    in.host = in.device;
    in.host.mem_bw_bytes_s = HOST_BANDWIDTH;
    in.weights.embedding_bytes = 1e9;
    in.weights.layer_bytes = 8e9;
    in.weights.head_bytes = 1e9;
    in.engine = in.host_engine = perfect();
    in.reserve_bytes = 0;
    in.usable_frac = 1;
    return in;
}

static struct bp_local_inference_out local(struct bp_local_inference_in in) {
    struct bp_local_inference_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_local_inference(&in, &out, &err), BP_OK);
    return out;
}

/* An empty cache: layers and head once, the embedding not. */
static void test_bandwidth(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out out = local(in);
    (void)state;
    assert_near(out.token_s, 9e9 / BANDWIDTH, 1e-12);
    assert_int_equal(out.token_bound, BP_LOCAL_BOUND_BANDWIDTH);
    in.at_tok = 1000; /* 10 layers, 8 heads of 128, keys and values of 2 B */
    assert_near(local(in).token_cache_s, 1000 * 10 * 8 * 128 * 2 * 2.0 / BANDWIDTH, 1e-12);
    in.kv_value_bytes = 1;
    assert_near(local(in).token_cache_s, 1000 * 10 * 8 * 128 * 2 * 1.0 / BANDWIDTH, 1e-12);
}

/*
** Sequences in lock-step: weights once, a row of each multiplied (1e13 operations a second), a cache each, in the time of
** one host; prompts of all in one pass.
*/
static void test_several(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out one, out;
    double params = local(in).token_weights_s * BANDWIDTH / 2; /* two bytes each */
    (void)state;
    in.at_tok = 1000;
    in.prompt_tok = 100;
    one = local(in);
    in.sequences = 4;
    out = local(in);
    assert_near(out.token_cache_s, 4 * one.token_cache_s, 1e-12);
    assert_near(out.cache_bytes, 4 * one.cache_bytes, 1);
    assert_near(out.token_weights_s / one.token_weights_s, 1, 1e-4);
    assert_near(out.tokens_per_s, 4 / out.token_s, 1e-9);
    in.sequences = 1000;
    in.device.bf16_flop_s = 1e13;
    assert_true(local(in).token_weights_s > 0.5 * 1000 * 2 * params / 1e13);
    in.sequences = 4;
    in.device.bf16_flop_s = PEAK16;
    in.engine.ubatch = 1000;
    in.engine.host_s = 1;
    assert_near(local(in).token_s, 10, 1e-2); /* a second for each of ten layers */
    in.engine.host_s = 0;
    assert_near(local(in).prompt_attention_s, 4 * one.prompt_attention_s, 1e-12);
    assert_near(local(in).prompt_tokens_per_s, 400 / local(in).prompt_s, 1e-6);
    in.engine.rows0 = 1000; /* what prompts spend on rows they do not have */
    assert_near(local(in).token_s, out.token_s, 1e-12);
}

/*
** Ten layers of 0.8 GB and a head of 1 on 16 and 8 GB: eight, and two with the head, each at its own bandwidth. With 7 and 3
** the second would be fuller than the first is with 8: 3.4 / 8 against 6.4 / 16.
*/
static void test_two_kinds(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out out;
    struct bp_error err = {0};
    (void)state;
    in.other = in.device;
    in.other.memory_bytes = 8000000000;
    in.other.mem_bw_bytes_s = BANDWIDTH / 2;
    in.other_engine = in.engine;
    in.others = 1;
    out = local(in);
    assert_near(out.other_layers, 2, 1e-12);
    assert_near(out.token_s, 6.4e9 / BANDWIDTH + 2.6e9 / (BANDWIDTH / 2), 1e-12);
    assert_near(out.device_weights_bytes, 6.4e9, 1e-12);
    assert_near(out.other_weights_bytes, 2.6e9, 1e-12);
    assert_near(out.device_cache_bytes + out.other_cache_bytes, out.cache_bytes, 1e-12);
    assert_true(out.fits);
    in.other.memory_bytes = 1100000000; /* the head, and no room for the buffer beside it */
    in.context_tok = 8192;
    out = local(in);
    assert_near(out.other_layers, 0, 1e-12);
    assert_true(out.device_bytes < out.usable_bytes);
    assert_true(out.other_bytes > out.other_usable_bytes && !out.fits);
    in.other.memory_bytes = 8000000000;
    in.device_layers = 5; /* host: the first five, and the head */
    out = local(in);
    assert_near(out.other_layers, 1, 1e-12); /* with its buffer of 0.2 GB: 3.5 / 16 */
    assert_near(out.token_offload_s, 5e9 / HOST_BANDWIDTH, 1e-12);
    in.device_layers = 0; /* nothing is left to follow one another */
    assert_true(local(in).prompt_s > 0);
    in.engine.split = BP_LOCAL_SPLIT_TENSORS;
    assert_int_equal(bp_local_inference(&in, &out, &err), BP_EDOMAIN);
}

/* Beside the device another one that is alike, as of a second kind. */
static struct bp_local_inference_in with_twin(struct bp_local_inference_in in) {
    in.other = in.device;
    in.other_engine = in.engine;
    in.others = 1;
    return in;
}

/* Two devices are two of one kind, or one of each where both are alike: six layers, and four with the head. */
static void test_alike(void **state) {
    struct bp_local_inference_in in = local_in(), both;
    struct bp_local_inference_out one, two;
    (void)state;
    in.engine.pipelined = 1;
    in.engine.hop_s = 1e-4;
    in.engine.ubatch = 512;
    in.prompt_tok = 4096;
    in.at_tok = 100;
    both = with_twin(in);
    in.devices = 2;
    one = local(in);
    two = local(both);
    assert_true(one.token_s == two.token_s && one.prompt_s == two.prompt_s);
    assert_true(one.device_bytes == two.device_bytes && two.other_bytes < two.device_bytes);
    assert_near(two.device_cache_bytes, 1.5 * two.other_cache_bytes, 1e-12);
    both.other.bf16_flop_s = PEAK16 / 4;
    assert_true(local(both).prompt_s > 2 * two.prompt_s);
}

/* Half of the layers and the head with a host of a tenth of the bandwidth. */
static void test_host(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out out;
    (void)state;
    in.device_layers = 5;
    out = local(in);
    assert_near(out.token_weights_s, 4e9 / BANDWIDTH, 1e-12);
    assert_near(out.token_offload_s, 5e9 / HOST_BANDWIDTH, 1e-12);
    assert_int_equal(out.token_bound, BP_LOCAL_BOUND_OFFLOAD);
    assert_near(out.device_weights_bytes, 4e9, 1e-12);
    assert_near(out.host_bytes, 4e9 + 1e9 + 1e9 + out.cache_bytes / 2, 1e-12);
}

/* Two of eight experts a token; those of five layers with the host. */
static void test_experts(void **state) {
    struct bp_local_inference_in in = local_in();
    (void)state;
    in.model.experts = 8;
    in.model.topk = 2;
    in.model.moe_ffn = 16384;
    in.weights.layer_bytes = 1e9;
    in.weights.expert_bytes = 8e9;
    assert_near(local(in).token_weights_s, (1e9 + 1e9 + 2e9) / BANDWIDTH, 1e-12);
    in.engine.gap_s = 1e-3; /* seven kernels more than the fourteen of a dense layer */
    assert_near(local(in).token_other_s, 15e-3, 1e-12);
    in.engine.gap_s = 0;
    in.host_experts = 5;
    assert_near(local(in).token_weights_s, (1e9 + 1e9 + 1e9) / BANDWIDTH, 1e-12);
    assert_near(local(in).token_offload_s, 1e9 / HOST_BANDWIDTH, 1e-12);
    in.engine.hop_s = 1e-3; /* five layers hand the token to the host and take it back */
    assert_near(local(in).token_other_s, 10e-3, 1e-12);
    in.device.shared_memory = 1;
    assert_near(local(in).token_other_s, 0, 1e-12);
}

/* A prompt that visits two of eight experts at half of the rate: twice as long for them, and as long for all else. */
static void test_expert_rate(void **state) {
    struct bp_local_inference_in in = local_in();
    double layers = 10 * (4096.0 * (2 * 4096 + 2 * 1024) + 2 * 4096) + 4096;
    double experts = 10 * 3 * 4096.0 * 16384, dense, both;
    (void)state;
    in.device.mem_bw_bytes_s = 1e30;
    in.device.fp32_flop_s = 0;
    in.prompt_tok = 512;
    in.model.experts = 8;
    in.model.topk = 2;
    in.model.moe_ffn = 16384;
    in.weights.expert_bytes = 2 * 8 * experts;
    both = local(in).prompt_matmul_s;
    assert_near(both, 2 * 512 * (layers + 10 * 8 * 4096 + 2 * experts) / PEAK16, 1e-6);
    in.engine.experts = 0.5;
    dense = 2 * both - local(in).prompt_matmul_s;
    assert_near(dense, 2 * 512 * (layers + 10 * 8 * 4096) / PEAK16, 1e-6);
}

/* Experts of 768 in blocks of blocks, taken 2,048 of a row at a time: rows of 4,096 are whole, those of 768 idle in 1,280. */
static void test_short_rows(void **state) {
    struct bp_local_inference_in in = local_in();
    double whole;
    (void)state;
    in.model.experts = 8;
    in.model.topk = 2;
    in.model.moe_ffn = 768;
    in.weights.layer_bytes = in.weights.head_bytes = 0;
    in.weights.expert_bytes = 4.5 / 8 * 10 * 8 * 3 * 4096.0 * 768;
    whole = local(in).token_weights_s;
    in.engine.stride = 2048;
    assert_near(local(in).token_weights_s / whole, (1 + 1 + 2048.0 / 768) / 3, 1e-9);
    in.weights.plain_blocks = 1;
    assert_near(local(in).token_weights_s, whole, 1e-12);
}

/* Ten layers in 4.5 bits, whose bytes take no time: work on vector units for every weight, by the kind of block. */
static void test_unpacking(void **state) {
    struct bp_local_inference_in in = local_in();
    double params = 10 * (4096.0 * (2 * 4096 + 2 * 1024 + 3 * 16384) + 2 * 4096) + 4096;
    (void)state;
    in.weights.layer_bytes = 4.5 / 8 * params;
    in.weights.head_bytes = 2 * 100000.0 * 4096;
    in.device.mem_bw_bytes_s = 1e18;
    in.device.fp32_flop_s = 1e13;
    in.engine.unpack = 20;
    in.engine.unpack_plain = 5;
    assert_near(local(in).token_weights_s, 20 * params / 1e13, 1e-3);
    in.weights.plain_blocks = 1;
    assert_near(local(in).token_weights_s, 5 * params / 1e13, 1e-3);
    in.weights.layer_bytes = 2 * params; /* 16 bit needs none */
    assert_true(local(in).token_weights_s < 1e-6);
}

/* An int8 operation in 1 / 4e14 s, and a tenth of a FLOP at 4e13 FLOP/s for its share of a block's scale. */
static void test_scaling(void **state) {
    struct bp_local_inference_in in = local_in();
    double params = 10 * (4096.0 * (2 * 4096 + 2 * 1024 + 3 * 16384) + 2 * 4096) + 4096, free;
    (void)state;
    in.weights.layer_bytes = 4.5 / 8 * params;
    in.weights.head_bytes = 2 * 100000.0 * 4096;
    in.device.mem_bw_bytes_s = 1e18;
    in.device.int8_flop_s = 4 * PEAK16;
    in.device.fp32_flop_s = 4e13;
    free = local(in).prompt_matmul_s;
    assert_near(free, 2 * params * (double)in.prompt_tok / (4 * PEAK16), 1e-3);
    in.engine.scaling = 0.1;
    assert_near(local(in).prompt_matmul_s, free * cbrt(2), 1e-3);
    in.engine.int8 = 0; /* unpacked first: 16 bit has no blocks */
    assert_near(local(in).prompt_matmul_s, 4 * free, 1e-3);
}

/* Layers on several devices take turns; matrices do not. */
static void test_devices(void **state) {
    struct bp_local_inference_in in = local_in();
    (void)state;
    in.devices = 2;
    in.engine.hop_s = 1e-3;
    assert_near(local(in).token_s, 9e9 / BANDWIDTH + 1e-3, 1e-12);
    assert_near(local(in).device_weights_bytes, 6 * 0.8e9,
                1e-12); /* the other has four and the head */
    in.engine.split = BP_LOCAL_SPLIT_TENSORS;
    assert_near(local(in).token_s, 4.5e9 / BANDWIDTH + 2 * 10 * 1e-3, 1e-12);
    assert_near(local(in).device_weights_bytes, 4e9 + 1e9, 1e-12);
}

/*
** Ten layers of 0.1 GB with experts of 0.8, those of the first four with the host, and a head of 1 GB: seven (four bare and
** three whole) are 3.1 GB, three and the head 3.7. With six and four it would be 2.2 and 4.6, with eight and two 4 and 2.8.
*/
static void test_bared(void **state) {
    struct bp_local_inference_in in = local_in(), both;
    struct bp_local_inference_out out, two;
    (void)state;
    in.model.experts = 8;
    in.model.topk = 2;
    in.model.moe_ffn = 16384;
    in.weights.layer_bytes = 1e9;
    in.weights.expert_bytes = 8e9;
    in.host_experts = 4;
    in.context_tok = 1;
    both = with_twin(in);
    in.devices = 2;
    out = local(in);
    two = local(both);
    assert_near(two.device_weights_bytes, 7 * 0.1e9 + 3 * 0.8e9, 1e-12);
    assert_near(two.other_weights_bytes, 3 * 0.9e9 + 1e9, 1e-12);
    assert_near(two.other_layers, 3, 1e-12);
    assert_near(out.device_weights_bytes, two.other_weights_bytes, 1e-12);
    assert_true(out.token_s == two.token_s && out.prompt_s == two.prompt_s);
    assert_near(two.host_cache_bytes, 0, 1e-12);
    /* One layer, the head and 0.2 GB of buffer on 8 GB; 5.1 GB on 16. */
    both.other.memory_bytes /= 2;
    two = local(both);
    assert_near(two.other_layers, 1, 1e-12);
}

/* Passes of 512 through two devices: the first waits for nobody, and so does the last. */
static void test_prompt(void **state) {
    struct bp_local_inference_in in = local_in();
    double layer = 4096.0 * (2 * 4096 + 2 * 1024 + 3 * 16384) + 2 * 4096, one, two;
    (void)state;
    in.weights.layer_bytes = 2 * (10 * layer + 4096); /* 16 bit: 6 ms of arithmetic, 5 us to read */
    in.weights.head_bytes = 2 * 100000.0 * 4096;
    in.device.mem_bw_bytes_s = 1e15;
    in.prompt_tok = 512;
    one = local(in).prompt_matmul_s;
    assert_near(one, 2 * (10 * layer) * 512 / PEAK16, 1e-3);
    in.prompt_tok = 4 * 512;
    assert_near(local(in).prompt_matmul_s, 4 * one, 1e-12);
    in.devices = 2;
    in.engine.pipelined = 1;
    two = local(in).prompt_matmul_s;
    assert_near(two, 4 * one * (1 + 3 * 0.6) / 4, 1e-3); /* six of ten layers set the pace */
    in.engine.pipelined = 0;
    assert_near(local(in).prompt_matmul_s, 4 * one, 1e-12);
}

/* Sums over rows of 4,096 and 16,384 whose tiles' start and end cost 4,096 more; in int8 twice that. */
static void test_depth(void **state) {
    struct bp_local_inference_in in = local_in();
    double wide = 4096.0 * 4096, tall = 4096.0 * 16384, params = 2 * wide + wide / 2 + 3 * tall;
    double columns = 3 * 4096 + 2 * 1024 + 2 * 16384, whole;
    (void)state;
    in.weights.layer_bytes = 2 * 10 * (params + 2 * 4096);
    in.device.mem_bw_bytes_s = 1e15;
    whole = local(in).prompt_matmul_s;
    in.engine.k0 = 4096;
    assert_near(local(in).prompt_matmul_s / whole, 1 + 4096 * columns / params, 1e-3);
    in.weights.layer_bytes /= 2;
    in.device.int8_flop_s = PEAK16;
    assert_near(local(in).prompt_matmul_s / whole, 1 + 2 * 4096 * columns / params, 1e-3);
}

/* Five times two bytes of every column of ten layers' matrices; of eight experts a token visits two. */
static void test_between(void **state) {
    struct bp_local_inference_in in = local_in();
    double attention = 2 * 4096 + 2 * 1024, mlp = 2 * 16384 + 4096;
    double whole = local(in).prompt_matmul_s;
    (void)state;
    in.engine.activation_bytes = 2;
    in.engine.between = 0.5;
    assert_near(local(in).prompt_matmul_s - whole,
                512 * 10 * (attention + mlp) * 5 * 2 / (0.5 * BANDWIDTH), 1e-9);
    in.model.experts = 8;
    in.model.topk = 2;
    in.model.moe_ffn = 1024;
    in.engine.activation_bytes = 0;
    whole = local(in).prompt_matmul_s;
    in.engine.activation_bytes = 2;
    assert_near(local(in).prompt_matmul_s - whole,
                512 * 10 * (attention + 8 + 2 * (4096 + 2 * 1024.0)) * 5 * 2 / (0.5 * BANDWIDTH),
                1e-9);
}

/* MLA of 128 + 64 and 128 a head, and of 2 x 512 + 64 to the latents. */
static void test_latent_prompts(void **state) {
    struct bp_local_inference_in in = local_in();
    double heads;
    (void)state;
    in.model.kv_lora_rank = 512;
    in.model.qk_nope_dim = 128;
    in.model.qk_rope_dim = 64;
    in.model.v_head_dim = 128;
    in.model.kv_heads = in.model.heads;
    heads = local(in).prompt_attention_s;
    in.engine.latent_prompts = 1;
    assert_near(local(in).prompt_attention_s / heads, (2 * 512 + 64) / (128.0 + 64 + 128), 1e-9);
}

/* Passes of 512 or of 2,048: weights that are slow to read are read four times or once, and the buffer grows. */
static void test_ubatch(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out four, one;
    (void)state;
    in.device.bf16_flop_s = 1e18;
    in.prompt_tok = in.context_tok = 2048;
    four = local(in);
    in.ubatch_tok = 2048;
    one = local(in);
    assert_near(four.prompt_matmul_s, 4 * one.prompt_matmul_s, 1e-3);
    assert_near(one.compute_bytes, 4 * four.compute_bytes, 1);
}

/* Accumulation in 16 bit runs at half the rate of int8; the board's power limits what operations cost energy. */
static void test_peak_and_power(void **state) {
    struct bp_local_inference_in in = local_in();
    double free;
    (void)state;
    in.weights.layer_bytes = 2 * 10 * (4096.0 * (2 * 4096 + 2 * 1024 + 3 * 16384) + 2 * 4096);
    in.device.mem_bw_bytes_s = 1e15;
    free = local(in).prompt_matmul_s;
    in.engine.accumulate16 = 1;
    assert_near(local(in).prompt_matmul_s, free, 1e-12);
    in.device.int8_flop_s = 4 * PEAK16;
    assert_near(local(in).prompt_matmul_s, free / 2, 1e-2);
    in.device.fp32_flop_s = PEAK16; /* no matrix units: int8 is dp4a's */
    assert_near(local(in).prompt_matmul_s, free, 1e-2);
    in.device.fp32_flop_s = 0;
    in.engine.accumulate16 = 0;
    in.engine.op_j =
        1e-12; /* of int8: 2e-12 J in 16 bit, 2e-14 s at 100 W beside 1e-14 s at the peak */
    in.device.tdp_w = 100;
    assert_near(local(in).prompt_matmul_s, free * cbrt(9), 1e-2);
}

/* Logits of 512 tokens in fp32, or the scores of 512 tokens over the context. */
static void test_memory(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out out;
    (void)state;
    in.context_tok = 8192;
    assert_near(local(in).compute_bytes, 512 * 4 * (100000.0 + 4096), 1e-12);
    in.flash = 0;
    out = local(in);
    assert_near(out.compute_bytes, 512 * 4 * (32.0 * 8192 + 2 * 4096 + 16384), 1e-12);
    assert_near(out.cache_bytes, 8192.0 * 10 * 2 * 8 * 128 * 2, 1e-12);
    assert_near(out.device_bytes, 9e9 + out.cache_bytes + out.compute_bytes, 1e-12);
    assert_true(out.fits);
    in.device.memory_bytes = (int64_t)out.device_bytes - 1;
    assert_false(local(in).fits);
}

static void test_refused(void **state) {
    struct bp_local_inference_in in = local_in();
    struct bp_local_inference_out out;
    struct bp_error err = {0};
    (void)state;
    in.device_layers = 11;
    assert_int_equal(bp_local_inference(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "device_layers");
    in.device_layers = -1;
    in.model.arch = BP_ARCH_ENCODER;
    assert_int_equal(bp_local_inference(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "model");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bandwidth),   cmocka_unit_test(test_two_kinds),
        cmocka_unit_test(test_several),     cmocka_unit_test(test_alike),
        cmocka_unit_test(test_host),        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_expert_rate), cmocka_unit_test(test_short_rows),
        cmocka_unit_test(test_unpacking),   cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_devices),     cmocka_unit_test(test_bared),
        cmocka_unit_test(test_prompt),      cmocka_unit_test(test_depth),
        cmocka_unit_test(test_between),     cmocka_unit_test(test_latent_prompts),
        cmocka_unit_test(test_ubatch),      cmocka_unit_test(test_peak_and_power),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
