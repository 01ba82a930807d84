/* Threads: the answer of one, whatever their number and wherever the search is cut. */
#include "search_fixture.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/workers.h"

enum { WORKERS = 5 };

struct answer {
    struct bp_found found;
    struct bp_topk_entry top[TOP];
    struct bp_front_entry front[FRONT];
};

static struct bp_worker *workers;
static struct bp_topk_entry tops[WORKERS][TOP];
static struct bp_front_entry fronts[WORKERS][FRONT];

static void ask(void) {
    set_up();
    vary_usual();
    VARY("sequence_parallel", 0, 1);
    VARY("overlap_dp", 0, 1);
    VARY("overlap_tp", 0, 1);
    VARY("grad_bytes", 2, 4);
    VARY("flash", 0, 1);
    f.search.objectives[1] = BP_OBJECTIVE_HEADROOM_BYTES;
    f.search.objectives_count = 2;
}

static void search_with(size_t count, uint64_t step, struct answer *answer) {
    struct bp_found_room room = {answer->top, TOP, answer->front, FRONT};
    struct bp_error err;
    uint64_t begin;
    size_t i;
    for (i = 0; i < count; i++) {
        workers[i].room = (struct bp_found_room){tops[i], TOP, fronts[i], FRONT};
    }
    memset(answer, 0, sizeof *answer);
    bp_found_init(&answer->found, &room, -INFINITY);
    bp_workers_init(&f.search, workers, count, -INFINITY);
    for (begin = 0; begin < f.space.size; begin += step) {
        uint64_t end = f.space.size - begin > step ? begin + step : f.space.size;
        assert_int_equal(bp_workers_run(&f.search, workers, count, begin, end, &err), BP_OK);
    }
    bp_workers_collect(workers, count, &answer->found);
    bp_topk_sort(&answer->found.topk);
    bp_front_sort(&answer->found.front);
}

static void assert_same(const struct answer *a, const struct answer *b) {
    assert_int_equal(a->found.evaluated, b->found.evaluated);
    assert_int_equal(a->found.feasible, b->found.feasible);
    assert_int_equal(a->found.duplicates, b->found.duplicates);
    assert_memory_equal(&a->found.tally, &b->found.tally, sizeof a->found.tally);
    assert_memory_equal(a->top, b->top, sizeof a->top);
    assert_int_equal(a->found.front.count, b->found.front.count);
    assert_memory_equal(a->front, b->front, a->found.front.count * sizeof *a->front);
}

static struct answer one, many;

static void test_any_number_of_threads(void **state) {
    size_t count;
    (void)state;
    ask();
    search_with(1, f.space.size, &one);
    assert_true(one.found.feasible > 1000);
    for (count = 2; count <= WORKERS; count++) {
        search_with(count, f.space.size, &many);
        assert_same(&one, &many);
        search_with(count, 3001, &many);
        assert_same(&one, &many);
    }
}

/* A user who may start nothing more, as whoever is root could still: the limit is none for root. */
static void take_threads_away(void) {
    const struct rlimit none = {0, 0};
    const uid_t nobody = 65534;
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(nobody) != 0)) {
        _exit(2);
    }
}

static void test_without_threads(void **state) {
    int status = 0;
    pid_t child;
    (void)state;
    ask();
    search_with(1, f.space.size, &one);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        take_threads_away();
        search_with(WORKERS, 3001, &many);
        assert_same(&one, &many);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_threads_with_bounds(void **state) {
    (void)state;
    ask();
    f.search.objectives_count = 1;
    search_with(1, f.space.size, &one);
    f.search.threshold = one.top[9].rank;
    search_with(1, f.space.size, &one);
    assert_true(one.found.tally.slots[BP_TALLY_BOUNDED].count > 0);
    search_with(3, 3001, &many);
    assert_same(&one, &many);
}

/* A price that makes every estimate infinite fails at the same place for all. */
static void test_first_failure(void **state) {
    struct bp_error err;
    size_t count;
    (void)state;
    ask();
    f.search.terms.usd_h = INFINITY;
    f.search.objectives[0] = BP_OBJECTIVE_STEP_USD;
    for (count = 1; count <= 3; count += 2) {
        bp_workers_init(&f.search, workers, count, -INFINITY);
        assert_int_equal(bp_workers_run(&f.search, workers, count, 0, f.space.size, &err),
                         BP_EDOMAIN);
        assert_string_equal(err.field, "plan");
    }
}

/*
** What a thread needs is this struct and its room: no part of a search allocates, so a space of any
** size takes no more.
*/
static void test_memory_of_a_thread(void **state) {
    struct bp_walk walk;
    (void)state;
    assert_true(sizeof(struct bp_worker) <= 6 << 20);
    set_up();
    VARY("dp", 0, 1, 2, 4, 8, 16);
    vary_usual();
    VARY("schedule", 0, 1, 2, 3, 4, 5, 6);
    VARY("optimizer", 0, 1, 2, 3, 4, 5, 6, 7);
    VARY("offload", 0, 1, 2);
    VARY("flash", 0, 1);
    VARY("grad_bytes", 2, 4);
    VARY("sequence_parallel", 0, 1);
    VARY("recompute_share", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
    VARY("split", 0, 1);
    bp_walk_init(&walk, &f.space);
    memset(&workers[1].memo, 0x5a, sizeof workers[1].memo);
    bp_memo_init(&workers[0].memo, &walk);
    assert_int_equal(((const unsigned char *)&workers[1].memo)[0], 0x5a);
}

static int make_workers(void **state) {
    (void)state;
    workers = malloc(WORKERS * sizeof *workers);
    return workers ? 0 : -1;
}

static int free_workers(void **state) {
    (void)state;
    free(workers);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads), cmocka_unit_test(test_without_threads),
        cmocka_unit_test(test_threads_with_bounds),   cmocka_unit_test(test_first_failure),
        cmocka_unit_test(test_memory_of_a_thread),
    };
    return cmocka_run_group_tests(tests, make_workers, free_workers);
}
