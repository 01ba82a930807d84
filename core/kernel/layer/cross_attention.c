#include "kernel/layer/layer.h"

/* What a projector leaves is as wide as the decoder. */
static double width_read(const struct bp_model *m) {
    int own = m->encoder.layers > 0 && m->encoder.projector_layers == 0;
    return (double)(own ? m->encoder.hidden : m->hidden);
}

/*
** Attention of an encoder-decoder's decoder to the encoder's output: queries of every token, keys and values of
** cross_tok tokens, made once a sequence and cached. Vaswani et al., arXiv:1706.03762 (2017), section 3.2.3.
** Its norm is in norms_per_layer; its biases are as in the layer's own attention, but for the key's, which
** encoder-decoders of this kind leave out (Whisper, T5 has none at all).
*/
void bp_add_cross_attention(struct bp_layer *list, const struct bp_model *m, double count) {
    double h = (double)m->hidden, a = (double)m->heads, kv = (double)m->kv_heads;
    double d = (double)m->head_dim, v = (double)m->v_head_dim, tok = (double)m->cross_tok;
    double read = width_read(m);
    struct bp_op_kept *kept;
    struct bp_op_matmul *keys;
    struct bp_op_attention *op = bp_add_attention(list, count);
    op->heads = a;
    op->kv_heads = op->cached_heads = kv;
    op->qk_dim = d;
    op->v_dim = v;
    op->others = tok;
    op->cached_width = op->score_width = d + v;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_COLUMNS, count, h, a * d);
    keys = bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_COLUMNS, count, read, 0);
    keys->kv_heads = kv;
    keys->kv_width = d + v;
    keys->others = tok;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_ROWS, count, a * v, h);
    bp_add_weights(list, BP_ROLE_MIXER, count,
                   (m->qkv_bias ? a * d + kv * v : 0) + (m->out_bias ? h : 0));
    /* Input of the norm and of the query, queries, output; keys and values of the encoder's tokens. */
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_SEQUENCE, BP_ROLE_MIXER, count, h);
    bp_add_kept(list, BP_KEPT_INPUT, BP_KEPT_SEQUENCE, BP_ROLE_MIXER, count, h);
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * (d + v));
    bp_add_kept(list, BP_KEPT_COPY, BP_KEPT_RANKS, BP_ROLE_MIXER, count, a * v);
    kept = bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, kv * (d + v));
    kept->heads = kv;
    kept->others = tok;
    list->mixers += count;
    list->mixer_syncs += count;
    list->kernels += count * 4; /* norm, query, attention, output */
}
