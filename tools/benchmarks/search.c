/*
** How fast a search is: GPT-3 175B (arXiv:2005.14165, table 2.1) on 256 A100-80GB (data sheet, 2022),
** batch 256, 2048 tokens. The baseline of the parity lines is the best-known training search before
** this one: 60,576 plans of this job in 356 CPU-seconds, 170 plans/s. Times are those of one core
** unless said otherwise.
**   search_full_plans_per_s   memory and time of every valid plan of the free space, nothing pruned
**   kernel_plans_per_s        baseline: the kernel train_step alone on each of these plans
**   search_parity_plans       plans of TP x PP x DP x interleaving x micro-batch x recomputation x
**                             sharding x TP communication (four styles), with and without overlapped
**                             gradients and fused attention, all of them sized and timed
**   search_parity_ms          time for these; baseline_parity_ms: 356 s of the published search, scaled
**                             to as many plans
**   search_bounded_1e8_s      exact search with bounds of a space with that many valid plans
**   search_bounded_valid      how many there are, counted without bounds
**   search_exhaustive_1e8_s   baseline: the same without bounds; both must find the same ten plans
**   search_space_per_s        plans of the free space, most of them rejected early, per second
**   search_two_thread_speedup two threads over one, by the clock on the wall
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search/free.h"
#include "search/incumbents.h"
#include "search/workers.h"
#include "threads/crew.h"

enum { TOP = 10, REPEATS = 5, THREADS = 2 };

static const char *const parity[] = {"tp",         "pp",         "vpp",   "micro_batch",
                                     "recompute",  "zero",       "flash", "sequence_parallel",
                                     "overlap_tp", "overlap_dp", NULL};
static const char *const large[] = {"tp",         "pp",         "vpp",         "cp",
                                    "zero",       "recompute",  "micro_batch", "sequence_parallel",
                                    "overlap_dp", "overlap_tp", "schedule",    "grad_bytes",
                                    "optimizer",  "offload",    "flash",       NULL};

/* About a second on one core. */
static const char *const shared[] = {"tp",         "pp",         "vpp",         "cp",
                                     "zero",       "recompute",  "micro_batch", "sequence_parallel",
                                     "overlap_dp", "overlap_tp", "schedule",    "grad_bytes",
                                     "optimizer",  NULL};

#define PUBLISHED_S 356.0
#define PUBLISHED_PLANS 60576.0

struct bench {
    struct bp_train_step_in in;
    struct bp_ready_model model;
    struct bp_space space;
    struct bp_search search;
    struct bp_found found;
    struct bp_found_room room;
    struct bp_topk_entry top[TOP];
    struct bp_topk_entry tops[THREADS][TOP];
    struct bp_worker workers[THREADS];
};

static struct bench b;

static double clock_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now_s(void) {
    return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static void must(int code, const struct bp_error *err) {
    if (code != BP_OK) {
        fprintf(stderr, "bench_search: %s: %s\n", err->field, err->text);
        exit(1);
    }
}

static void describe(struct bp_train_step_in *in) {
    bp_defaults(&bp_train_step_in_schema, in);
    in->model.layers = 96;
    in->model.hidden = 12288;
    in->model.heads = 96;
    in->model.ffn_hidden = 49152;
    in->model.gated_mlp = 0;
    in->model.vocab = 51200;
    in->device.mem_bw_bytes_s = 2.039e12; /* A100-80GB data sheet, 2022 */
    in->device.bf16_flop_s = 312e12;
    in->network.devices = 256;
    in->network.scaleup.bw_bytes_s = 300e9;
    in->network.scaleout.bw_bytes_s = 25e9;
    in->job.global_batch = 256;
    in->job.seq_len = 2048;
}

/* So large that every valid plan fits and is timed. */
#define UNLIMITED INT64_C(1000000000000000)
#define A100_BYTES INT64_C(80000000000)

static void set_up(int64_t memory_bytes) {
    struct bp_error err;
    int i;
    describe(&b.in);
    b.in.device.memory_bytes = memory_bytes;
    must(bp_model_ready(&b.in.model, &b.model, &err), &err);
    b.in.model = b.model.model;
    bp_search_init(&b.search);
    b.room = (struct bp_found_room){b.top, TOP, NULL, 0};
    for (i = 0; i < THREADS; i++) {
        b.workers[i].room = (struct bp_found_room){b.tops[i], TOP, NULL, 0};
    }
    b.search.site =
        (struct bp_train_case){&b.in.model, &b.model.params, &b.in.device,    &b.in.network, NULL,
                               &b.in.job,   &b.in.profile,   &b.model.layers, NULL};
    b.search.space = &b.space;
    bp_space_init(&b.space, &b.in.plan);
}

static void leave_free(const struct bp_field *field) {
    struct bp_error err;
    double values[BP_SPACE_VALUES];
    size_t count;
    must(bp_free_values(field, &b.in.model, &b.in.network, &b.in.job, values, BP_SPACE_VALUES,
                        &count, &err),
         &err);
    must(bp_space_add(&b.space, field, values, count, &err), &err);
}

static void leave_usual_free(void) {
    size_t i;
    for (i = 0; i < bp_plan_schema.count; i++) {
        if (bp_plan_schema.fields[i].searched) {
            leave_free(&bp_plan_schema.fields[i]);
        }
    }
}

static void leave_names_free(const char *const *names) {
    for (; *names; names++) {
        leave_free(bp_field_find(&bp_plan_schema, *names));
    }
}

static double search_once(size_t threads, int bounded, clockid_t clock) {
    struct bp_error err;
    double started = clock_s(clock);
    bp_found_init(&b.found, &b.room, -INFINITY);
    b.search.threshold = INFINITY;
    if (bounded) {
        must(bp_incumbents(&b.search, &b.found, &err), &err);
    }
    bp_workers_init(&b.search, b.workers, threads, -INFINITY);
    must(bp_workers_run(&b.search, b.workers, threads, 0, b.space.size, &err), &err);
    bp_workers_collect(b.workers, threads, &b.found);
    bp_topk_sort(&b.found.topk);
    return clock_s(clock) - started;
}

static double search_s(void) {
    double best = INFINITY;
    int i;
    for (i = 0; i < REPEATS; i++) {
        best = fmin(best, search_once(1, 0, CLOCK_PROCESS_CPUTIME_ID));
    }
    return best;
}

/* The plans that the search evaluates in full, by the kernel alone: finding them is not timed. */
static double kernel_s(const struct bp_plan *plans, size_t count) {
    double best = INFINITY;
    int i;
    for (i = 0; i < REPEATS; i++) {
        double started = now_s();
        size_t n;
        for (n = 0; n < count; n++) {
            struct bp_train_step_out out;
            struct bp_error err;
            b.in.plan = plans[n];
            must(bp_train_step(&b.in, &out, &err), &err);
        }
        best = fmin(best, now_s() - started);
    }
    return best;
}

/* Plans of the space that are valid in structure, packed together. */
static size_t valid_plans(struct bp_plan *plans) {
    size_t count = 0;
    uint64_t index;
    for (index = 0; index < b.space.size; index++) {
        struct bp_plan *plan = &plans[count];
        bp_space_decode(&b.space, index, plan);
        bp_plan_resolve(plan, &b.in.network);
        count += !bp_plan_check(&b.in.model, &b.in.network, plan, &b.in.job, NULL);
    }
    return count;
}

static void measure_kernel(void) {
    struct bp_plan *plans = malloc((size_t)b.space.size * sizeof *plans);
    size_t count;
    if (!plans) {
        exit(1);
    }
    count = valid_plans(plans);
    printf("kernel_plans_per_s: %.0f plans/s\n", (double)count / kernel_s(plans, count));
    free(plans);
}

static void measure_full(void) {
    double seconds;
    set_up(UNLIMITED);
    leave_usual_free();
    seconds = search_s();
    printf("search_full_plans_per_s: %.0f plans/s\n", (double)b.found.feasible / seconds);
    measure_kernel();
}

static void measure_parity(void) {
    double seconds;
    set_up(UNLIMITED);
    leave_names_free(parity);
    seconds = search_s();
    printf("search_parity_plans: %.0f plans\n", (double)b.found.feasible);
    printf("search_parity_ms: %.1f ms\n", seconds * 1e3);
    printf("baseline_parity_ms: %.0f ms\n",
           PUBLISHED_S / PUBLISHED_PLANS * (double)b.found.feasible * 1e3);
}

static uint64_t valid_count(void) {
    return b.found.feasible + b.found.duplicates + b.found.tally.slots[BP_REJECT_MEMORY].count;
}

static void measure_bounds(void) {
    struct bp_topk_entry best[TOP];
    set_up(A100_BYTES);
    leave_names_free(large);
    printf("search_bounded_1e8_s: %.2f s\n", search_once(1, 1, CLOCK_PROCESS_CPUTIME_ID));
    memcpy(best, b.top, sizeof best);
    printf("search_exhaustive_1e8_s: %.2f s\n", search_once(1, 0, CLOCK_PROCESS_CPUTIME_ID));
    printf("search_bounded_valid: %.0f plans\n", (double)valid_count());
    if (memcmp(best, b.top, sizeof best) != 0) {
        fprintf(stderr, "bench_search: bounds changed the answer\n");
        exit(1);
    }
}

static void measure_space(void) {
    double seconds;
    set_up(A100_BYTES);
    leave_usual_free();
    seconds = search_s();
    printf("search_space_per_s: %.0f plans/s\n", (double)b.space.size / seconds);
}

/* In turns, so that whatever else the machine does hits both alike. */
static void measure_threads(void) {
    double one = INFINITY, two = INFINITY;
    int i;
    set_up(UNLIMITED);
    leave_names_free(shared);
    for (i = 0; i < REPEATS; i++) {
        one = fmin(one, search_once(1, 0, CLOCK_MONOTONIC));
        two = fmin(two, search_once(THREADS, 0, CLOCK_MONOTONIC));
    }
    if (bp_crew_limit() < THREADS) {
        fprintf(stderr, "bench_search: one thread only: one core\n");
    }
    printf("search_two_thread_speedup: %.2f x\n", one / two);
}

int main(void) {
    measure_full();
    measure_parity();
    measure_bounds();
    measure_space();
    measure_threads();
    return 0;
}
