#include "serving_state.h"
#include "times.h"

#include <math.h>

/* Requests whose times count: not the first ones, not those that came before or after the window. */
struct window {
    size_t skip;
    double from_s, to_s; /* of arrivals */
};

static int counts(const struct window *t, const struct bp_request *q, size_t i) {
    return i >= t->skip && q->done_s >= 0 && q->arrival_s >= t->from_s && q->arrival_s <= t->to_s;
}

static double ttft(const struct bp_request *q) {
    return q->first_s - q->arrival_s;
}

static double e2e(const struct bp_request *q) {
    return q->done_s - q->arrival_s;
}

static double queue(const struct bp_request *q) {
    return q->start_s - q->arrival_s;
}

static double tpot(const struct bp_request *q) {
    return q->output > 1 ? (q->done_s - q->first_s) / (double)(q->output - 1) : -1;
}

static double transfer(const struct bp_request *q) {
    return q->moved_s >= 0 ? fmax(0, q->moved_s + q->late_s - q->first_s) : -1;
}

/* Of requests that have such a time; those below 0 have none. */
static struct bp_spread_out times(const struct bp_serving_work *w, const struct window *t,
                                  double (*time_of)(const struct bp_request *), double *values,
                                  int64_t *counted) {
    size_t i, n = 0;
    for (i = 0; i < w->count; i++) {
        const struct bp_request *q = &w->requests[i];
        double value = counts(t, q, i) ? time_of(q) : -1;
        if (value >= 0) {
            values[n++] = value;
        }
    }
    if (counted) {
        *counted = (int64_t)n;
    }
    return bp_times_sum(values, n, w->in->percentile);
}

/* Arrivals from the trim-th to the last but trim-th; with nothing to trim all of time. */
static struct window window_of(const struct bp_serving_work *w, double *values) {
    double trim = w->in->load.trim_frac * (double)(w->count - 1);
    struct window t = {(size_t)w->in->load.skip, -INFINITY, INFINITY};
    size_t i;
    t.skip = t.skip < w->count ? t.skip : 0;
    if (trim > 0) {
        for (i = 0; i < w->count; i++) {
            values[i] = w->requests[i].arrival_s;
        }
        t.from_s = bp_times_nth(values, w->count, (size_t)trim);
        t.to_s = bp_times_nth(values, w->count, w->count - 1 - (size_t)trim);
    }
    return t;
}

/* The window in which all clients of a closed loop have something to ask. */
static struct window window_of_rates(const struct bp_serving_work *w,
                                     const struct window *of_times) {
    struct window t = *of_times;
    if (w->closing.at_s > 0) {
        t.from_s = fmax(w->closing.from_s, t.from_s);
        t.to_s = fmin(t.to_s, w->closing.at_s);
    }
    return t;
}

/* Share of an answer that is said inside the window. */
static double said_inside(const struct window *t, const struct bp_request *q) {
    double from_s = fmax(q->first_s, t->from_s), to_s = fmin(q->done_s, t->to_s);
    double all_s = q->done_s - q->first_s;
    if (!(all_s > 0)) {
        return q->done_s > t->from_s && q->done_s <= t->to_s;
    }
    return fmax(0, to_s - from_s) / all_s;
}

/*
** Answers that end inside the window, behind its start, over its time, with their tokens; without a window all, over the whole
** run. Of a closed loop the share of each that is said inside: in a window of a few answers long ones end too seldom.
*/
static void sum_rates(const struct bp_serving_work *w, const struct window *t,
                      struct bp_serving_out *out) {
    double first = INFINITY, last = 0, latest = 0, arrived = 0;
    double done = 0, input = 0, output = 0, seconds;
    int trimmed = t->from_s > -INFINITY, by_share = w->closing.at_s > 0;
    size_t i;
    for (i = 0; i < w->count; i++) {
        const struct bp_request *q = &w->requests[i];
        int inside =
            q->done_s >= 0 && (!trimmed || (q->done_s > t->from_s && q->done_s <= t->to_s));
        first = fmin(first, q->arrival_s);
        last = fmax(last, q->done_s);
        latest = fmax(latest, q->arrival_s);
        arrived += q->arrival_s >= t->from_s && q->arrival_s <= t->to_s;
        if (by_share && q->done_s >= 0) {
            double share = said_inside(t, q);
            done += share;
            input += q->first_s > t->from_s && q->first_s <= t->to_s ? q->input : 0;
            output += q->output * share;
        } else if (inside) {
            done++;
            input += q->input;
            output += q->output;
        }
    }
    out->duration_s = w->closing.at_s > 0 ? w->closing.at_s : last - first;
    out->requests = (int64_t)w->count;
    seconds = trimmed ? t->to_s - t->from_s : latest - first;
    out->offered_per_s = seconds > 0 ? arrived / seconds : 0;
    seconds = trimmed ? seconds : out->duration_s;
    if (seconds > 0) {
        out->requests_per_s = done / seconds;
        out->output_tok_s = output / seconds;
        out->total_tok_s = (input + output) / seconds;
    }
}

static void sum_fleet(const struct bp_serving_work *w, struct bp_serving_out *out) {
    double running = 0, over = out->duration_s, link_busy_s = w->link_busy_s;
    int32_t i;
    for (i = 0; i < w->replica_count; i++) {
        const struct bp_replica *r = &w->replicas[i];
        running += r->running_s;
        out->busy_s += r->busy_s;
        out->replica_s += r->paid_s;
        out->prefill_replica_s += r->pool->prompts_only ? r->paid_s : 0;
        out->preemptions += r->preemptions;
        out->steps += r->engine_steps;
        out->peak_running = fmax(out->peak_running, r->most);
    }
    for (i = 0; i < w->group_count; i++) {
        const struct bp_group *g = &w->groups[i];
        out->pool_peak_frac = fmax(out->pool_peak_frac, (g->peak + g->pool->shared) /
                                                            (g->pool->tokens + g->pool->shared));
    }
    out->mean_replicas = w->now_s > 0 ? out->replica_s / w->now_s : (double)w->paid;
    if (w->closing.at_s > 0) { /* nothing counts that comes after the last request was handed out */
        running = w->closing.running_s;
        link_busy_s = w->closing.link_busy_s;
        out->busy_s = w->closing.busy_s;
        out->replica_s *= w->closing.at_s / w->now_s;
        out->prefill_replica_s *= w->closing.at_s / w->now_s;
    }
    out->mean_running = over > 0 ? running / over : 0;
    out->busy_frac = out->replica_s > 0 ? fmin(1, out->busy_s / out->replica_s) : 0;
    out->link_busy_frac = over > 0 ? fmin(1, link_busy_s / over) : 0;
}

void bp_serving_sum(const struct bp_serving_work *w, double *values, struct bp_serving_out *out) {
    struct window t = window_of(w, values);
    out->ttft = times(w, &t, ttft, values, &out->counted);
    out->e2e = times(w, &t, e2e, values, NULL);
    out->queue = times(w, &t, queue, values, NULL);
    out->tpot = times(w, &t, tpot, values, NULL);
    out->transfer = times(w, &t, transfer, values, NULL);
    t = window_of_rates(w, &t);
    sum_rates(w, &t, out);
    sum_fleet(w, out);
    out->pool_tokens = w->pools[0].told;
    out->cached_frac = w->prompt_tokens > 0 ? fmin(1, w->cached_tokens / w->prompt_tokens) : 0;
    out->peak_replicas = w->peak_paid;
    out->starts = w->starts;
    out->failed = w->failed;
    out->retried = w->retried;
    out->lost = w->lost;
}
