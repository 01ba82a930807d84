#include "kernel/layer/layer.h"

/*
** Launches that MLA adds to a plain layer's: its low-rank steps, counted in traces of vLLM 0.6.
*/
#define KERNELS 4.0

/*
** Multi-head latent attention: query through q_lora_rank or directly, keys and values through kv_lora_rank
** with a rotary key beside it, one norm on each rank. DeepSeek-V2, arXiv:2405.04434 (2024), section 2.1.
*/
static void add_projections(struct bp_layer *list, const struct bp_model *m, double count) {
    double h = (double)m->hidden, a = (double)m->heads, rope = (double)m->qk_rope_dim;
    double ql = (double)m->q_lora_rank, kl = (double)m->kv_lora_rank;
    double query = a * ((double)m->qk_nope_dim + rope);
    bp_add_matmul(list, BP_ROLE_MIXER, ql > 0 ? BP_DEAL_WHOLE : BP_DEAL_COLUMNS, count, h,
                  ql > 0 ? ql : query);
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, count, h, kl + rope)->joined = 1;
    if (ql > 0) {
        bp_add_matmul(list, BP_ROLE_HEADS, BP_DEAL_COLUMNS, count, ql, query);
    }
    bp_add_matmul(list, BP_ROLE_HEADS, BP_DEAL_COLUMNS, count, kl,
                  a * (double)(m->qk_nope_dim + m->v_head_dim))
        ->absorbed = 1;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_ROWS, count, a * (double)m->v_head_dim, h);
    bp_add_weights(list, BP_ROLE_MIXER, count, ql + kl + (m->out_bias ? h : 0));
}

/* Training multiplies keys of every head; engines fold them into the query and cache one latent key. */
static void add_scores(struct bp_layer *list, const struct bp_model *m, double count,
                       double window) {
    double latent = (double)m->kv_lora_rank, rope = (double)m->qk_rope_dim;
    struct bp_op_attention *op = bp_add_attention(list, count);
    op->heads = op->kv_heads = (double)m->heads;
    op->qk_dim = (double)(m->qk_nope_dim + m->qk_rope_dim);
    op->v_dim = (double)m->v_head_dim;
    op->window = window;
    op->selected = m->index_layers > 0 && window == 0 ? (double)m->index_topk : 0;
    op->cached_heads = 1;
    op->cached_width = latent + rope;
    op->score_width = 2 * latent + rope;
}

/* Heads' queries, keys and values, the output, and the latents with their normed copies on every rank. */
static void add_kept(struct bp_layer *list, const struct bp_model *m, double count) {
    double a = (double)m->heads, qk = (double)(m->qk_nope_dim + m->qk_rope_dim);
    double v = (double)m->v_head_dim;
    double latent = (double)(m->q_lora_rank + m->kv_lora_rank + m->qk_rope_dim);
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_HEADS, count, a * qk + a * (qk + v));
    bp_add_kept(list, BP_KEPT_CORE, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * v);
    bp_add_kept(list, BP_KEPT_COPY, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * v);
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_WHOLE, BP_ROLE_MIXER, count, 2 * latent);
}

/*
** A part of q is rotated in place; keys and values of every head are made from one projection: all of it is
** read, both are written (fused rotation of Megatron Core 0.13, 2025).
*/
static double assembled(const struct bp_model *m) {
    double rotated = 2 * (double)m->qk_rope_dim, made = (double)(m->qk_nope_dim + m->v_head_dim);
    double key = (double)m->qk_rope_dim; /* one for all heads, written to each */
    return (double)m->heads * (rotated + 2 * made + key);
}

void bp_add_mla(struct bp_layer *list, const struct bp_model *m, double count, double window) {
    add_projections(list, m, count);
    add_scores(list, m, count, window);
    add_kept(list, m, count);
    bp_add_pass(list, BP_PASS_ASSEMBLE, BP_ROLE_MIXER, count, assembled(m));
    bp_add_pass(list, BP_PASS_ROTATE_MLA, BP_ROLE_MIXER, count,
                (double)((m->heads + m->kv_heads) * m->head_dim));
    list->mixers += count;
    list->mixer_syncs += count;
    list->kernels += count * KERNELS;
    list->latents += count;
}
