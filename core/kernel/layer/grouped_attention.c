#include "kernel/layer/layer.h"

/*
** Attention with as many key/value heads as query heads (MHA, arXiv:1706.03762) or fewer (GQA,
** arXiv:2305.13245), with or without a sliding window. Queries may pass through a low rank, the output
** through one for each group of heads (DeepSeek-V4 inference code, 2026).
*/

/* Rotary embedding, elements of queries and keys. */
static double rotated(const struct bp_model *m) {
    return (double)((m->heads + m->kv_heads) * m->head_dim);
}

/* What differs between layers with and without window. */
struct heads {
    double kv, qk, v, window;
    int shared; /* one projection is key and value */
};

static void add_output(struct bp_layer *list, const struct bp_model *m, double count,
                       double width) {
    double h = (double)m->hidden, rank = (double)m->o_lora_rank, groups = (double)m->o_groups;
    if (m->o_lora_rank == 0) {
        bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_ROWS, count, width, h);
        return;
    }
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_GROUPS, count, width / groups, rank)->groups =
        groups;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_ROWS, count, groups * rank, h);
}

/* Queries, keys and values in one matmul; a compressed query is unpacked in a second one. */
static void add_projections(struct bp_layer *list, const struct bp_model *m, double count,
                            const struct heads *s) {
    double h = (double)m->hidden, rank = (double)m->q_lora_rank;
    double query = (double)m->heads * s->qk * (m->attention_gate ? 2 : 1);
    struct bp_op_matmul *first =
        bp_add_matmul(list, BP_ROLE_MIXER, rank > 0 ? BP_DEAL_WHOLE : BP_DEAL_COLUMNS, count, h,
                      rank > 0 ? rank : query);
    first->kv_heads = s->kv;
    first->kv_width = s->qk + (s->shared ? 0 : s->v);
    if (rank > 0) {
        bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_COLUMNS, count, rank, query);
    }
    add_output(list, m, count, (double)m->heads * s->v);
    list->one_pass = m->q_lora_rank > 0 || m->o_lora_rank > 0;
}

/* Norms, biases and sinks; query and key norms scale with the head's width. */
static void add_vectors(struct bp_layer *list, const struct bp_model *m, double count,
                        const struct heads *s) {
    double a = (double)m->heads, query = a * s->qk * (m->attention_gate ? 2 : 1);
    double params = (double)m->q_lora_rank;
    params +=
        m->qkv_bias ? query + s->kv * ((m->key_bias ? s->qk : 0) + (s->shared ? 0 : s->v)) : 0;
    params += m->out_bias ? (double)m->hidden : 0;
    params += (double)(m->qk_norm_dim + m->k_norm_dim) * s->qk / (double)m->head_dim;
    params += m->attention_sinks ? a : 0;
    bp_add_weights(list, BP_ROLE_MIXER, count, params);
}

static void add_scores(struct bp_layer *list, const struct bp_model *m, double count,
                       const struct heads *s) {
    struct bp_op_attention *op = bp_add_attention(list, count);
    op->heads = (double)m->heads;
    op->kv_heads = op->cached_heads = s->kv;
    op->qk_dim = s->qk;
    op->v_dim = s->v;
    op->window = s->window;
    op->selected = m->index_layers > 0 && s->window == 0 ? (double)m->index_topk : 0;
    op->cached_width = s->qk + (s->shared ? 0 : s->v);
    op->score_width = s->qk + s->v;
}

/* Queries, keys, values and the output of attention, which is the input of the projection. */
static void add_kept(struct bp_layer *list, const struct bp_model *m, double count,
                     const struct heads *s) {
    double a = (double)m->heads;
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * s->qk);
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, s->kv * (s->qk + s->v))
        ->heads = s->kv;
    bp_add_kept(list, BP_KEPT_CORE, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * s->v);
    bp_add_kept(list, BP_KEPT_COPY, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * s->v);
}

/*
** Output times the sigmoid of a gate that is as wide: both are read and kept, the product is the projection's input
** (Qiu et al., arXiv:2505.06708 (2025), section 2).
*/
static void add_gate(struct bp_layer *list, const struct bp_model *m, double count,
                     const struct heads *s) {
    double width = (double)m->heads * s->qk;
    bp_add_pass(list, BP_PASS_GATED, BP_ROLE_MIXER, count, width);
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, 2 * width);
}

static void add(struct bp_layer *list, const struct bp_model *m, double count,
                const struct heads *s) {
    if (m->kv_lora_rank > 0) {
        bp_add_mla(list, m, count, s->window);
        return;
    }
    add_projections(list, m, count, s);
    add_vectors(list, m, count, s);
    add_scores(list, m, count, s);
    add_kept(list, m, count, s);
    bp_add_pass(list, BP_PASS_ROTATE, BP_ROLE_MIXER, count, rotated(m));
    if (m->attention_gate) {
        add_gate(list, m, count, s);
    }
    list->mixers += count;
    list->mixer_syncs += count;
}

void bp_add_windowed(struct bp_layer *list, const struct bp_model *m, double count) {
    struct heads s = {(double)m->kv_heads, (double)m->head_dim, (double)m->v_head_dim,
                      (double)m->sliding_window, m->shared_kv};
    add(list, m, count, &s);
}

void bp_add_global(struct bp_layer *list, const struct bp_model *m, double count) {
    double d = (double)m->global_head_dim;
    struct heads s = {(double)m->global_kv_heads, d,
                      d * (double)m->v_head_dim / (double)m->head_dim, 0,
                      m->shared_kv || m->global_shared_kv};
    add(list, m, count, &s);
}
