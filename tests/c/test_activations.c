/* Kept activations against Korthikanti et al., arXiv:2205.05198, and tensor lists by hand. */
#include "kernel/count/activations.h"

#include "kernel/train/train_parts.h"

#include "cases.h"

/* Bytes of layers, and of one mean layer, of which the given plan keeps everything. */
static double mix_bytes(const struct bp_train_case *c, struct bp_layer_mix mix,
                        enum bp_recompute recompute) {
    const struct bp_token_kept kept = bp_token_kept(c, recompute);
    return bp_activations_of(c, &kept, mix);
}

static double layer_bytes(const struct bp_train_step_in *in, enum bp_recompute recompute) {
    struct ready_case r;
    const struct bp_train_case *c = make_ready(&r, in);
    return mix_bytes(c, bp_mean_layer(c), recompute);
}

static double kept_bytes(const struct bp_train_step_in *in) {
    struct ready_case r;
    const struct bp_train_case *c = make_ready(&r, in);
    const struct bp_activations of = bp_activations(c);
    return bp_activations_kept(c, &of, bp_mean_layer(c));
}

static struct bp_train_step_in unfused_gpt(int64_t tp, int sequence_parallel) {
    struct bp_train_step_in in = spread(gpt_model(), tp, 1, 1, 8, 2048);
    in.plan.micro_batch = 2;
    in.plan.flash = 0;
    in.plan.sequence_parallel = sequence_parallel;
    return in;
}

static const double SBH = 2048.0 * 2 * 12288;

/* 5 a s / h of the 96 heads. */
static const double SCORES = 5 * 96 * 2048.0 / 12288;

/*
** Section 4.2: s b h (10 + 24/t + 5 a s / (h t)). Of the 10, two are masks of the two dropouts, one
** byte each, which this model leaves out; nothing else differs.
*/
static void test_tensor_parallel(void **state) {
    int64_t tp;
    (void)state;
    for (tp = 1; tp <= 32; tp *= 2) {
        struct bp_train_step_in in = unfused_gpt(tp, 0);
        double t = (double)tp, paper = SBH * (10 + 24 / t + SCORES / t), masks = 2 * SBH;
        assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), paper - masks, 1e-14);
        assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), paper - masks - SBH * SCORES / t,
                    1e-14);
        assert_near(layer_bytes(&in, BP_RECOMPUTE_FULL), 2 * SBH, 1e-14);
    }
}

/* Sections 4.2.2 and 5: s b h (34 + 5 a s / h) / t, and 34 s b h / t with selective recomputation. */
static void test_sequence_parallel(void **state) {
    int64_t tp;
    (void)state;
    for (tp = 1; tp <= 32; tp *= 2) {
        struct bp_train_step_in in = unfused_gpt(tp, 1);
        double t = (double)tp, masks = 2 * SBH / t;
        assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), SBH * (34 + SCORES) / t - masks, 1e-14);
        assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), 34 * SBH / t - masks, 1e-14);
        assert_near(layer_bytes(&in, BP_RECOMPUTE_FULL), 2 * SBH / t, 1e-14);
    }
}

/* Flash attention keeps one fp32 log-sum-exp per head and token instead of the scores. */
static void test_flash(void **state) {
    struct bp_train_step_in in = unfused_gpt(8, 1);
    double unfused = layer_bytes(&in, BP_RECOMPUTE_NONE);
    (void)state;
    in.plan.flash = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE),
                unfused - SBH * SCORES / 8 + 2048.0 * 2 * 4 * 96 / 8, 1e-14);
    /* Nothing is left for selective recomputation to save. */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), layer_bytes(&in, BP_RECOMPUTE_NONE), 0);
}

/*
** Of a score 2 + 1 + 2 bytes in 16 bit and 4 + 1 + 4 in 32; layers that run one operation after the other take the
** softmax to fp32: 4 + 1 + 2, and in 32 bit the same; without dropout 4 + 2.
*/
static void test_score_formats(void **state) {
    struct bp_train_step_in in = unfused_gpt(1, 0), fused = in;
    double scores, narrow = SBH * SCORES;
    (void)state;
    fused.model.norm = in.model.norm = BP_NORM_LAYER;
    fused.plan.flash = 1;
    fused.plan.precision = in.plan.precision = BP_PRECISION_FP32;
    scores = layer_bytes(&in, BP_RECOMPUTE_NONE) - layer_bytes(&fused, BP_RECOMPUTE_NONE) +
             2048.0 * 2 * 4 * 96;
    assert_near(scores, 9.0 / 5 * narrow, 1e-12);
    in.profile.score_bytes = 11;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE) - layer_bytes(&fused, BP_RECOMPUTE_NONE) +
                    2048.0 * 2 * 4 * 96,
                scores, 1e-12);
    fused.plan.precision = in.plan.precision = BP_PRECISION_BF16;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE) - layer_bytes(&fused, BP_RECOMPUTE_NONE) +
                    2048.0 * 2 * 4 * 96,
                7.0 / 5 * narrow, 1e-12);
    fused.model.norm = in.model.norm = BP_NORM_RMS; /* of models without dropout */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE) - layer_bytes(&fused, BP_RECOMPUTE_NONE) +
                    2048.0 * 2 * 4 * 96,
                6.0 / 5 * narrow, 1e-12);
}

/*
** Llama 70B, bytes per token on one device. Norm inputs and outputs 2*(8192+8192)*2 = 65,536;
** q 8192, k 1024, v 1024, output 8192, two bytes each = 36,864; log-sum-exp 64*4 = 256;
** gate, up and their product 3*28672*2 = 172,032. Together 274,688.
*/
static void test_gated_grouped(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    (void)state;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 274688.0, 1e-15);
    in = spread(llama_model(), 8, 1, 1, 1, 4096);
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 274688.0 / 8, 1e-15);
    in.plan.sequence_parallel = 0;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (65536 + 209152.0 / 8), 1e-15);
}

/* 16 ranks share 8 key/value heads: each keeps a whole one, 2*128*2 bytes, not half of it. */
static void test_replicated_keys(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 16, 1, 1, 1, 4096);
    double rest = (65536 + 2 * 2 * 8192.0 + 256 + 172032) / 16;
    (void)state;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (rest + 512), 1e-15);
}

static void test_context_parallel(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096), cut = in;
    (void)state;
    cut.network.devices = cut.plan.cp = 4;
    assert_near(layer_bytes(&cut, BP_RECOMPUTE_NONE), layer_bytes(&in, BP_RECOMPUTE_NONE) / 4,
                1e-15);
    assert_near(layer_bytes(&cut, BP_RECOMPUTE_FULL), layer_bytes(&in, BP_RECOMPUTE_FULL) / 4,
                1e-15);
}

/*
** 8-bit recipes keep matmul inputs in one byte: stream 2*8192*(2+1) = 49,152; q, k, v 20,480, output
** 8192*(2+1) = 24,576 (attention's own and the projection's input); 256; gate and up in 16 bit, their
** product in 8: 28672*5 = 143,360. Together 237,824. 32 bit doubles all but the log-sum-exp.
*/
static void test_formats(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    (void)state;
    in.plan.precision = BP_PRECISION_FP8;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 237824.0, 1e-15);
    assert_near(layer_bytes(&in, BP_RECOMPUTE_FULL), 4096 * 2 * 8192.0, 1e-15);
    in.plan.precision = BP_PRECISION_NVFP4; /* kept for backward in 8 bit */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 237824.0, 1e-15);
    in.plan.precision = BP_PRECISION_FP32;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (2 * 274432.0 + 256), 1e-15);
}

/*
** DeepSeek-V3 per token: stream 2*7168*4 = 57,344; q and k 128*192, v and output 128*128:
** 2*(49,152 + 32,768) = 163,840; log-sum-exp 512; latents (1536+512+64)*2 bytes before and after
** their norms = 8,448, whole on every rank. Three dense layers 3*18432*2 = 110,592; 58 MoE layers:
** 8 visits of 7168*2 + 3*2048*2 = 26,624, 256 scores of 4 bytes, and the shared expert's 12,288.
*/
static void test_moe(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    double attention = 163840 + 512, latent = 8448, stream = 57344;
    double experts = 8 * 26624.0, shared = 12288 + 1024;
    double feed = (3 * 110592 + 58 * (experts + shared)) / 61;
    (void)state;
    in.plan.ep = 8;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (stream + attention + latent + feed),
                1e-14);
    /* Made again from the latents: q, k 128*192 each, v 128*128. */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE),
                4096 * (stream + attention + latent + feed - 2 * 128 * (192 + 192 + 128.0)), 1e-14);
    in.profile.imbalance = 1.5; /* only routed tokens pile up */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE),
                4096 * (stream + attention + latent + feed + 0.5 * 58 * experts / 61), 1e-14);
    in = spread(moe_model(), 4, 1, 2, 8, 4096);
    in.plan.ep = 8; /* four ranks split tokens and heads, not the latents */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE),
                4096 * ((stream + attention + feed) / 4 + latent), 1e-14);
    in.plan.ep = 2;
    in.plan.etp = 4; /* every rank sees the tokens of four, on a quarter of the expert */
    experts = 8 * (4 * 14336 + 12288.0);
    feed = (3 * 110592 + 58 * (experts + shared)) / 61;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE),
                4096 * ((stream + attention + feed) / 4 + latent), 1e-14);
}

/* A dense layer and a MoE layer of the same model: 110,592 against 8 * 26,624 + 13,312 per token. */
static void test_kinds_of_layer(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096);
    struct bp_layer_mix dense = {1, 1, 0}, moe = {2, 0, 2};
    const double rest = 57344 + 163840 + 512 + 8448;
    struct ready_case r;
    const struct bp_train_case *c;
    (void)state;
    in.plan.ep = 8;
    c = make_ready(&r, &in);
    assert_near(mix_bytes(c, dense, BP_RECOMPUTE_NONE), 4096 * (rest + 110592), 1e-14);
    assert_near(mix_bytes(c, moe, BP_RECOMPUTE_NONE), 2 * 4096 * (rest + 8 * 26624.0 + 13312),
                1e-14);
    assert_near(mix_bytes(c, moe, BP_RECOMPUTE_FULL), 2 * 4096 * 14336.0, 1e-14);
}

/* Llama 70B: two norm outputs of 8192 elements, and the product of gate and up, 28672, in 16 bit. */
static void test_modules_recomputed(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    (void)state;
    in.plan.recompute_norms = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (274688 - 2 * 8192 * 2.0), 1e-15);
    in.plan.recompute_activation = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (274688 - 2 * 8192 * 2.0 - 28672 * 2.0),
                1e-15);
    assert_near(layer_bytes(&in, BP_RECOMPUTE_FULL), 4096 * 2 * 8192.0, 1e-15);
}

/* Of the residual stream, of gate and of up, in 16 bit: there where backward passes the activation function. */
#define GRADIENTS (4096 * 2 * (8192 + 2 * 28672.0))

/*
** RMS norms that run one operation after the other keep their input in fp32, and in 16 bit what a weight that learns
** multiplies: with all others, and beside scales of outputs, but not beside adapters.
*/
static void test_norms_that_learn(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    double eager, frozen;
    (void)state;
    in.profile.eager_kept = 1;
    eager = layer_bytes(&in, BP_RECOMPUTE_NONE);
    in.plan.lora_rank = 2;
    in.plan.lora_targets = BP_LORA_TARGETS_ALL; /* whose inputs are kept in any case */
    frozen = layer_bytes(&in, BP_RECOMPUTE_NONE);
    assert_near(eager - frozen, 4096 * 2 * 2 * 8192.0, 1e-12);
    in.plan.lora_targets = BP_LORA_TARGETS_OUTPUTS;
    frozen = layer_bytes(&in, BP_RECOMPUTE_NONE);
    in.model.norm = BP_NORM_LAYER; /* which keeps its input alone */
    assert_near(frozen - layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 2 * (2 + 2) * 8192.0, 1e-12);
}

/* Gate, up and their product, 3 * 28672 elements; they are back while the layer's backward runs. */
static void test_mlp_recomputed(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    struct ready_case r;
    struct bp_part_kept kept;
    (void)state;
    in.plan.recompute_mlp = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (274688 - 3 * 28672 * 2.0), 1e-15);
    in.plan.recompute_activation = 1; /* a part of it */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (274688 - 3 * 28672 * 2.0), 1e-15);
    kept = bp_part_kept(make_ready(&r, &in));
    assert_near(kept.stages[0].kept, 80 * 4096 * (274688 - 3 * 28672 * 2.0), 1e-14);
    assert_near(kept.stages[0].working, 4096 * 3 * 28672 * 2.0 + GRADIENTS, 1e-14);
    in.plan.recompute_moe = in.plan.recompute_shared = in.plan.recompute_up_proj =
        1; /* it has none */
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (274688 - 3 * 28672 * 2.0), 1e-15);
}

/* DeepSeek-V3, see test_moe: a MoE layer keeps 8 * 26,624 of visits, 1,024 of scores, 12,288 shared. */
static void test_moe_recomputed(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 1, 1, 8, 8, 4096), up;
    const double all = 57344 + 163840 + 512 + 8448 + (3 * 110592 + 58 * (8 * 26624.0 + 13312)) / 61;
    (void)state;
    in.plan.ep = 8;
    up = in;
    in.plan.recompute_shared = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (all - 58 * 12288.0 / 61), 1e-14);
    in.plan.recompute_moe = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * (all - 58 * (8 * 26624.0 + 13312) / 61),
                1e-14);
    up.plan.recompute_up_proj = 1;
    assert_near(layer_bytes(&up, BP_RECOMPUTE_NONE), layer_bytes(&up, BP_RECOMPUTE_SELECTIVE), 0);
    assert_near(layer_bytes(&up, BP_RECOMPUTE_NONE), 4096 * (all - 2 * 128 * 512.0), 1e-14);
    up.plan.flash = 0; /* selective is the core then; the module stays what it is */
    assert_true(layer_bytes(&up, BP_RECOMPUTE_SELECTIVE) < layer_bytes(&up, BP_RECOMPUTE_NONE));
}

/* Three quarters wait in host memory; two layers' worth are on their way there and back. */
static void test_offloaded(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    const double layer = 4096 * 274688.0;
    struct ready_case r;
    struct bp_part_kept kept;
    (void)state;
    in.plan.offload_activations = 0.75;
    kept = bp_part_kept(make_ready(&r, &in));
    assert_near(kept.stages[0].host, 60 * layer, 1e-14);
    assert_near(kept.stages[0].kept, 20 * layer, 1e-14);
    assert_near(kept.stages[0].working, 2 * layer + GRADIENTS, 1e-14);
    in.plan.recompute = BP_RECOMPUTE_FULL; /* of each layer its input, and the rest made again */
    in.plan.offload_activations = 1;
    kept = bp_part_kept(make_ready(&r, &in));
    assert_near(kept.stages[0].host, 80 * 4096 * 2 * 8192.0, 1e-14);
    assert_near(kept.stages[0].kept, 0, 0);
    assert_near(kept.stages[0].working, layer + 4096 * 2 * 8192.0 + GRADIENTS, 1e-14);
}

/*
** What comes into the layer and out of attention, 2 * 8192 each, the log-sum-exp, and half of what the matmuls make:
** 8192 + 2 * 1024 of queries, keys and values, 8192, twice 28672, and 8192, of two bytes. An eighth of it on eight
** ranks, and in 8 bit no less.
*/
static void test_every_other_matmul_kept(void **state) {
    const double kept = 4096 * (2 * 2 * 8192 + 256 + (3 * 8192 + 2 * 1024 + 2 * 28672.0));
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    (void)state;
    in.profile.selective = BP_SELECTIVE_POLICY;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), kept, 1e-14);
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 274688.0, 1e-14);
    in.plan.precision = BP_PRECISION_FP8;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), kept, 1e-14);
    in.plan.tp = 8;
    in.network.devices = 8;
    in.plan.sequence_parallel = 1;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), kept / 8, 1e-14);
}

/* Norms' outputs that are gathered for a matmul: an eighth of them on eight ranks, or two whole ones. */
static void test_gathered_inputs_kept(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 8, 1, 1, 1, 4096);
    double again, kept;
    (void)state;
    in.plan.sequence_parallel = 1;
    again = layer_bytes(&in, BP_RECOMPUTE_NONE);
    in.profile.whole_inputs = 1;
    kept = layer_bytes(&in, BP_RECOMPUTE_NONE);
    assert_near(kept - again, 4096 * (2 * 2 * 8192.0) * 7 / 8, 1e-12);
    assert_near(layer_bytes(&in, BP_RECOMPUTE_FULL), 4096 * 2 * 8192.0 / 8, 1e-14);
    in.plan.sequence_parallel = 0; /* everybody has all of it anyway */
    kept = layer_bytes(&in, BP_RECOMPUTE_NONE);
    in.profile.whole_inputs = 0;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), kept, 0);
}

/*
** Of a token, 16-bit outputs of the first matmul, 2 * 28672 wide, in 8 bit; and attention's output, 8192 wide, in twelve
** bits in place of sixteen and of eight for the projection. 16-bit training keeps all as it is.
*/
static void test_narrow_kept(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    double plain;
    (void)state;
    in.plan.precision = BP_PRECISION_FP8;
    plain = layer_bytes(&in, BP_RECOMPUTE_NONE);
    in.profile.narrow_kept = 1;
    assert_near(plain - layer_bytes(&in, BP_RECOMPUTE_NONE),
                4096 * (2 * 28672 + 8192 * (2 + 1 - 1.5)), 1e-12);
    in.plan.precision = BP_PRECISION_BF16;
    plain = layer_bytes(&in, BP_RECOMPUTE_NONE);
    in.profile.narrow_kept = 0;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), plain, 0);
}

/* Of experts those that a token visits count: 8192 comes in, of two experts every second matrix stays. */
static void test_every_other_expert_matmul_kept(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    double dense, visits;
    (void)state;
    in.profile.selective = BP_SELECTIVE_POLICY;
    dense = layer_bytes(&in, BP_RECOMPUTE_SELECTIVE);
    in.model.experts = 8;
    in.model.topk = 2;
    in.model.moe_ffn = 28672;
    visits = layer_bytes(&in, BP_RECOMPUTE_SELECTIVE);
    /* one more feed-forward part of 2 * 28672 + 8192, and the scores of 8 experts, half of each kept */
    assert_near(visits - dense, 4096 * (2 * 28672 + 8192 + 8.0), 1e-12);
}

/*
** Projections of attention, whose outputs are kept beside the layer's input: 2 * 8192 for that, the 36,864 of queries,
** keys, values and the last projection, and the log-sum-exp; in 8 bit no more.
*/
static void test_projections_kept(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    (void)state;
    in.profile.selective = BP_SELECTIVE_PROJECTIONS;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), 4096 * (2 * 8192 + 36864 + 256.0), 1e-14);
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 4096 * 274688.0, 1e-14);
    in.plan.precision = BP_PRECISION_FP8;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_SELECTIVE), 4096 * (2 * 8192 + 36864 + 256.0), 1e-14);
}

static void test_share_of_layers(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 1, 1, 4096);
    double none = layer_bytes(&in, BP_RECOMPUTE_NONE), full = layer_bytes(&in, BP_RECOMPUTE_FULL);
    (void)state;
    in.plan.recompute = BP_RECOMPUTE_FULL;
    in.plan.recompute_share = 0.25;
    assert_near(kept_bytes(&in), 0.25 * full + 0.75 * none, 1e-15);
    in.plan.recompute_share = 0;
    assert_near(kept_bytes(&in), none, 1e-15);
    in.plan.recompute = BP_RECOMPUTE_NONE;
    in.plan.recompute_share = 1; /* says nothing without recomputation */
    assert_near(kept_bytes(&in), none, 1e-15);
}

/* ViT-L/16: 8 h for the stream, 24 h inside, as in the GPT layer; log-sum-exp of 16 heads. */
static void test_vision(void **state) {
    struct bp_train_step_in in = spread(vit_model(), 1, 1, 1, 64, 197);
    (void)state;
    in.plan.micro_batch = 64;
    assert_near(layer_bytes(&in, BP_RECOMPUTE_NONE), 64 * 197 * (32 * 1024.0 + 64), 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_parallel),
        cmocka_unit_test(test_sequence_parallel),
        cmocka_unit_test(test_flash),
        cmocka_unit_test(test_norms_that_learn),
        cmocka_unit_test(test_score_formats),
        cmocka_unit_test(test_gated_grouped),
        cmocka_unit_test(test_replicated_keys),
        cmocka_unit_test(test_context_parallel),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_moe),
        cmocka_unit_test(test_kinds_of_layer),
        cmocka_unit_test(test_modules_recomputed),
        cmocka_unit_test(test_mlp_recomputed),
        cmocka_unit_test(test_moe_recomputed),
        cmocka_unit_test(test_offloaded),
        cmocka_unit_test(test_every_other_matmul_kept),
        cmocka_unit_test(test_every_other_expert_matmul_kept),
        cmocka_unit_test(test_gathered_inputs_kept),
        cmocka_unit_test(test_narrow_kept),
        cmocka_unit_test(test_projections_kept),
        cmocka_unit_test(test_share_of_layers),
        cmocka_unit_test(test_vision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
