#include "kernel/count/activations.h"

/*
** The tensors of a layer follow from its operations (Korthikanti et al., arXiv:2205.05198, section 4
** counts the same list for a GPT layer: 34 s b h + 5 a s^2 b; here without the two dropout masks, and
** with gated MLPs, GQA, MLA and experts as they are). "split" tensors lie between tensor-parallel
** regions and are divided only under sequence parallelism; "sharded" ones always are.
*/

/* Row statistics of flash attention: log-sum-exp in fp32 per head. */
#define LSE_BYTES 4.0

/*
** Of a stored score matrix: softmax output (2), dropout mask (1) and dropout output (2).
** arXiv:2205.05198, section 4.1: 5 a s^2 b.
*/
#define SCORE_BYTES 5.0

/* Routing score of one expert in fp32. */
#define ROUTER_BYTES 4.0

static double split_factor(const struct bp_plan *plan) {
    return plan->sequence_parallel ? (double)plan->tp : 1.0;
}

/* Inputs of matmuls are kept in the format of the recipe: fp8 keeps one byte. */
static double input_bytes(const struct bp_train_case *c) {
    return bp_dtype_bytes(bp_case_dtype(c->plan) == BP_DTYPE_FP4 ? BP_DTYPE_FP8
                                                                 : bp_case_dtype(c->plan));
}

static double queries_per_token(const struct bp_model *m) {
    double qk = (double)(m->kv_lora_rank > 0 ? m->qk_nope_dim + m->qk_rope_dim : m->head_dim);
    return (double)m->heads * qk;
}

static double keys_values_per_token(const struct bp_train_case *c) {
    const struct bp_attention_shape s = bp_case_attention(c, 0);
    return (double)c->plan->tp * s.kv_heads * (s.qk_dim + s.v_dim);
}

/* Elements per token of the low-rank projections of MLA, which every rank keeps. */
static double latent_per_token(const struct bp_model *m) {
    return (double)(m->kv_lora_rank > 0 ? m->q_lora_rank + m->kv_lora_rank + m->qk_rope_dim : 0);
}

/* q, k, v, the output of attention (input of the projection) and its row statistics. */
static double attention_token_bytes(const struct bp_train_case *c, enum bp_recompute recompute) {
    const struct bp_model *m = c->model;
    double e = bp_case_element_bytes(c->plan), tp = (double)c->plan->tp;
    double out = (double)(m->heads * m->v_head_dim);
    int remade =
        m->kv_lora_rank > 0 && (c->plan->recompute_up_proj ||
                                (recompute == BP_RECOMPUTE_SELECTIVE && bp_case_remakes_heads(c)));
    return ((remade ? 0 : e * (queries_per_token(m) + keys_values_per_token(c))) +
            out * (e + (input_bytes(c) < e ? input_bytes(c) : 0)) +
            (c->plan->flash ? LSE_BYTES * (double)m->heads : 0)) /
               tp +
           2 * e * latent_per_token(m);
}

static double score_token_bytes(const struct bp_train_case *c) {
    return SCORE_BYTES * (double)(c->model->heads * c->job->seq_len) / (double)c->plan->tp;
}

/* First matmul's output, and the activation function's (input of the second matmul). */
static double mlp_token_bytes(const struct bp_train_case *c, double width) {
    double e = bp_case_element_bytes(c->plan);
    return width * (e * (c->model->gated_mlp ? 2 : 1) +
                    (c->plan->recompute_activation ? 0 : input_bytes(c)));
}

/*
** A routed token: its permuted copy and the expert's inside. Probabilities are applied with the
** activation function (Megatron Core 0.11, 2025), so the expert's output is not kept; the fp32 scores
** of all experts are. The fullest rank gets `imbalance` times its share.
*/
static double moe_token_bytes(const struct bp_train_case *c) {
    const struct bp_model *m = c->model;
    double width = (double)(m->moe_latent > 0 ? m->moe_latent : m->hidden);
    double visits = c->profile->imbalance * (double)(m->topk * c->plan->etp) / (double)c->plan->tp;
    double routed =
        input_bytes(c) * width + mlp_token_bytes(c, (double)m->moe_ffn / (double)c->plan->etp);
    double shared = mlp_token_bytes(c, (double)m->shared_ffn / (double)c->plan->tp);
    if (c->plan->recompute_moe) {
        return 0; /* all of it follows from the norm's output */
    }
    return visits * routed + ROUTER_BYTES * (double)m->experts / split_factor(c->plan) +
           (c->plan->recompute_shared ? 0 : shared);
}

/* Inputs and outputs of the two norms: residual stream in its own format, matmul inputs in theirs. */
static double stream_token_bytes(const struct bp_train_case *c) {
    double kept = bp_case_element_bytes(c->plan) + (c->plan->recompute_norms ? 0 : input_bytes(c));
    return (double)c->model->hidden * 2 * kept / split_factor(c->plan);
}

/* State-space and linear mixers keep about what attention of the same projections keeps. */
static double mixer_token_bytes(const struct bp_train_case *c, double layer_params) {
    return 2 * bp_case_element_bytes(c->plan) * layer_params / (double)c->model->hidden /
           (double)c->plan->tp;
}

struct bp_layer_mix bp_mean_layer(const struct bp_train_case *c) {
    double layers = (double)c->model->layers;
    struct bp_layer_mix mean = {1, (double)c->params->mlp_layers / layers,
                                (double)c->params->moe_layers / layers};
    return mean;
}

/* Bytes per token of the mixers (attention, linear, state-space) of one mean layer. */
static double mixers_token_bytes(const struct bp_train_case *c, enum bp_recompute recompute) {
    const struct bp_params_out *p = c->params;
    double sum = (double)p->attention_layers * attention_token_bytes(c, recompute);
    sum += (double)p->linear_layers * mixer_token_bytes(c, (double)p->linear_layer);
    sum += (double)p->mamba_layers * mixer_token_bytes(c, (double)p->mamba_layer);
    if (!c->plan->flash && recompute == BP_RECOMPUTE_NONE) {
        sum += (double)p->attention_layers * score_token_bytes(c);
    }
    return sum / (double)c->model->layers;
}

double bp_activations_of(const struct bp_train_case *c, struct bp_layer_mix mix,
                         enum bp_recompute recompute) {
    const struct bp_model *m = c->model;
    double tokens = bp_case_tokens(c), sum;
    if (recompute == BP_RECOMPUTE_FULL) {
        return mix.layers * tokens * (double)m->hidden * bp_case_element_bytes(c->plan) /
               split_factor(c->plan);
    }
    sum = mix.layers * (stream_token_bytes(c) + mixers_token_bytes(c, recompute));
    if (!c->plan->recompute_mlp) {
        sum += mix.mlp * mlp_token_bytes(c, (double)m->ffn_hidden / (double)c->plan->tp);
    }
    sum += mix.moe > 0 ? mix.moe * moe_token_bytes(c) : 0;
    if (recompute == BP_RECOMPUTE_SELECTIVE) {
        sum *= 1 - c->profile->selective_mlp; /* what is computed again is not kept */
    }
    return tokens * sum * c->profile->activation_copies;
}

double bp_activations_all(const struct bp_train_case *c, struct bp_layer_mix mix) {
    struct bp_train_case bare = *c;
    struct bp_plan plan = *c->plan;
    plan.recompute_norms = plan.recompute_activation = plan.recompute_up_proj = 0;
    plan.recompute_mlp = plan.recompute_moe = plan.recompute_shared = 0;
    bare.plan = &plan;
    return bp_activations_of(&bare, mix, BP_RECOMPUTE_NONE);
}

double bp_activations_kept(const struct bp_train_case *c, struct bp_layer_mix mix) {
    double share = c->plan->recompute_share;
    double plain = bp_activations_of(c, mix, BP_RECOMPUTE_NONE);
    if (c->plan->recompute == BP_RECOMPUTE_NONE) {
        return plain;
    }
    return share * bp_activations_of(c, mix, (enum bp_recompute)c->plan->recompute) +
           (1 - share) * plain;
}
