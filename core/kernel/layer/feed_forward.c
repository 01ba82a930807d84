#include "kernel/layer/layer.h"

/* Launches that a MoE layer adds: routing, permuting and combining; its experts' are in their curve. */
#define MOE_KERNELS 2.0

static double first_columns(const struct bp_model *m, double width) {
    return m->gated_mlp ? 2 * width : width;
}

/* First matmul's output, and the activation function's, which is the input of the second matmul. */
static void add_kept(struct bp_layer *list, const struct bp_model *m, enum bp_role role,
                     enum bp_kept_where where, double count, double width) {
    bp_add_kept(list, BP_KEPT_ACTIVATED, where, role, count, first_columns(m, width));
    bp_add_kept(list, BP_KEPT_ACTIVATION, where, role, count, width);
}

void bp_add_feed_forward(struct bp_layer *list, const struct bp_model *m, enum bp_role role,
                         double count, double width) {
    double h = (double)m->hidden, first = first_columns(m, width);
    bp_add_matmul(list, role, BP_DEAL_COLUMNS, count, h, first);
    bp_add_matmul(list, role, BP_DEAL_ROWS, count, width, h);
    bp_add_weights(list, role, count, m->mlp_bias ? first + h : 0);
    bp_add_pass(list, m->gated_mlp ? BP_PASS_GATED : BP_PASS_PLAIN, role, count, width);
    add_kept(list, m, role, BP_KEPT_RANKS, count, width);
}

void bp_add_mlp(struct bp_layer *list, const struct bp_model *m, double count) {
    bp_add_feed_forward(list, m, BP_ROLE_MLP, count, (double)m->ffn_hidden);
    list->mlps += count;
    list->mlp_syncs += count;
}

static void add_expert_matmul(struct bp_layer *list, const struct bp_model *m, enum bp_deal deal,
                              double count, double in, double out) {
    struct bp_op_matmul *op = bp_add_matmul(list, BP_ROLE_EXPERT, deal, count, in, out);
    op->experts = (double)m->experts;
    op->topk = (double)m->topk;
}

/*
** A routed token: its permuted copy and the expert's inside. Probabilities are applied with the activation
** function (Megatron Core 0.11, 2025), so the expert's output is not kept; the fp32 scores of all experts are.
*/
static void add_routed(struct bp_layer *list, const struct bp_model *m, double count, double in) {
    double width = (double)m->moe_ffn, topk = (double)m->topk;
    double first = first_columns(m, width);
    add_expert_matmul(list, m, BP_DEAL_COLUMNS, count, in, first);
    add_expert_matmul(list, m, BP_DEAL_ROWS, count, width, in);
    bp_add_weights(list, BP_ROLE_EXPERT, count, m->mlp_bias ? first + in : 0)->experts =
        (double)m->experts;
    bp_add_pass(list, BP_PASS_PERMUTE, BP_ROLE_EXPERT, count, topk * in);
    bp_add_pass(list, m->gated_mlp ? BP_PASS_GATED : BP_PASS_PLAIN, BP_ROLE_EXPERT, count,
                topk * width);
    bp_add_kept(list, BP_KEPT_INPUT, BP_KEPT_VISITS, BP_ROLE_EXPERT, count, in);
    add_kept(list, m, BP_ROLE_EXPERT, BP_KEPT_SLICES, count, width);
}

static void add_router(struct bp_layer *list, const struct bp_model *m, double count) {
    double experts = (double)m->experts;
    bp_add_matmul(list, BP_ROLE_ROUTER, BP_DEAL_TOKENS, count, (double)m->hidden, experts);
    bp_add_weights(list, BP_ROLE_ROUTER, count, m->router_bias ? experts : 0);
    bp_add_pass(list, BP_PASS_ROUTE, BP_ROLE_EXPERT, count, experts);
    bp_add_kept(list, BP_KEPT_SCORE, BP_KEPT_SEQUENCE, BP_ROLE_ROUTER, count, experts);
}

static void add_shared(struct bp_layer *list, const struct bp_model *m, double count) {
    bp_add_feed_forward(list, m, BP_ROLE_SHARED, count, (double)m->shared_ffn);
    bp_add_weights(list, BP_ROLE_SHARED, count, m->shared_gate ? (double)m->hidden : 0)
        ->multiplies = 1;
    list->shared_syncs += count;
}

void bp_add_moe(struct bp_layer *list, const struct bp_model *m, double count) {
    double h = (double)m->hidden, latent = (double)m->moe_latent;
    add_routed(list, m, count, latent > 0 ? latent : h);
    add_router(list, m, count);
    if (m->moe_latent > 0) {
        bp_add_matmul(list, BP_ROLE_LATENT, BP_DEAL_TOKENS, count, h, latent);
        bp_add_matmul(list, BP_ROLE_LATENT, BP_DEAL_TOKENS, count, latent, h);
    }
    if (m->shared_ffn > 0) {
        add_shared(list, m, count);
    }
    list->moes += count;
    list->kernels += count * MOE_KERNELS;
}
