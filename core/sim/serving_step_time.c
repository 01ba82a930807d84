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

/* The device's time where all groups are as full as one with this piece and so many running, of `context` in all. */
static double device_s(struct bp_pool *p, const struct bp_piece *piece, double running,
                       double context, const struct experts *e) {
    const struct bp_infer_case *c = &p->serve;
    double groups = (double)p->groups, draft_tokens = (double)c->in.plan.draft_tokens;
    double prompts = groups * piece->prompts, tokens = groups * piece->tokens;
    double all = groups * running, rows = bp_infer_verified(c, all);
    double device = dense_s(p, prompts, tokens, rows) + e->model_s +
                    head_s(p, rows + groups * (double)piece->complete);
    if (running > 0) {
        device += bp_infer_decode(c, all, context / running, piece->tokens > 0);
    }
    if (piece->tokens > 0) {
        device += bp_infer_prefill(c, prompts, tokens, piece->past / piece->prompts);
        device += bp_infer_inputs(c, groups * piece->starts);
    }
    if (draft_tokens > 0 && running > 0) {
        device +=
            draft_tokens * ((dense_s(p, 0, 0, all) + e->draft_s) / c->layers + head_s(p, all));
    }
    return device;
}

/* Of so many in all groups. */
static struct experts experts_of(struct bp_pool *p, double prompts, double tokens, double running) {
    int drafts = p->serve.in.plan.draft_tokens > 0 && running > 0;
    struct experts e = {
        experts_s(p, prompts, tokens, bp_infer_verified(&p->serve, running)),
        drafts ? experts_s(p, 0, 0, running) : 0,
    };
    return e;
}

/* Every layer waits for the slowest group; the fullest one decides whether a captured graph holds the step. */
double bp_serving_step_s(const struct bp_replica *r, int with, double steps) {
    struct bp_pool *p = r->pool;
    double prompts = 0, tokens = 0, all = 0, most = 0, most_rows = 0, device = 0;
    double groups = (double)p->groups;
    struct experts e;
    int32_t i;
    for (i = 0; i < p->groups; i++) {
        const struct bp_group *g = &r->groups[i];
        double running = with ? (double)g->running : 0;
        prompts += g->piece.prompts;
        tokens += g->piece.tokens;
        all += running;
        most = fmax(most, running);
        most_rows = fmax(most_rows, g->piece.tokens + bp_infer_verified(&p->serve, running));
    }
    e = experts_of(p, prompts, tokens, all);
    for (i = 0; i < p->groups; i++) {
        const struct bp_group *g = &r->groups[i];
        double running = with ? (double)g->running : 0;
        double growth = running * p->serve.advance;
        double context = g->context + 0.5 * growth * (steps - 1);
        device = fmax(device, device_s(p, &g->piece, running, context, &e));
    }
    /* Of the fullest group those rows that do not decode, and some prompt in any case. */
    if (tokens > 0) {
        tokens = groups * fmax(1, most_rows - bp_infer_verified(&p->serve, most));
    }
    return bp_infer_host(&p->serve, device, tokens, groups * most);
}

double bp_serving_lone_step_s(struct bp_pool *p, double context) {
    const struct bp_piece none = {0, 0, 0, 0, 0, 0};
    struct experts e = experts_of(p, 0, 0, 1);
    double all = (double)p->groups;
    return bp_infer_host(&p->serve, device_s(p, &none, 1, context, &e), 0, all);
}
