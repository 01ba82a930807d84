#include "kernel/layer/layer.h"

/*
** Keys of far tokens pooled over ratio tokens: values and gates of width columns (twice where neighbouring
** windows overlap), a learned position per token of the window, a norm. DeepSeek-V4 inference code (2026),
** class Compressor; checked against the published total.
*/
static void add_compressor(struct bp_layer *list, const struct bp_model *m, double count,
                           double width, double ratio, double overlap) {
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, count, (double)m->hidden,
                  2 * overlap * width);
    bp_add_weights(list, BP_ROLE_MIXER, count, ratio * overlap * width + width);
}

/*
** Far keys of an indexed or compressed layer come on top of its window; where nothing is pooled (ratio 1) the
** layer's own keys already are all of them.
*/
static void add_far_keys(struct bp_layer *list, const struct bp_model *m, double count,
                         double ratio) {
    double key = (double)m->head_dim, value = m->shared_kv ? 0 : (double)m->v_head_dim;
    if (m->kv_lora_rank > 0) {
        bp_add_cache(list, count, 1, (double)(m->kv_lora_rank + m->qk_rope_dim), ratio);
    } else {
        bp_add_cache(list, count, (double)m->kv_heads, key + value, ratio);
    }
}

/*
** The indexer scores far keys with small heads: query, one key (or its compressor) and a weight per head.
** DeepSeek-V3.2 technical report (2025), section 2.1, and its inference code. All of it is on every rank.
*/
void bp_add_index(struct bp_layer *list, const struct bp_model *m, double count) {
    double h = (double)m->hidden, n = (double)m->index_heads, d = (double)m->index_dim;
    double from = m->q_lora_rank > 0 ? (double)m->q_lora_rank : h, ratio = (double)m->index_ratio;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, count, from, n * d);
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, count, h, n);
    bp_add_index_scores(list, count, n, d, ratio);
    bp_add_cache(list, count, 1, d, ratio);
    if (m->index_ratio > 1) {
        add_compressor(list, m, count, d, ratio, 2);
        add_compressor(list, m, count, (double)m->head_dim, ratio, 2);
        add_far_keys(list, m, count, ratio);
    } else {
        bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, count, h, d);
        bp_add_weights(list, BP_ROLE_MIXER, count, 2 * d);
    }
}

void bp_add_compress(struct bp_layer *list, const struct bp_model *m, double count) {
    double ratio = (double)m->compress_ratio;
    add_compressor(list, m, count, (double)m->head_dim, ratio, 1);
    if (m->compress_ratio > 1) {
        add_far_keys(list, m, count, ratio);
    }
}
