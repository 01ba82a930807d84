/* What takes a running job off its devices: a failure, maintenance, a more urgent job. */
#include "platform_state.h"

#include <math.h>

/* Of the work of this try, what the last checkpoint holds. */
static double saved_s(const struct bp_job_class *c, double worked_s, int planned) {
    if (planned) {
        return worked_s;
    }
    return c->checkpoint_s > 0 ? floor(worked_s / c->checkpoint_s) * c->checkpoint_s : 0;
}

static void give_up(struct bp_platform_work *w, struct bp_job *j) {
    j->end_s = w->now_s;
    w->abandoned++;
    w->done++;
}

void bp_job_stop(struct bp_platform_work *w, int32_t job, int planned) {
    struct bp_job *j = &w->jobs[job];
    const struct bp_job_class *c = &w->classes[j->class];
    double over = j->tries > 1 ? c->restart_s : 0, ran = w->now_s - j->begun_s;
    double saved = saved_s(c, fmax(0, ran - over), planned);
    j->left_s -= saved;
    if (w->now_s >= w->sums.from_s && w->now_s <= w->sums.to_s) {
        w->sums.lost += (ran - saved) * j->devices;
    }
    bp_job_heap_remove(&w->ends, job);
    w->promise.stale = 1;
    bp_job_end(w, job);
    if (j->tries >= BP_JOB_TRIES_MAX) {
        give_up(w, j);
    } else {
        bp_queue_add(w, job);
    }
}

static int is_victim(const struct bp_platform_work *w, int32_t rank, double priority) {
    return rank > 0 && w->ranks[rank].priority < priority;
}

/* Whether a is displaced before b: the least urgent, then the newest. */
static int goes_first(const struct bp_platform_work *w, int32_t a, int32_t b) {
    double x = w->classes[w->jobs[a].class].priority, y = w->classes[w->jobs[b].class].priority;
    return x < y || (x <= y && w->jobs[a].begun_s > w->jobs[b].begun_s);
}

/* Displaces less urgent jobs inside the node until it has `devices`. */
static void clear_node(struct bp_platform_work *w, int32_t node, int32_t devices, double priority) {
    struct bp_node *n = &w->rooms.nodes[node];
    while (n->gang >= 0 || n->free < devices) {
        int32_t victim = n->gang, job;
        for (job = n->jobs; n->gang < 0 && job >= 0; job = w->jobs[job].node_next) {
            if (is_victim(w, w->lines[w->jobs[job].class].rank, priority) &&
                (victim < 0 || goes_first(w, job, victim))) {
                victim = job;
            }
        }
        w->preemptions++;
        bp_job_stop(w, victim, 0);
    }
}

/* Walks the less urgent running jobs until they would make room: the least urgent, the newest first. */
static int find_victims(struct bp_platform_work *w, struct bp_look *look, double priority) {
    int32_t rank, job;
    for (rank = 1; rank < (int32_t)w->rank_count && is_victim(w, rank, priority); rank++) {
        for (job = w->ranks[rank].newest; job >= 0; job = w->jobs[job].older) {
            if (bp_look_at(&w->rooms, look, w->jobs, job)) {
                return 1;
            }
        }
    }
    return 0;
}

int bp_preempt(struct bp_platform_work *w, int32_t job) {
    const struct bp_job *j = &w->jobs[job];
    double priority = w->classes[j->class].priority;
    int64_t most = w->rooms.free;
    struct bp_look look;
    int32_t i;
    for (i = 1; i < (int32_t)w->rank_count && is_victim(w, i, priority); i++) {
        most += w->ranks[i].running;
    }
    if (bp_held_devices(&w->rooms, j->devices) > most) {
        return 0;
    }
    bp_look_open(&w->rooms, &look, j->devices, w->picked);
    if (!find_victims(w, &look, priority)) {
        return 0;
    }
    for (i = 0; i < look.nodes; i++) {
        clear_node(w, look.picked[i], look.asks, priority);
    }
    return 1;
}

void bp_outages_open(struct bp_platform_work *w) {
    const struct bp_platform_in *in = w->in;
    bp_random_seed(&w->failures, (uint64_t)in->seed * 65537 + BP_JOB_CLASSES_MAX);
    w->failure_s = w->maintenance_s = INFINITY;
    if (in->nodes > 0 && in->node_mtbf_s > 0) {
        w->failure_s = bp_random_exponential(&w->failures) * in->node_mtbf_s / (double)in->nodes;
    }
    if (in->nodes > 0 && in->maintenance_every_s > 0 && in->maintenance_s > 0) {
        w->maintenance_s = in->maintenance_every_s;
    }
}

static double repair_next_s(const struct bp_platform_work *w) {
    return w->repair_count > 0 ? w->repairs[w->repair_first].at_s : INFINITY;
}

double bp_outage_next_s(const struct bp_platform_work *w) {
    return fmin(fmin(repair_next_s(w), w->failure_s), w->maintenance_s);
}

static void take_down(struct bp_platform_work *w, int32_t node, uint8_t why) {
    struct bp_node *n = &w->rooms.nodes[node];
    while (n->gang >= 0 || n->jobs >= 0) {
        w->interruptions++;
        bp_job_stop(w, n->gang >= 0 ? n->gang : n->jobs, why == BP_NODE_MAINTAINED);
    }
    bp_rooms_take_down(&w->rooms, node, why);
}

static void repair(struct bp_platform_work *w) {
    struct bp_repair r = w->repairs[w->repair_first];
    w->repair_first = (w->repair_first + 1) % (size_t)w->rooms.count;
    w->repair_count--;
    bp_rooms_bring_up(&w->rooms, r.node, BP_NODE_FAILED);
    w->freed++;
}

static void fail(struct bp_platform_work *w) {
    size_t count = (size_t)w->rooms.count;
    int32_t node = (int32_t)((1 - bp_random_unit(&w->failures)) * (double)count);
    w->failure_s += bp_random_exponential(&w->failures) * w->in->node_mtbf_s / (double)count;
    if (!(w->rooms.nodes[node].down & BP_NODE_FAILED)) {
        struct bp_repair *r = &w->repairs[(w->repair_first + w->repair_count++) % count];
        take_down(w, node, BP_NODE_FAILED);
        r->at_s = w->now_s + w->in->repair_s;
        r->node = node;
    }
}

static void maintain(struct bp_platform_work *w) {
    int32_t node, nodes = (int32_t)ceil(w->in->maintenance_frac * (double)w->rooms.count);
    w->maintained = !w->maintained;
    for (node = 0; node < nodes; node++) {
        if (w->maintained) {
            take_down(w, node, BP_NODE_MAINTAINED);
        } else {
            bp_rooms_bring_up(&w->rooms, node, BP_NODE_MAINTAINED);
        }
    }
    w->maintenance_s += w->maintained ? w->in->maintenance_s : w->in->maintenance_every_s;
    w->freed++;
}

void bp_outage(struct bp_platform_work *w) {
    w->promise.stale = 1;
    if (repair_next_s(w) <= w->now_s) {
        repair(w);
    } else if (w->maintenance_s <= w->now_s) {
        maintain(w);
    } else {
        fail(w);
    }
}
