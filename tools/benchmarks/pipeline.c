/*
** How fast one core simulates a pipeline of 16 stages and 128 micro-batches: makes the lists, runs
** them, finds idle time and memory of every device.
**   pipeline_sim_us              1F1B; pipeline.lua has the same in plain Lua as baseline
**   pipeline_sim_interleaved_us  with two virtual stages per device
**   pipeline_sim_zb_us           zero-bubble H1, whose weight gradients are placed three ways
**   pipeline_closed_us           the closed form of the same, what the search uses instead
*/
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/pipeline.h"
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

/* Best of several rounds, in microseconds per simulation. */
static double simulate_us(enum bp_schedule schedule, int64_t vpp) {
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
        forward[i] = 1;
        backward[i] = 2;
        weight[i] = 1;
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
    printf("pipeline_sim_us: %.1f us\n", simulate_us(BP_SCHEDULE_1F1B, 1));
    printf("pipeline_sim_interleaved_us: %.1f us\n", simulate_us(BP_SCHEDULE_1F1B, CHUNKS_MAX));
    printf("pipeline_sim_zb_us: %.1f us\n", simulate_us(BP_SCHEDULE_ZB_H1, 1));
    printf("pipeline_closed_us: %.4f us\n", closed_us());
    return 0;
}
