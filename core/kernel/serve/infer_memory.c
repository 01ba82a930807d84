#include "kernel/serve/infer_memory.h"

#include "kernel/count/kv.h"
#include "kernel/registry.h"

#include <math.h>

/*
** Elements per token that live at once in a step: residual, normed input, queries, keys, values, the
** gate and up projections of the widest feed-forward part; 16 bit.
*/
#define RESIDENT_STREAMS 4.0

/* NCCL and custom all-reduce buffers per device beside a group (NCCL 2.2x defaults; assumption). */
#define BUFFER_BYTES 5e8

#define LOGIT_BYTES 6.0 /* 16-bit logits and their fp32 copy for sampling */

/* The inputs of one prompt are encoded together. */
static double encoder_workspace(const struct bp_infer_case *c) {
    const struct bp_infer_encoder *e = &c->encoder;
    double tp = (double)c->in.plan.tp;
    double wide = (c->in.model.encoder.gated_mlp ? 2 : 1) * (double)c->in.model.encoder.ffn_hidden;
    double per_token = RESIDENT_STREAMS * e->hidden + (2 * e->heads * e->head_dim + wide) / tp;
    return e->layers > 0 ? 2 * per_token * e->inputs * e->tok : 0;
}

static double workspace(const struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    const struct bp_engine *e = &c->in.engine;
    double tp = (double)c->in.plan.tp;
    double dense = (double)m->ffn_hidden / tp;
    double routed = (double)m->topk * ((double)m->moe_ffn / c->moe.tp + (double)m->hidden) /
                    (double)c->in.plan.ep;
    double heads = (double)(m->heads * m->head_dim) / tp;
    double wide = (m->gated_mlp ? 2 : 1) * fmax(dense, m->experts > 0 ? routed : 0);
    double per_token = 2 * (RESIDENT_STREAMS * (double)m->hidden + 2 * heads + wide);
    double logits = LOGIT_BYTES * c->head.n * fmin((double)e->max_running, (double)e->token_budget);
    return per_token * (double)e->token_budget / (double)(c->in.plan.dp * c->in.plan.cp) + logits;
}

/* What the engine allows for weights, cache and, unless it counts them apart, all the rest. */
static double usable(const struct bp_infer_case *c, double weights, double rest) {
    const struct bp_engine *e = &c->in.engine;
    double all = (double)c->in.device.memory_bytes;
    switch ((enum bp_reserve)e->reserve) {
    case BP_RESERVE_STATIC:
        return fmin(all, all * e->memory_frac + rest);
    case BP_RESERVE_FREE:
        return weights + rest + e->memory_frac * (all - weights - rest);
    case BP_RESERVE_DEVICE:
        break;
    }
    return all * e->memory_frac;
}

static int sequence_bytes(const struct bp_infer_case *c, double tokens, double *bytes,
                          struct bp_error *err) {
    struct bp_kv_cache_in in;
    struct bp_kv_cache_out out;
    double block = (double)c->in.engine.block_tokens;
    int code;
    bp_defaults(&bp_kv_cache_in_schema, &in);
    in.model = c->in.model;
    in.sequences = 1;
    in.tokens = ceil(tokens / block) * block;
    in.bytes_per_value = c->kv_value_bytes;
    in.tp = c->in.plan.tp;
    in.pp = c->in.plan.pp;
    code = bp_kv_cache(&in, &out, err);
    *bytes = out.device_bytes;
    return code;
}

int bp_infer_memory_of(const struct bp_infer_case *c, double sequence_tokens,
                       struct bp_infer_memory_out *out, struct bp_error *err) {
    double groups = (double)(c->in.plan.dp * c->in.plan.cp), rest;
    int code = sequence_bytes(c, sequence_tokens, &out->sequence_bytes, err);
    if (code != BP_OK) {
        return code;
    }
    out->weights_bytes = bp_infer_weight_bytes(c);
    out->activations_bytes = fmax(workspace(c), encoder_workspace(c));
    out->graphs_bytes = c->in.engine.graph_bytes;
    out->buffers_bytes = c->ranks * (double)c->in.plan.pp > 1 ? BUFFER_BYTES : 0;
    out->context_bytes = c->in.engine.context_bytes;
    rest = out->activations_bytes + out->graphs_bytes + out->buffers_bytes + out->context_bytes;
    out->usable_bytes = usable(c, out->weights_bytes, rest);
    out->pool_bytes = out->usable_bytes - out->weights_bytes - rest;
    out->max_sequences = floor(groups * fmax(0, out->pool_bytes) / out->sequence_bytes);
    out->pool_tokens = groups * fmax(0, out->pool_bytes) / out->sequence_bytes * sequence_tokens;
    out->fits = (double)c->in.plan.cp * out->pool_bytes >= out->sequence_bytes;
    return BP_OK;
}

int bp_infer_memory(const struct bp_infer_memory_in *in, struct bp_infer_memory_out *out,
                    struct bp_error *err) {
    struct bp_infer_setup setup = {in->model,  in->device, in->network,
                                   in->curves, in->plan,   in->engine};
    struct bp_infer_case c;
    int code = bp_infer_prepare(&setup, &c, err);
    return code == BP_OK ? bp_infer_memory_of(&c, in->sequence_tokens, out, err) : code;
}

BP_DEFINE_SCHEMA(bp_infer_memory_in, BP_INFER_MEMORY_IN_FIELDS, "infer_memory",
                 "a serving replica and the sequences it holds");
BP_DEFINE_SCHEMA(bp_infer_memory_out, BP_INFER_MEMORY_OUT_FIELDS, "infer_memory result",
                 "what is where, and what finds room");
BP_DEFINE_KERNEL(
    infer_memory, "Memory of a serving replica",
    "pool_bytes = usable_bytes - weights - activations - graphs - buffers - context; usable_bytes "
    "= "
    "memory_frac memory (static: and the rest beside it; free: all but memory_frac of the pool); "
    "max_sequences = dp cp pool_bytes / sequence_bytes, whole blocks of block_tokens",
    "the fullest device; KV cache exact (see kv_cache), workspace and graphs estimated",
    "arithmetic from the shapes; engine's reserve as its option says; buffers by assumption");
