/* Pipeline schedules: published cases by hand, limits, and a simulation of the 1F1B family. */
#include "kernel/pipeline.h"
#include "near.h"

#include <string.h>

enum { MAX_STAGES = 8, MAX_VPP = 4, MAX_MICRO = 32, MAX_OPS = 2 * MAX_VPP * MAX_MICRO };

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
        {BP_SCHEDULE_1F1B, 1, 21, 8, 1},      {BP_SCHEDULE_1F1B, 2, 10.5, 11.5, 1},
        {BP_SCHEDULE_1F1B, 4, 5.25, 9.75, 1}, {BP_SCHEDULE_GPIPE, 1, 21, 32, 1},
        {BP_SCHEDULE_ZB_H1, 1, 7, 8, 1},      {BP_SCHEDULE_ZB_H2, 1, 0, 15, 1},
        {BP_SCHEDULE_ZBV, 1, 0, 8, 1},        {BP_SCHEDULE_DUALPIPE, 1, 6, 9, 2},
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
    for (schedule = BP_SCHEDULE_1F1B; schedule <= BP_SCHEDULE_DUALPIPE; schedule++) {
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

/* A device's operations in order: encoded as +(chunk * MAX_MICRO + micro) + 1, backward negative.
 */
struct device_order {
    int op[MAX_OPS];
    int count;
};

/* Groups as even as possible, each of at least p (one group when m < p). */
static int group_sizes(int p, int m, int sizes[MAX_MICRO]) {
    int groups = m < p ? 1 : m / p;
    int i;
    for (i = 0; i < groups; i++) {
        sizes[i] = m / groups + (i < m % groups ? 1 : 0);
    }
    return groups;
}

static void interleaved_order(int p, int v, int m, int device, struct device_order *o) {
    int sizes[MAX_MICRO], forward[MAX_OPS / 2], backward[MAX_OPS / 2];
    int groups = group_sizes(p, m, sizes);
    int g, c, k, first = 0, n = 0, nb = 0, warm, i;
    for (g = 0; g < groups; first += sizes[g++]) {
        for (c = 0; c < v; c++) {
            for (k = 0; k < sizes[g]; k++) {
                forward[n++] = c * MAX_MICRO + first + k + 1;
                backward[nb++] = -((v - 1 - c) * MAX_MICRO + first + k + 1);
            }
        }
    }
    warm = v == 1 ? p - device - 1 : 2 * (p - device - 1) + (v - 1) * sizes[0];
    warm = warm < n ? warm : n;
    o->count = 0;
    for (i = 0; i < n + warm; i++) {
        if (i < n) {
            o->op[o->count++] = forward[i];
        }
        if (i >= warm) {
            o->op[o->count++] = backward[i - warm];
        }
    }
}

struct simulation {
    struct device_order order[MAX_STAGES];
    double done[2][MAX_STAGES * MAX_VPP][MAX_MICRO]; /* 0 = not yet */
    double clock[MAX_STAGES];
    int next[MAX_STAGES], kept[MAX_STAGES], peak[MAX_STAGES];
};

/* Runs the next operation of a device if what it waits for is done. */
static int advance(struct simulation *s, int p, int v, int device, double f, double b) {
    int op, back, index, stage, micro;
    double ready = 0;
    if (s->next[device] == s->order[device].count) {
        return 0;
    }
    op = s->order[device].op[s->next[device]];
    back = op < 0;
    index = (back ? -op : op) - 1;
    stage = index / MAX_MICRO * p + device;
    micro = index % MAX_MICRO;
    if (back) {
        ready = stage == p * v - 1 ? s->done[0][stage][micro] : s->done[1][stage + 1][micro];
    } else if (stage > 0) {
        ready = s->done[0][stage - 1][micro];
    }
    if (!(ready > 0) && (back || stage > 0)) {
        return 0;
    }
    s->clock[device] = fmax(s->clock[device], ready) + (back ? b : f) / v;
    s->done[back][stage][micro] = s->clock[device];
    s->kept[device] += back ? -1 : 1;
    if (s->kept[device] > s->peak[device]) {
        s->peak[device] = s->kept[device];
    }
    s->next[device]++;
    return 1;
}

static double simulate(struct simulation *s, int p, int v, int m, double f, double b) {
    double end = 0;
    int device, moved = 1;
    memset(s, 0, sizeof *s);
    for (device = 0; device < p; device++) {
        interleaved_order(p, v, m, device, &s->order[device]);
    }
    while (moved) {
        moved = 0;
        for (device = 0; device < p; device++) {
            moved += advance(s, p, v, device, f, b);
        }
    }
    for (device = 0; device < p; device++) {
        assert_int_equal(s->next[device], s->order[device].count);
        end = fmax(end, s->clock[device]);
    }
    return end;
}

static void test_agrees_with_simulation(void **state) {
    static struct simulation s;
    int p, v, m, device;
    (void)state;
    for (p = 2; p <= MAX_STAGES; p += 2) {
        for (v = 1; v <= MAX_VPP; v++) {
            for (m = 1; m <= MAX_MICRO; m++) {
                double work = m * 3.5;
                double end = simulate(&s, p, v, m, 1, 2.5);
                double bubble = bp_bubble_time(BP_SCHEDULE_1F1B, p, m, v, 1, 2.5, 1);
                assert_near(work + bubble, end, 1e-12);
                for (device = 0; device < p; device++) {
                    double kept = bp_in_flight(BP_SCHEDULE_1F1B, p, m, v, device);
                    assert_near(kept, (double)s.peak[device] / v, 1e-12);
                }
            }
        }
    }
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_conventions),
        cmocka_unit_test(test_schedules_by_hand),
        cmocka_unit_test(test_zero_bubble_with_slow_gradients),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_agrees_with_simulation),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
