#include "kernel/count/activations.h"

#include <math.h>

#include "kernel/count/adapters.h"

/*
** The tensors of a layer follow from its operations (Korthikanti et al., arXiv:2205.05198, section 4
** counts the same list for a GPT layer: 34 s b h + 5 a s^2 b; here without the two dropout masks, and
** with gated MLPs, GQA, MLA and experts as they are). "split" tensors lie between tensor-parallel
** regions and are divided only under sequence parallelism; "sharded" ones always are.
*/

/* Row statistics of flash attention: log-sum-exp in fp32 per head. */
#define LSE_BYTES 4.0

/*
** Of a stored score matrix: softmax output, dropout mask and dropout output. In 16 bit 5 a s^2 b (arXiv:2205.05198,
** section 4.1). Layers that run one operation after the other take the softmax to fp32.
*/
#define SCORE_MASK_BYTES 1.0
#define WIDE_SOFTMAX_BYTES 4.0

static double score_bytes(const struct bp_train_case *c) {
    double e = bp_case_element_bytes(c->plan);
    if (!(c->profile->score_bytes > 0)) {
        return e + SCORE_MASK_BYTES + e;
    }
    if (bp_case_drops_scores(c)) {
        return WIDE_SOFTMAX_BYTES + SCORE_MASK_BYTES + e;
    }
    return WIDE_SOFTMAX_BYTES + (e < WIDE_SOFTMAX_BYTES ? e : 0);
}

/*
** What DeepSeek-V3 keeps the output of attention in, for its core and for the projection: twelve bits, E5M6
** (arXiv:2412.19437, section 3.3.3).
*/
#define NARROW_CORE_BYTES 1.5

/* Routing score of one expert in fp32. */
#define ROUTER_BYTES 4.0

/* Bytes of what linear layers give and elementwise operations keep: in fp32 where the residual stream is. */
static double stream_bytes(const struct bp_train_case *c) {
    return bp_is_stream_wide(c) ? 4 : bp_case_element_bytes(c->plan);
}

/* The same of sums and what norms take. */
static double sum_bytes(const struct bp_train_case *c) {
    return bp_is_autocast(c) ? 4 : stream_bytes(c);
}

static double split_factor(const struct bp_plan *plan) {
    return plan->sequence_parallel ? (double)plan->tp : 1.0;
}

/* Inputs of matmuls are kept in the format of the recipe: fp8 keeps one byte. */
static double input_bytes(const struct bp_train_case *c) {
    return bp_dtype_bytes(bp_case_dtype(c->plan) == BP_DTYPE_FP4 ? BP_DTYPE_FP8
                                                                 : bp_case_dtype(c->plan));
}

/* Bytes of an element by what it is, and copies of an operation's tensor on one device by where it is. */
struct rates {
    double bytes[BP_KEPT_KINDS], copies[BP_KEPT_PLACES];
    double tp, seq_len;
    int remade[BP_ROLES], inputs[BP_ROLES];
    double
        gate; /* of an element that an activation function makes before its gate, where that is kept apart */
};

static int keeps_projections(const struct bp_train_case *c, enum bp_recompute recompute) {
    return recompute == BP_RECOMPUTE_SELECTIVE && c->profile->selective == BP_SELECTIVE_PROJECTIONS;
}

/* What follows from what is kept before it, and is made again. */
static void take_remade(const struct bp_train_case *c, enum bp_recompute recompute,
                        struct rates *rates) {
    const struct bp_plan *p = c->plan;
    rates->remade[BP_ROLE_MIXER] = rates->remade[BP_ROLE_JOIN] = 0;
    rates->remade[BP_ROLE_HEADS] =
        p->recompute_up_proj || (recompute == BP_RECOMPUTE_SELECTIVE && bp_case_remakes_heads(c));
    rates->remade[BP_ROLE_MLP] = p->recompute_mlp;
    rates->remade[BP_ROLE_ROUTER] = rates->remade[BP_ROLE_EXPERT] = rates->remade[BP_ROLE_LATENT] =
        p->recompute_moe;
    rates->remade[BP_ROLE_SHARED] = p->recompute_moe || p->recompute_shared;
}

/* The fullest rank gets `imbalance` times its share of what is routed. */
static struct rates rates_of(const struct bp_train_case *c, enum bp_recompute recompute) {
    double e = bp_case_element_bytes(c->plan), narrow = input_bytes(c);
    double tp = (double)c->plan->tp, etp = (double)c->plan->etp;
    int wide = narrow == e || !c->profile->narrow_kept;
    struct rates r;
    int role;
    r.tp = tp;
    r.seq_len = (double)c->job->seq_len;
    r.bytes[BP_KEPT_STREAM] = stream_bytes(c);
    r.bytes[BP_KEPT_INPUT] = narrow;
    r.bytes[BP_KEPT_ACTIVATED] = wide ? e : narrow;
    r.bytes[BP_KEPT_CORE] = wide ? e : NARROW_CORE_BYTES;
    r.bytes[BP_KEPT_ACTIVATION] =
        c->plan->recompute_activation ? 0 : narrow + (stream_bytes(c) - e);
    r.gate =
        c->profile->eager_kept && c->model->gated_mlp && !c->plan->recompute_activation ? e : 0;
    r.bytes[BP_KEPT_COPY] = narrow < e && wide && !keeps_projections(c, recompute) ? narrow : 0;
    r.bytes[BP_KEPT_SCORE] = ROUTER_BYTES;
    r.copies[BP_KEPT_RANKS] = 1 / tp;
    r.copies[BP_KEPT_WHOLE] = 1;
    r.copies[BP_KEPT_SEQUENCE] = 1 / split_factor(c->plan);
    r.copies[BP_KEPT_VISITS] = c->profile->imbalance * ((double)c->model->topk * etp) / tp;
    r.copies[BP_KEPT_SLICES] = r.copies[BP_KEPT_VISITS] / etp;
    take_remade(c, recompute, &r);
    for (role = 0; role < BP_ROLES; role++) {
        r.inputs[role] = bp_keeps_inputs(c, (enum bp_role)role);
    }
    return r;
}

/* An element of a tensor: a frozen matmul does not keep its input. */
static double element_bytes(const struct rates *r, const struct bp_op_kept *op) {
    switch (op->kind) {
    case BP_KEPT_INPUT:
    case BP_KEPT_COPY:
        return r->inputs[op->role] ? r->bytes[op->kind] : 0;
    case BP_KEPT_ACTIVATION:
        return (r->inputs[op->role] ? r->bytes[op->kind] : 0) + r->gate;
    case BP_KEPT_STREAM:
    case BP_KEPT_ACTIVATED:
    case BP_KEPT_CORE:
    case BP_KEPT_SCORE:
    case BP_KEPT_KINDS:
        break;
    }
    return r->bytes[op->kind];
}

static double kept_bytes(const struct rates *r, const struct bp_op_kept *op) {
    double copies = r->copies[op->where];
    if (op->heads > 0 && op->heads < r->tp) {
        copies = 1 / op->heads;
    }
    if (op->others > 0) {
        copies *= op->others / r->seq_len;
    }
    return r->remade[op->role] ? 0 : op->width * element_bytes(r, op) * copies;
}

/* Heads of the softmax attentions of the mean layer on one device. */
static double layer_heads(const struct bp_train_case *c) {
    const struct bp_layer *list = &c->layers->stack;
    double heads = 0;
    int i;
    for (i = 0; i < list->attentions; i++) {
        heads += list->attention[i].count * list->attention[i].heads;
    }
    return heads / list->layers / (double)c->plan->tp;
}

/* Of a token in the mean layer, where attention is not fused. */
static double stored_scores(const struct bp_train_case *c, enum bp_recompute recompute) {
    int stored = !c->plan->flash && recompute == BP_RECOMPUTE_NONE;
    return stored ? score_bytes(c) * (double)c->job->seq_len * layer_heads(c) : 0;
}

/* Row statistics of a fused core, of a token in the mean layer. */
static double statistics_bytes(const struct bp_train_case *c) {
    return c->plan->flash ? LSE_BYTES * layer_heads(c) : 0;
}

/*
** Of a token in the mean layer, queries and keys before their rotation: where one matrix makes them with the values, the
** core's values are a view of its output, which stays as long.
*/
static double rotated_bytes(const struct bp_train_case *c) {
    const struct bp_layer *list = &c->layers->stack;
    double width = 0;
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        width += op->count * (op->heads + op->kv_heads) * op->qk_dim;
    }
    return width / list->layers / (double)c->plan->tp * bp_case_element_bytes(c->plan);
}

double bp_score_steps(const struct bp_train_case *c) {
    double tokens = bp_case_tokens(c), scores = tokens * (double)c->job->seq_len * layer_heads(c);
    return c->plan->flash ? 0 : c->profile->score_bytes * scores;
}

double bp_layer_scores(const struct bp_train_case *c) {
    double kept = bp_case_tokens(c) * stored_scores(c, BP_RECOMPUTE_NONE);
    return kept + bp_score_steps(c);
}

/*
** Where backward passes the activation function of a feed-forward part: the gradients of what it made and of what it
** took, less what it made, if the matmul behind it kept that or it was made again: that matmul's backward is over.
*/
static double activation_gradients(const struct rates *r, const struct bp_op_kept *op) {
    double e = r->bytes[BP_KEPT_CORE], copies = r->copies[op->where];
    if (op->kind == BP_KEPT_ACTIVATED) {
        return op->width * e * copies;
    }
    if (op->kind == BP_KEPT_ACTIVATION) {
        return op->width * (e - (r->inputs[op->role] ? r->bytes[BP_KEPT_INPUT] : 0)) * copies;
    }
    return 0;
}

double bp_gradient_steps(const struct bp_train_case *c) {
    const struct bp_layer *list = &c->layers->stack;
    const struct rates rates = rates_of(c, BP_RECOMPUTE_NONE);
    double stream = (double)c->model->hidden * sum_bytes(c) / split_factor(c->plan);
    double parts[BP_ROLES] = {0}, most = 0;
    int i;
    for (i = 0; i < list->kepts; i++) {
        parts[list->kept[i].role] += activation_gradients(&rates, &list->kept[i]);
    }
    for (i = 0; i < BP_ROLES; i++) {
        most = fmax(most, parts[i]);
    }
    return bp_case_tokens(c) * (stream + most);
}

/*
** What an element of a norm's input takes. RMS norms that run one operation after the other take it to fp32, and
** keep what they multiply by a weight that learns (LlamaRMSNorm of Transformers, RMSNorm of torchtune and litgpt).
*/
static double norm_bytes(const struct bp_train_case *c) {
    double bytes = sum_bytes(c);
    if (!c->profile->eager_kept || c->model->norm != BP_NORM_RMS) {
        return bytes;
    }
    return 4 + (bp_do_norms_learn(c->plan) ? bytes : 0);
}

/*
** Inputs and outputs of the two norms: residual stream in its own format, matmul inputs in theirs, one for each matmul
** that casts its own. Megatron gathers
** its part of such an input again for backward (arXiv:2205.05198, section 4.2.2); where autograd keeps what was
** gathered, every rank has all of it.
*/
static double stream_token_bytes(const struct bp_train_case *c) {
    double split = split_factor(c->plan), whole = c->profile->whole_inputs ? 1 : split;
    double norms = c->plan->recompute_norms ? bp_case_element_bytes(c->plan) : norm_bytes(c);
    double mixers = bp_is_autocast(c) && !c->profile->fused_qkv ? 3 : 1;
    double mlps = bp_is_autocast(c) && c->model->gated_mlp ? 2 : 1;
    double kept =
        mixers * bp_keeps_inputs(c, BP_ROLE_MIXER) + mlps * bp_keeps_inputs(c, BP_ROLE_MLP);
    double inputs = c->plan->recompute_norms ? 0 : input_bytes(c) * kept;
    return (double)c->model->hidden * (2 * norms / split + inputs / whole);
}

/* Of every other matmul of one role a policy by operation keeps the output, in the format of the residual stream. */
static double outputs_bytes(const struct bp_train_case *c, const struct bp_op_matmul *op) {
    const struct bp_ranks ranks = bp_case_ranks(c->plan);
    struct bp_share share = bp_matmul_share(op, &ranks);
    double visits =
        op->experts > 0 ? c->profile->imbalance * op->topk * ranks.etp / ranks.tp : share.groups;
    double split = op->deal == BP_DEAL_ROWS && !(op->experts > 0) ? split_factor(c->plan) : 1;
    return 0.5 * op->count * visits * share.out / split * bp_case_element_bytes(c->plan);
}

/*
** Kept under a policy by operation of PyTorch (selective_ac_option op of torchtitan): what comes into the layer, what
** comes out of the core of attention and of every other matmul. 8-bit matmuls make 16-bit outputs.
*/
static struct bp_token_kept policy_kept(const struct bp_train_case *c) {
    const struct bp_layer *list = &c->layers->stack;
    double e = bp_case_element_bytes(c->plan), mixers = 0;
    struct bp_token_kept sum = {BP_RECOMPUTE_SELECTIVE, 0, 0, 0, 0};
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        mixers += op->count * op->heads * op->v_dim * e / (double)c->plan->tp;
    }
    for (i = 0; i < list->matmuls; i++) {
        const struct bp_op_matmul *op = &list->matmul[i];
        double bytes = outputs_bytes(c, op);
        if (op->role <= BP_ROLE_HEADS) {
            mixers += bytes;
        } else if (op->role == BP_ROLE_MLP) {
            sum.mlp += bytes / op->count;
        } else {
            sum.moe += bytes / op->count;
        }
    }
    sum.layer = (double)c->model->hidden * e / split_factor(c->plan) + mixers / list->layers +
                statistics_bytes(c);
    return sum;
}

static int keeps_outputs(const struct bp_train_case *c, enum bp_recompute recompute) {
    return recompute == BP_RECOMPUTE_SELECTIVE && c->profile->selective == BP_SELECTIVE_POLICY;
}

/*
** A scale of adapters keeps what it multiplies, columns what is copied into them, and a dropout what it lets through, of
** which no software keeps copies.
*/
static double adapters_bytes(const struct bp_train_case *c, struct bp_layer_mix mix) {
    double e = bp_case_element_bytes(c->plan);
    return e * bp_scaled_outputs(c, mix) +
           (e * bp_placed_outputs(c, mix) + bp_dropout_bytes(c, mix)) /
               c->profile->activation_copies;
}

static void take_adapters(const struct bp_train_case *c, struct bp_token_kept *sum) {
    const struct bp_layer_mix mixer = {1, 0, 0}, mlp = {0, 1, 0}, moe = {0, 0, 1};
    sum->layer += adapters_bytes(c, mixer);
    sum->mlp += adapters_bytes(c, mlp);
    sum->moe += adapters_bytes(c, moe);
}

struct bp_token_kept bp_token_kept(const struct bp_train_case *c, enum bp_recompute recompute) {
    const struct bp_layer *list = &c->layers->stack;
    const struct rates rates = rates_of(c, recompute);
    struct bp_token_kept sum = {recompute, 0, stored_scores(c, recompute), 0, 0};
    double mixers = 0;
    int i;
    if (keeps_outputs(c, recompute)) {
        return policy_kept(c);
    }
    for (i = 0; i < list->kepts; i++) {
        const struct bp_op_kept *op = &list->kept[i];
        double bytes = kept_bytes(&rates, op);
        if (op->role <= BP_ROLE_HEADS) {
            mixers += op->count * bytes;
        } else if (op->role == BP_ROLE_MLP) {
            sum.mlp += bytes;
        } else {
            sum.moe += bytes;
        }
    }
    sum.layer = stream_token_bytes(c) + mixers / list->layers + statistics_bytes(c);
    sum.layer += c->profile->fused_qkv ? rotated_bytes(c) : 0;
    take_adapters(c, &sum);
    return sum;
}

/*
** Kept of a layer whose policy names the projections of attention: its input and their outputs. Queries, keys and
** values are what the core keeps anyway; the output of the last projection is as wide as the core's, which is made
** again. Nothing of MLP and experts (save_dot_except_mlp of MaxText's base.yml).
*/
static double projections_bytes(const struct bp_train_case *c, const struct bp_token_kept *kept) {
    double input =
        (double)c->model->hidden * bp_case_element_bytes(c->plan) / split_factor(c->plan);
    return kept->layer - stream_token_bytes(c) + input;
}

struct bp_layer_mix bp_mean_layer(const struct bp_train_case *c) {
    double layers = (double)c->model->layers;
    struct bp_layer_mix mean = {1, (double)c->params->mlp_layers / layers,
                                (double)c->params->moe_layers / layers};
    return mean;
}

/* What eager layers keep twice are no scores; of other software one factor is fitted to all that is kept. */
static double score_copies(const struct bp_profile *profile) {
    return profile->score_bytes > 0 ? 1 : profile->activation_copies;
}

double bp_activations_of(const struct bp_train_case *c, const struct bp_token_kept *kept,
                         struct bp_layer_mix mix) {
    double tokens = bp_case_tokens(c), sum;
    if (kept->recompute == BP_RECOMPUTE_FULL) {
        return mix.layers * tokens * (double)c->model->hidden * sum_bytes(c) /
               split_factor(c->plan);
    }
    if (keeps_projections(c, kept->recompute)) {
        return tokens * mix.layers * projections_bytes(c, kept) * c->profile->activation_copies;
    }
    sum = mix.layers * kept->layer + mix.mlp * kept->mlp + mix.moe * kept->moe;
    return tokens * (sum * c->profile->activation_copies +
                     mix.layers * kept->scores * score_copies(c->profile));
}

/* As if no module were computed again. */
static struct bp_token_kept without_modules(const struct bp_train_case *c) {
    struct bp_train_case bare = *c;
    struct bp_plan plan = *c->plan;
    plan.recompute_norms = plan.recompute_activation = plan.recompute_up_proj = 0;
    plan.recompute_mlp = plan.recompute_moe = plan.recompute_shared = 0;
    bare.plan = &plan;
    return bp_token_kept(&bare, BP_RECOMPUTE_NONE);
}

double bp_activations_list(const struct bp_train_case *c, const struct bp_layer *list) {
    const struct rates rates = rates_of(c, BP_RECOMPUTE_NONE);
    double sum = 0;
    int i;
    for (i = 0; i < list->kepts; i++) {
        sum += list->kept[i].count * kept_bytes(&rates, &list->kept[i]);
    }
    return bp_case_tokens(c) * sum * c->profile->activation_copies;
}

struct bp_activations bp_activations(const struct bp_train_case *c) {
    struct bp_activations a;
    a.plain = a.remade = a.all = bp_token_kept(c, BP_RECOMPUTE_NONE);
    if (c->plan->recompute != BP_RECOMPUTE_NONE) {
        a.remade = bp_token_kept(c, (enum bp_recompute)c->plan->recompute);
    }
    if (bp_plan_remakes(c->plan)) {
        a.all = without_modules(c);
    }
    return a;
}

double bp_activations_kept(const struct bp_train_case *c, const struct bp_activations *of,
                           struct bp_layer_mix mix) {
    double share = c->plan->recompute_share, plain = bp_activations_of(c, &of->plain, mix);
    if (c->plan->recompute == BP_RECOMPUTE_NONE) {
        return plain;
    }
    return share * bp_activations_of(c, &of->remade, mix) + (1 - share) * plain;
}
