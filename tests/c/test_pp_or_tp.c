/* Pipeline against tensor parallelism on an ideal machine, where the closed forms are exact. */
#include "kernel/train/pp_or_tp.h"
#include "near.h"

/* 1e15 FLOP/s whatever the shape, no launch cost, memory too fast to matter, a bare wire. */
static struct bp_pp_or_tp_in ideal(int64_t ways, int64_t micro_batches, double bandwidth) {
    struct bp_pp_or_tp_in in;
    bp_defaults(&bp_pp_or_tp_in_schema, &in);
    in.device.memory_bytes = 80000000000;
    in.device.mem_bw_bytes_s = 1e18;
    in.device.bf16_flop_s = 1e15;
    in.device.gemm16 = (struct bp_gemm_curve){.u = 1, .w = 1};
    in.network.devices = 8;
    in.network.scaleup = (struct bp_tier){.bw_bytes_s = bandwidth, .util = 1};
    in.ways = ways;
    in.layers = 8;
    in.hidden = 4096;
    in.ffn_hidden = 16384;
    in.tokens = 2048;
    in.micro_batches = micro_batches;
    return in;
}

static struct bp_pp_or_tp_out run(struct bp_pp_or_tp_in in) {
    struct bp_pp_or_tp_out out;
    struct bp_error err;
    assert_int_equal(bp_pp_or_tp(&in, &out, &err), BP_OK);
    return out;
}

/* FLOP of the stack on one micro-batch: 8 layers, 12 h^2 weights each, 2 per weight and token. */
static const double STACK_S = 8 * 12 * 4096.0 * 4096 * 2 * 2048 / 1e15;
static const double MESSAGE = 2 * 2048 * 4096.0;

static void test_closed_forms(void **state) {
    struct bp_pp_or_tp_out out = run(ideal(2, 4, 1e11));
    double send = MESSAGE / 1e11, reduce = 2 * MESSAGE / 2 / 1e11;
    (void)state;
    assert_near(out.alone_s, STACK_S, 1e-6);
    assert_near(out.pp.latency_s, STACK_S + send, 1e-6);
    assert_near(out.pp.whole_s, 4 * (STACK_S + send), 1e-6);
    assert_near(out.pp.micro_s, 5 * (STACK_S / 2 + send) - send, 1e-6);
    assert_near(out.pp.bubble_frac, 0.2, 1e-9);
    assert_near(out.tp.latency_s, STACK_S / 2 + 16 * reduce, 1e-6);
    assert_near(out.tp.micro_s, 4 * (STACK_S / 2 + 16 * reduce), 1e-6);
    assert_near(out.tp.bubble_frac, 0, 0);
    assert_near(out.pp.weights_bytes, 2 * 12 * 4096.0 * 4096 * 8 / 2, 1e-12);
    assert_near(out.tp.weights_bytes, out.pp.weights_bytes, 0);
    assert_near(out.pp.messages, 1, 0);
    assert_near(out.tp.messages, 16, 0);
    assert_near(out.tp.wire_bytes, 16 * MESSAGE, 1e-12);
    assert_near(out.tp.reached_bytes_s, 1e11, 1e-9);
    assert_near(out.pp.tokens_per_s, 8192 / out.pp.micro_s, 1e-12);
}

/* Just above the break-even bandwidth tp wins, just below pp does: with sends that cost nothing. */
static void test_breakeven_decides(void **state) {
    struct bp_pp_or_tp_out out = run(ideal(2, 1, 1e11));
    double even = 16 * MESSAGE / (STACK_S / 2); /* up to the one send of pp */
    (void)state;
    assert_near(out.latency_breakeven_bytes_s, even, 0.05);
    assert_int_equal(run(ideal(2, 1, even * 1.1)).latency_pick, BP_SPLIT_KIND_TP);
    assert_int_equal(run(ideal(2, 1, even * 0.8)).latency_pick, BP_SPLIT_KIND_PP);
}

/* Many micro-batches: the bubble is gone, and only a free network lets tp keep up. */
static void test_throughput(void **state) {
    struct bp_pp_or_tp_out slow = run(ideal(2, 64, 2e10)), fast = run(ideal(2, 2, 1e14));
    (void)state;
    assert_int_equal(slow.throughput_pick, BP_SPLIT_KIND_PP);
    assert_int_equal(slow.latency_pick, BP_SPLIT_KIND_PP);
    assert_int_equal(fast.throughput_pick, BP_SPLIT_KIND_TP);
    assert_int_equal(fast.latency_pick, BP_SPLIT_KIND_TP);
    assert_true(fast.throughput_breakeven_bytes_s < 1e14);
}

static void expect_error(struct bp_pp_or_tp_in in, const char *field) {
    struct bp_pp_or_tp_out out;
    struct bp_error err;
    assert_int_equal(bp_pp_or_tp(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_bad_input(void **state) {
    struct bp_pp_or_tp_in in = ideal(3, 1, 1e11);
    (void)state;
    expect_error(in, "ways");
    expect_error(ideal(16, 1, 1e11), "ways");
    expect_error(ideal(2, 1, 0), "network");
    in = ideal(2, 1, 1e11);
    in.dtype = BP_DTYPE_FP8;
    expect_error(in, "dtype");
    in = ideal(4, 1, 1e11);
    in.network.domain = 2; /* across domains, and nothing is there */
    expect_error(in, "network");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_breakeven_decides),
        cmocka_unit_test(test_throughput),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
