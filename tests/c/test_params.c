/* Parameter counts: by hand for small shapes, to the last digit for published models. */
#include "near.h"

#include "kernel/count/params.h"

static struct bp_model shape(int64_t layers, int64_t hidden, int64_t heads, int64_t ffn,
                             int64_t vocab) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.layers = layers;
    m.hidden = hidden;
    m.heads = heads;
    m.ffn_hidden = ffn;
    m.vocab = vocab;
    return m;
}

static struct bp_params_out count(struct bp_model m) {
    struct bp_params_in in;
    struct bp_params_out out;
    struct bp_error err = {BP_OK, "", ""};
    in.model = m;
    if (bp_params(&in, &out, &err) != BP_OK) {
        fail_msg("%s: %s", err.field, err.text);
    }
    return out;
}

static void make_gpt(struct bp_model *m, int64_t positions) {
    m->gated_mlp = 0;
    m->norm = BP_NORM_LAYER;
    m->qkv_bias = m->out_bias = m->mlp_bias = 1;
    m->learned_positions = positions;
}

static void make_moe(struct bp_model *m, int64_t experts, int64_t topk, int64_t width) {
    m->experts = experts;
    m->topk = topk;
    m->moe_ffn = width;
}

static struct bp_model deepseek_v3(void) {
    struct bp_model m = shape(61, 7168, 128, 18432, 129280);
    m.kv_lora_rank = 512;
    m.q_lora_rank = 1536;
    m.qk_rope_dim = 64;
    m.qk_nope_dim = 128;
    m.v_head_dim = 128;
    make_moe(&m, 256, 8, 2048);
    m.shared_experts = 1;
    m.dense_layers = 3;
    m.router_bias = 1;
    m.mtp_layers = 1;
    return m;
}

/*
** 2 layers, hidden 8, 2 heads of 4, 1 key/value head, gated width 16, 10 rows:
** attention 8*8 + 2*8*4 + 8*8 = 192, mlp 3*8*16 = 384, norms of a layer 16, embedding 80, head 80.
*/
static void parts_of_a_dense_model(void **state) {
    struct bp_model m = shape(2, 8, 2, 16, 10);
    struct bp_params_out p;
    (void)state;
    m.kv_heads = 1;
    p = count(m);
    assert_int_equal(p.attention_layer, 192);
    assert_int_equal(p.global_layer, 192);
    assert_int_equal(p.attention, 384);
    assert_int_equal(p.mlp_layer, 384);
    assert_int_equal(p.mlp, 768);
    assert_int_equal(p.mlp_layers, 2);
    assert_int_equal(p.moe_layers, 0);
    assert_int_equal(p.norm_layer, 16);
    assert_int_equal(p.norms, 40);
    assert_int_equal(p.embedding, 80);
    assert_int_equal(p.head, 80);
    assert_int_equal(p.total_params, 384 + 768 + 40 + 160);
    assert_int_equal(p.active_params, p.total_params);
    assert_int_equal(p.matmul_params_active, 384 + 768 + 80);
    m.tied_embeddings = 1;
    p = count(m);
    assert_int_equal(p.head, 0);
    assert_int_equal(p.total_params, 384 + 768 + 40 + 80);
    assert_int_equal(p.matmul_params_active, 384 + 768 + 80);
    m.lm_head = 0;
    assert_int_equal(count(m).matmul_params_active, 384 + 768);
}

/* The same with biases (q 8, k and v 4 each, out 8; mlp 16 + 16 + 8), qk norms 4 + 4, sinks 2, gate. */
static void small_parts(void **state) {
    struct bp_model m = shape(2, 8, 2, 16, 10);
    (void)state;
    m.kv_heads = 1;
    m.qkv_bias = m.out_bias = m.mlp_bias = 1;
    assert_int_equal(count(m).attention_layer, 192 + 24);
    assert_int_equal(count(m).mlp_layer, 384 + 40);
    m.gated_mlp = 0;
    assert_int_equal(count(m).mlp_layer, 256 + 24);
    m.qk_norm_dim = 4;
    m.attention_sinks = 1;
    assert_int_equal(count(m).attention_layer, 192 + 24 + 8 + 2);
    m.k_norm_dim = 3;
    assert_int_equal(count(m).attention_layer, 192 + 24 + 7 + 2);
    m.attention_gate = 1; /* query twice as wide: 64 more weights, 8 more biases */
    assert_int_equal(count(m).attention_layer, 192 + 24 + 7 + 2 + 72);
    m = shape(2, 8, 2, 16, 10);
    m.norm = BP_NORM_NONE;
    assert_int_equal(count(m).norms, 0);
    m.norm = BP_NORM_LAYER;
    m.norms_per_layer = 4;
    m.embedding_norm = 1;
    assert_int_equal(count(m).norms, 16 * (2 * 4 + 1 + 1));
    m.head_bias = 1;
    assert_int_equal(count(m).head, 80 + 10);
    m.embedding_dim = 4; /* 10 rows of 4, 4 x 8 in, 8 x 4 out, head 4 x 10 with bias 10 */
    assert_int_equal(count(m).embedding, 40 + 32);
    assert_int_equal(count(m).head, 40 + 10 + 32);
}

/*
** 3 layers of which 1 dense; 4 experts of 3*8*5 = 120, router 8*4 + 4, shared 3*8*5 with gate 8:
** moe layer 36 + 480 + 128 = 644; two of four experts idle 2 * 120 in two layers.
*/
static void parts_of_a_moe_model(void **state) {
    struct bp_model m = shape(3, 8, 2, 16, 10);
    struct bp_params_out p;
    (void)state;
    make_moe(&m, 4, 2, 5);
    m.dense_layers = 1;
    m.router_bias = 1;
    m.shared_experts = 1;
    m.shared_gate = 1;
    p = count(m);
    assert_int_equal(p.expert, 120);
    assert_int_equal(p.router, 36);
    assert_int_equal(p.shared, 128);
    assert_int_equal(p.moe_layer, 644);
    assert_int_equal(p.moe_layers, 2);
    assert_int_equal(p.mlp_layers, 1);
    assert_int_equal(p.expert_params, 2 * 480);
    assert_int_equal(p.total_params - p.active_params, 2 * 2 * 120);
    assert_int_equal(p.total_params, 3 * 256 + 384 + 2 * 644 + 7 * 8 + 160);
    m.moe_latent = 2; /* experts 3*2*5 = 30, projections 2*8*2 */
    p = count(m);
    assert_int_equal(p.expert, 30);
    assert_int_equal(p.moe_layer, 36 + 120 + 128 + 32);
    m.topk = 4;
    p = count(m);
    assert_int_equal(p.active_params, p.total_params);
}

/*
** Linear attention, 1 key head of 2, 2 value heads of 3, 4 taps: in 8*(2*2 + 2*6 + 2*2) = 160, conv
** (4 + 6)*4 = 40, out 6*8 = 48, decay and time step 4, norm 3. Mamba-2, 2 heads of 3, state 5, 1 group:
** in 8*(6 + 16 + 2) = 192, conv 16*4 = 64, out 48, scalars 6, norm 6.
*/
static void parts_of_a_hybrid(void **state) {
    struct bp_model m = shape(4, 8, 2, 16, 10);
    struct bp_params_out p;
    (void)state;
    m.linear_layers = 2;
    m.linear_key_heads = 1;
    m.linear_key_dim = 2;
    m.linear_value_heads = 2;
    m.linear_value_dim = 3;
    m.conv_kernel = 4;
    m.mamba_layers = 1;
    m.mamba_heads = 2;
    m.mamba_head_dim = 3;
    m.ssm_state = 5;
    m.ssm_groups = 1;
    p = count(m);
    assert_int_equal(p.linear_layer, 255);
    assert_int_equal(p.linear, 510);
    assert_int_equal(p.mamba_layer, 316);
    assert_int_equal(p.attention_layers, 1);
    assert_int_equal(p.total_params, 510 + 316 + 256 + 4 * 384 + 9 * 8 + 160);
    assert_int_equal(p.matmul_params_active, 2 * 248 + 304 + 256 + 4 * 384 + 80);
    m.conv_bias = 1;
    p = count(m);
    assert_int_equal(p.linear_layer, 255 + 10);
    assert_int_equal(p.mamba_layer, 316 + 16);
}

/*
** Windowed layers: 2 heads of 4, 2 key/value heads (256). Without window: 1 head of 8 is key and value
** at once: 8*16 + 8*8 + 16*8 = 320; norms of 4 grow to 8.
*/
static void layers_without_window_differ(void **state) {
    struct bp_model m = shape(3, 8, 2, 16, 10);
    struct bp_params_out p;
    (void)state;
    m.qk_norm_dim = 4;
    m.sliding_window = 32;
    m.window_layers = 2;
    m.global_kv_heads = 1;
    m.global_head_dim = 8;
    m.global_shared_kv = 1;
    p = count(m);
    assert_int_equal(p.attention_layer, 256 + 8);
    assert_int_equal(p.global_layer, 320 + 16);
    assert_int_equal(p.global_layers, 1);
    assert_int_equal(p.attention, 2 * 264 + 336);
}

/*
** Query through rank 3: 8*3 + 3*8 + 3; one projection 8*8 for keys and values; output in 2 groups
** through rank 2: 8*2 + 2*2*8. Indexer of 2 heads of 5, ratio 4: query 3*10, weights 8*2, pooled keys
** 2*8*10 + 4*10 + 5, pooled latents 2*8*8 + 4*8 + 4. Ratio 16: 2*8*4 + 16*4 + 4.
*/
static void selected_and_compressed_keys(void **state) {
    struct bp_model m = shape(4, 8, 2, 16, 10);
    struct bp_params_out p;
    (void)state;
    m.q_lora_rank = 3;
    m.shared_kv = 1;
    m.o_lora_rank = 2;
    m.o_groups = 2;
    m.index_layers = 2;
    m.index_heads = 2;
    m.index_dim = 5;
    m.index_topk = 7;
    m.index_ratio = 4;
    m.compress_layers = 1;
    m.compress_ratio = 16;
    p = count(m);
    assert_int_equal(p.attention_layer, p.global_layer);
    assert_int_equal(p.global_layer, 51 + 64 + 48);
    assert_int_equal(p.index_layer, 30 + 16 + 205 + 164);
    assert_int_equal(p.compress_layer, 132);
    assert_int_equal(p.attention, 4 * 163 + 2 * p.index_layer + 132);
    m.index_ratio = 1; /* one key 8*5 with its norm instead of pooled ones */
    assert_int_equal(count(m).index_layer, 30 + 16 + 40 + 10);
}

/* Per layer 2 * ((2+2)*2*2*8 + 8 + 3), at the end 2*2*8 + 3. */
static void residual_streams(void **state) {
    struct bp_model m = shape(3, 8, 2, 16, 10);
    (void)state;
    assert_int_equal(count(m).residual, 0);
    m.residual_streams = 2;
    assert_int_equal(count(m).residual, 3 * 2 * (128 + 11) + 35);
}

struct published {
    const char *name;
    struct bp_model model;
    int64_t total;
};

static void decoders_to_the_last_digit(void **state) {
    struct bp_model llama8 = shape(32, 4096, 32, 14336, 128256);
    struct bp_model llama70 = shape(80, 8192, 64, 28672, 128256);
    struct bp_model gpt2 = shape(12, 768, 12, 3072, 50257);
    struct bp_model falcon = shape(32, 4544, 71, 18176, 65024);
    struct bp_model bloom = shape(70, 14336, 112, 57344, 250880);
    struct bp_model gptj = shape(28, 4096, 16, 16384, 50400);
    struct bp_model opt = shape(24, 1024, 16, 4096, 50272);
    size_t i;
    (void)state;
    llama8.kv_heads = llama70.kv_heads = 8;
    make_gpt(&gpt2, 1024);
    gpt2.tied_embeddings = falcon.tied_embeddings = bloom.tied_embeddings = opt.tied_embeddings = 1;
    falcon.kv_heads = 1;
    falcon.gated_mlp = 0;
    falcon.norm = BP_NORM_LAYER;
    falcon.norms_per_layer = 1;
    make_gpt(&bloom, 0);
    bloom.embedding_norm = 1;
    make_gpt(&gptj, 0);
    gptj.qkv_bias = gptj.out_bias = 0;
    gptj.norms_per_layer = 1;
    gptj.head_bias = 1;
    make_gpt(&opt, 2050);
    opt.embedding_dim = 512;
    opt.final_norm = 0;
    const struct published cases[] = {
        {"Llama-3.1-8B", llama8, 8030261248}, {"Llama-3.1-70B", llama70, 70553706496},
        {"GPT-2", gpt2, 124439808},           {"Falcon-7B", falcon, 6921720704},
        {"BLOOM-176B", bloom, 176247271424},  {"GPT-J-6B", gptj, 6050882784},
        {"OPT-350M", opt, 331196416},
    };
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bp_params_out p = count(cases[i].model);
        if (p.total_params != cases[i].total) {
            fail_msg("%s: %lld", cases[i].name, (long long)p.total_params);
        }
        assert_int_equal(p.active_params, p.total_params);
    }
}

static void moe_to_the_last_digit(void **state) {
    struct bp_model mixtral = shape(32, 4096, 32, 14336, 32000);
    struct bp_model qwen3 = shape(48, 2048, 32, 6144, 151936);
    struct bp_model oss = shape(24, 2880, 64, 2880, 201088);
    struct bp_params_out p;
    (void)state;
    mixtral.kv_heads = 8;
    make_moe(&mixtral, 8, 2, 0);
    p = count(mixtral);
    assert_int_equal(p.total_params, 46702792704);
    assert_int_equal(p.active_params, 12879925248);
    assert_int_equal(p.expert_params, (int64_t)32 * 8 * 3 * 4096 * 14336);

    qwen3.kv_heads = 4;
    qwen3.head_dim = qwen3.qk_norm_dim = 128;
    make_moe(&qwen3, 128, 8, 768);
    p = count(qwen3);
    assert_int_equal(p.total_params, 30532122624);
    assert_int_equal(p.active_params, 3353032704);

    oss.kv_heads = 8;
    oss.head_dim = 64;
    oss.qkv_bias = oss.out_bias = oss.mlp_bias = oss.router_bias = oss.attention_sinks = 1;
    make_moe(&oss, 32, 4, 2880);
    assert_int_equal(count(oss).total_params, 20914757184);
}

/* The prediction layer is counted beside the 671,026,419,200 parameters, not in them. */
static void deepseek_to_the_last_digit(void **state) {
    struct bp_params_out p = count(deepseek_v3());
    struct bp_model without = deepseek_v3();
    (void)state;
    assert_int_equal(p.total_params, 671026419200);
    assert_int_equal(p.active_params, 37552297472);
    assert_int_equal(p.mtp, p.attention_layer + p.moe_layer + 2 * 7168 * 7168 + 5 * 7168);
    /* Of it a token meets 8 of 256 experts, no norm, and the head. */
    assert_int_equal(p.mtp_matmul_active,
                     187105280 + 9 * p.expert + 256 * 7168 + 2 * 7168 * 7168 + p.head);
    without.mtp_layers = 0;
    assert_int_equal(count(without).total_params, p.total_params);
    assert_int_equal(count(without).mtp, 0);
    assert_int_equal(count(without).mtp_matmul_active, 0);
}

static void encoders_to_the_last_digit(void **state) {
    struct bp_model bert = shape(12, 768, 12, 3072, 30522);
    struct bp_model vit = shape(12, 768, 12, 3072, 0);
    struct bp_params_out p;
    (void)state;
    make_gpt(&bert, 512);
    bert.arch = BP_ARCH_ENCODER;
    bert.token_types = 2;
    bert.embedding_norm = bert.pooler = 1;
    bert.final_norm = bert.lm_head = 0;
    assert_int_equal(count(bert).total_params, 109482240);

    make_gpt(&vit, 197);
    vit.arch = BP_ARCH_VISION;
    vit.image_size = 224;
    vit.patch_size = 16;
    vit.classes = 1000;
    p = count(vit);
    assert_int_equal(p.total_params, 86567656);
    assert_int_equal(p.embedding, 3 * 16 * 16 * 768 + 768 + 768);
    /* Patches and layers multiply every token; the class head does not. */
    assert_int_equal(p.matmul_params_active, 3 * 16 * 16 * 768 + 12 * 12 * 768 * 768);
    vit.extra_params = 1000;
    assert_int_equal(count(vit).total_params, 86567656 + 1000);
    assert_int_equal(count(vit).active_params, p.active_params);
}

static void refuses_what_is_not_exact(void **state) {
    struct bp_params_in in;
    struct bp_params_out out;
    struct bp_error err;
    (void)state;
    in.model = shape(100000, 10000000, 10, 100000000, 10);
    assert_int_equal(bp_params(&in, &out, &err), BP_EOVERFLOW);
    assert_string_equal(err.field, "model");
    in.model.heads = 3;
    assert_int_equal(bp_params(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "model.heads");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_dense_model),
        cmocka_unit_test(small_parts),
        cmocka_unit_test(parts_of_a_moe_model),
        cmocka_unit_test(parts_of_a_hybrid),
        cmocka_unit_test(layers_without_window_differ),
        cmocka_unit_test(selected_and_compressed_keys),
        cmocka_unit_test(residual_streams),
        cmocka_unit_test(decoders_to_the_last_digit),
        cmocka_unit_test(moe_to_the_last_digit),
        cmocka_unit_test(deepseek_to_the_last_digit),
        cmocka_unit_test(encoders_to_the_last_digit),
        cmocka_unit_test(refuses_what_is_not_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
