/*
** How fast one core estimates and searches: GPT-3 175B (arXiv:2005.14165, table 2.1) with the job of
** arXiv:2205.05198 scaled to 256 devices like an A100-80GB.
**   estimate_ns            memory and time of one plan, mean over the space's valid plans
**   search_plans_per_s     the same through the search: decoded, checked, sized, timed, ranked
**   search_space_per_s     plans of the whole free space per second, most of them rejected early
**   exhaustive_plans_per_s baseline: the kernel train_step alone called on each plan of the first
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "search/free.h"
#include "search/search.h"

enum { TOP = 10, FRONT = 1, REPEATS = 5 };

struct bench {
    struct bp_train_step_in in;
    struct bp_params_out params;
    struct bp_space space;
    struct bp_search search;
    struct bp_found found;
    struct bp_topk_entry room[TOP];
    struct bp_front_entry front[FRONT];
    struct bp_found_room rooms;
};

static struct bench b;
static struct bp_memo memo;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

static void set_up(int64_t memory_bytes) {
    struct bp_error err;
    describe(&b.in);
    b.in.device.memory_bytes = memory_bytes;
    must(bp_model_resolve(&b.in.model, &err), &err);
    bp_params_count(&b.in.model, &b.params);
    bp_search_init(&b.search);
    b.rooms = (struct bp_found_room){b.room, TOP, b.front, FRONT};
    b.search.site = (struct bp_train_case){&b.in.model, &b.params, &b.in.device, &b.in.network,
                                           NULL,        &b.in.job, &b.in.profile};
    b.search.space = &b.space;
    bp_space_init(&b.space, &b.in.plan);
}

static void leave_free(void) {
    struct bp_error err;
    double values[BP_SPACE_VALUES];
    size_t i, count;
    for (i = 0; i < bp_plan_schema.count; i++) {
        const struct bp_field *field = &bp_plan_schema.fields[i];
        if (bp_free_by_default(field)) {
            must(bp_free_values(field, &b.in.model, &b.in.network, &b.in.job, values,
                                BP_SPACE_VALUES, &count, &err),
                 &err);
            must(bp_space_add(&b.space, field, values, count, &err), &err);
        }
    }
}

static double search_s(void) {
    struct bp_error err;
    double best = INFINITY;
    int i;
    for (i = 0; i < REPEATS; i++) {
        double started = now_s();
        struct bp_walk walk;
        bp_walk_init(&walk, &b.space);
        bp_memo_init(&memo, &walk);
        bp_found_init(&b.found, &b.rooms, -INFINITY);
        must(bp_search_run(&b.search, &memo, 0, b.space.size, &b.found, &err), &err);
        best = fmin(best, now_s() - started);
    }
    return best;
}

/* The plans that search evaluates in full, by the kernel alone: finding them is not timed. */
static double kernel_s(struct bp_plan *plans, size_t count) {
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

static double estimate_s(struct bp_plan *plans, size_t count) {
    double best = INFINITY;
    int i;
    for (i = 0; i < REPEATS; i++) {
        struct bp_train_case c = b.search.site;
        struct bp_train_memory memory;
        struct bp_train_time time;
        struct bp_error err;
        double started = now_s();
        size_t n;
        for (n = 0; n < count; n++) {
            c.plan = &plans[n];
            must(bp_train_memory(&c, &memory, &err), &err);
            must(bp_train_time(&c, &time, &err), &err);
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

int main(void) {
    struct bp_plan *plans;
    size_t count;
    double seconds;
    set_up(INT64_C(1000000000000000)); /* so large that every valid plan fits and is timed */
    leave_free();
    plans = malloc((size_t)b.space.size * sizeof *plans);
    if (!plans) {
        return 1;
    }
    count = valid_plans(plans);
    printf("estimate_ns: %.0f ns\n", estimate_s(plans, count) / (double)count * 1e9);
    printf("exhaustive_plans_per_s: %.0f plans/s\n", (double)count / kernel_s(plans, count));
    free(plans);
    set_up(INT64_C(1000000000000000));
    leave_free();
    seconds = search_s();
    printf("search_plans_per_s: %.0f plans/s\n", (double)b.found.feasible / seconds);
    set_up(INT64_C(80000000000));
    leave_free();
    seconds = search_s();
    printf("search_space_per_s: %.0f plans/s\n", (double)b.space.size / seconds);
    return 0;
}
