#include "kernel/time/layer_time.h"

#include "kernel/count/adapters.h"
#include "kernel/time/attention_time.h"
#include "kernel/time/elementwise.h"
#include "kernel/time/train_matmul.h"

#include <math.h>

/*
** Bytes per logit: bf16 logits written and read, fp32 copy, maximum, sum, and the gradient on the way
** back. Counted from the operations of an unfused vocabulary-parallel cross-entropy.
*/
#define LOGIT_FORWARD 14.0
#define LOGIT_BACKWARD 8.0

/*
** Share of the memory bandwidth that one pass over gigabytes reaches, where the mean kernel of a layer reaches
** common.elementwise: recalled of copies on A100 and H100 (0.85 to 0.92).
*/
#define LOGIT_BANDWIDTH 0.88

/*
** Matmuls of a chunked state scan per token and value channel, over the state dimension, and the
** share of the 16-bit peak they reach (chunks of 64 to 256 rows): arXiv:2405.21060, section 6.
*/
#define SCAN_FLOP 6.0
#define SCAN_UTILISATION 0.2

/*
** Routed rows arrive from all ranks of the expert group; the fullest expert sets the pace. Matrices that are
** whole on every rank multiply its own tokens only.
*/
static double rows_of(const struct bp_train_case *c, const struct bp_op_matmul *op,
                      const struct bp_share *s, double tokens) {
    double tp = (double)c->plan->tp;
    if (op->experts > 0) {
        return tokens / tp * op->topk * (double)c->plan->etp * c->profile->imbalance / s->experts;
    }
    if (op->others > 0) {
        tokens *= op->others / (double)c->job->seq_len;
    }
    return op->deal == BP_DEAL_TOKENS ? tokens / tp : tokens * s->groups;
}

static void add_matmul(const struct bp_train_case *c, const struct bp_layer *list,
                       const struct bp_op_matmul *op, struct bp_matmuls *sum) {
    const struct bp_ranks ranks = bp_case_ranks(c->plan);
    const struct bp_share s = bp_matmul_share(op, &ranks);
    double rows = rows_of(c, op, &s, bp_case_tokens(c));
    bp_add_linear(c, sum, op->count / list->layers, rows, s.out, s.in, s.experts);
}

/* Matmuls from one role up to another. */
static struct bp_matmuls role_matmuls(const struct bp_train_case *c, const struct bp_layer *list,
                                      enum bp_role first, enum bp_role last) {
    struct bp_matmuls sum = {0, 0, 0};
    int i;
    for (i = 0; i < list->matmuls; i++) {
        if (list->matmul[i].role >= first && list->matmul[i].role <= last) {
            add_matmul(c, list, &list->matmul[i], &sum);
        }
    }
    return sum;
}

static double role_forward(const struct bp_train_case *c, const struct bp_layer *list,
                           enum bp_role first, enum bp_role last) {
    return role_matmuls(c, list, first, last).forward;
}

struct core {
    double forward, backward;
};

/* Kernels of a generation, over those that the curve was measured on. */
static struct core fused_core(const struct bp_train_case *c, const struct bp_attention_shape *s) {
    double forward = c->profile->attention;
    double backward =
        forward * c->profile->common.attention_backward * c->profile->attention_backward;
    struct core call = {forward * bp_attention_time(c->device, s),
                        backward * bp_attention_backward_time(c->device, s)};
    return call;
}

/* Plain matmuls and elementwise kernels, as the rest of the layer. */
static struct core unfused_core(const struct bp_train_case *c, const struct bp_attention_shape *s) {
    struct bp_unfused_attention t = bp_unfused_attention(c->device, s);
    double matmul = c->profile->gemm * t.matmul,
           passes = t.softmax / c->profile->common.elementwise;
    struct core call = {matmul + passes,
                        BP_UNFUSED_BACKWARD_MATMULS * matmul + BP_UNFUSED_BACKWARD_PASSES * passes};
    return call;
}

/*
** Context parallelism in zigzag order: a rank's queries meet one block of keys after the other, cp calls
** that each leave half of a block to be computed under a causal mask. A rank whose window is shorter than
** the sequence computes in one call, on its queries and as many keys before them as the window reaches.
** A rank with a share of the heads computes in one call, on whole sequences.
*/
static void add_core(const struct bp_train_case *c, struct core *sum,
                     const struct bp_op_attention *op, double share) {
    struct bp_attention_shape s = bp_case_attention(c, op);
    double cp = (double)c->plan->cp;
    int reaches_all = !(s.window > 0 && s.window < s.seq_kv);
    int deals = bp_case_deals_heads(c);
    struct core call;
    double calls = reaches_all && !deals ? cp : 1;
    if (deals) {
        s.heads /= cp;
        s.kv_heads = bp_head_share(s.kv_heads, cp);
    } else if (cp > 1 && reaches_all) {
        s.seq_q /= cp;
        s.seq_kv /= s.causal ? 2 * cp : cp;
        s.causal = 0;
    } else if (cp > 1) {
        s.seq_q /= cp;
        s.seq_kv = fmin(s.seq_kv, s.seq_q + s.window);
    }
    call = s.flash ? fused_core(c, &s) : unfused_core(c, &s);
    sum->forward += share * calls * call.forward;
    sum->backward += share * calls * call.backward;
}

/* Scans of linear attention (key x value state per head) and of state-space layers. */
static double scan_time(const struct bp_train_case *c, const struct bp_layer *list) {
    double flop = SCAN_FLOP * bp_case_tokens(c) / (double)c->plan->tp * bp_scan_state(list);
    return flop / (c->device->bf16_flop_s * SCAN_UTILISATION);
}

/*
** Traffic of an adapter beside its two matmuls, in bytes per token for each row and column of the matrix it adapts,
** counted from its operations. PEFT's: the input dropped out (5) and read (2), in fp32 and cast there and back three
** times as much; the output written (2), scaled (4) and added (6): 10 to 18 a side, and 14 by steps of 65,536 tokens
** with and without (README of QwenLM/Qwen); backward twice as much. In 16 bit 2 and 12 forward; backward the gradient
** scaled (4) and read twice (4) on the side of the output, and on that of the input its gradient written (2) and added
** (6) and the input read (2). Dropout adds 5 on the side of the input, both ways. Fused: what the matmuls themselves
** read and write.
*/
#define DROPOUT_BYTES 5.0

struct both_ways {
    double forward, backward;
};

static struct both_ways adapter_bytes(const struct bp_train_case *c) {
    struct both_ways cast = {14, 28}, separate = {(2 + 12) / 2.0, (8 + 10) / 2.0}, fused = {2, 4};
    struct both_ways none = {0, 0};
    double dropped = c->plan->lora_dropout > 0 ? DROPOUT_BYTES / 2 : 0;
    switch ((enum bp_adapters)c->profile->adapters) {
    case BP_ADAPTERS_CAST:
        return cast;
    case BP_ADAPTERS_SEPARATE:
        separate.forward += dropped;
        separate.backward += dropped;
        return separate;
    case BP_ADAPTERS_FUSED:
        return fused;
    }
    return none;
}

/* Matmuls of an adapter backward, over those forward. */
#define ADAPTER_BACKWARD 2.0

/* What frozen weights and their adapters take beside the plain layer; matmuls and widening forward. */
struct frozen {
    double matmul, widening;
    struct both_ways adapters;
};

/* Weights of a layer that are made wide. */
static double narrow_params(const struct bp_train_case *c) {
    struct bp_case_params params = bp_case_params(c);
    return params.layer_dense + (bp_are_experts_wide(c) ? 0 : params.layer_expert);
}

static struct frozen frozen_time(const struct bp_train_case *c) {
    struct bp_adapted one;
    struct frozen t = {0, 0, {0, 0}};
    const struct both_ways bytes = adapter_bytes(c);
    double sides_s;
    double tokens = bp_case_tokens(c), rank = (double)c->plan->lora_rank, width, e;
    double bandwidth = c->device->mem_bw_bytes_s;
    if (c->plan->lora_rank == 0) {
        return t;
    }
    one = bp_adapted(c, bp_mean_layer(c));
    e = bp_case_element_bytes(c->plan);
    if (one.matrices > 0) {
        width = one.sides / one.matrices / 2;
        t.matmul = one.matrices / (double)c->plan->tp *
                   (bp_train_matmul(c, bp_case_head_dtype(c->plan), tokens, rank, width, e, 0) +
                    bp_train_matmul(c, bp_case_head_dtype(c->plan), tokens, width, rank, e, 0));
    }
    sides_s =
        tokens * one.sides / (double)c->plan->tp / (bandwidth * c->profile->common.elementwise);
    t.adapters.forward = bytes.forward * sides_s;
    t.adapters.backward = bytes.backward * sides_s;
    t.widening = bp_widening_s(c->plan, c->device) * narrow_params(c);
    return t;
}

/* Scores of indexers over all tokens before each, at the rate of other batched matmuls; no values. */
static double index_time(const struct bp_train_case *c, const struct bp_layer *list) {
    double seq = bp_case_document(c), sum = 0;
    int i;
    for (i = 0; i < list->indexes; i++) {
        const struct bp_op_index *op = &list->index[i];
        double pairs = 0.5 * bp_case_tokens(c) * (seq + 1) / op->ratio;
        double flop = 2 * op->heads * op->dim * pairs;
        sum += op->count / list->layers * flop / (c->device->bf16_flop_s * c->device->attention.u);
    }
    return sum;
}

static struct core layer_core(const struct bp_train_case *c, const struct bp_layer *list) {
    struct bp_device device = bp_attention_device(c->device, bp_case_head_dtype(c->plan));
    struct bp_train_case on = *c;
    struct core sum;
    double scan_s;
    int i;
    on.device = &device;
    scan_s = scan_time(&on, list) + index_time(&on, list);
    sum.forward = scan_s;
    sum.backward = 2 * scan_s;
    for (i = 0; i < list->attentions; i++) {
        add_core(&on, &sum, &list->attention[i], list->attention[i].count / list->layers);
    }
    return sum;
}

/* Of passes that reach a share of the memory bandwidth. */
static double pass_time(const struct bp_train_case *c, double bytes, double share) {
    return bytes * c->profile->elementwise_passes / (c->device->mem_bw_bytes_s * share);
}

static double elementwise_time(const struct bp_train_case *c, double bytes) {
    return pass_time(c, bytes, c->profile->common.elementwise);
}

/* Queries, keys and values of MLA's heads, from their latents. */
static double up_time(const struct bp_train_case *c, const struct bp_layer *list) {
    double tokens = bp_case_tokens(c), e = bp_case_element_bytes(c->plan);
    if (!bp_layer_has_role(list, BP_ROLE_HEADS)) {
        return 0;
    }
    return role_forward(c, list, BP_ROLE_HEADS, BP_ROLE_HEADS) +
           elementwise_time(c, tokens * e * bp_elements_assembled(c, list));
}

/* Modules that the plan names, each once: an MLP has its activation function, a MoE layer its experts. */
static double modules_time(const struct bp_train_case *c, const struct bp_layer *list) {
    const struct bp_elements_parts parts = bp_elements_parts(c, list);
    const struct bp_plan *p = c->plan;
    int shared = p->recompute_moe || p->recompute_shared, act = p->recompute_activation;
    double elements = p->recompute_norms ? parts.norms : 0, matmuls = 0;
    elements += p->recompute_mlp || act ? parts.mlp_act : 0;
    elements += p->recompute_moe || act ? parts.routed_act : 0;
    elements += shared || act ? parts.shared_act : 0;
    if (p->recompute_mlp) {
        matmuls += role_forward(c, list, BP_ROLE_MLP, BP_ROLE_MLP);
    }
    if (p->recompute_moe) {
        elements += parts.routed;
        matmuls += role_forward(c, list, BP_ROLE_ROUTER, BP_ROLE_LATENT);
    }
    if (shared) {
        matmuls += role_forward(c, list, BP_ROLE_SHARED, BP_ROLE_SHARED);
    }
    return matmuls +
           elementwise_time(c, bp_case_tokens(c) * bp_case_element_bytes(c->plan) * elements);
}

/*
** What selective recomputation does again: the core of attention, which stores its scores; of MLA with a
** fused core, which stores none, the heads' queries, keys and values, the largest tensors of its layer
** (Megatron Core 0.12: recompute module mla_up_proj). Elsewhere a share of all matmuls as well.
*/
static double selective_time(const struct bp_train_case *c, const struct bp_layer *list,
                             const struct bp_pass_time *forward) {
    double again = bp_case_remakes_heads(c) ? up_time(c, list) : forward->attention;
    return again + bp_profile_selective_mlp(c->profile) * forward->matmul;
}

struct bp_compute_time bp_layer_time(const struct bp_train_case *c, const struct bp_layer *list) {
    double tokens = bp_case_tokens(c), e = bp_case_element_bytes(c->plan);
    struct bp_matmuls mm = role_matmuls(c, list, BP_ROLE_MIXER, BP_ROLE_SHARED);
    struct core core = layer_core(c, list);
    const struct frozen frozen = frozen_time(c);
    struct bp_compute_time t;
    t.weight = bp_trained_share(c) * mm.weight_grad;
    t.forward.matmul = mm.forward + frozen.matmul;
    t.forward.attention = core.forward;
    t.forward.elementwise = elementwise_time(c, tokens * e * bp_elements_forward(c, list)) +
                            frozen.adapters.forward + frozen.widening;
    t.backward.matmul = mm.input_grad + t.weight + ADAPTER_BACKWARD * frozen.matmul;
    t.backward.attention = core.backward;
    t.backward.elementwise = elementwise_time(c, tokens * e * bp_elements_backward(c, list)) +
                             frozen.adapters.backward + frozen.widening;
    t.modules = bp_plan_remakes(c->plan) ? modules_time(c, list) : 0;
    t.up_proj = c->plan->recompute_up_proj ? up_time(c, list) : 0;
    t.selective = selective_time(c, list, &t.forward);
    return t;
}

struct bp_compute_time bp_mtp_time(const struct bp_train_case *c) {
    const struct bp_layer *list = &c->layers->mtp;
    struct bp_compute_time t = bp_layer_time(c, list);
    struct bp_matmuls join = role_matmuls(c, list, BP_ROLE_JOIN, BP_ROLE_JOIN);
    t.forward.matmul += join.forward;
    t.selective += bp_profile_selective_mlp(c->profile) * join.forward;
    t.backward.matmul += join.input_grad;
    if (!bp_is_frozen(c->plan)) {
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
    if (!bp_are_ends_frozen(c->plan)) {
        t.weight = bp_train_matmul(c, dtype, width, h, rows, bp_weight_grad_bytes(c), 0);
    }
    t.backward.matmul = bp_train_matmul(c, dtype, rows, h, width, e, 0) + t.weight;
    t.forward.elementwise = pass_time(c, LOGIT_FORWARD * rows * width, LOGIT_BANDWIDTH);
    t.backward.elementwise = pass_time(c, LOGIT_BACKWARD * rows * width, LOGIT_BANDWIDTH);
    return t;
}

/* A kernel of its own reads the sum and the new gradient, and writes the sum. */
double bp_sum_time(const struct bp_train_case *c, double params) {
    double bytes = bp_case_element_bytes(c->plan) + 2 * (double)c->plan->grad_bytes;
    int sharded = c->plan->zero == 3 && c->plan->shard > 1;
    int apart =
        c->profile->gradient_sum == BP_GRADIENT_SUM_SEPARATE && !sharded && !bp_is_frozen(c->plan);
    return apart ? bytes * params / (c->device->mem_bw_bytes_s * c->profile->common.elementwise)
                 : 0;
}
