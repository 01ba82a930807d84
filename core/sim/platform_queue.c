/*
** One queue per class, by submission; the policy says whose first is first of all. Use under fair share
** decays by half in a half-life: instead of shrinking what was used, what is added grows.
*/
#include "platform_state.h"

#include <math.h>

size_t bp_projects(const struct bp_job_class *classes, size_t count) {
    size_t i, projects = 1;
    for (i = 0; i < count; i++) {
        projects =
            (size_t)classes[i].project >= projects ? (size_t)classes[i].project + 1 : projects;
    }
    return projects;
}

/* Under which the least goes first. */
static double rank(const struct bp_platform_work *w, size_t class) {
    const struct bp_job_class *c = &w->classes[class];
    switch ((enum bp_job_order)w->in->order) {
    case BP_JOB_ORDER_PRIORITY:
        return -c->priority;
    case BP_JOB_ORDER_FAIR_SHARE:
        return w->used[c->project] / c->share;
    case BP_JOB_ORDER_FIFO:
        break;
    }
    return 0;
}

/* The least rank, then the earliest submission, of the jobs that `of` gives per class. */
static int32_t best(const struct bp_platform_work *w, int32_t (*of)(const struct bp_job_line *)) {
    int32_t found = -1;
    double least = 0;
    size_t i;
    for (i = 0; i < w->class_count; i++) {
        int32_t job = of(&w->lines[i]);
        double own;
        if (job < 0) {
            continue;
        }
        own = rank(w, i);
        if (found < 0 || own < least || (own <= least && job < found)) {
            found = job;
            least = own;
        }
    }
    return found;
}

static int32_t first_of(const struct bp_job_line *line) {
    return line->first;
}

static int32_t cursor_of(const struct bp_job_line *line) {
    return line->cursor;
}

int32_t bp_queue_first(const struct bp_platform_work *w) {
    return w->queued > 0 ? best(w, first_of) : -1;
}

/* Those that start over keep the place of their submission. */
void bp_queue_add(struct bp_platform_work *w, int32_t job) {
    struct bp_job_line *line = &w->lines[w->jobs[job].class];
    int32_t before = -1, next = line->first;
    if (line->last >= 0 && line->last < job) {
        before = line->last;
        next = -1;
    }
    while (next >= 0 && next < job) {
        before = next;
        next = w->jobs[next].next;
    }
    w->jobs[job].before = before;
    w->jobs[job].next = next;
    *(before < 0 ? &line->first : &w->jobs[before].next) = job;
    *(next < 0 ? &line->last : &w->jobs[next].before) = job;
    w->queued++;
    w->waiting += bp_work_left(&w->rooms, &w->jobs[job]);
}

void bp_queue_remove(struct bp_platform_work *w, int32_t job) {
    struct bp_job_line *line = &w->lines[w->jobs[job].class];
    int32_t before = w->jobs[job].before, next = w->jobs[job].next;
    *(before < 0 ? &line->first : &w->jobs[before].next) = next;
    *(next < 0 ? &line->last : &w->jobs[next].before) = before;
    w->queued--;
    w->waiting = w->queued > 0 ? w->waiting - bp_work_left(&w->rooms, &w->jobs[job]) : 0;
}

void bp_queue_rewind(struct bp_platform_work *w) {
    size_t i;
    for (i = 0; i < w->class_count; i++) {
        w->lines[i].cursor = w->lines[i].first;
    }
}

int32_t bp_queue_next(struct bp_platform_work *w) {
    int32_t job = best(w, cursor_of);
    if (job >= 0) {
        w->lines[w->jobs[job].class].cursor = w->jobs[job].next;
    }
    return job;
}

void bp_queue_charge(struct bp_platform_work *w, const struct bp_job *job, double device_s) {
    const double most = 300; /* doublings before the numbers are brought down */
    double age = (w->now_s - w->used_from_s) / w->in->half_life_s;
    if (age > most) {
        size_t i, projects = bp_projects(w->classes, w->class_count);
        for (i = 0; i < projects; i++) {
            w->used[i] *= exp2(-age);
        }
        w->used_from_s = w->now_s;
        age = 0;
    }
    w->used[w->classes[job->class].project] += device_s * exp2(age);
}
