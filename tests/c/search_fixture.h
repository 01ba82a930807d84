/* One search to run tests on: an 8-billion-parameter model of half the layers on 16 devices. */
#ifndef BP_TESTS_SEARCH_FIXTURE_H
#define BP_TESTS_SEARCH_FIXTURE_H

#include "near.h"

#include <string.h>

#include "search/search.h"

enum { TOP = 50, FRONT = 500 };

/* Fits in some ways, not in all. */
struct fixture {
    struct bp_train_step_in in;
    struct bp_params_out params;
    struct bp_layers layers;
    struct bp_space space;
    struct bp_search search;
    struct bp_found found;
    struct bp_topk_entry room[TOP];
    struct bp_front_entry front[FRONT];
    struct bp_found_room rooms;
};

static struct fixture f;

static inline void describe(struct bp_train_step_in *in) {
    bp_defaults(&bp_train_step_in_schema, in);
    in->model.layers = 16;
    in->model.hidden = 4096;
    in->model.heads = 32;
    in->model.kv_heads = 8;
    in->model.ffn_hidden = 14336;
    in->model.vocab = 128256;
    in->device.memory_bytes = 40000000000;
    in->device.mem_bw_bytes_s = 1.555e12;
    in->device.bf16_flop_s = 312e12;
    in->network.devices = 16;
    in->network.scaleup.bw_bytes_s = 300e9;
    in->network.scaleout.bw_bytes_s = 25e9;
    in->job.global_batch = 64;
    in->job.seq_len = 4096;
}

static inline const struct bp_field *field(const char *name) {
    return bp_field_find(&bp_plan_schema, name);
}

static inline void vary(const char *name, const double *values, size_t count) {
    struct bp_error err;
    assert_int_equal(bp_space_add(&f.space, field(name), values, count, &err), BP_OK);
}

#define VARY(name, ...)                                                                            \
    vary(name, (const double[]){__VA_ARGS__},                                                      \
         sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static inline void count_model(void) {
    bp_layers_of(&f.in.model, &f.layers);
    assert_int_equal(bp_params_count(&f.in.model, &f.layers, &f.params), BP_OK);
}

static inline void set_up(void) {
    struct bp_error err;
    memset(&f, 0, sizeof f);
    describe(&f.in);
    assert_int_equal(bp_model_resolve(&f.in.model, &err), BP_OK);
    count_model();
    bp_search_init(&f.search);
    f.rooms = (struct bp_found_room){f.room, TOP, f.front, FRONT};
    f.search.site.model = &f.in.model;
    f.search.site.params = &f.params;
    f.search.site.layers = &f.layers;
    f.search.site.device = &f.in.device;
    f.search.site.network = &f.in.network;
    f.search.site.job = &f.in.job;
    f.search.site.profile = &f.in.profile;
    f.search.space = &f.space;
    bp_space_init(&f.space, &f.in.plan);
    bp_found_init(&f.found, &f.rooms, -INFINITY);
}

static inline void vary_usual(void) {
    VARY("tp", 1, 2, 3, 4, 8);
    VARY("pp", 1, 2, 4);
    VARY("vpp", 1, 2);
    VARY("cp", 1, 2);
    VARY("zero", 0, 1, 3);
    VARY("recompute", BP_RECOMPUTE_NONE, BP_RECOMPUTE_FULL);
    VARY("micro_batch", 1, 2, 4);
}

#endif
