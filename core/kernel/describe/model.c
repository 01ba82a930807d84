#include "kernel/describe/model.h"

#include <stdbool.h>

BP_DEFINE_ENUM(bp_arch, BP_ARCH);
BP_DEFINE_ENUM(bp_norm, BP_NORM);
BP_DEFINE_SCHEMA(bp_encoder, BP_ENCODER_FIELDS, "encoder", "an encoder beside a decoder");
BP_DEFINE_SCHEMA(bp_model, BP_MODEL_FIELDS, "model", "the shape of a transformer");

/* Every check says whether the model passed and fills err when not, so that checks chain with &&.
 */
static bool fail(struct bp_error *err, const char *field, const char *text) {
    bp_fail(err, BP_EDOMAIN, field, "%s", text);
    return false;
}

static bool need(struct bp_error *err, const char *field, int64_t value, const char *because) {
    if (value < 1) {
        bp_fail(err, BP_EDOMAIN, field, "must be at least 1 %s, got %lld", because,
                (long long)value);
        return false;
    }
    return true;
}

static bool divides(struct bp_error *err, const char *field, int64_t part, int64_t whole,
                    const char *what) {
    if (part < 1 || whole % part != 0) {
        bp_fail(err, BP_EDOMAIN, field, "%lld does not divide %lld %s", (long long)part,
                (long long)whole, what);
        return false;
    }
    return true;
}

static bool at_most(struct bp_error *err, const char *field, int64_t value, int64_t limit,
                    const char *what) {
    if (value > limit) {
        bp_fail(err, BP_EDOMAIN, field, "%lld is more than the %lld %s", (long long)value,
                (long long)limit, what);
        return false;
    }
    return true;
}

static void fill(int64_t *value, int64_t follows) {
    if (*value == 0) {
        *value = follows;
    }
}

static bool check_basics(const struct bp_model *m, struct bp_error *err) {
    return need(err, "model.layers", m->layers, "in any model") &&
           need(err, "model.hidden", m->hidden, "in any model") &&
           need(err, "model.heads", m->heads, "in any model");
}

/* Sums stay far below the int64 limit: every count of layers is at most 100,000. */
static bool resolve_layers(struct bp_model *m, struct bp_error *err) {
    int64_t others = m->linear_layers + m->mamba_layers;
    if (!at_most(err, "model.linear_layers", others, m->layers,
                 "layers (linear_layers and mamba_layers together)")) {
        return false;
    }
    if (m->attention_layers < 0) {
        m->attention_layers = m->layers - others;
    }
    if (m->ffn_layers < 0) {
        m->ffn_layers = m->ffn_hidden > 0 || m->experts > 0 ? m->layers : 0;
    }
    if (m->attention_layers + others + m->ffn_layers < m->layers) {
        return fail(err, "model.layers",
                    "some layers have neither a mixer nor a feed-forward part");
    }
    return at_most(err, "model.attention_layers", m->attention_layers, m->layers - others,
                   "layers that are neither linear nor state space") &&
           at_most(err, "model.ffn_layers", m->ffn_layers, m->layers, "layers");
}

static bool resolve_mla(struct bp_model *m, struct bp_error *err) {
    int64_t width = m->qk_rope_dim + m->qk_nope_dim;
    fill(&m->head_dim, width);
    if (m->head_dim != width) {
        return fail(err, "model.head_dim", "must be qk_nope_dim + qk_rope_dim with kv_lora_rank");
    }
    if (m->qkv_bias || m->attention_gate || m->shared_kv || m->o_lora_rank) {
        return fail(err, "model.kv_lora_rank",
                    "not together with qkv_bias, attention_gate, shared_kv or o_lora_rank");
    }
    return need(err, "model.qk_nope_dim", m->qk_nope_dim, "with kv_lora_rank") &&
           need(err, "model.qk_rope_dim", m->qk_rope_dim, "with kv_lora_rank") &&
           need(err, "model.v_head_dim", m->v_head_dim, "with kv_lora_rank");
}

static bool resolve_head_dim(struct bp_model *m, struct bp_error *err) {
    if (m->attention_layers == 0) {
        fill(&m->head_dim, 1);
    } else if (m->kv_lora_rank > 0) {
        return resolve_mla(m, err);
    } else if (m->head_dim == 0) {
        if (!divides(err, "model.heads", m->heads, m->hidden, "of hidden, so give head_dim")) {
            return false;
        }
        m->head_dim = m->hidden / m->heads;
    }
    return true;
}

static bool resolve_heads(struct bp_model *m, struct bp_error *err) {
    if (!resolve_head_dim(m, err)) {
        return false;
    }
    fill(&m->kv_heads, m->heads);
    fill(&m->v_head_dim, m->head_dim);
    fill(&m->global_kv_heads, m->kv_heads);
    fill(&m->global_head_dim, m->head_dim);
    fill(&m->k_norm_dim, m->qk_norm_dim);
    return divides(err, "model.kv_heads", m->kv_heads, m->heads, "attention heads") &&
           divides(err, "model.global_kv_heads", m->global_kv_heads, m->heads, "attention heads") &&
           divides(err, "model.o_groups", m->o_groups, m->heads, "attention heads");
}

static bool check_index(const struct bp_model *m, struct bp_error *err) {
    return m->index_layers == 0 ||
           (need(err, "model.index_heads", m->index_heads, "with index_layers") &&
            need(err, "model.index_dim", m->index_dim, "with index_layers") &&
            need(err, "model.index_topk", m->index_topk, "with index_layers"));
}

static bool resolve_windows(struct bp_model *m, struct bp_error *err) {
    if (m->window_layers < 0) {
        m->window_layers = m->sliding_window > 0 ? m->attention_layers : 0;
    }
    if (m->window_layers > 0 && m->sliding_window == 0) {
        return fail(err, "model.sliding_window", "must be given with window_layers");
    }
    return at_most(err, "model.window_layers", m->window_layers, m->attention_layers,
                   "attention layers") &&
           at_most(err, "model.index_layers", m->index_layers + m->compress_layers,
                   m->attention_layers, "attention layers (with compress_layers)") &&
           check_index(m, err);
}

static bool check_cross(const struct bp_model *m, struct bp_error *err) {
    if (m->cross_layers > 0 && m->kv_lora_rank > 0) {
        return fail(err, "model.cross_layers", "not together with kv_lora_rank");
    }
    return m->cross_layers == 0 ||
           (need(err, "model.cross_tok", m->cross_tok, "with cross_layers") &&
            at_most(err, "model.cross_layers", m->cross_layers, m->attention_layers,
                    "attention layers"));
}

static bool resolve_dense(struct bp_model *m, struct bp_error *err) {
    if (m->topk > 0 || m->shared_experts > 0 || m->shared_ffn > 0 || m->moe_ffn > 0) {
        return fail(err, "model.experts", "must be given with topk, moe_ffn or shared experts");
    }
    m->dense_layers = m->ffn_layers;
    return true;
}

static bool resolve_moe(struct bp_model *m, struct bp_error *err) {
    fill(&m->moe_ffn, m->ffn_hidden);
    if (m->shared_ffn > 0) {
        fill(&m->shared_experts, 1);
    }
    fill(&m->shared_ffn, m->shared_experts * m->moe_ffn);
    return need(err, "model.topk", m->topk, "with experts") &&
           need(err, "model.moe_ffn", m->moe_ffn, "with experts") &&
           at_most(err, "model.topk", m->topk, m->experts, "experts") &&
           at_most(err, "model.route_groups", m->route_groups, m->experts, "experts") &&
           at_most(err, "model.route_top", m->route_top, m->route_groups, "route_groups") &&
           at_most(err, "model.dense_layers", m->dense_layers, m->ffn_layers,
                   "feed-forward layers");
}

static bool resolve_ffn(struct bp_model *m, struct bp_error *err) {
    if (!(m->experts > 0 ? resolve_moe(m, err) : resolve_dense(m, err))) {
        return false;
    }
    return m->dense_layers == 0 ||
           need(err, "model.ffn_hidden", m->ffn_hidden, "for dense feed-forward layers");
}

static bool check_linear(const struct bp_model *m, struct bp_error *err) {
    return m->linear_layers == 0 ||
           (need(err, "model.linear_value_heads", m->linear_value_heads, "with linear_layers") &&
            divides(err, "model.linear_key_heads", m->linear_key_heads, m->linear_value_heads,
                    "linear_value_heads") &&
            need(err, "model.linear_key_dim", m->linear_key_dim, "with linear_layers") &&
            need(err, "model.linear_value_dim", m->linear_value_dim, "with linear_layers") &&
            need(err, "model.conv_kernel", m->conv_kernel, "with linear_layers"));
}

static bool check_mamba(const struct bp_model *m, struct bp_error *err) {
    return m->mamba_layers == 0 ||
           (need(err, "model.mamba_heads", m->mamba_heads, "with mamba_layers") &&
            need(err, "model.mamba_head_dim", m->mamba_head_dim, "with mamba_layers") &&
            need(err, "model.ssm_state", m->ssm_state, "with mamba_layers") &&
            divides(err, "model.ssm_groups", m->ssm_groups, m->mamba_heads, "mamba_heads") &&
            need(err, "model.conv_kernel", m->conv_kernel, "with mamba_layers"));
}

static bool check_vision(const struct bp_model *m, struct bp_error *err) {
    return m->arch != BP_ARCH_VISION ||
           (need(err, "model.image_size", m->image_size, "for a vision model") &&
            divides(err, "model.patch_size", m->patch_size, m->image_size, "pixels of image_size"));
}

void bp_encoder_model(const struct bp_model *m, struct bp_model *out) {
    const struct bp_encoder *e = &m->encoder;
    bp_defaults(&bp_model_schema, out);
    out->arch = BP_ARCH_ENCODER;
    out->layers = out->attention_layers = out->ffn_layers = out->dense_layers = e->layers;
    out->hidden = out->embedding_dim = e->hidden;
    out->heads = out->kv_heads = out->global_kv_heads = e->heads;
    out->head_dim = out->v_head_dim = out->global_head_dim = e->head_dim;
    out->ffn_hidden = e->ffn_hidden;
    out->gated_mlp = e->gated_mlp;
    out->norm = e->norm;
    out->final_norm = e->final_norm;
    out->embedding_norm = e->embedding_norm;
    out->qkv_bias = e->qkv_bias;
    out->key_bias = e->key_bias;
    out->out_bias = e->out_bias;
    out->mlp_bias = e->mlp_bias;
    out->sliding_window = e->sliding_window;
    out->window_layers = e->window_layers;
    out->learned_positions = e->learned_positions;
    out->relative_buckets = e->relative_buckets;
    out->lm_head = 0;
}

/* Places of an image in the decoder's sequence. */
static bool resolve_images(struct bp_model *m, struct bp_error *err) {
    const struct bp_encoder *e = &m->encoder;
    int64_t side;
    if (!(m->images > 0)) {
        return true;
    }
    if (m->cross_layers > 0) {
        return fail(err, "model.images", "take no places beside cross_layers: give cross_tok");
    }
    if (e->patch_size == 0) {
        return fail(err, "model.images", "need a vision tower: encoder.patch_size");
    }
    side = m->image_size / e->patch_size;
    fill(&m->image_tok, side * side / e->merge);
    return need(err, "model.image_tok", m->image_tok, "with images (or give image_size)");
}

static bool resolve_encoder(struct bp_model *m, struct bp_error *err) {
    struct bp_encoder *e = &m->encoder;
    if (e->layers == 0) {
        return !(m->images > 0) || fail(err, "model.images", "need a vision tower: encoder.layers");
    }
    if (m->arch != BP_ARCH_DECODER) {
        return fail(err, "model.encoder", "is the encoder of a decoder");
    }
    fill(&e->hidden, m->hidden);
    fill(&e->heads, m->heads);
    fill(&e->ffn_hidden, m->ffn_hidden);
    if (e->head_dim == 0 &&
        !divides(err, "model.encoder.heads", e->heads, e->hidden, "of hidden, so give head_dim")) {
        return false;
    }
    fill(&e->head_dim, e->hidden / e->heads);
    if (e->window_layers < 0) {
        e->window_layers = e->sliding_window > 0 ? e->layers : 0;
    }
    fill(&e->projector_hidden,
         e->projector_rank > 0 ? e->projector_rank : (e->pooled ? 1 : e->merge) * e->hidden);
    if (e->projector_layers == 0 && e->merge > 1) {
        return fail(err, "model.encoder.merge", "needs projector_layers");
    }
    if (e->projector_layers == 0 && m->cross_layers == 0 && e->hidden != m->hidden) {
        return fail(err, "model.encoder.projector_layers",
                    "is 0, but the encoder is not as wide as the decoder");
    }
    return need(err, "model.encoder.ffn_hidden", e->ffn_hidden, "in any encoder") &&
           at_most(err, "model.encoder.window_layers", e->window_layers, e->layers,
                   "layers of the encoder") &&
           resolve_images(m, err);
}

int bp_model_resolve(struct bp_model *model, struct bp_error *err) {
    bool ok = check_basics(model, err) && resolve_layers(model, err) && resolve_heads(model, err) &&
              resolve_windows(model, err) && resolve_ffn(model, err) && check_cross(model, err) &&
              check_linear(model, err) && check_mamba(model, err) && check_vision(model, err) &&
              resolve_encoder(model, err);
    fill(&model->embedding_dim, model->hidden);
    return ok ? BP_OK : BP_EDOMAIN;
}
