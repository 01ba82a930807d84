/* Several objectives, plans that differ, and searches that add up: against looking at all plans. */
#include "search_fixture.h"

#include <stdlib.h>

#include "search/duplicate.h"

enum { ALL = 20000 };

static struct bp_candidate all[ALL];
static size_t all_count;

/* Every feasible plan that is no duplicate. */
static void list_all(void) {
    struct bp_walk walk;
    bp_walk_init(&walk, &f.space);
    all_count = 0;
    do {
        struct bp_candidate c;
        enum bp_reject reason;
        struct bp_train_case site = f.search.site;
        c.plan = walk.plan;
        c.index = walk.index;
        assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
        site.plan = &c.plan;
        if (!reason && !bp_is_duplicate(&walk, &site)) {
            assert_true(all_count < ALL);
            all[all_count++] = c;
        }
        bp_walk_next(&walk, walk.count);
    } while (walk.position < walk.size);
    assert_true(all_count > 100);
}

static void run_range(uint64_t begin, uint64_t end, struct bp_found *found) {
    struct bp_error err;
    assert_int_equal(bp_search_run(&f.search, NULL, begin, end, found, &err), BP_OK);
}

static double rank_of(const struct bp_candidate *c, size_t i) {
    enum bp_objective o = f.search.objectives[i];
    return bp_objective_rank(
        o, bp_objective_value(o, &f.search.site, &c->memory, &c->time, &c->worth));
}

static int dominates(const struct bp_candidate *a, const struct bp_candidate *b) {
    int better = 0;
    size_t i;
    for (i = 0; i < f.search.objectives_count; i++) {
        if (rank_of(a, i) > rank_of(b, i)) {
            return 0;
        }
        better |= rank_of(a, i) < rank_of(b, i);
    }
    return better || a->index < b->index;
}

static int is_on_front(uint64_t index) {
    size_t i;
    for (i = 0; i < f.found.front.count && f.front[i].index != index; i++) {
    }
    return i < f.found.front.count;
}

static void assert_exact_front(void) {
    size_t i, j, on_front = 0;
    run_range(0, f.space.size, &f.found);
    list_all();
    assert_int_equal(f.found.feasible, all_count);
    assert_false(f.found.front.is_full);
    for (i = 0; i < all_count; i++) {
        int beaten = 0;
        for (j = 0; j < all_count && !beaten; j++) {
            beaten = i != j && dominates(&all[j], &all[i]);
        }
        assert_int_equal(is_on_front(all[i].index), !beaten);
        on_front += !beaten;
    }
    assert_int_equal(f.found.front.count, on_front);
    bp_front_sort(&f.found.front);
    for (i = 1; i < on_front; i++) {
        assert_true(f.front[i - 1].ranks[0] <= f.front[i].ranks[0]);
    }
}

static void ask(enum bp_objective first, enum bp_objective second, enum bp_objective third,
                size_t count) {
    set_up();
    vary_usual();
    VARY("overlap_tp", 0, 1);
    f.search.terms.usd_h = 2;
    f.search.objectives[0] = first;
    f.search.objectives[1] = second;
    f.search.objectives[2] = third;
    f.search.objectives_count = count;
}

static void test_front_of_two(void **state) {
    (void)state;
    ask(BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_HEADROOM_BYTES, BP_OBJECTIVE_STEP_S, 2);
    assert_exact_front();
    assert_true(f.found.front.count > 3);
}

static void test_front_of_three(void **state) {
    (void)state;
    ask(BP_OBJECTIVE_FIT_PROBABILITY, BP_OBJECTIVE_MFU_FRAC, BP_OBJECTIVE_STEP_USD, 3);
    assert_exact_front();
}

/* One objective twice: the front is the best plan. */
static void test_front_of_one(void **state) {
    (void)state;
    ask(BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_TOKENS_PER_S, BP_OBJECTIVE_STEP_S, 2);
    assert_exact_front();
    assert_int_equal(f.found.front.count, 1);
}

/* Too little room is said, never silently less. */
static void test_front_without_room(void **state) {
    (void)state;
    ask(BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_HEADROOM_BYTES, BP_OBJECTIVE_STEP_S, 2);
    f.rooms.front_capacity = 2;
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    run_range(0, f.space.size, &f.found);
    assert_true(f.found.front.is_full);
}

/* The best of every (tp, pp), best first. */
static void test_plans_that_differ(void **state) {
    size_t i, j, groups = 0;
    (void)state;
    ask(BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_STEP_S, 1);
    f.search.differ[0] = field("tp");
    f.search.differ[1] = field("pp");
    f.search.differ_count = 2;
    run_range(0, f.space.size, &f.found);
    bp_topk_sort(&f.found.topk);
    list_all();
    for (i = 0; i < all_count; i++) {
        int best = 1;
        for (j = 0; j < all_count; j++) {
            if (all[j].plan.tp == all[i].plan.tp && all[j].plan.pp == all[i].plan.pp &&
                (all[j].rank < all[i].rank ||
                 (all[j].rank == all[i].rank && all[j].index < all[i].index))) {
                best = 0;
            }
        }
        for (j = 0; j < f.found.topk.count && f.room[j].index != all[i].index; j++) {
        }
        assert_int_equal(j < f.found.topk.count, best);
        groups += (size_t)best;
    }
    assert_int_equal(f.found.topk.count, groups);
    assert_true(groups > 3);
}

/* A few groups kept, fewer than there are: the same as the first of all groups. */
static void test_fewer_than_groups(void **state) {
    struct bp_topk_entry every[TOP];
    (void)state;
    ask(BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_STEP_S, 1);
    f.search.differ[0] = field("micro_batch");
    f.search.differ[1] = field("recompute");
    f.search.differ[2] = field("zero");
    f.search.differ_count = 3;
    run_range(0, f.space.size, &f.found);
    bp_topk_sort(&f.found.topk);
    memcpy(every, f.room, sizeof every);
    f.rooms.top_capacity = 3;
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    run_range(0, f.space.size, &f.found);
    bp_topk_sort(&f.found.topk);
    assert_int_equal(f.found.topk.count, 3);
    assert_memory_equal(every, f.room, 3 * sizeof *every);
}

/* Three parts, searched apart and merged in another order, are the whole. */
static void test_parts_add_up(void **state) {
    static struct bp_topk_entry top[3][TOP], whole_top[TOP];
    static struct bp_front_entry front[3][FRONT], whole_front[FRONT];
    static const int order[] = {2, 0, 1};
    struct bp_found parts[3], whole;
    uint64_t third;
    int i;
    (void)state;
    ask(BP_OBJECTIVE_STEP_S, BP_OBJECTIVE_HEADROOM_BYTES, BP_OBJECTIVE_STEP_S, 2);
    third = f.space.size / 3;
    run_range(0, f.space.size, &f.found);
    bp_topk_sort(&f.found.topk);
    bp_front_sort(&f.found.front);
    whole = f.found;
    memcpy(whole_top, f.room, sizeof whole_top);
    memcpy(whole_front, f.front, sizeof whole_front);
    for (i = 0; i < 3; i++) {
        struct bp_found_room room = {top[i], TOP, front[i], FRONT};
        bp_found_init(&parts[i], &room, -INFINITY);
        run_range((uint64_t)i * third, i == 2 ? f.space.size : (uint64_t)(i + 1) * third,
                  &parts[i]);
    }
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    for (i = 0; i < 3; i++) {
        bp_found_merge(&f.found, &parts[order[i]]);
    }
    bp_topk_sort(&f.found.topk);
    bp_front_sort(&f.found.front);
    assert_int_equal(f.found.evaluated, whole.evaluated);
    assert_int_equal(f.found.feasible, whole.feasible);
    assert_int_equal(f.found.duplicates, whole.duplicates);
    assert_memory_equal(&f.found.tally, &whole.tally, sizeof whole.tally);
    assert_int_equal(f.found.topk.count, whole.topk.count);
    assert_memory_equal(f.room, whole_top, sizeof whole_top);
    assert_int_equal(f.found.front.count, whole.front.count);
    assert_memory_equal(f.front, whole_front, whole.front.count * sizeof *f.front);
}

/* By hand: ln(1.1 * deadline / deadline) over a spread of 0.1, times the chance to fit. */
static void test_deadline(void **state) {
    struct bp_candidate c;
    enum bp_reject reason;
    (void)state;
    set_up();
    f.in.job.tokens = 1e12;
    f.in.plan.tp = 8;
    c.plan = f.in.plan;
    f.search.objectives[0] = BP_OBJECTIVE_DEADLINE_PROBABILITY;
    f.search.terms.time_spread = 0.1;
    f.search.terms.deadline_s = 1;
    f.search.terms.goodput_frac = 0.9; /* the run takes longer by what it loses */
    assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
    assert_int_equal(reason, BP_REJECT_NONE);
    f.search.terms.deadline_s = 1e12 / c.time.tokens_per_s / 0.9 / 1.1;
    c.plan = f.in.plan;
    assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
    assert_near(c.worth.deadline_probability,
                c.memory.fit_probability * 0.5 * erfc(log(1.1) / 0.1 / sqrt(2)), 1e-12);
    assert_near(c.rank, -c.worth.deadline_probability, 0);
    f.search.terms.time_spread = 0;
    c.plan = f.in.plan;
    assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
    assert_near(c.worth.deadline_probability, 0, 0);
}

/* By hand: 400 W * 1.1 * 16 devices * step. */
static void test_energy(void **state) {
    struct bp_candidate c;
    enum bp_reject reason;
    (void)state;
    set_up();
    f.in.device.tdp_w = 400;
    f.search.terms.pue = 1.1;
    f.search.objectives[0] = BP_OBJECTIVE_STEP_J;
    c.plan = f.in.plan;
    c.plan.tp = 8;
    assert_int_equal(bp_search_weigh(&f.search, &c, &reason, NULL), BP_OK);
    assert_near(c.score, 400 * 1.1 * 16 * c.time.step_s, 1e-12);
    f.search.objectives[0] = BP_OBJECTIVE_DEVICES;
    bp_candidate_price(&f.search, &c, 0);
    assert_near(c.score, 16, 0);
    assert_near(c.rank, c.time.step_s, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_front_of_two),
        cmocka_unit_test(test_front_of_three),
        cmocka_unit_test(test_front_of_one),
        cmocka_unit_test(test_front_without_room),
        cmocka_unit_test(test_plans_that_differ),
        cmocka_unit_test(test_fewer_than_groups),
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
