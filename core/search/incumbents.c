#include "incumbents.h"

#include <math.h>

#include "duplicate.h"

/*
** How many plans are tried; all of it is heuristic and none of it changes the answer, only how soon a
** bound bites. About 0.3 s at most.
*/
enum {
    SAMPLES = 65536, /* groups of plans with the same checked fields that are tried */
    TRIES = 4,       /* plans of each that is valid */
    SEEDS = 12,      /* plans from which to climb */
    CLIMBS = 20000,  /* plans looked at from one seed */
};

struct sampling {
    const struct bp_search *search;
    struct bp_found *found;
    struct bp_walk walk;
    struct bp_candidate at;
    struct bp_train_case c; /* of the plan there */
    struct bp_error *err;
    int code;
    uint64_t left; /* plans that may still be looked at */
    struct bp_topk_entry room[SEEDS];
    struct bp_topk seeds; /* index holds the position */
};

static int is_known(const struct bp_topk *topk, uint64_t index) {
    size_t i;
    for (i = 0; i < topk->count && topk->entries[i].index != index; i++) {
    }
    return i < topk->count;
}

static void keep(struct sampling *s) {
    struct bp_topk_entry seed = {s->at.rank, s->walk.position, 0, 0, 0, s->at.time.step_s};
    if (s->at.rank <= bp_topk_worst(&s->found->topk) && !is_known(&s->found->topk, s->at.index)) {
        bp_search_keep(s->search, &s->at, s->found);
    }
    if (!is_known(&s->seeds, seed.index)) {
        bp_topk_offer(&s->seeds, &seed);
    }
}

/* The rank of the plan at a position, INFINITY if it is none that can be kept. */
static double rank_at(struct sampling *s, uint64_t position) {
    enum bp_reject reason;
    if (s->code || s->left == 0) {
        return INFINITY;
    }
    s->left--;
    bp_walk_seek(&s->walk, position);
    s->at.index = s->walk.index;
    s->at.plan = s->walk.plan;
    bp_space_settle(s->search->space, s->search->site.network, &s->at.plan);
    s->code = bp_search_weigh(s->search, &s->at, &reason, s->err);
    if (s->code || reason || bp_is_duplicate(&s->walk, &s->c)) {
        return INFINITY;
    }
    s->code = bp_search_judge(s->search, &s->at, &reason);
    if (s->code || reason || !isfinite(s->at.rank)) {
        return INFINITY;
    }
    keep(s);
    return s->at.rank;
}

static int is_valid(struct sampling *s, uint64_t position) {
    bp_walk_seek(&s->walk, position);
    s->at.plan = s->walk.plan;
    return !bp_search_check(s->search, &s->at.plan, NULL);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A step that visits all of `count` in an order that looks random: near the golden section of it. */
static uint64_t golden_step(uint64_t count) {
    uint64_t step = (uint64_t)(0.6180339887498949 * (double)count) | 1;
    while (common_divisor(step, count) > 1) {
        step += 2;
    }
    return step;
}

static void sample(struct sampling *s) {
    uint64_t run = bp_walk_run(&s->walk, s->walk.checked), groups = s->walk.size / run;
    uint64_t step = golden_step(groups), inner = golden_step(run), n, group = 0, within = 0;
    uint64_t count = groups < SAMPLES ? groups : SAMPLES;
    int i;
    for (n = 0; n < count && !s->code; n++) {
        group = (group + step % groups) % groups;
        if (!is_valid(s, group * run)) {
            continue;
        }
        for (i = 0; i < TRIES; i++) {
            within = (within + inner % run) % run;
            rank_at(s, group * run + within);
        }
    }
}

/* The position with the digits of two dimensions (which may be one) changed. */
static uint64_t moved(const struct bp_walk *walk, uint64_t position, size_t a, size_t x, size_t b,
                      size_t y) {
    const struct bp_walk_dim *first = &walk->dims[a], *second = &walk->dims[b];
    position += (x - position / first->run % first->count) * first->run;
    return position + (y - position / second->run % second->count) * second->run;
}

/* The best of all changes of two dimensions; the position itself when none is better. */
static uint64_t climb_once(struct sampling *s, uint64_t position, double *rank) {
    uint64_t best = position;
    size_t a, b, x, y;
    for (a = 0; a < s->walk.count; a++) {
        for (b = 0; b <= a; b++) {
            size_t rows = a == b ? 1 : s->walk.dims[b].count;
            for (x = 0; x < s->walk.dims[a].count; x++) {
                for (y = 0; y < rows; y++) {
                    uint64_t next = moved(&s->walk, position, b, a == b ? x : y, a, x);
                    double found = next == position ? INFINITY : rank_at(s, next);
                    if (found < *rank) {
                        *rank = found;
                        best = next;
                    }
                }
            }
        }
    }
    return best;
}

static void climb(struct sampling *s, uint64_t position, double rank) {
    uint64_t last;
    s->left = CLIMBS;
    do {
        last = position;
        position = climb_once(s, position, &rank);
    } while (position != last && s->left > 0 && !s->code);
}

int bp_incumbents(struct bp_search *search, struct bp_found *found, struct bp_error *err) {
    struct bp_found_room room = {found->topk.entries, found->topk.capacity, found->front.entries,
                                 found->front.capacity};
    struct bp_topk_entry seeds[SEEDS];
    struct sampling s;
    size_t i, count;
    search->threshold = INFINITY;
    if (search->objectives_count > 1 || found->topk.capacity > BP_INCUMBENTS_TOP ||
        bp_search_floor(search, 1) == -INFINITY) {
        return BP_OK;
    }
    s.search = search;
    s.found = found;
    s.c = search->site;
    s.c.plan = &s.at.plan;
    s.err = err;
    s.code = BP_OK;
    s.left = (uint64_t)SAMPLES * TRIES;
    bp_walk_init(&s.walk, search->space);
    bp_topk_init(&s.seeds, s.room, SEEDS);
    sample(&s);
    bp_topk_sort(&s.seeds);
    count = s.seeds.count;
    for (i = 0; i < count; i++) {
        seeds[i] = s.room[i];
    }
    bp_topk_init(&s.seeds, s.room, SEEDS);
    for (i = 0; i < count && !s.code; i++) {
        climb(&s, seeds[i].index, seeds[i].rank);
    }
    search->threshold = bp_topk_worst(&found->topk);
    bp_found_init(found, &room, found->mark);
    return s.code;
}
