#include "kernel/serve/infer_memory.h"

#include "kernel/count/kv.h"
#include "kernel/layer/layer.h"
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

/*
** Sine and cosine of half the angles for every position that the model was made for, in 16 bit, once for all layers and
** on every rank (RotaryEmbedding of vLLM 0.11). Of Llama-3.1-8B 131072 * 128 * 2 B: vLLM printed 14.9888 GiB as loaded,
** weights alone are 14.9575.
*/
static double rotary_bytes(const struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    double width = (double)(m->rotary_dim > 0     ? m->rotary_dim
                            : m->kv_lora_rank > 0 ? m->qk_rope_dim
                                                  : m->head_dim);
    int has = m->attention_layers > 0 && m->learned_positions == 0 && m->relative_buckets == 0;
    return has ? 2 * (double)m->max_seq * width : 0;
}

/* Matrices that adapters see in a matmul which an engine runs as one: queries, keys and values; gate and up. */
static double adapted_parts(const struct bp_infer_case *c, const struct bp_op_matmul *op) {
    int is_mlp = op->role == BP_ROLE_MLP || op->role == BP_ROLE_SHARED;
    if (op->kv_heads > 0) {
        return op->kv_width > (double)c->in.model.head_dim ? 3 : 2;
    }
    return is_mlp && op->deal == BP_DEAL_COLUMNS && c->in.model.gated_mlp ? 2 : 1;
}

/*
** Rows and columns of the pairs beside a matmul that are on a rank: the one on the side that ranks share is cut, the
** other is whole on each (vLLM 0.11 without fully_sharded_loras; arXiv:2106.09685, section 4.1).
*/
static double adapter_sides(const struct bp_infer_case *c, const struct bp_op_matmul *op) {
    const struct bp_ranks ranks = {(double)c->in.plan.tp, 1, 1};
    const struct bp_share s = bp_matmul_share(op, &ranks);
    return op->count * s.groups * (adapted_parts(c, op) * s.in + s.out);
}

/*
** Room for adapters of all matrices of the decoder but routers and routed experts, of the embedding and of the head, in
** 16 bit, which vLLM allocates at its start.
*/
static double adapters_bytes(const struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    double tp = (double)c->in.plan.tp, pp = (double)c->in.plan.pp;
    double each = 2 * (double)(c->in.engine.max_loras * c->in.engine.max_lora_rank), sides = 0;
    double tables = (double)m->hidden + (double)m->vocab / tp;
    struct bp_layer list;
    int block, i;
    for (block = 0; block < BP_BLOCKS; block++) {
        double layers = bp_block_layers(m, (enum bp_block)block);
        bp_layer_clear(&list);
        bp_layer_add(&list, m, (enum bp_block)block, layers);
        for (i = 0; i < list.matmuls; i++) {
            const struct bp_op_matmul *op = &list.matmul[i];
            int is_adapted = op->role != BP_ROLE_EXPERT && op->role != BP_ROLE_ROUTER;
            sides += is_adapted ? adapter_sides(c, op) : 0;
        }
    }
    return each * (sides / pp + tables * (pp > 1 ? 1 : 2));
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
                     double loaded, double inside) {
    const struct bp_engine *e = &c->in.engine;
    double all = visible(c);
    double beside = out->graphs_bytes + out->context_bytes;
    switch ((enum bp_reserve)e->reserve) {
    case BP_RESERVE_STATIC:
        return fmin(all, all * e->memory_frac + inside);
    case BP_RESERVE_FREE:
        return loaded + inside + e->memory_frac * (all - loaded - inside);
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
    in.window_kept = c->in.model.window_chunks ? c->in.engine.chunk_kept : c->in.engine.window_kept;
    in.tp = c->in.plan.tp;
    in.pp = c->in.plan.pp;
    code = bp_kv_cache(&in, &out, err);
    *bytes = out.device_bytes;
    return code;
}

int bp_infer_memory_of(const struct bp_infer_case *c, double sequence_tokens,
                       struct bp_infer_memory_out *out, struct bp_error *err) {
    double groups = (double)(c->in.plan.dp * c->in.plan.cp), loaded, inside, blocks, needed;
    int beside = c->in.engine.reserve == BP_RESERVE_DEVICE;
    int code = sequence_bytes(c, sequence_tokens, &out->sequence_bytes, err);
    if (code != BP_OK) {
        return code;
    }
    out->weights_bytes = bp_infer_weight_bytes(c);
    out->rotary_bytes = rotary_bytes(c);
    out->adapters_bytes = adapters_bytes(c);
    loaded = out->weights_bytes + out->rotary_bytes + out->adapters_bytes;
    out->activations_bytes = fmax(workspace(c), encoder_workspace(c));
    out->graphs_bytes = c->in.engine.graph_bytes;
    out->buffers_bytes = LIBRARY_BYTES + (c->ranks * (double)c->in.plan.pp > 1 ? BUFFER_BYTES : 0);
    out->context_bytes = c->in.engine.context_bytes;
    out->beside_bytes = beside ? out->graphs_bytes + out->context_bytes : 0;
    inside = out->activations_bytes + out->buffers_bytes + out->graphs_bytes + out->context_bytes -
             out->beside_bytes;
    out->usable_bytes = fmax(0, usable(c, out, loaded, inside));
    out->pool_bytes = out->usable_bytes - loaded - inside;
    needed = ceil(sequence_tokens / (double)c->in.engine.block_tokens);
    blocks = groups * floor(fmax(0, out->pool_bytes) / out->sequence_bytes * needed);
    out->max_sequences = floor(blocks / needed);
    out->pool_tokens = blocks * (double)c->in.engine.block_tokens;
    out->fits = blocks / (double)c->in.plan.dp >= needed;
    return BP_OK;
}

/* Of a sequence that holds nothing but states so little is taken to grow: far below what decides (assumption). */
#define GROWS_LEAST 1e-6

/* In whole tokens, of which sums are exact. */
int bp_infer_room_of(const struct bp_infer_case *c, double sequence_tokens, double shared_tokens,
                     double pool_tokens, struct bp_infer_room *out, struct bp_error *err) {
    double block = (double)c->in.engine.block_tokens, fixed, all, grows;
    double whole = ceil(sequence_tokens / block) * block, tokens;
    int code = sequence_bytes(c, whole, &fixed, err);
    out->shared = floor(shared_tokens / block) * block;
    tokens = fmax(block, whole - out->shared);
    code = code == BP_OK ? sequence_bytes(c, tokens, &all, err) : code;
    if (code != BP_OK) {
        return code;
    }
    if (out->shared > 0) {
        double once = (double)c->in.plan.dp * (fixed - all);
        pool_tokens = fmax(0, pool_tokens / whole * fixed - once) / all * tokens;
    }
    out->tokens = pool_tokens;
    out->beside = 0;
    if (c->in.model.cross_layers == 0 && !(c->scan_layers > 0)) {
        return BP_OK;
    }
    code = sequence_bytes(c, 0, &fixed, err);
    if (code != BP_OK) {
        return code;
    }
    grows = fmax(GROWS_LEAST, 1 - fixed / all);
    out->beside = round(tokens / grows - tokens);
    out->tokens = round(pool_tokens / tokens * (tokens + out->beside));
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
    "pool_bytes = usable_bytes - weights - rotary - adapters - activations - buffers - graphs - context + beside_bytes; "
    "usable_bytes = memory_frac memory (1 - reserved_frac), beside it context and graphs (static: and "
    "the rest beside it; free: all but memory_frac of the pool); activations = max(token_budget per "
    "token, logit_bytes vocab max_running); rotary = 2 max_seq rotary_dim; adapters = 2 max_loras max_lora_rank times "
    "rows and columns of the matrices; "
    "max_sequences, pool_tokens and fits count the whole blocks of block_tokens in the pool of every "
    "rank of dp and cp",
    "the fullest device; KV cache exact (see kv_cache), workspace and graphs estimated",
    "arithmetic from the shapes; engine's reserve as its option says; workspace as vLLM prints it; "
    "buffers by assumption");
