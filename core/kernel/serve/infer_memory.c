#include "kernel/serve/infer_memory.h"

#include "kernel/count/kv.h"
#include "kernel/registry.h"

#include <math.h>

/*
** Elements per token that live at once in a step, 16 bit: in attention residual, normed input, queries,
** keys, values and output; in a feed-forward part residual, input and output, and the projections up
** with what the last one reads. 110.6 kB a token of Llama-3.1-8B: vLLM printed 111.1 and 110.7 at 20,000
** and 29,000 tokens (its issue 10517).
*/
#define ATTENTION_STREAMS 4.0
#define MLP_STREAMS 3.0

/* NCCL and custom all-reduce buffers per device beside a group (NCCL 2.2x defaults; assumption). */
#define BUFFER_BYTES 5e8

/* Libraries' own, beside PyTorch: vLLM printed 0.03 to 0.35 GiB on single devices. */
#define LIBRARY_BYTES 1.5e8

/* The inputs of one prompt are encoded together. */
static double encoder_workspace(const struct bp_infer_case *c) {
    const struct bp_infer_encoder *e = &c->encoder;
    double tp = (double)c->in.plan.tp;
    double wide = (c->in.model.encoder.gated_mlp ? 2 : 1) * (double)c->in.model.encoder.ffn_hidden;
    double per_token = ATTENTION_STREAMS * e->hidden + (2 * e->heads * e->head_dim + wide) / tp;
    return e->layers > 0 ? 2 * per_token * e->inputs * e->tok : 0;
}

/*
** The largest step: a forward pass over all tokens of the budget, then sampling for all sequences over
** the whole vocabulary, when the pass's own is given back.
*/
static double workspace(const struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    const struct bp_engine *e = &c->in.engine;
    double tp = (double)c->in.plan.tp, gates = m->gated_mlp ? 3 : 2;
    double budget = (double)(e->profile_tokens > 0 ? e->profile_tokens : e->token_budget);
    double tokens = budget / (double)(c->in.plan.dp * c->in.plan.cp);
    double heads = (double)(m->heads * m->head_dim) / tp;
    double routed = (double)m->topk * ((double)m->moe_ffn / c->moe.tp + (double)m->hidden) /
                    (double)c->in.plan.ep;
    double wide = gates * fmax((double)m->ffn_hidden / tp, m->experts > 0 ? routed : 0);
    double per_token = 2 * fmax(ATTENTION_STREAMS * (double)m->hidden + 2 * heads,
                                MLP_STREAMS * (double)m->hidden + wide);
    double sampled = fmin((double)e->max_running, budget);
    return fmax(per_token * tokens,
                2 * (double)m->hidden * tokens + e->logit_bytes * (double)m->vocab * sampled);
}

/* Of the device what the driver leaves to programs. */
static double visible(const struct bp_infer_case *c) {
    return (double)c->in.device.memory_bytes * (1 - c->in.device.reserved_frac);
}

/*
** What the engine allows for weights, cache and workspace. A share of the device leaves context and
** captured graphs to the rest of it, and is less where they do not find room there.
*/
static double usable(const struct bp_infer_case *c, const struct bp_infer_memory_out *out,
                     double inside) {
    const struct bp_engine *e = &c->in.engine;
    double all = visible(c), weights = out->weights_bytes;
    double beside = out->graphs_bytes + out->context_bytes;
    switch ((enum bp_reserve)e->reserve) {
    case BP_RESERVE_STATIC:
        return fmin(all, all * e->memory_frac + inside);
    case BP_RESERVE_FREE:
        return weights + inside + e->memory_frac * (all - weights - inside);
    case BP_RESERVE_DEVICE:
        break;
    }
    return fmin(all * e->memory_frac, all - beside);
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
    double groups = (double)(c->in.plan.dp * c->in.plan.cp), inside, blocks, needed;
    int beside = c->in.engine.reserve == BP_RESERVE_DEVICE;
    int code = sequence_bytes(c, sequence_tokens, &out->sequence_bytes, err);
    if (code != BP_OK) {
        return code;
    }
    out->weights_bytes = bp_infer_weight_bytes(c);
    out->activations_bytes = fmax(workspace(c), encoder_workspace(c));
    out->graphs_bytes = c->in.engine.graph_bytes;
    out->buffers_bytes = LIBRARY_BYTES + (c->ranks * (double)c->in.plan.pp > 1 ? BUFFER_BYTES : 0);
    out->context_bytes = c->in.engine.context_bytes;
    out->beside_bytes = beside ? out->graphs_bytes + out->context_bytes : 0;
    inside = out->activations_bytes + out->buffers_bytes + out->graphs_bytes + out->context_bytes -
             out->beside_bytes;
    out->usable_bytes = fmax(0, usable(c, out, inside));
    out->pool_bytes = out->usable_bytes - out->weights_bytes - inside;
    needed = ceil(sequence_tokens / (double)c->in.engine.block_tokens);
    blocks = groups * floor(fmax(0, out->pool_bytes) / out->sequence_bytes * needed);
    out->max_sequences = floor(blocks / needed);
    out->pool_tokens = blocks * (double)c->in.engine.block_tokens;
    out->fits = blocks / (double)c->in.plan.dp >= needed;
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
    "pool_bytes = usable_bytes - weights - activations - buffers - graphs - context + beside_bytes; "
    "usable_bytes = memory_frac memory (1 - reserved_frac), beside it context and graphs (static: and "
    "the rest beside it; free: all but memory_frac of the pool); activations = max(token_budget per "
    "token, logit_bytes vocab max_running); "
    "max_sequences, pool_tokens and fits count the whole blocks of block_tokens in the pool of every "
    "rank of dp and cp",
    "the fullest device; KV cache exact (see kv_cache), workspace and graphs estimated",
    "arithmetic from the shapes; engine's reserve as its option says; workspace as vLLM prints it; "
    "buffers by assumption");
