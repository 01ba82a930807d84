/* Matmul time: every term by hand, limits, and what must never happen. */
#include "kernel/time/gemm.h"
#include "near.h"

#include <string.h>

/* 1 TFLOP/s, 1 GB/s, and a curve without losses. */
static struct bp_gemm_in plain(int64_t m, int64_t n, int64_t k) {
    struct bp_gemm_in in;
    bp_defaults(&bp_gemm_in_schema, &in);
    in.device.bf16_flop_s = in.device.fp8_flop_s = 1e12;
    in.device.mem_bw_bytes_s = 1e9;
    in.device.gemm16.u = in.device.gemm16.w = 1;
    in.device.gemm16.t0_s = in.device.gemm16.k0 = in.device.gemm16.tiles0 = 0;
    in.device.gemm8 = in.device.gemm16;
    in.m = m;
    in.n = n;
    in.k = k;
    return in;
}

static struct bp_gemm_out run(struct bp_gemm_in in) {
    struct bp_gemm_out out;
    struct bp_error err;
    assert_int_equal(bp_gemm(&in, &out, &err), BP_OK);
    return out;
}

/* Memory so fast that only arithmetic counts. */
static struct bp_gemm_in computing(int64_t m, int64_t n, int64_t k) {
    struct bp_gemm_in in = plain(m, n, k);
    in.device.mem_bw_bytes_s = 1e18;
    return in;
}

static void test_work_and_traffic(void **state) {
    struct bp_gemm_in in = plain(128, 256, 512);
    struct bp_gemm_out out = run(in);
    (void)state;
    assert_near(out.flop, 33554432, 0);
    assert_near(out.bytes, 2.0 * (128 * 512 + 512 * 256 + 128 * 256), 0);
    assert_near(out.compute_s, 33554432e-12, 1e-15);
    assert_near(out.memory_s, out.bytes * 1e-9, 1e-15);
    in.batch = 3;
    in.out_bytes = 8;
    in.dtype = BP_DTYPE_FP8;
    out = run(in);
    assert_near(out.flop, 3 * 33554432.0, 0);
    assert_near(out.bytes, 3.0 * (128 * 512 + 512 * 256 + 8 * 128 * 256), 0);
}

static void test_terms_of_compute(void **state) {
    struct bp_gemm_in in = computing(128, 384, 1000);
    double ideal = 2.0 * 128 * 384 * 1000 * 1e-12;
    (void)state;
    assert_near(run(in).time_s, ideal, 1e-9);
    in.device.gemm16.u = 0.5;
    assert_near(run(in).time_s, 2 * ideal, 1e-9);
    in.device.gemm16.u = 1;
    in.device.gemm16.k0 = 500; /* half the depth again */
    assert_near(run(in).time_s, 1.5 * ideal, 1e-9);
    in.device.gemm16.k0 = 0;
    in.device.gemm16.tiles0 = 3; /* as many as there are: half of u */
    assert_near(run(in).time_s, 2 * ideal, 1e-9);
    in.device.gemm16.tiles0 = 0;
    in.device.gemm16.t0_s = 1e-3;
    in.device.gemm16.depth_s = 1e-6;
    assert_near(run(in).time_s, 2e-3 + ideal, 1e-9);
}

/* Three tiles on one core are a wave and a half. */
static void test_waves(void **state) {
    struct bp_gemm_in in = computing(128, 384, 1000);
    double ideal = run(in).time_s;
    (void)state;
    in.device.gemm16.wave = 1;
    assert_near(run(in).time_s, ideal, 1e-12); /* cores unknown */
    in.device.cores = 1;
    assert_near(run(in).time_s, ideal * 4 / 3, 1e-9);
    in.device.gemm16.wave = 0.5;
    assert_near(run(in).time_s, ideal * 7 / 6, 1e-9);
    in.device.cores = 2; /* everything in one wave */
    assert_near(run(in).time_s, ideal, 1e-12);
    in.n = 512; /* four tiles: a whole wave */
    assert_near(run(in).time_s, run(computing(128, 512, 1000)).time_s, 1e-9);
}

static void test_throttle(void **state) {
    struct bp_gemm_in in = computing(1000, 1000, 50); /* 100 us of work */
    double ideal = run(in).time_s;
    (void)state;
    in.device.gemm16.throttle = 0.4;
    assert_near(run(in).time_s, 1.2 * ideal, 1e-9);
    in.k = 50000000;
    assert_near(run(in).time_s, 1.4e6 * ideal, 1e-5);
}

/* Few rows cost as much arithmetic as 64. */
static void test_few_rows(void **state) {
    (void)state;
    assert_near(run(computing(1, 4096, 4096)).time_s, run(computing(64, 4096, 4096)).time_s, 1e-9);
    assert_true(run(computing(65, 4096, 4096)).time_s > run(computing(64, 4096, 4096)).time_s);
    assert_near(run(computing(1, 4096, 4096)).util_frac, 1.0 / 64, 1e-6);
}

static void test_memory_bound(void **state) {
    struct bp_gemm_in in = plain(1, 4096, 4096);
    double bytes = 2.0 * (4096 + 4096 * 4096 + 4096);
    (void)state;
    in.device.bf16_flop_s = 1e21;
    assert_near(run(in).time_s, bytes * 1e-9, 1e-9);
    in.device.gemm16.w = 0.5;
    assert_near(run(in).time_s, bytes * 2e-9, 1e-9);
    in.device.gemm16.cached = 3;
    assert_near(run(in).time_s, bytes * 2e-9, 1e-9);
    in.cached = 1;
    assert_near(run(in).time_s, bytes * 0.5e-9, 1e-9);
    assert_int_equal(run(in).bound, BP_GEMM_BOUND_MEMORY);
}

/* Where arithmetic and traffic take equally long they cost the fourth root of two times either. */
static void test_balance(void **state) {
    struct bp_gemm_in in = plain(512, 512, 512);
    struct bp_gemm_out out = run(in);
    (void)state;
    in.device.mem_bw_bytes_s = out.bytes / out.compute_s;
    assert_near(run(in).time_s, out.compute_s * sqrt(sqrt(2)), 1e-12);
}

static void test_quantisation(void **state) {
    struct bp_gemm_in in = plain(1000, 2000, 3000);
    double without;
    (void)state;
    in.dtype = BP_DTYPE_FP8;
    without = run(in).time_s;
    in.device.gemm8.q = 2;
    assert_near(run(in).quantize_s, 2 * 3 * 3e6 * 1e-9, 1e-12);
    assert_near(run(in).time_s, without + 18e-3, 1e-9);
}

static void test_bounds(void **state) {
    struct bp_gemm_in in = computing(4096, 4096, 4096);
    (void)state;
    assert_int_equal(run(in).bound, BP_GEMM_BOUND_COMPUTE);
    assert_int_equal(run(plain(64, 4096, 4096)).bound, BP_GEMM_BOUND_MEMORY);
    in.device.gemm16.t0_s = 1;
    assert_int_equal(run(in).bound, BP_GEMM_BOUND_LAUNCH);
}

/* More work is never faster, more machine never slower; nothing is infinite or free. */
static void test_monotone(void **state) {
    struct bp_gemm_in in = plain(1, 1, 1);
    double last = 0, slow;
    int64_t m;
    (void)state;
    in.device.cores = 100;
    in.device.gemm16.wave = 0.7;
    in.device.gemm16.throttle = 0.5;
    in.device.gemm16.tiles0 = 20;
    in.device.mem_bw_bytes_s = 1e12;
    in.n = 1536;
    in.k = 700;
    for (m = 1; m < 20000; m += 97) {
        double now;
        in.m = m;
        now = run(in).time_s;
        assert_true(isfinite(now) && now >= last * (1 - 1e-12) && now > 0);
        last = now;
    }
    slow = run(in).time_s;
    in.device.mem_bw_bytes_s *= 2;
    assert_true(run(in).time_s <= slow);
    slow = run(in).time_s;
    in.device.bf16_flop_s *= 2;
    assert_true(run(in).time_s <= slow);
}

static void test_same_as_the_call(void **state) {
    struct bp_gemm_in in = plain(300, 400, 500);
    struct bp_gemm_parts p = bp_gemm_parts(&in.device, BP_DTYPE_BF16, 300, 400, 500, 2, 1);
    (void)state;
    assert_near(bp_gemm_time(&in.device, BP_DTYPE_BF16, 300, 400, 500, 2, 1), run(in).time_s, 0);
    assert_near(p.compute_s, run(in).compute_s, 0);
}

static void test_refuses_missing_format(void **state) {
    struct bp_gemm_in in = plain(8, 8, 8);
    struct bp_gemm_out out;
    struct bp_error err;
    (void)state;
    in.dtype = BP_DTYPE_FP4;
    assert_int_equal(bp_gemm(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "dtype");
    assert_non_null(strstr(err.text, "fp4"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_and_traffic),
        cmocka_unit_test(test_terms_of_compute),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_throttle),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_memory_bound),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_quantisation),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_same_as_the_call),
        cmocka_unit_test(test_refuses_missing_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
