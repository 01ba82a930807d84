/* What stays of prompts that are over: sessions with their history, blocks of traces, the oldest gone first. */
#include "serving_run.h"

#include "sim/random.h"

/*
** Three turns of 10 tokens in and 5 out: prompts of 10, 25 and 40. All that was said is in the cache of
** the lone replica, so that each turn computes 10 of its prompt.
*/
static void test_session(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_CLOSED);
    struct run r;
    (void)state;
    in.load.requests = 3;
    in.load.turns = 3;
    in.load.think_s = 5;
    r = simulate(&in, NULL, 0);
    assert_int_equal(r.requests[1].input, 25);
    assert_int_equal(r.requests[2].input, 40);
    assert_int_equal(r.requests[1].cached, 15);
    assert_int_equal(r.requests[2].cached, 30);
    assert_near(r.out.cached_frac, 45.0 / 75, 1e-9);
    assert_true(r.requests[1].arrival_s > r.requests[0].done_s);
    free(r.requests);
    in.engine.prefix_cache = 0;
    r = simulate(&in, NULL, 0);
    assert_int_equal(r.requests[2].cached, 0);
    free(r.requests);
}

/* Where sessions go back to, their history is; lots drawn among four find a part of it. */
static void test_affinity(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    double session, prefix, lots;
    (void)state;
    in.replicas = 4;
    in.load.requests = 20000;
    in.load.turns = 5;
    in.load.think_s = 1;
    in.load.rate_per_s = 200;
    in.routing = BP_ROUTING_SESSION;
    session = summary(&in).cached_frac;
    in.routing = BP_ROUTING_PREFIX;
    prefix = summary(&in).cached_frac;
    in.routing = BP_ROUTING_RANDOM;
    lots = summary(&in).cached_frac;
    assert_near(prefix, session, 1e-9);
    /* Prompts of 10 to 70, 200 in all; of them 0 + 15 + 30 + 45 + 60 said before. */
    assert_near(session, 150.0 / 200, 1e-6);
    assert_true(lots < 0.7 * session && lots > 0.2 * session);
}

/* A pool without room to spare keeps less of what was said; never more is held than there is. */
static void test_eviction(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_serving_out out;
    double last = 0;
    int64_t tokens;
    (void)state;
    in.engine.block_tokens = 1;
    in.load.requests = 20000;
    in.load.turns = 5;
    in.load.think_s = 1;
    in.load.rate_per_s = 200;
    for (tokens = 200; tokens <= 51200; tokens *= 4) {
        in.pool_tokens = (double)tokens;
        out = summary(&in);
        assert_true(out.cached_frac > last - 1e-12);
        assert_true(out.pool_peak_frac <= 1 + 1e-9);
        last = out.cached_frac;
        if (tokens == 200) {
            assert_true(out.cached_frac < 0.3);
        }
    }
    assert_near(last, 150.0 / 200, 1e-6);
}

/*
** Blocks of 10 tokens. The second request shares two of three blocks with the first, the third all
** three of its whole blocks, of 35 tokens; the fourth shares the second block but not what is before.
*/
static void test_blocks(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    const int32_t blocks[] = {0, 1, 2, 0, 1, 3, 0, 1, 2, 4, 5, 1, 2};
    const size_t first[] = {0, 3, 6, 10, 13};
    struct bp_request trace[4];
    struct bp_serving_source source = {0};
    struct run r;
    (void)state;
    in.load.block_tokens = 10;
    trace[0] = request(0, 30, 2);
    trace[1] = request(1, 30, 2);
    trace[2] = request(2, 35, 2);
    trace[3] = request(3, 30, 2);
    source.count = 4;
    source.trace = trace;
    source.blocks = blocks;
    source.first = first;
    source.distinct = 6;
    r = simulate_source(&in, &source);
    assert_int_equal(r.requests[0].cached, 0);
    assert_int_equal(r.requests[1].cached, 20);
    assert_int_equal(r.requests[2].cached, 30);
    assert_int_equal(r.requests[3].cached, 0);
    free(r.requests);
    /* Room for 48: the third, of 35 and 2, pushes out the oldest it does not use, block 3. */
    in.engine.block_tokens = 1;
    in.pool_tokens = 48;
    r = simulate_source(&in, &source);
    assert_int_equal(r.requests[2].cached, 30);
    assert_true(r.out.pool_peak_frac <= 1);
    free(r.requests);
}

/* Two that run at one time hold the blocks they share once: both find room in what one and a half take. */
static void test_shared_blocks(void **state) {
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    const int32_t blocks[] = {0, 1, 0, 1};
    const size_t first[] = {0, 2, 4};
    struct bp_request trace[2];
    struct bp_serving_source source = {0};
    struct run r;
    (void)state;
    in.load.block_tokens = 10;
    in.engine.block_tokens = 1;
    in.engine.reserve_output = 1;
    in.pool_tokens = 40;
    trace[0] = request(0, 21, 9);
    trace[1] = request(0, 21, 9);
    source.count = 2;
    source.trace = trace;
    r = simulate_source(&in, &source); /* 30 each: one after the other */
    assert_true(r.requests[1].start_s > 8e-3);
    free(r.requests);
    source.blocks = blocks;
    source.first = first;
    source.distinct = 2;
    r = simulate_source(&in, &source); /* 20 together and 10 each */
    assert_near(r.requests[1].start_s, 0, 1e-9);
    assert_near(r.out.pool_peak_frac, 1, 1e-9);
    free(r.requests);
}

/* A cache by itself: blocks in the order of their last use, the oldest first. */
struct lru {
    int32_t list[4096];
    int32_t count;
};

static int32_t place_in(const struct lru *c, int32_t block) {
    int32_t i;
    for (i = 0; i < c->count && c->list[i] != block; i++) {
    }
    return i;
}

static void drop_from(struct lru *c, int32_t block) {
    int32_t i = place_in(c, block);
    if (i < c->count) {
        c->count--;
        memmove(&c->list[i], &c->list[i + 1], (size_t)(c->count - i) * sizeof c->list[0]);
    }
}

/* Blocks a lone request finds of its own, which it then uses; room is for so many tokens of others. */
static int32_t use(struct lru *c, const int32_t *blocks, int32_t count, int32_t room) {
    int32_t hit = 0, i;
    while (hit < count && place_in(c, blocks[hit]) < c->count) {
        hit++;
    }
    for (i = 0; i < count; i++) {
        drop_from(c, blocks[i]);
    }
    while (c->count * 10 > room) {
        drop_from(c, c->list[0]);
    }
    for (i = count - 1; i >= 0; i--) {
        c->list[c->count++] = blocks[i];
    }
    return hit;
}

/*
** Requests that never meet, of four to nine blocks that a tree of prefixes gives: what each finds is
** what a list of blocks by last use has.
*/
static void test_least_recently_used(void **state) {
    enum { COUNT = 2000, MOST = 9, POOL = 600 };
    struct bp_serving_in in = millisecond(BP_ARRIVALS_OPEN);
    struct bp_request *trace = calloc(COUNT, sizeof *trace);
    int32_t *blocks = calloc(COUNT * MOST, sizeof *blocks);
    size_t *first = calloc(COUNT + 1, sizeof *first), i;
    struct bp_serving_source source = {0};
    static struct lru cache;
    struct bp_random random;
    struct run r;
    double hits = 0;
    (void)state;
    bp_random_seed(&random, 7);
    for (i = 0; i < COUNT; i++) {
        int32_t j, node = 0, n = 4 + (int32_t)(6 * (1 - bp_random_unit(&random)));
        for (j = 0; j < n; j++) { /* three children of each, ever less likely shared */
            node = (3 * node + 1 + (int32_t)(3 * (1 - bp_random_unit(&random)))) % 30000;
            blocks[first[i] + (size_t)j] = node;
        }
        first[i + 1] = first[i] + (size_t)n;
        trace[i] = request((double)i, 10 * n + 1, 2);
    }
    source.count = COUNT;
    source.trace = trace;
    source.blocks = blocks;
    source.first = first;
    source.distinct = 30000;
    in.load.block_tokens = 10;
    in.engine.block_tokens = 1;
    in.pool_tokens = POOL;
    r = simulate_source(&in, &source);
    for (i = 0; i < COUNT; i++) {
        int32_t n = (int32_t)(first[i + 1] - first[i]);
        /* Beside its blocks it has its last token and the second of its answer. */
        int32_t hit = use(&cache, &blocks[first[i]], n, POOL - 10 * n - 2);
        assert_int_equal(r.requests[i].cached, 10 * hit);
        hits += hit;
    }
    assert_true(hits > COUNT && hits < 4 * COUNT);
    free(r.requests);
    free(trace);
    free(blocks);
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session),       cmocka_unit_test(test_affinity),
        cmocka_unit_test(test_eviction),      cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_shared_blocks), cmocka_unit_test(test_least_recently_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
