/* A platform's jobs: closed forms, hand-made traces of every policy, properties. */
#include "queue_wait.h"
#include "sim/platform.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 8 };

struct run {
    struct bp_platform_out out;
    struct bp_job_class_out classes[CLASSES];
    struct bp_job *jobs;
};

static struct run simulate(const struct bp_platform_in *in,
                           const struct bp_platform_source *source) {
    struct run r;
    struct bp_error err;
    struct bp_platform_work *work;
    const struct bp_job *jobs;
    void *memory = malloc(bp_platform_bytes(in, source));
    assert_int_equal(bp_platform_open(in, source, memory, &work, &err), BP_OK);
    assert_int_equal(bp_platform_go(work, (size_t)-1), 0);
    bp_platform_close(work, &r.out, r.classes, &jobs);
    r.jobs = malloc((size_t)r.out.jobs * sizeof *r.jobs);
    memcpy(r.jobs, jobs, (size_t)r.out.jobs * sizeof *r.jobs);
    free(memory);
    return r;
}

static struct bp_platform_in platform(int64_t nodes, int64_t node_size) {
    struct bp_platform_in in;
    bp_defaults(&bp_platform_in_schema, &in);
    in.nodes = nodes;
    in.node_size = node_size;
    return in;
}

static struct bp_job_class class_of(double rate_per_s, double duration_s, int64_t devices) {
    struct bp_job_class c;
    bp_defaults(&bp_job_class_schema, &c);
    c.rate_per_s = rate_per_s;
    c.duration_s = duration_s;
    c.devices = devices;
    return c;
}

static struct run simulate_classes(const struct bp_platform_in *in,
                                   const struct bp_job_class *classes, size_t count) {
    struct bp_platform_source source = {classes, count, NULL, 0};
    return simulate(in, &source);
}

/* Jobs by hand: {submit, run, devices, class}. */
static struct run replay(const struct bp_platform_in *in, const struct bp_job_class *classes,
                         size_t class_count, const struct bp_job *jobs, size_t count) {
    struct bp_platform_source source = {classes, class_count, jobs, count};
    return simulate(in, &source);
}

static struct run one_class(int64_t servers, double load, int durations, double cv) {
    struct bp_platform_in in = platform(servers, 1);
    struct bp_job_class c = class_of(load * (double)servers / 100, 100, 1);
    c.durations = durations;
    c.duration_cv = cv;
    in.jobs = 120000;
    in.skip_frac = 0.1;
    return simulate_classes(&in, &c, 1);
}

/* M/M/c is exact (Erlang C); a run of 120,000 jobs comes within some percent. */
static void test_erlang(void **state) {
    const int64_t servers[] = {1, 4, 40};
    size_t i;
    (void)state;
    for (i = 0; i < 3; i++) {
        struct run r = one_class(servers[i], 0.8, BP_JOB_DURATIONS_EXPONENTIAL, 1);
        assert_near(r.out.wait.mean_s,
                    expected_wait(servers[i], 0.008 * (double)servers[i], 100, 1), 0.06);
        assert_near(r.out.utilization_frac, 0.8, 0.01);
        assert_near(r.out.busy_devices, 0.8 * (double)servers[i], 0.01);
        assert_near(r.out.queued, r.out.wait.mean_s * 0.008 * (double)servers[i],
                    0.02); /* Little */
        free(r.jobs);
    }
}

/*
** Allen and Cunneen: exact for one server (Pollaczek and Khinchine). For several it is an approximation of
** two moments, which long-tailed durations stay below (Gupta et al., Queueing Systems 64, 2010).
*/
static void test_general(void **state) {
    struct run r = one_class(1, 0.7, BP_JOB_DURATIONS_FIXED, 0);
    (void)state;
    assert_near(r.out.wait.mean_s, expected_wait(1, 0.007, 100, 0), 0.05);
    free(r.jobs);
    r = one_class(1, 0.7, BP_JOB_DURATIONS_LOGNORMAL, 1.5);
    assert_near(r.out.wait.mean_s, expected_wait(1, 0.007, 100, 1.5), 0.1);
    free(r.jobs);
    r = one_class(10, 0.85, BP_JOB_DURATIONS_LOGNORMAL, 2);
    assert_near(r.out.wait.mean_s, expected_wait(10, 0.085, 100, 2), 0.3);
    free(r.jobs);
    r = one_class(10, 0.85, BP_JOB_DURATIONS_LOGNORMAL, 1);
    assert_near(r.out.wait.mean_s, expected_wait(10, 0.085, 100, 1), 0.1);
    free(r.jobs);
    r = one_class(10, 0.85, BP_JOB_DURATIONS_FIXED, 0);
    assert_near(r.out.wait.mean_s, expected_wait(10, 0.085, 100, 0), 0.15);
    free(r.jobs);
}

/* Durations have the mean asked for, and the spread; rates too, in a day with bursts. */
static void test_drawn(void **state) {
    struct bp_platform_in in = platform(0, 8);
    struct bp_job_class c = class_of(0.05, 1000, 3);
    struct run r;
    double sum = 0, squares = 0, busiest = 0, hours[24] = {0};
    int64_t i;
    (void)state;
    c.duration_cv = 0.5;
    c.burst = 3;
    in.match_load = 0;
    in.jobs = 100000;
    r = simulate_classes(&in, &c, 1);
    for (i = 0; i < r.out.jobs; i++) {
        sum += r.jobs[i].run_s;
        squares += r.jobs[i].run_s * r.jobs[i].run_s;
        hours[(size_t)(fmod(r.jobs[i].submit_s, 86400) / 3600)]++;
        assert_near(r.jobs[i].start_s, r.jobs[i].submit_s, 0); /* nobody waits without limits */
    }
    sum /= (double)r.out.jobs;
    assert_near(sum, 1000, 0.01);
    assert_near(sqrt(squares / (double)r.out.jobs / (sum * sum) - 1), 0.5, 0.02);
    assert_near((double)r.out.jobs / r.out.span_s, 0.05, 0.02);
    assert_near(r.out.busy_devices, 150, 0.02); /* Little: 0.05/s * 1000 s * 3 */
    for (i = 0; i < 24; i++) {
        busiest = fmax(busiest, hours[i]);
    }
    assert_near(busiest / ((double)r.out.jobs / 24), 3, 0.05);
    assert_true(r.out.peak_devices > 2 * 150);
    free(r.jobs);
}

/* Long tails: the sum is what the class says all the same, unless that is left to chance. */
static void test_match_load(void **state) {
    struct bp_platform_in in = platform(0, 8);
    struct bp_job_class c = class_of(0.05, 1000, 1);
    struct run r;
    (void)state;
    c.duration_cv = 10;
    in.jobs = 1000;
    r = simulate_classes(&in, &c, 1);
    assert_near(r.out.device_s, 0.05 * r.jobs[999].submit_s * 1000, 1e-9);
    free(r.jobs);
    in.match_load = 0;
    r = simulate_classes(&in, &c, 1);
    assert_true(fabs(r.out.device_s / (0.05 * r.jobs[999].submit_s * 1000) - 1) > 0.01);
    free(r.jobs);
}

/* Trials that need not start together are jobs of one device. */
static void test_no_gang(void **state) {
    struct bp_platform_in in = platform(4, 1);
    struct bp_job_class c = class_of(1e-6, 10, 8);
    struct run r;
    (void)state;
    c.gang = 0;
    c.durations = BP_JOB_DURATIONS_FIXED;
    in.jobs = 8;
    r = simulate_classes(&in, &c, 1);
    assert_near(r.out.wait.mean_s, 5, 1e-9); /* four at once, four 10 s later */
    assert_near(r.out.device_s, 80, 1e-9);
    free(r.jobs);
}

/* Two nodes of four. The third job needs both, and the first leaves one at 100; two more are behind it. */
static void test_fifo_and_backfill(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 100, .devices = 2}, {.submit_s = 0, .run_s = 10, .devices = 2},
        {.submit_s = 1, .run_s = 50, .devices = 8},  {.submit_s = 2, .run_s = 20, .devices = 4},
        {.submit_s = 3, .run_s = 98, .devices = 4},
    };
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(2, 4);
    struct run r = replay(&in, &c, 1, jobs, 5);
    (void)state;
    assert_int_equal(r.jobs[0].node, -1);
    assert_near(r.jobs[2].start_s, 100, 0);
    assert_near(r.jobs[3].start_s, 150, 0); /* first in, first out: behind the large one */
    assert_near(r.jobs[4].start_s, 150, 0);
    /* held: 4 devices from 1 to 10, 6 from 10 to 100, of 8 * 248. */
    assert_near(r.out.held_frac, (4 * 9 + 6 * 90) / (8 * 248.0), 1e-12);
    assert_near(r.out.fragmented_frac, 0, 0);
    free(r.jobs);
    in.backfill = 1;
    r = replay(&in, &c, 1, jobs, 5);
    assert_near(r.jobs[2].start_s, 100, 0); /* not delayed */
    assert_near(r.jobs[2].promised_s, 100, 0);
    assert_near(r.jobs[3].start_s, 2, 0);   /* ends at 22 */
    assert_near(r.jobs[4].start_s, 150, 0); /* at 22 it would end after 100 */
    assert_int_equal(r.out.backfilled, 1);
    free(r.jobs);
    in.limit_factor = 2; /* what runs is said to run until 200 */
    r = replay(&in, &c, 1, jobs, 5);
    assert_near(r.jobs[2].promised_s, 200, 0);
    assert_near(r.jobs[2].start_s, 100, 0);
    assert_near(r.jobs[3].start_s, 2, 0);   /* until 42 */
    assert_near(r.jobs[4].start_s, 150, 0); /* from 22 until 218 */
    free(r.jobs);
}

/* Of seven nodes five are promised for 100: two are anybody's. */
static void test_backfill_beside_a_gang(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 100, .devices = 8},  {.submit_s = 1, .run_s = 100, .devices = 10},
        {.submit_s = 2, .run_s = 1000, .devices = 4}, {.submit_s = 3, .run_s = 1000, .devices = 1},
        {.submit_s = 4, .run_s = 96, .devices = 1},
    };
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(7, 2);
    int order;
    (void)state;
    in.backfill = 1;
    for (order = 0; order < 3; order++) {
        struct run r;
        in.order = order;
        r = replay(&in, &c, 1, jobs, 5);
        assert_near(r.jobs[1].promised_s, 100, 0);
        assert_near(r.jobs[1].start_s, 100, 0);
        assert_near(r.jobs[2].start_s, 2, 0);
        assert_near(r.jobs[3].start_s, 200, 0); /* would leave four nodes at 100 */
        assert_near(r.jobs[4].start_s, 4, 0);   /* on the fifth, until 100 */
        free(r.jobs);
    }
}

/* A job in a part of a node: at 10 both nodes have room for it, and one of them may go to others. */
static void test_backfill_beside_a_part(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 10, .devices = 2},  {.submit_s = 0, .run_s = 50, .devices = 2},
        {.submit_s = 0, .run_s = 10, .devices = 2},  {.submit_s = 0, .run_s = 50, .devices = 2},
        {.submit_s = 1, .run_s = 10, .devices = 3},  {.submit_s = 2, .run_s = 100, .devices = 1},
        {.submit_s = 3, .run_s = 100, .devices = 1},
    };
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(2, 5);
    struct run r;
    (void)state;
    in.backfill = 1;
    r = replay(&in, &c, 1, jobs, 7);
    assert_near(r.jobs[4].start_s, 10, 0);
    assert_near(r.jobs[5].start_s, 2, 0);
    assert_near(r.jobs[6].start_s, 10, 0); /* on neither node with the first one */
    free(r.jobs);
}

/* Jobs that end at one time make room together: the second of the queue takes it, not the small one behind it. */
static void test_ends_at_one_time(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 10, .devices = 1}, {.submit_s = 0, .run_s = 10, .devices = 3},
        {.submit_s = 1, .run_s = 50, .devices = 2}, {.submit_s = 2, .run_s = 50, .devices = 2},
        {.submit_s = 3, .run_s = 50, .devices = 1},
    };
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(4, 1);
    struct run r;
    (void)state;
    in.backfill = 1;
    r = replay(&in, &c, 1, jobs, 5);
    assert_near(r.jobs[2].start_s, 10, 0);
    assert_near(r.jobs[3].start_s, 10, 0);
    assert_near(r.jobs[4].start_s, 60, 0);
    free(r.jobs);
}

/*
** Jobs that say twice what they take. The fourth is promised 100, by when two of those before it end; the
** first of all ends at 60 instead of 120, and then 80 is sure: the fifth may not have that node.
*/
static void test_early_ends(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 60, .devices = 1},   {.submit_s = 50, .run_s = 15, .devices = 1},
        {.submit_s = 50, .run_s = 25, .devices = 1},  {.submit_s = 55, .run_s = 10, .devices = 3},
        {.submit_s = 56, .run_s = 999, .devices = 1},
    };
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(4, 1);
    struct run r;
    (void)state;
    in.backfill = 1;
    in.limit_factor = 2;
    r = replay(&in, &c, 1, jobs, 5);
    assert_near(r.jobs[3].promised_s, 80, 0);
    assert_near(r.jobs[3].start_s, 65, 0);
    assert_near(r.jobs[4].start_s, 75, 0);
    free(r.jobs);
}

/* Enough devices are free, on too many nodes. */
static void test_fragmentation(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 10, .devices = 3},  {.submit_s = 0, .run_s = 10, .devices = 3},
        {.submit_s = 0, .run_s = 100, .devices = 1}, {.submit_s = 0, .run_s = 100, .devices = 1},
        {.submit_s = 1, .run_s = 10, .devices = 4},  {.submit_s = 2, .run_s = 10, .devices = 5},
    };
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(2, 4);
    struct run r = replay(&in, &c, 1, jobs, 6);
    (void)state;
    assert_near(r.jobs[4].start_s, 100, 0);
    assert_near(r.out.fragmented_frac, 90 * 6 / (8 * 120.0), 1e-12); /* from 10 to 100, 6 free */
    assert_near(r.jobs[5].start_s, 110, 0);                          /* 5 take two whole nodes */
    assert_near(r.out.rounding_frac, 10 * 3 / (8 * 120.0), 1e-12);
    free(r.jobs);
}

static void test_priority(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 100, .devices = 1, .class = 0},
        {.submit_s = 1, .run_s = 10, .devices = 1, .class = 0},
        {.submit_s = 25, .run_s = 10, .devices = 1, .class = 1},
    };
    struct bp_job_class classes[2] = {class_of(0, 1, 1), class_of(0, 1, 1)};
    struct bp_platform_in in = platform(1, 1);
    struct run r;
    (void)state;
    classes[1].priority = 5;
    in.order = BP_JOB_ORDER_PRIORITY;
    r = replay(&in, classes, 2, jobs, 3);
    assert_near(r.jobs[2].start_s, 100, 0);
    assert_near(r.jobs[1].start_s, 110, 0);
    free(r.jobs);
    /* Displaced at 25 with 20 s in a checkpoint: 80 s left and 3 to start again, from 35 on. */
    classes[0].checkpoint_s = 10;
    classes[0].restart_s = 3;
    in.preempt = 1;
    r = replay(&in, classes, 2, jobs, 3);
    assert_near(r.jobs[2].start_s, 25, 0);
    assert_near(r.jobs[0].start_s, 0, 0);
    assert_near(r.jobs[0].end_s, 35 + 83, 0);
    assert_near(r.jobs[1].start_s, 118, 0);
    assert_int_equal(r.out.preemptions, 1);
    assert_near(r.out.lost_frac, 5 / 128.0, 1e-12);
    free(r.jobs);
    classes[0].preemptible = 0;
    r = replay(&in, classes, 2, jobs, 3);
    assert_near(r.jobs[2].start_s, 100, 0);
    free(r.jobs);
}

/* Of classes of one priority the newest job goes, whichever class is named first. */
static void test_preempting_newest(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 100, .devices = 1, .class = 1},
        {.submit_s = 1, .run_s = 100, .devices = 1, .class = 0},
        {.submit_s = 2, .run_s = 100, .devices = 1, .class = 2},
        {.submit_s = 10, .run_s = 10, .devices = 1, .class = 3},
    };
    struct bp_job_class classes[4] = {class_of(0, 1, 1), class_of(0, 1, 1), class_of(0, 1, 1),
                                      class_of(0, 1, 1)};
    struct bp_platform_in in = platform(3, 1);
    struct run r;
    (void)state;
    classes[2].preemptible = 0;
    classes[3].priority = 1;
    in.order = BP_JOB_ORDER_PRIORITY;
    in.preempt = 1;
    r = replay(&in, classes, 4, jobs, 4);
    assert_near(r.jobs[3].start_s, 10, 0);
    assert_near(r.jobs[0].end_s, 100, 0);
    assert_near(r.jobs[1].end_s, 120, 0); /* again from 20 on */
    assert_near(r.jobs[2].end_s, 102, 0); /* the newest of all may not be displaced */
    assert_int_equal(r.out.preemptions, 1);
    free(r.jobs);
    classes[0].priority = 0.5; /* now the other is less urgent */
    r = replay(&in, classes, 4, jobs, 4);
    assert_near(r.jobs[0].end_s, 120, 0);
    assert_near(r.jobs[1].end_s, 101, 0);
    free(r.jobs);
}

/* A gang of two nodes displaces what is on them and nothing else. */
static void test_preempting_gang(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 100, .devices = 2, .class = 0},
        {.submit_s = 1, .run_s = 100, .devices = 2, .class = 1},
        {.submit_s = 2, .run_s = 100, .devices = 1, .class = 0},
        {.submit_s = 10, .run_s = 10, .devices = 4, .class = 2},
    };
    struct bp_job_class classes[3] = {class_of(0, 1, 1), class_of(0, 1, 1), class_of(0, 1, 1)};
    struct bp_platform_in in = platform(3, 2);
    struct run r;
    (void)state;
    classes[1].priority = 1;
    classes[2].priority = 2;
    in.order = BP_JOB_ORDER_PRIORITY;
    in.preempt = 1;
    r = replay(&in, classes, 3, jobs, 4);
    assert_near(r.jobs[3].start_s, 10, 0);
    assert_near(r.jobs[1].end_s, 101, 0); /* the more urgent one stays */
    assert_near(r.jobs[0].end_s, 120, 0);
    assert_near(r.jobs[2].end_s, 120, 0);
    assert_int_equal(r.out.preemptions, 2);
    free(r.jobs);
}

/* Who has used less goes first; half as much after a half-life. */
static void test_fair_share(void **state) {
    const struct bp_job jobs[] = {
        {.submit_s = 0, .run_s = 100, .devices = 1, .class = 0},
        {.submit_s = 1, .run_s = 10, .devices = 1, .class = 0},
        {.submit_s = 2, .run_s = 10, .devices = 1, .class = 0},
        {.submit_s = 3, .run_s = 150, .devices = 1, .class = 1},
        {.submit_s = 4, .run_s = 10, .devices = 1, .class = 1},
    };
    struct bp_job_class classes[2] = {class_of(0, 1, 1), class_of(0, 1, 1)};
    struct bp_platform_in in = platform(1, 1);
    struct run r;
    (void)state;
    classes[1].project = 1;
    in.order = BP_JOB_ORDER_FAIR_SHARE;
    in.half_life_s = 1e9;
    r = replay(&in, classes, 2, jobs, 5);
    assert_near(r.jobs[3].start_s, 100, 0); /* 100 used against 0 */
    assert_near(r.jobs[1].start_s, 250, 0); /* 100 against 150 */
    assert_near(r.jobs[2].start_s, 260, 0); /* 110 against 150 */
    assert_near(r.jobs[4].start_s, 270, 0);
    free(r.jobs);
    classes[1].share = 2; /* 150 / 2 is less than 100 */
    r = replay(&in, classes, 2, jobs, 5);
    assert_near(r.jobs[4].start_s, 250, 0);
    free(r.jobs);
    classes[1].share = 1;
    in.half_life_s = 50; /* at 250: 100 has gone to 100 / 32, 150 to 150 / 8 */
    r = replay(&in, classes, 2, jobs, 5);
    assert_near(r.jobs[1].start_s, 250, 0);
    assert_near(r.jobs[4].start_s, 270, 0);
    free(r.jobs);
}

/* Maintenance every 50 s for 10: nothing is lost where a checkpoint is written first. */
static void test_maintenance(void **state) {
    const struct bp_job jobs[] = {{.submit_s = 0, .run_s = 80, .devices = 2}};
    struct bp_job_class c = class_of(0, 1, 1);
    struct bp_platform_in in = platform(1, 2);
    struct run r;
    (void)state;
    c.restart_s = 1;
    in.maintenance_every_s = 50;
    in.maintenance_s = 10;
    r = replay(&in, &c, 1, jobs, 1);
    assert_near(r.jobs[0].end_s, 50 + 10 + 1 + 30, 1e-12);
    assert_near(r.out.down_frac, 10 / 91.0, 1e-12);
    assert_near(r.out.lost_frac, 0, 0);
    assert_int_equal(r.out.interruptions, 1);
    free(r.jobs);
}

/*
** A job of W seconds of work without a checkpoint, restarted at each failure of rate f, takes
** (exp(f W) - 1) (1 / f + R) in the mean, R the repair that follows each failure.
*/
static void test_failures(void **state) {
    struct bp_platform_in in = platform(1, 1);
    struct bp_job_class c = class_of(1e-5, 100, 1);
    const double f = 1.0 / 100, repair = 20;
    struct run r;
    (void)state;
    c.durations = BP_JOB_DURATIONS_FIXED;
    in.node_mtbf_s = 1 / f;
    in.repair_s = repair;
    in.jobs = 3000;
    r = simulate_classes(&in, &c, 1);
    /* A job may come while the node is away: 20 / 120 of the time, for 10 s in the mean. */
    assert_near(r.classes[0].turnaround_s, (exp(f * 100) - 1) * (1 / f + repair) + 20.0 / 120 * 10,
                0.06);
    assert_near(r.out.down_frac, repair / (1 / f + repair), 0.02);
    free(r.jobs);
    c.checkpoint_s = 10; /* each tenth of its own: ten times (exp(f 10) - 1) (1 / f + R) */
    r = simulate_classes(&in, &c, 1);
    assert_near(r.classes[0].turnaround_s,
                10 * (exp(f * 10) - 1) * (1 / f + repair) + 20.0 / 120 * 10, 0.06);
    free(r.jobs);
    c.checkpoint_s = 0; /* exp(50): never */
    c.duration_s = 5000;
    in.jobs = 2;
    r = simulate_classes(&in, &c, 1);
    assert_int_equal(r.out.abandoned, 2);
    free(r.jobs);
}

/* Least work that waits in the second half of the run, over the deviation of what is submitted. */
static double growth(int64_t nodes, double load, int64_t devices, int64_t slots, int order) {
    struct bp_platform_in in = platform(nodes, 8);
    struct bp_job_class c = class_of(load * (double)slots / 100, 100, devices);
    struct run r;
    double grown;
    in.jobs = 40000;
    in.backfill = order;
    r = simulate_classes(&in, &c, 1);
    grown = r.out.waiting_device_s / r.out.noise_device_s;
    assert_near(bp_jobs_wait_s(r.jobs, 0, (size_t)r.out.jobs), r.out.wait.mean_s, 1e-9);
    free(r.jobs);
    return grown;
}

/* Slots that nodes have whole count, not devices: 15 nodes have one gang of 8, a node one job of 5. */
static void test_growth(void **state) {
    int backfill;
    (void)state;
    for (backfill = 0; backfill < 2; backfill++) {
        assert_true(growth(15, 0.96, 64, 1, backfill) < 0.3);
        assert_true(growth(15, 1.04, 64, 1, backfill) > 1.5);
        assert_true(growth(18, 0.96, 5, 18, backfill) < 0.3);
        assert_true(growth(18, 1.04, 5, 18, backfill) > 1.5);
        assert_true(growth(2, 0.97, 1, 16, backfill) < 0.3);
        assert_true(growth(2, 1.04, 1, 16, backfill) > 1.5);
    }
}

/* A mix of part nodes and gangs under everything at once: nothing is used twice, all jobs end. */
static void mix(struct bp_job_class classes[4]) {
    size_t i;
    classes[0] = class_of(0.02, 600, 1);
    classes[1] = class_of(0.004, 2000, 3);
    classes[2] = class_of(0.002, 3000, 16);
    classes[3] = class_of(0.0005, 4000, 40);
    for (i = 0; i < 4; i++) {
        classes[i].priority = (double)i;
        classes[i].project = (int64_t)i % 2;
        classes[i].checkpoint_s = 300;
    }
}

static int by_time(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Most devices between starts and ends of jobs that ran in one piece. */
static double most_used(const struct run *r) {
    size_t n = (size_t)r->out.jobs, i, events = 0;
    double(*event)[2] = malloc(2 * n * sizeof *event), now = 0, most = 0;
    for (i = 0; i < n; i++) {
        const struct bp_job *j = &r->jobs[i];
        if (j->tries == 1) {
            event[events][0] = j->start_s;
            event[events++][1] = j->devices;
            event[events][0] = j->end_s;
            event[events++][1] = -(double)j->devices;
        }
    }
    qsort(event, events, sizeof *event, by_time);
    for (i = 0; i < events; i++) {
        now += event[i][1];
        most = fmax(most, now);
    }
    free(event);
    return most;
}

static void test_everything(void **state) {
    struct bp_job_class classes[4];
    int order, flags;
    (void)state;
    mix(classes);
    for (order = 0; order < 3; order++) {
        for (flags = 0; flags < 8; flags++) {
            struct bp_platform_in in = platform(20, 8);
            struct run r, again;
            int64_t i;
            in.order = order;
            in.backfill = flags & 1;
            in.preempt = (flags & 2) != 0;
            in.node_mtbf_s = flags & 4 ? 1e6 : 0;
            in.maintenance_every_s = flags & 4 ? 4e5 : 0;
            in.jobs = 2000;
            r = simulate_classes(&in, classes, 4);
            again = simulate_classes(&in, classes, 4);
            assert_memory_equal(r.jobs, again.jobs, (size_t)in.jobs * sizeof *r.jobs);
            for (i = 0; i < in.jobs; i++) {
                const struct bp_job *j = &r.jobs[i];
                assert_true(j->start_s >= j->submit_s);
                assert_true(j->end_s >= j->start_s + j->run_s * (1 - 1e-12));
                assert_true(fabs(j->left_s - j->run_s) <= 1e-9 || j->tries > 1);
            }
            assert_true(most_used(&r) <= 160);
            assert_true(r.out.peak_devices <= 160);
            assert_true(r.out.utilization_frac + r.out.rounding_frac + r.out.fragmented_frac +
                            r.out.held_frac + r.out.down_frac <=
                        1 + 1e-9);
            free(r.jobs);
            free(again.jobs);
        }
    }
}

/* First come, first served, in one class: nobody overtakes. More devices: never a longer mean wait. */
static void test_order_and_devices(void **state) {
    struct bp_job_class c = class_of(0.1, 100, 1);
    double last = INFINITY;
    int64_t nodes, i;
    (void)state;
    for (nodes = 10; nodes <= 24; nodes += 2) {
        struct bp_platform_in in = platform(nodes, 1);
        struct run r;
        in.jobs = 5000;
        r = simulate_classes(&in, &c, 1);
        for (i = 1; i < in.jobs; i++) {
            assert_true(r.jobs[i].start_s >= r.jobs[i - 1].start_s);
        }
        assert_true(r.out.wait.mean_s <= last);
        last = r.out.wait.mean_s;
        free(r.jobs);
    }
    assert_true(last < 0.05 * 100);
}

/*
** Whatever backfill starts, the first job begins by the time it was promised, whether jobs say how long
** they take or more.
*/
static void test_promises(void **state) {
    struct bp_job_class classes[4];
    double waits[2];
    int backfill, seed;
    (void)state;
    mix(classes);
    for (seed = 1; seed <= 10; seed++) {
        for (backfill = 0; backfill < 2; backfill++) {
            struct bp_platform_in in = platform(16, 8);
            struct run r;
            int64_t i, promised = 0;
            in.backfill = backfill;
            in.limit_factor = seed > 5 ? 3 : 1;
            in.jobs = 2000;
            in.seed = seed;
            r = simulate_classes(&in, classes, 4);
            for (i = 0; i < in.jobs; i++) {
                promised += r.jobs[i].promised_s < INFINITY;
                assert_true(r.jobs[i].start_s <= r.jobs[i].promised_s);
            }
            assert_true(backfill ? promised > 50 && r.out.backfilled > 500 : promised == 0);
            waits[backfill] = r.out.wait.mean_s;
            free(r.jobs);
        }
        assert_true(waits[1] < waits[0]);
    }
}

static void test_errors(void **state) {
    struct bp_job_class c = class_of(0.1, 100, 20);
    struct bp_platform_source source = {&c, 1, NULL, 0};
    struct bp_platform_in in = platform(2, 8);
    struct bp_platform_work *work;
    struct bp_error err;
    (void)state;
    assert_int_equal(bp_platform_open(&in, &source, NULL, &work, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "devices");
    c.devices = 1;
    c.rate_per_s = 0;
    assert_int_equal(bp_platform_open(&in, &source, NULL, &work, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "classes");
    c.rate_per_s = 1e-300;
    assert_int_equal(bp_platform_open(&in, &source, NULL, &work, &err), BP_EDOMAIN);
    assert_string_equal(err.field, "rate_per_s");
}

/* One job in three years, at the busiest time of the day: the days between are not gone through one by one. */
static void test_rare_bursts(void **state) {
    struct bp_job_class c = class_of(1e-8, 100, 1);
    struct bp_platform_source source = {&c, 1, NULL, 0};
    struct bp_platform_in in = platform(1, 8);
    struct run r;
    (void)state;
    c.burst = 2;
    in.jobs = 20000;
    in.match_load = 0;
    r = simulate(&in, &source);
    assert_near(r.out.span_s, 20000 / 1e-8, 0.03); /* four deviations of the mean gap */
    free(r.jobs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rare_bursts),
        cmocka_unit_test(test_erlang),
        cmocka_unit_test(test_general),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_match_load),
        cmocka_unit_test(test_no_gang),
        cmocka_unit_test(test_fifo_and_backfill),
        cmocka_unit_test(test_fragmentation),
        cmocka_unit_test(test_priority),
        cmocka_unit_test(test_preempting_gang),
        cmocka_unit_test(test_fair_share),
        cmocka_unit_test(test_maintenance),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_order_and_devices),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_backfill_beside_a_gang),
        cmocka_unit_test(test_backfill_beside_a_part),
        cmocka_unit_test(test_ends_at_one_time),
        cmocka_unit_test(test_early_ends),
        cmocka_unit_test(test_preempting_newest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
