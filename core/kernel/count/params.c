#include "kernel/count/params.h"

#include "kernel/registry.h"

BP_DEFINE_SCHEMA(bp_params_in, BP_PARAMS_IN_FIELDS, "params", "what is counted");
BP_DEFINE_SCHEMA(bp_params_out, BP_PARAMS_OUT_FIELDS, "params", "parameters by part");

/*
** Counting is done in double: whole numbers are exact up to 2^53 and larger ones do not
** wrap, so one comparison at the end finds every overflow.
*/
static const double EXACT = 9007199254740992.0; /* 2^53 */

/* all: every parameter; matmul: those of them that multiply each token, as a matrix or filter. */
struct part {
    double all, matmul;
};

static struct part matrix(double rows, double columns) {
    return (struct part){rows * columns, rows * columns};
}

static struct part table(double count) {
    return (struct part){count, 0};
}

static struct part sum(struct part a, struct part b) {
    return (struct part){a.all + b.all, a.matmul + b.matmul};
}

static struct part times(struct part a, double n) {
    return (struct part){a.all * n, a.matmul * n};
}

static double norm_width(const struct bp_model *m, double width) {
    switch (m->norm) {
    case BP_NORM_LAYER:
        return 2 * width;
    case BP_NORM_NONE:
        return 0;
    case BP_NORM_RMS:
    default:
        return width;
    }
}

/*
** Multi-head latent attention: query through q_lora_rank or directly, keys and values through
** kv_lora_rank with a rotary key beside it, one norm on each rank.
** DeepSeek-V2, arXiv:2405.04434 (2024), section 2.1.
*/
static struct part latent_attention(const struct bp_model *m) {
    double h = (double)m->hidden, a = (double)m->heads, d = (double)m->head_dim;
    double ql = (double)m->q_lora_rank, kl = (double)m->kv_lora_rank;
    double nope_and_value = (double)(m->qk_nope_dim + m->v_head_dim);
    struct part p = ql > 0 ? sum(matrix(h, ql), matrix(ql, a * d)) : matrix(h, a * d);
    p = sum(p, matrix(h, kl + (double)m->qk_rope_dim));
    p = sum(p, matrix(kl, a * nope_and_value));
    p = sum(p, matrix(a * (double)m->v_head_dim, h));
    p.all += ql + kl + (m->out_bias ? h : 0);
    return p;
}

/* One low-rank matrix per group of heads, then one back to hidden; or a single matrix. */
static struct part output_projection(const struct bp_model *m, double width) {
    double h = (double)m->hidden, rank = (double)m->o_lora_rank, groups = (double)m->o_groups;
    struct part p =
        rank > 0 ? sum(matrix(width, rank), matrix(groups * rank, h)) : matrix(width, h);
    p.all += m->out_bias ? h : 0;
    return p;
}

static struct part grouped_attention(const struct bp_model *m, double d, double v, double kv,
                                     int shared_kv) {
    double h = (double)m->hidden, a = (double)m->heads, ql = (double)m->q_lora_rank;
    double query = a * d * (m->attention_gate ? 2 : 1);
    double key_value = kv * d + (shared_kv ? 0 : kv * v);
    struct part p = ql > 0 ? sum(matrix(h, ql), matrix(ql, query)) : matrix(h, query);
    p = sum(p, matrix(h, key_value));
    p = sum(p, output_projection(m, a * v));
    p.all += ql; /* norm on the compressed query */
    p.all += m->qkv_bias ? query + key_value : 0;
    p.all += (double)(m->qk_norm_dim + m->k_norm_dim) * d / (double)m->head_dim;
    p.all += m->attention_sinks ? a : 0;
    return p;
}

static struct part attention_layer(const struct bp_model *m) {
    if (m->kv_lora_rank > 0) {
        return latent_attention(m);
    }
    return grouped_attention(m, (double)m->head_dim, (double)m->v_head_dim, (double)m->kv_heads,
                             m->shared_kv);
}

/* Query and key norms of a layer without window scale with its head width. */
static struct part global_layer(const struct bp_model *m) {
    double d = (double)m->global_head_dim;
    if (m->kv_lora_rank > 0) {
        return latent_attention(m);
    }
    return grouped_attention(m, d, d * (double)m->v_head_dim / (double)m->head_dim,
                             (double)m->global_kv_heads, m->shared_kv || m->global_shared_kv);
}

/*
** Keys of far tokens pooled over ratio tokens: values and gates of width columns (twice where
** neighbouring windows overlap), a learned position per token of the window, a norm.
** DeepSeek-V4 inference code (2026), class Compressor; checked against the published total.
*/
static struct part compressor(const struct bp_model *m, double width, double ratio,
                              double overlap) {
    struct part p = times(matrix((double)m->hidden, overlap * width), 2);
    p.all += ratio * overlap * width + width;
    return p;
}

/*
** The indexer scores far keys with small heads: query, one key (or its compressor) and a weight per
** head. DeepSeek-V3.2 technical report (2025), section 2.1, and its inference code.
*/
static struct part index_layer(const struct bp_model *m) {
    double h = (double)m->hidden, n = (double)m->index_heads, d = (double)m->index_dim;
    double from = m->q_lora_rank > 0 ? (double)m->q_lora_rank : h;
    struct part p = sum(matrix(from, n * d), matrix(h, n));
    if (m->index_ratio > 1) {
        p = sum(p, compressor(m, d, (double)m->index_ratio, 2));
        return sum(p, compressor(m, (double)m->head_dim, (double)m->index_ratio, 2));
    }
    return sum(sum(p, matrix(h, d)), table(2 * d));
}

static struct part compress_layer(const struct bp_model *m) {
    return compressor(m, (double)m->head_dim, (double)m->compress_ratio, 1);
}

/*
** Gated delta net: query, key, value, output gate, two scalars per value head, causal convolution
** over query, key and value. Yang et al., arXiv:2412.06464 (2024); layout of Qwen3-Next.
*/
static struct part linear_layer(const struct bp_model *m) {
    double h = (double)m->hidden, heads = (double)m->linear_value_heads;
    double key = (double)(m->linear_key_heads * m->linear_key_dim);
    double value = heads * (double)m->linear_value_dim;
    double conv = 2 * key + value;
    struct part p = matrix(h, 2 * key + 2 * value + 2 * heads);
    p = sum(p, matrix(conv, (double)m->conv_kernel));
    p = sum(p, matrix(value, h));
    p.all += 2 * heads + (double)m->linear_value_dim; /* decay, time step; output norm */
    p.all += m->conv_bias ? conv : 0;
    return p;
}

/*
** Mamba-2: one projection to gate, x, B, C and time step, causal convolution over x, B and
** C, output projection. Dao and Gu, arXiv:2405.21060 (2024), section 7.
*/
static struct part mamba_layer(const struct bp_model *m) {
    double h = (double)m->hidden, heads = (double)m->mamba_heads;
    double inner = heads * (double)m->mamba_head_dim;
    double conv = inner + 2 * (double)m->ssm_groups * (double)m->ssm_state;
    struct part p = matrix(h, inner + conv + heads);
    p = sum(p, matrix(conv, (double)m->conv_kernel));
    p = sum(p, matrix(inner, h));
    p.all += 3 * heads + inner; /* A, D and time-step bias; norm before the output */
    p.all += m->conv_bias ? conv : 0;
    return p;
}

static struct part mlp(const struct bp_model *m, double in, double width) {
    double inward = m->gated_mlp ? 2 : 1;
    struct part p = sum(times(matrix(in, width), inward), matrix(width, in));
    p.all += m->mlp_bias ? inward * width + in : 0;
    return p;
}

/* Sizes of one MoE layer. latent: down and up projection around the routed experts. */
struct moe {
    struct part router, expert, shared, latent;
};

static struct moe moe_parts(const struct bp_model *m) {
    double h = (double)m->hidden, latent = (double)m->moe_latent;
    struct moe e = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    e.router = matrix(h, (double)m->experts);
    e.router.all += m->router_bias ? (double)m->experts : 0;
    e.expert = mlp(m, latent > 0 ? latent : h, (double)m->moe_ffn);
    e.latent = times(matrix(h, latent), 2);
    if (m->shared_ffn > 0) {
        e.shared = sum(mlp(m, h, (double)m->shared_ffn), matrix(h, m->shared_gate ? 1 : 0));
    }
    return e;
}

static struct part moe_layer(const struct moe *e, double experts) {
    struct part p = sum(sum(e->router, e->shared), e->latent);
    return sum(p, times(e->expert, experts));
}

/*
** Hyper-connections: before and after each of two sub-layers, n streams of width h give n read, n
** write and n*n mixing weights; at the end n read weights.
** mHC, arXiv:2512.24880 (2025); layout of the DeepSeek-V4 inference code (2026).
*/
static struct part residual(const struct bp_model *m) {
    double n = (double)m->residual_streams, width = n * (double)m->hidden, mixes = (2 + n) * n;
    struct part layer = sum(matrix(mixes, width), table(mixes + 3));
    if (m->residual_streams == 1) {
        return table(0);
    }
    return sum(times(layer, 2 * (double)m->layers), sum(matrix(n, width), table(n + 1)));
}

static struct part embedding(const struct bp_model *m) {
    double h = (double)m->hidden, e = (double)m->embedding_dim, patch = (double)m->patch_size;
    struct part p = table((double)m->vocab * e);
    if (m->embedding_dim != m->hidden) {
        p = sum(p, matrix(e, h));
    }
    if (m->arch == BP_ARCH_VISION) {
        p = sum(p, matrix((double)m->channels * patch * patch, h));
        p.all += (m->patch_bias ? h : 0) + (double)m->class_tokens * h;
    }
    return p;
}

/* Class head and pooler work once per sequence, not per token: no matmul here. */
static struct part head(const struct bp_model *m) {
    double h = (double)m->hidden, classes = (double)m->classes;
    struct part p = table((h + 1) * classes + (m->pooler ? h * h + h : 0));
    if (m->lm_head && m->vocab > 0) {
        struct part vocabulary = matrix((double)m->embedding_dim, (double)m->vocab);
        vocabulary.all = m->tied_embeddings ? 0 : vocabulary.all;
        p = sum(p, vocabulary);
        p.all += m->head_bias ? (double)m->vocab : 0;
        if (m->embedding_dim != m->hidden) {
            p = sum(p, matrix(h, (double)m->embedding_dim));
        }
    }
    return p;
}

struct counts {
    struct part embedding, positions, head, attention, global, index, compress, linear, mamba, mlp;
    struct part all_attention, residual;
    struct moe moe;
    double norm_layer, norms, global_layers, moe_layers;
};

/* A kind of layer the model does not have counts as nothing. */
static struct part of(struct part layer, int64_t layers) {
    return layers > 0 ? layer : table(0);
}

static void count_mixers(const struct bp_model *m, struct counts *c) {
    int64_t global = m->attention_layers - m->window_layers;
    c->attention = of(attention_layer(m), m->attention_layers);
    c->global = of(global_layer(m), global);
    c->index = of(index_layer(m), m->index_layers);
    c->compress = of(compress_layer(m), m->compress_layers);
    c->linear = of(linear_layer(m), m->linear_layers);
    c->mamba = of(mamba_layer(m), m->mamba_layers);
    c->global_layers = (double)global;
    c->all_attention =
        sum(times(c->attention, (double)m->window_layers), times(c->global, c->global_layers));
    c->all_attention = sum(c->all_attention, times(c->index, (double)m->index_layers));
    c->all_attention = sum(c->all_attention, times(c->compress, (double)m->compress_layers));
}

/*
** A prediction layer: an attention and a feed-forward sub-layer as in the model, a matrix that
** joins hidden state and next embedding, three norms; embedding and head are those of the model.
** DeepSeek-V3, arXiv:2412.19437 (2024), section 2.2.
*/
static struct part mtp_layer(const struct bp_model *m, const struct counts *c, double experts) {
    double h = (double)m->hidden;
    double sublayers =
        (double)(m->attention_layers + m->linear_layers + m->mamba_layers + m->ffn_layers);
    double norms = 2 * (double)(m->norms_per_layer * m->layers) / sublayers + 3;
    struct part ffn = c->moe_layers > 0 ? moe_layer(&c->moe, experts) : c->mlp;
    struct part p = sum(c->global_layers > 0 ? c->global : c->attention, ffn);
    return sum(sum(p, matrix(2 * h, h)), table(norms * norm_width(m, h)));
}

static void count_all(const struct bp_model *m, struct counts *c) {
    double h = (double)m->hidden;
    *c = (struct counts){0};
    c->embedding = embedding(m);
    c->positions = table((double)(m->learned_positions + m->token_types) * h);
    c->head = head(m);
    count_mixers(m, c);
    c->mlp = of(mlp(m, h, (double)m->ffn_hidden), m->dense_layers);
    c->moe_layers = (double)(m->ffn_layers - m->dense_layers);
    if (c->moe_layers > 0) {
        c->moe = moe_parts(m);
    }
    c->residual = residual(m);
    c->norm_layer = norm_width(m, h) * (double)m->norms_per_layer;
    c->norms =
        c->norm_layer * (double)m->layers + norm_width(m, h) * (m->final_norm + m->embedding_norm);
}

/* The whole stack with so many experts per MoE layer. */
static struct part stack(const struct bp_model *m, const struct counts *c, double experts) {
    struct part p = sum(sum(c->embedding, c->positions), sum(c->head, c->all_attention));
    p = sum(p, times(c->linear, (double)m->linear_layers));
    p = sum(p, times(c->mamba, (double)m->mamba_layers));
    p = sum(p, times(c->mlp, (double)m->dense_layers));
    p = sum(p, times(moe_layer(&c->moe, experts), c->moe_layers));
    return sum(sum(p, c->residual), table(c->norms));
}

static void report_mixers(const struct bp_model *m, const struct counts *c,
                          struct bp_params_out *out) {
    out->attention_layer = (int64_t)c->attention.all;
    out->global_layer = (int64_t)c->global.all;
    out->index_layer = (int64_t)c->index.all;
    out->compress_layer = (int64_t)c->compress.all;
    out->attention = (int64_t)c->all_attention.all;
    out->linear_layer = (int64_t)c->linear.all;
    out->linear = out->linear_layer * m->linear_layers;
    out->mamba_layer = (int64_t)c->mamba.all;
    out->mamba = out->mamba_layer * m->mamba_layers;
    out->attention_layers = m->attention_layers;
    out->global_layers = m->attention_layers - m->window_layers;
    out->linear_layers = m->linear_layers;
    out->mamba_layers = m->mamba_layers;
}

static void report_ffn(const struct bp_model *m, const struct counts *c,
                       struct bp_params_out *out) {
    out->mlp_layers = m->dense_layers;
    out->moe_layers = m->ffn_layers - m->dense_layers;
    out->mlp_layer = (int64_t)c->mlp.all;
    out->mlp = out->mlp_layer * out->mlp_layers;
    out->router = (int64_t)c->moe.router.all;
    out->expert = (int64_t)c->moe.expert.all;
    out->shared = (int64_t)c->moe.shared.all;
    out->moe_layer = (int64_t)moe_layer(&c->moe, (double)m->experts).all;
    out->moe = out->moe_layer * out->moe_layers;
    out->expert_params = out->expert * m->experts * out->moe_layers;
}

static void report_mtp(const struct bp_model *m, const struct counts *c,
                       struct bp_params_out *out) {
    double layers = (double)m->mtp_layers;
    struct part all = mtp_layer(m, c, (double)m->experts);
    struct part active = sum(mtp_layer(m, c, (double)m->topk), c->head);
    out->mtp_layer = (int64_t)(layers > 0 ? all.all : 0);
    out->mtp = (int64_t)(layers * all.all);
    out->mtp_matmul_active = (int64_t)(layers * active.matmul);
}

int bp_params_count(const struct bp_model *model, struct bp_params_out *out) {
    struct counts c;
    struct part all, active;
    double mtp;
    count_all(model, &c);
    all = stack(model, &c, (double)model->experts);
    active = stack(model, &c, (double)model->topk);
    mtp = (double)model->mtp_layers * mtp_layer(model, &c, (double)model->experts).all;
    if (!(all.all + (double)model->extra_params + mtp < EXACT)) {
        return BP_EOVERFLOW;
    }
    out->embedding = (int64_t)c.embedding.all;
    out->positions = (int64_t)c.positions.all;
    out->head = (int64_t)c.head.all;
    report_mixers(model, &c, out);
    report_ffn(model, &c, out);
    out->norm_layer = (int64_t)c.norm_layer;
    out->norms = (int64_t)c.norms;
    out->residual = (int64_t)c.residual.all;
    report_mtp(model, &c, out);
    out->extra = model->extra_params;
    out->total_params = (int64_t)all.all + out->extra;
    out->active_params = (int64_t)active.all;
    out->matmul_params_active = (int64_t)active.matmul;
    return BP_OK;
}

int bp_params(const struct bp_params_in *in, struct bp_params_out *out, struct bp_error *err) {
    struct bp_model model = in->model;
    int code = bp_model_resolve(&model, err);
    if (code) {
        return code;
    }
    if (bp_params_count(&model, out)) {
        return bp_fail(err, BP_EOVERFLOW, "model", "has more than 2^53 parameters");
    }
    return BP_OK;
}

BP_DEFINE_KERNEL(
    params, "Parameters of a model by part, in all, and per token",
    "attention h a d + 2 h kv d + a d h, MLA h ql + ql a (nope + rope) + h (kvl + rope) + kvl a "
    "(nope "
    "+ v) + a v h; mlp 2 h f, gated 3 h f; moe h E + E expert + shared; embedding V h, twice when "
    "not tied; biases, norms, positions, linear attention and state-space mixers by their shape",
    "exact where the shape determines the count; quantisation scales, rotary tables and buffers "
    "are "
    "not parameters; active_params takes topk of the experts and the whole embedding and head, "
    "multi-token-prediction layers are counted apart",
    "arXiv:1706.03762; arXiv:2405.04434 section 2.1; arXiv:2405.21060 section 7; arXiv:2412.06464; "
    "arXiv:2412.19437 section 2.2; checked against published counts in tests/c/test_params.c");
