/* Pipeline schedules: published cases by hand, limits. test_sim_pipeline.c simulates them. */
#include "kernel/train/pipeline.h"
#include "near.h"

static struct bp_bubble_out run(struct bp_bubble_in in) {
    struct bp_bubble_out out;
    struct bp_error err;
    assert_int_equal(bp_bubble(&in, &out, &err), BP_OK);
    return out;
}

static struct bp_bubble_in even(int64_t stages, int64_t micro, int64_t vpp, int schedule) {
    struct bp_bubble_in in;
    bp_defaults(&bp_bubble_in_schema, &in);
    in.stages = stages;
    in.micro_batches = micro;
    in.vpp = vpp;
    in.schedule = schedule;
    return in;
}

static void test_two_conventions(void **state) {
    struct bp_bubble_out out = run(even(8, 32, 1, BP_SCHEDULE_1F1B));
    (void)state;
    assert_near(out.bubble_frac, 7.0 / 39, 1e-15);
    assert_near(out.ideal_ratio, 7.0 / 32, 1e-15);
    assert_near(out.bubble_s, 21, 1e-15);
    assert_near(out.path_s, 117, 1e-15);
    assert_near(out.in_flight, 8, 0);
    assert_near(run(even(8, 32, 1, BP_SCHEDULE_GPIPE)).in_flight, 32, 0);
}

/* F = 1, B = 2 with W = 1, p = 8, m = 32. */
static void test_schedules_by_hand(void **state) {
    static const struct {
        int schedule;
        int64_t vpp;
        double bubble, in_flight, copies;
    } cases[] = {
        {BP_SCHEDULE_1F1B, 1, 21, 8, 1},        {BP_SCHEDULE_1F1B, 2, 10.5, 11.5, 1},
        {BP_SCHEDULE_1F1B, 4, 5.25, 9.75, 1},   {BP_SCHEDULE_GPIPE, 1, 21, 32, 1},
        {BP_SCHEDULE_ZB_H1, 1, 7, 8, 1},        {BP_SCHEDULE_ZB_H2, 1, 0, 15, 1},
        {BP_SCHEDULE_ZBV, 1, 0, 8, 1},          {BP_SCHEDULE_DUALPIPE, 1, 6, 9, 2},
        {BP_SCHEDULE_DUALPIPE_V, 1, 7, 8.5, 1}, {BP_SCHEDULE_BREADTH_FIRST, 2, 10.5, 32, 1},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bp_bubble_out out = run(even(8, 32, cases[i].vpp, cases[i].schedule));
        assert_near(out.bubble_s, cases[i].bubble, 1e-12);
        assert_near(out.in_flight, cases[i].in_flight, 1e-12);
        assert_near(out.weight_copies, cases[i].copies, 0);
    }
}

/* Uneven parts: F 1, B 3, W 1.25: (p-1)(F+B-2W) = 7*1.5; H2 (p-1)(0.25) < (p-1)(F+B-W) - 14F. */
static void test_zero_bubble_with_slow_gradients(void **state) {
    (void)state;
    assert_near(bp_bubble_time(BP_SCHEDULE_ZB_H1, 8, 32, 1, 1, 3, 1.25), 7 * 2.75 - 7, 1e-12);
    assert_near(bp_bubble_time(BP_SCHEDULE_ZB_H2, 8, 32, 1, 1, 3, 1.25), 7 * 2.75 - 14, 1e-12);
    /* One micro-batch: no schedule can beat the chain (p-1)(F + B-W). */
    assert_near(bp_bubble_time(BP_SCHEDULE_ZB_H2, 8, 1, 1, 1, 2, 1), 14, 1e-12);
    assert_near(bp_in_flight(BP_SCHEDULE_ZB_H1, 8, 32, 1, 7), 1 + 7 * 32.0 / 34, 1e-12);
}

static void test_limits(void **state) {
    int schedule;
    (void)state;
    for (schedule = BP_SCHEDULE_1F1B; schedule <= BP_SCHEDULE_DUALPIPE_V; schedule++) {
        struct bp_bubble_out out = run(even(1, 16, 1, schedule));
        assert_near(out.bubble_s, 0, 0);
        assert_near(out.bubble_frac, 0, 0);
        assert_near(out.in_flight, 1, 0);
        /* Many micro-batches: the bubble is a vanishing share. */
        assert_true(run(even(8, 1000000, 1, schedule)).bubble_frac < 1e-4);
    }
    assert_near(bp_in_flight(BP_SCHEDULE_1F1B, 8, 3, 1, 0), 3, 0);
    assert_near(bp_in_flight(BP_SCHEDULE_1F1B, 8, 32, 1, 7), 1, 0);
}

static void expect_error(struct bp_bubble_in in, const char *field) {
    struct bp_bubble_out out;
    struct bp_error err;
    assert_int_equal(bp_bubble(&in, &out, &err), BP_EDOMAIN);
    assert_string_equal(err.field, field);
}

static void test_bad_input(void **state) {
    struct bp_bubble_in in = even(8, 32, 2, BP_SCHEDULE_GPIPE);
    (void)state;
    expect_error(in, "vpp");
    expect_error(even(7, 32, 1, BP_SCHEDULE_DUALPIPE), "stages");
    expect_error(even(8, 14, 1, BP_SCHEDULE_DUALPIPE), "micro_batches");
    expect_error(even(8, 17, 1, BP_SCHEDULE_DUALPIPE), "micro_batches");
    expect_error(even(8, 15, 1, BP_SCHEDULE_DUALPIPE_V), "micro_batches");
    in = even(8, 32, 1, BP_SCHEDULE_1F1B);
    in.stage = 8;
    expect_error(in, "stage");
    in = even(8, 32, 1, BP_SCHEDULE_1F1B);
    in.weight_s = 3;
    expect_error(in, "weight_s");
    in = even(8, 32, 1, BP_SCHEDULE_1F1B);
    in.forward_s = 0;
    expect_error(in, "forward_s");
}

/* 7 of 13 leave 6; 5 and 6 would leave 3 and 1, fewer than the 4 stages. */
static void test_interleaved_groups(void **state) {
    static const struct {
        double p, m, size;
    } cases[] = {{4, 12, 4}, {4, 10, 5}, {4, 13, 7}, {4, 14, 5}, {8, 12, 12}, {8, 8, 8}, {4, 3, 3}};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bp_bubble_in in =
            even((int64_t)cases[i].p, (int64_t)cases[i].m, 2, BP_SCHEDULE_1F1B);
        assert_near(bp_interleaved_group(cases[i].p, cases[i].m), cases[i].size, 0);
        assert_int_equal(run(in).group, (int64_t)cases[i].size);
        in.schedule = BP_SCHEDULE_BREADTH_FIRST;
        assert_int_equal(run(in).group, in.micro_batches);
        in.schedule = BP_SCHEDULE_1F1B;
        in.vpp = 1;
        assert_int_equal(run(in).group, in.micro_batches);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_conventions),
        cmocka_unit_test(test_schedules_by_hand),
        cmocka_unit_test(test_zero_bubble_with_slow_gradients),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_interleaved_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
