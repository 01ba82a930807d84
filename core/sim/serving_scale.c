#include "serving_state.h"

#include <math.h>

static int autoscaled(const struct bp_serving_work *w) {
    return w->in->autoscale.target > 0;
}

static int32_t most(const struct bp_serving_work *w) {
    const struct bp_autoscale *a = &w->in->autoscale;
    return (int32_t)(a->max > 0 ? a->max : w->in->replicas);
}

static int is_paid(enum bp_condition c) {
    return c != BP_OFF;
}

/* Replicas that serve or will, those that drain apart. */
static int32_t wanted_now(const struct bp_serving_work *w) {
    int32_t i, count = 0;
    for (i = w->pools[0].begin; i < w->pools[0].end; i++) {
        enum bp_condition c = w->replicas[i].condition;
        count += c == BP_UP || c == BP_STARTING || c == BP_BROKEN;
    }
    return count;
}

static void find_next_change(struct bp_serving_work *w) {
    int32_t i;
    w->next_change_s = INFINITY;
    for (i = 0; i < w->replica_count; i++) {
        w->next_change_s = fmin(w->next_change_s, w->replicas[i].change_s);
    }
}

static void turn(struct bp_serving_work *w, struct bp_replica *r, enum bp_condition to) {
    int was_paid = is_paid(r->condition);
    double mtbf = w->in->failures.mtbf_s;
    if (was_paid && !is_paid(to)) {
        r->paid_s += w->now_s - r->ordered_s;
        w->paid--;
    } else if (!was_paid && is_paid(to)) {
        r->ordered_s = w->now_s;
        w->paid++;
        w->peak_paid = w->paid > w->peak_paid ? w->paid : w->peak_paid;
    }
    if (to == BP_STARTING) {
        r->change_s = w->now_s + w->in->start_s;
    } else if (to == BP_BROKEN) {
        r->change_s = w->now_s + w->in->failures.repair_s + w->in->start_s;
    } else if (to == BP_OFF) {
        r->change_s = INFINITY;
    } else if (r->condition != BP_UP && r->condition != BP_DRAINING) {
        r->change_s = mtbf > 0 ? w->now_s + mtbf * bp_random_exponential(&w->failing) : INFINITY;
    }
    r->condition = to;
}

static void become(struct bp_serving_work *w, struct bp_replica *r, enum bp_condition to) {
    turn(w, r, to);
    find_next_change(w);
}

void bp_scale_open(struct bp_serving_work *w) {
    int32_t i, first = (int32_t)w->in->replicas;
    if (autoscaled(w)) {
        int32_t floor_of = (int32_t)w->in->autoscale.min;
        first = first < floor_of ? floor_of : first > most(w) ? most(w) : first;
        w->next_look_s = w->now_s + w->in->autoscale.interval_s;
    } else {
        w->next_look_s = INFINITY;
    }
    w->high_since_s = w->low_since_s = INFINITY;
    for (i = 0; i < w->replica_count; i++) {
        struct bp_replica *r = &w->replicas[i];
        r->condition = BP_OFF;
        r->change_s = INFINITY;
        if (i >= w->pools[1].begin || i < first) {
            turn(w, r, BP_UP); /* those of the start are warm */
        }
    }
    find_next_change(w);
}

static double metric(const struct bp_serving_work *w) {
    double sum = (double)w->gate.count;
    int32_t i;
    if (w->in->autoscale.metric == BP_SCALE_METRIC_RATE) {
        return w->arrived / w->in->autoscale.interval_s;
    }
    for (i = w->pools[0].begin; i < w->pools[0].end; i++) {
        const struct bp_replica *r = &w->replicas[i];
        sum += w->in->autoscale.metric == BP_SCALE_METRIC_QUEUE
                   ? bp_groups_waiting(r) + (double)r->pending.count
                   : (double)r->in_flight;
    }
    return sum;
}

/* Those that drain come back first: they are warm. */
static void add_one(struct bp_serving_work *w) {
    struct bp_replica *off = NULL;
    int32_t i;
    for (i = w->pools[0].begin; i < w->pools[0].end; i++) {
        struct bp_replica *r = &w->replicas[i];
        if (r->condition == BP_DRAINING) {
            become(w, r, BP_UP);
            return;
        }
        off = !off && r->condition == BP_OFF ? r : off;
    }
    if (off) {
        w->starts++;
        become(w, off, BP_STARTING);
    }
}

/* One that does not serve yet, else that with the fewest requests; of equal ones the last. */
static void remove_one(struct bp_serving_work *w) {
    struct bp_replica *best = NULL;
    int32_t i;
    for (i = w->pools[0].begin; i < w->pools[0].end; i++) {
        struct bp_replica *r = &w->replicas[i];
        if (r->condition == BP_STARTING) {
            become(w, r, BP_OFF);
            return;
        }
        if (r->condition == BP_UP && (!best || r->in_flight <= best->in_flight)) {
            best = r;
        }
    }
    if (best) {
        become(w, best, BP_DRAINING);
        bp_scale_left(w, best);
    }
}

void bp_scale_left(struct bp_serving_work *w, struct bp_replica *r) {
    int32_t i;
    if (r->condition == BP_DRAINING && r->in_flight == 0) {
        for (i = 0; i < r->pool->groups; i++) {
            bp_cache_clear(w, &r->groups[i]);
        }
        become(w, r, BP_OFF);
    }
}

/* More, or fewer, have been wanted for the whole delay: the least change of that time is made. */
static void look(struct bp_serving_work *w) {
    const struct bp_autoscale *a = &w->in->autoscale;
    int32_t have = wanted_now(w), i;
    double asked = ceil(metric(w) / a->target);
    int32_t want = (int32_t)fmax((double)a->min, fmin((double)most(w), asked));
    w->arrived = 0;
    w->next_look_s = w->now_s + a->interval_s;
    if (want <= have) {
        w->high_since_s = INFINITY;
    } else {
        w->high_least = w->high_since_s < INFINITY && w->high_least < want ? w->high_least : want;
        w->high_since_s = fmin(w->high_since_s, w->now_s);
    }
    if (want >= have) {
        w->low_since_s = INFINITY;
    } else {
        w->low_most = w->low_since_s < INFINITY && w->low_most > want ? w->low_most : want;
        w->low_since_s = fmin(w->low_since_s, w->now_s);
    }
    if (w->now_s - w->high_since_s >= a->up_delay_s) {
        for (i = have; i < w->high_least; i++) {
            add_one(w);
        }
        w->high_since_s = INFINITY;
    }
    if (w->now_s - w->low_since_s >= a->down_delay_s) {
        for (i = have; i > w->low_most; i--) {
            remove_one(w);
        }
        w->low_since_s = INFINITY;
    }
}

static void change(struct bp_serving_work *w, struct bp_replica *r) {
    if (r->condition == BP_STARTING || r->condition == BP_BROKEN) {
        become(w, r, BP_UP);
        r->now = fmax(r->now, w->now_s);
        return;
    }
    w->failed++;
    become(w, r, BP_BROKEN);
    bp_event_set(w, r, INFINITY);
    bp_engine_spill(w, r);
}

double bp_scale_next_s(const struct bp_serving_work *w) {
    return fmin(w->next_change_s, w->next_look_s);
}

void bp_scale_run(struct bp_serving_work *w) {
    int32_t i;
    for (i = 0; i < w->replica_count; i++) {
        if (w->replicas[i].change_s <= w->now_s) {
            change(w, &w->replicas[i]);
        }
    }
    if (w->next_look_s <= w->now_s) {
        look(w);
    }
    bp_router_open(w);
}

void bp_scale_close(struct bp_serving_work *w) {
    int32_t i;
    for (i = 0; i < w->replica_count; i++) {
        struct bp_replica *r = &w->replicas[i];
        if (is_paid(r->condition)) {
            r->paid_s += w->now_s - r->ordered_s;
        }
    }
}
