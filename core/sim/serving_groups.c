#include "serving_state.h"

int32_t bp_groups_hit(const struct bp_serving_work *w, const struct bp_replica *r,
                      const struct bp_request *q) {
    int32_t i, best = 0, first = (int32_t)(r->groups - w->groups);
    for (i = 0; i < r->pool->groups; i++) {
        int32_t hit = bp_cache_hit(w, q, first + i);
        best = hit > best ? hit : best;
    }
    return best;
}

/* Requests it has, and those whose KV cache is on its way to it. */
static int64_t has(const struct bp_group *g) {
    return g->in_flight + g->coming;
}

/* Most of the prompt in the cache when that is asked for, then fewest in flight; of equal ones the first. */
static struct bp_group *least(const struct bp_serving_work *w, const struct bp_replica *r,
                              const struct bp_request *q, int by_prefix) {
    int32_t i, first = (int32_t)(r->groups - w->groups);
    int32_t best_hit = by_prefix ? bp_cache_hit(w, q, first) : 0;
    struct bp_group *best = r->groups;
    for (i = 1; i < r->pool->groups; i++) {
        struct bp_group *g = &r->groups[i];
        int32_t hit = by_prefix ? bp_cache_hit(w, q, first + i) : 0;
        if (hit > best_hit || (hit == best_hit && has(g) < has(best))) {
            best = g;
            best_hit = hit;
        }
    }
    return best;
}

struct bp_group *bp_groups_deal(const struct bp_serving_work *w, const struct bp_replica *r,
                                const struct bp_request *q) {
    int of_session = w->in->routing == BP_ROUTING_SESSION;
    int by_prefix = w->in->routing == BP_ROUTING_PREFIX || (of_session && r->pool->prompts_only);
    if (r->pool->groups == 1) {
        return r->groups;
    }
    if (of_session && q->session >= 0 && !q->opens && q[-1].group != BP_NONE &&
        w->groups[q[-1].group].replica == r) {
        return &w->groups[q[-1].group];
    }
    return least(w, r, q, by_prefix && !q->whole);
}
