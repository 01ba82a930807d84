#include "kernel/serve/infer_ranks.h"

#include <math.h>

static double share(double rows, double parts) {
    return parts > 1 ? fmax(rows / parts, fmin(rows, 1)) : rows;
}

/* Rows of one rank. */
double bp_infer_share_of(const struct bp_infer_case *c, double rows) {
    return share(rows, (double)(c->in.plan.dp * c->in.plan.cp * c->in.plan.pp));
}

/* Sequences that a rank attends to; of context-parallel ones each has a part of every sequence. */
double bp_infer_attended(const struct bp_infer_case *c, double sequences) {
    return share(sequences, (double)(c->in.plan.dp * c->in.plan.pp)) / (double)c->in.plan.cp;
}

double bp_infer_batches(const struct bp_infer_case *c) {
    return (double)(c->in.plan.dp * c->in.plan.pp);
}

double bp_infer_graph_tokens(const struct bp_infer_case *c) {
    return (double)c->in.engine.graph_tokens * bp_infer_batches(c) * (double)c->in.plan.cp;
}

double bp_infer_verified(const struct bp_infer_case *c, double sequences) {
    return sequences * (1 + (double)c->in.plan.draft_tokens);
}

/* Prompts of the fullest of so many parts, over all of them; one that is alone keeps its part busy. */
static double fullest(double prompts, double parts) {
    return fmax(1, prompts / parts) / prompts;
}

/* Of attention groups. */
double bp_infer_fullest_group(const struct bp_infer_case *c, double prompts) {
    return fullest(prompts, (double)c->in.plan.dp);
}

/* Of micro-batches of groups: a prompt, or a piece of one, is in one stage at a time and goes through all of them. */
double bp_infer_fullest_batch(const struct bp_infer_case *c, double prompts) {
    return fullest(prompts, (double)(c->in.plan.dp * c->in.plan.pp));
}

double bp_infer_rows(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                     double decode_rows) {
    double rows = bp_infer_share_of(c, decode_rows);
    if (prompts > 0) {
        rows += prompt_tokens * bp_infer_fullest_batch(c, prompts) / (double)c->in.plan.cp;
    }
    return rows;
}

double bp_infer_expert_tokens(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                              double decode_rows) {
    double stages = (double)c->in.plan.pp, tokens = share(decode_rows, stages);
    return prompts > 0 ? tokens + prompt_tokens * fullest(prompts, stages) : tokens;
}
