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
    double rows = ceil(bp_infer_rows(c, prompts, tokens, decoding));
    return kept(p->dense, bp_infer_dense, c, rows) +
           kept(p->experts, bp_infer_experts, c,
                ceil(bp_infer_expert_tokens(c, prompts, tokens, decoding)));
}

static double head_s(struct bp_pool *p, double rows) {
    return kept(p->head, bp_infer_head, &p->serve, rows);
}

double bp_serving_step_s(struct bp_pool *p, const struct bp_piece *piece, double running,
                         double context) {
    const struct bp_infer_case *c = &p->serve;
    double draft_tokens = (double)c->in.plan.draft_tokens, rows = running * (1 + draft_tokens);
    double device =
        dense_s(p, piece->prompts, piece->tokens, rows) + head_s(p, rows + (double)piece->complete);
    if (running > 0) {
        device += bp_infer_decode(c, running, context / running, piece->tokens > 0);
    }
    if (piece->tokens > 0) {
        device += bp_infer_prefill(c, piece->prompts, piece->tokens, piece->past / piece->prompts);
        device += bp_infer_inputs(c, piece->starts);
    }
    if (draft_tokens > 0 && running > 0) {
        device += draft_tokens * (dense_s(p, 0, 0, running) / c->layers + head_s(p, running));
    }
    return bp_infer_host(c, device, piece->tokens, running);
}

double bp_serving_lone_step_s(struct bp_pool *p, double context) {
    const struct bp_piece none = {0, 0, 0, 0, 0, 0};
    return bp_serving_step_s(p, &none, 1, context);
}
