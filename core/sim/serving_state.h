/* The state of a serving simulation: who waits, who runs, and what the engine knows of it. */
#ifndef BP_SIM_SERVING_STATE_H
#define BP_SIM_SERVING_STATE_H

#include "serving.h"

/* Step times that are kept by number of tokens; beyond that they are computed each time. */
enum { BP_KEPT_TOKENS = 16384, BP_NONE = -1 };

/* Rings and heaps of request numbers. */
struct bp_ring {
    int32_t *at;
    size_t capacity, head, count;
};

struct bp_serving_work {
    const struct bp_serving_in *in;
    struct bp_infer_case serve;
    struct bp_request *requests;
    double *dense, *experts, *head; /* parts of a step by rows or tokens; < 0: not yet known */
    struct bp_ring waiting;         /* seen by the engine */
    struct bp_ring pending;         /* sent, not yet seen; in order of ready_s */
    int32_t *heap;                  /* running sequences, the one done first on top */
    size_t count, running, created;
    int32_t partial;        /* prompt that is cut, or BP_NONE */
    int32_t oldest, latest; /* running, by admission */
    int64_t tick;           /* decode steps so far */
    int64_t polled;         /* tick at the last look for new requests */
    int64_t waited;         /* steps that prompts have waited for company */
    double now, busy_s, running_s, last_ready_s, step_s;
    double context; /* tokens that all running sequences look back on */
    double used, pool, peak;
    double budget, room; /* tokens of a step; sequences at one time */
    int64_t preemptions, steps;
};

/* First in, first out; a sequence that was thrown out goes to the front. */
void bp_ring_push(struct bp_ring *r, int32_t id);
void bp_ring_push_front(struct bp_ring *r, int32_t id);
int32_t bp_ring_first(const struct bp_ring *r);
int32_t bp_ring_pop(struct bp_ring *r);

/* Running sequences: a heap by the decode step that finishes them, and a list by admission. */
void bp_running_add(struct bp_serving_work *w, int32_t id);
void bp_running_remove(struct bp_serving_work *w, size_t at);

/* The engine, serving_engine.c. Blocks: tokens in whole blocks. Cached: of a prompt, need no computing. */
double bp_serving_blocks(const struct bp_serving_work *w, double tokens);
int32_t bp_serving_cached(const struct bp_serving_work *w, const struct bp_request *r);
int bp_serving_is_closed(const struct bp_serving_work *w);

/* The next request is sent at `at`, if there is one left. */
void bp_serving_submit_next(struct bp_serving_work *w, double at);

/* What a lone sequence's step takes: the pace of answers before there are any. */
double bp_serving_lone_step(struct bp_serving_work *w);

/* One step, or one run of equal decode steps; whether prompts were in it. */
int bp_serving_step(struct bp_serving_work *w, int after_prompt);

#endif
