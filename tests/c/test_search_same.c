/* Plans that mean the same, or are rejected for the same reason: what the search does not look at. */
#include "search_fixture.h"

#include "search/duplicate.h"

static void resolve_model(void) {
    struct bp_error err;
    assert_int_equal(bp_model_resolve(&f.in.model, &err), BP_OK);
    count_model();
    f.in.device.memory_bytes = 1000000000000;
}

/* Whether the plan at index repeats an earlier one. */
static int repeats(uint64_t index, const struct bp_plan *plan) {
    struct bp_walk walk;
    bp_walk_init(&walk, &f.space);
    do {
        if (walk.index == index) {
            struct bp_train_case c = f.search.site;
            c.plan = plan;
            return bp_is_duplicate(&walk, &c);
        }
        bp_walk_next(&walk, walk.count);
    } while (walk.position < walk.size);
    fail();
    return 0;
}

/* Whether a plan before index, itself looked at, has the same estimate. */
static int has_twin(uint64_t index, const struct bp_candidate *c) {
    struct bp_candidate e;
    enum bp_reject reason;
    uint64_t earlier;
    for (earlier = 0; earlier < index; earlier++) {
        bp_space_decode(&f.space, earlier, &e.plan);
        if (e.plan.tp != c->plan.tp || e.plan.pp != c->plan.pp) {
            continue;
        }
        assert_int_equal(bp_search_weigh(&f.search, &e, &reason, NULL), BP_OK);
        if (!reason && e.time.step_s == c->time.step_s &&
            e.memory.total_bytes == c->memory.total_bytes && !repeats(earlier, &e.plan)) {
            return 1;
        }
    }
    return 0;
}

static void assert_duplicates_have_twins(void) {
    uint64_t index, duplicates = 0;
    for (index = 0; index < f.space.size; index++) {
        struct bp_candidate c;
        enum bp_reject reason;
        bp_space_decode(&f.space, index, &c.plan);
        assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
        if (!reason && repeats(index, &c.plan)) {
            duplicates++;
            assert_true(has_twin(index, &c));
        }
    }
    assert_true(duplicates > 0);
}

/* No two plans that are looked at have the same estimate. */
static void assert_others_differ(void) {
    uint64_t index;
    for (index = 0; index < f.space.size; index++) {
        struct bp_candidate c;
        enum bp_reject reason;
        bp_space_decode(&f.space, index, &c.plan);
        assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
        assert_true(reason || repeats(index, &c.plan) || !has_twin(index, &c));
    }
}

static void test_derived_duplicates(void **state) {
    (void)state;
    set_up();
    f.in.device.memory_bytes = 1000000000000;
    VARY("tp", 1, 16);
    VARY("pp", 1, 4);
    VARY("dp", 0, 16, 4, 1);
    VARY("zero", 3, 0);
    VARY("shard", 4, 0, 1, 16);
    assert_duplicates_have_twins();
}

static void test_inert_duplicates(void **state) {
    (void)state;
    set_up();
    f.in.device.memory_bytes = 1000000000000;
    VARY("tp", 1, 16);
    VARY("pp", 1, 4, 16);
    VARY("zero", 3, 0);
    VARY("sequence_parallel", 0, 1);
    VARY("recompute", 0, 2);
    VARY("recompute_share", 0.5, 1);
    VARY("schedule", BP_SCHEDULE_ZB_H1, BP_SCHEDULE_1F1B, BP_SCHEDULE_DUALPIPE);
    VARY("overlap_dp", 0, 1);
    VARY("overlap_tp", 0, 1);
    assert_duplicates_have_twins();
}

/* Experts are replicated over tensor-parallel ranks as well: ZeRO does something with dp 1. */
static void test_expert_duplicates(void **state) {
    (void)state;
    set_up();
    f.in.model.experts = 8;
    f.in.model.topk = 2;
    f.in.model.dense_layers = 0;
    f.in.model.moe_ffn = 0;
    resolve_model();
    VARY("tp", 1, 8, 16);
    VARY("pp", 1, 16);
    VARY("ep", 1, 8);
    VARY("zero", 3, 0);
    VARY("overlap_dp", 0, 1);
    VARY("overlap_ep", 0, 1);
    assert_duplicates_have_twins();
}

/* Lists without 0, with it, with none first and last, and a mode that is fixed. */
static void test_shares_of_nothing(void **state) {
    static const double modes[][2] = {{0, 2}, {2, 0}, {1, 2}},
                        shares[][2] = {{0.5, 1}, {0, 1}, {1, 0}};
    size_t i, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            set_up();
            f.in.device.memory_bytes = 1000000000000;
            VARY("pp", 1, 16);
            VARY("split", BP_SPLIT_WORK, BP_SPLIT_LAYERS);
            vary("recompute", modes[i], 2);
            vary("recompute_share", shares[j], 2);
            assert_duplicates_have_twins();
            assert_others_differ();
        }
    }
}

/* 16 layers: an end stage may be given what it has anyway, also because of the other end. */
static void test_cuts_that_are_even(void **state) {
    static const double lists[][4] = {{0, 4, 8, 7}, {8, 4, 0, 7}, {4, 0, 7, 8}};
    size_t i, j;
    (void)state;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            set_up();
            f.in.device.memory_bytes = 1000000000000;
            VARY("pp", 1, 2, 4);
            VARY("split", BP_SPLIT_LAYERS, BP_SPLIT_WORK);
            vary("first_layers", lists[i], 4);
            vary("last_layers", lists[j], 4);
            assert_duplicates_have_twins();
            assert_others_differ();
        }
    }
}

static void vary_modules(void) {
    VARY("recompute", BP_RECOMPUTE_NONE, BP_RECOMPUTE_SELECTIVE, BP_RECOMPUTE_FULL);
    VARY("recompute_activation", 0, 1);
    VARY("recompute_up_proj", 0, 1);
    VARY("recompute_mlp", 0, 1);
    VARY("recompute_moe", 0, 1);
    VARY("recompute_shared", 0, 1);
}

/* Dense layers alone, experts alone, both and shared ones: what the model lacks is not listed twice. */
static void test_modules(void **state) {
    static const struct {
        int64_t experts, dense, shared, latent;
    } cases[] = {{0, 0, 0, 0}, {8, 0, 0, 0}, {8, 4, 0, 0}, {8, 0, 1, 0}, {8, 4, 1, 64}};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_up();
        f.in.model.experts = cases[i].experts;
        f.in.model.topk = cases[i].experts > 0 ? 2 : 0;
        f.in.model.dense_layers = cases[i].dense;
        f.in.model.shared_experts = cases[i].shared;
        f.in.model.kv_lora_rank = cases[i].latent;
        f.in.model.qk_rope_dim = f.in.model.qk_nope_dim = cases[i].latent;
        f.in.model.moe_ffn = 0;
        resolve_model();
        vary_modules();
        assert_duplicates_have_twins();
        assert_others_differ();
    }
}

/* Of latent attention with a fused core the mode "selective" is a module, too. */
static void test_selective_is_up_proj(void **state) {
    static const double modes[][2] = {{BP_RECOMPUTE_NONE, BP_RECOMPUTE_SELECTIVE},
                                      {BP_RECOMPUTE_SELECTIVE, BP_RECOMPUTE_NONE}};
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        set_up();
        f.in.model.kv_lora_rank = 512;
        f.in.model.qk_rope_dim = f.in.model.qk_nope_dim = 64;
        resolve_model();
        vary("recompute", modes[i], 2);
        VARY("recompute_share", 1, 0.5);
        VARY("recompute_up_proj", 0, 1);
        VARY("flash", 0, 1);
        assert_duplicates_have_twins();
        assert_others_differ();
    }
}

/* Formats without a copy of their own have no copies to be left out, whole weights nothing to be sharded. */
static void test_states_that_are_not_there(void **state) {
    (void)state;
    set_up();
    resolve_model();
    f.in.device.fp8_flop_s = 2 * f.in.device.bf16_flop_s;
    f.in.device.fp32_flop_s = 1e13;
    VARY("precision", BP_PRECISION_FP32, BP_PRECISION_BF16, BP_PRECISION_FP8);
    VARY("quantized_params", 0, 1);
    VARY("master_bytes", 4, 0);
    VARY("zero", 2, 0, 1);
    VARY("pp", 1, 2);
    VARY("shard", 3, 8, 4, 0);
    assert_duplicates_have_twins();
    assert_others_differ();
}

/* What a search counts, cut anywhere, are the plans that are duplicates one by one. */
static void test_duplicates_are_counted_in_runs(void **state) {
    struct bp_walk walk;
    struct bp_error err;
    uint64_t cut, duplicates = 0;
    (void)state;
    set_up();
    resolve_model();
    VARY("tp", 1, 2, 3);
    VARY("pp", 4, 1);
    VARY("zero", 0, 2, 1);
    VARY("sequence_parallel", 0, 1);
    VARY("schedule", BP_SCHEDULE_1F1B, BP_SCHEDULE_GPIPE);
    VARY("recompute", BP_RECOMPUTE_FULL, BP_RECOMPUTE_NONE);
    VARY("recompute_mlp", 0, 1);
    VARY("split", BP_SPLIT_LAYERS, BP_SPLIT_WORK);
    VARY("overlap_tp", 0, 1);
    VARY("overlap_ep", 0, 1);
    bp_walk_init(&walk, &f.space);
    do {
        struct bp_train_case c = f.search.site;
        struct bp_plan plan = walk.plan;
        c.plan = &plan;
        if (bp_search_check(&f.search, &plan, NULL) == BP_REJECT_NONE) {
            duplicates += bp_is_duplicate(&walk, &c);
        }
        bp_walk_next(&walk, walk.count);
    } while (walk.position < walk.size);
    for (cut = 0; cut < walk.size; cut += 7) {
        bp_found_init(&f.found, &f.rooms, -INFINITY);
        assert_int_equal(bp_search_run(&f.search, NULL, 0, cut, &f.found, &err), BP_OK);
        assert_int_equal(bp_search_run(&f.search, NULL, cut, walk.size, &f.found, &err), BP_OK);
        assert_int_equal(f.found.duplicates, duplicates);
    }
}

static enum bp_reject reason_of(const struct bp_plan *plan) {
    struct bp_candidate c;
    enum bp_reject reason;
    c.plan = *plan;
    assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
    return reason;
}

static int allows(const struct bp_field *field, double value) {
    if (field->kind == BP_NOTE) {
        return 0;
    }
    return field->kind == BP_ENUM ? value < 2 : value >= field->min && value <= field->max;
}

/* Changes every field that no check up to the reason looks at: the reason stays. */
static void assert_reason_stays(const struct bp_plan *plan, enum bp_reject reason) {
    static const double tried[] = {0, 1, 2, 3, 4, 5, 16};
    size_t i, j;
    for (i = 0; i < bp_plan_schema.count; i++) {
        const struct bp_field *varied = &bp_plan_schema.fields[i];
        for (j = 0; j < sizeof tried / sizeof *tried; j++) {
            struct bp_plan changed = *plan;
            if (allows(varied, tried[j]) && !bp_check_reads(reason, varied)) {
                bp_plan_set(&changed, varied, tried[j]);
                assert_int_equal(reason_of(&changed), reason);
            }
        }
    }
}

/* What counting whole runs of rejected plans at once rests on, for every reason there is. */
static void test_reasons_follow_from_their_fields(void **state) {
    uint64_t index, seen[BP_REJECT_COUNT] = {0};
    int reason;
    (void)state;
    set_up();
    f.in.model.heads = 24;
    f.in.model.experts = 4;
    f.in.job.seq_len = 4100;
    VARY("tp", 1, 2, 5, 16);
    VARY("pp", 1, 4);
    VARY("vpp", 1, 2, 5);
    VARY("first_layers", 0, 3);
    VARY("cp", 1, 2, 16);
    VARY("ep", 1, 3);
    VARY("shard", 0, 3);
    VARY("micro_batch", 1, 3, 16);
    VARY("schedule", BP_SCHEDULE_1F1B, BP_SCHEDULE_GPIPE);
    VARY("precision", BP_PRECISION_BF16, BP_PRECISION_FP8);
    for (index = 0; index < f.space.size; index++) {
        struct bp_plan plan;
        bp_space_decode(&f.space, index, &plan);
        reason = (int)reason_of(&plan);
        seen[reason]++;
        if (reason != BP_REJECT_NONE && reason < BP_REJECT_MEMORY) {
            assert_reason_stays(&plan, (enum bp_reject)reason);
        }
    }
    for (reason = BP_REJECT_DEVICES; reason < BP_REJECT_MEMORY; reason++) {
        assert_true(seen[reason] > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derived_duplicates),
        cmocka_unit_test(test_inert_duplicates),
        cmocka_unit_test(test_expert_duplicates),
        cmocka_unit_test(test_shares_of_nothing),
        cmocka_unit_test(test_cuts_that_are_even),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_selective_is_up_proj),
        cmocka_unit_test(test_states_that_are_not_there),
        cmocka_unit_test(test_duplicates_are_counted_in_runs),
        cmocka_unit_test(test_reasons_follow_from_their_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
