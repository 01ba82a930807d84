/* One matmul: bytes line by line, cuts and their collectives, the ring on paper. */
#include "kernel/time/matmul.h"
#include "near.h"

static struct bp_matmul_in matmul_in(void) {
    struct bp_matmul_in in;
    bp_defaults(&bp_matmul_in_schema, &in);
    in.m = 1000;
    in.k = 2000;
    in.n = 3000;
    in.device_bytes = 100000000;
    return in;
}

static struct bp_matmul_out run(struct bp_matmul_in in) {
    struct bp_matmul_out out;
    struct bp_error err;
    assert_int_equal(bp_matmul(&in, &out, &err), BP_OK);
    return out;
}

/* 2 (2e6 + 6e6 + 3e6) = 22e6 B; 10 % more; 32 MiB of workspace. */
static void test_inference(void **state) {
    struct bp_matmul_in in = matmul_in();
    struct bp_matmul_out out = run(in);
    (void)state;
    assert_near(out.a_bytes, 4e6, 1e-15);
    assert_near(out.w_bytes, 12e6, 1e-15);
    assert_near(out.y_bytes, 6e6, 1e-15);
    assert_near(out.total_bytes, 22e6 * 1.1 + 33554432, 1e-15);
    assert_true(out.fits);
    assert_near(out.spare_bytes, 100e6 - out.total_bytes, 1e-15);
    assert_near(out.flop, 12e9, 1e-15);
    assert_near(out.intensity, 12e9 / 22e6, 1e-15);
    in.bias = 1;
    in.residual = 1;
    in.kv_bytes = 5e6;
    in.split_k = 4;
    out = run(in);
    assert_near(out.bias_bytes, 6000, 1e-15);
    assert_near(out.residual_bytes, 6e6, 1e-15);
    assert_near(out.partial_bytes, 4 * 4 * 3e6, 1e-15);
    assert_near(out.total_bytes, 22e6 * 1.1 + 33554432 + 6000 + 6e6 + 5e6 + 48e6, 1e-15);
    assert_false(out.fits);
}

static void test_training(void **state) {
    struct bp_matmul_in in = matmul_in();
    struct bp_matmul_out out;
    (void)state;
    in.training = 1;
    in.in_flight = 3;
    in.device_bytes = 1000000000;
    out = run(in);
    assert_near(out.gradients_bytes, 22e6, 1e-15);
    assert_near(out.optimizer_bytes, 72e6, 1e-15);
    assert_near(out.retained_bytes, 8e6, 1e-15);
    assert_near(out.flop, 36e9, 1e-15);
    /* Decision boundary: exactly the total fits, one byte less does not. */
    in.headroom_frac = 0;
    in.device_bytes = 22000000 + 33554432 + 22000000 + 72000000 + 8000000;
    assert_true(run(in).fits);
    in.device_bytes -= 1;
    assert_false(run(in).fits);
}

static struct bp_matmul_split_out split(int cut, int64_t ways, int chained) {
    struct bp_matmul_split_in in;
    struct bp_matmul_split_out out;
    struct bp_error err;
    bp_defaults(&bp_matmul_split_in_schema, &in);
    in.m = 1000;
    in.k = 2000;
    in.n = 4000;
    in.cut = cut;
    in.ways = ways;
    in.chained = chained;
    assert_int_equal(bp_matmul_split(&in, &out, &err), BP_OK);
    return out;
}

static void test_cuts(void **state) {
    struct bp_matmul_split_out c = split(BP_CUT_COLUMN, 4, 0), r = split(BP_CUT_ROW, 4, 0);
    (void)state;
    assert_near(c.a_bytes, 4e6, 1e-15);
    assert_near(c.w_bytes, 4e6, 1e-15);
    assert_near(c.y_bytes, 2e6, 1e-15);
    assert_true(!c.a_sharded && c.y_sharded);
    assert_int_equal(c.forward, BP_CUT_COLLECTIVE_ALL_GATHER);
    assert_near(c.forward_wire_bytes, 8e6 * 3 / 4, 1e-15);
    assert_int_equal(c.backward, BP_CUT_COLLECTIVE_ALL_REDUCE);
    assert_near(c.backward_wire_bytes, 2 * 4e6 * 3 / 4, 1e-15);
    assert_near(r.a_bytes, 1e6, 1e-15);
    assert_near(r.w_bytes, 4e6, 1e-15);
    assert_near(r.y_bytes, 8e6, 1e-15);
    assert_true(r.a_sharded && !r.y_sharded);
    assert_int_equal(r.forward, BP_CUT_COLLECTIVE_ALL_REDUCE);
    assert_near(r.forward_wire_bytes, 2 * 8e6 * 3 / 4, 1e-15);
    assert_int_equal(r.backward, BP_CUT_COLLECTIVE_ALL_GATHER);
}

/* Column then row: one all-reduce forward (of the row), one backward (of the column). */
static void test_chained_pair(void **state) {
    struct bp_matmul_split_out c = split(BP_CUT_COLUMN, 4, 1), r = split(BP_CUT_ROW, 4, 1);
    (void)state;
    assert_int_equal(c.forward, BP_CUT_COLLECTIVE_NONE);
    assert_near(c.forward_wire_bytes, 0, 0);
    assert_int_equal(r.forward, BP_CUT_COLLECTIVE_ALL_REDUCE);
    assert_int_equal(c.backward, BP_CUT_COLLECTIVE_ALL_REDUCE);
    assert_int_equal(r.backward, BP_CUT_COLLECTIVE_NONE);
    /* On one device nothing is sent. */
    assert_near(split(BP_CUT_ROW, 1, 0).forward_wire_bytes, 0, 0);
}

static void test_cut_that_does_not_divide(void **state) {
    struct bp_matmul_split_in in;
    struct bp_matmul_split_out out;
    struct bp_error err;
    (void)state;
    bp_defaults(&bp_matmul_split_in_schema, &in);
    in.m = 7;
    in.k = 10;
    in.n = 9;
    in.ways = 3;
    in.cut = BP_CUT_COLUMN;
    assert_int_equal(bp_matmul_split(&in, &out, &err), BP_OK);
    in.cut = BP_CUT_ROW;
    assert_int_equal(bp_matmul_split(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.text, "3 does not divide k = 10");
}

static void test_ring_rule(void **state) {
    struct bp_ring_rule_in in = {140e9, 128, 50e9, 1};
    struct bp_ring_rule_out out;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_ring_rule(&in, &out, &err), BP_OK);
    assert_near(out.time_s, 5.55625, 1e-12);
    assert_near(out.two_way_s, 1.4, 1e-12);
    in.ranks = 1;
    in.count = 160;
    assert_int_equal(bp_ring_rule(&in, &out, &err), BP_OK);
    assert_near(out.time_s, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inference),
        cmocka_unit_test(test_training),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_chained_pair),
        cmocka_unit_test(test_cut_that_does_not_divide),
        cmocka_unit_test(test_ring_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
