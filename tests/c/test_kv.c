/* Key/value caches by hand for every kind of attention. */
#include "kernel/count/kv.h"
#include "near.h"

static struct bp_kv_cache_in cache_in(int64_t layers, int64_t heads, int64_t kv_heads,
                                      double tokens) {
    struct bp_kv_cache_in in;
    bp_defaults(&bp_kv_cache_in_schema, &in);
    in.model.layers = layers;
    in.model.hidden = heads * 128;
    in.model.heads = heads;
    in.model.kv_heads = kv_heads;
    in.model.ffn_hidden = 1024;
    in.tokens = tokens;
    return in;
}

static struct bp_kv_cache_out run(struct bp_kv_cache_in in) {
    struct bp_kv_cache_out out;
    struct bp_error err;
    assert_int_equal(bp_kv_cache(&in, &out, &err), BP_OK);
    return out;
}

static void test_multi_head(void **state) {
    struct bp_kv_cache_in in = cache_in(32, 32, 0, 512);
    struct bp_kv_cache_out out;
    (void)state;
    in.sequences = 32;
    out = run(in);
    assert_near(out.bytes_per_token, 2 * 32 * 4096 * 2.0, 1e-15);
    assert_near(out.total_bytes, 8589934592.0, 1e-15);
    assert_near(out.device_bytes, out.total_bytes, 1e-15);
    in.bytes_per_value = 1;
    assert_near(run(in).total_bytes, 4294967296.0, 1e-15);
    in.tokens = 0;
    assert_near(run(in).total_bytes, 0, 0);
}

/* 80 layers, 8 key/value heads of 128: 327,680 B per token. */
static void test_grouped_query(void **state) {
    struct bp_kv_cache_in in = cache_in(80, 64, 8, 4096);
    (void)state;
    assert_near(run(in).bytes_per_token, 327680, 1e-15);
    in.tp = 8;
    assert_near(run(in).device_bytes * 8, run(in).total_bytes, 1e-12);
    in.tp = 16; /* more ranks than heads: each rank still holds one */
    assert_near(run(in).device_bytes * 8, run(in).total_bytes, 1e-12);
    in.tp = 8;
    in.pp = 3; /* 27 of 80 layers on the fullest stage */
    assert_near(run(in).device_bytes, run(in).total_bytes / 8 * 27 / 80, 1e-12);
    in.pool_bytes = 40e9;
    assert_near(run(in).max_sequences, floor(40e9 / (327680 * 4096.0 / 8 * 27 / 80)), 0);
}

/* DeepSeek-V3: 61 layers of 512 + 64 values. */
static void test_latent(void **state) {
    struct bp_kv_cache_in in = cache_in(61, 128, 0, 1000);
    (void)state;
    in.model.kv_lora_rank = 512;
    in.model.qk_rope_dim = 64;
    in.model.qk_nope_dim = 128;
    in.model.v_head_dim = 128;
    assert_near(run(in).bytes_per_token, 61 * 576 * 2, 1e-15);
    in.tp = 8;
    assert_near(run(in).device_bytes, run(in).total_bytes, 1e-15);
    in.model.index_layers = 61; /* DeepSeek-V3.2: an indexer key of 128 beside each */
    in.model.index_heads = 64;
    in.model.index_dim = 128;
    in.model.index_topk = 2048;
    assert_near(run(in).bytes_per_token, 61 * (576 + 128) * 2, 1e-15);
}

/* Half of the layers look back 128 tokens: beyond that only the other half grows. */
static void test_windows(void **state) {
    struct bp_kv_cache_in in = cache_in(36, 64, 8, 100);
    double layer = 2 * 8 * 128 * 2;
    (void)state;
    in.model.sliding_window = 128;
    in.model.window_layers = 18;
    assert_near(run(in).total_bytes, 36 * layer * 100, 1e-12);
    in.tokens = 8192;
    assert_near(run(in).total_bytes, 18 * layer * (128 + 8192), 1e-12);
    assert_near(run(in).bytes_per_token, 36 * layer, 1e-12);
    /* An engine that forgets nothing, and one with room for half of what the others hold. */
    in.tokens = 1000;
    in.window_kept = 1;
    assert_near(run(in).sequence_bytes, 36 * 1000 * layer, 1e-15);
    in.window_kept = 0.5;
    assert_near(run(in).sequence_bytes, 18 * (1000 + 500) * layer, 1e-15);
    in.tokens = 200; /* half of it is less than the window */
    assert_near(run(in).sequence_bytes, 18 * (200 + 128) * layer, 1e-15);
    in.tokens = 8192;
    in.window_kept = 0;
    in.model.global_kv_heads = 2; /* layers without window are narrower */
    assert_near(run(in).total_bytes, 18 * layer * (128 + 8192 / 4.0), 1e-12);
    in.model.global_shared_kv = 1;
    assert_near(run(in).total_bytes, 18 * layer * (128 + 8192 / 8.0), 1e-12);
}

/* A compressed layer: its window, and one key per 16 tokens. */
static void test_compressed_keys(void **state) {
    struct bp_kv_cache_in in = cache_in(10, 8, 1, 1600);
    double token = 2 * 128 * 2;
    (void)state;
    in.model.sliding_window = 64;
    in.model.compress_layers = 4;
    in.model.compress_ratio = 16;
    assert_near(run(in).total_bytes, (10 * 64 + 4 * 100) * token, 1e-12);
    in.window_kept = 1; /* what is compressed is not kept besides */
    assert_near(run(in).total_bytes, (10 * 64 + 4 * 100) * token, 1e-12);
}

/* 3 of 4 layers are linear: 32 heads of 128 x 128 and 3 taps of 2*16*128 + 32*128 channels. */
static void test_states(void **state) {
    struct bp_kv_cache_in in = cache_in(48, 16, 2, 1000);
    double matrix = 32 * 128 * 128, conv = 3 * (2 * 16 * 128 + 32 * 128);
    (void)state;
    in.model.linear_layers = 36;
    in.model.linear_key_heads = 16;
    in.model.linear_value_heads = 32;
    in.model.linear_key_dim = 128;
    in.model.linear_value_dim = 128;
    in.model.conv_kernel = 4;
    assert_near(run(in).bytes_per_token, 12 * 2 * 2 * 128 * 2, 1e-12);
    assert_near(run(in).state_bytes, 36 * (matrix + conv) * 4, 1e-12);
    assert_near(run(in).sequence_bytes, 1000 * 12288.0 + run(in).state_bytes, 1e-12);
    in.tokens = 2000;
    assert_near(run(in).state_bytes, 36 * (matrix + conv) * 4, 1e-12);
}

static void test_bad_model(void **state) {
    struct bp_kv_cache_in in = cache_in(32, 32, 5, 512);
    struct bp_kv_cache_out out;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_kv_cache(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "model.kv_heads");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multi_head),      cmocka_unit_test(test_grouped_query),
        cmocka_unit_test(test_latent),          cmocka_unit_test(test_windows),
        cmocka_unit_test(test_compressed_keys), cmocka_unit_test(test_states),
        cmocka_unit_test(test_bad_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
