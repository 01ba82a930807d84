#include "kernel/count/kv.h"

#include "kernel/layer/layer.h"
#include "kernel/registry.h"

#include <math.h>

/* Elements over all layers, in all and on one of tp ranks, which divide them over heads. */
struct sizes {
    double all, device;
};

static void add(struct sizes *s, double elements, double heads, double tp) {
    s->all += elements;
    s->device += elements / fmin(tp, heads);
}

/*
** A windowed layer forgets all but a share, if it may keep one: beside compressed keys nobody does.
** Compressed keys are one for every `ratio` tokens.
*/
static struct sizes cache_elements(const struct bp_layer *list, double n, double kept, double tp) {
    struct sizes s = {0, 0};
    double least = list->caches > 0 ? 0 : kept * n;
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        double tokens = op->window > 0 ? fmax(fmin(n, op->window), least) : n;
        if (op->others > 0) {
            continue;
        }
        add(&s, op->count * tokens * (op->cached_heads * op->cached_width), op->cached_heads, tp);
    }
    for (i = 0; i < list->caches; i++) {
        const struct bp_op_cache *op = &list->cache[i];
        add(&s, op->count * (n / op->ratio) * (op->heads * op->width), op->heads, tp);
    }
    return s;
}

/* Keys and values of another stack, whatever a sequence's own length. */
static struct sizes other_elements(const struct bp_layer *list, double tp) {
    struct sizes s = {0, 0};
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        add(&s, op->count * op->others * (op->cached_heads * op->cached_width), op->cached_heads,
            tp);
    }
    return s;
}

/* State matrices and the last taps of the convolution, per sequence. */
static struct sizes state_elements(const struct bp_layer *list, double tp) {
    struct sizes s = {0, 0};
    int i;
    for (i = 0; i < list->scans; i++) {
        const struct bp_op_scan *op = &list->scan[i];
        add(&s, op->count * (op->state + op->taps), op->heads, tp);
    }
    return s;
}

int bp_kv_cache(const struct bp_kv_cache_in *in, struct bp_kv_cache_out *out,
                struct bp_error *err) {
    struct bp_model m = in->model;
    struct bp_layers layers;
    struct sizes cache, other, state, first;
    double stages = (double)in->pp, device;
    int code = bp_model_resolve(&m, err);
    if (code != BP_OK) {
        return code;
    }
    bp_layers_of(&m, &layers);
    cache = cache_elements(&layers.stack, in->tokens, in->window_kept, (double)in->tp);
    other = other_elements(&layers.stack, (double)in->tp);
    state = state_elements(&layers.stack, (double)in->tp);
    first = cache_elements(&layers.stack, 1, in->window_kept, (double)in->tp);
    cache.all += other.all;
    cache.device += other.device;
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
BP_DEFINE_KERNEL(
    kv_cache, "Bytes of the key/value cache",
    "per token and layer: kv_heads (head_dim + v_head_dim) bytes_per_value, MLA "
    "(kv_lora_rank + qk_rope_dim) bytes_per_value; windowed layers keep at most "
    "sliding_window tokens, or the share window_kept of all where that is more; compressed keys "
    "one per ratio tokens; linear and state-space layers a state of fixed size",
    "pages, fragmentation and alignment come on top; layers of one kind evenly over "
    "stages; heads divide over tp up to kv_heads, the rest replicates",
    "arithmetic from the shapes; MLA: DeepSeek-V2, arXiv:2405.04434 section 2.1; GQA: "
    "arXiv:2305.13245");
