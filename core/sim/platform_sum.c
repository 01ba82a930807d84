#include "platform_state.h"

#include <math.h>

static void sum_waits(struct bp_platform_work *w, size_t skip, struct bp_platform_out *out) {
    size_t i;
    for (i = skip; i < w->count; i++) {
        const struct bp_job *j = &w->jobs[i];
        w->values[i - skip] = fmax(0, j->start_s - j->submit_s);
        out->device_s += j->run_s * j->devices;
    }
    out->counted = (int64_t)(w->count - skip);
    out->wait = bp_times_sum(w->values, w->count - skip, w->in->percentile);
}

/* The waits into w->values, those of a class one after another. */
static void sort_waits(struct bp_platform_work *w, size_t skip) {
    size_t i, first = 0;
    for (i = 0; i <= w->class_count; i++) {
        w->firsts[i] = 0;
    }
    for (i = skip; i < w->count; i++) {
        w->firsts[w->jobs[i].class]++;
    }
    for (i = 0; i <= w->class_count; i++) {
        size_t own = w->firsts[i];
        w->firsts[i] = first;
        first += own;
    }
    for (i = skip; i < w->count; i++) {
        const struct bp_job *j = &w->jobs[i];
        w->values[w->firsts[j->class]++] = fmax(0, j->start_s - j->submit_s);
    }
}

static void sum_classes(struct bp_platform_work *w, size_t skip, struct bp_job_class_out *classes) {
    size_t i, first = 0;
    for (i = 0; i < w->class_count; i++) {
        bp_defaults(&bp_job_class_out_schema, &classes[i]);
    }
    for (i = skip; i < w->count; i++) {
        const struct bp_job *j = &w->jobs[i];
        struct bp_job_class_out *out = &classes[j->class];
        out->counted++;
        out->device_s += j->run_s * j->devices;
        out->turnaround_s += j->end_s - j->submit_s;
        out->tries += j->tries;
    }
    sort_waits(w, skip);
    for (i = 0; i < w->class_count; i++) {
        size_t count = (size_t)classes[i].counted;
        classes[i].turnaround_s /= count > 0 ? (double)count : 1;
        classes[i].wait = bp_times_sum(&w->values[first], count, w->in->percentile);
        first += count;
    }
}

static void sum_shares(const struct bp_platform_work *w, struct bp_platform_out *out) {
    const struct bp_platform_sums *s = &w->sums;
    double devices = (double)w->rooms.count * (double)w->rooms.size;
    double all = devices * out->span_s;
    if (all > 0) {
        out->utilization_frac = fmin(1, s->busy / all);
        out->rounding_frac = s->rounding / all;
        out->fragmented_frac = s->fragmented / all;
        out->held_frac = s->held / all;
        out->down_frac = s->down / all;
        out->lost_frac = s->lost / all;
    }
}

/*
** Submitted work is a sum of as many independent ones: its variance is that of their number, the sum of
** their squares. Jobs of one submission are one.
*/
static double noise(const struct bp_platform_work *w) {
    double squares = 0;
    size_t i = 0;
    while (i < w->count) {
        const struct bp_job *first = &w->jobs[i];
        double work = 0;
        for (; i < w->count && w->jobs[i].class == first->class &&
               w->jobs[i].submit_s <= first->submit_s;
             i++) {
            work += w->jobs[i].run_s * (double)bp_held_devices(&w->rooms, w->jobs[i].devices);
        }
        squares += work * work;
    }
    return sqrt(squares);
}

void bp_platform_sum(struct bp_platform_work *w, struct bp_platform_out *out,
                     struct bp_job_class_out *classes) {
    const struct bp_platform_sums *s = &w->sums;
    size_t skip = (size_t)(w->in->skip_frac * (double)w->count);
    bp_defaults(&bp_platform_out_schema, out);
    out->jobs = (int64_t)w->count;
    out->span_s = fmin(w->now_s, s->to_s) - s->from_s;
    sum_waits(w, skip, out);
    sum_classes(w, skip, classes);
    if (out->span_s > 0) {
        out->busy_devices = s->busy / out->span_s;
        out->running = s->running / out->span_s;
        out->queued = s->queued / out->span_s;
    }
    sum_shares(w, out);
    out->peak_devices = (double)w->peak_busy;
    out->peak_running = w->peak_running;
    out->peak_queued = w->peak_queued;
    out->waiting_device_s = s->waiting < INFINITY ? fmax(0, s->waiting) : 0;
    out->noise_device_s = noise(w);
    out->preemptions = w->preemptions;
    out->interruptions = w->interruptions;
    out->backfilled = w->backfilled;
    out->abandoned = w->abandoned;
}

double bp_jobs_wait_s(const struct bp_job *jobs, size_t from, size_t to) {
    double sum = 0;
    size_t i;
    for (i = from; i < to; i++) {
        sum += fmax(0, jobs[i].start_s - jobs[i].submit_s);
    }
    return to > from ? sum / (double)(to - from) : 0;
}
