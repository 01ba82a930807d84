#include "serving_state.h"

#include <math.h>

/*
** What a group keeps of prompts and answers that are over, until the room is needed. Of sessions: one
** entry per session and group, the first tokens of what was said. Of traces with blocks: an entry per
** block and group, which many requests may use at one time.
*/
static struct bp_cached *entry(const struct bp_serving_work *w, int32_t group, int32_t key) {
    return &w->cache[(size_t)key * (size_t)w->group_count + (size_t)group];
}

/* Entries are named by key in the lists of a group. */
static void link_newest(const struct bp_serving_work *w, int32_t group, int32_t key) {
    struct bp_group *g = &w->groups[group];
    struct bp_cached *e = entry(w, group, key);
    e->before = g->cache_new;
    e->after = BP_NONE;
    if (g->cache_new != BP_NONE) {
        entry(w, group, g->cache_new)->after = key;
    } else {
        g->cache_old = key;
    }
    g->cache_new = key;
    g->cached += (double)e->tokens;
}

static void unlink_entry(const struct bp_serving_work *w, int32_t group, int32_t key) {
    struct bp_group *g = &w->groups[group];
    struct bp_cached *e = entry(w, group, key);
    if (e->before != BP_NONE) {
        entry(w, group, e->before)->after = e->after;
    } else {
        g->cache_old = e->after;
    }
    if (e->after != BP_NONE) {
        entry(w, group, e->after)->before = e->before;
    } else {
        g->cache_new = e->before;
    }
    g->cached -= (double)e->tokens;
}

/* Whole blocks of the trace that a request begins with. */
static int32_t block_count(const struct bp_serving_work *w, const struct bp_request *q) {
    size_t id = (size_t)(q - w->requests);
    double listed, whole = floor((double)q->input / w->in->load.block_tokens);
    if (!w->source->blocks) {
        return 0;
    }
    listed = (double)(w->source->first[id + 1] - w->source->first[id]);
    return (int32_t)fmin(listed, whole);
}

static int32_t block(const struct bp_serving_work *w, const struct bp_request *q, int32_t i) {
    return w->source->blocks[w->source->first[q - w->requests] + (size_t)i];
}

int32_t bp_cache_hit(const struct bp_serving_work *w, const struct bp_request *q, int32_t group) {
    double hit = w->in->load.prefix_tokens;
    if (w->keys > 0 && q->session >= 0) {
        hit = fmax(hit, (double)entry(w, group, q->session)->tokens);
    } else if (w->keys > 0) {
        int32_t i, count = block_count(w, q);
        for (i = 0; i < count && entry(w, group, block(w, q, i))->tokens > 0; i++) {
        }
        hit = fmax(hit, (double)i * w->in->load.block_tokens);
    }
    return (int32_t)fmin(hit, (double)q->context - 1); /* the last token is always computed */
}

double bp_cache_shared(const struct bp_serving_work *w, const struct bp_request *q, int32_t group) {
    double tokens = 0;
    int32_t i, count = w->keys > 0 && q->session < 0 ? block_count(w, q) : 0;
    for (i = 0; i < count; i++) {
        const struct bp_cached *e = entry(w, group, block(w, q, i));
        tokens += e->users > 0 ? w->in->load.block_tokens : 0;
    }
    return tokens;
}

static void take_block(struct bp_serving_work *w, int32_t group, int32_t key) {
    struct bp_group *g = &w->groups[group];
    struct bp_cached *e = entry(w, group, key);
    if (e->users++ > 0) {
        return;
    }
    if (e->tokens > 0) {
        unlink_entry(w, group, key);
    }
    e->tokens = (int32_t)w->in->load.block_tokens;
    g->used += (double)e->tokens;
    g->shared += (double)e->tokens;
}

void bp_cache_take(struct bp_serving_work *w, int32_t group, int32_t id) {
    struct bp_request *q = &w->requests[id];
    int32_t i, count, own;
    if (w->keys == 0) {
        return;
    }
    if (q->session >= 0) {
        struct bp_cached *e = entry(w, group, q->session);
        if (e->tokens > 0) {
            unlink_entry(w, group, q->session);
            e->tokens = 0;
        }
        return;
    }
    count = block_count(w, q);
    own = (int32_t)((double)count * w->in->load.block_tokens);
    q->held -= own;
    w->groups[group].used -= (double)own;
    for (i = 0; i < count; i++) {
        take_block(w, group, block(w, q, i));
    }
}

/* Ends first: a prefix is of no use without its beginning. */
static void leave_blocks(struct bp_serving_work *w, int32_t group, const struct bp_request *q) {
    struct bp_group *g = &w->groups[group];
    int32_t i;
    for (i = block_count(w, q) - 1; i >= 0; i--) {
        int32_t key = block(w, q, i);
        struct bp_cached *e = entry(w, group, key);
        if (--e->users == 0) {
            g->used -= (double)e->tokens;
            g->shared -= (double)e->tokens;
            link_newest(w, group, key);
        }
    }
}

void bp_cache_drop(struct bp_serving_work *w, int32_t group, int32_t id) {
    if (w->keys > 0 && w->requests[id].session < 0) {
        leave_blocks(w, group, &w->requests[id]);
    }
}

void bp_cache_keep(struct bp_serving_work *w, int32_t group, int32_t id) {
    struct bp_request *q = &w->requests[id];
    if (w->keys == 0) {
        return;
    }
    if (q->session < 0) {
        leave_blocks(w, group, q);
        return;
    }
    if (entry(w, group, q->session)->tokens > 0) {
        unlink_entry(w, group, q->session);
    }
    entry(w, group, q->session)->tokens =
        q->input + (w->groups[group].pool->prompts_only ? 0 : q->output);
    link_newest(w, group, q->session);
    bp_cache_make_room(w, &w->groups[group]);
}

/* The least recently used go first; of a session as much of its end as is needed. */
void bp_cache_make_room(struct bp_serving_work *w, struct bp_group *g) {
    int32_t group = (int32_t)(g - w->groups);
    while (g->cache_old != BP_NONE && g->used + g->cached > g->pool->tokens) {
        int32_t key = g->cache_old;
        struct bp_cached *e = entry(w, group, key);
        double over = ceil(g->used + g->cached - g->pool->tokens);
        if (!w->source->blocks && over < (double)e->tokens) {
            e->tokens -= (int32_t)over;
            g->cached -= over;
            return;
        }
        unlink_entry(w, group, key);
        e->tokens = 0;
    }
}

void bp_cache_clear(struct bp_serving_work *w, struct bp_group *g) {
    int32_t group = (int32_t)(g - w->groups);
    while (g->cache_old != BP_NONE) {
        int32_t key = g->cache_old;
        unlink_entry(w, group, key);
        entry(w, group, key)->tokens = 0;
    }
}
