/*
** How fast one core simulates a pipeline of 16 stages and 128 micro-batches: makes the lists, runs
** them, finds idle time and memory of every device.
**   pipeline_sim_us               1F1B; pipeline.lua has the same in plain Lua as baseline
**   pipeline_sim_SCHEDULE_us      the other built-in schedules (interleaved: two virtual stages per device)
**   pipeline_sim_SCHEDULE_try_us  where weight gradients are placed by the gaps, with times under which all
**                                 ways of placing them differ and have to be tried (else 1, 2 and 1)
**   pipeline_closed_us            the closed form of the same, what the search uses instead
*/
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/schedule/schedule.h"
#include "sim/schedules.h"

enum { STAGES = 16, MICRO_BATCHES = 128, CHUNKS_MAX = 2, CALLS = 200, REPEATS = 7 };

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int code, const struct bp_error *err) {
    if (code != BP_OK) {
        fprintf(stderr, "bench_pipeline: %s: %s\n", err->field, err->text);
        exit(1);
    }
}

/* F, whole backward and W of one stage. */
struct parts {
    double f, b, w;
};

/* Best of several rounds, in microseconds per simulation. */
static double simulate_us(enum bp_schedule schedule, int64_t vpp, struct parts parts) {
    static double forward[STAGES * CHUNKS_MAX], backward[STAGES * CHUNKS_MAX];
    static double weight[STAGES * CHUNKS_MAX], kept[STAGES * CHUNKS_MAX];
    struct bp_pipe pipe = {{0}, forward, backward, weight, kept, 0, BP_WEIGHT_SHARE, 1};
    struct bp_pipe_work work;
    struct bp_pipe_times times;
    struct bp_error err;
    double best = 1e9;
    void *block;
    int i, round;
    must(bp_schedule_shape(schedule, STAGES, MICRO_BATCHES, vpp, &pipe.shape, &err), &err);
    for (i = 0; i < STAGES * CHUNKS_MAX; i++) {
        forward[i] = parts.f;
        backward[i] = parts.b;
        weight[i] = parts.w;
        kept[i] = 1;
    }
    block = malloc(bp_pipe_bytes(&pipe.shape));
    if (!block) {
        exit(1);
    }
    bp_pipe_place(&pipe.shape, block, &work);
    for (round = 0; round < REPEATS; round++) {
        double started = now_s();
        for (i = 0; i < CALLS; i++) {
            must(bp_schedule_run(schedule, &pipe, 0, &work, &times, &err), &err);
        }
        started = (now_s() - started) / CALLS * 1e6;
        best = started < best ? started : best;
    }
    free(block);
    return best;
}

static double closed_us(void) {
    volatile double sum = 0;
    double started = now_s();
    int i;
    for (i = 0; i < CALLS * 1000; i++) {
        sum += bp_bubble_time(BP_SCHEDULE_1F1B, STAGES, MICRO_BATCHES + i % 7, 1, 1, 2, 1);
    }
    return (now_s() - started) / CALLS / 1000 * 1e6;
}

int main(void) {
    static const struct {
        const char *name;
        enum bp_schedule schedule;
        int64_t vpp;
        int tries;
    } cases[] = {
        {"", BP_SCHEDULE_1F1B, 1, 0},
        {"_interleaved", BP_SCHEDULE_1F1B, CHUNKS_MAX, 0},
        {"_gpipe", BP_SCHEDULE_GPIPE, 1, 0},
        {"_zb_h1", BP_SCHEDULE_ZB_H1, 1, 1},
        {"_zb_h2", BP_SCHEDULE_ZB_H2, 1, 1},
        {"_zbv", BP_SCHEDULE_ZBV, 1, 1},
        {"_dualpipe", BP_SCHEDULE_DUALPIPE, 1, 0},
        {"_dualpipe_v", BP_SCHEDULE_DUALPIPE_V, 1, 0},
    };
    static const struct parts even = {1, 2, 1}, odd = {1, 2.3, 0.9};
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        printf("pipeline_sim%s_us: %.1f us\n", cases[i].name,
               simulate_us(cases[i].schedule, cases[i].vpp, even));
        if (cases[i].tries) {
            printf("pipeline_sim%s_try_us: %.1f us\n", cases[i].name,
                   simulate_us(cases[i].schedule, cases[i].vpp, odd));
        }
    }
    printf("pipeline_closed_us: %.4f us\n", closed_us());
    return 0;
}
