/* The loop of the search against the plain kernel, and what must hold of any search. */
#include "search_fixture.h"

static void run(void) {
    struct bp_error err;
    assert_int_equal(bp_search_run(&f.search, NULL, 0, f.space.size, &f.found, &err), BP_OK);
    bp_topk_sort(&f.found.topk);
}

static void assert_adds_up(const struct bp_found *found, uint64_t size) {
    assert_int_equal(found->evaluated, found->feasible + bp_tally_total(&found->tally));
    assert_int_equal(found->evaluated + found->duplicates, size);
}

/* Every plan once more through the whole kernel, counted and ranked without search code. */
static void test_equals_exhaustive(void **state) {
    struct bp_train_step_in in;
    struct bp_train_step_out out;
    double best = INFINITY;
    uint64_t index, feasible = 0, memory = 0, best_index = 0;
    (void)state;
    set_up();
    vary_usual();
    run();
    in = f.in;
    for (index = 0; index < f.space.size; index++) {
        bp_space_decode(&f.space, index, &in.plan);
        if (in.plan.zero > 0 && in.plan.tp * in.plan.pp == 16 && in.plan.cp == 1) {
            continue; /* one replica: ZeRO stages mean the same */
        }
        if (bp_train_step(&in, &out, NULL) != BP_OK) {
            continue;
        }
        feasible += out.fits;
        memory += !out.fits;
        if (out.fits && out.time.step_s < best) {
            best = out.time.step_s;
            best_index = index;
        }
    }
    assert_true(feasible > TOP);
    assert_true(memory > 0);
    assert_int_equal(f.found.feasible, feasible);
    assert_int_equal(f.found.tally.slots[BP_REJECT_MEMORY].count, memory);
    assert_int_equal(f.room[0].index, best_index);
    assert_near(f.room[0].score, best, 0);
    assert_adds_up(&f.found, f.space.size);
}

static void test_sorted_within_bounds(void **state) {
    size_t i;
    (void)state;
    set_up();
    vary_usual();
    run();
    assert_int_equal(f.found.topk.count, TOP);
    for (i = 1; i < TOP; i++) {
        assert_true(f.room[i - 1].rank < f.room[i].rank || (f.room[i - 1].rank == f.room[i].rank &&
                                                            f.room[i - 1].index < f.room[i].index));
    }
}

/* Cut into ranges and taken in another order: the same answer. */
static void test_ranges(void **state) {
    struct bp_topk_entry whole[TOP];
    struct bp_tally tally;
    struct bp_error err;
    uint64_t size, block = 37, begin;
    (void)state;
    set_up();
    vary_usual();
    run();
    memcpy(whole, f.room, sizeof whole);
    tally = f.found.tally;
    size = f.space.size;
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    for (begin = size / block * block;; begin -= block) {
        uint64_t end = begin + block < size ? begin + block : size;
        assert_int_equal(bp_search_run(&f.search, NULL, begin, end, &f.found, &err), BP_OK);
        if (begin == 0) {
            break;
        }
    }
    bp_topk_sort(&f.found.topk);
    assert_memory_equal(whole, f.room, sizeof whole);
    assert_memory_equal(&tally, &f.found.tally, sizeof tally);
}

static void test_more_memory_never_fits_fewer(void **state) {
    uint64_t last = 0;
    int64_t gigabytes;
    (void)state;
    for (gigabytes = 5; gigabytes <= 160; gigabytes *= 2) {
        set_up();
        f.in.device.memory_bytes = gigabytes * 1000000000;
        vary_usual();
        run();
        assert_true(f.found.feasible >= last);
        assert_adds_up(&f.found, f.space.size);
        last = f.found.feasible;
    }
    assert_true(last > 0);
}

static void test_nothing_fits(void **state) {
    struct bp_candidate c;
    enum bp_reject reason;
    uint64_t index, nearest;
    (void)state;
    set_up();
    f.in.device.memory_bytes = 1500000000;
    vary_usual();
    run();
    assert_int_equal(f.found.feasible, 0);
    assert_int_equal(f.found.topk.count, 0);
    nearest = f.found.tally.slots[BP_REJECT_MEMORY].example;
    for (index = 0; index < f.space.size; index++) {
        bp_space_decode(&f.space, index, &c.plan);
        assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
        if (reason == BP_REJECT_MEMORY) {
            double missing = (double)(c.memory.total_bytes - c.memory.capacity_bytes);
            assert_true(missing >= f.found.tally.slots[BP_REJECT_MEMORY].distance);
            assert_true(index != nearest ||
                        missing == f.found.tally.slots[BP_REJECT_MEMORY].distance);
        }
    }
}

static void test_precision_without_a_peak(void **state) {
    (void)state;
    set_up();
    VARY("precision", BP_PRECISION_BF16, BP_PRECISION_FP8);
    VARY("recompute", BP_RECOMPUTE_FULL);
    VARY("zero", 3);
    run();
    assert_int_equal(f.found.feasible, 1);
    assert_int_equal(f.found.tally.slots[BP_REJECT_PRECISION].count, 1);
}

/* By hand: 2 USD/h * 16 devices * step_s / 3600; 64 * 4096 tokens. */
static void test_prices(void **state) {
    struct bp_candidate c;
    enum bp_reject reason;
    (void)state;
    set_up();
    f.search.terms.usd_h = 2;
    f.search.objectives[0] = BP_OBJECTIVE_STEP_USD;
    c.plan = f.in.plan;
    c.plan.tp = 8;
    assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
    assert_int_equal(reason, BP_REJECT_NONE);
    assert_near(c.worth.step_usd, 32 * c.time.step_s / 3600, 1e-12);
    assert_near(c.worth.tok_usd, c.worth.step_usd / (64 * 4096), 1e-12);
    assert_near(c.score, c.worth.step_usd, 0);
    assert_int_equal(c.worth.nodes, 2);
    assert_int_equal(c.worth.headroom_bytes, c.memory.capacity_bytes - c.memory.total_bytes);
    bp_candidate_price(&f.search, &c, 4);
    assert_near(c.worth.step_usd, 64 * c.time.step_s / 3600, 1e-12);
    assert_near(c.rank, c.worth.step_usd, 0);
}

/* The best by each objective is what looking at all kept plans gives. */
static void test_objectives(void **state) {
    int objective;
    (void)state;
    for (objective = 0; bp_objective_names[objective]; objective++) {
        struct bp_candidate best, c;
        enum bp_reject reason;
        uint64_t index;
        set_up();
        f.search.terms.usd_h = 2;
        f.search.objectives[0] = (enum bp_objective)objective;
        vary_usual();
        run();
        bp_space_decode(&f.space, f.room[0].index, &best.plan);
        assert_int_equal(bp_search_weigh(&f.search, &best, &reason, NULL), BP_OK);
        for (index = 0; index < f.space.size; index++) {
            bp_space_decode(&f.space, index, &c.plan);
            assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
            if (reason) {
                continue;
            }
            assert_true(objective != BP_OBJECTIVE_STEP_S || c.time.step_s >= best.time.step_s);
            assert_true(objective != BP_OBJECTIVE_TOKENS_PER_S ||
                        c.time.tokens_per_s <= best.time.tokens_per_s);
            assert_true(objective != BP_OBJECTIVE_MFU_FRAC ||
                        c.time.mfu_frac <= best.time.mfu_frac);
            assert_true(objective != BP_OBJECTIVE_TOK_USD || c.worth.tok_usd >= best.worth.tok_usd);
            assert_true(objective != BP_OBJECTIVE_HEADROOM_BYTES ||
                        c.worth.headroom_bytes <= best.worth.headroom_bytes);
        }
    }
}

/* A judge that rejects tp 8, prefers much memory and stops at a chosen plan. */
struct judge {
    uint64_t stop_at;
    uint64_t seen;
};

static enum bp_judgement judge(void *data, struct bp_candidate *c) {
    struct judge *j = data;
    j->seen++;
    if (c->index == j->stop_at) {
        return BP_JUDGE_STOP;
    }
    if (c->plan.tp == 8) {
        c->rule = 5;
        return BP_JUDGE_REJECT;
    }
    c->scored = 1;
    c->score = (double)c->memory.total_bytes;
    return BP_JUDGE_KEEP;
}

static void test_judge(void **state) {
    struct judge j = {UINT64_MAX, 0};
    struct bp_error err;
    (void)state;
    set_up();
    vary_usual();
    f.search.judge = judge;
    f.search.judge_data = &j;
    run();
    assert_true(f.found.tally.slots[BP_REJECT_COUNT + 5].count > 0);
    assert_int_equal(j.seen, f.found.feasible + f.found.tally.slots[BP_REJECT_COUNT + 5].count);
    assert_true(f.room[0].score > f.room[TOP - 1].score);
    assert_adds_up(&f.found, f.space.size);
    j.stop_at = f.room[0].index;
    assert_int_equal(bp_search_run(&f.search, NULL, 0, f.space.size, &f.found, &err), -1);
}

/* ahead counts the plans that are better than a mark. */
static void test_mark(void **state) {
    (void)state;
    set_up();
    vary_usual();
    run();
    bp_found_init(&f.found, &f.rooms, f.room[20].rank);
    run();
    assert_true(f.found.ahead >= 1 && f.found.ahead <= 20);
    assert_true(f.room[f.found.ahead].rank == f.found.mark);
    assert_true(f.room[f.found.ahead - 1].rank < f.found.mark);
}

/* More bytes than an int64 holds are too many, not an error. */
static void test_beyond_counting(void **state) {
    (void)state;
    set_up();
    f.in.job.seq_len = 1000000000;
    f.in.job.global_batch = 1000000000000;
    VARY("tp", 1);
    VARY("micro_batch", 1000000);
    VARY("flash", 0);
    run();
    assert_int_equal(f.found.tally.slots[BP_REJECT_MEMORY].count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_exhaustive),
        cmocka_unit_test(test_sorted_within_bounds),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_more_memory_never_fits_fewer),
        cmocka_unit_test(test_nothing_fits),
        cmocka_unit_test(test_precision_without_a_peak),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_objectives),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_mark),
        cmocka_unit_test(test_beyond_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
