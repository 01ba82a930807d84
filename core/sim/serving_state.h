/* The state of a serving simulation: replicas, their attention groups with who waits and who runs, and what comes when. */
#ifndef BP_SIM_SERVING_STATE_H
#define BP_SIM_SERVING_STATE_H

#include "random.h"
#include "serving.h"

/* Step times that are kept by number of tokens; beyond that they are computed each time. */
enum { BP_KEPT_TOKENS = 16384, BP_NONE = -1 };

/* Decode steps that say what one takes at present: few prompts among them change it little (assumption). */
#define BP_RECENT_STEPS 64.0

/* First in, first out; linked through `after` of the requests. */
struct bp_line {
    int32_t first, last;
    size_t count;
};

/* Replicas of one pool: the same plan, the same times of steps, the same room. */
struct bp_pool {
    struct bp_infer_case serve;
    double *dense, *experts, *head; /* parts of a step by rows or tokens; < 0: not yet known */
    double told;                    /* tokens of a replica's KV pool, of requests of mean length */
    double tokens, beside;          /* of an attention group's, as bp_infer_room has them */
    double shared;                  /* tokens that all prompts begin with, held once beside these */
    double budget, room;            /* of a group: tokens of a step; sequences at one time */
    int32_t groups;                 /* of a replica */
    int32_t begin, end;             /* its replicas */
    int32_t turn;                   /* round robin: who is next */
    int prompts_only;
};

/* The prompts of one step of an attention group. */
struct bp_piece {
    double prompts, tokens, past;
    size_t complete; /* how many end with this step; their numbers are behind the running */
    double admitted;
    double starts; /* prompts whose first piece this is */
};

/* What a replica is doing. */
enum bp_doing { BP_IDLE, BP_PROMPTS, BP_LEAP };

enum bp_condition { BP_UP, BP_STARTING, BP_DRAINING, BP_OFF, BP_BROKEN };

/*
** An attention group of a replica: who waits for it and who runs in it, in a KV pool of its own. Groups step together. A
** replica whose attention is not in groups is one.
*/
struct bp_group {
    struct bp_pool *pool;
    struct bp_replica *replica;
    struct bp_line waiting;       /* seen by the engine */
    int32_t *heap;                /* running sequences, the one done first on top */
    size_t running;               /* of them */
    int32_t partial;              /* prompt that is cut, or BP_NONE */
    int32_t oldest, latest;       /* running, by admission */
    int32_t cache_old, cache_new; /* blocks nobody uses, the least recently used first */
    double context;               /* tokens that all running sequences look back on */
    double used, peak;            /* tokens of the pool */
    double cached;                /* tokens of blocks nobody uses */
    double shared, sending;       /* of used: blocks of prefixes; prompts that move elsewhere */
    double promised;              /* tokens of the pool for those on their way from another */
    int64_t coming;               /* how many they are */
    int64_t in_flight;            /* requests it has */
    int full;                     /* who waits has no place */
    struct bp_piece piece;        /* of the step under way */
};

struct bp_replica {
    struct bp_pool *pool;
    struct bp_group *groups;
    struct bp_line pending; /* sent, not yet seen; in order of ready_s */
    int64_t tick;           /* decode steps so far */
    int64_t polled;         /* tick at the last look for new requests */
    int64_t waited;         /* steps that prompts have waited for company */
    double now, last_ready_s, step_s;
    double last_s, before_s; /* what the last step took, and the one before */
    double lately_s,
        lately;     /* seconds of the last decode steps, prompts between them too; how many */
    double most;    /* sequences in places at one time */
    int64_t coming; /* on their way from another pool */
    /* The step, or leap of equal decode steps, under way. */
    enum bp_doing doing;
    int with; /* the running sequences decode in it too */
    int after_prompt;
    double seconds, steps; /* of one step; how many */
    double lone_seconds;   /* of the first step of a leap */
    /* Its part in the fleet. */
    enum bp_condition condition;
    double change_s; /* when it is up, or fails */
    double ordered_s, paid_s;
    int64_t in_flight; /* requests it has */
    double busy_s, running_s;
    int64_t preemptions, engine_steps;
    double event_s; /* when the step ends, or the next request is seen; INFINITY: nothing to do */
    size_t place;   /* in the heap of replicas */
};

enum bp_what { BP_SENDS, BP_MOVED };

/* What will happen to a request. */
struct bp_due {
    double at_s;
    int64_t order; /* of equal times, the earlier made first */
    int32_t id, what;
};

/* A block, or the tokens of a session, in the cache of one group. */
struct bp_cached {
    int32_t tokens, users, before, after;
};

struct bp_serving_work {
    const struct bp_serving_in *in;
    const struct bp_serving_source *source;
    struct bp_request *requests;
    size_t count, stream, left; /* stream: next that arrives by itself; left: not yet answered */
    int closed;
    /*
    ** Of a closed loop whose rates count no drain: when the last request was handed out, and what the replicas had done by
    ** then. From then on a client that has its answer has nothing to ask, so that no rate counts what comes later; nor what
    ** came until from_s, when as many had been answered as there are clients, all of which began together.
    */
    struct {
        double from_s, at_s, busy_s, running_s, link_busy_s;
    } closing;
    double token_bytes;      /* of the KV cache, all devices */
    struct bp_pool pools[2]; /* for all or decode; for prefill */
    struct bp_replica *replicas;
    int32_t replica_count;
    struct bp_group *groups; /* of all replicas, one after another */
    int32_t group_count;
    int32_t *order;     /* heap of replicas by event_s */
    struct bp_due *due; /* heap by time */
    size_t due_count;
    int64_t due_made;
    struct bp_line gate;     /* at the router */
    struct bp_line leaving;  /* computed prompts that wait for room in the other pool */
    struct bp_cached *cache; /* key * group_count + group */
    size_t keys;
    double now_s, arrived; /* arrived: requests since the last look of the autoscaler */
    double link_free_s, link_busy_s;
    double next_change_s, next_look_s, high_since_s, low_since_s;
    int32_t low_most, high_least;
    struct bp_random routing, failing;
    double cached_tokens, prompt_tokens;
    double *values; /* room for the sums */
    int64_t starts, failed, retried, lost;
    int32_t paid, peak_paid;
};

/* serving_lists.c */
void bp_line_clear(struct bp_line *l);
void bp_line_push(struct bp_request *requests, struct bp_line *l, int32_t id);
void bp_line_push_front(struct bp_request *requests, struct bp_line *l, int32_t id);
int32_t bp_line_pop(struct bp_request *requests, struct bp_line *l);
/* Running sequences: a heap by the decode step that finishes them, and a list by admission. */
void bp_running_add(struct bp_request *requests, struct bp_group *g, int32_t id);
void bp_running_remove(struct bp_request *requests, struct bp_group *g, size_t at);

/* Sums over the groups of a replica. */
static inline double bp_groups_running(const struct bp_replica *r) {
    size_t running = r->groups[0].running;
    int32_t i;
    for (i = 1; i < r->pool->groups; i++) {
        running += r->groups[i].running;
    }
    return (double)running;
}

static inline double bp_groups_waiting(const struct bp_replica *r) {
    size_t waiting = r->groups[0].waiting.count;
    int32_t i;
    for (i = 1; i < r->pool->groups; i++) {
        waiting += r->groups[i].waiting.count;
    }
    return (double)waiting;
}

/* Whether somebody waits for each of them. */
static inline int bp_groups_all_wait(const struct bp_replica *r) {
    int all = r->groups[0].waiting.count > 0;
    int32_t i;
    for (i = 1; all && i < r->pool->groups; i++) {
        all = r->groups[i].waiting.count > 0;
    }
    return all;
}

/* serving_groups.c */
/* Most of q's prompt that is in the cache of one of them. */
int32_t bp_groups_hit(const struct bp_serving_work *w, const struct bp_replica *r,
                      const struct bp_request *q);
/* The group that gets a request of the replica: where routing says so by its session or its prefix, else with the fewest. */
struct bp_group *bp_groups_deal(const struct bp_serving_work *w, const struct bp_replica *r,
                                const struct bp_request *q);

/* serving_events.c: replicas by their next event, requests by what is due. */
void bp_event_set(struct bp_serving_work *w, struct bp_replica *r, double at_s);
struct bp_replica *bp_event_first(struct bp_serving_work *w);
void bp_due_push(struct bp_serving_work *w, double at_s, int32_t id, enum bp_what what);
struct bp_due bp_due_pop(struct bp_serving_work *w);
double bp_due_first_s(const struct bp_serving_work *w);

/*
** serving_step_time.c: seconds of a step of all groups, of so many steps in the mean: with their prompts, and `with` their
** running sequences.
*/
double bp_serving_step_s(const struct bp_replica *r, int with, double steps);
/* What a lone sequence's step takes: the time per output token before there are any. */
double bp_serving_lone_step_s(struct bp_pool *p, double context);

/* serving_cache.c: prefixes that stay in the pool of a group. Tokens of q's prompt that are there: */
int32_t bp_cache_hit(const struct bp_serving_work *w, const struct bp_request *q, int32_t group);
/* Of its blocks, the tokens that others use now (they cost no room). */
double bp_cache_shared(const struct bp_serving_work *w, const struct bp_request *q, int32_t group);
/* q is admitted: its blocks are in use. It leaves: they stay until the room is needed. */
void bp_cache_take(struct bp_serving_work *w, int32_t group, int32_t id);
void bp_cache_keep(struct bp_serving_work *w, int32_t group, int32_t id);
void bp_cache_drop(struct bp_serving_work *w, int32_t group,
                   int32_t id); /* the same, of no use later */
void bp_cache_make_room(struct bp_serving_work *w, struct bp_group *g);
void bp_cache_clear(struct bp_serving_work *w, struct bp_group *g);

/*
** serving_admit.c: which prompts a step takes. Tokens in whole blocks of a request that has so many, beside those of its prompt
** that all prompts begin with.
*/
double bp_admit_own(const struct bp_pool *p, const struct bp_request *q, double tokens);
/* What a sequence holds from its admission on; one that is not reserved for grows beyond it. */
double bp_admit_tokens(const struct bp_pool *p, const struct bp_request *q);
/* The same of one that is in, without the blocks that it shares. */
double bp_admit_held(const struct bp_pool *p, const struct bp_request *q);
int bp_admit_reserves(const struct bp_pool *p); /* room for the whole answer, from the start */
void bp_admit_look(struct bp_serving_work *w,
                   struct bp_replica *r);      /* for requests, if it is time */
int bp_admit_holds_back(struct bp_replica *r); /* prompts that wait for company */
void bp_admit_gather(struct bp_serving_work *w, struct bp_group *g, double budget);

/* serving_engine.c */
void bp_engine_reset(struct bp_replica *r);
/* What the step under way brought; then the next one, or none. */
void bp_engine_complete(struct bp_serving_work *w, struct bp_replica *r);
void bp_engine_begin(struct bp_serving_work *w, struct bp_replica *r);
/* A request has come while a leap is under way: it ends earlier. */
void bp_engine_cut_leap(struct bp_serving_work *w, struct bp_replica *r);
/* All that is in flight, called once each, the replica left empty. */
void bp_engine_spill(struct bp_serving_work *w, struct bp_replica *r);

/* serving_router.c */
/* All at w->now_s. */
void bp_router_send(struct bp_serving_work *w, int32_t id);
/* A client of a closed loop sends the next request there is, at at_s. */
void bp_router_next_client(struct bp_serving_work *w, double at_s);
void bp_router_answered(struct bp_serving_work *w, int32_t id);
void bp_router_move(struct bp_serving_work *w, int32_t id); /* to the other pool */
void bp_router_moved(struct bp_serving_work *w, int32_t id);
/* Whoever waits at the gate, or for the other pool, while there is a place. */
void bp_router_open(struct bp_serving_work *w);
/* One that was on its way is admitted: its room is no longer promised. */
void bp_router_arrived(struct bp_serving_work *w, struct bp_request *q);
void bp_router_failed(struct bp_serving_work *w, int32_t id);

/* serving_scale.c: starts, drains, failures. */
void bp_scale_open(struct bp_serving_work *w);
double bp_scale_next_s(const struct bp_serving_work *w);
void bp_scale_run(struct bp_serving_work *w);
void bp_scale_left(struct bp_serving_work *w, struct bp_replica *r); /* a request has left it */
void bp_scale_close(struct bp_serving_work *w);

/* serving_sum.c: means and percentiles; `values` has room for a number per request. */
void bp_serving_sum(const struct bp_serving_work *w, double *values, struct bp_serving_out *out);

#endif
