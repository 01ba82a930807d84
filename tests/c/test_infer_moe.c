/* Experts that are hit, by hand and in the limits, and the time of a layer of them. */
#include "kernel/layer/infer_moe.h"
#include "near.h"

#include <string.h>

static struct bp_moe_in moe_in(double tokens) {
    struct bp_moe_in in;
    bp_defaults(&bp_moe_in_schema, &in);
    in.device.mem_bw_bytes_s = 1e12;
    in.device.bf16_flop_s = 1e15;
    in.curve.u = 0.5;
    in.curve.w = in.curve.pass = 1;
    in.curve.t0_s = in.curve.expert_s = 0;
    in.tokens = tokens;
    in.experts = 64;
    in.topk = 4;
    in.hidden = 1024;
    in.ffn = 2048;
    return in;
}

static struct bp_moe_out run(struct bp_moe_in in) {
    struct bp_moe_out out;
    struct bp_error err;
    assert_int_equal(bp_moe(&in, &out, &err), BP_OK);
    return out;
}

/*
** One token visits exactly topk; very many visit all; in between each expert is missed by chance, more of them
** the fewer are favoured: never more than the tokens visit.
*/
static void test_hit(void **state) {
    struct bp_moe_in in = moe_in(16);
    (void)state;
    assert_near(run(moe_in(1)).hit, 4, 1e-12);
    assert_near(run(moe_in(1e6)).hit, 64, 1e-4);
    in.curve.spread = 1;
    assert_near(run(in).hit, 32, 1e-12);
    in.curve.spread = 0.5;
    assert_near(run(in).hit, 64 * (1 - 1 / sqrt(3)), 1e-12);
    in.curve.spread = 1e6; /* all alike */
    assert_near(run(in).hit, 64 * (1 - exp(-1.0)), 1e-6);
    in.tokens = 2;
    assert_true(run(in).hit < 8);
    assert_near(run(moe_in(0)).hit, 0, 0);
    assert_near(run(moe_in(0)).time_s, 0, 0);
}

/* 4 experts of 3 * 1024 * 2048 in 2 B at 1 TB/s: memory bound. Tiles have 16 rows, one of them passes to and fro. */
static void test_few_tokens(void **state) {
    double bytes = 4 * 3 * 1024 * 2048 * 2.0, passes = 4 * 8 * 1024.0;
    double flop = 2 * 64 * 3 * 1024 * 2048.0;
    double expected = cbrt(pow(bytes / 1e12, 3) + pow(flop / 5e14, 3)) + passes / 1e12;
    (void)state;
    assert_near(run(moe_in(1)).time_s, expected, 1e-12);
    assert_near(run(moe_in(1)).weight_bytes, 4 * 3 * 1024 * 2048 * 2.0, 1e-12);
}

/* Experts that nobody visits cost their part of an empty call, those of other ranks do not. */
static void test_empty_experts(void **state) {
    struct bp_moe_in in = moe_in(1);
    double without = run(in).time_s;
    (void)state;
    in.curve.t0_s = 1e-5;
    in.curve.expert_s = 1e-7;
    assert_near(run(in).time_s - without, 1e-5 + 64e-7, 1e-9);
    in.ep = 4;
    assert_true(run(in).time_s < without + 1e-5 + 16e-7);
    assert_true(run(in).time_s > 1e-5 + 16e-7);
}

/*
** Many tokens: the work over half of the peak; slicing over tp and dealing over ep divide it. What passes over the tokens
** is whole on every rank that has slices.
*/
static void test_many_tokens(void **state) {
    struct bp_moe_in in = moe_in(1e6);
    double passes = 4e6 * 8 * 1024 / 1e12, one;
    (void)state;
    one = run(in).time_s;
    assert_near(one - passes, 2 * 4e6 * 3 * 1024 * 2048 / 5e14, 0.01);
    in.tp = 4;
    assert_near(run(in).time_s - passes, (one - passes) / 4, 1e-6);
    in.curve.pass = 0.25;
    assert_near(run(in).time_s - 4 * passes, (one - passes) / 4, 1e-6);
    in.curve.pass = 1;
    in.tp = 1;
    in.ep = 4;
    in.curve.skew = 0;
    assert_near(run(in).time_s, one / 4, 1e-6);
    in.curve.skew = 0.25; /* two doublings: the fullest rank has half as much again */
    assert_near(run(in).time_s, 1.5 * one / 4, 1e-3);
}

static void test_formats(void **state) {
    struct bp_moe_in in = moe_in(1);
    double wide;
    (void)state;
    wide = run(in).weight_bytes;
    in.weights = BP_FORMAT_NVFP4;
    assert_near(run(in).weight_bytes, wide * 0.5625 / 2, 1e-12);
    /* No 4-bit arithmetic on the device: unpacked and multiplied in 16 bit, as before. */
    assert_near(run(in).flop, 2 * 4 * 3 * 1024 * 2048.0, 1e-12);
    assert_int_equal(bp_format_compute(&in.device, BP_FORMAT_NVFP4, BP_FORMAT_AUTO), BP_DTYPE_BF16);
    in.device.fp4_flop_s = 1e16;
    assert_int_equal(bp_format_compute(&in.device, BP_FORMAT_NVFP4, BP_FORMAT_AUTO), BP_DTYPE_FP4);
    assert_int_equal(bp_format_compute(&in.device, BP_FORMAT_INT4, BP_FORMAT_AUTO), BP_DTYPE_BF16);
}

static void test_refused(void **state) {
    struct bp_moe_in in = moe_in(1);
    struct bp_moe_out out;
    struct bp_error err;
    (void)state;
    in.topk = 65;
    assert_int_equal(bp_moe(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "topk");
    in = moe_in(1);
    in.ep = 65;
    assert_int_equal(bp_moe(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "ep");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hit),           cmocka_unit_test(test_few_tokens),
        cmocka_unit_test(test_empty_experts), cmocka_unit_test(test_many_tokens),
        cmocka_unit_test(test_formats),       cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
