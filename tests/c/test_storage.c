/* Stores, checkpoints and retention by hand. */
#include "kernel/platform/storage.h"
#include "near.h"

static struct bp_embedding_store_in store_in(double entities, int64_t dim, int index) {
    struct bp_embedding_store_in in;
    bp_defaults(&bp_embedding_store_in_schema, &in);
    in.entities = entities;
    in.dim = dim;
    in.index = index;
    return in;
}

static struct bp_embedding_store_out store(struct bp_embedding_store_in in) {
    struct bp_embedding_store_out out;
    struct bp_error err;
    assert_int_equal(bp_embedding_store(&in, &out, &err), BP_OK);
    return out;
}

static void test_flat(void **state) {
    struct bp_embedding_store_in in = store_in(1e9, 128, BP_VECTOR_INDEX_FLAT);
    struct bp_embedding_store_out out;
    (void)state;
    in.replication = 3;
    in.device_bytes = 80e9;
    out = store(in);
    assert_near(out.raw_bytes, 512e9, 1e-15);
    assert_near(out.index_bytes, 0, 0);
    assert_near(out.total_bytes, 1.536e12, 1e-15);
    assert_near(out.shards, 7, 0);
    in.versions = 2;
    assert_near(store(in).total_bytes, 3.072e12, 1e-15);
    in.growth_per_s = 10;
    in.horizon_s = 1e7;
    assert_near(store(in).entities, 1.1e9, 1e-15);
    assert_near(store(in).raw_bytes, 1.1 * 512e9, 1e-12);
}

/* 1e6 vectors of 64: lists 4000; centroids 4000*64*4; codes 16 + id 8; codebooks 256*64*4. */
static void test_indexes(void **state) {
    struct bp_embedding_store_in in = store_in(1e6, 64, BP_VECTOR_INDEX_IVF);
    struct bp_embedding_store_out out = store(in);
    (void)state;
    assert_near(out.index_bytes, 8e6 + 1024000, 1e-15);
    in.index = BP_VECTOR_INDEX_IVF_PQ;
    out = store(in);
    assert_near(out.index_bytes, 24e6 + 1024000 + 65536, 1e-15);
    assert_near(out.memory_bytes, out.index_bytes, 0);
    assert_near(out.copy_bytes, out.index_bytes + 256e6, 1e-15);
    in.keep_raw = 0;
    assert_near(store(in).copy_bytes, out.index_bytes, 1e-15);
    in = store_in(1e6, 64, BP_VECTOR_INDEX_HNSW);
    in.links = 16;
    out = store(in);
    assert_near(out.index_bytes, 4e6 * (32 + 16.0 / 15), 1e-15);
    assert_near(out.memory_bytes, 256e6 + out.index_bytes, 1e-15);
    assert_near(out.overhead_frac, out.index_bytes / 256e6, 1e-15);
}

static void test_code_larger_than_vector(void **state) {
    struct bp_embedding_store_in in = store_in(1e6, 64, BP_VECTOR_INDEX_IVF_PQ);
    struct bp_embedding_store_out out;
    struct bp_error err;
    (void)state;
    in.code_bytes = 257;
    assert_int_equal(bp_embedding_store(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "code_bytes");
}

static struct bp_checkpoints_in saves(int64_t keep_last, double keep_every_s) {
    struct bp_checkpoints_in in;
    bp_defaults(&bp_checkpoints_in_schema, &in);
    in.params = 70e9;
    in.interval_s = 3600;
    in.run_s = 30 * 86400.0 + 10;
    in.keep_last = keep_last;
    in.keep_every_s = keep_every_s;
    in.write_bytes_s = 49e9;
    return in;
}

static struct bp_checkpoints_out save(struct bp_checkpoints_in in) {
    struct bp_checkpoints_out out;
    struct bp_error err;
    assert_int_equal(bp_checkpoints(&in, &out, &err), BP_OK);
    return out;
}

static void test_checkpoints(void **state) {
    struct bp_checkpoints_in in = saves(0, 0);
    struct bp_checkpoints_out out = save(in);
    struct bp_error err;
    (void)state;
    assert_near(out.checkpoint_bytes, 980e9, 1e-15);
    assert_near(out.written, 720, 0);
    assert_near(out.kept, 720, 0);
    assert_near(out.write_s, 20, 1e-12);
    assert_near(out.writing_frac, 20.0 / 3600, 1e-12);
    in = saves(3, 86400);
    in.replication = 2;
    out = save(in);
    assert_near(out.kept, 33, 0);
    assert_near(out.stored_bytes, 33 * 980e9 * 2, 1e-15);
    assert_near(out.mean_write_bytes_s, 2 * 980e9 / 3600, 1e-12);
    assert_near(save(saves(1000, 0)).kept, 720, 0); /* never more than were written */
    in = saves(3, 60);
    assert_int_equal(bp_checkpoints(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "keep_every_s");
}

static struct bp_retention_out keep(double ttl_days, double horizon_days) {
    struct bp_retention_in in;
    struct bp_retention_out out;
    struct bp_error err;
    bp_defaults(&bp_retention_in_schema, &in);
    in.write_bytes_s = 2e12 / 86400;
    in.ttl_s = ttl_days * 86400;
    in.horizon_s = horizon_days * 86400;
    in.replication = 3;
    in.compression = 2;
    assert_int_equal(bp_retention(&in, &out, &err), BP_OK);
    return out;
}

static void test_retention(void **state) {
    struct bp_retention_out out = keep(7, 30);
    (void)state;
    assert_near(out.per_day_bytes, 3e12, 1e-12);
    assert_true(out.steady);
    assert_near(out.steady_bytes, 21e12, 1e-12);
    assert_near(out.horizon_bytes, 21e12, 1e-12);
    out = keep(90, 30);
    assert_false(out.steady);
    assert_near(out.horizon_bytes, 90e12, 1e-12);
    assert_near(out.steady_bytes, 270e12, 1e-12);
    out = keep(0, 30);
    assert_false(out.steady);
    assert_near(out.horizon_bytes, 90e12, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_indexes),
        cmocka_unit_test(test_code_larger_than_vector),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_retention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
