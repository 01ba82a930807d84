/* Simulated schedules: against the closed forms over grids, by hand, and lists that cannot run. */
#include "kernel/schedule/schedule.h"
#include "near.h"
#include "sim/schedules.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STAGES = 64 };

/* F, B and W of one device and micro-batch. */
struct parts {
    double f, b, w;
};

struct fixture {
    struct bp_pipe pipe;
    struct bp_pipe_work work;
    struct bp_pipe_times times;
    struct bp_error err;
    double forward[MAX_STAGES], backward[MAX_STAGES], weight[MAX_STAGES], kept[MAX_STAGES];
    void *block;
};

static void set_up(struct fixture *x, struct bp_pipe_shape shape, struct parts t) {
    double chunks = shape.layout == BP_PIPE_LAYOUT_BOTH_WAYS ? 1 : shape.chunks;
    int i;
    memset(x, 0, sizeof *x);
    assert_true(bp_pipe_stages(&shape) <= MAX_STAGES);
    for (i = 0; i < bp_pipe_stages(&shape); i++) {
        x->forward[i] = t.f / chunks;
        x->backward[i] = t.b / chunks;
        x->weight[i] = t.w / chunks;
        x->kept[i] = 1 / chunks;
    }
    x->pipe =
        (struct bp_pipe){shape, x->forward, x->backward, x->weight, x->kept, 0, BP_WEIGHT_SHARE, 1};
    x->block = malloc(bp_pipe_bytes(&shape));
    assert_non_null(x->block);
    bp_pipe_place(&shape, x->block, &x->work);
}

/* Every list holds every operation of its device once, nothing overlaps, nothing starts early. */
static void check_steps(const struct fixture *x) {
    const struct bp_pipe_shape *s = &x->pipe.shape;
    double bytes = 0;
    int32_t d, i;
    for (d = 0; d < s->devices; d++) {
        const struct bp_pipe_step *step = x->work.steps + (size_t)d * x->work.room;
        double length = 0, end = 0;
        for (i = 0; i < x->work.step_count[d]; i++) {
            assert_true(step[i].start_s >= end - 1e-9);
            length += step[i].end_s - step[i].start_s;
            end = step[i].end_s;
            bytes = step[i].kept;
            assert_true(bytes > -1e-9 && bytes <= x->work.devices[d].peak + 1e-9);
        }
        assert_near(x->work.devices[d].busy_s, length, 1e-9);
        assert_true(fabs(bytes) < 1e-9); /* all is released in the end */
    }
}

static double span(struct fixture *x, enum bp_schedule schedule, int p, int m, int v,
                   struct parts t) {
    struct bp_pipe_shape shape;
    assert_int_equal(bp_schedule_shape(schedule, p, m, v, &shape, &x->err), BP_OK);
    set_up(x, shape, t);
    assert_int_equal(bp_schedule_run(schedule, &x->pipe, 0, &x->work, &x->times, &x->err), BP_OK);
    if (schedule != BP_SCHEDULE_DUALPIPE && schedule != BP_SCHEDULE_DUALPIPE_V) {
        check_steps(x); /* pairs overlap */
    }
    assert_true(x->times.makespan_s >= x->times.span_s);
    return x->times.span_s;
}

static void check_peaks(const struct fixture *x, enum bp_schedule schedule, int v) {
    int32_t d, p = x->pipe.shape.devices;
    for (d = 0; d < p; d++) {
        double kept = bp_in_flight(schedule, p, x->pipe.shape.micro_batches, v, d);
        assert_near(x->work.devices[d].peak, kept, 1e-9);
    }
}

static void expect_exact(enum bp_schedule schedule, int least_vpp) {
    static const struct parts t = {1, 2.5, 1};
    static struct fixture x;
    int p, v, m;
    for (p = 1; p <= 8; p++) {
        for (v = least_vpp; v <= 4; v++) {
            for (m = 1; m <= 26; m++) {
                double closed = bp_bubble_time(schedule, p, m, v, 1, 2.5, 1);
                double got = span(&x, schedule, p, m, v, t);
                assert_near(got, m * 3.5 + closed, 1e-12);
                assert_near(x.times.makespan_s, got, 1e-12);
                if (p > 1) {
                    check_peaks(&x, schedule, v);
                }
                free(x.block);
            }
        }
    }
}

static void test_interleaving_is_exact(void **state) {
    (void)state;
    expect_exact(BP_SCHEDULE_1F1B, 1);
    expect_exact(BP_SCHEDULE_BREADTH_FIRST, 2);
}

/* Largest and mean distance of the closed form from the simulated span, as shares of it. */
struct distance {
    double most, sum, count;
};

static const struct parts grid[] = {{1, 2, 1},     {1, 2.5, 1},   {1, 2, 0.8},
                                    {1, 2, 1.2},   {1, 3, 1.25},  {1, 1.8, 0.5},
                                    {1, 2.6, 1.3}, {1, 2.2, 0.9}, {1, 3, 1}};

static struct distance over_grid(enum bp_schedule schedule, int least_per_stage, int exact_peaks) {
    static struct fixture x;
    struct distance far = {0, 0, 0};
    size_t i;
    int p, m;
    for (i = 0; i < sizeof grid / sizeof *grid; i++) {
        for (p = 2; p <= 8; p += 2) {
            for (m = least_per_stage ? least_per_stage * p : 1; m <= 30; m += 2) {
                double closed = bp_bubble_time(schedule, p, m, 1, grid[i].f, grid[i].b, grid[i].w);
                double got = span(&x, schedule, p, m, 1, grid[i]);
                double off = fabs((m * (grid[i].f + grid[i].b) + closed) / got - 1);
                far.most = fmax(far.most, off);
                far.sum += off;
                far.count++;
                if (exact_peaks) {
                    check_peaks(&x, schedule, 1);
                }
                free(x.block);
            }
        }
    }
    return far;
}

static void expect_distance(enum bp_schedule schedule, int least_per_stage, int exact_peaks,
                            double most, double mean) {
    struct distance far = over_grid(schedule, least_per_stage, exact_peaks);
    assert_true(far.count > 100);
    if (far.most > most || far.sum / far.count > mean) {
        fail_msg("%s: closed form is off by %g at most, %g on average", bp_schedule_names[schedule],
                 far.most, far.sum / far.count);
    }
}

static void test_other_closed_forms(void **state) {
    (void)state;
    expect_distance(BP_SCHEDULE_GPIPE, 0, 1, 1e-12, 1e-12);
    expect_distance(BP_SCHEDULE_ZB_H1, 0, 1, 1e-12, 1e-12);
    expect_distance(BP_SCHEDULE_ZB_H2, 0, 1, 0.03, 0.001); /* inexact only where W > F */
    expect_distance(BP_SCHEDULE_ZBV, 2, 0, 0.032, 0.005);
    expect_distance(BP_SCHEDULE_ZBV, 0, 0, 0.09, 0.012); /* few micro-batches */
    expect_distance(BP_SCHEDULE_DUALPIPE, 2, 1, 0.034, 0.01);
    expect_distance(BP_SCHEDULE_DUALPIPE_V, 2, 1, 0.04, 0.01);
}

/* F = B-W = W: what the papers claim, exactly. */
static void test_papers_claims(void **state) {
    static const struct parts t = {1, 2, 1};
    static const struct {
        enum bp_schedule schedule;
        double bubble, peak;
    } claims[] = {{BP_SCHEDULE_ZB_H1, 7, 8},
                  {BP_SCHEDULE_ZB_H2, 0, 15},
                  {BP_SCHEDULE_ZBV, 0, 8},
                  {BP_SCHEDULE_DUALPIPE, 6, 9},
                  {BP_SCHEDULE_DUALPIPE_V, 7, 8.5}};
    static struct fixture x;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof claims / sizeof *claims; i++) {
        double got = span(&x, claims[i].schedule, 8, 24, 1, t), peak = 0;
        int d;
        assert_near(got, 72 + claims[i].bubble, 1e-12);
        for (d = 0; d < 8; d++) {
            peak = fmax(peak, x.work.devices[d].peak);
        }
        assert_near(peak, claims[i].peak, 1e-9);
        free(x.block);
    }
}

/* Of the ways to place W, tried one by one, the shortest is what the schedule took, step by step. */
static void check_best_way(struct fixture *x) {
    static const double least[] = {1, 0.5, 0};
    struct bp_pipe_times took = x->times, one;
    int32_t last = x->work.step_count[0] - 1;
    struct bp_pipe_step step = x->work.steps[last], best_step = {0};
    double shortest = INFINITY;
    int i;
    for (i = 0; i < 3; i++) {
        struct bp_pipe_fill fill = {&least[i], 1};
        assert_int_equal(bp_pipe_run(&x->pipe, &x->work, &fill, &one, &x->err), BP_OK);
        if (one.span_s < shortest) {
            shortest = one.span_s;
            best_step = x->work.steps[last];
        }
    }
    assert_near(took.span_s, shortest, 0);
    assert_near(step.end_s, best_step.end_s, 0);
    assert_int_equal(step.op.micro, best_step.op.micro);
}

static void test_best_way_to_place_weights(void **state) {
    static const enum bp_schedule schedules[] = {BP_SCHEDULE_ZB_H1, BP_SCHEDULE_ZB_H2,
                                                 BP_SCHEDULE_ZBV};
    static struct fixture x;
    size_t i, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < sizeof grid / sizeof *grid; j++) {
            span(&x, schedules[i], 6, 17, 1, grid[j]);
            check_best_way(&x);
            free(x.block);
        }
    }
}

/* Two stages, 1F1B, F 1 and 3, B 2 and 5, a send takes 0.5: by hand. */
static void test_uneven_by_hand(void **state) {
    static const double start[2][6] = {{0, 1, 10, 12, 18, 0}, {1.5, 4.5, 9.5, 12.5, 17.5, 20.5}};
    static struct fixture x;
    struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, 2, 1, 3};
    int i;
    (void)state;
    set_up(&x, shape, (struct parts){1, 2, 1});
    x.forward[1] = 3;
    x.backward[1] = 5;
    x.kept[1] = 10;
    x.pipe.send_s = 0.5;
    assert_int_equal(bp_schedule_run(BP_SCHEDULE_1F1B, &x.pipe, 0, &x.work, &x.times, &x.err),
                     BP_OK);
    for (i = 0; i < 5; i++) {
        assert_near(x.work.steps[i].start_s, start[0][i], 1e-12);
    }
    for (i = 0; i < 6; i++) {
        assert_near(x.work.steps[x.work.room + (size_t)i].start_s, start[1][i], 1e-12);
    }
    assert_near(x.times.makespan_s, 28, 1e-12);
    assert_near(x.work.devices[0].busy_s, 9, 1e-12);
    assert_near(x.work.devices[1].peak, 10, 0);
    assert_near(x.work.devices[0].peak_at_s, 1, 1e-12);
    free(x.block);
}

/* The slowest of uneven stages sets the pace: m max + the others once, for one slow end. */
static void test_slow_last_stage(void **state) {
    static struct fixture x;
    struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, 4, 1, 16};
    (void)state;
    set_up(&x, shape, (struct parts){1, 2, 1});
    x.forward[3] = 1.5;
    x.backward[3] = 3;
    assert_int_equal(bp_schedule_run(BP_SCHEDULE_1F1B, &x.pipe, 0, &x.work, &x.times, &x.err),
                     BP_OK);
    assert_near(x.times.makespan_s, 16 * 4.5 + 3 * 3, 1e-12);
    free(x.block);
}

/* Stages whose times are anything: a fixed sequence of fractions of the golden ratio. */
static void set_uneven(struct fixture *x, int seed) {
    int i;
    for (i = 0; i < bp_pipe_stages(&x->pipe.shape); i++) {
        x->forward[i] = 0.5 + fmod((seed * 17 + i) * 0.6180339887, 1);
        x->backward[i] = 2 * x->forward[i] * (0.8 + 0.4 * fmod((seed + i * 5) * 0.6180339887, 1));
    }
}

static void test_uneven_closed_forms(void **state) {
    static const enum bp_schedule schedules[] = {BP_SCHEDULE_GPIPE, BP_SCHEDULE_1F1B};
    static struct fixture x;
    double most = 0, exact = 0, count = 0;
    int k, seed;
    (void)state;
    for (k = 0; k < 2; k++) {
        for (seed = 0; seed < 300; seed++) {
            int p = 2 + seed % 7, m = p + seed % 29;
            struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, p, 1, m};
            double closed, off;
            set_up(&x, shape, (struct parts){1, 2, 1});
            set_uneven(&x, seed);
            closed = bp_uneven_step(schedules[k], p, m, x.forward, x.backward);
            assert_int_equal(bp_schedule_run(schedules[k], &x.pipe, 0, &x.work, &x.times, &x.err),
                             BP_OK);
            off = x.times.makespan_s / closed - 1;
            assert_true(off > -1e-9);
            assert_true(k == 1 || off < 1e-9);
            most = fmax(most, off);
            exact += off < 1e-9;
            count++;
            free(x.block);
        }
    }
    assert_true(most < 0.05);
    assert_true(exact > 0.8 * count);
}

static void test_uneven_forms_that_are_none(void **state) {
    static const double t[] = {1, 2};
    (void)state;
    assert_near(bp_uneven_step(BP_SCHEDULE_1F1B, 2, 1, t, t), 0, 0);
    assert_near(bp_uneven_step(BP_SCHEDULE_ZB_H1, 2, 8, t, t), 0, 0);
    /* By hand: 8 (2+2) and one pass of the first stage. */
    assert_near(bp_uneven_step(BP_SCHEDULE_1F1B, 2, 8, t, t), 34, 1e-12);
    assert_near(bp_uneven_step(BP_SCHEDULE_GPIPE, 2, 8, t, t), 7 * 4 + 6, 1e-12);
}

/* A pair takes less than its parts: the overlap that DualPipe is made for. */
static void test_pairs_overlap(void **state) {
    static struct fixture x;
    double apart, together;
    (void)state;
    apart = span(&x, BP_SCHEDULE_DUALPIPE, 4, 16, 1, (struct parts){1, 2, 1});
    x.pipe.pair_frac = 0.8;
    assert_int_equal(bp_schedule_run(BP_SCHEDULE_DUALPIPE, &x.pipe, 0, &x.work, &x.times, &x.err),
                     BP_OK);
    together = x.times.span_s;
    assert_true(together < 0.9 * apart && together > 0.8 * apart);
    free(x.block);
}

/* Groups of p with a short last one, as Megatron-LM would run them, against even ones. */
static void test_groups(void **state) {
    static struct fixture x;
    struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, 4, 2, 10};
    double even;
    (void)state;
    set_up(&x, shape, (struct parts){1, 2, 1});
    assert_int_equal(bp_schedule_run(BP_SCHEDULE_1F1B, &x.pipe, 5, &x.work, &x.times, &x.err),
                     BP_OK);
    even = x.times.span_s;
    assert_int_equal(bp_schedule_run(BP_SCHEDULE_1F1B, &x.pipe, 0, &x.work, &x.times, &x.err),
                     BP_OK);
    assert_near(x.times.span_s, even, 0); /* 5 + 5 either way */
    assert_int_equal(bp_schedule_run(BP_SCHEDULE_1F1B, &x.pipe, 4, &x.work, &x.times, &x.err),
                     BP_OK);
    assert_true(x.times.span_s > even + 0.5); /* 4 + 4 + 2 */
    free(x.block);
}

static void give(struct fixture *x, int device, const struct bp_pipe_op *ops, int count) {
    memcpy(x->work.given + (size_t)device * x->work.room, ops, (size_t)count * sizeof *ops);
    x->work.given_count[device] = count;
}

static const struct bp_pipe_op good[] = {{0, 0, BP_PIPE_F, 0},
                                         {1, 0, BP_PIPE_F, 0},
                                         {0, 0, BP_PIPE_B, 0},
                                         {1, 0, BP_PIPE_B, 0},
                                         {0, 0, BP_PIPE_W, 0}};

static void test_own_lists(void **state) {
    static struct fixture x;
    struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, 2, 1, 2};
    (void)state;
    set_up(&x, shape, (struct parts){1, 2, 1});
    give(&x, 0, good, 5);
    give(&x, 1, good, 4);
    assert_int_equal(bp_pipe_check(&shape, &x.work, &x.err), BP_OK);
    assert_int_equal(x.work.given[2].kind, BP_PIPE_B);  /* its W follows */
    assert_int_equal(x.work.given[3].kind, BP_PIPE_BW); /* it has none */
    assert_int_equal(bp_pipe_run(&x.pipe, &x.work, NULL, &x.times, &x.err), BP_OK);
    assert_near(x.times.makespan_s, 10,
                1e-12); /* F F on 1 end at 3, B B at 7; B0 waits 5, B1 7-9, W */
    free(x.block);
}

static void expect_fault(const struct bp_pipe_op *ops, int count, const char *text) {
    static struct fixture x;
    struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, 2, 1, 2};
    int code;
    set_up(&x, shape, (struct parts){1, 2, 1});
    give(&x, 0, good, 4);
    give(&x, 1, ops, count);
    code = bp_pipe_check(&shape, &x.work, &x.err);
    if (code == BP_OK) {
        code = bp_pipe_run(&x.pipe, &x.work, NULL, &x.times, &x.err);
    }
    assert_int_equal(code, BP_EDOMAIN);
    assert_string_equal(x.err.field, "schedule");
    assert_string_equal(x.err.text, text);
    free(x.block);
}

static void test_lists_that_cannot_run(void **state) {
    static const struct bp_pipe_op twice[] = {{0, 0, BP_PIPE_F, 0}, {0, 0, BP_PIPE_F, 0}};
    static const struct bp_pipe_op unknown[] = {{2, 0, BP_PIPE_F, 0}};
    static const struct bp_pipe_op chunk[] = {{0, 1, BP_PIPE_W, 0}};
    static const struct bp_pipe_op early[] = {
        {0, 0, BP_PIPE_F, 0}, {1, 0, BP_PIPE_B, 0}, {1, 0, BP_PIPE_F, 0}, {0, 0, BP_PIPE_B, 0}};
    static const struct bp_pipe_op alone[] = {
        {0, 0, BP_PIPE_F, 1}, {1, 0, BP_PIPE_F, 0}, {0, 0, BP_PIPE_B, 0}, {1, 0, BP_PIPE_B, 0}};
    (void)state;
    expect_fault(good, 3, "device 1 never runs B of micro-batch 1 (chunk 0)");
    expect_fault(good, 0, "device 1 never runs F of micro-batch 0 (chunk 0)");
    expect_fault(twice, 2,
                 "device 1, operation 2: F of micro-batch 0 (chunk 0) is there a second time");
    expect_fault(unknown, 1, "device 1, operation 1: F of micro-batch 2 (chunk 0) does not exist");
    expect_fault(chunk, 1, "device 1, operation 1: W of micro-batch 0 (chunk 1) does not exist");
    expect_fault(early, 4,
                 "deadlock: device 1 waits at operation 2, B of micro-batch 1 (chunk 0), for F of "
                 "micro-batch 1 on device 1 (chunk 0), later in its own list");
    expect_fault(alone, 4,
                 "device 1, operation 1: F of micro-batch 0 (chunk 0) can only run with an F or B "
                 "behind it, one of each");
}

/* Device 1 wants its second micro-batch first, device 0 the gradient of the first before it. */
static void test_deadlock_of_two(void **state) {
    static const struct bp_pipe_op first[] = {
        {0, 0, BP_PIPE_F, 0}, {0, 0, BP_PIPE_BW, 0}, {1, 0, BP_PIPE_F, 0}, {1, 0, BP_PIPE_BW, 0}};
    static const struct bp_pipe_op second[] = {
        {1, 0, BP_PIPE_F, 0}, {1, 0, BP_PIPE_BW, 0}, {0, 0, BP_PIPE_F, 0}, {0, 0, BP_PIPE_BW, 0}};
    static struct fixture x;
    struct bp_pipe_shape shape = {BP_PIPE_LAYOUT_LOOP, 2, 1, 2};
    (void)state;
    set_up(&x, shape, (struct parts){1, 2, 1});
    give(&x, 0, first, 4);
    give(&x, 1, second, 4);
    assert_int_equal(bp_pipe_check(&shape, &x.work, &x.err), BP_OK);
    assert_int_equal(bp_pipe_run(&x.pipe, &x.work, NULL, &x.times, &x.err), BP_EDOMAIN);
    assert_string_equal(x.err.text,
                        "deadlock: device 1 waits at operation 1, F of micro-batch 1 (chunk 0), "
                        "for F of micro-batch 1 on device 0 (chunk 0)");
    free(x.block);
}

static void test_bad_shapes(void **state) {
    struct bp_pipe_shape shape;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_schedule_shape(BP_SCHEDULE_ZBV, 4, 8, 2, &shape, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "vpp");
    assert_int_equal(bp_schedule_shape(BP_SCHEDULE_DUALPIPE, 4, 7, 1, &shape, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "micro_batches");
    assert_int_equal(bp_schedule_shape(BP_SCHEDULE_DUALPIPE_V, 4, 7, 1, &shape, &err), BP_EDOMAIN);
    assert_int_equal(bp_schedule_shape(BP_SCHEDULE_1F1B, 1024, 1024, 1, &shape, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "micro_batches");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interleaving_is_exact),
        cmocka_unit_test(test_other_closed_forms),
        cmocka_unit_test(test_papers_claims),
        cmocka_unit_test(test_best_way_to_place_weights),
        cmocka_unit_test(test_uneven_by_hand),
        cmocka_unit_test(test_slow_last_stage),
        cmocka_unit_test(test_uneven_closed_forms),
        cmocka_unit_test(test_uneven_forms_that_are_none),
        cmocka_unit_test(test_pairs_overlap),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_own_lists),
        cmocka_unit_test(test_lists_that_cannot_run),
        cmocka_unit_test(test_deadlock_of_two),
        cmocka_unit_test(test_bad_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
