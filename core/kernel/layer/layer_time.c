#include "kernel/layer/layer_time.h"

#include "kernel/layer/elementwise.h"
#include "kernel/train/train_matmul.h"

#include <math.h>

/*
** Bytes per logit: bf16 logits written and read, fp32 copy, maximum, sum, and the gradient on the way
** back. Counted from the operations of an unfused vocabulary-parallel cross-entropy.
*/
#define LOGIT_FORWARD 14.0
#define LOGIT_BACKWARD 8.0

/*
** Matmuls of a chunked state scan per token and value channel, over the state dimension, and the
** share of the 16-bit peak they reach (chunks of 64 to 256 rows): arXiv:2405.21060, section 6.
*/
#define SCAN_FLOP 6.0
#define SCAN_UTILISATION 0.2

/* Queries (where they are compressed), keys and values of every head, from their latent vectors. */
static void add_up(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                   double tokens) {
    const struct bp_model *m = c->model;
    double heads = (double)m->heads / (double)c->plan->tp;
    bp_add_linear(c, sum, share, tokens, heads * (double)(m->qk_nope_dim + m->qk_rope_dim),
                  (double)m->q_lora_rank, 0);
    bp_add_linear(c, sum, share, tokens, heads * (double)(m->qk_nope_dim + m->v_head_dim),
                  (double)m->kv_lora_rank, 0);
}

static void add_mla(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                    double tokens) {
    const struct bp_model *m = c->model;
    double h = (double)m->hidden, heads = (double)m->heads / (double)c->plan->tp;
    double query = m->q_lora_rank > 0 ? (double)m->q_lora_rank
                                      : heads * (double)(m->qk_nope_dim + m->qk_rope_dim);
    bp_add_linear(c, sum, share, tokens, query, h, 0);
    bp_add_linear(c, sum, share, tokens, (double)(m->kv_lora_rank + m->qk_rope_dim), h, 0);
    add_up(c, sum, share, tokens);
    bp_add_linear(c, sum, share, tokens, h, heads * (double)m->v_head_dim, 0);
}

/* One matrix, or one of low rank per group of heads and one back to hidden. */
static void add_output(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                       double tokens, double width) {
    const struct bp_model *m = c->model;
    double h = (double)m->hidden, rank = (double)m->o_lora_rank, all = (double)m->o_groups;
    double groups = all / (double)c->plan->tp;
    if (m->o_lora_rank == 0) {
        bp_add_linear(c, sum, share, tokens, h, width, 0);
        return;
    }
    bp_add_linear(c, sum, share, tokens * groups, rank, width / groups, 0);
    bp_add_linear(c, sum, share, tokens, h, groups * rank, 0);
}

static void add_attention(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                          double tokens) {
    const struct bp_model *m = c->model;
    const struct bp_attention_shape s = bp_case_attention(c, 0);
    double h = (double)m->hidden, rank = (double)m->q_lora_rank;
    double query = s.heads * s.qk_dim * (m->attention_gate ? 2 : 1);
    double key_value = s.kv_heads * (s.qk_dim + (m->shared_kv ? 0 : s.v_dim));
    if (m->kv_lora_rank > 0) {
        add_mla(c, sum, share, tokens);
        return;
    }
    if (m->q_lora_rank > 0) {
        bp_add_linear(c, sum, share, tokens, rank + key_value, h, 0);
        bp_add_linear(c, sum, share, tokens, query, rank, 0);
    } else {
        bp_add_linear(c, sum, share, tokens, query + key_value, h, 0);
    }
    add_output(c, sum, share, tokens, s.heads * s.v_dim);
}

static void add_mlp(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                    double rows, double width, double in, double experts) {
    double first = c->model->gated_mlp ? 2 * width : width;
    bp_add_linear(c, sum, share, rows, first, in, experts);
    bp_add_linear(c, sum, share, rows, in, width, experts);
}

static void add_dense(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                      double tokens, double width) {
    add_mlp(c, sum, share, tokens, width / (double)c->plan->tp, (double)c->model->hidden, 0);
}

/* Routed rows arrive from all ranks of the expert group; the fullest expert sets the pace. */
static void add_routed(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                       double tokens) {
    const struct bp_model *m = c->model;
    double tp = (double)c->plan->tp, etp = (double)c->plan->etp;
    double experts = (double)m->experts / (double)c->plan->ep;
    double rows = tokens / tp * (double)m->topk * etp * c->profile->imbalance / experts;
    double in = (double)(m->moe_latent > 0 ? m->moe_latent : m->hidden);
    add_mlp(c, sum, share, rows, (double)m->moe_ffn / etp, in, experts);
    bp_add_linear(c, sum, share, tokens / tp, (double)m->experts, (double)m->hidden, 0);
    if (m->moe_latent > 0) {
        bp_add_linear(c, sum, share, tokens / tp, (double)m->moe_latent, (double)m->hidden, 0);
        bp_add_linear(c, sum, share, tokens / tp, (double)m->hidden, (double)m->moe_latent, 0);
    }
}

/* Queries, keys, values and gates in one matrix, decay and step in another; and back. */
static void add_linear_mixer(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                             double tokens) {
    const struct bp_model *m = c->model;
    double h = (double)m->hidden, tp = (double)c->plan->tp, heads = (double)m->linear_value_heads;
    double key = (double)(m->linear_key_heads * m->linear_key_dim);
    double value = heads * (double)m->linear_value_dim;
    bp_add_linear(c, sum, share, tokens, 2 * (key + value) / tp, h, 0);
    bp_add_linear(c, sum, share, tokens, 2 * heads / tp, h, 0);
    bp_add_linear(c, sum, share, tokens, h, value / tp, 0);
}

/* Gate, values, B, C and step in one matrix; and back. */
static void add_mamba_mixer(const struct bp_train_case *c, struct bp_matmuls *sum, double share,
                            double tokens) {
    const struct bp_model *m = c->model;
    double h = (double)m->hidden, tp = (double)c->plan->tp, heads = (double)m->mamba_heads;
    double inner = heads * (double)m->mamba_head_dim;
    double states = 2 * (double)(m->ssm_groups * m->ssm_state);
    bp_add_linear(c, sum, share, tokens, (2 * inner + states + heads) / tp, h, 0);
    bp_add_linear(c, sum, share, tokens, h, inner / tp, 0);
}

static struct bp_matmuls layer_matmuls(const struct bp_train_case *c,
                                       const struct bp_layer_kinds *k, double tokens) {
    const struct bp_model *m = c->model;
    struct bp_matmuls sum = {0, 0, 0};
    add_attention(c, &sum, k->attention, tokens);
    add_linear_mixer(c, &sum, k->linear, tokens);
    add_mamba_mixer(c, &sum, k->mamba, tokens);
    add_dense(c, &sum, k->mlp, tokens, (double)m->ffn_hidden);
    if (k->moe > 0) {
        add_routed(c, &sum, k->moe, tokens);
        add_dense(c, &sum, k->moe, tokens, (double)m->shared_ffn);
    }
    return sum;
}

struct core {
    double forward, backward;
};

/*
** Context parallelism in zigzag order: a rank's queries meet one block of keys after the other, cp calls
** that each leave half of a block to be computed under a causal mask. A rank whose window is shorter than
** the sequence computes in one call, on its queries and as many keys before them as the window reaches.
*/
static void add_core(const struct bp_train_case *c, struct core *sum, double share, int windowed) {
    struct bp_attention_shape s = bp_case_attention(c, windowed);
    double cp = (double)c->plan->cp;
    int reaches_all = !(s.window > 0 && s.window < s.seq_kv);
    double calls = reaches_all ? cp : 1;
    double scale = c->profile->attention * share * calls;
    if (share <= 0) {
        return;
    }
    if (cp > 1 && reaches_all) {
        s.seq_q /= cp;
        s.seq_kv /= s.causal ? 2 * cp : cp;
        s.causal = 0;
    } else if (cp > 1) {
        s.seq_q /= cp;
        s.seq_kv = fmin(s.seq_kv, s.seq_q + s.window);
    }
    sum->forward += scale * bp_attention_time(c->device, &s);
    sum->backward +=
        scale * c->profile->attention_backward * bp_attention_backward_time(c->device, &s);
}

/* Scans of linear attention (key x value state per head) and of state-space layers. */
static double scan_time(const struct bp_train_case *c, const struct bp_layer_kinds *k,
                        double tokens) {
    double flop = SCAN_FLOP * tokens / (double)c->plan->tp * bp_scan_state(c->model, k);
    return flop / (c->device->bf16_flop_s * SCAN_UTILISATION);
}

/* Under adapters the weights are frozen: no gradient of theirs. The adapters' own work, rank over
** width of that, is left out. */
static int is_frozen(const struct bp_train_case *c) {
    return c->plan->lora_rank > 0;
}

static struct core layer_core(const struct bp_train_case *c, const struct bp_layer_kinds *k,
                              double tokens) {
    double scan_s = scan_time(c, k, tokens);
    struct core sum = {scan_s, 2 * scan_s};
    add_core(c, &sum, k->attention - k->windowed, 0);
    add_core(c, &sum, k->windowed, 1);
    return sum;
}

static double elementwise_time(const struct bp_train_case *c, double bytes) {
    return bytes * c->profile->elementwise_passes /
           (c->device->mem_bw_bytes_s * c->profile->elementwise);
}

/* Queries, keys and values of MLA's heads, from their latents. */
static double up_time(const struct bp_train_case *c, const struct bp_layer_kinds *k) {
    double tokens = bp_case_tokens(c), e = bp_case_element_bytes(c->plan);
    struct bp_matmuls up = {0, 0, 0};
    if (c->model->kv_lora_rank == 0) {
        return 0;
    }
    add_up(c, &up, k->attention, tokens);
    return up.forward + elementwise_time(c, tokens * e * bp_elements_assembled(c, k));
}

static double mlp_again(const struct bp_train_case *c, double layers, double width) {
    struct bp_matmuls mm = {0, 0, 0};
    add_dense(c, &mm, layers, bp_case_tokens(c), width);
    return mm.forward;
}

static double routed_again(const struct bp_train_case *c, double layers) {
    struct bp_matmuls mm = {0, 0, 0};
    add_routed(c, &mm, layers, bp_case_tokens(c));
    return mm.forward;
}

/* Modules that the plan names, each once: an MLP has its activation function, a MoE layer its experts. */
static double modules_time(const struct bp_train_case *c, const struct bp_layer_kinds *k) {
    const struct bp_elements_parts parts = bp_elements_parts(c, k);
    const struct bp_plan *p = c->plan;
    int shared = p->recompute_moe || p->recompute_shared, act = p->recompute_activation;
    double elements = p->recompute_norms ? parts.norms : 0, matmuls = 0;
    elements += p->recompute_mlp || act ? parts.mlp_act : 0;
    elements += p->recompute_moe || act ? parts.routed_act : 0;
    elements += shared || act ? parts.shared_act : 0;
    if (p->recompute_mlp) {
        matmuls += mlp_again(c, k->mlp, (double)c->model->ffn_hidden);
    }
    if (p->recompute_moe && k->moe > 0) {
        elements += parts.routed;
        matmuls += routed_again(c, k->moe);
    }
    if (shared && k->moe > 0) {
        matmuls += mlp_again(c, k->moe, (double)c->model->shared_ffn);
    }
    return matmuls +
           elementwise_time(c, bp_case_tokens(c) * bp_case_element_bytes(c->plan) * elements);
}

/*
** What selective recomputation does again: the core of attention, which stores its scores; of MLA with a
** fused core, which stores none, the heads' queries, keys and values, the largest tensors of its layer
** (Megatron Core 0.12: recompute module mla_up_proj). Elsewhere a share of all matmuls as well.
*/
static double selective_time(const struct bp_train_case *c, const struct bp_layer_kinds *k,
                             const struct bp_pass_time *forward) {
    double again = bp_case_remakes_heads(c) ? up_time(c, k) : forward->attention;
    return again + c->profile->selective_mlp * forward->matmul;
}

struct bp_compute_time bp_layer_time(const struct bp_train_case *c, struct bp_layer_kinds kinds) {
    double tokens = bp_case_tokens(c), e = bp_case_element_bytes(c->plan);
    struct bp_matmuls mm = layer_matmuls(c, &kinds, tokens);
    struct core core = layer_core(c, &kinds, tokens);
    struct bp_compute_time t;
    t.weight = is_frozen(c) ? 0 : mm.weight_grad;
    t.forward.matmul = mm.forward;
    t.forward.attention = core.forward;
    t.forward.elementwise = elementwise_time(c, tokens * e * bp_elements_forward(c, &kinds));
    t.backward.matmul = mm.input_grad + t.weight;
    t.backward.attention = core.backward;
    t.backward.elementwise = elementwise_time(c, tokens * e * bp_elements_backward(c, &kinds));
    t.modules = bp_plan_remakes(c->plan) ? modules_time(c, &kinds) : 0;
    t.up_proj = c->plan->recompute_up_proj ? up_time(c, &kinds) : 0;
    t.selective = selective_time(c, &kinds, &t.forward);
    return t;
}

/* The hidden state and the embedding of the next token are joined by one matrix. */
struct bp_compute_time bp_mtp_time(const struct bp_train_case *c) {
    struct bp_compute_time t = bp_layer_time(c, bp_case_mtp_layer(c));
    double h = (double)c->model->hidden;
    struct bp_matmuls join = {0, 0, 0};
    bp_add_linear(c, &join, 1, bp_case_tokens(c), h / (double)c->plan->tp, 2 * h, 0);
    t.forward.matmul += join.forward;
    t.selective += c->profile->selective_mlp * join.forward;
    t.backward.matmul += join.input_grad;
    if (!is_frozen(c)) {
        t.weight += join.weight_grad;
        t.backward.matmul += join.weight_grad;
    }
    return t;
}

struct bp_compute_time bp_head_time(const struct bp_train_case *c) {
    const struct bp_model *m = c->model;
    enum bp_dtype dtype = bp_case_head_dtype(c->plan);
    double h = (double)m->hidden, e = bp_case_element_bytes(c->plan);
    double width = bp_case_head_width(c), rows = bp_case_head_rows(c);
    struct bp_compute_time t = {0};
    if (!(width > 0)) {
        return t;
    }
    t.forward.matmul = bp_train_matmul(c, dtype, rows, width, h, e, 0);
    if (!is_frozen(c)) {
        t.weight = bp_train_matmul(c, dtype, width, h, rows, bp_weight_grad_bytes(c), 0);
    }
    t.backward.matmul = bp_train_matmul(c, dtype, rows, h, width, e, 0) + t.weight;
    t.forward.elementwise = elementwise_time(c, LOGIT_FORWARD * rows * width);
    t.backward.elementwise = elementwise_time(c, LOGIT_BACKWARD * rows * width);
    return t;
}

/* A kernel of its own reads the sum and the new gradient, and writes the sum. */
double bp_sum_time(const struct bp_train_case *c, double params) {
    double bytes = bp_case_element_bytes(c->plan) + 2 * (double)c->plan->grad_bytes;
    int apart = c->profile->separate_sums && c->plan->zero < 3 && !is_frozen(c);
    return apart ? bytes * params / (c->device->mem_bw_bytes_s * c->profile->elementwise) : 0;
}
