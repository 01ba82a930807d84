#include "kernel/serve/infer_case.h"

#include <math.h>

/*
** Launches of a layer as engines run it, fused: two norms, qkv, rotation, cache write, attention,
** output, gate and up, activation, down. MLA adds its low-rank steps, TP two all-reduces, a MoE layer
** routing, permuting and combining (its experts' own launches are in the curve). Counted in traces of
** vLLM 0.6; the fitted time per kernel takes what they are off.
*/
#define LAYER_KERNELS 10.0
#define MLA_KERNELS 4.0
#define TP_KERNELS 2.0
#define MOE_KERNELS 2.0

/*
** Launches that only the eager code of prompts has: the split, normed and joined parts of MLA; routing,
** sorting, quantising and the single kernels of experts; convolution, gates, norms and the passes of the
** chunked scan of linear attention, most of them compiled kernels whose launch costs twice. Orders of
** size (assumption); the fitted time per launch takes what they are off.
*/
#define MLA_EAGER 28.0
#define MOE_EAGER 40.0
#define LINEAR_EAGER 40.0

/*
** No kernel streams weights from memory faster than this (assumption); curves above it met warm caches.
** It is approached smoothly, by a norm of this power (assumption).
*/
#define STREAM_LIMIT 0.95
#define STREAM_KNEE 8.0

/*
** Bytes per token and element that elementwise kernels move, fused as engines have them, 16 bit: the two
** norms of a layer each read the branch and the residual stream and write both; the activation reads
** gate and up and writes their product; rotation reads and writes queries and keys.
*/
#define NORM_BYTES 16.0
#define ACTIVATION_BYTES 6.0
#define ROTATION_BYTES 4.0

/* Recurrent states are kept in fp32, as the reference kernels of Mamba-2 and gated delta nets do. */
#define STATE_BYTES 4.0

static int check_plan(const struct bp_infer_setup *in, struct bp_error *err) {
    const struct bp_infer_plan *p = &in->plan;
    const struct bp_model *m = &in->model;
    int64_t stage = p->tp * p->dp * p->cp, ranks = stage * p->pp;
    if (p->pp > m->layers) {
        return bp_fail(err, BP_EPLAN, "plan.pp", "%lld stages are more than %lld layers",
                       (long long)p->pp, (long long)m->layers);
    }
    if (p->ep > 1 && (m->experts == 0 || p->ep > m->experts)) {
        return bp_fail(err, BP_EPLAN, "plan.ep", "%lld is more than the %lld experts",
                       (long long)p->ep, (long long)m->experts);
    }
    if (stage % p->ep != 0) {
        return bp_fail(err, BP_EPLAN, "plan.ep", "%lld does not divide tp * dp * cp = %lld",
                       (long long)p->ep, (long long)stage);
    }
    if (ranks > in->network.devices) {
        return bp_fail(err, BP_EPLAN, "plan.tp",
                       "tp * dp * cp * pp = %lld is more than %lld devices", (long long)ranks,
                       (long long)in->network.devices);
    }
    return BP_OK;
}

static double stream_of(const struct bp_infer_case *c, enum bp_dtype dtype) {
    double free = bp_device_gemm(&c->in.device, dtype)->w * c->in.engine.stream;
    return free / pow(1 + pow(free / STREAM_LIMIT, STREAM_KNEE), 1 / STREAM_KNEE);
}

static struct bp_infer_linear linear(const struct bp_infer_case *c, double times, double n,
                                     double k, enum bp_format format) {
    struct bp_infer_linear l;
    l.n = n;
    l.k = k;
    l.times = times;
    l.stored_bytes = bp_format_bytes(format);
    l.dtype = bp_format_compute(&c->in.device, format, (enum bp_format)c->in.plan.activations);
    l.stream = stream_of(c, l.dtype);
    return l;
}

static void add(struct bp_infer_case *c, double times, double n, double k, enum bp_format format) {
    if (times > 0 && n > 0 && k > 0 && c->linears < BP_INFER_LINEARS) {
        c->linear[c->linears++] = linear(c, times, n, k, format);
    }
}

/* In 16 bit in every engine. */
static void add_head(struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    double rows = m->lm_head ? (double)m->vocab / (double)c->in.plan.tp : 0;
    c->head = linear(c, 1, rows, (double)m->hidden, BP_FORMAT_BF16);
    c->head.dtype = bp_device_16_bit(&c->in.device);
    c->head.stream = stream_of(c, c->head.dtype);
}

static void add_mla(struct bp_infer_case *c, double layers, enum bp_format format) {
    const struct bp_model *m = &c->in.model;
    double h = (double)m->hidden, heads = (double)m->heads / (double)c->in.plan.tp;
    double q = heads * (double)(m->qk_nope_dim + m->qk_rope_dim);
    double latent = (double)(m->kv_lora_rank + m->qk_rope_dim);
    if (m->q_lora_rank > 0) {
        add(c, layers, (double)m->q_lora_rank + latent, h, format);
        add(c, layers, q, (double)m->q_lora_rank, format);
    } else {
        add(c, layers, q + latent, h, format);
    }
    /* Keys and values are folded into query and output: one pass over the up-projections. */
    add(c, layers, heads * (double)(m->qk_nope_dim + m->v_head_dim), (double)m->kv_lora_rank,
        BP_FORMAT_BF16);
    add(c, layers, h, heads * (double)m->v_head_dim, format);
}

static void add_gqa(struct bp_infer_case *c, double layers, double layer_params, double kv_heads,
                    double d, double v, enum bp_format format) {
    const struct bp_model *m = &c->in.model;
    double tp = (double)c->in.plan.tp, h = (double)m->hidden, heads = (double)m->heads / tp;
    double kv = fmax(1, kv_heads / tp);
    if (m->q_lora_rank > 0 || m->o_lora_rank > 0) {
        add(c, layers, layer_params / h / tp, h, format); /* low rank: one pass over its weights */
        return;
    }
    add(c, layers, heads * d * (m->attention_gate ? 2 : 1) + kv * (d + (m->shared_kv ? 0 : v)), h,
        format);
    add(c, layers, h, heads * v, format);
}

static void add_attention(struct bp_infer_case *c, enum bp_format format) {
    const struct bp_model *m = &c->in.model;
    double windowed = (double)m->window_layers, all = (double)m->attention_layers;
    double v = (double)m->v_head_dim, d = (double)m->head_dim, g = (double)m->global_head_dim;
    if (m->kv_lora_rank > 0) {
        add_mla(c, all, format);
        return;
    }
    add_gqa(c, windowed, (double)c->params.attention_layer, (double)m->kv_heads, d, v, format);
    add_gqa(c, all - windowed, (double)c->params.global_layer, (double)m->global_kv_heads, g,
            g * v / d, format);
}

static void add_mlp(struct bp_infer_case *c, double layers, double ffn, enum bp_format format) {
    double h = (double)c->in.model.hidden, tp = (double)c->in.plan.tp;
    add(c, layers, (c->in.model.gated_mlp ? 2 : 1) * ffn / tp, h, format);
    add(c, layers, h, ffn / tp, format);
}

static enum bp_format expert_format(const struct bp_infer_plan *p) {
    return (enum bp_format)(p->experts == BP_FORMAT_AUTO ? p->weights : p->experts);
}

static struct bp_moe_curve moe_curve(const struct bp_serving_curves *curves, enum bp_moe_set set) {
    switch (set) {
    case BP_MOE_16:
        break;
    case BP_MOE_16_PACKED:
        return curves->moe16_packed;
    case BP_MOE_8:
        return curves->moe8;
    case BP_MOE_8_BLOCK:
        return curves->moe8_block;
    case BP_MOE_4:
        return curves->moe4;
    }
    return curves->moe16;
}

static void add_moe(struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    const struct bp_infer_plan *p = &c->in.plan;
    enum bp_format format = expert_format(p);
    double h = (double)m->hidden;
    c->moe_layers = (double)c->params.moe_layers;
    c->moe.experts = (double)m->experts;
    c->moe.topk = (double)m->topk;
    c->moe.hidden = m->moe_latent > 0 ? (double)m->moe_latent : h;
    c->moe.ffn = (double)m->moe_ffn;
    c->moe.matrices = m->gated_mlp ? 3 : 2;
    c->moe.ep = (double)p->ep;
    c->moe.tp = c->ranks / (double)p->ep;
    c->moe_stored_bytes = bp_format_bytes(format);
    c->moe_dtype = bp_format_compute(&c->in.device, format, (enum bp_format)p->activations);
    c->moe_curve = moe_curve(&c->in.curves, bp_moe_set_of(c->moe_dtype, format));
    c->moe_curve.skew *= c->in.engine.expert_skew;
    c->moe_curve.spread = c->in.engine.expert_spread;
    c->moe_curve.t0_s *= c->in.engine.expert_launch;
    c->moe_curve.expert_s *= c->in.engine.fused_experts ? 0 : c->in.engine.expert_setup;
    add(c, c->moe_layers, (double)m->experts, h, BP_FORMAT_BF16);
    add_mlp(c, c->moe_layers, (double)m->shared_ffn, (enum bp_format)p->weights);
    if (m->moe_latent > 0) {
        add(c, c->moe_layers, (double)m->moe_latent, h, (enum bp_format)p->weights);
        add(c, c->moe_layers, h, (double)m->moe_latent, (enum bp_format)p->weights);
    }
}

static void add_linears(struct bp_infer_case *c) {
    enum bp_format format = (enum bp_format)c->in.plan.weights;
    double h = (double)c->in.model.hidden, tp = (double)c->in.plan.tp;
    add_attention(c, format);
    add(c, (double)c->params.linear_layers, (double)c->params.linear_layer / h / tp, h, format);
    add(c, (double)c->params.mamba_layers, (double)c->params.mamba_layer / h / tp, h, format);
    add_mlp(c, (double)c->params.mlp_layers, (double)c->in.model.ffn_hidden, format);
    if (c->params.moe_layers > 0) {
        add_moe(c);
    }
}

static void mla_attention(const struct bp_infer_case *c, struct bp_infer_attention *a) {
    const struct bp_model *m = &c->in.model;
    a->kv_bytes = (double)(m->kv_lora_rank + m->qk_rope_dim) * c->kv_value_bytes;
    a->score_flop = 2 * (double)(2 * m->kv_lora_rank + m->qk_rope_dim);
    a->kv_heads = 1;
    a->shared = a->heads;
}

static void set_attention(struct bp_infer_case *c, struct bp_infer_attention *a, double layers,
                          double kv_heads, double d, double window) {
    const struct bp_model *m = &c->in.model;
    double tp = (double)c->in.plan.tp;
    a->layers = layers;
    a->heads = (double)m->heads / tp;
    a->kv_heads = fmax(1, kv_heads / tp);
    a->qk_dim = d;
    a->v_dim = d * (double)m->v_head_dim / (double)m->head_dim;
    a->window = window;
    a->kv_bytes = a->kv_heads * (d + (m->shared_kv ? 0 : a->v_dim)) * c->kv_value_bytes;
    a->score_flop = 2 * (d + a->v_dim);
    a->shared = a->heads / a->kv_heads;
    if (m->kv_lora_rank > 0) {
        mla_attention(c, a);
    }
    if (m->index_layers > 0 && window == 0) {
        a->selected = (double)m->index_topk;
    }
}

static void set_attentions(struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    double windowed = (double)m->window_layers;
    set_attention(c, &c->attention[0], windowed, (double)m->kv_heads, (double)m->head_dim,
                  (double)m->sliding_window);
    set_attention(c, &c->attention[1], (double)m->attention_layers - windowed,
                  (double)m->global_kv_heads, (double)m->global_head_dim, 0);
}

static double state_elements(const struct bp_model *m) {
    double linear = (double)(m->linear_value_heads * m->linear_key_dim * m->linear_value_dim);
    double mamba = (double)(m->mamba_heads * m->mamba_head_dim * m->ssm_state);
    return (double)m->linear_layers * linear + (double)m->mamba_layers * mamba;
}

/* Tokens a step gains: the first for certain, each draft only if all before it were taken. */
static double advance_of(const struct bp_infer_plan *p) {
    double chance = 1, sum = 1;
    int64_t i;
    for (i = 0; i < p->drafts; i++) {
        chance *= p->acceptance;
        sum += chance;
    }
    return sum;
}

static double kernels_of(const struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    return c->layers * (LAYER_KERNELS + (m->kv_lora_rank > 0 ? MLA_KERNELS : 0) +
                        (c->ranks > 1 ? TP_KERNELS : 0)) +
           MOE_KERNELS * c->moe_layers;
}

static double launches_of(const struct bp_infer_case *c) {
    double mla = c->in.model.kv_lora_rank > 0 ? MLA_EAGER : 0;
    double moe = c->in.engine.fused_experts ? 0 : MOE_EAGER;
    return c->kernels + mla * c->layers + moe * c->moe_layers +
           LINEAR_EAGER * (double)c->params.linear_layers;
}

static double elementwise_of(const struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    double dense = (double)c->params.mlp_layers * (double)m->ffn_hidden +
                   c->moe_layers * (double)m->shared_ffn;
    double turned = (double)m->attention_layers * (double)((m->heads + m->kv_heads) * m->head_dim);
    return NORM_BYTES * c->layers * (double)m->hidden +
           (ACTIVATION_BYTES * dense + ROTATION_BYTES * turned) / (double)c->in.plan.tp;
}

int bp_infer_prepare(const struct bp_infer_setup *in, struct bp_infer_case *out,
                     struct bp_error *err) {
    static const struct bp_infer_case empty;
    const struct bp_infer_plan *p = &out->in.plan;
    struct bp_layers layers;
    int code;
    *out = empty;
    out->in = *in;
    code = bp_model_resolve(&out->in.model, err);
    if (code != BP_OK) {
        return code;
    }
    code = check_plan(&out->in, err);
    if (code != BP_OK) {
        return code;
    }
    bp_layers_of(&out->in.model, &layers);
    if (bp_params_count(&out->in.model, &layers, &out->params) != BP_OK) {
        return bp_fail(err, BP_EOVERFLOW, "model", "has more parameters than can be counted");
    }
    out->layers = (double)out->in.model.layers;
    out->ranks = (double)(p->tp * p->dp * p->cp);
    out->kv_value_bytes = bp_format_bytes((enum bp_format)p->kv);
    out->state_bytes = STATE_BYTES * state_elements(&out->in.model) / (double)p->tp;
    out->advance = advance_of(p);
    add_linears(out);
    add_head(out);
    set_attentions(out);
    out->elementwise_bytes = elementwise_of(out);
    out->kernels = kernels_of(out);
    out->launches = launches_of(out);
    return BP_OK;
}

/* Tables and towers stay in 16 bit; of several stages the last has the head, the first the rest. */
static double table_bytes(const struct bp_infer_case *c) {
    const struct bp_params_out *n = &c->params;
    double embedding = (double)(n->embedding + n->positions);
    double head = (double)(n->head > 0 ? n->head : n->embedding);
    double tables = c->in.plan.pp > 1 ? fmax(embedding, head) : embedding + (double)n->head;
    return 2 * (tables + (double)n->extra) / (double)c->in.plan.tp;
}

double bp_infer_weight_bytes(const struct bp_infer_case *c) {
    const struct bp_infer_plan *p = &c->in.plan;
    const struct bp_params_out *n = &c->params;
    double experts = (double)n->expert_params / c->ranks * c->moe_stored_bytes;
    double dense = (double)(n->total_params - n->expert_params - n->embedding - n->positions -
                            n->head - n->extra) /
                   (double)p->tp * bp_format_bytes((enum bp_format)p->weights);
    double drafts = p->drafts > 0 ? (double)n->mtp / c->ranks * c->moe_stored_bytes : 0;
    return (dense + experts) / (double)p->pp + drafts + table_bytes(c);
}

BP_DEFINE_SCHEMA(bp_serving_curves, BP_SERVING_CURVES_FIELDS, "serving_curves",
                 "how fast a device runs what only serving does");
BP_DEFINE_SCHEMA(bp_infer_plan, BP_INFER_PLAN_FIELDS, "serving_plan",
                 "how a replica is spread and in which formats");
BP_DEFINE_SCHEMA(bp_infer_setup, BP_INFER_SETUP_FIELDS, "serving_setup",
                 "what is served, on what, how");
