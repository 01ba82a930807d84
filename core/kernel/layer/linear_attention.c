#include "kernel/layer/layer.h"

/*
** Gated delta net: query, key, value, output gate, two scalars per value head, causal convolution over query,
** key and value. Yang et al., arXiv:2412.06464 (2024); layout of Qwen3-Next.
*/
void bp_add_linear_attention(struct bp_layer *list, const struct bp_model *m, double count) {
    double h = (double)m->hidden, heads = (double)m->linear_value_heads;
    double key = (double)(m->linear_key_heads * m->linear_key_dim);
    double value = heads * (double)m->linear_value_dim, conv = 2 * key + value;
    double taps = (double)(m->conv_kernel > 0 ? m->conv_kernel - 1 : 0);
    double filter = conv * (double)m->conv_kernel;
    /* decay, time step; output norm */
    double vectors = 2 * heads + (double)m->linear_value_dim + (m->conv_bias ? conv : 0);
    double layer = h * (2 * (key + value) + 2 * heads) + filter + value * h + vectors;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_COLUMNS, count, h, 2 * (key + value));
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_COLUMNS, count, h, 2 * heads);
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_ROWS, count, value, h);
    bp_add_weights(list, BP_ROLE_MIXER, count, filter)->multiplies = 1;
    bp_add_weights(list, BP_ROLE_MIXER, count, vectors);
    bp_add_scan(list, count, heads * (double)m->linear_value_dim * (double)m->linear_key_dim,
                taps * conv, heads);
    bp_add_pass(list, BP_PASS_MIX, BP_ROLE_MIXER, count, conv);
    /* About what attention of the same projections keeps: inputs and outputs of each. */
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, 2 * layer / h);
    list->mixers += count;
    list->mixer_syncs += count;
}
