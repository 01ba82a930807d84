/* Attention: pairs against counting them, every term of the time by hand, limits, bad input. */
#include "kernel/time/attention_time.h"
#include "kernel/time/gemm.h"
#include "near.h"

/* 1 TFLOP/s and a curve without losses; memory too fast to matter. */
static struct bp_attention_in plain(int64_t seq) {
    struct bp_attention_in in;
    bp_defaults(&bp_attention_in_schema, &in);
    in.device.bf16_flop_s = 1e12;
    in.device.mem_bw_bytes_s = 1e18;
    in.device.attention.u = in.device.attention.w = 1;
    in.device.attention.t0_s = in.device.attention.s0 = in.device.attention.walk_s = 0;
    in.heads = 8;
    in.seq_q = seq;
    return in;
}

static struct bp_attention_out run(struct bp_attention_in in) {
    struct bp_attention_out out;
    struct bp_error err;
    assert_int_equal(bp_attention(&in, &out, &err), BP_OK);
    return out;
}

static struct bp_attention_shape shape(double q, double kv, double window, int causal) {
    struct bp_attention_shape s = {1, 1, 1, 128, 128, q, kv, window, 0, causal, 1, 0};
    return s;
}

static double pairs(double q, double kv, double window, int causal) {
    struct bp_attention_shape s = shape(q, kv, window, causal);
    return bp_attention_pairs(&s);
}

static void test_pairs_by_hand(void **state) {
    (void)state;
    assert_near(pairs(4, 4, 0, 1), 10, 0);
    assert_near(pairs(4, 4, 0, 0), 16, 0);
    assert_near(pairs(2, 4, 0, 1), 7, 0);
    assert_near(pairs(4, 4, 2, 1), 7, 0);
    assert_near(pairs(4, 4, 99, 1), 10, 0);
    assert_near(pairs(2, 6, 3, 1), 6, 0);
    assert_near(pairs(4, 4, 3, 0), 12, 0);
    assert_near(pairs(1, 1000, 0, 1), 1000, 0);
}

static double count(int q, int kv, int window) {
    double sum = 0;
    int i, j;
    for (i = kv - q; i < kv; i++) {
        for (j = 0; j <= i; j++) {
            sum += window == 0 || j > i - window;
        }
    }
    return sum;
}

static void test_pairs_by_counting(void **state) {
    int q, kv, window;
    (void)state;
    for (kv = 1; kv <= 9; kv++) {
        for (q = 1; q <= kv; q++) {
            for (window = 0; window <= 10; window++) {
                assert_near(pairs(q, kv, window, 1), count(q, kv, window), 0);
            }
        }
    }
}

static void test_flop_is_the_time(void **state) {
    struct bp_attention_in in = plain(1024);
    double flop = 4.0 * 8 * 128 * 1024 * 1025 / 2;
    (void)state;
    assert_near(run(in).flop, flop, 0);
    assert_near(run(in).time_s, flop * 1e-12, 1e-6);
    in.batch = 5;
    assert_near(run(in).time_s, 5 * flop * 1e-12, 1e-6);
    in.causal = 0;
    assert_near(run(in).flop, 5.0 * 8 * 512 * 1024 * 1024, 0);
}

static void test_terms(void **state) {
    struct bp_attention_in in = plain(1024);
    double ideal = run(in).time_s;
    (void)state;
    in.device.attention.s0 = 512.5; /* as much as the mean walk: twice the work */
    assert_near(run(in).time_s, 2 * ideal, 1e-6);
    in.device.attention.s0 = 0;
    in.device.attention.walk_s = 1e-6;
    in.device.attention.t0_s = 1e-3;
    assert_near(run(in).time_s, ideal + 1024e-6 + 1e-3, 1e-6);
    in.window = 100;
    in.device.bf16_flop_s = 1e20;
    assert_near(run(in).time_s, 100e-6 + 1e-3, 1e-6);
}

static void test_throttle(void **state) {
    struct bp_attention_in in = plain(1024);
    double ideal = run(in).time_s, x = run(in).flop / 1e9;
    (void)state;
    in.device.attention.throttle = 0.5;
    assert_near(run(in).time_s, ideal * (1 + 0.5 * x / (1 + x)), 1e-6);
}

/* Grouped heads shrink keys and values, never the scores. */
static void test_traffic(void **state) {
    struct bp_attention_in in = plain(1000);
    (void)state;
    in.device.bf16_flop_s = 1e21;
    in.device.mem_bw_bytes_s = 1e9;
    assert_near(run(in).time_s, 2.0 * 256 * (8 + 8) * 1000 * 1e-9, 1e-3);
    in.kv_heads = 2;
    assert_near(run(in).time_s, 2.0 * 256 * (8 + 2) * 1000 * 1e-9, 1e-3);
    in.device.attention.w = 0.5;
    assert_near(run(in).time_s, 4.0 * 256 * (8 + 2) * 1000 * 1e-9, 1e-3);
}

/*
** Operands of less than the cache are read twice as fast, of as much half of that gain is left, of more none; a
** device whose cache nobody knows, or whose curve was fitted without, has none.
*/
static void test_cached_operands(void **state) {
    struct bp_attention_in in = plain(1000);
    const double bytes = 2.0 * 256 * (8 + 8) * 1000, slow_s = bytes * 1e-9;
    (void)state;
    in.device.bf16_flop_s = 1e21;
    in.device.mem_bw_bytes_s = 1e9;
    in.device.attention.cached = 1;
    in.device.l2_bytes = 0;
    assert_near(run(in).time_s, slow_s, 1e-3);
    in.device.l2_bytes = (int64_t)(10 * bytes);
    assert_near(run(in).time_s, slow_s / 2, 1e-3);
    in.device.l2_bytes = (int64_t)bytes;
    assert_near(run(in).time_s, slow_s / 1.5, 1e-3);
    in.device.l2_bytes = (int64_t)(bytes / 10);
    assert_near(run(in).time_s, slow_s, 1e-3);
    in.device.l2_bytes = (int64_t)(10 * bytes);
    in.device.attention.cached = 0;
    assert_near(run(in).time_s, slow_s, 1e-3);
}

static void test_head_widths(void **state) {
    struct bp_attention_in in = plain(2048);
    double at_128 = run(in).util_frac;
    (void)state;
    assert_near(at_128, 1, 1e-6);
    in.head_dim = 64;
    assert_near(run(in).util_frac, 64.0 / 104 * 168 / 128, 1e-6);
    in.head_dim = 192; /* MLA */
    in.v_head_dim = 128;
    assert_near(run(in).flop, 2.0 * 320 * 8 * 2048 * 2049 / 2, 0);
    assert_near(run(in).util_frac, 160.0 / 200 * 168 / 128, 1e-6);
}

/* In training the kernel moves each operand once, and works on values as wide as queries. */
static void test_trained(void **state) {
    struct bp_attention_in in = plain(2048);
    (void)state;
    in.trained = 1;
    in.head_dim = 192;
    in.v_head_dim = 128;
    assert_near(run(in).flop, 2.0 * 320 * 8 * 2048 * 2049 / 2, 0);
    assert_near(run(in).time_s, 2e-12 * 384 * 8 * 2048 * 2049 / 2 * (232.0 / 192) * (128.0 / 168),
                1e-6);
    in.device.bf16_flop_s = 1e21;
    in.device.mem_bw_bytes_s = 1e9;
    in.device.attention.w = 0.5;
    assert_near(run(in).time_s, 2.0 * 320 * (8 + 8) * 2048 * 1e-9, 1e-3);
}

static void test_backward(void **state) {
    struct bp_attention_in in = plain(4096);
    struct bp_attention_out forward = run(in), backward;
    (void)state;
    in.backward = 1;
    backward = run(in);
    assert_near(backward.flop, 2.5 * forward.flop, 0);
    assert_near(backward.time_s, 2.95 * forward.time_s, 1e-6);
    /* The walk along the keys takes as long either way: 116 us of 8 heads on a B200, 193 if it grew. */
    in.device.attention.walk_s = 1e-6;
    in.backward = 0;
    assert_near(run(in).time_s - forward.time_s, 4096e-6, 1e-9);
    in.backward = 1;
    assert_near(run(in).time_s - backward.time_s, 4096e-6, 1e-9);
}

static void test_unfused(void **state) {
    struct bp_attention_in in = plain(1024);
    double qk, pv;
    (void)state;
    in.flash = 0;
    in.device.mem_bw_bytes_s = 1e12;
    in.device.gemm16.u = in.device.gemm16.w = 1;
    in.device.gemm16.t0_s = in.device.gemm16.k0 = in.device.gemm16.tiles0 = 0;
    qk = bp_gemm_time(&in.device, BP_DTYPE_BF16, 1024, 1024, 128, 2, 8);
    pv = bp_gemm_time(&in.device, BP_DTYPE_BF16, 1024, 128, 1024, 2, 8);
    assert_near(run(in).time_s, qk + pv + 5 * 2.0 * 8 * 1024 * 1024 * 1e-12, 1e-9);
    in.backward = 1;
    assert_near(run(in).time_s, 2 * (qk + pv) + 5 * (5.5 / 4.5) * 2.0 * 8 * 1024 * 1024 * 1e-12,
                1e-9);
}

static void test_longer_is_slower(void **state) {
    struct bp_attention_in in = plain(1);
    double last = 0;
    int64_t seq;
    (void)state;
    bp_defaults(&bp_attention_curve_schema, &in.device.attention);
    for (seq = 1; seq < 10000; seq += 61) {
        double now;
        in.seq_q = seq;
        now = run(in).time_s;
        assert_true(isfinite(now) && now > last);
        last = now;
    }
}

static void test_refusals(void **state) {
    struct bp_attention_in in = plain(16);
    struct bp_attention_out out;
    struct bp_error err;
    (void)state;
    in.kv_heads = 3;
    assert_int_equal(bp_attention(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "kv_heads");
    in.kv_heads = 0;
    in.seq_kv = 8;
    assert_int_equal(bp_attention(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "seq_kv");
    in.causal = 0;
    assert_int_equal(bp_attention(&in, &out, &err), BP_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_by_hand),    cmocka_unit_test(test_pairs_by_counting),
        cmocka_unit_test(test_flop_is_the_time), cmocka_unit_test(test_terms),
        cmocka_unit_test(test_throttle),         cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_cached_operands),  cmocka_unit_test(test_head_widths),
        cmocka_unit_test(test_trained),          cmocka_unit_test(test_backward),
        cmocka_unit_test(test_unfused),          cmocka_unit_test(test_longer_is_slower),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
