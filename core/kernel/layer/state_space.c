#include "kernel/layer/layer.h"

/*
** Mamba-2: one projection to gate, x, B, C and time step, causal convolution over x, B and C, output
** projection. Dao and Gu, arXiv:2405.21060 (2024), section 7.
*/
void bp_add_state_space(struct bp_layer *list, const struct bp_model *m, double count) {
    double h = (double)m->hidden, heads = (double)m->mamba_heads;
    double inner = heads * (double)m->mamba_head_dim;
    double states = 2 * (double)(m->ssm_groups * m->ssm_state), conv = inner + states;
    double taps = (double)(m->conv_kernel > 0 ? m->conv_kernel - 1 : 0);
    double filter = conv * (double)m->conv_kernel;
    /* A, D and time-step bias; norm before the output */
    double vectors = 3 * heads + inner + (m->conv_bias ? conv : 0);
    double layer = h * (2 * inner + states + heads) + filter + inner * h + vectors;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_COLUMNS, count, h, 2 * inner + states + heads);
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_ROWS, count, inner, h);
    bp_add_weights(list, BP_ROLE_MIXER, count, filter)->multiplies = 1;
    bp_add_weights(list, BP_ROLE_MIXER, count, vectors);
    bp_add_scan(list, count, inner * (double)m->ssm_state, taps * conv, heads);
    bp_add_pass(list, BP_PASS_MIX, BP_ROLE_MIXER, count, conv);
    /* About what attention of the same projections keeps: inputs and outputs of each. */
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, 2 * layer / h);
    list->mixers += count;
    list->mixer_syncs += count;
}
