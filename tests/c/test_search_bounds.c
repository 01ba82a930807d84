/* Bounds that leave plans out: never a better one, and the answer of the whole search. */
#include "search_fixture.h"

#include "search/duplicate.h"
#include "search/incumbents.h"

static struct bp_memo memo;

static void vary_much(void) {
    vary_usual();
    VARY("sequence_parallel", 0, 1);
    VARY("schedule", BP_SCHEDULE_1F1B, BP_SCHEDULE_GPIPE, BP_SCHEDULE_ZB_H1, BP_SCHEDULE_ZB_H2,
         BP_SCHEDULE_ZBV, BP_SCHEDULE_DUALPIPE, BP_SCHEDULE_DUALPIPE_V, BP_SCHEDULE_BREADTH_FIRST);
    VARY("flash", 0, 1);
    VARY("overlap_dp", 0, 1);
    VARY("overlap_tp", 0, 1);
    VARY("grad_bytes", 2, 4);
    VARY("first_layers", 0, 2);
    VARY("last_layers", 0, 6);
}

/* An ideal world, in which bounds are tight, and the usual one. */
static void make_tight(void) {
    struct bp_profile *p = &f.in.profile;
    p->host_layer_s = p->host_micro_s = p->host_step_s = p->common.straggler = 0;
    f.in.network.scaleup.bw_bytes_s = f.in.network.scaleout.bw_bytes_s = 1e15;
    f.in.network.scaleup.alpha_s = f.in.network.scaleout.alpha_s = 0;
    f.in.network.scaleup.step_s = f.in.network.scaleout.step_s = 0;
    f.in.network.scaleup.ramp = f.in.network.scaleout.ramp = 0;
}

/* Every feasible plan takes at least what is said of the plans that share its checked fields. */
static void assert_admissible(double at_least) {
    struct bp_walk walk;
    double closest = 0;
    bp_walk_init(&walk, &f.space);
    bp_memo_init(&memo, &walk);
    do {
        struct bp_candidate c;
        struct bp_train_case site = f.search.site;
        enum bp_reject reason;
        c.plan = walk.plan;
        assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
        if (reason == BP_REJECT_NONE) {
            double least;
            site.plan = &c.plan;
            bp_memo_turn(&memo, &walk);
            least = bp_memo_least_step(&memo, &walk, &site);
            assert_true(least > 0);
            assert_true(least * (1 - 1e-9) <= c.time.step_s);
            assert_true(bp_search_floor(&f.search, least) <= c.rank);
            closest = fmax(closest, least / c.time.step_s);
        }
        bp_walk_next(&walk, walk.count);
    } while (walk.position < walk.size);
    assert_true(closest > at_least);
}

static void test_bounds_are_admissible(void **state) {
    (void)state;
    set_up();
    vary_much();
    assert_admissible(0.5);
    set_up();
    make_tight();
    f.in.device.memory_bytes = 200000000000;
    vary_much();
    assert_admissible(0.99);
}

static void test_bounds_with_experts(void **state) {
    struct bp_error err;
    (void)state;
    set_up();
    f.in.model.experts = 8;
    f.in.model.topk = 2;
    f.in.model.dense_layers = 0;
    f.in.model.moe_ffn = 0;
    assert_int_equal(bp_model_resolve(&f.in.model, &err), BP_OK);
    count_model();
    f.in.device.memory_bytes = 200000000000;
    VARY("tp", 1, 2, 4);
    VARY("pp", 1, 2, 4);
    VARY("vpp", 1, 2);
    VARY("cp", 1, 2);
    VARY("ep", 1, 2, 4, 8);
    VARY("etp", 1, 2);
    VARY("zero", 1, 3);
    VARY("recompute", BP_RECOMPUTE_NONE, BP_RECOMPUTE_SELECTIVE, BP_RECOMPUTE_FULL);
    VARY("micro_batch", 1, 2);
    VARY("overlap_ep", 0, 1);
    VARY("overlap_tp", 0, 1);
    assert_admissible(0.3);
}

/* Further layers and heads on the last stage, and all that a class of software may add. */
static void test_bounds_with_further_tokens(void **state) {
    struct bp_profile *p = &f.in.profile;
    (void)state;
    set_up();
    f.in.model.mtp_layers = 2;
    count_model();
    p->pipe_collectives = BP_PIPE_COLLECTIVES_WAITED;
    p->common.host_pipe = 0.5;
    p->weight_gather = BP_WEIGHT_GATHER_BY_TENSOR;
    p->sends = BP_SENDS_SPLIT;
    p->gradient_sum = BP_GRADIENT_SUM_SEPARATE;
    p->tp_backward = BP_TP_BACKWARD_BESIDE_WEIGHTS;
    p->selective = BP_SELECTIVE_POLICY;
    p->common.selective_mlp = 0.5;
    p->layer_gather = BP_LAYER_GATHER_BY_PARAMETER;
    f.in.device.memory_bytes = 200000000000;
    vary_much();
    assert_admissible(0.3);
}

static void run(size_t top) {
    struct bp_walk walk;
    struct bp_error err;
    f.rooms.top_capacity = top;
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    bp_walk_init(&walk, &f.space);
    bp_memo_init(&memo, &walk);
    assert_int_equal(bp_search_run(&f.search, &memo, 0, f.space.size, &f.found, &err), BP_OK);
    bp_topk_sort(&f.found.topk);
}

static void assert_same_best(size_t top) {
    struct bp_topk_entry whole[TOP];
    struct bp_error err;
    uint64_t feasible;
    size_t i;
    f.search.threshold = INFINITY;
    run(top);
    feasible = f.found.feasible;
    memcpy(whole, f.room, sizeof whole);
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    assert_int_equal(bp_incumbents(&f.search, &f.found, &err), BP_OK);
    assert_true(isfinite(f.search.threshold));
    assert_int_equal(f.found.evaluated, 0);
    run(top);
    assert_int_equal(f.found.topk.count, top);
    for (i = 0; i < top; i++) {
        assert_memory_equal(&whole[i], &f.room[i], sizeof whole[i]);
    }
    assert_true(f.found.feasible <= feasible);
    assert_int_equal(f.found.evaluated, f.found.feasible + bp_tally_total(&f.found.tally));
    assert_int_equal(f.found.evaluated + f.found.duplicates, f.space.size);
}

static void test_same_best_for_every_objective(void **state) {
    int objective;
    (void)state;
    for (objective = 0; bp_objective_names[objective]; objective++) {
        set_up();
        vary_much();
        f.search.terms.usd_h = 2;
        f.search.objectives[0] = (enum bp_objective)objective;
        if (bp_objective_follows_time((enum bp_objective)objective)) {
            f.in.device.tdp_w = 400;
            assert_same_best(1);
            assert_true(f.found.tally.slots[BP_TALLY_BOUNDED].count > 0);
            assert_same_best(10);
        } else {
            struct bp_error err;
            assert_int_equal(bp_incumbents(&f.search, &f.found, &err), BP_OK);
            assert_true(isinf(f.search.threshold));
        }
    }
}

/* A rule rejects most plans: those must not become incumbents. */
static enum bp_judgement only_deep(void *data, struct bp_candidate *c) {
    (void)data;
    c->rule = 0;
    return c->plan.pp == 4 ? BP_JUDGE_KEEP : BP_JUDGE_REJECT;
}

static void test_same_best_with_a_rule(void **state) {
    (void)state;
    set_up();
    vary_much();
    f.search.judge = only_deep;
    assert_same_best(10);
}

static void test_same_best_that_differ(void **state) {
    (void)state;
    set_up();
    vary_much();
    f.search.differ[0] = field("tp");
    f.search.differ[1] = field("pp");
    f.search.differ_count = 2;
    assert_same_best(4);
}

/* Fewer feasible plans than are asked for: nothing may be left out. */
static void test_no_threshold_without_enough_plans(void **state) {
    struct bp_error err;
    (void)state;
    set_up();
    VARY("recompute", BP_RECOMPUTE_NONE, BP_RECOMPUTE_FULL);
    VARY("micro_batch", 1, 2);
    assert_int_equal(bp_incumbents(&f.search, &f.found, &err), BP_OK);
    assert_true(isinf(f.search.threshold));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_admissible),
        cmocka_unit_test(test_bounds_with_experts),
        cmocka_unit_test(test_bounds_with_further_tokens),
        cmocka_unit_test(test_same_best_for_every_objective),
        cmocka_unit_test(test_same_best_with_a_rule),
        cmocka_unit_test(test_same_best_that_differ),
        cmocka_unit_test(test_no_threshold_without_enough_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
