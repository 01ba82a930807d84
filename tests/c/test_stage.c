/* How layers are dealt out to pipeline stages. */
#include "kernel/schedule/stage.h"
#include "near.h"

#include <math.h>

struct cut {
    int64_t layers, pp, first, second, before_last, last;
};

/* Left-over layers go to stages 1 .. pp-2, then 0, then pp-1. */
static const struct cut cuts[] = {
    {126, 8, 15, 16, 16, 15}, /* 126 = 8*15 + 6: the six middle stages take one more */
    {126, 16, 7, 8, 8, 7},    /* 126 = 16*7 + 14: the fourteen middle ones */
    {126, 4, 31, 32, 32, 31}, /* 126 = 4*31 + 2 */
    {126, 9, 14, 14, 14, 14}, /* even */
    {127, 8, 16, 16, 16, 15}, /* 7 left over: the middle and the first */
    {61, 16, 3, 4, 3, 3},     /* 61 = 16*3 + 13: stages 1..13 */
    {80, 1, 80, 80, 80, 80},  {81, 2, 41, 40, 41, 40}, /* no middle: the first */
    {4, 6, 0, 1, 1, 0}, /* embedding and head stand in for a layer each */
    {4, 5, 1, 1, 1, 0},
};

static void test_by_hand(void **state) {
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const struct cut *c = &cuts[i];
        assert_int_equal(bp_stage_layers(c->layers, c->pp, 0), c->first);
        assert_int_equal(bp_stage_layers(c->layers, c->pp, c->pp > 1 ? 1 : 0), c->second);
        assert_int_equal(bp_stage_layers(c->layers, c->pp, c->pp > 1 ? c->pp - 2 : 0),
                         c->before_last);
        assert_int_equal(bp_stage_layers(c->layers, c->pp, c->pp - 1), c->last);
    }
}

static void test_all_layers_are_dealt(void **state) {
    int64_t layers, pp, stage;
    (void)state;
    for (layers = 1; layers <= 130; layers++) {
        for (pp = 1; pp <= layers + 2; pp++) {
            int64_t sum = 0;
            for (stage = 0; stage < pp; stage++) {
                int64_t here = bp_stage_layers(layers, pp, stage);
                assert_true(here == layers / pp || here == layers / pp + 1);
                sum += here;
            }
            assert_int_equal(sum, layers);
        }
    }
}

/* The ends carry embedding and head, so neither ever has more layers than a stage between them. */
static void test_ends_never_have_more(void **state) {
    int64_t layers, pp;
    (void)state;
    for (layers = 1; layers <= 130; layers++) {
        for (pp = 3; pp <= layers + 2; pp++) {
            int64_t second = bp_stage_layers(layers, pp, 1);
            assert_true(bp_stage_layers(layers, pp, 0) <= second);
            assert_true(bp_stage_layers(layers, pp, pp - 1) <= bp_stage_layers(layers, pp, 0));
        }
    }
}

/*
** Sixteen layers and a head worth four: 20/2 = 10 is reached by the tenth layer and passed by the
** eleventh; quarters 5, 10, 15 leave the last stage nothing but the head; eighths of 2.5 give 3, 3, 2...
*/
static void test_equal_work(void **state) {
    static const int64_t quarters[] = {6, 5, 5, 0}, eighths[] = {3, 3, 2, 3, 2, 3, 0, 0};
    int64_t i;
    (void)state;
    assert_int_equal(bp_stage_layers_by_work(16, 1, 0, 4), 16);
    assert_int_equal(bp_stage_layers_by_work(16, 2, 0, 4), 11);
    assert_int_equal(bp_stage_layers_by_work(16, 2, 1, 4), 5);
    for (i = 0; i < 4; i++) {
        assert_int_equal(bp_stage_layers_by_work(16, 4, i, 4), quarters[i]);
    }
    for (i = 0; i < 8; i++) {
        assert_int_equal(bp_stage_layers_by_work(16, 8, i, 4), eighths[i]);
    }
}

static void test_equal_work_deals_all(void **state) {
    int64_t layers, pp, stage;
    (void)state;
    for (layers = 1; layers <= 60; layers++) {
        for (pp = 1; pp <= layers + 2; pp++) {
            int64_t sum = 0;
            for (stage = 0; stage < pp; stage++) {
                int64_t own = bp_stage_layers_by_work(layers, pp, stage, 3.7);
                assert_true(own >= 0);
                sum += own;
            }
            assert_int_equal(sum, layers);
        }
    }
}

static void check_ends(int64_t layers, int64_t pp, int64_t first, int64_t last, int64_t middle) {
    int64_t stage, sum = 0;
    for (stage = 0; stage < pp; stage++) {
        int64_t here = bp_stage_layers_by_ends(layers, pp, stage, first, last);
        int64_t given = stage == 0 ? first : stage == pp - 1 ? last : 0;
        assert_int_equal(here, given > 0 ? given : middle);
        sum += here;
    }
    assert_int_equal(sum, layers);
}

/* By hand; 126 layers: Llama 3.1 405B, arXiv:2407.21783, section 3.3.2, a layer less on both ends. */
static void test_ends(void **state) {
    (void)state;
    check_ends(126, 16, 7, 7, 8);
    check_ends(38, 4, 10, 8, 10);
    check_ends(38, 4, 0, 8, 10);
    check_ends(40, 4, 13, 0, 9);
    check_ends(40, 2, 25, 15, 0);
    check_ends(40, 2, 0, 15, 25);
}

/*
** DeepSeek-V3's 61 layers before a tail of four (one to predict with, two heads of 1.5): NVIDIA
** runs 16, 8, 4 and 2 stages as 4..4 1, 8..8 5, 16 16 16 13 and 32 29.
*/
static void test_before_a_tail(void **state) {
    static const int64_t cuts_of_61[4][3] = {{16, 4, 1}, {8, 8, 5}, {4, 16, 13}, {2, 32, 29}};
    int i;
    (void)state;
    for (i = 0; i < 4; i++) {
        int64_t pp = cuts_of_61[i][0];
        assert_int_equal(bp_stage_layers_before(61, pp, 0, 4), cuts_of_61[i][1]);
        assert_int_equal(bp_stage_layers_before(61, pp, pp - 2, 4), cuts_of_61[i][1]);
        assert_int_equal(bp_stage_layers_before(61, pp, pp - 1, 4), cuts_of_61[i][2]);
    }
    assert_int_equal(bp_stage_layers_before(61, 1, 0, 4), 61);
    assert_int_equal(bp_stage_layers_before(4, 6, 0, 9), 0); /* more stages than layers */
    assert_int_equal(bp_stage_layers_before(4, 6, 5, 9), 4);
}

/* No other number of layers on the stages before the last makes the slowest one shorter. */
static void test_no_cut_is_shorter(void **state) {
    int64_t layers, pp, each;
    (void)state;
    for (layers = 1; layers <= 70; layers++) {
        for (pp = 2; pp <= layers; pp++) {
            int64_t own = bp_stage_layers_before(layers, pp, 0, 2.5);
            int64_t last = bp_stage_layers_before(layers, pp, pp - 1, 2.5);
            double slowest = fmax((double)own, (double)last + 2.5);
            assert_int_equal(own * (pp - 1) + last, layers);
            assert_true(last >= 0);
            for (each = 0; each * (pp - 1) <= layers; each++) {
                double rest = (double)(layers - each * (pp - 1));
                assert_true(slowest <= fmax((double)each, rest + 2.5));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_work),
        cmocka_unit_test(test_equal_work_deals_all),
        cmocka_unit_test(test_before_a_tail),
        cmocka_unit_test(test_no_cut_is_shorter),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_all_layers_are_dealt),
        cmocka_unit_test(test_ends_never_have_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
