#include "platform_state.h"

#include <math.h>

static double duration(const struct bp_job_class *c, struct bp_random *random) {
    double deviation;
    switch ((enum bp_job_durations)c->durations) {
    case BP_JOB_DURATIONS_EXPONENTIAL:
        return c->duration_s * bp_random_exponential(random);
    case BP_JOB_DURATIONS_LOGNORMAL: /* sigma^2 = ln(1 + cv^2), and the mean as given */
        deviation = sqrt(log1p(c->duration_cv * c->duration_cv));
        return c->duration_s *
               exp(deviation * bp_random_normal(random) - 0.5 * deviation * deviation);
    case BP_JOB_DURATIONS_FIXED:
        break;
    }
    return c->duration_s;
}

/* The gap is counted in expected arrivals, which pass as fast as the rate of each minute of the day. */
static void next_arrival(const struct bp_job_class *c, struct bp_job_line *line) {
    const double minute = 60, of_a_day = c->rate_per_s * minute * BP_DAY_SLOTS;
    double left = bp_random_exponential(&line->random), days = floor(left / of_a_day);
    if (!line->day) {
        line->next_s += left / c->rate_per_s;
        return;
    }
    if (days > 0) { /* of rare jobs, at once */
        line->day_s += days * minute * BP_DAY_SLOTS;
        left = fmax(0, left - days * of_a_day);
    }
    for (;;) {
        size_t slot = (size_t)(line->day_s / minute);
        double rate = c->rate_per_s * line->day[slot % BP_DAY_SLOTS];
        double end = (double)(slot + 1) * minute;
        if (line->day_s + left / rate < end) {
            line->day_s += left / rate;
            line->next_s = line->day_s;
            return;
        }
        left -= rate * (end - line->day_s);
        line->day_s = end;
    }
}

static void open_lines(struct bp_platform_work *w) {
    size_t i;
    for (i = 0; i < w->class_count; i++) {
        const struct bp_job_class *c = &w->classes[i];
        struct bp_job_line *line = &w->lines[i];
        bp_random_seed(&line->random, (uint64_t)w->in->seed * 65537 + i);
        line->next_s = INFINITY;
        if (c->rate_per_s > 0) {
            line->next_s = line->day_s = 0;
            if (line->day) {
                bp_serving_day(c->burst, line->day);
            }
            next_arrival(c, line);
        }
    }
}

static void make(struct bp_job *j, double submit_s, double run_s, int64_t devices, size_t class) {
    struct bp_job made = {.submit_s = submit_s,
                          .run_s = run_s,
                          .devices = (int32_t)devices,
                          .class = (int32_t) class,
                          .start_s = -1,
                          .end_s = -1,
                          .promised_s = INFINITY,
                          .left_s = run_s,
                          .next = -1,
                          .before = -1,
                          .node_next = -1,
                          .node_before = -1,
                          .newer = -1,
                          .older = -1,
                          .node = -1,
                          .end_place = -1,
                          .limit_place = -1};
    *j = made;
}

static void copy_trace(struct bp_platform_work *w, const struct bp_job *trace) {
    size_t i;
    for (i = 0; i < w->count; i++) {
        make(&w->jobs[i], trace[i].submit_s, trace[i].run_s, trace[i].devices,
             (size_t)trace[i].class);
    }
}

/* A hundred are enough for a load of their own. */
enum { MATCHED = 100 };

/*
** Numbers of rare jobs and long-tailed durations have means that settle slowly: durations scaled to the
** work that the class submits in that time make the load the one that was asked for.
*/
static void match_load(struct bp_platform_work *w) {
    double span_s = w->jobs[w->count - 1].submit_s;
    size_t i;
    for (i = 0; i < w->count; i++) {
        w->lines[w->jobs[i].class].drawn_s += w->jobs[i].run_s * w->jobs[i].devices;
        w->lines[w->jobs[i].class].drawn++;
    }
    for (i = 0; i < w->count; i++) {
        struct bp_job *j = &w->jobs[i];
        const struct bp_job_class *c = &w->classes[j->class];
        const struct bp_job_line *line = &w->lines[j->class];
        if (line->drawn >= MATCHED && c->durations != BP_JOB_DURATIONS_FIXED) {
            j->run_s *= c->rate_per_s * span_s * c->duration_s * (double)c->devices / line->drawn_s;
            j->left_s = j->run_s;
        }
    }
}

static void draw_jobs(struct bp_platform_work *w) {
    size_t made = 0;
    open_lines(w);
    while (made < w->count) {
        const struct bp_job_class *c;
        struct bp_job_line *line;
        size_t i, earliest = 0;
        int64_t parts;
        for (i = 1; i < w->class_count; i++) {
            earliest = w->lines[i].next_s < w->lines[earliest].next_s ? i : earliest;
        }
        c = &w->classes[earliest];
        line = &w->lines[earliest];
        for (parts = c->gang ? 1 : c->devices; parts > 0 && made < w->count; parts--) {
            make(&w->jobs[made++], line->next_s, duration(c, &line->random),
                 c->gang ? c->devices : 1, earliest);
        }
        next_arrival(c, line);
    }
    if (w->in->match_load) {
        match_load(w);
    }
}

void bp_jobs_take(struct bp_platform_work *w, const struct bp_job *trace) {
    if (trace) {
        copy_trace(w, trace);
    } else {
        draw_jobs(w);
    }
}
