#include "kernel/layer/elementwise.h"

/* What the elementwise kernels of one direction move per token, in elements of each width. */
struct traffic {
    double stream, gated, plain, router, mixer, state;
};

/*
** stream: from the operations of a pre-norm layer, each of two norms reads and writes h, each of two
** residual additions reads 2 h and writes h; backward of a norm reads its input and the gradient and
** writes one, additions are free.
**
** gated, plain: the activation function reads the first matmul's output and writes its own; backward
** also the gradient.
**
** router: fp32 scores of all experts are scaled, biased, selected from, masked, summed for the balance
** loss and sorted into a map: ten passes of two elements each, half of them again backward (counted from
** the operations of Megatron Core's router).
**
** mixer: convolution, scan, gate and norm of a linear-attention or state-space mixer each read and write
** the values and what the scan mixes them with; backward about twice.
**
** state: a scan goes chunk by chunk. fp32 states at the chunks' ends are written, summed up (read and
** written) and read; backward makes them again and does the same with their gradients, which three of
** its kernels read (counted from the kernels of state-spaces/mamba, ssd_combined).
*/
static const struct traffic forward = {
    .stream = 10, .gated = 3, .plain = 2, .router = 20, .mixer = 8, .state = 8};
static const struct traffic backward = {
    .stream = 8, .gated = 5, .plain = 3, .router = 10, .mixer = 14, .state = 20};

/* Tokens of a chunk, as Megatron Core sets it. */
#define CHUNK 128.0

/* Of `stream` forward, what two norms read and write. */
#define NORMS 4.0

/* Rotary embedding reads and writes q and k, each way. */
#define ROTARY 2.0

/* Width of a linear-attention mixer, values and keys, and of a state-space one. */
static double linear_width(const struct bp_model *m) {
    return (double)(m->linear_value_heads * m->linear_value_dim +
                    2 * m->linear_key_heads * m->linear_key_dim);
}

static double mamba_width(const struct bp_model *m) {
    return (double)(m->mamba_heads * m->mamba_head_dim + 2 * m->ssm_groups * m->ssm_state);
}

double bp_scan_state(const struct bp_model *m, const struct bp_layer_kinds *kinds) {
    return kinds->linear *
               (double)(m->linear_value_heads * m->linear_value_dim * m->linear_key_dim) +
           kinds->mamba * (double)(m->mamba_heads * m->mamba_head_dim * m->ssm_state);
}

/*
** What is rotated or put together before the core of attention, one way. MLA rotates a part of q in
** place, and makes keys and values of every head from one projection: reads all of it, writes both (fused
** rotation of Megatron Core 0.13, 2025).
*/
static double assembled(const struct bp_model *m) {
    if (m->kv_lora_rank > 0) {
        double rotated = 2 * (double)m->qk_rope_dim,
               made = (double)(m->qk_nope_dim + m->v_head_dim);
        double key = (double)m->qk_rope_dim; /* one for all heads, written to each */
        return (double)m->heads * (rotated + 2 * made + key);
    }
    return ROTARY * (double)((m->heads + m->kv_heads) * m->head_dim);
}

/* Routed tokens are permuted and combined at the width the experts work on. */
static double moe_elements(const struct bp_train_case *c, const struct traffic *moved, double act) {
    const struct bp_model *m = c->model;
    double width = (double)(m->moe_latent > 0 ? m->moe_latent : m->hidden);
    return c->profile->moe_passes * (double)m->topk * width + moved->router * (double)m->experts +
           act * (double)(m->topk * m->moe_ffn + m->shared_ffn);
}

/* Two sub-layers make a layer. */
static double sublayer_pairs(const struct bp_layer_kinds *k) {
    return (k->attention + k->linear + k->mamba + k->mlp + k->moe) / 2;
}

/* A layer of two sub-layers has two norms and two additions, one of a single sub-layer one each. */
static double elements(const struct bp_train_case *c, const struct bp_layer_kinds *k,
                       const struct traffic *moved) {
    const struct bp_model *m = c->model;
    double tp = (double)c->plan->tp, split = c->plan->sequence_parallel ? tp : 1;
    double act = m->gated_mlp ? moved->gated : moved->plain;
    double mixed = moved->mixer * (k->linear * linear_width(m) + k->mamba * mamba_width(m)) +
                   moved->state * bp_scan_state(m, k) / CHUNK;
    double mixers = c->profile->mixer_passes * mixed;
    double moe = k->moe > 0 ? k->moe * moe_elements(c, moved, act) : 0;
    return sublayer_pairs(k) * moved->stream * (double)m->hidden / split +
           (mixers + k->attention * assembled(m) + k->mlp * act * (double)m->ffn_hidden + moe) / tp;
}

double bp_elements_assembled(const struct bp_train_case *c, const struct bp_layer_kinds *kinds) {
    return kinds->attention * assembled(c->model) / (double)c->plan->tp;
}

struct bp_elements_parts bp_elements_parts(const struct bp_train_case *c,
                                           const struct bp_layer_kinds *k) {
    const struct bp_model *m = c->model;
    double tp = (double)c->plan->tp, act = m->gated_mlp ? forward.gated : forward.plain;
    struct bp_elements_parts parts = {0, 0, 0, 0, 0};
    parts.norms =
        sublayer_pairs(k) * NORMS * (double)m->hidden / (c->plan->sequence_parallel ? tp : 1);
    parts.mlp_act = k->mlp * act * (double)m->ffn_hidden / tp;
    if (k->moe > 0) {
        parts.routed_act = k->moe * act * (double)(m->topk * m->moe_ffn) / tp;
        parts.shared_act = k->moe * act * (double)m->shared_ffn / tp;
        parts.routed = k->moe * moe_elements(c, &forward, 0) / tp;
    }
    return parts;
}

double bp_elements_forward(const struct bp_train_case *c, const struct bp_layer_kinds *kinds) {
    return elements(c, kinds, &forward);
}

double bp_elements_backward(const struct bp_train_case *c, const struct bp_layer_kinds *kinds) {
    return elements(c, kinds, &backward);
}
