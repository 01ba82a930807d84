/* Collectives: one tier by hand, groups over two tiers, limits, and what must never happen. */
#include "kernel/time/collective.h"
#include "near.h"

#include <string.h>

/* 32 devices in domains of 8: 100 GB/s inside, 10 GB/s a device between, no latency. */
static struct bp_collective_in plain(int op, double bytes, int64_t ranks) {
    struct bp_collective_in in;
    bp_defaults(&bp_collective_in_schema, &in);
    in.network.devices = 32;
    in.network.scaleup.bw_bytes_s = 100e9;
    in.network.scaleout.bw_bytes_s = 10e9;
    in.network.scaleup.util = in.network.scaleout.util = 1;
    in.network.scaleup.alpha_s = in.network.scaleup.step_s = in.network.scaleup.ramp = 0;
    in.network.scaleout.alpha_s = in.network.scaleout.step_s = in.network.scaleout.ramp = 0;
    in.op = op;
    in.bytes = bytes;
    in.ranks = ranks;
    return in;
}

static struct bp_collective_out run(struct bp_collective_in in) {
    struct bp_collective_out out;
    struct bp_error err;
    assert_int_equal(bp_collective(&in, &out, &err), BP_OK);
    return out;
}

static double seconds(int op, double bytes, int64_t ranks) {
    return run(plain(op, bytes, ranks)).time_s;
}

static void test_alone_is_free(void **state) {
    int op;
    (void)state;
    for (op = 0; op <= BP_COLLECTIVE_OP_BROADCAST; op++) {
        struct bp_collective_out out = run(plain(op, 1e9, 1));
        assert_true(out.time_s == 0 && out.wire_bytes == 0);
        assert_int_equal(out.tier, BP_COLLECTIVE_TIER_NONE);
    }
}

static void test_bytes_on_the_wire(void **state) {
    (void)state;
    assert_near(bp_collective_wire(BP_COLLECTIVE_OP_ALL_REDUCE, 800, 4), 1200, 0);
    assert_near(bp_collective_wire(BP_COLLECTIVE_OP_ALL_GATHER, 800, 4), 600, 0);
    assert_near(bp_collective_wire(BP_COLLECTIVE_OP_REDUCE_SCATTER, 800, 4), 600, 0);
    assert_near(bp_collective_wire(BP_COLLECTIVE_OP_ALL_TO_ALL, 800, 4), 600, 0);
    assert_near(bp_collective_wire(BP_COLLECTIVE_OP_SEND_RECV, 800, 2), 800, 0);
    assert_near(bp_collective_wire(BP_COLLECTIVE_OP_BROADCAST, 800, 4), 800, 0);
}

static void test_inside_a_domain(void **state) {
    (void)state;
    assert_near(seconds(BP_COLLECTIVE_OP_ALL_REDUCE, 8e9, 8), 0.14, 1e-12);
    assert_near(seconds(BP_COLLECTIVE_OP_ALL_GATHER, 8e9, 8), 0.07, 1e-12);
    assert_near(seconds(BP_COLLECTIVE_OP_REDUCE_SCATTER, 8e9, 8), 0.07, 1e-12);
    assert_near(seconds(BP_COLLECTIVE_OP_ALL_TO_ALL, 8e9, 8), 0.07, 1e-12);
    assert_near(seconds(BP_COLLECTIVE_OP_SEND_RECV, 8e9, 2), 0.08, 1e-12);
    assert_int_equal(run(plain(BP_COLLECTIVE_OP_ALL_REDUCE, 8e9, 8)).tier,
                     BP_COLLECTIVE_TIER_SCALEUP);
    assert_near(run(plain(BP_COLLECTIVE_OP_ALL_REDUCE, 8e9, 8)).busbw_bytes_s, 100e9, 1e-12);
}

static void test_terms_of_a_tier(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_REDUCE, 0, 4);
    (void)state;
    in.network.scaleup.alpha_s = 10e-6;
    in.network.scaleup.step_s = 1e-6;
    assert_near(run(in).time_s, 16e-6, 1e-12); /* twice round */
    assert_near(run(in).latency_s, 16e-6, 1e-12);
    in.op = BP_COLLECTIVE_OP_ALL_GATHER;
    assert_near(run(in).time_s, 13e-6, 1e-12);
    in.op = BP_COLLECTIVE_OP_SEND_RECV;
    assert_near(run(in).time_s, 10e-6, 1e-12);
    in = plain(BP_COLLECTIVE_OP_ALL_GATHER, 4e9, 4);
    in.network.scaleup.util = 0.5;
    in.network.scaleup.ramp = 0.1;
    assert_near(run(in).time_s, 0.06 + 0.1 * sqrt(0.03), 1e-12);
    in = plain(BP_COLLECTIVE_OP_ALL_REDUCE, 4e9, 4);
    in.network.scaleup.reduce_gain = 1; /* S (1 + 1/4) instead of 2 S 3/4 */
    assert_near(run(in).time_s, 0.05, 1e-12);
    in.network.scaleup.reduce_gain = 0.5;
    assert_near(run(in).time_s, 0.055, 1e-12);
    in.ranks = 2; /* nothing to save for a switch */
    assert_near(run(in).time_s, 0.04, 1e-12);
    in = plain(BP_COLLECTIVE_OP_ALL_TO_ALL, 0, 6);
    in.network.scaleup.alpha_s = 10e-6;
    in.network.scaleup.step_s = 1e-6;
    assert_near(run(in).time_s, 15e-6, 1e-12);
}

/* Many ranks and a small message: a tree goes up and down in 2 log2(n) hops. */
static void test_tree(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_REDUCE, 1, 32);
    (void)state;
    in.network.domain = 32;
    in.network.scaleup.step_s = 1e-6;
    assert_int_equal(run(in).algorithm, BP_COLLECTIVE_ALGORITHM_TREE);
    assert_near(run(in).latency_s, 25e-6, 1e-12);
    in.bytes = 1e9;
    assert_int_equal(run(in).algorithm, BP_COLLECTIVE_ALGORITHM_RING);
    in.bytes = 1;
    in.network.scaleup.step_s = 10e-6; /* 14 us a hop at most, or a ring's step */
    assert_near(run(in).latency_s, 140e-6, 1e-12);
    in.network.scaleup.step_s = 20e-6;
    assert_near(run(in).latency_s, 200e-6, 1e-12);
    in.network.scaleup.step_s = 1e-6;
    in.ranks = 8;
    assert_int_equal(run(in).algorithm, BP_COLLECTIVE_ALGORITHM_RING);
}

/* One member per domain: only its own share of the NICs. */
static void test_strided_groups(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_REDUCE, 4e9, 4);
    (void)state;
    in.stride = 8;
    assert_near(run(in).time_s, 0.6, 1e-12);
    assert_int_equal(run(in).tier, BP_COLLECTIVE_TIER_SCALEOUT);
    in.stride = 2; /* four of eight neighbours: still one domain */
    assert_near(run(in).time_s, 0.06, 1e-12);
    in.stride = 4; /* two in each of two domains */
    assert_int_equal(run(in).tier, BP_COLLECTIVE_TIER_SCALEOUT);
    assert_true(run(in).time_s < 0.6);
}

/*
** 16 neighbours in two domains: the flat ring moves 2 S 15/16 over 8 NICs of 10 GB/s; in steps it is
** 2 S 7/8 inside at 100 GB/s and 2 (S/8) 1/2 across at 10 GB/s.
*/
static void test_two_domains(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_REDUCE, 8e9, 16);
    double flat = 2 * 8e9 * 15 / 16 / 80e9, steps = 2 * 8e9 * 7 / 8 / 100e9 + 1e9 / 10e9;
    (void)state;
    assert_true(flat < steps);
    assert_near(run(in).time_s, flat, 1e-12);
    assert_int_equal(run(in).algorithm, BP_COLLECTIVE_ALGORITHM_RING);
    in.network.scaleup.bw_bytes_s = 1e12;
    assert_near(run(in).time_s, 2 * 8e9 * 7 / 8 / 1e12 + 0.1, 1e-12);
    assert_int_equal(run(in).algorithm, BP_COLLECTIVE_ALGORITHM_HIERARCHICAL);
}

/*
** Of a ring's 15 steps over two domains one crosses; of twice 15 of an all-reduce two do. The others take 1.9 us
** for 4 across, at most 3.4 us, or what a step inside takes, and never longer than one across.
*/
static void test_steps_across(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_GATHER, 0, 16);
    (void)state;
    in.network.scaleup.step_s = 1e-6;
    in.network.scaleout.alpha_s = 100e-6;
    in.network.scaleout.step_s = 4e-6;
    assert_near(run(in).latency_s, 100e-6 + 4e-6 + 14 * 1.9e-6, 1e-12);
    in.network.scaleout.step_s = 14e-6;
    assert_near(run(in).latency_s, 100e-6 + 14e-6 + 14 * 3.4e-6, 1e-12);
    in.network.scaleup.step_s = 5e-6;
    assert_near(run(in).latency_s, 100e-6 + 14e-6 + 14 * 5e-6, 1e-12);
    in.op = BP_COLLECTIVE_OP_ALL_REDUCE;
    in.network.scaleup.alpha_s = 1e-3; /* inside, across, inside takes longer */
    assert_near(run(in).latency_s, 100e-6 + 2 * 14e-6 + 28 * 5e-6, 1e-12);
    in.network.scaleup.step_s = 20e-6;
    assert_near(run(in).latency_s, 100e-6 + 30 * 14e-6, 1e-12);
}

/* Where a computation waits, each of the 15 steps of a ring over two domains takes so long; inside one none does. */
static void test_steps_waited(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_GATHER, 0, 16);
    double queued;
    (void)state;
    in.network.scaleout.alpha_s = 100e-6;
    in.network.scaleout.step_s = 4e-6;
    in.network.scaleout.waited_s = 30e-6;
    queued = run(in).latency_s;
    in.waited = 1;
    assert_true(queued < 200e-6);
    assert_near(run(in).latency_s, 100e-6 + 15 * 30e-6, 1e-12);
    in.ranks = 32;
    assert_near(run(in).latency_s, 100e-6 + 31 * 30e-6, 1e-12);
    in.ranks = 8;
    assert_near(run(in).latency_s, in.network.scaleup.alpha_s + 7 * in.network.scaleup.step_s,
                1e-12);
}

/* Of what a rank sends to 16, half stays in its domain; the NIC carries the rest. */
static void test_all_to_all_across(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_TO_ALL, 16e9, 16);
    (void)state;
    assert_near(run(in).time_s, 0.8, 1e-12);
    assert_int_equal(run(in).algorithm, BP_COLLECTIVE_ALGORITHM_DIRECT);
    in.network.scaleup.bw_bytes_s = 1e9; /* now the local part takes longer */
    assert_near(run(in).time_s, 7, 1e-12);
    in.network.scaleup.shares_link = 1; /* one after the other */
    assert_near(run(in).time_s, 7.8, 1e-12);
}

static struct bp_collective_in real(int op, double bytes, int64_t ranks) {
    struct bp_collective_in in = plain(op, bytes, ranks);
    bp_defaults(&bp_tier_schema, &in.network.scaleup);
    bp_defaults(&bp_tier_schema, &in.network.scaleout);
    in.network.scaleup.bw_bytes_s = 450e9;
    in.network.scaleout.bw_bytes_s = 50e9;
    return in;
}

/* More bandwidth is never slower, a larger message never faster. */
static void test_monotone(void **state) {
    static const int64_t ranks[] = {2, 3, 4, 8, 9, 16, 24, 32};
    static const double sizes[] = {0, 1, 1e3, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10};
    size_t r, s;
    int op;
    (void)state;
    for (op = 0; op <= BP_COLLECTIVE_OP_BROADCAST; op++) {
        for (r = 0; r < sizeof ranks / sizeof *ranks; r++) {
            double last = 0;
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct bp_collective_in in = real(op, sizes[s], ranks[r]);
                double now = run(in).time_s;
                assert_true(isfinite(now) && now > 0 && now >= last);
                last = now;
                in.network.scaleup.bw_bytes_s *= 3;
                assert_true(run(in).time_s <= now);
                in.network.scaleout.bw_bytes_s *= 3;
                assert_true(run(in).time_s <= now);
            }
        }
    }
}

static void test_limits(void **state) {
    struct bp_collective_in in = real(BP_COLLECTIVE_OP_ALL_GATHER, 1e15, 8);
    double wire = 1e15 * 7 / 8;
    (void)state;
    assert_near(run(in).time_s, wire / (in.network.scaleup.util * 450e9), 1e-3);
    in.bytes = 0;
    assert_near(run(in).time_s, in.network.scaleup.alpha_s + 7 * in.network.scaleup.step_s, 1e-12);
    assert_true(run(in).algbw_bytes_s == 0);
}

static void test_parts_add_up(void **state) {
    struct bp_collective_in in = real(BP_COLLECTIVE_OP_ALL_REDUCE, 1e8, 32);
    struct bp_collective_out out = run(in);
    (void)state;
    assert_near(out.latency_s + out.bandwidth_s, out.time_s, 1e-15);
    assert_near(bp_collective_time(&in.network, BP_COLLECTIVE_OP_ALL_REDUCE, 1e8, 32, 1),
                out.time_s, 0);
}

static void refuse(struct bp_collective_in in, const char *field) {
    struct bp_collective_out out;
    struct bp_error err;
    assert_int_equal(bp_collective(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_refusals(void **state) {
    struct bp_collective_in in = plain(BP_COLLECTIVE_OP_ALL_REDUCE, 1, 33);
    (void)state;
    refuse(in, "ranks");
    in.ranks = 5;
    in.stride = 8;
    refuse(in, "ranks");
    in.ranks = 4;
    in.network.scaleout.bw_bytes_s = 0;
    refuse(in, "network.scaleout");
    in.stride = 1;
    assert_near(run(in).time_s, 1.5e-11, 1e-9); /* never leaves its domain */
    in.network.scaleup.bw_bytes_s = 0;
    refuse(in, "network.scaleup");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_is_free),
        cmocka_unit_test(test_bytes_on_the_wire),
        cmocka_unit_test(test_inside_a_domain),
        cmocka_unit_test(test_terms_of_a_tier),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_strided_groups),
        cmocka_unit_test(test_two_domains),
        cmocka_unit_test(test_steps_across),
        cmocka_unit_test(test_steps_waited),
        cmocka_unit_test(test_all_to_all_across),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
