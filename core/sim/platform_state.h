/* What the parts of the platform's simulation share. */
#ifndef BP_SIM_PLATFORM_STATE_H
#define BP_SIM_PLATFORM_STATE_H

#include "arena.h"
#include "platform.h"
#include "random.h"
#include "serving_load.h"

/* Jobs by a time, the earliest first, of equal ones the lower number. */
struct bp_job_due {
    double at_s;
    int32_t job;
};

struct bp_job_heap {
    struct bp_job_due *items;
    size_t count;
    int32_t *place; /* where job i is: place[i * stride]; NULL: nobody asks */
    size_t stride;
};

void bp_job_heap_push(struct bp_job_heap *h, double at_s, int32_t job);
struct bp_job_due bp_job_heap_pop(struct bp_job_heap *h);
void bp_job_heap_remove(struct bp_job_heap *h, int32_t job);

/* Why a node is away: bits. */
enum { BP_NODE_FAILED = 1, BP_NODE_MAINTAINED = 2 };

struct bp_node {
    int32_t free;
    int32_t before, next; /* nodes of its bucket; -1 = none */
    int32_t jobs;         /* first of those inside it; -1 = none */
    int32_t gang;         /* job that has it whole; -1 = none */
    int32_t gang_next;    /* next node of that job; -1 = last */
    int32_t gained;       /* what `look` says it would get free besides */
    int32_t look;         /* which look at the running jobs that was */
    int32_t then;         /* kept: what it has free when the first job starts */
    uint8_t down;         /* why it is away */
    uint8_t kept;         /* for the first job that waits */
};

/* Nodes that are up by what they have free: those at anybody's disposal, and those that are kept. */
struct bp_rooms {
    struct bp_node *nodes;
    int32_t count, size, down; /* nodes, devices of one, nodes away */
    int32_t *bucket[2];        /* by free devices: first node, -1 = none */
    int32_t whole[2];          /* nodes with everything free */
    int64_t free;              /* devices, of nodes that are up */
    int32_t look;
};

void bp_rooms_open(struct bp_rooms *r, int32_t nodes, int32_t node_size);

/* Puts the job on nodes, kept ones only where it may; 0 when there is no room. */
int bp_rooms_place(struct bp_rooms *r, struct bp_job *jobs, int32_t job, int kept);
int bp_rooms_place_on(struct bp_rooms *r, struct bp_job *jobs, int32_t job, int32_t node);
void bp_rooms_release(struct bp_rooms *r, struct bp_job *jobs, int32_t job);
void bp_rooms_keep(struct bp_rooms *r, int32_t node, int kept);

/* Of nodes without jobs. */
void bp_rooms_take_down(struct bp_rooms *r, int32_t node, uint8_t why);
void bp_rooms_bring_up(struct bp_rooms *r, int32_t node, uint8_t why);

/* Whole nodes a job holds; 0 of one that fits into a part of a node. */
static inline int32_t bp_whole_nodes(const struct bp_rooms *r, int32_t devices) {
    return devices > r->size ? (devices - 1) / r->size + 1 : 0;
}

/* Devices a job holds, used or not. */
static inline int64_t bp_held_devices(const struct bp_rooms *r, int32_t devices) {
    int32_t whole = bp_whole_nodes(r, devices);
    return whole > 0 ? (int64_t)whole * r->size : devices;
}

/*
** What would be free if running jobs ended, one after another: bp_look_open starts anew, bp_look_at adds a
** job and says whether `devices` then have room. `picked` gets the nodes that have what a job asks of each
** of its own, in the order in which they get it: perhaps more than it needs.
*/
struct bp_look {
    int32_t nodes, asks; /* needed: nodes, and devices of each */
    int32_t *picked;
    int32_t count;
};
void bp_look_open(struct bp_rooms *r, struct bp_look *look, int32_t devices, int32_t *picked);
int bp_look_at(struct bp_rooms *r, struct bp_look *look, const struct bp_job *jobs, int32_t job);
int32_t bp_gained(const struct bp_rooms *r, int32_t node);

/* What a job still has to do: devices it holds x time left. */
static inline double bp_work_left(const struct bp_rooms *r, const struct bp_job *j) {
    return (double)bp_held_devices(r, j->devices) * j->left_s;
}

/* A class with its arrivals and its queue. */
struct bp_job_line {
    struct bp_random random;
    double next_s;       /* of its next arrival */
    double day_s;        /* how far it has come in the day */
    int32_t first, last; /* of its queue; -1 = empty */
    int32_t cursor;      /* backfill: next to look at */
    int32_t rank;        /* of w->ranks */
    double *day;         /* weights by minute; NULL: none */
    double drawn_s;      /* device time of the jobs drawn */
    int64_t drawn;
};

/* Running jobs of the preemptible classes of one priority. */
struct bp_job_rank {
    double priority;
    int32_t newest;  /* -1 = none */
    int64_t running; /* devices held */
};

/* Of the first job that waits: when it starts at the latest, and all nodes that have room for it then. */
struct bp_promise {
    int32_t job; /* -1 = none */
    int stale;   /* nodes have come or gone since, or jobs have ended before they said */
    double at_s;
    int32_t *nodes; /* those that were kept; others may have been let onto some */
    int32_t count;
    int32_t asks;  /* devices of each node it takes */
    int32_t spare; /* kept nodes more than it takes */
};

struct bp_repair {
    double at_s;
    int32_t node;
};

struct bp_platform_sums {
    double from_s, to_s; /* what is looked at */
    double at_s;         /* summed so far */
    double busy, rounding, fragmented, held, down, lost, running, queued;
    double half_s;  /* when half of the jobs are submitted */
    double waiting; /* least work that waits from then on */
};

struct bp_platform_work {
    const struct bp_platform_in *in;
    const struct bp_job_class *classes;
    size_t class_count, count, arrived, done;
    struct bp_job *jobs;
    struct bp_job_line *lines;
    struct bp_job_rank *ranks; /* [0]: jobs that nobody displaces; then the least urgent first */
    size_t rank_count;
    double *used; /* per project, see platform_queue.c */
    double used_from_s;
    struct bp_rooms rooms;
    struct bp_job_heap ends, limits, look;
    struct bp_promise promise;
    int32_t *picked; /* nodes, of a look */
    struct bp_random failures;
    double failure_s, maintenance_s; /* next failure; next start or end of a maintenance */
    int maintained;
    struct bp_repair *repairs; /* a ring: repairs end in the order in which they began */
    size_t repair_first, repair_count;
    double now_s;
    int64_t busy, held; /* devices used; used or held */
    double waiting;     /* work of the jobs that wait: devices held x time left */
    int64_t running, queued, peak_running, peak_queued, peak_busy;
    int64_t preemptions, interruptions, backfilled, abandoned;
    int32_t blocked;       /* first job, for which there was no room */
    int64_t freed;         /* times that room came about */
    int64_t blocked_freed; /* when it was tried */
    struct bp_platform_sums sums;
    double *values;
    size_t *firsts; /* per class: where its values begin */
};

/* Jobs of the run into w->jobs, sorted by submission: those of the trace, or drawn where it is NULL. */
void bp_jobs_take(struct bp_platform_work *w, const struct bp_job *trace);

/* Who is first in the order of the policy, of those that wait; -1 = nobody. */
int32_t bp_queue_first(const struct bp_platform_work *w);
void bp_queue_add(struct bp_platform_work *w, int32_t job);
void bp_queue_remove(struct bp_platform_work *w, int32_t job);

/* Backfill: from the first on, one after the other; a job is behind all that are looked at before it. */
void bp_queue_rewind(struct bp_platform_work *w);
int32_t bp_queue_next(struct bp_platform_work *w);

void bp_queue_charge(struct bp_platform_work *w, const struct bp_job *job, double device_s);
size_t bp_projects(const struct bp_job_class *classes, size_t count);

/* A job that has its nodes begins; one that runs stops, `planned` with a checkpoint just written. */
void bp_job_begin(struct bp_platform_work *w, int32_t job);
void bp_job_end(struct bp_platform_work *w, int32_t job);
void bp_job_stop(struct bp_platform_work *w, int32_t job, int planned);

/* Makes room for the job by displacing less urgent ones; 0 when that is not enough. */
int bp_preempt(struct bp_platform_work *w, int32_t job);

/* Lets jobs behind `first` start; arrived: the only one that is new, -1 = look at all. */
void bp_backfill(struct bp_platform_work *w, int32_t first, int32_t arrived);
void bp_promise_drop(struct bp_platform_work *w);

/* Failures, repairs and maintenance: when the next is, and what it does. */
void bp_outages_open(struct bp_platform_work *w);
double bp_outage_next_s(const struct bp_platform_work *w);
void bp_outage(struct bp_platform_work *w);

void bp_platform_sum(struct bp_platform_work *w, struct bp_platform_out *out,
                     struct bp_job_class_out *classes);

#endif
