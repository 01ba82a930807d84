/*
** How fast one core simulates a platform's jobs: a million of four classes on 128 nodes of eight devices,
** at 80 % of what the devices can do.
**   platform_jobs_per_s           first in, first out
**   platform_backfill_jobs_per_s  with backfill
**   platform_baseline_jobs_per_s  the same jobs on one heap of free devices, no nodes, classes or waits:
**                                 the least that any simulation of them does
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/platform.h"
#include "sim/random.h"

enum { JOBS = 1000000, REPEATS = 3, DEVICES = 1024 };

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Jobs a day: single devices, half nodes, nodes, gangs of four nodes. */
static void describe(struct bp_job_class classes[4]) {
    const double per_day[] = {12000, 600, 240, 36}, hours[] = {0.5, 2, 3, 5};
    const int64_t devices[] = {1, 4, 8, 32};
    size_t i;
    for (i = 0; i < 4; i++) {
        bp_defaults(&bp_job_class_schema, &classes[i]);
        classes[i].rate_per_s = per_day[i] / 86400;
        classes[i].duration_s = hours[i] * 3600;
        classes[i].devices = devices[i];
    }
}

static double simulated_per_s(int backfill) {
    struct bp_job_class classes[4];
    struct bp_job_class_out per_class[4];
    struct bp_platform_source source = {classes, 4, NULL, 0};
    struct bp_platform_in in;
    struct bp_platform_out out;
    struct bp_platform_work *work;
    struct bp_error err;
    const struct bp_job *jobs;
    double started = now_s();
    void *memory;
    describe(classes);
    bp_defaults(&bp_platform_in_schema, &in);
    in.nodes = DEVICES / in.node_size;
    in.jobs = JOBS;
    in.backfill = backfill;
    memory = malloc(bp_platform_bytes(&in, &source));
    if (!memory || bp_platform_open(&in, &source, memory, &work, &err) != BP_OK) {
        exit(1);
    }
    while (bp_platform_go(work, JOBS)) {
    }
    bp_platform_close(work, &out, per_class, &jobs);
    free(memory);
    return JOBS / (now_s() - started);
}

/* Draws arrivals and durations and puts each on the device that is free first. */
static double baseline_per_s(void) {
    static double free_s[DEVICES];
    struct bp_random random;
    double started = now_s(), at_s = 0, waited = 0;
    int i;
    bp_random_seed(&random, 1);
    for (i = 0; i < JOBS; i++) {
        double until;
        size_t place = 0;
        at_s += bp_random_exponential(&random);
        waited += fmax(0, free_s[0] - at_s);
        until = fmax(at_s, free_s[0]) + 800 * exp(0.83 * bp_random_normal(&random) - 0.35);
        for (;;) {
            size_t child = 2 * place + 1;
            child += child + 1 < DEVICES && free_s[child + 1] < free_s[child];
            if (child >= DEVICES || free_s[child] >= until) {
                break;
            }
            free_s[place] = free_s[child];
            place = child;
        }
        free_s[place] = until;
    }
    return waited >= 0 ? JOBS / (now_s() - started) : 0;
}

static double best(double a, double b) {
    return a > b ? a : b;
}

int main(void) {
    double fifo = 0, backfill = 0, baseline = 0;
    int i;
    for (i = 0; i < REPEATS; i++) { /* the best of some: the machine does other things too */
        fifo = best(fifo, simulated_per_s(0));
        backfill = best(backfill, simulated_per_s(1));
        baseline = best(baseline, baseline_per_s());
    }
    printf("platform_jobs_per_s: %.0f /s\n", fifo);
    printf("platform_backfill_jobs_per_s: %.0f /s\n", backfill);
    printf("platform_baseline_jobs_per_s: %.0f /s\n", baseline);
    return 0;
}
