#include "kernel/serve/infer_ranks.h"
#include "kernel/serve/infer_step.h"
#include "serving_state.h"

#include <math.h>

static double kept(double *table, double (*time_of)(const struct bp_infer_case *, double),
                   const struct bp_infer_case *c, double tokens) {
    size_t i = (size_t)tokens;
    if (i >= BP_KEPT_TOKENS) {
        return time_of(c, tokens);
    }
    if (!(table[i] >= 0)) {
        table[i] = time_of(c, (double)i);
    }
    return table[i];
}

static double dense_s(struct bp_pool *p, double prompts, double tokens, double decoding) {
    const struct bp_infer_case *c = &p->serve;
    return kept(p->dense, bp_infer_dense, c, ceil(bp_infer_rows(c, prompts, tokens, decoding)));
}

static double experts_s(struct bp_pool *p, double prompts, double tokens, double decoding) {
    const struct bp_infer_case *c = &p->serve;
    if (!(c->moe_layers > 0)) {
        return 0;
    }
    return kept(p->experts, bp_infer_experts, c,
                ceil(bp_infer_expert_tokens(c, prompts, tokens, decoding)));
}

static double head_s(struct bp_pool *p, double rows) {
    return kept(p->head, bp_infer_head, &p->serve, rows);
}

/* What the experts take, which all groups share: in the model, and in the layer that drafts. */
struct experts {
    double model_s, draft_s;
};

/* What the groups of a replica do in a step. */
struct doing {
    double prompts, tokens, past, starts, complete;
    double running, context;
};

static double device_s(struct bp_pool *p, const struct doing *d, const struct experts *e) {
    const struct bp_infer_case *c = &p->serve;
    double draft_tokens = (double)c->in.plan.draft_tokens;
    double rows = bp_infer_verified(c, d->running);
    double device =
        dense_s(p, d->prompts, d->tokens, rows) + e->model_s + head_s(p, rows + d->complete);
    if (d->running > 0) {
        device += bp_infer_decode(c, d->running, d->context / d->running, d->tokens > 0);
    }
    if (d->tokens > 0) {
        device += bp_infer_prefill(c, d->prompts, d->tokens, d->past / d->prompts);
        device += bp_infer_inputs(c, d->starts);
    }
    if (draft_tokens > 0 && d->running > 0) {
        device += draft_tokens *
                  ((dense_s(p, 0, 0, d->running) + e->draft_s) / c->layers + head_s(p, d->running));
    }
    return device;
}

/* Of one group, in the middle of so many steps, times so many. */
static struct doing doing_of(const struct bp_group *g, int with, double steps, double times) {
    const struct bp_piece *p = &g->piece;
    double running = with ? (double)g->running : 0, growth = running * g->pool->serve.advance;
    struct doing d = {times * p->prompts,
                      times * p->tokens,
                      times * p->past,
                      times * p->starts,
                      times * (double)p->complete,
                      times * running,
                      times * (g->context + 0.5 * growth * (steps - 1))};
    return d;
}

static struct doing together(const struct bp_replica *r, int with, double steps) {
    struct doing sum = doing_of(&r->groups[0], with, steps, 1);
    int32_t i;
    for (i = 1; i < r->pool->groups; i++) {
        struct doing d = doing_of(&r->groups[i], with, steps, 1);
        sum.prompts += d.prompts;
        sum.tokens += d.tokens;
        sum.past += d.past;
        sum.starts += d.starts;
        sum.complete += d.complete;
        sum.running += d.running;
        sum.context += d.context;
    }
    return sum;
}

static struct experts experts_of(struct bp_pool *p, const struct doing *d) {
    int drafts = p->serve.in.plan.draft_tokens > 0 && d->running > 0;
    struct experts e = {
        experts_s(p, d->prompts, d->tokens, bp_infer_verified(&p->serve, d->running)),
        drafts ? experts_s(p, 0, 0, d->running) : 0,
    };
    return e;
}

/*
** Groups that share experts wait in every layer for the slowest of them, as if all were as full; the fullest one decides
** whether a captured graph holds the step.
*/
static double lock_step_s(const struct bp_replica *r, int with, double steps,
                          const struct experts *e) {
    const struct bp_infer_case *c = &r->pool->serve;
    double groups = (double)r->pool->groups, device = 0, most = 0, rows = 0, tokens = 0;
    int32_t i;
    for (i = 0; i < r->pool->groups; i++) {
        struct doing d = doing_of(&r->groups[i], with, steps, groups);
        device = fmax(device, device_s(r->pool, &d, e));
        most = fmax(most, d.running);
        rows = fmax(rows, d.tokens + bp_infer_verified(c, d.running));
        tokens += d.tokens;
    }
    return bp_infer_host(c, device, tokens > 0 ? fmax(1, rows - bp_infer_verified(c, most)) : 0,
                         most);
}

/* Groups that share nothing do not wait for each other: what they do is taken as dealt evenly. */
double bp_serving_step_s(const struct bp_replica *r, int with, double steps) {
    struct bp_pool *p = r->pool;
    struct doing all = together(r, with, steps);
    struct experts e = experts_of(p, &all);
    if (p->groups > 1 && p->serve.moe_layers > 0) {
        return lock_step_s(r, with, steps, &e);
    }
    return bp_infer_host(&p->serve, device_s(p, &all, &e), all.tokens, all.running);
}

double bp_serving_lone_step_s(struct bp_pool *p, double context) {
    const struct doing d = {0, 0, 0, 0, 0, 1, context};
    struct experts e = experts_of(p, &d);
    return bp_infer_host(&p->serve, device_s(p, &d, &e), 0, 1);
}
