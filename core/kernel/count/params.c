#include "kernel/count/params.h"

#include "kernel/layer/encoder.h"
#include "kernel/layer/layer.h"
#include "kernel/registry.h"

BP_DEFINE_SCHEMA(bp_params_in, BP_PARAMS_IN_FIELDS, "params", "what is counted");
BP_DEFINE_SCHEMA(bp_params_out, BP_PARAMS_OUT_FIELDS, "params", "parameters by part");

/*
** Counting is done in double: whole numbers are exact up to 2^53 and larger ones do not
** wrap, so one comparison at the end finds every overflow.
*/
static const double EXACT = 9007199254740992.0; /* 2^53 */

static struct bp_part_params matrix(double rows, double columns) {
    return (struct bp_part_params){rows * columns, rows * columns};
}

static struct bp_part_params table(double count) {
    return (struct bp_part_params){count, 0};
}

static struct bp_part_params sum(struct bp_part_params a, struct bp_part_params b) {
    return (struct bp_part_params){a.all + b.all, a.matmul + b.matmul};
}

static struct bp_part_params times(struct bp_part_params a, double n) {
    return (struct bp_part_params){a.all * n, a.matmul * n};
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
** Hyper-connections: before and after each of two sub-layers, n streams of width h give n read, n
** write and n*n mixing weights; at the end n read weights.
** mHC, arXiv:2512.24880 (2025); layout of the DeepSeek-V4 inference code (2026).
*/
static struct bp_part_params residual(const struct bp_model *m) {
    double n = (double)m->residual_streams, width = n * (double)m->hidden, mixes = (2 + n) * n;
    struct bp_part_params layer = sum(matrix(mixes, width), table(mixes + 3));
    if (m->residual_streams == 1) {
        return table(0);
    }
    return sum(times(layer, 2 * (double)m->layers), sum(matrix(n, width), table(n + 1)));
}

static struct bp_part_params embedding(const struct bp_model *m) {
    double h = (double)m->hidden, e = (double)m->embedding_dim, patch = (double)m->patch_size;
    struct bp_part_params p = table((double)m->vocab * e);
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
static struct bp_part_params head(const struct bp_model *m) {
    double h = (double)m->hidden, classes = (double)m->classes;
    struct bp_part_params p = table((h + 1) * classes + (m->pooler ? h * h + h : 0));
    if (m->lm_head && m->vocab > 0) {
        struct bp_part_params vocabulary = matrix((double)m->embedding_dim, (double)m->vocab);
        vocabulary.all = m->tied_embeddings ? 0 : vocabulary.all;
        p = sum(p, vocabulary);
        p.all += m->head_bias ? (double)m->vocab : 0;
        if (m->embedding_dim != m->hidden) {
            p = sum(p, matrix(h, (double)m->embedding_dim));
        }
    }
    return p;
}

static struct bp_part_params all_blocks(const struct bp_model *m, const struct bp_layers *layers) {
    struct bp_part_params all = {0, 0};
    int block;
    for (block = 0; block < BP_BLOCKS; block++) {
        all = sum(all, times(layers->blocks[block], bp_block_layers(m, (enum bp_block)block)));
    }
    return all;
}

/* Where no layer has a window, the attention of one is that of the others. */
static void report_attention(const struct bp_model *m, const struct bp_part_params parts[BP_BLOCKS],
                             struct bp_params_out *out) {
    double all = 0;
    int block;
    for (block = 0; block < BP_BLOCKS; block++) {
        if (bp_block_attends((enum bp_block)block)) {
            all += bp_block_layers(m, (enum bp_block)block) * parts[block].all;
        }
    }
    out->attention = (int64_t)all;
    out->attention_layer =
        (int64_t)parts[m->window_layers > 0 ? BP_BLOCK_WINDOWED : BP_BLOCK_GLOBAL].all;
    out->global_layer = (int64_t)parts[BP_BLOCK_GLOBAL].all;
    out->index_layer = (int64_t)parts[BP_BLOCK_INDEX].all;
    out->compress_layer = (int64_t)parts[BP_BLOCK_COMPRESS].all;
    out->attention_layers = m->attention_layers;
    out->global_layers = m->attention_layers - m->window_layers;
}

static void report_recurrent(const struct bp_model *m, const struct bp_part_params parts[BP_BLOCKS],
                             struct bp_params_out *out) {
    out->linear_layer = (int64_t)parts[BP_BLOCK_LINEAR].all;
    out->linear = out->linear_layer * m->linear_layers;
    out->mamba_layer = (int64_t)parts[BP_BLOCK_MAMBA].all;
    out->mamba = out->mamba_layer * m->mamba_layers;
    out->linear_layers = m->linear_layers;
    out->mamba_layers = m->mamba_layers;
}

static void report_ffn(const struct bp_model *m, const struct bp_layers *layers,
                       struct bp_params_out *out) {
    const struct bp_part_params *parts = layers->blocks;
    out->mlp_layers = m->dense_layers;
    out->moe_layers = m->ffn_layers - m->dense_layers;
    out->mlp_layer = (int64_t)parts[BP_BLOCK_MLP].all;
    out->mlp = out->mlp_layer * out->mlp_layers;
    out->router = (int64_t)bp_role_params(&layers->stack, BP_ROLE_ROUTER, 0).all;
    out->expert = (int64_t)bp_role_params(&layers->stack, BP_ROLE_EXPERT, 1).all;
    out->shared = (int64_t)bp_role_params(&layers->stack, BP_ROLE_SHARED, 0).all;
    out->moe_layer = (int64_t)parts[BP_BLOCK_MOE].all;
    out->moe = out->moe_layer * out->moe_layers;
    out->expert_params = out->expert * m->experts * out->moe_layers;
}

/* Two norms of the layers' kind, and three that join: DeepSeek-V3, arXiv:2412.19437, section 2.2. */
static double mtp_norms(const struct bp_model *m) {
    double sublayers =
        (double)(m->attention_layers + m->linear_layers + m->mamba_layers + m->ffn_layers);
    double norms = 2 * (double)(m->norms_per_layer * m->layers) / sublayers + 3;
    return norms * norm_width(m, (double)m->hidden);
}

/* What is no layer: tables, head, norms, mixing of streams. */
struct outside {
    struct bp_part_params embedding, head, residual;
    double positions, norm_layer, norms;
};

static struct outside outside_of(const struct bp_model *m) {
    double h = (double)m->hidden, norm = norm_width(m, h);
    struct outside o = {embedding(m), head(m), residual(m), 0, 0, 0};
    o.positions = (double)(m->learned_positions + m->token_types) * h +
                  (double)(m->relative_buckets * m->heads) +
                  (double)(m->vocab * m->layers) * (double)m->layer_embedding;
    o.norm_layer = norm * (double)m->norms_per_layer;
    o.norms = o.norm_layer * (double)m->layers + norm * (m->final_norm + m->embedding_norm);
    return o;
}

static struct bp_part_params outside_sum(const struct outside *o) {
    return sum(sum(o->embedding, o->head), sum(o->residual, table(o->positions + o->norms)));
}

static void report_outside(const struct outside *o, struct bp_params_out *out) {
    out->embedding = (int64_t)o->embedding.all;
    out->positions = (int64_t)o->positions;
    out->head = (int64_t)o->head.all;
    out->norm_layer = (int64_t)o->norm_layer;
    out->norms = (int64_t)o->norms;
    out->residual = (int64_t)o->residual.all;
}

static double mtp_params(const struct bp_model *m, const struct bp_layer *mtp) {
    return bp_layer_params(mtp, (double)m->experts).all + mtp_norms(m);
}

/* Embedding and head of a prediction layer are those of the model. */
static void report_mtp(const struct bp_model *m, const struct bp_layer *mtp,
                       struct bp_params_out *out) {
    double layers = (double)m->mtp_layers, all = mtp_params(m, mtp);
    double active = bp_layer_params(mtp, (double)m->topk).matmul + head(m).matmul;
    out->mtp_layer = (int64_t)(layers > 0 ? all : 0);
    out->mtp = (int64_t)(layers * all);
    out->mtp_matmul_active = (int64_t)(layers * active);
}

/* Every parameter of a model's own layers and of what surrounds them. */
static double own_params(const struct bp_model *m, const struct bp_layers *layers) {
    struct outside rest = outside_of(m);
    return sum(outside_sum(&rest), all_blocks(m, layers)).all;
}

/* all: with the projector. The encoder is a model of its own, with neither vocabulary nor encoder. */
struct encoder_params {
    double all, projector;
};

static struct encoder_params encoder_params(const struct bp_model *m) {
    struct encoder_params sum = {0, 0};
    struct bp_encoder_lists lists;
    if (bp_encoder_lists(m, &lists)) {
        sum.projector = bp_layer_params(&lists.projector, 0).all;
        sum.all = own_params(&lists.model, &lists.layers) + bp_layer_params(&lists.front, 0).all +
                  sum.projector;
    }
    return sum;
}

int bp_params_count(const struct bp_model *model, const struct bp_layers *layers,
                    struct bp_params_out *out) {
    struct outside rest = outside_of(model);
    struct bp_part_params all = all_blocks(model, layers), active = all;
    struct encoder_params encoder = encoder_params(model);
    if (model->experts > 0) {
        active = bp_layer_params(&layers->stack, (double)model->topk);
    }
    all = sum(outside_sum(&rest), all);
    active = sum(outside_sum(&rest), active);
    if (!(all.all + encoder.all + (double)model->extra_params +
              (double)model->mtp_layers * mtp_params(model, &layers->mtp) <
          EXACT)) {
        return BP_EOVERFLOW;
    }
    report_outside(&rest, out);
    report_attention(model, layers->blocks, out);
    report_recurrent(model, layers->blocks, out);
    report_ffn(model, layers, out);
    report_mtp(model, &layers->mtp, out);
    out->encoder = (int64_t)encoder.all;
    out->projector = (int64_t)encoder.projector;
    out->extra = model->extra_params;
    out->total_params = (int64_t)all.all + out->encoder + out->extra;
    out->active_params = (int64_t)active.all;
    out->matmul_params_active = (int64_t)active.matmul;
    return BP_OK;
}

int bp_model_ready(const struct bp_model *model, struct bp_ready_model *out, struct bp_error *err) {
    int code;
    out->model = *model;
    code = bp_model_resolve(&out->model, err);
    if (code != BP_OK) {
        return code;
    }
    bp_layers_of(&out->model, &out->layers);
    code = bp_params_count(&out->model, &out->layers, &out->params);
    return code == BP_OK ? BP_OK
                         : bp_fail(err, code, "model", "has more parameters than can be counted");
}

int bp_params(const struct bp_params_in *in, struct bp_params_out *out, struct bp_error *err) {
    struct bp_ready_model ready;
    int code = bp_model_ready(&in->model, &ready, err);
    if (code == BP_OK) {
        *out = ready.params;
    }
    return code;
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
