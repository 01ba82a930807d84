/* Recommendation models: bytes of tables and lookups, dense layers, shards and their exchange. */
#include "inference_fixture.h"
#include "kernel/serve/recommend.h"
#include "kernel/time/collective.h"
#include "near.h"

/* 26 tables of a million rows of 128, 26 lookups; four dense layers of 1000 x 1000. */
static struct bp_recommend_in recommend_in(int64_t devices) {
    struct bp_recommend_in in;
    bp_defaults(&bp_recommend_in_schema, &in);
    in.model.tables = 26;
    in.model.rows = 26e6;
    in.model.dim = 128;
    in.model.lookups = 26;
    in.model.dense_params = 4e6;
    in.model.dense_layers = 4;
    in.model.items = 10;
    in.model.dense_features = 13;
    in.device = ideal_device();
    in.network = round_network(8);
    in.runtime = ideal_runtime();
    in.batch = 1000;
    in.devices = devices;
    return in;
}

static struct bp_recommend_out recommend(struct bp_recommend_in in) {
    struct bp_recommend_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_recommend(&in, &out, &err), BP_OK);
    return out;
}

static void refused(struct bp_recommend_in in, const char *field) {
    struct bp_recommend_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_recommend(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_one_device(void **state) {
    struct bp_recommend_in in = recommend_in(1);
    struct bp_recommend_out out = recommend(in);
    (void)state;
    assert_near(out.table_bytes, 26e6 * 128 * 2, 1e-15);
    assert_near(out.memory_bytes, 26e6 * 256 + 8e6, 1e-15);
    assert_near(out.gather_bytes, 1000.0 * 26 * 256, 1e-15);
    assert_near(out.dense_s, 8e9 / PEAK16, 1e-9);
    assert_near(out.exchange_s, 0, 0);
    assert_near(out.requests_per_s, out.per_s / 10, 1e-15);
    assert_near(out.flop, 8e9, 1e-15);
    in.device.mem_bw_bytes_s = 1e9;
    in.runtime.gather = 0.5;
    out = recommend(in);
    assert_near(out.lookup_s, 1000.0 * 26 * 256 / 0.5e9, 1e-12);
    assert_int_equal(out.bound, BP_INFERENCE_BOUND_MEMORY);
    in.row_value_bytes = 0.25; /* rows of 32 B cost a burst of 64 */
    assert_near(recommend(in).gather_bytes, 1000.0 * 26 * 64, 1e-15);
    in.runtime.input_bytes_s = 1e6; /* 26 row numbers and 13 features an item */
    assert_near(recommend(in).input_s, 1000 * (26 * 8 + 13 * 4) / 1e6, 1e-12);
}

static void test_shards(void **state) {
    struct bp_recommend_in in = recommend_in(8);
    struct bp_recommend_out out = recommend(in), skewed;
    double pooled = 1000.0 * 26 * 128 * 2;
    (void)state;
    assert_near(out.memory_bytes, 26e6 * 256 / 8 + 8e6, 1e-15);
    assert_near(out.gather_bytes, 1000.0 * 26 * 256 / 8, 1e-15);
    assert_near(out.dense_s, 8e9 / 8 / PEAK16, 1e-9); /* 125 items each */
    assert_near(out.exchange_s,
                bp_collective_time(&in.network, BP_COLLECTIVE_OP_ALL_TO_ALL, pooled / 8, 8, 1),
                1e-12);
    in.skew = 2;
    skewed = recommend(in);
    assert_near(skewed.gather_bytes, 2 * out.gather_bytes, 1e-15);
    assert_near(skewed.memory_bytes - 8e6, 2 * (out.memory_bytes - 8e6), 1e-12);
    in.skew = 1;
    in.sharding = BP_SHARDING_ROW;
    assert_near(recommend(in).exchange_s,
                bp_collective_time(&in.network, BP_COLLECTIVE_OP_REDUCE_SCATTER, pooled, 8, 1),
                1e-12);
}

/* 90 % of 80 GB for tables: 6.656 GB fit one device, 66.56 GB as well, 665.6 GB take ten. */
static void test_memory(void **state) {
    struct bp_recommend_in in = recommend_in(1);
    (void)state;
    assert_true(recommend(in).fits);
    in.model.rows = 2.6e9;
    assert_false(recommend(in).fits);
    assert_near(recommend(in).devices_needed, 10, 0);
}

static void test_refused(void **state) {
    struct bp_recommend_in in = recommend_in(16);
    (void)state;
    refused(in, "devices"); /* of 8 */
    in = recommend_in(8);
    in.model.tables = 4;
    refused(in, "devices");
    in.sharding = BP_SHARDING_ROW;
    recommend(in);
    in.device.fp4_flop_s = 0;
    in.dtype = BP_DTYPE_FP4;
    refused(in, "dtype");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
