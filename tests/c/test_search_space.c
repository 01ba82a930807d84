/* Spaces: index to plan and back, what is refused, what "free" means. */
#include "near.h"

#include <stdio.h>

#include "search/free.h"
#include "search/space.h"

static const struct bp_field *field(const char *name) {
    return bp_field_find(&bp_plan_schema, name);
}

static struct bp_plan base_plan(void) {
    struct bp_plan plan;
    bp_defaults(&bp_plan_schema, &plan);
    return plan;
}

static void add(struct bp_space *space, const char *name, const double *values, size_t count) {
    struct bp_error err;
    assert_int_equal(bp_space_add(space, field(name), values, count, &err), BP_OK);
}

static void small_space(struct bp_space *space) {
    static const double tp[] = {1, 2, 4}, zero[] = {0, 3}, share[] = {0.5, 1}, sp[] = {1, 0};
    struct bp_plan plan = base_plan();
    bp_space_init(space, &plan);
    add(space, "zero", zero, 2);
    add(space, "sequence_parallel", sp, 2);
    add(space, "tp", tp, 3);
    add(space, "recompute_share", share, 2);
}

static void test_nothing_varies(void **state) {
    struct bp_space space;
    struct bp_plan plan = base_plan(), decoded;
    (void)state;
    plan.tp = 8;
    bp_space_init(&space, &plan);
    assert_int_equal(space.size, 1);
    bp_space_decode(&space, 0, &decoded);
    assert_int_equal(decoded.tp, 8);
}

/* By hand: tp is the slowest (first of the field list), recompute_share the fastest. */
static void test_order(void **state) {
    struct bp_space space;
    struct bp_plan plan;
    (void)state;
    small_space(&space);
    assert_int_equal(space.size, 24);
    bp_space_decode(&space, 0, &plan);
    assert_int_equal(plan.tp, 1);
    assert_int_equal(plan.zero, 0);
    assert_int_equal(plan.sequence_parallel, 1);
    assert_near(plan.recompute_share, 0.5, 0);
    bp_space_decode(&space, 1, &plan);
    assert_near(plan.recompute_share, 1, 0);
    bp_space_decode(&space, 2, &plan);
    assert_int_equal(plan.sequence_parallel, 0);
    bp_space_decode(&space, 4, &plan);
    assert_int_equal(plan.zero, 3);
    bp_space_decode(&space, 23, &plan);
    assert_int_equal(plan.tp, 4);
    assert_int_equal(plan.zero, 3);
    assert_int_equal(plan.sequence_parallel, 0);
}

/* Whether two plans are the same in every field. */
static int are_same(const struct bp_plan *a, const struct bp_plan *b) {
    size_t i;
    for (i = 0; i < bp_plan_schema.count; i++) {
        const struct bp_field *field = &bp_plan_schema.fields[i];
        if (bp_plan_get(a, field) != bp_plan_get(b, field)) {
            return 0;
        }
    }
    return 1;
}

static void test_every_index_is_another_plan(void **state) {
    struct bp_space space;
    struct bp_plan plan, other;
    uint64_t a, b;
    (void)state;
    small_space(&space);
    for (a = 0; a < space.size; a++) {
        bp_space_decode(&space, a, &plan);
        for (b = 0; b < space.size; b++) {
            bp_space_decode(&space, b, &other);
            assert_int_equal(are_same(&plan, &other), a == b);
        }
    }
}

static void refused(struct bp_space *space, const char *name, const double *values, size_t count,
                    const char *text) {
    struct bp_error err;
    uint64_t size = space->size;
    char path[BP_FIELD_MAX];
    snprintf(path, sizeof path, "space.%s", name);
    assert_int_equal(bp_space_add(space, field(name), values, count, &err), BP_EDOMAIN);
    assert_string_equal(err.field, path);
    assert_string_equal(err.text, text);
    assert_int_equal(space->size, size);
}

static void test_refusals(void **state) {
    static const double twice[] = {1, 2, 1}, one[] = {1};
    struct bp_space space;
    (void)state;
    small_space(&space);
    refused(&space, "pp", one, 0, "is an empty list");
    refused(&space, "pp", twice, 3, "lists a value twice");
    refused(&space, "tp", one, 1, "is given twice");
}

static void test_too_large(void **state) {
    static const char *const names[] = {"tp", "pp", "vpp", "dp", "cp"};
    double values[2000];
    struct bp_space space;
    struct bp_plan plan = base_plan();
    size_t i;
    (void)state;
    for (i = 0; i < 2000; i++) {
        values[i] = (double)i + 1;
    }
    bp_space_init(&space, &plan);
    for (i = 0; i < 5; i++) {
        add(&space, names[i], values, 800);
    }
    refused(&space, "ep", values, 97, "makes more values than a space can hold (4096)");
    add(&space, "ep", values, 96);
    assert_int_equal(space.size, 327680000000000 * 96); /* 800^5 * 96 */
}

/* 400^7 = 1.6e18 plans still count, six times as many do not. */
static void test_more_plans_than_an_index(void **state) {
    static const char *const names[] = {"tp", "pp", "vpp", "dp", "cp", "ep", "etp"};
    double values[400];
    struct bp_space space;
    struct bp_plan plan = base_plan();
    size_t i;
    (void)state;
    for (i = 0; i < 400; i++) {
        values[i] = (double)i + 1;
    }
    bp_space_init(&space, &plan);
    for (i = 0; i < 7; i++) {
        add(&space, names[i], values, 400);
    }
    refused(&space, "micro_batch", values, 6, "makes the space larger than 2^63 plans");
    bp_space_decode(&space, space.size - 1, &plan);
    assert_int_equal(plan.tp, 400);
    assert_int_equal(plan.etp, 400);
}

/* A model of 12 layers, 12 heads and 8 experts on 24 devices, 48 sequences of 4096 tokens. */
static void free_is(const char *name, const double *wanted, size_t wanted_count, int64_t experts) {
    struct bp_model model;
    struct bp_network network;
    struct bp_job job;
    struct bp_error err;
    double values[64] = {0};
    size_t count = 0, i;
    bp_defaults(&bp_model_schema, &model);
    bp_defaults(&bp_network_schema, &network);
    bp_defaults(&bp_job_schema, &job);
    model.layers = 12;
    model.heads = 12;
    model.experts = experts;
    network.devices = 24;
    job.global_batch = 48;
    job.seq_len = 4096;
    assert_int_equal(bp_free_values(field(name), &model, &network, &job, values, 64, &count, &err),
                     BP_OK);
    assert_int_equal(count, wanted_count);
    for (i = 0; i < wanted_count; i++) {
        assert_near(values[i], wanted[i], 0);
    }
}

#define FREE_IS(name, experts, ...)                                                                \
    free_is(name, (const double[]){__VA_ARGS__},                                                   \
            sizeof((const double[]){__VA_ARGS__}) / sizeof(double), experts)

static void test_free_values(void **state) {
    (void)state;
    FREE_IS("tp", 0, 1, 2, 3, 4, 6, 12);
    FREE_IS("pp", 0, 1, 2, 3, 4, 6, 8, 12);
    FREE_IS("vpp", 0, 1, 2, 3, 4, 6, 7, 12, 14);
    FREE_IS("dp", 0, 1, 2, 3, 4, 6, 8, 12, 24);
    FREE_IS("cp", 0, 1, 2, 4, 8);
    FREE_IS("ep", 0, 1);
    FREE_IS("ep", 8, 1, 2, 4, 8);
    FREE_IS("etp", 0, 1);
    FREE_IS("etp", 8, 1, 2, 3, 4, 6, 12);
    FREE_IS("zero", 0, 0, 1, 2, 3);
    FREE_IS("recompute", 0, 0, 1, 2);
    FREE_IS("micro_batch", 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 48);
    FREE_IS("flash", 0, 0, 1);
    FREE_IS("grad_bytes", 0, 2, 4);
    FREE_IS("recompute_share", 0, 0.25, 0.5, 0.75, 1);
    FREE_IS("master_bytes", 0, 0, 4);
    FREE_IS("base_bits", 0, 4, 8, 16);
}

static void test_not_free(void **state) {
    struct bp_model model;
    struct bp_network network;
    struct bp_job job;
    struct bp_error err;
    double values[4];
    size_t count;
    (void)state;
    bp_defaults(&bp_model_schema, &model);
    bp_defaults(&bp_network_schema, &network);
    bp_defaults(&bp_job_schema, &job);
    network.devices = 720720;
    assert_int_equal(
        bp_free_values(field("lora_rank"), &model, &network, &job, values, 4, &count, &err),
        BP_EDOMAIN);
    assert_string_equal(err.field, "space.lora_rank");
    assert_int_equal(bp_free_values(field("dp"), &model, &network, &job, values, 4, &count, &err),
                     BP_EDOMAIN);
    assert_string_equal(err.field, "space.dp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_varies),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_every_index_is_another_plan),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_more_plans_than_an_index),
        cmocka_unit_test(test_free_values),
        cmocka_unit_test(test_not_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
