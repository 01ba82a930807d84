#include "kernel/serve/infer_case.h"

#include "kernel/layer/encoder.h"

#include <math.h>

/*
** Launches of a layer as engines run it, fused: two norms, qkv, rotation, cache write, attention,
** output, gate and up, activation, down. TP adds two all-reduces; what kinds of layers add is in their lists.
** Counted in traces of vLLM 0.6; the fitted time per kernel takes what they are off.
*/
#define LAYER_KERNELS 10.0
#define TP_KERNELS 2.0

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

/*
** Convolution, gates, norms and passes of a chunked scan, per token and element of the convolution; and of an element of
** the state, which is written and read once for each chunk, in 16 bit (fla-org/flash-linear-attention, chunk.py of gated
** delta nets, counted by hand).
*/
#define MIX_BYTES 40.0
#define CHUNK_STATE_BYTES 4.0
#define CHUNK_TOKENS 64.0

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

/* Weights in 4 bit have scales of blocks, as have the kernels of 8 bit that would take them. */
static enum bp_dtype wider_of(const struct bp_infer_case *c, enum bp_dtype dtype) {
    enum bp_dtype wider = bp_format_wider(&c->in.device, dtype);
    return dtype == BP_DTYPE_FP4 && wider == BP_DTYPE_FP8 ? BP_DTYPE_MXFP8 : wider;
}

static struct bp_infer_linear linear(const struct bp_infer_case *c, double times, double n,
                                     double k, enum bp_format format) {
    struct bp_infer_linear l;
    l.n = n;
    l.others = 0;
    l.k = k;
    l.times = times;
    l.stored_bytes = bp_format_bytes(format);
    l.dtype = bp_format_compute(&c->in.device, format, (enum bp_format)c->in.plan.activations);
    l.stream = stream_of(c, l.dtype);
    l.wider = wider_of(c, l.dtype);
    l.wider_stream = stream_of(c, l.wider);
    return l;
}

/*
** Scales of 8-bit blocks are found as the input is made narrow, by a kernel that their timings are without: they start
** after 4 us where 16 bit takes 3. Where sums of ranks are fused with it, the matmuls behind the norms need none.
*/
static double quantizers(const struct bp_infer_case *c, const struct bp_infer_linear *l) {
    int fused = c->in.plan.tp > 1 && c->in.engine.sum_fusion == BP_SUM_FUSION_QUANTIZE;
    return l->dtype == BP_DTYPE_MXFP8 ? l->times * (fused ? 0.5 : 1) : 0;
}

static void add(struct bp_infer_case *c, double times, double n, double k, enum bp_format format) {
    if (times > 0 && n > 0 && k > 0 && c->linears < BP_INFER_LINEARS) {
        c->linear[c->linears] = linear(c, times, n, k, format);
        c->kernels += quantizers(c, &c->linear[c->linears++]);
    }
}

/* In 16 bit in every engine. */
static void add_head(struct bp_infer_case *c) {
    const struct bp_model *m = &c->in.model;
    double rows = m->lm_head ? (double)m->vocab / (double)c->in.plan.tp : 0;
    c->head = linear(c, 1, rows, (double)m->hidden, BP_FORMAT_BF16);
    c->head.dtype = bp_device_16_bit(&c->in.device);
    c->head.stream = stream_of(c, c->head.dtype);
    c->head.wider = c->head.dtype;
}

static enum bp_format expert_format(const struct bp_infer_plan *p) {
    return (enum bp_format)(p->experts == BP_FORMAT_AUTO ? p->weights : p->experts);
}

static struct bp_moe_curve isolated_curve(const struct bp_serving_curves *curves,
                                          enum bp_moe_set set) {
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

/*
** Kernels of experts that permute tokens read and write them at what copies reach. Where they fetch their tokens
** themselves, each visit is only written and read once to be summed up, half of what pass counts. The timings are of
** TensorRT-LLM's: its own flow quantises on the way as well. Triton kernels timed alone have next to no such time:
** sliced over four ranks they take 0.27 of the whole, those that permute 0.5 (ai-dynamo/aiconfigurator@095f58a51c,
** 8-bit blocks, 8,192 tokens, RTX PRO 6000 and H200).
*/
#define PERMUTED_PASS 0.8
#define GATHERED_PASS 1.6

/*
** Experts in 8-bit blocks up to this wide on a rank have no other kernels than Triton's in vLLM (_valid_deep_gemm,
** vllm/model_executor/layers/fused_moe/deep_gemm_moe.py, 2025; recalled).
*/
#define NARROW_SLICE 512.0

static int gathers(const struct bp_infer_case *c, enum bp_moe_set set) {
    switch (set) {
    case BP_MOE_16:
    case BP_MOE_16_PACKED:
        return 1;
    case BP_MOE_8_BLOCK:
        return c->in.engine.gathers == BP_GATHERS_8_BIT || c->moe.ffn / c->moe.tp <= NARROW_SLICE;
    case BP_MOE_8:
        return c->in.engine.gathers == BP_GATHERS_8_BIT;
    case BP_MOE_4:
        break;
    }
    return 0;
}

int bp_infer_dispatches(const struct bp_infer_case *c) {
    return c->in.plan.ep > 1 && c->in.plan.dp * c->in.plan.cp > 1;
}

/* Ranks of a host. */
#define HOST_RANKS 8

int bp_infer_is_wide(const struct bp_infer_case *c) {
    return bp_infer_dispatches(c) && c->in.plan.ep > HOST_RANKS;
}

/* Of kernels that are not TensorRT-LLM's. */
static void set_passes(const struct bp_infer_case *c, enum bp_moe_set set,
                       struct bp_moe_curve *curve) {
    if (c->in.engine.gathers == BP_GATHERS_NONE || c->in.engine.fused_experts) {
        return;
    }
    curve->pass = fmax(curve->pass, gathers(c, set) ? GATHERED_PASS : PERMUTED_PASS);
    /* An all-to-all brings a rank no others. */
    curve->others = bp_infer_dispatches(c) ? 0 : GATHERED_PASS;
}

/*
** Experts that are dealt to more ranks than a host has are balanced: those that are in favour have
** copies (DeepSeek's EPLB, which the guides of SGLang, vLLM and TensorRT-LLM to large-scale EP turn
** on). What is left of the skew: of 32 ranks on H100, SGLang computed 6,288 prompt tokens per second
** and device with it and 7,417 with the experts dealt evenly by force (its blog, 2025-05; recalled).
*/
#define BALANCED_SKEW 0.35

static double skew_left(const struct bp_infer_case *c) {
    return c->in.engine.expert_skew * (bp_infer_is_wide(c) ? BALANCED_SKEW : 1);
}

/* The same as an engine runs it. */
static struct bp_moe_curve moe_curve(const struct bp_infer_case *c, enum bp_moe_set set) {
    const struct bp_engine *e = &c->in.engine;
    struct bp_moe_curve curve = isolated_curve(&c->in.curves, set);
    set_passes(c, set, &curve);
    curve.skew *= skew_left(c);
    curve.spread = e->expert_spread;
    curve.t0_s *= e->expert_launch;
    curve.expert_s *= e->fused_experts ? 0 : e->expert_setup;
    return curve;
}

/* Of the two matrices of an expert, the second is as deep as the expert is wide. */
static void set_experts(struct bp_infer_case *c, const struct bp_op_matmul *first) {
    const struct bp_op_matmul *second = first + 1;
    const struct bp_infer_plan *p = &c->in.plan;
    enum bp_format format = expert_format(p);
    c->moe_layers = first->count;
    c->moe.experts = first->experts;
    c->moe.topk = first->topk;
    c->moe.hidden = first->in;
    c->moe.ffn = second->in;
    c->moe.matrices = first->out / second->in + 1;
    c->moe.ep = (double)p->ep;
    c->moe.tp = c->ranks / (double)p->ep;
    c->moe_stored_bytes = bp_format_bytes(format);
    c->moe_dtype = bp_format_compute(&c->in.device, format, (enum bp_format)p->activations);
    c->moe_curve = moe_curve(c, bp_moe_set_of(c->moe_dtype, format));
    c->moe_wider = bp_format_wider(&c->in.device, c->moe_dtype);
    c->moe_wider_curve = moe_curve(c, bp_moe_set_of(c->moe_wider, BP_FORMAT_BF16));
}

static void add_matmul(struct bp_infer_case *c, const struct bp_op_matmul *op) {
    const struct bp_ranks ranks = {(double)c->in.plan.tp, 1, 1};
    const struct bp_share s = bp_matmul_share(op, &ranks);
    int sixteen = op->absorbed || op->role == BP_ROLE_ROUTER;
    if (op->joined && c->linears > 0) {
        c->linear[c->linears - 1].n += s.out;
        return;
    }
    add(c, op->count, s.out, s.in, sixteen ? BP_FORMAT_BF16 : (enum bp_format)c->in.plan.weights);
    if (op->others > 0 && c->linears > 0) {
        c->linear[c->linears - 1].others = op->others;
    }
}

/* Mixers of low rank and recurrent ones as one pass over all of their weights. */
static void add_one_pass(struct bp_infer_case *c, const struct bp_layer *list, double layers) {
    double h = (double)c->in.model.hidden, tp = (double)c->in.plan.tp;
    double params = floor(bp_layer_params(list, 0).all / layers);
    add(c, layers, params / h / tp, h, (enum bp_format)c->in.plan.weights);
}

static void add_matmuls(struct bp_infer_case *c, const struct bp_layer *list, double layers) {
    const struct bp_op_matmul *experts = bp_layer_experts(list);
    int i;
    if (list->one_pass) {
        add_one_pass(c, list, layers);
        return;
    }
    if (experts) {
        set_experts(c, experts);
    }
    for (i = 0; i < list->matmuls; i++) {
        if (list->matmul[i].role != BP_ROLE_EXPERT) {
            add_matmul(c, &list->matmul[i]);
        }
    }
}

/*
** Queries are rounded to the 8 bit of the keys that they meet, where the device has kernels for it; none are timed of
** latent keys (TensorRT-LLM's FP8 context attention; vLLM's FlashAttention 3 and FlashInfer with an fp8 cache, 2025).
*/
static int is_narrow(const struct bp_infer_case *c, const struct bp_op_attention *op) {
    return c->in.engine.narrow_prompts && c->in.curves.prompts8 && c->kv_value_bytes <= 1 &&
           op->cached_width == op->qk_dim + op->v_dim && !(op->others > 0);
}

static void add_attention(struct bp_infer_case *c, const struct bp_op_attention *op) {
    struct bp_infer_attention *a = &c->attention[c->attentions++];
    double tp = (double)c->in.plan.tp;
    a->layers = op->count;
    a->heads = op->heads / tp;
    a->kv_heads = bp_head_share(op->cached_heads, tp);
    a->qk_dim = op->qk_dim;
    a->v_dim = op->v_dim;
    a->window = op->window;
    a->kv_bytes = a->kv_heads * op->cached_width * c->kv_value_bytes;
    a->score_flop = 2 * op->score_width;
    a->shared = a->heads / a->kv_heads;
    a->selected = op->selected;
    a->narrow = is_narrow(c, op);
    a->others = op->others;
}

/*
** What a rank streams of a token in elementwise kernels: the activation of routed experts is in their own
** kernel.
*/
static double pass_bytes(const struct bp_op_pass *op) {
    switch (op->kind) {
    case BP_PASS_ROTATE:
    case BP_PASS_ROTATE_MLA:
        return ROTATION_BYTES * op->width;
    case BP_PASS_GATED:
    case BP_PASS_PLAIN:
        return op->role == BP_ROLE_EXPERT ? 0 : ACTIVATION_BYTES * op->width;
    case BP_PASS_MIX:
        return MIX_BYTES * op->width;
    default:
        return 0;
    }
}

/* Sums over the blocks of all layers. */
struct block_sums {
    double bytes, state, kernels, latents;
};

static void add_block(struct bp_infer_case *c, enum bp_block block, struct block_sums *sums) {
    double layers = bp_block_layers(&c->in.model, block);
    struct bp_layer list;
    int i;
    bp_layer_clear(&list);
    bp_layer_add(&list, &c->in.model, block, layers);
    add_matmuls(c, &list, layers);
    for (i = 0; i < list.attentions; i++) {
        add_attention(c, &list.attention[i]);
    }
    for (i = 0; i < list.indexes; i++) {
        c->index = (struct bp_infer_index){list.index[i].count, list.index[i].heads,
                                           list.index[i].dim, list.index[i].ratio};
    }
    for (i = 0; i < list.scans; i++) {
        c->scan_layers += list.scan[i].count;
        sums->state += list.scan[i].count * list.scan[i].state;
        sums->bytes += CHUNK_STATE_BYTES * list.scan[i].count * list.scan[i].state / CHUNK_TOKENS;
    }
    for (i = 0; i < list.passes; i++) {
        sums->bytes += list.pass[i].count * pass_bytes(&list.pass[i]);
    }
    sums->kernels += list.kernels;
    sums->latents += list.latents;
}

/* Of one layer without graph; experts that are unpacked on their way have kernels of their own, in Triton. */
static double expert_launches(const struct bp_infer_case *c) {
    const struct bp_engine *e = &c->in.engine;
    double own = bp_format_unpacks(c->moe_stored_bytes, c->moe_dtype) ? e->packed_launches
                                                                      : e->expert_launches;
    return e->fused_experts ? 0 : own;
}

/*
** A graph that is cut at attention (vLLM, docs/design/cuda_graphs.md, 2025): a layer launches the piece, what writes
** keys and values, and attention, with all that latent keys and recurrent states need.
*/
#define PIECE_LAUNCHES 3.0

/* Compiled code launches a kernel in a fifth of the time that Python takes for one (8 and 40 us, recalled). */
#define COMPILED_LAUNCH 0.2

/* All-reduces of a layer that are no kernel with its norms, or what carries tokens to experts. */
static double sum_kernels(const struct bp_infer_case *c) {
    int fused = c->in.plan.tp > 1 && c->in.engine.sum_fusion != BP_SUM_FUSION_NONE;
    return c->ranks > 1 && !fused ? TP_KERNELS : 0;
}

/* Every layer has two norms; TP adds two all-reduces. */
static void add_layers(struct bp_infer_case *c) {
    struct block_sums sums = {0, 0, 0, 0};
    double tp = (double)c->in.plan.tp, mixers;
    int block;
    for (block = 0; block < BP_BLOCKS; block++) {
        if (bp_block_layers(&c->in.model, (enum bp_block)block) > 0) {
            add_block(c, (enum bp_block)block, &sums);
        }
    }
    c->state_bytes = STATE_BYTES * sums.state / tp;
    c->elementwise_bytes = NORM_BYTES * c->layers * (double)c->in.model.hidden + sums.bytes / tp;
    c->kernels += c->layers * (LAYER_KERNELS + sum_kernels(c)) + sums.kernels;
    mixers =
        c->in.engine.latent_launches * sums.latents + c->in.engine.scan_launches * c->scan_layers;
    c->piece_launches = c->layers * PIECE_LAUNCHES + mixers;
    c->launches = c->kernels + mixers + expert_launches(c) * c->moe_layers;
    c->compiled_launches =
        c->piece_launches + COMPILED_LAUNCH * c->kernels + expert_launches(c) * c->moe_layers;
}

/* Published checkpoints in few bits keep vision towers in 16; an encoder-decoder is of one format. */
static enum bp_format encoder_format(const struct bp_infer_case *c) {
    return c->in.model.cross_layers > 0 ? (enum bp_format)c->in.plan.weights : BP_FORMAT_BF16;
}

/* Every operation on rows of its own, those of one input. */
static void add_encoder_list(struct bp_infer_case *c, const struct bp_encoder_lists *lists,
                             const struct bp_layer *list) {
    const struct bp_ranks ranks = {(double)c->in.plan.tp, 1, 1};
    struct bp_infer_encoder *e = &c->encoder;
    int i;
    for (i = 0; i < list->matmuls && e->linears < BP_INFER_ENCODER_LINEARS; i++) {
        const struct bp_op_matmul *op = &list->matmul[i];
        const struct bp_share s = bp_matmul_share(op, &ranks);
        e->linear[e->linears] = linear(c, op->count, s.out, s.in, encoder_format(c));
        e->linear[e->linears++].others = op->others > 0 ? op->others : lists->tok;
    }
    for (i = 0; i < list->passes; i++) {
        e->elementwise_bytes +=
            list->pass[i].count * pass_bytes(&list->pass[i]) / (double)c->in.plan.tp;
    }
}

static void add_encoder(struct bp_infer_case *c) {
    struct bp_infer_encoder *e = &c->encoder;
    struct bp_encoder_lists lists;
    if (!bp_encoder_lists(&c->in.model, &lists) || !(lists.inputs > 0)) {
        return;
    }
    e->tok = lists.tok;
    e->inputs = lists.inputs;
    e->layers = (double)lists.model.layers;
    e->hidden = (double)lists.model.hidden;
    e->heads = (double)lists.model.heads;
    e->head_dim = (double)lists.model.head_dim;
    e->window = (double)lists.model.sliding_window;
    e->window_layers = (double)lists.model.window_layers;
    e->elementwise_bytes = NORM_BYTES * e->layers * e->hidden;
    e->kernels = e->layers * (LAYER_KERNELS + (c->in.plan.tp > 1 ? TP_KERNELS : 0));
    add_encoder_list(c, &lists, &lists.front);
    add_encoder_list(c, &lists, &lists.layers.stack);
    add_encoder_list(c, &lists, &lists.projector);
}

/* Tokens a step gains: the first for certain, each draft only if all before it were taken. */
static double advance_of(const struct bp_infer_plan *p) {
    double chance = 1, sum = 1;
    int64_t i;
    for (i = 0; i < p->draft_tokens; i++) {
        chance *= p->acceptance;
        sum += chance;
    }
    return sum;
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
    out->advance = advance_of(p);
    add_layers(out);
    add_head(out);
    add_encoder(out);
    return BP_OK;
}

/* Tables stay in 16 bit; of several stages the last has the head, the first the rest and the encoder. */
static double table_bytes(const struct bp_infer_case *c) {
    const struct bp_params_out *n = &c->params;
    double embedding = (double)(n->embedding + n->positions);
    double head = (double)(n->head > 0 ? n->head : n->embedding);
    double tables = c->in.plan.pp > 1 ? fmax(embedding, head) : embedding + (double)n->head;
    double encoder = (double)n->encoder * bp_format_bytes(encoder_format(c));
    return (2 * (tables + (double)n->extra) + encoder) / (double)c->in.plan.tp;
}

double bp_infer_weight_bytes(const struct bp_infer_case *c) {
    const struct bp_infer_plan *p = &c->in.plan;
    const struct bp_params_out *n = &c->params;
    double experts = (double)n->expert_params / c->ranks * c->moe_stored_bytes;
    double dense = (double)(n->total_params - n->expert_params - n->embedding - n->positions -
                            n->head - n->encoder - n->extra) /
                   (double)p->tp * bp_format_bytes((enum bp_format)p->weights);
    double draft_tokens = p->draft_tokens > 0 ? (double)n->mtp / c->ranks * c->moe_stored_bytes : 0;
    return (dense + experts) / (double)p->pp + draft_tokens + table_bytes(c);
}

BP_DEFINE_SCHEMA(bp_serving_curves, BP_SERVING_CURVES_FIELDS, "serving_curves",
                 "how fast a device runs what only serving does");
BP_DEFINE_SCHEMA(bp_infer_plan, BP_INFER_PLAN_FIELDS, "serving_plan",
                 "how a replica is spread and in which formats");
BP_DEFINE_SCHEMA(bp_infer_setup, BP_INFER_SETUP_FIELDS, "serving_setup",
                 "what is served, on what, how");
