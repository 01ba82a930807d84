#include "platform.h"

#include "platform_state.h"

#include <math.h>
#include <string.h>

static size_t jobs_of(const struct bp_platform_in *in, const struct bp_platform_source *source) {
    return source->jobs ? source->job_count : (size_t)in->jobs;
}

static void lay_out_rooms(struct bp_platform_work *w, struct bp_arena *b) {
    size_t nodes = (size_t)w->in->nodes, sizes = (size_t)w->in->node_size + 1;
    struct bp_rooms *r = &w->rooms;
    r->nodes = bp_arena_cut(b, nodes * sizeof *r->nodes);
    r->bucket[0] = bp_arena_cut(b, sizes * sizeof *r->bucket[0]);
    r->bucket[1] = bp_arena_cut(b, sizes * sizeof *r->bucket[1]);
    w->picked = bp_arena_cut(b, nodes * sizeof *w->picked);
    w->promise.nodes = bp_arena_cut(b, nodes * sizeof *w->promise.nodes);
    w->repairs = bp_arena_cut(b, nodes * sizeof *w->repairs);
}

static void lay_out(struct bp_platform_work *w, struct bp_arena *b) {
    size_t i, kept = w->in->backfill ? w->count : 0;
    w->jobs = bp_arena_cut(b, w->count * sizeof *w->jobs);
    w->values = bp_arena_cut(b, w->count * sizeof *w->values);
    w->ends.items = bp_arena_cut(b, w->count * sizeof *w->ends.items);
    w->limits.items = bp_arena_cut(b, kept * sizeof *w->limits.items);
    w->look.items = bp_arena_cut(b, (kept + 2) * sizeof *w->look.items);
    w->lines = bp_arena_cut(b, w->class_count * sizeof *w->lines);
    w->ranks = bp_arena_cut(b, (w->class_count + 1) * sizeof *w->ranks);
    w->firsts = bp_arena_cut(b, (w->class_count + 1) * sizeof *w->firsts);
    w->used = bp_arena_cut(b, bp_projects(w->classes, w->class_count) * sizeof *w->used);
    for (i = 0; i < w->class_count; i++) {
        struct bp_job_line line = {.first = -1, .last = -1, .cursor = -1, .day = NULL};
        double *day = w->classes[i].burst > 1 ? bp_arena_cut(b, BP_DAY_SLOTS * sizeof *day) : NULL;
        if (b->at) {
            w->lines[i] = line;
            w->lines[i].day = day;
        }
    }
    lay_out_rooms(w, b);
}

static void describe(struct bp_platform_work *w, const struct bp_platform_in *in,
                     const struct bp_platform_source *source) {
    memset(w, 0, sizeof *w);
    w->in = in;
    w->classes = source->classes;
    w->class_count = source->class_count;
    w->count = jobs_of(in, source);
}

size_t bp_platform_bytes(const struct bp_platform_in *in, const struct bp_platform_source *source) {
    struct bp_platform_work w;
    struct bp_arena b = {NULL, 0};
    describe(&w, in, source);
    bp_arena_cut(&b, sizeof w);
    lay_out(&w, &b);
    return b.used;
}

/* Jobs per second: one in thirty years. The times of rarer ones would lose their seconds. */
#define RAREST 1e-9

static int check(const struct bp_platform_in *in, const struct bp_platform_source *source,
                 struct bp_error *err) {
    double devices = (double)in->nodes * (double)in->node_size;
    size_t i, submitting = 0;
    for (i = 0; i < source->class_count; i++) {
        const struct bp_job_class *c = &source->classes[i];
        submitting += c->rate_per_s > 0;
        if (c->rate_per_s > 0 && c->rate_per_s < RAREST) {
            return bp_fail(err, BP_EDOMAIN, "rate_per_s", "must be 0, or at least %g 1/s, got %g",
                           RAREST, c->rate_per_s);
        }
        if (!source->jobs && in->nodes > 0 && c->gang && (double)c->devices > devices) {
            return bp_fail(err, BP_EDOMAIN, "devices",
                           "of a job are %.0f, more than the %.0f of the platform",
                           (double)c->devices, devices);
        }
    }
    for (i = 0; source->jobs && in->nodes > 0 && i < source->job_count; i++) {
        if ((double)source->jobs[i].devices > devices) {
            return bp_fail(err, BP_EDOMAIN, "devices",
                           "of a job are %.0f, more than the %.0f of the platform",
                           (double)source->jobs[i].devices, devices);
        }
    }
    if (source->jobs ? source->job_count == 0 : submitting == 0) {
        return bp_fail(err, BP_EDOMAIN, "classes", "submit no jobs");
    }
    return BP_OK;
}

/* The last rank whose priority is at most this one, from 1 on; 0 = none is. */
static size_t rank_of(const struct bp_platform_work *w, double priority) {
    size_t low = 0, high = w->rank_count - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (w->ranks[middle].priority <= priority) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* One rank per priority at which jobs may be displaced, the least urgent first. */
static void make_ranks(struct bp_platform_work *w) {
    struct bp_job_rank rank = {.newest = -1};
    size_t i, at;
    w->ranks[0] = rank;
    w->rank_count = 1;
    for (i = 0; i < w->class_count; i++) {
        rank.priority = w->classes[i].priority;
        at = rank_of(w, rank.priority) + 1;
        if (w->classes[i].preemptible && (at == 1 || w->ranks[at - 1].priority < rank.priority)) {
            memmove(&w->ranks[at + 1], &w->ranks[at], (w->rank_count++ - at) * sizeof rank);
            w->ranks[at] = rank;
        }
    }
    for (i = 0; i < w->class_count; i++) {
        const struct bp_job_class *c = &w->classes[i];
        w->lines[i].rank = c->preemptible ? (int32_t)rank_of(w, c->priority) : 0;
    }
}

int bp_platform_open(const struct bp_platform_in *in, const struct bp_platform_source *source,
                     void *memory, struct bp_platform_work **work, struct bp_error *err) {
    struct bp_arena b = {memory, 0};
    struct bp_platform_work *w;
    size_t i, projects;
    int code = check(in, source, err);
    if (code != BP_OK) {
        return code;
    }
    *work = w = bp_arena_cut(&b, sizeof *w);
    describe(w, in, source);
    lay_out(w, &b);
    projects = bp_projects(w->classes, w->class_count);
    for (i = 0; i < projects; i++) {
        w->used[i] = 0;
    }
    bp_jobs_take(w, source->jobs);
    w->ends.place = &w->jobs[0].end_place;
    w->limits.place = &w->jobs[0].limit_place;
    w->ends.stride = w->limits.stride = sizeof *w->jobs / sizeof *w->ends.place;
    bp_rooms_open(&w->rooms, (int32_t)in->nodes, (int32_t)in->node_size);
    make_ranks(w);
    bp_outages_open(w);
    w->promise.job = w->blocked = -1;
    w->now_s = w->jobs[0].submit_s;
    w->sums.from_s = w->jobs[(size_t)(in->skip_frac * (double)w->count)].submit_s;
    w->sums.to_s = source->jobs ? INFINITY : w->jobs[w->count - 1].submit_s;
    w->sums.at_s = w->sums.from_s;
    w->sums.half_s = w->jobs[w->count / 2].submit_s;
    w->sums.waiting = INFINITY;
    return BP_OK;
}

void bp_job_begin(struct bp_platform_work *w, int32_t job) {
    struct bp_job *j = &w->jobs[job];
    struct bp_job_rank *rank = &w->ranks[w->lines[j->class].rank];
    double lasts = j->left_s + (j->tries > 0 ? w->classes[j->class].restart_s : 0);
    j->begun_s = w->now_s;
    j->start_s = j->tries++ > 0 ? j->start_s : w->now_s;
    j->newer = -1;
    j->older = rank->newest;
    if (rank->newest >= 0) {
        w->jobs[rank->newest].newer = job;
    }
    rank->newest = job;
    rank->running += bp_held_devices(&w->rooms, j->devices);
    bp_job_heap_push(&w->ends, w->now_s + lasts, job);
    if (w->in->backfill) {
        bp_job_heap_push(&w->limits, w->now_s + lasts * w->in->limit_factor, job);
    }
    bp_queue_charge(w, j, lasts * j->devices);
    w->running++;
    w->busy += j->devices;
    w->held += bp_held_devices(&w->rooms, j->devices);
    if (w->now_s >= w->sums.from_s && w->now_s <= w->sums.to_s) {
        w->peak_running = w->running > w->peak_running ? w->running : w->peak_running;
        w->peak_busy = w->busy > w->peak_busy ? w->busy : w->peak_busy;
    }
}

/* Its devices are free again; the heap of ends is the caller's matter. */
void bp_job_end(struct bp_platform_work *w, int32_t job) {
    struct bp_job *j = &w->jobs[job];
    struct bp_job_rank *rank = &w->ranks[w->lines[j->class].rank];
    *(j->newer >= 0 ? &w->jobs[j->newer].older : &rank->newest) = j->older;
    if (j->older >= 0) {
        w->jobs[j->older].newer = j->newer;
    }
    rank->running -= bp_held_devices(&w->rooms, j->devices);
    if (w->in->backfill) {
        bp_job_heap_remove(&w->limits, job);
    }
    w->running--;
    w->busy -= j->devices;
    w->held -= bp_held_devices(&w->rooms, j->devices);
    bp_rooms_release(&w->rooms, w->jobs, job);
    w->freed++;
}

/* Adds up the time until at_s, in which nothing changes. */
static void pass_time(struct bp_platform_work *w, double at_s) {
    struct bp_platform_sums *s = &w->sums;
    double until = fmin(at_s, s->to_s), over = until - s->at_s;
    if (over > 0 && until > s->from_s) {
        double idle = (double)w->rooms.free;
        s->at_s = until;
        s->busy += over * (double)w->busy;
        s->rounding += over * (double)(w->held - w->busy);
        s->down += over * (double)w->rooms.down * (double)w->rooms.size;
        s->running += over * (double)w->running;
        s->queued += over * (double)w->queued;
        if (w->blocked >= 0 && w->queued > 0) {
            int64_t needs = bp_held_devices(&w->rooms, w->jobs[w->blocked].devices);
            *(needs <= w->rooms.free ? &s->fragmented : &s->held) += over * idle;
        }
    }
    if (at_s > s->half_s && w->now_s < w->jobs[w->count - 1].submit_s) {
        s->waiting = fmin(s->waiting, w->waiting);
    }
    w->now_s = at_s;
}

static int make_room(struct bp_platform_work *w, int32_t job) {
    return bp_rooms_place(&w->rooms, w->jobs, job, 1) ||
           (w->in->preempt && bp_preempt(w, job) && bp_rooms_place(&w->rooms, w->jobs, job, 1));
}

/* Starts waiting jobs in their order while there is room; arrived: the one that has just come, or -1. */
static void start_waiting(struct bp_platform_work *w, int32_t arrived) {
    int32_t first;
    while ((first = bp_queue_first(w)) >= 0 &&
           !(first == w->blocked && w->freed == w->blocked_freed)) {
        arrived = -1;
        if (!make_room(w, first)) {
            w->blocked = first;
            w->blocked_freed = w->freed;
            continue;
        }
        bp_promise_drop(w);
        bp_queue_remove(w, first);
        bp_job_begin(w, first);
        w->blocked = -1;
    }
    if (first < 0) {
        bp_promise_drop(w);
        w->blocked = -1;
    } else if (w->in->backfill) {
        bp_backfill(w, first, arrived);
    }
}

static void finish(struct bp_platform_work *w) {
    struct bp_job_due due = bp_job_heap_pop(&w->ends);
    w->jobs[due.job].end_s = due.at_s;
    w->promise.stale |= w->in->limit_factor > 1;
    bp_job_end(w, due.job);
    w->done++;
}

static void arrive(struct bp_platform_work *w) {
    bp_queue_add(w, (int32_t)w->arrived++);
    if (w->now_s >= w->sums.from_s && w->queued > w->peak_queued) {
        w->peak_queued = w->queued;
    }
}

/* At one time jobs end first, and make room together; then nodes come and go, then jobs arrive. */
static void step(struct bp_platform_work *w) {
    double end = w->ends.count > 0 ? w->ends.items[0].at_s : INFINITY;
    double outage = bp_outage_next_s(w);
    double arrival = w->arrived < w->count ? w->jobs[w->arrived].submit_s : INFINITY;
    int32_t arrived = -1;
    pass_time(w, fmin(end, fmin(outage, arrival)));
    if (end <= outage && end <= arrival) {
        finish(w);
        if (w->ends.count > 0 && w->ends.items[0].at_s <= w->now_s) {
            return;
        }
    } else if (outage <= arrival) {
        bp_outage(w);
    } else {
        arrived = (int32_t)w->arrived;
        arrive(w);
    }
    start_waiting(w, arrived);
}

int bp_platform_go(struct bp_platform_work *w, size_t events) {
    while (w->done < w->count && events > 0) {
        step(w);
        events--;
    }
    return w->done < w->count;
}

void bp_platform_close(struct bp_platform_work *w, struct bp_platform_out *out,
                       struct bp_job_class_out *classes, const struct bp_job **jobs) {
    bp_platform_sum(w, out, classes);
    *jobs = w->jobs;
}

BP_DEFINE_ENUM(bp_job_order, BP_JOB_ORDER);
BP_DEFINE_ENUM(bp_job_durations, BP_JOB_DURATIONS);
BP_DEFINE_SCHEMA(bp_job_class, BP_JOB_CLASS_FIELDS, "job_class", "jobs of one kind on a platform");
BP_DEFINE_SCHEMA(bp_platform_in, BP_PLATFORM_IN_FIELDS, "platform_in",
                 "a platform of nodes and how it runs its jobs");
BP_DEFINE_SCHEMA(bp_platform_out, BP_PLATFORM_OUT_FIELDS, "platform_out",
                 "what a simulation of a platform's jobs says");
BP_DEFINE_SCHEMA(bp_job_class_out, BP_JOB_CLASS_OUT_FIELDS, "job_class_out",
                 "what it says of the jobs of one kind");
