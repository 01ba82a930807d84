/* What a search keeps: the best k of a stream, and the tally of rejections. */
#include "near.h"

#include <stdlib.h>

#include "search/tally.h"
#include "search/topk.h"

enum { STREAM = 500, KEPT = 16 };

/* Few different ranks and few different times, so that ties of both are common. */
static struct bp_topk_entry entry(uint64_t index) {
    struct bp_topk_entry e = {(double)(index * 7919 % 31), index, 0, 0, 0,
                              (double)(index * 31 % 7)};
    return e;
}

static int by_rank_time_index(const void *left, const void *right) {
    const struct bp_topk_entry *a = left, *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->step_s != b->step_s) {
        return a->step_s < b->step_s ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* stride visits the stream in another order; it must not divide STREAM. */
static void check_order(uint64_t stride, size_t capacity) {
    struct bp_topk_entry all[STREAM], room[STREAM + 1];
    struct bp_topk topk;
    uint64_t i;
    bp_topk_init(&topk, room, capacity);
    for (i = 0; i < STREAM; i++) {
        struct bp_topk_entry e = entry(i * stride % STREAM);
        all[i] = e;
        bp_topk_offer(&topk, &e);
    }
    bp_topk_sort(&topk);
    qsort(all, STREAM, sizeof *all, by_rank_time_index);
    assert_int_equal(topk.count, capacity < STREAM ? capacity : STREAM);
    for (i = 0; i < topk.count; i++) {
        assert_int_equal(room[i].index, all[i].index);
        assert_near(room[i].rank, all[i].rank, 0);
    }
}

static void test_topk_equals_sorting(void **state) {
    (void)state;
    check_order(1, KEPT);
    check_order(499, KEPT);
    check_order(123, KEPT);
    check_order(7, 1);
    check_order(7, STREAM);
    check_order(7, STREAM + 1);
}

static void test_topk_of_nothing(void **state) {
    struct bp_topk_entry room[1];
    struct bp_topk topk;
    (void)state;
    bp_topk_init(&topk, room, 1);
    bp_topk_sort(&topk);
    assert_int_equal(topk.count, 0);
}

static void test_tally(void **state) {
    struct bp_tally tally;
    (void)state;
    bp_tally_init(&tally);
    assert_int_equal(bp_tally_total(&tally), 0);
    bp_tally_add(&tally, BP_REJECT_HEADS, 1, 12, 0);
    bp_tally_add(&tally, BP_REJECT_HEADS, 1, 9, 0);
    bp_tally_add(&tally, BP_REJECT_HEADS, 40, 15, 0);
    bp_tally_add(&tally, BP_REJECT_MEMORY, 1, 3, 500);
    bp_tally_add(&tally, BP_REJECT_MEMORY, 1, 4, 200);
    bp_tally_add(&tally, BP_REJECT_MEMORY, 1, 2, 300);
    bp_tally_add(&tally, BP_REJECT_MEMORY, 1, 1, 200);
    bp_tally_add(&tally, BP_REJECT_COUNT + 63, 1, 8, -4);
    assert_int_equal(tally.slots[BP_REJECT_HEADS].count, 42);
    assert_int_equal(tally.slots[BP_REJECT_HEADS].example, 9);
    assert_int_equal(tally.slots[BP_REJECT_MEMORY].count, 4);
    assert_int_equal(tally.slots[BP_REJECT_MEMORY].example, 1);
    assert_near(tally.slots[BP_REJECT_MEMORY].distance, 200, 0);
    assert_near(tally.slots[BP_REJECT_COUNT + 63].distance, -4, 0);
    assert_int_equal(bp_tally_total(&tally), 47);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topk_equals_sorting),
        cmocka_unit_test(test_topk_of_nothing),
        cmocka_unit_test(test_tally),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
