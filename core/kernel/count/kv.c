#include "kernel/count/kv.h"

#include "kernel/registry.h"

#include <math.h>

/* Elements per token and layer; split: what tensor parallelism can divide at most. */
struct width {
    double elements, split;
};

/* MLA caches one compressed vector and the rotary key, which every rank needs whole. */
static struct width latent(const struct bp_model *m) {
    return (struct width){(double)(m->kv_lora_rank + m->qk_rope_dim), 1};
}

static struct width grouped(double kv, double key, double value, int shared) {
    return (struct width){kv * (key + (shared ? 0 : value)), kv};
}

static struct width windowed_layer(const struct bp_model *m) {
    return m->kv_lora_rank > 0 ? latent(m)
                               : grouped((double)m->kv_heads, (double)m->head_dim,
                                         (double)m->v_head_dim, m->shared_kv);
}

static struct width global_layer(const struct bp_model *m) {
    double d = (double)m->global_head_dim;
    double value = d * (double)m->v_head_dim / (double)m->head_dim;
    return m->kv_lora_rank > 0
               ? latent(m)
               : grouped((double)m->global_kv_heads, d, value, m->shared_kv || m->global_shared_kv);
}

/* Tokens one layer of each kind keeps of a sequence of n. */
struct kept {
    double windowed, global, indexed, compressed;
};

/*
** A windowed layer forgets. Layers with compressed keys hold one for every `ratio` tokens besides
** their window; an indexed layer also holds the small keys that its indexer scores.
*/
static struct kept kept_of(const struct bp_model *m, double n) {
    struct kept k;
    k.windowed = m->sliding_window > 0 ? fmin(n, (double)m->sliding_window) : n;
    k.global = n;
    k.indexed = n / (double)m->index_ratio;
    k.compressed = n / (double)m->compress_ratio;
    return k;
}

/* sum over layers of tokens * elements / tp, without and with the split that tp really reaches. */
struct sizes {
    double all, device;
};

static void add(struct sizes *s, double layers, double tokens, struct width w, double tp) {
    double elements = layers * tokens * w.elements;
    s->all += elements;
    s->device += elements / fmin(tp, w.split);
}

/*
** Far keys of an indexed or compressed layer come on top of its window; where nothing is pooled
** (ratio 1) the layer's own keys already are all of them.
*/
static struct sizes cache_elements(const struct bp_model *m, double n, double tp) {
    struct sizes s = {0, 0};
    struct kept k = kept_of(m, n);
    double windowed = (double)m->window_layers;
    double global = (double)(m->attention_layers - m->window_layers);
    struct width index_key = {(double)m->index_dim, 1};
    add(&s, windowed, k.windowed, windowed_layer(m), tp);
    add(&s, global, k.global, global_layer(m), tp);
    add(&s, (double)m->index_layers, k.indexed, index_key, tp);
    if (m->index_ratio > 1) {
        add(&s, (double)m->index_layers, k.indexed, windowed_layer(m), tp);
    }
    if (m->compress_ratio > 1) {
        add(&s, (double)m->compress_layers, k.compressed, windowed_layer(m), tp);
    }
    return s;
}

/* State matrices and the last taps of the convolution, per sequence. */
static struct sizes state_elements(const struct bp_model *m, double tp) {
    struct sizes s = {0, 0};
    double taps = (double)(m->conv_kernel > 0 ? m->conv_kernel - 1 : 0);
    double heads = (double)m->linear_value_heads, key = (double)m->linear_key_dim;
    double value = (double)m->linear_value_dim;
    double conv = 2 * (double)m->linear_key_heads * key + heads * value;
    double inner = (double)(m->mamba_heads * m->mamba_head_dim);
    double mamba_conv = inner + 2 * (double)(m->ssm_groups * m->ssm_state);
    struct width linear = {heads * key * value + taps * conv, heads};
    struct width mamba = {inner * (double)m->ssm_state + taps * mamba_conv, (double)m->mamba_heads};
    if (m->linear_layers > 0) {
        add(&s, (double)m->linear_layers, 1, linear, tp);
    }
    if (m->mamba_layers > 0) {
        add(&s, (double)m->mamba_layers, 1, mamba, tp);
    }
    return s;
}

int bp_kv_cache(const struct bp_kv_cache_in *in, struct bp_kv_cache_out *out,
                struct bp_error *err) {
    struct bp_model m = in->model;
    struct sizes cache, state, first;
    double stages = (double)in->pp, device;
    int code = bp_model_resolve(&m, err);
    if (code != BP_OK) {
        return code;
    }
    cache = cache_elements(&m, in->tokens, (double)in->tp);
    state = state_elements(&m, (double)in->tp);
    first = cache_elements(&m, 1, (double)in->tp);
    out->bytes_per_token = first.all * in->bytes_per_value;
    out->state_bytes = state.all * in->state_bytes_per_value;
    out->sequence_bytes = cache.all * in->bytes_per_value + out->state_bytes;
    out->total_bytes = in->sequences * out->sequence_bytes;
    /* The fullest stage has the rounded-up share of the layers. */
    device = (cache.device * in->bytes_per_value + state.device * in->state_bytes_per_value) *
             ceil((double)m.layers / stages) / (double)m.layers;
    out->device_bytes = in->sequences * device;
    out->max_sequences = in->pool_bytes > 0 && device > 0 ? floor(in->pool_bytes / device) : 0;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_kv_cache_in, BP_KV_CACHE_IN_FIELDS, "kv_cache", "sequences that are served");
BP_DEFINE_SCHEMA(bp_kv_cache_out, BP_KV_CACHE_OUT_FIELDS, "kv_cache result",
                 "bytes their past takes");
BP_DEFINE_KERNEL(kv_cache, "Bytes of the key/value cache",
                 "per token and layer: kv_heads (head_dim + v_head_dim) bytes_per_value, MLA "
                 "(kv_lora_rank + qk_rope_dim) bytes_per_value; windowed layers keep at most "
                 "sliding_window tokens; compressed keys one per ratio tokens; linear and "
                 "state-space layers a state of fixed size",
                 "pages, fragmentation and alignment come on top; layers of one kind evenly over "
                 "stages; heads divide over tp up to kv_heads, the rest replicates",
                 "arithmetic from the shapes; MLA: DeepSeek-V2, arXiv:2405.04434 section 2.1; GQA: "
                 "arXiv:2305.13245");
