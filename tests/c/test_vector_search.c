/* Nearest-neighbour search: work by hand, monotone recall, shards, memory. */
#include "kernel/serve/vector_search.h"
#include "near.h"

#include <string.h>

/* 1 TFLOP/s and 100 GB/s a thread, everything else for free. */
static struct bp_vector_search_in search_in(int index, int64_t threads) {
    struct bp_vector_search_in in;
    bp_defaults(&bp_vector_search_in_schema, &in);
    in.host.threads = threads;
    in.host.peak_flop_s = 1e12;
    in.host.thread_bytes_s = 100e9;
    in.host.mem_bw_bytes_s = 100e9 * (double)threads;
    in.host.memory_bytes = 1e12;
    in.host.dense = in.host.scan = 1;
    in.host.lookup_flop = 100;
    in.host.access_s = in.host.query_s = in.host.result_s = in.host.call_s = 0;
    in.vectors = 1e6;
    in.dim = 128;
    in.index = index;
    return in;
}

static struct bp_vector_search_out search(struct bp_vector_search_in in) {
    struct bp_vector_search_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_vector_search(&in, &out, &err), BP_OK);
    return out;
}

static void refused(struct bp_vector_search_in in, const char *field) {
    struct bp_vector_search_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_vector_search(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

/* One query reads 512 MB at 100 GB/s; a thousand share the reading and compute 256 GFLOP. */
static void test_flat(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_FLAT, 1);
    struct bp_vector_search_out out = search(in);
    (void)state;
    assert_near(out.time_s, 512e6 / 100e9, 1e-12);
    assert_int_equal(out.bound, BP_SEARCH_BOUND_MEMORY);
    assert_near(out.recall, 1, 0);
    assert_near(out.scanned, 1e6, 0);
    in.batch = 1000;
    out = search(in);
    assert_near(out.time_s, 1000 * 256e6 / 1e12, 1e-12);
    assert_int_equal(out.bound, BP_SEARCH_BOUND_COMPUTE);
    in.host.query_s = 1;
    in.host.result_s = 0.5;
    in.results = 3;
    out = search(in);
    assert_near(out.time_s, 1000 * (256e6 / 1e12 + 2), 1e-12);
    assert_int_equal(out.bound, BP_SEARCH_BOUND_FIXED);
}

/* Four threads: queries that come together share a pass, those of different calls each make theirs. */
static void test_busy(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_FLAT, 4);
    (void)state;
    in.host.mem_bw_bytes_s = 200e9; /* half of what the threads could read */
    in.host.peak_flop_s = 1e16;
    assert_near(search(in).busy_per_s, 200e9 / 512e6, 1e-12);
    in.batch = 2; /* two calls, a pass each */
    assert_near(search(in).busy_per_s, 2 * 200e9 / 512e6, 1e-12);
    in.batch = 4; /* one call: the memory is read once, by threads of which each needs all of it */
    assert_near(search(in).busy_per_s, 4 * 100e9 / 512e6, 1e-12);
    in.batch = 8; /* two turns that share a pass, one call at a time */
    assert_near(search(in).busy_per_s, search(in).per_s, 1e-12);
    in.batch = 1;
    in.replicas = 3;
    assert_near(search(in).busy_per_s, 3 * 200e9 / 512e6, 1e-12);
}

/*
** 64 threads that compute 64 TFLOP/s together: 256 MFLOP a query, at most 250,000 a second. One query more than the threads
** takes no second turn of all, and replicas never answer fewer.
*/
static void test_no_thread_idle(void **state) {
    const enum bp_vector_index indexes[] = {BP_VECTOR_INDEX_FLAT,   BP_VECTOR_INDEX_PQ,
                                            BP_VECTOR_INDEX_BINARY, BP_VECTOR_INDEX_IVF,
                                            BP_VECTOR_INDEX_IVF_PQ, BP_VECTOR_INDEX_HNSW};
    struct bp_vector_search_in flat = search_in(BP_VECTOR_INDEX_FLAT, 64);
    size_t i;
    (void)state;
    flat.host.mem_bw_bytes_s = flat.host.thread_bytes_s = 1e15;
    for (flat.batch = 20; flat.batch < 200; flat.batch++) {
        struct bp_vector_search_out out = search(flat);
        assert_near(out.time_s, (double)flat.batch * 256e6 / 64e12, 1e-12);
        assert_near(out.busy_per_s, 250e3, 1e-12);
    }
    for (i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        struct bp_vector_search_in in = search_in(indexes[i], 64);
        double before = 0, more;
        in.code_bytes = indexes[i] == BP_VECTOR_INDEX_FLAT ? 0 : 16;
        for (in.batch = 1; in.batch < 200; in.batch++) {
            double now = search(in).busy_per_s;
            assert_true(now >= before * (1 - 1e-12));
            before = now;
        }
        in.batch = 39;
        for (before = 0, in.replicas = 1; in.replicas < 50; in.replicas++, before = more) {
            more = search(in).busy_per_s;
            assert_true(more > before);
        }
    }
}

/*
** A call is dealt over replicas only as far as its parts are still multiplied in blocks: no replica makes it slower. One
** query more takes no more than its share of time.
*/
static void test_dealt(void **state) {
    const double thread_bytes_s[] = {1e9, 20e9, 1e15};
    const int64_t threads[] = {4, 64, 512};
    size_t i, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_FLAT, threads[j]);
            in.host.thread_bytes_s = thread_bytes_s[i];
            in.host.mem_bw_bytes_s = 300e9;
            for (in.batch = 20; in.batch < 300; in.batch++) {
                struct bp_vector_search_out before = search(in), more;
                double batch = (double)in.batch;
                in.batch++;
                assert_true(search(in).time_s <= before.time_s * (batch + 1) / batch * (1 + 1e-12));
                in.batch--;
                for (in.replicas = 2; in.replicas <= 16; in.replicas++, before = more) {
                    more = search(in);
                    assert_true(more.time_s <= before.time_s * (1 + 1e-12));
                    assert_true(more.busy_per_s > before.busy_per_s);
                }
                in.replicas = 1;
            }
        }
    }
}

/* A call is no faster for holding more queries, up to those that are multiplied in blocks. */
static void test_more_queries(void **state) {
    const enum bp_vector_index indexes[] = {BP_VECTOR_INDEX_FLAT,   BP_VECTOR_INDEX_PQ,
                                            BP_VECTOR_INDEX_BINARY, BP_VECTOR_INDEX_IVF,
                                            BP_VECTOR_INDEX_IVF_PQ, BP_VECTOR_INDEX_HNSW};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        struct bp_vector_search_in in = search_in(indexes[i], 4);
        double before = 0;
        in.code_bytes = indexes[i] == BP_VECTOR_INDEX_FLAT ? 0 : 16;
        for (in.batch = 1; in.batch <= (indexes[i] == BP_VECTOR_INDEX_FLAT ? 16 : 64);
             in.batch *= 2) {
            double time_s = search(in).time_s;
            assert_true(time_s >= before);
            before = time_s;
        }
    }
}

/* Of 1000 lists a query finds its own by 256 kFLOP and reads 10: 10,000 vectors. */
static void test_lists(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_IVF, 1);
    struct bp_vector_search_out out;
    (void)state;
    in.lists = 1000;
    in.probes = 10;
    out = search(in);
    assert_near(out.scanned, 10e3, 1e-12);
    assert_near(out.time_s, 10e3 * 512 / 100e9, 1e-12);
    in.host.thread_bytes_s = in.host.mem_bw_bytes_s = 1e16;
    assert_near(search(in).time_s, (2.0 * 1000 * 128 + 2.0 * 10e3 * 128) / 1e12, 1e-12);
    in.index = BP_VECTOR_INDEX_IVF_PQ;
    in.code_bytes = 16;
    assert_near(search(in).time_s,
                (2.0 * 1000 * 128 + 2.0 * 10 * 256 * 128 + 100.0 * 16 * 10e3) / 1e12, 1e-12);
    in.probes = 1001;
    refused(in, "probes");
}

/* A query keeps 64 candidates, each leads to 16 new ones, and some levels lie above. */
static void test_graph(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_HNSW, 4);
    double visits = 16 * (64 + log(1e6) / log(16));
    (void)state;
    in.links = 16;
    in.host.access_s = 1e-7;
    assert_near(search(in).scanned, visits, 1e-12);
    assert_near(search(in).time_s, visits * (1e-7 + 512 / 100e9), 1e-12);
    assert_near(search(in).busy_per_s, 4 / search(in).time_s, 1e-12);
    in.batch = 8; /* two turns of four threads */
    assert_near(search(in).time_s, 2 * visits * (1e-7 + 512 / 100e9), 1e-12);
    in.batch = 1;
    in.host.mem_bw_bytes_s = 10e9; /* what four threads visit is more than the memory delivers */
    assert_near(search(in).busy_per_s, 10e9 / (visits * 512), 1e-12);
    assert_true(search(in).time_s < 4 / search(in).busy_per_s);
}

/* A graph over codes holds codes and links, reads a code at each visit and looks its bytes up; metadata lies beside. */
static void test_graph_over_codes(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_HNSW_PQ, 4), plain = in;
    double visits = 16 * (64 + log(1e6) / log(16)), links = 4 * (2 * 16 + 16.0 / 15);
    (void)state;
    plain.index = BP_VECTOR_INDEX_HNSW;
    plain.links = in.links = 16;
    in.code_bytes = 32;
    in.host.access_s = 1e-7;
    assert_near(search(in).scanned, visits, 1e-12);
    assert_near(search(in).memory_bytes, 1e6 * (32 + links) + 1024 * 128, 1e-12);
    assert_near(search(plain).memory_bytes, 1e6 * (512 + links), 1e-12);
    assert_true(search(in).recall < search(plain).recall);
    in.metadata_bytes = plain.metadata_bytes = 200;
    assert_near(search(in).memory_bytes, 1e6 * (232 + links) + 1024 * 128, 1e-12);
    assert_near(search(plain).memory_bytes, 1e6 * (712 + links), 1e-12);
    in.host.lookup_flop = 1e-3;
    in.host.access_s = 1e-6;
    assert_near(search(in).time_s, visits * (1e-6 + 32 / 100e9), 1e-3);
}

/* 41 million texts of 1,024 values in 5.2 GB, as Hugging Face published of Wikipedia (2024; recalled). */
static void test_binary(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_BINARY, 1);
    double before = search(in).recall;
    (void)state;
    /* 16 bytes of each of a million vectors, or two words at a third of a lookup. */
    assert_near(search(in).memory_bytes, 16e6, 1e-12);
    assert_near(search(in).time_s, 16e6 / 100e9, 1e-12);
    in.host.lookup_flop = 1000;
    assert_near(search(in).time_s, 1e6 * 2 / 3 * 1000 / 1e12, 1e-12);
    assert_near(search(in).build_s, 512e6 / 100e9, 1e-12);
    /* 40 whole vectors are read in two rounds and compared. */
    in.rescored = 40;
    in.host.drive_s = 1e-3;
    assert_near(search(in).time_s, 1e6 * 2 / 3 * 1000 / 1e12 + 2 * 40 * 128 / 1e12 + 2e-3, 1e-12);
    assert_true(search(in).recall > before);
    assert_near(search(in).memory_bytes, 16e6, 1e-12);
    in.vectors = 41e6;
    in.dim = 1024;
    assert_near(search(in).memory_bytes, 5.2e9, 0.02);
    in.dim = 1001; /* the last byte is not full */
    assert_near(search(in).memory_bytes, 41e6 * 126, 1e-12);
    in.index = BP_VECTOR_INDEX_FLAT;
    refused(in, "rescored");
}

/* A query looks into every graph with all its candidates; the merged graph is written beside the others. */
static void test_segments(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_HNSW, 1);
    double one = search(in).memory_bytes, built = search(in).build_s;
    (void)state;
    assert_near(search(in).merging_bytes, one, 0);
    in.links = 16;
    in.segments = 8;
    assert_near(search(in).scanned, 8 * 16 * (64 + log(125e3) / log(16)), 1e-12);
    in.links = 32;
    assert_near(search(in).memory_bytes, one, 0);
    assert_near(search(in).merging_bytes, 2 * one, 0);
    assert_near(search(in).build_s, built, 0);
    in.index = BP_VECTOR_INDEX_FLAT;
    refused(in, "segments");
}

static void test_recall(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_IVF, 1);
    struct bp_vector_search_out out, before = {0};
    int64_t probes;
    (void)state;
    in.lists = 1024;
    for (probes = 1; probes < 1024; probes *= 2) {
        in.probes = probes;
        out = search(in);
        assert_true(out.recall > before.recall && out.time_s > before.time_s);
        assert_true(out.recall_low < out.recall && out.recall < out.recall_high);
        before = out;
    }
    in.probes = 0; /* the fewest that hold the nearest 95 times in a hundred */
    out = search(in);
    assert_true(out.probes > 1 && out.recall >= 0.95 && out.recall < 0.96);
    in.probes = out.probes - 1;
    assert_true(search(in).recall < 0.95);
    in.probes = 0;
    in.law.probe_log2 = 0; /* it never is: all lists */
    assert_int_equal(search(in).probes, 1024);
    in.law.probe_log2 = 0.33;
    in.probes = 1024; /* all lists: exact */
    assert_near(search(in).recall, 1, 0);
    in.index = BP_VECTOR_INDEX_PQ;
    in.law.code = 0;
    in.code_bytes = 16; /* one bit a value, a million vectors */
    assert_near(search(in).recall, 0.5, 1e-12);
    in.hamming = 64; /* half of the bits: every true neighbour passes */
    assert_near(search(in).recall, 0.5, 1e-5);
    in.hamming = 32; /* a quarter: half of them */
    assert_near(search(in).recall, 0.25, 1e-12);
}

/* A filter that half of the codes pass costs more than none, one that few pass far less. */
static void test_filter(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_PQ, 1);
    double plain;
    (void)state;
    in.code_bytes = 16;
    plain = search(in).time_s;
    in.hamming = 64;
    assert_near(search(in).time_s / plain, 0.17 + 2.3 / 2, 1e-3);
    in.hamming = 30;
    assert_true(search(in).time_s < plain / 5);
    in.index = BP_VECTOR_INDEX_IVF_PQ;
    refused(in, "hamming");
}

static void test_shards(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_FLAT, 1);
    struct bp_vector_search_out out;
    (void)state;
    in.host.memory_bytes = 300e6;
    out = search(in);
    assert_false(out.fits);
    assert_near(out.shards_needed, 2, 0);
    in.shards = 2;
    in.replicas = 3;
    out = search(in);
    assert_true(out.fits);
    assert_near(out.time_s, 256e6 / 100e9, 1e-12);
    assert_near(out.memory_bytes, 256e6, 1e-12);
    assert_near(out.total_bytes, 3 * 512e6, 1e-12);
    in.batch = 3; /* one query a replica */
    assert_near(search(in).time_s, out.time_s, 1e-12);
}

/* Ten rounds over a fifth of a million points (256 a list of 1000), then all find their list. */
static void test_build(void **state) {
    struct bp_vector_search_in in = search_in(BP_VECTOR_INDEX_IVF, 1);
    (void)state;
    in.lists = 1000;
    assert_near(search(in).build_s, 2.0 * 1000 * 128 * (1e6 + 10 * 256e3) / 1e12 + 512e6 / 100e9,
                1e-12);
    in.build_threads = 2;
    assert_near(search(in).build_s, 1000 * 128.0 * (1e6 + 10 * 256e3) / 1e12 + 512e6 / 100e9,
                1e-12);
    in.index = BP_VECTOR_INDEX_HNSW;
    assert_true(search(in).build_s > 1e6 * 200 * 16 * 2 * 128 / 1e12 / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),           cmocka_unit_test(test_busy),
        cmocka_unit_test(test_more_queries),   cmocka_unit_test(test_lists),
        cmocka_unit_test(test_no_thread_idle), cmocka_unit_test(test_dealt),
        cmocka_unit_test(test_graph),          cmocka_unit_test(test_graph_over_codes),
        cmocka_unit_test(test_binary),         cmocka_unit_test(test_segments),
        cmocka_unit_test(test_recall),         cmocka_unit_test(test_filter),
        cmocka_unit_test(test_shards),         cmocka_unit_test(test_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
