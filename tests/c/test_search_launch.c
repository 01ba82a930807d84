/* What software refuses to launch, and what stands behind plain plans because few or none have run it. */
#include "search_fixture.h"

#include "search/launch.h"

static int begin(void **state) {
    (void)state;
    set_up();
    return 0;
}

static struct bp_plan plan_of(int64_t pp, int64_t vpp, int64_t cp, int64_t zero) {
    struct bp_plan plan = f.in.plan;
    plan.tp = 1;
    plan.pp = pp;
    plan.vpp = vpp;
    plan.cp = cp;
    plan.dp = 16 / (pp * cp);
    plan.zero = zero;
    plan.micro_batch = 1;
    return plan;
}

static void refused(struct bp_plan plan, const char *field, const char *text) {
    struct bp_error err = {0};
    assert_int_equal(bp_launch_check(&f.search.site, &plan, NULL, &err), BP_REJECT_SCHEDULE);
    assert_string_equal(err.field, field);
    assert_string_equal(err.text, text);
}

static void taken(struct bp_plan plan) {
    assert_int_equal(bp_launch_check(&f.search.site, &plan, NULL, NULL), BP_REJECT_NONE);
}

static void test_refused(void **state) {
    (void)state;
    taken(plan_of(4, 2, 2, 3));
    f.in.profile.pipeline_zero = 1;
    refused(plan_of(4, 1, 1, 2), "plan.zero", "the software has stages up to ZeRO 1, got 2");
    taken(plan_of(4, 1, 1, 1));
    taken(plan_of(1, 1, 1, 3));
    f.in.profile.interleaves = 0;
    refused(plan_of(4, 2, 1, 1), "plan.vpp", "the software does not interleave stages");
    f.in.profile.pipelines = BP_PIPELINES_NONE;
    refused(plan_of(4, 1, 1, 1), "plan.pp", "the software has no pipelines");
    f.in.profile.cuts_context = 0;
    refused(plan_of(1, 1, 2, 1), "plan.cp", "the software has no context parallelism");
    taken(plan_of(1, 1, 1, 3));
}

static void test_zero_stages(void **state) {
    static const int has[][4] = {{1, 1, 1, 1}, {1, 0, 1, 1}, {1, 0, 0, 1}, {1, 1, 0, 0}};
    int kind, zero;
    (void)state;
    for (kind = BP_ZERO_STAGES_ALL; kind <= BP_ZERO_STAGES_OPTIMIZER; kind++) {
        f.in.profile.zero_stages = kind;
        for (zero = 0; zero <= 3; zero++) {
            struct bp_error err = {0};
            struct bp_plan plan = plan_of(1, 1, 1, zero);
            enum bp_reject reason = bp_launch_check(&f.search.site, &plan, NULL, &err);
            assert_int_equal(reason, has[kind][zero] ? BP_REJECT_NONE : BP_REJECT_SCHEDULE);
        }
    }
    f.in.profile.zero_stages = BP_ZERO_STAGES_FSDP;
    refused(plan_of(2, 1, 1, 1), "plan.zero", "the software has no ZeRO 1");
}

static void test_lacks_micro_batches(void **state) {
    (void)state;
    f.in.job.global_batch = 12; /* three micro-batches on each of four ranks */
    refused(plan_of(4, 2, 1, 1), "plan.vpp",
            "interleaved stages take at least as many micro-batches as pp: 3 for pp 4");
    taken(plan_of(4, 1, 1, 1));
    f.in.job.global_batch = 16;
    taken(plan_of(4, 2, 1, 1));
}

/* What is refused of a plan that runs is taken of others that have the same, and nothing else is. */
static void test_launched(void **state) {
    struct bp_plan launched = plan_of(1, 1, 1, 1), plan;
    (void)state;
    f.in.profile.zero_stages = BP_ZERO_STAGES_WEIGHTS;
    f.in.profile.pipelines = BP_PIPELINES_NONE;
    assert_int_equal(bp_launch_check(&f.search.site, &launched, &launched, NULL), BP_REJECT_NONE);
    plan = launched;
    plan.micro_batch = 2;
    assert_int_equal(bp_launch_check(&f.search.site, &plan, &launched, NULL), BP_REJECT_NONE);
    plan.zero = 2;
    assert_int_equal(bp_launch_check(&f.search.site, &plan, &launched, NULL), BP_REJECT_SCHEDULE);
    plan = plan_of(2, 1, 1, 1);
    assert_int_equal(bp_launch_check(&f.search.site, &plan, &launched, NULL), BP_REJECT_SCHEDULE);
    launched.zero = 3; /* which the software has */
    plan = plan_of(1, 1, 1, 3);
    f.in.profile.cuts_context = 0;
    plan.cp = 2;
    assert_int_equal(bp_launch_check(&f.search.site, &plan, &launched, NULL), BP_REJECT_SCHEDULE);
}

/* In a pipeline ZeRO 1 and 2 are one plan, which software without ZeRO 1 still has. */
static void test_zero_in_a_pipeline(void **state) {
    static const int stages[] = {BP_ZERO_STAGES_ALL, BP_ZERO_STAGES_FSDP};
    static const int64_t least[] = {1, 2};
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        struct bp_error err;
        uint64_t k, found = 0;
        set_up();
        VARY("tp", 2, 4);
        VARY("pp", 1, 2, 4);
        VARY("zero", 1, 2, 3);
        VARY("recompute", BP_RECOMPUTE_NONE, BP_RECOMPUTE_FULL);
        f.in.profile.zero_stages = stages[i];
        assert_int_equal(bp_search_run(&f.search, NULL, 0, f.space.size, &f.found, &err), BP_OK);
        for (k = 0; k < f.found.topk.count; k++) {
            struct bp_plan plan = f.in.plan;
            bp_space_decode(&f.space, f.found.topk.entries[k].index, &plan);
            if (plan.pp > 1 && (plan.zero == 1 || plan.zero == 2)) {
                assert_int_equal(plan.zero, least[i]);
                found++;
            }
        }
        assert_true(found > 0);
    }
}

static double handicap(struct bp_plan plan) {
    struct bp_worth worth = {0};
    bp_launch_unusual(&f.search.site, &plan, &worth);
    return worth.handicap;
}

/* 16 layers, 64 sequences of 4,096 tokens. */
static void test_unusual(void **state) {
    (void)state;
    assert_near(handicap(plan_of(4, 2, 1, 1)), 0, 0);
    assert_near(handicap(plan_of(1, 1, 2, 1)), 0.05, 1e-15); /* parts of 4,096 tokens */
    f.in.job.seq_len = 8192;
    assert_near(handicap(plan_of(1, 1, 2, 1)), 0, 0);
    assert_near(handicap(plan_of(1, 1, 8, 1)), 0.05, 1e-15); /* parts of 1,024 */
    f.in.model.layers = 18;
    assert_near(handicap(plan_of(4, 1, 1, 1)), 0, 0); /* 20 with embedding and head */
    f.in.model.layers = 17;
    assert_near(handicap(plan_of(8, 1, 1, 1)), 0.01, 1e-15);
    f.in.model.layers = 14; /* 16 with embedding and head */
    assert_near(handicap(plan_of(8, 1, 1, 1)), 0, 0);
    f.in.job.global_batch = 24; /* six micro-batches on four stages */
    f.in.model.layers = 16;
    assert_near(handicap(plan_of(4, 2, 1, 1)), 0.01, 1e-15);
    f.in.job.global_batch = 64;
    f.in.model.layers = 28;
    assert_near(handicap(plan_of(2, 14, 1, 1)), 0.01,
                1e-15); /* seven chunks for each of two stages */
    assert_near(handicap(plan_of(4, 7, 1, 1)), 0, 0);
    f.in.model.layers = 16;
    f.in.profile.usual_stages = 2;
    assert_near(handicap(plan_of(4, 1, 1, 1)), 0.02, 1e-15);
    f.in.profile.seen_pipeline_zero = 1;
    assert_near(handicap(plan_of(4, 1, 1, 3)), 0.07, 1e-15);
    f.in.profile.pipelines = BP_PIPELINES_RARE;
    assert_near(handicap(plan_of(2, 1, 1, 1)), 0.05, 1e-15);
    assert_near(handicap(plan_of(1, 1, 1, 3)), 0, 0);
    f.in.profile.unseen_zero = 2;
    assert_near(handicap(plan_of(1, 1, 1, 2)), 0.05, 1e-15);
    assert_near(handicap(plan_of(1, 1, 1, 1)), 0, 0);
    assert_near(handicap(plan_of(1, 1, 1, 0)), 0, 0);
    f.in.profile.seen_pipeline_zero = 2;
    f.in.profile.pipelines = BP_PIPELINES_USUAL;
    f.in.profile.usual_stages = 16;
    assert_near(handicap(plan_of(2, 1, 1, 2)), 0, 0); /* with stages it is ZeRO 1 */
}

static void test_wide_tensors(void **state) {
    struct bp_plan plan = plan_of(1, 1, 1, 1);
    (void)state;
    plan.tp = f.in.network.domain;
    assert_near(handicap(plan), 0, 0);
    plan.tp = 2 * f.in.network.domain;
    assert_near(handicap(plan), 0.02, 1e-15);
}

/* A plan has to be better by its handicap, and its figures stay what they are. */
static void test_order(void **state) {
    struct bp_error err;
    uint64_t i;
    (void)state;
    vary_usual();
    f.in.profile.pipelines = BP_PIPELINES_RARE;
    assert_int_equal(bp_search_run(&f.search, NULL, 0, f.space.size, &f.found, &err), BP_OK);
    bp_topk_sort(&f.found.topk);
    assert_true(f.found.topk.count > 10);
    for (i = 0; i < f.found.topk.count; i++) {
        const struct bp_topk_entry *e = &f.found.topk.entries[i];
        assert_near(e->rank, e->step_s, 1e-12);
        assert_true(e->rank >= e->score * (1 - 1e-12) && e->rank <= e->score * 1.16);
        assert_true(i == 0 || e->rank >= e[-1].rank);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_refused, begin),
        cmocka_unit_test_setup(test_zero_stages, begin),
        cmocka_unit_test_setup(test_lacks_micro_batches, begin),
        cmocka_unit_test_setup(test_launched, begin),
        cmocka_unit_test_setup(test_zero_in_a_pipeline, begin),
        cmocka_unit_test_setup(test_unusual, begin),
        cmocka_unit_test_setup(test_wide_tensors, begin),
        cmocka_unit_test_setup(test_order, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
