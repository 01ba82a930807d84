/*
** A platform's jobs on its nodes, simulated event by event: jobs of several classes arrive, wait in the
** order of a policy, hold devices, end; nodes fail, are repaired and maintained.
**
** A job of at most a node's devices runs inside one node; a larger one takes whole nodes. A job whose
** node stops, or that a more urgent one displaces, goes on later from its last checkpoint.
*/
#ifndef BP_SIM_PLATFORM_H
#define BP_SIM_PLATFORM_H

#include "kernel/field.h"
#include "kernel/status.h"
#include "times.h"

#include <stddef.h>
#include <stdint.h>

#define BP_JOB_ORDER(E)                                                                            \
    E(BP_JOB_ORDER_FIFO, "fifo")                                                                   \
    E(BP_JOB_ORDER_PRIORITY, "priority")                                                           \
    E(BP_JOB_ORDER_FAIR_SHARE, "fair_share")
BP_DECLARE_ENUM(bp_job_order, BP_JOB_ORDER);

#define BP_JOB_DURATIONS(E)                                                                        \
    E(BP_JOB_DURATIONS_FIXED, "fixed")                                                             \
    E(BP_JOB_DURATIONS_EXPONENTIAL, "exponential")                                                 \
    E(BP_JOB_DURATIONS_LOGNORMAL, "lognormal")
BP_DECLARE_ENUM(bp_job_durations, BP_JOB_DURATIONS);

#define BP_JOB_CLASS_FIELDS(F, S)                                                                  \
    F(S, NUM, rate_per_s, , "1/s", 0, 0, 1e9, "jobs submitted per second, mean")                   \
    F(S, NUM, duration_s, , "s", 3600, 1e-9, 1e10, "how long a job runs, mean")                    \
    F(S, ENUM, durations, bp_job_durations, "", BP_JOB_DURATIONS_LOGNORMAL, 0, 0,                  \
      "how durations are drawn")                                                                   \
    F(S, NUM, duration_cv, , "", 1, 0, 100, "lognormal durations: deviation over mean")            \
    F(S, INT, devices, , "", 1, 1, 1e7, "devices that a job holds")                                \
    F(S, FLAG, gang, , "", 1, 0, 1,                                                                \
      "they start together; 0: they are jobs of one device each, submitted at once")               \
    F(S, NUM, burst, , "", 1, 1, 20, "busiest time of the day over its mean")                      \
    F(S, NUM, priority, , "", 0, -1e9, 1e9, "order priority: the higher goes first")               \
    F(S, INT, project, , "", 0, 0, 1e6, "order fair_share: whose use is counted, from 0")          \
    F(S, NUM, share, , "", 1, 1e-9, 1e9, "order fair_share: what its project is entitled to")      \
    F(S, FLAG, preemptible, , "", 1, 0, 1, "a job of higher priority may displace it")             \
    F(S, NUM, checkpoint_s, , "s", 0, 0, 1e10,                                                     \
      "running time between two checkpoints; 0 = none, it starts over")                            \
    F(S, NUM, restart_s, , "s", 0, 0, 1e7, "what starting again takes before it goes on")
BP_DECLARE_STRUCT(bp_job_class, BP_JOB_CLASS_FIELDS);

#define BP_PLATFORM_IN_FIELDS(F, S)                                                                  \
    F(S, INT, nodes, , "", 0, 0, 1e6, "nodes; 0 = as many devices as anybody asks for")              \
    F(S, INT, node_size, , "", 8, 1, 65536, "devices of a node")                                     \
    F(S, ENUM, order, bp_job_order, "", BP_JOB_ORDER_FIFO, 0, 0, "which waiting job is first")       \
    F(S, FLAG, backfill, , "", 0, 0, 1,                                                              \
      "EASY: jobs behind the first start where that does not delay it")                              \
    F(S, INT, backfill_depth, , "", 100, 1, 1e6, "backfill: waiting jobs that are looked at")        \
    F(S, NUM, limit_factor, , "", 1, 1, 1000,                                                        \
      "backfill: how long a job says that it takes, over how long it does")                          \
    F(S, FLAG, preempt, , "", 0, 0, 1, "jobs of higher priority displace those of lower")            \
    F(S, NUM, half_life_s, , "s", 604800, 1, 1e10, "order fair_share: use counts half after it")     \
    F(S, NUM, node_mtbf_s, , "s", 0, 0, 1e12, "mean time between failures of a node; 0 = none")      \
    F(S, NUM, repair_s, , "s", 3600, 0, 1e9, "how long a failed node is away")                       \
    F(S, NUM, maintenance_every_s, , "s", 0, 0, 1e10, "time between two maintenances; 0 = none")     \
    F(S, NUM, maintenance_s, , "s", 14400, 0, 1e9, "how long one takes")                             \
    F(S, NUM, maintenance_frac, , "frac", 1, 0, 1,                                                   \
      "share of the nodes that is away; their jobs write a checkpoint first")                        \
    F(S, INT, jobs, , "", 100000, 1, 1e8, "jobs that are drawn, where no trace gives them")          \
    F(S, FLAG, match_load, , "", 1, 0, 1,                                                            \
      "drawn durations of a class are scaled so that its load is the one asked for, where it has a " \
      "hundred jobs; fixed ones are not")                                                            \
    F(S, NUM, skip_frac, , "frac", 0, 0, 0.9, "first jobs that no mean counts")                      \
    F(S, NUM, percentile, , "", 95, 1, 99.9, "of the waits, answered beside 50, 90 and 99")          \
    F(S, INT, stretch, , "", 0, 0, 1e8,                                                              \
      "jobs of each stretch of the run whose mean wait is answered by itself; 0 = none")             \
    F(S, INT, seed, , "", 1, 0, 1e15, "of the random numbers")
BP_DECLARE_STRUCT(bp_platform_in, BP_PLATFORM_IN_FIELDS);

#define BP_PLATFORM_OUT_FIELDS(F, S)                                                               \
    F(S, STRUCT, wait, bp_spread_out, "", 0, 0, 0, "from a job's submission to its first start")   \
    F(S, INT, jobs, , "", 0, 0, BP_ANY, "jobs simulated")                                          \
    F(S, INT, counted, , "", 0, 0, BP_ANY, "jobs in the means and percentiles")                    \
    F(S, NUM, span_s, , "s", 0, 0, BP_ANY, "time that is looked at")                               \
    F(S, NUM, device_s, , "device s", 0, 0, BP_ANY, "device time that the counted jobs need")      \
    F(S, NUM, busy_devices, , "", 0, 0, BP_ANY, "devices that jobs use, mean over time")           \
    F(S, NUM, peak_devices, , "", 0, 0, BP_ANY, "most that they use at one time")                  \
    F(S, NUM, running, , "", 0, 0, BP_ANY, "jobs that run, mean over time")                        \
    F(S, INT, peak_running, , "", 0, 0, BP_ANY, "most that run at one time")                       \
    F(S, NUM, queued, , "", 0, 0, BP_ANY, "jobs that wait, mean over time")                        \
    F(S, INT, peak_queued, , "", 0, 0, BP_ANY, "most that wait at one time")                       \
    F(S, NUM, waiting_device_s, , "device s", 0, 0, BP_ANY,                                        \
      "least work that waits at any time while the second half of the jobs is submitted")          \
    F(S, NUM, noise_device_s, , "device s", 0, 0, BP_ANY,                                          \
      "deviation of the work that is submitted: a queue that does not grow stays within it")       \
    F(S, NUM, utilization_frac, , "frac", 0, 0, 1, "share of the devices' time that jobs use")     \
    F(S, NUM, rounding_frac, , "frac", 0, 0, 1,                                                    \
      "share that jobs of whole nodes hold and do not use")                                        \
    F(S, NUM, fragmented_frac, , "frac", 0, 0, 1,                                                  \
      "share idle while enough devices for the first job are free, on too many nodes")             \
    F(S, NUM, held_frac, , "frac", 0, 0, 1,                                                        \
      "share idle while jobs wait behind a first one that needs more than is free")                \
    F(S, NUM, down_frac, , "frac", 0, 0, 1, "share away for repair and maintenance")               \
    F(S, NUM, lost_frac, , "frac", 0, 0, 1, "share spent on work that was lost, and restarts")     \
    F(S, INT, preemptions, , "", 0, 0, BP_ANY, "times that a job was displaced")                   \
    F(S, INT, interruptions, , "", 0, 0, BP_ANY, "times that a job lost its node")                 \
    F(S, INT, backfilled, , "", 0, 0, BP_ANY, "jobs that started before one that was first")       \
    F(S, INT, abandoned, , "", 0, 0, BP_ANY, "jobs given up after a thousand tries")
BP_DECLARE_STRUCT(bp_platform_out, BP_PLATFORM_OUT_FIELDS);

#define BP_JOB_CLASS_OUT_FIELDS(F, S)                                                              \
    F(S, STRUCT, wait, bp_spread_out, "", 0, 0, 0, "from submission to the first start")           \
    F(S, INT, counted, , "", 0, 0, BP_ANY, "jobs in the means and percentiles")                    \
    F(S, NUM, device_s, , "device s", 0, 0, BP_ANY, "device time that they need")                  \
    F(S, NUM, turnaround_s, , "s", 0, 0, BP_ANY, "from submission to the end, mean")               \
    F(S, INT, tries, , "", 0, 0, BP_ANY, "starts, first ones and repeated ones")
BP_DECLARE_STRUCT(bp_job_class_out, BP_JOB_CLASS_OUT_FIELDS);

/* One job; a trace gives the first four. */
struct bp_job {
    double submit_s, run_s;
    int32_t devices, class;
    double start_s, end_s; /* first start, last end; < 0: not yet */
    double promised_s;     /* when backfill first said that it starts; INFINITY: never said */
    double begun_s;        /* start of this try */
    double left_s;         /* still to compute */
    int32_t next, before;  /* in its queue; -1 = none */
    int32_t node_next, node_before; /* jobs inside its node */
    int32_t newer, older;           /* running jobs of its rank by start */
    int32_t node;                   /* that it is on, or the first of them; -1 = none */
    int32_t end_place, limit_place; /* in the heaps of ends; -1 = not there */
    int32_t tries;
};

/* After so many tries a job is given up: it cannot end between two failures. */
enum { BP_JOB_TRIES_MAX = 1000 };

struct bp_platform_source {
    const struct bp_job_class *classes;
    size_t class_count;        /* at least one, at most BP_JOB_CLASSES_MAX */
    const struct bp_job *jobs; /* a trace, sorted by submit_s, instead of drawn ones; or NULL */
    size_t job_count;
};

enum { BP_JOB_CLASSES_MAX = 4096 };

/* Bytes of the block of memory a run needs. */
size_t bp_platform_bytes(const struct bp_platform_in *in, const struct bp_platform_source *source);

struct bp_platform_work;

/*
** Opens a run in `memory` (bp_platform_bytes, aligned for a double); goes on for so many events, 0 when it
** is over; closes it: *jobs are those inside memory, by submission, and `classes` has room for one per
** class. BP_EDOMAIN when a job is larger than the platform or nothing is submitted.
*/
int bp_platform_open(const struct bp_platform_in *in, const struct bp_platform_source *source,
                     void *memory, struct bp_platform_work **work, struct bp_error *err);
int bp_platform_go(struct bp_platform_work *work, size_t events);
void bp_platform_close(struct bp_platform_work *work, struct bp_platform_out *out,
                       struct bp_job_class_out *classes, const struct bp_job **jobs);

/* Mean wait of the jobs from one on, up to another. */
double bp_jobs_wait_s(const struct bp_job *jobs, size_t from, size_t to);

#endif
