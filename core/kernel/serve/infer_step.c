#include "kernel/serve/infer_step.h"

#include "kernel/registry.h"
#include "kernel/time/attention_time.h"
#include "kernel/time/collective.h"
#include "kernel/time/gemm.h"

#include <math.h>

/* Share of bandwidth that plain copies reach on data-centre devices (assumption). */
#define ELEMENTWISE_SHARE 0.8

/* Share of bandwidth at which recurrent states are read and written (fitted to hybrid models). */
#define STATE_SHARE 0.6

/* Work of a chunked scan per token and state element, and the share of peak: arXiv:2405.21060. */
#define SCAN_FLOP 6.0
#define SCAN_SHARE 0.2

/*
** A chunk of a scan waits for the state the one before leaves: 64 tokens (chunk size of the published
** gated-delta and Mamba-2 kernels), two small matmuls and a round through memory (assumption: 3 us).
*/
#define SCAN_CHUNK 64.0
#define SCAN_CHUNK_S 3e-6

/*
** Query rows of a tile of decode kernels, fewer cost as much: FlashMLA, github.com/deepseek-ai (2025);
** kBlockM of FlashAttention 2 over a paged cache, flash_fwd_launch_template.h (v2.7).
*/
#define QUERY_ROWS 64.0

/*
** Rows of a tile where weights are narrower than what is multiplied: kernels for few rows, which do not pay for
** rows they do not have (Marlin, arXiv:2408.11743: near the speed of reading the weights up to 16 rows and more).
** Those of bp_gemm have 64 at least.
*/
#define PACKED_ROWS 16.0
#define GEMM_ROWS 64.0

/*
** Timings of matmuls in 8 and 4 bit begin with the kernels that make their input: fp8 of one scale starts after 12 us on
** H100 and 14 on B200 where 16 bit takes 3, for its range is looked for first. Checkpoints state that scale, and where the
** kernel before quantises, a matmul starts as in 16 bit, and nothing is read and written for it. Scales of blocks have
** kernels of their own in every engine.
*/
static int quantizes_before(const struct bp_infer_case *c, enum bp_dtype dtype) {
    int has_kernels = dtype == BP_DTYPE_FP8 || dtype == BP_DTYPE_INT8 || dtype == BP_DTYPE_FP4;
    return has_kernels && c->in.plan.tp > 1 && c->in.engine.sum_fusion == BP_SUM_FUSION_QUANTIZE;
}

/* As bp_gemm, with weights of their own width, the empty time an engine leaves, and its stream. */
static double matmul_in(const struct bp_infer_case *c, const struct bp_infer_linear *l, double rows,
                        enum bp_dtype dtype, double stored_bytes, double stream) {
    const struct bp_engine *e = &c->in.engine;
    const struct bp_device *d = &c->in.device;
    struct bp_gemm_parts p = bp_gemm_parts(d, dtype, rows, l->n, l->k, 2, 1);
    double packed = (stored_bytes - bp_dtype_bytes(dtype)) * l->n * l->k;
    p.memory_s = (p.bytes + packed) / (d->mem_bw_bytes_s * stream);
    if (bp_format_unpacks(stored_bytes, dtype)) {
        p.compute_s *= fmin(1, fmax(rows, PACKED_ROWS) / GEMM_ROWS);
    }
    p.depth_s *= e->launch;
    if (quantizes_before(c, dtype)) {
        p.launch_s = fmin(p.launch_s, bp_device_gemm(d, bp_device_16_bit(d))->t0_s);
        p.quantize_s = 0;
    }
    return bp_gemm_kernel_time(&p) + p.quantize_s + e->launch * p.launch_s;
}

/* Where kernels of the format itself are slower than those of the next wider one, nobody takes them. */
static double matmul(const struct bp_infer_case *c, const struct bp_infer_linear *l, double rows) {
    double native = matmul_in(c, l, rows, l->dtype, l->stored_bytes, l->stream);
    if (l->wider == l->dtype) {
        return native;
    }
    return fmin(native, matmul_in(c, l, rows, l->wider, bp_dtype_bytes(l->wider), l->wider_stream));
}

/*
** Engines have kernels of their own for messages inside of a domain whose devices store into each other's memory. They
** start once, however many ranks there are: after 2.7 to 3.2 us on H100, where NCCL takes 4.6 and 0.8 a ring step, 4.6 to
** 5.4 on B200 (7.3 and 1.2), 3.8 to 4.6 on A100 (8.0 and 0.9).
*/
#define OWN_START 0.62

/*
** In an all-reduce each rank then reads the whole message of every other one at this share of the links' bandwidth: 0.43 to
** 0.79 for 0.25 to 1 MB. Of large messages NCCL is the faster one (both: custom all-reduce of TensorRT-LLM,
** ai-dynamo/aiconfigurator@095f58a51c).
*/
#define OWN_SHARE 0.6

/*
** Kernels that post the messages of an all-to-all to the NIC themselves: 128 tokens of 7.3 KB and eight experts each over
** 64 H800 take 173 us, of which their bytes take 147 at 50 GB/s (DeepEP's README, 2025; recalled).
*/
#define DEVICE_START_S 2.6e-5

static double collective(const struct bp_infer_case *c, enum bp_collective_op op, double bytes,
                         double ranks) {
    const struct bp_tier *up = &c->in.network.scaleup;
    struct bp_collective_cost cost;
    double nccl_s, start_s;
    if (!(ranks > 1)) {
        return 0;
    }
    cost = bp_collective_cost(&c->in.network, op, bytes, ranks, 1);
    if (op == BP_COLLECTIVE_OP_ALL_TO_ALL && c->in.engine.own_collectives) {
        cost.latency_s = fmin(cost.latency_s, DEVICE_START_S);
    }
    nccl_s = cost.latency_s + cost.bandwidth_s;
    if (cost.tier != BP_COLLECTIVE_TIER_SCALEUP || !up->peer_stores ||
        !c->in.engine.own_collectives) {
        return nccl_s;
    }
    start_s = OWN_START * up->alpha_s;
    if (op != BP_COLLECTIVE_OP_ALL_REDUCE) {
        return start_s + cost.bandwidth_s;
    }
    return fmin(nccl_s, start_s + bytes * (ranks - 1) / (OWN_SHARE * up->bw_bytes_s));
}

static double dense_matmuls(const struct bp_infer_case *c, double rows) {
    double sum = 0;
    int i;
    for (i = 0; i < c->linears; i++) {
        if (!(c->linear[i].others > 0)) {
            sum += c->linear[i].times * matmul(c, &c->linear[i], rows);
        }
    }
    return sum;
}

/* Keys and values that the decoder makes of an encoder's tokens. */
static double other_matmuls(const struct bp_infer_case *c, double prompts) {
    double sum = 0;
    int i;
    for (i = 0; i < c->linears; i++) {
        const struct bp_infer_linear *l = &c->linear[i];
        if (l->others > 0) {
            sum += l->times * matmul(c, l, prompts * l->others / (double)c->in.plan.cp);
        }
    }
    return sum;
}

static double experts(const struct bp_infer_case *c, double tokens) {
    const struct bp_device *d = &c->in.device;
    struct bp_moe_shape shape = c->moe;
    double time;
    shape.tokens = tokens;
    time = bp_moe_time(d, &c->moe_curve, c->moe_dtype, c->moe_stored_bytes, &shape);
    if (c->moe_wider != c->moe_dtype) {
        time = fmin(time, bp_moe_time(d, &c->moe_wider_curve, c->moe_wider,
                                      bp_dtype_bytes(c->moe_wider), &shape));
    }
    return c->moe_layers * time / c->in.engine.moe;
}

/* Domains of fast links that the ranks are in. */
static double domains_of(const struct bp_infer_case *c) {
    return ceil(c->ranks / (double)c->in.network.domain);
}

/*
** Domains of a uniform token's experts, over the experts: between domains it is sent once to each of them and handed on
** inside (DeepEP's README, 2025; recalled).
*/
static double crossings(const struct bp_infer_case *c, double copies) {
    double domains = domains_of(c);
    double met = domains * (1 - pow(1 - 1 / domains, c->moe.topk));
    return domains > 1 ? fmin(1, met / copies) : 1;
}

/* Bytes of a value on its way to experts that multiply in 8 bit or less: it is quantised before it is sent. */
static double sent_bytes(const struct bp_infer_case *c) {
    return fmin(2, fmax(1, bp_dtype_bytes(c->moe_dtype)));
}

/* Tokens to the ranks that hold their experts, and what experts say of them back. */
static double dispatch(const struct bp_infer_case *c, double values) {
    double copies = fmin(c->moe.topk, (double)c->in.plan.ep);
    double each = values * copies * crossings(c, copies) / c->ranks;
    return collective(c, BP_COLLECTIVE_OP_ALL_TO_ALL, sent_bytes(c) * each, c->ranks) +
           collective(c, BP_COLLECTIVE_OP_ALL_TO_ALL, 2 * each, c->ranks);
}

/*
** Where attention is data or context parallel, tokens travel to their experts and back: to the ranks that hold
** them (EP), or to all ranks, which hold slices.
*/
static double expert_traffic(const struct bp_infer_case *c, double tokens) {
    const struct bp_infer_plan *p = &c->in.plan;
    double values = tokens * (double)c->in.model.hidden;
    if (p->dp * p->cp == 1) {
        return 0;
    }
    if (bp_infer_dispatches(c)) {
        return c->moe_layers * dispatch(c, values);
    }
    return 2 * c->moe_layers * collective(c, BP_COLLECTIVE_OP_ALL_GATHER, 2 * values, c->ranks);
}

/*
** Of that, what a step waits for, whose experts take so long. Between domains, engines send the tokens of one half of a
** batch under the experts of the other (two micro-batches, DeepSeek-V3, arXiv:2412.19437; SGLang's two-batch and vLLM's
** dual-batch overlap, which their guides to large-scale EP turn on; recalled), where two halves are not slower than the
** whole.
*/
static double exposed_traffic(const struct bp_infer_case *c, double tokens, double experts_s) {
    double traffic_s = expert_traffic(c, tokens), halves_s;
    if (!(domains_of(c) > 1) || !bp_infer_is_wide(c)) {
        return traffic_s;
    }
    halves_s = fmax(2 * experts(c, 0.5 * tokens), traffic_s);
    return fmax(0, fmin(traffic_s, halves_s - experts_s));
}

/* Tensor parallelism adds up partial sums after the mixer and after the feed-forward part. */
static double traffic(const struct bp_infer_case *c, double rows) {
    const struct bp_infer_plan *p = &c->in.plan;
    double message = 2 * rows * (double)c->in.model.hidden;
    double second = p->dp * p->cp > 1 ? c->layers - c->moe_layers : c->layers;
    double sum =
        (c->layers + second) * collective(c, BP_COLLECTIVE_OP_ALL_REDUCE, message, (double)p->tp);
    if (p->pp > 1) {
        sum += ((double)p->pp - 1) * collective(c, BP_COLLECTIVE_OP_SEND_RECV, message, 2);
    }
    return sum;
}

static double elementwise(const struct bp_infer_case *c, double rows) {
    return rows * c->elementwise_bytes / (c->in.device.mem_bw_bytes_s * ELEMENTWISE_SHARE);
}

static double share(double rows, double parts) {
    return parts > 1 ? fmax(rows / parts, fmin(rows, 1)) : rows;
}

/* Rows of one rank. */
static double share_of(const struct bp_infer_case *c, double rows) {
    return share(rows, (double)(c->in.plan.dp * c->in.plan.cp * c->in.plan.pp));
}

/* Sequences that a rank attends to; of context-parallel ones each has a part of every sequence. */
static double attended(const struct bp_infer_case *c, double sequences) {
    return share(sequences, (double)(c->in.plan.dp * c->in.plan.pp)) / (double)c->in.plan.cp;
}

double bp_infer_batches(const struct bp_infer_case *c) {
    return (double)(c->in.plan.dp * c->in.plan.pp);
}

double bp_infer_graph_tokens(const struct bp_infer_case *c) {
    return (double)c->in.engine.graph_tokens * bp_infer_batches(c) * (double)c->in.plan.cp;
}

/* Prompts of the fullest of so many parts, over all of them; one that is alone keeps its part busy. */
static double fullest(double prompts, double parts) {
    return fmax(1, prompts / parts) / prompts;
}

/* Of attention groups. */
static double fullest_group(const struct bp_infer_case *c, double prompts) {
    return fullest(prompts, (double)c->in.plan.dp);
}

/* Of micro-batches of groups: a prompt, or a piece of one, is in one stage at a time and goes through all of them. */
static double fullest_batch(const struct bp_infer_case *c, double prompts) {
    return fullest(prompts, (double)(c->in.plan.dp * c->in.plan.pp));
}

double bp_infer_rows(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                     double decode_rows) {
    double rows = share_of(c, decode_rows);
    if (prompts > 0) {
        rows += prompt_tokens * fullest_batch(c, prompts) / (double)c->in.plan.cp;
    }
    return rows;
}

double bp_infer_dense(const struct bp_infer_case *c, double rows) {
    if (!(rows > 0)) {
        return 0;
    }
    return dense_matmuls(c, rows) + traffic(c, rows) + elementwise(c, rows);
}

double bp_infer_expert_tokens(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                              double decode_rows) {
    double stages = (double)c->in.plan.pp, tokens = share(decode_rows, stages);
    return prompts > 0 ? tokens + prompt_tokens * fullest(prompts, stages) : tokens;
}

double bp_infer_experts(const struct bp_infer_case *c, double tokens) {
    double experts_s;
    if (!(c->moe_layers > 0 && tokens > 0)) {
        return 0;
    }
    experts_s = experts(c, tokens);
    return experts_s + exposed_traffic(c, tokens, experts_s);
}

double bp_infer_head(const struct bp_infer_case *c, double rows) {
    return rows > 0 && c->head.n > 0 ? matmul(c, &c->head, share_of(c, rows)) : 0;
}

/*
** Multiplications of the scores of one sequence and token, over their rate. Tiles hold the query heads that
** share a key. FlashAttention 2 packs them so only where every sequence of the batch has one query
** (seqlenq_ngroups_swapped in flash_api.cpp, v2.7): beside prompts each head fills a tile of its own, in
** the kernel of prompts.
*/
static double score_s(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                      int beside) {
    double verified = 1 + (double)c->in.plan.draft_tokens, peak = c->in.device.bf16_flop_s;
    if (beside && c->in.engine.flash && !c->in.curves.packs_beside) {
        return a->score_flop * a->heads * fmax(verified, QUERY_ROWS) /
               (peak * c->in.device.attention.u);
    }
    return a->score_flop * a->kv_heads * fmax(a->shared * verified, QUERY_ROWS) /
           (peak * c->in.curves.decode_rate);
}

/* Until all of the device is busy a read takes up to decode_ramp_s longer. */
static double read_keys(const struct bp_infer_case *c, double bytes) {
    const struct bp_serving_curves *curves = &c->in.curves;
    double ramp = curves->decode_ramp_s, best_s = bytes / c->in.device.mem_bw_bytes_s;
    return best_s / curves->decode_stream + (best_s > 0 ? ramp * best_s / (best_s + ramp) : 0);
}

/* Of one head of a sequence where one block of threads reads all of it, whatever else is idle. */
static double one_head(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                       double seen) {
    double rate = c->in.engine.head_bytes_s;
    return rate > 0 ? seen * a->kv_bytes / a->kv_heads / rate : 0;
}

/*
** Heads of all sequences from which on vLLM's paged attention takes its first kernel, which gives all keys of a head to one
** block; below, its second one deals them to many (paged_attn.py of vLLM 0.6, 2024; recalled).
*/
#define DEALT_HEADS 512

/* Whether the keys of a head are dealt to many blocks of threads, of few heads in all. */
static int are_dealt(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                     double rows) {
    return !(c->in.engine.head_bytes_s > 0) && rows * a->heads <= DEALT_HEADS;
}

/* Whether query heads that share keys read them together. */
static int are_together(const struct bp_infer_case *c, const struct bp_infer_attention *a) {
    int64_t below = c->in.engine.apart_below;
    return below > 0 && a->shared >= (double)below;
}

/* Times that keys are read, for the query heads that share them. */
static double reads(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                    double rows) {
    double apart = c->in.engine.apart;
    if (!(apart > 0) || are_together(c, a) || are_dealt(c, a, rows)) {
        return 1;
    }
    return fmax(1, apart * a->shared);
}

/*
** Turns of a vector lane that an 8-bit value of the cache takes until it is multiplied: converted, scaled and rounded (counted
** by hand). Devices without arithmetic in fp8 have no instruction for it either: the code in its place (cuda_fp8.hpp,
** some twenty instructions and a branch; recalled) took 24 turns in TensorRT-LLM and 50 in vLLM, both of 2024, on an A100.
*/
#define WIDEN_TURNS 4.0
#define EMULATED_TURNS 35.0

/* Keys that a block of threads takes where a head's are dealt to many (vLLM, paged_attn.py, 2024; recalled). */
#define DEALT_KEYS 512.0

/* Keys of a head that one block of threads reads. */
static double keys_of_block(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                            double rows, double seen) {
    return are_dealt(c, a, rows) ? fmin(seen, DEALT_KEYS) : seen;
}

/*
** What query heads take that widen their keys and values by themselves: all of them on all lanes, or one block on those of
** one core. A turn is two FLOP of fp32.
*/
static double widen_s(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                      double rows, double seen) {
    const struct bp_device *d = &c->in.device;
    int emulated = c->in.plan.kv == BP_FORMAT_FP8 && !(d->fp8_flop_s > 0);
    double turns_s, values = a->kv_bytes / c->kv_value_bytes / a->kv_heads;
    int alone = c->in.engine.heads_widen && !are_together(c, a);
    if (!alone || c->kv_value_bytes > 1 || !(d->fp32_flop_s > 0)) {
        return 0;
    }
    turns_s = values * 2 * (emulated ? EMULATED_TURNS : WIDEN_TURNS) / d->fp32_flop_s;
    return turns_s *
           fmax(rows * a->heads * seen, (double)d->cores * keys_of_block(c, a, rows, seen));
}

static double decode_layers(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                            double rows, double context, int beside) {
    const struct bp_serving_curves *curves = &c->in.curves;
    double seen = a->window > 0 ? fmin(context, a->window) : context;
    double memory_s, compute_s;
    if (!(a->layers > 0)) {
        return 0;
    }
    seen = a->selected > 0 ? fmin(seen, a->selected) : seen;
    seen = a->others > 0 ? a->others : seen;
    memory_s =
        fmax(read_keys(c, reads(c, a, rows) * rows * seen * a->kv_bytes), one_head(c, a, seen));
    compute_s = fmax(rows * seen * score_s(c, a, beside), widen_s(c, a, rows, seen));
    return a->layers * (c->in.engine.launch * curves->decode_t0_s + fmax(memory_s, compute_s));
}

/*
** An indexer keeps its keys in 8 bit and multiplies them so where the device can (DeepSeek-V3.2 technical
** report, 2025, section 2.1); its fp32 scores are written once and read by two passes of the selection (radix
** select by digits, assumption).
*/
#define INDEX_KEY_BYTES 1.0
#define SCORE_MOVES (3 * 4.0)

static double index_flop_s(const struct bp_infer_case *c) {
    const struct bp_device *d = &c->in.device;
    return (d->fp8_flop_s > 0 ? d->fp8_flop_s : d->bf16_flop_s) * c->in.curves.decode_rate;
}

static double select_s(const struct bp_infer_case *c, double scores) {
    return SCORE_MOVES * scores / (c->in.device.mem_bw_bytes_s * ELEMENTWISE_SHARE);
}

/* Every query of a decoding sequence scores all index keys before it. */
static double decode_index(const struct bp_infer_case *c, double rows, double context) {
    const struct bp_infer_index *x = &c->index;
    double keys = rows * context / x->ratio, verified = 1 + (double)c->in.plan.draft_tokens;
    double memory_s, compute_s;
    if (!(x->layers > 0)) {
        return 0;
    }
    memory_s = read_keys(c, keys * x->dim * INDEX_KEY_BYTES);
    compute_s = 2 * verified * keys * x->heads * x->dim / index_flop_s(c);
    return x->layers * (c->in.engine.launch * c->in.curves.decode_t0_s + fmax(memory_s, compute_s) +
                        select_s(c, verified * keys));
}

double bp_infer_decode(const struct bp_infer_case *c, double sequences, double context,
                       int beside) {
    double rows = attended(c, sequences), sum = 0;
    double states = 2 * rows * c->state_bytes / (c->in.device.mem_bw_bytes_s * STATE_SHARE);
    int i;
    if (!(sequences > 0)) {
        return 0;
    }
    for (i = 0; i < c->attentions; i++) {
        sum += decode_layers(c, &c->attention[i], rows, context, beside);
    }
    return sum + decode_index(c, rows, context) + states;
}

/* Context-parallel ranks need each other's keys and values of the whole sequence. */
static double gather_keys(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                          double tokens) {
    double seen = a->window > 0 ? fmin(tokens, a->window) : tokens;
    if (a->others > 0) { /* heads are dealt, tokens of the other stack are everywhere */
        return 0;
    }
    return a->layers *
           collective(c, BP_COLLECTIVE_OP_ALL_GATHER, seen * a->kv_bytes, (double)c->in.plan.cp);
}

/*
** Of a prompt whose queries look at tokens of their own, every query reads as a decoding one does: latent
** keys, heads in tiles. Before, the indexer scores all tokens for each query, on every rank, in 8 bit.
*/
static double selecting_layers(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                               double prompts, double tokens, double past) {
    const struct bp_infer_index *x = &c->index;
    const struct bp_device *d = &c->in.device;
    double each = tokens / prompts, scores = tokens * (past + 0.5 * each) / x->ratio;
    double index = 2 * scores * x->heads * x->dim / index_flop_s(c) + select_s(c, scores);
    double seen = fmin(a->selected, past + 0.5 * each);
    double flop = tokens * seen * a->score_flop * a->kv_heads * fmax(a->shared, QUERY_ROWS);
    return a->layers * (flop / (d->bf16_flop_s * c->in.curves.decode_rate)) + x->layers * index;
}

static double kernel_s(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                       const struct bp_attention_shape *s) {
    return a->narrow ? bp_attention_time_by(&c->in.device, &c->in.curves.prompt8, s)
                     : bp_attention_time(&c->in.device, s);
}

static double prefill_layers(const struct bp_infer_case *c, const struct bp_infer_attention *a,
                             double prompts, double tokens, double past) {
    struct bp_attention_shape s;
    if (!(a->layers > 0)) {
        return 0;
    }
    if (a->selected > 0 && tokens / prompts + past > a->selected) {
        return selecting_layers(c, a, prompts, tokens, past) / (double)c->in.plan.cp +
               gather_keys(c, a, tokens + prompts * past);
    }
    s.batch = prompts;
    s.heads = a->heads;
    s.kv_heads = a->kv_heads;
    s.qk_dim = a->qk_dim;
    s.v_dim = a->v_dim;
    s.seq_q = tokens / prompts;
    s.seq_kv = a->others > 0 ? a->others : s.seq_q + past;
    s.window = a->window > 0 ? a->window : a->selected;
    s.score_passes = 0;
    s.causal = !(a->others > 0);
    s.flash = 1;
    s.trained = 0;
    /* Head and tail of a prompt go to one rank, so that all have as many pairs. */
    return a->layers * kernel_s(c, a, &s) / (double)c->in.plan.cp +
           gather_keys(c, a, tokens + prompts * past);
}

double bp_infer_prefill(const struct bp_infer_case *c, double prompts, double tokens, double past) {
    double scan, chunks;
    int i;
    if (!(tokens > 0 && prompts > 0)) {
        return 0;
    }
    tokens *= fullest_batch(c, prompts);
    prompts *= fullest_batch(c, prompts);
    scan = SCAN_FLOP * tokens / (double)c->in.plan.cp * c->state_bytes / 4 /
           (c->in.device.bf16_flop_s * SCAN_SHARE);
    chunks = ceil(tokens / prompts / (double)c->in.plan.cp / SCAN_CHUNK);
    scan += c->scan_layers * chunks * SCAN_CHUNK_S;
    for (i = 0; i < c->attentions; i++) {
        scan += prefill_layers(c, &c->attention[i], prompts, tokens, past);
    }
    return scan;
}

/* Every token of an input sees all others, or those in its window. */
static double encoder_attention(const struct bp_infer_case *c, double inputs) {
    const struct bp_infer_encoder *e = &c->encoder;
    struct bp_attention_shape s = {0};
    double all;
    s.batch = inputs;
    s.heads = s.kv_heads = bp_head_share(e->heads, (double)c->in.plan.tp);
    s.qk_dim = s.v_dim = e->head_dim;
    s.seq_q = s.seq_kv = e->tok;
    s.flash = 1;
    all = (e->layers - e->window_layers) * bp_attention_time(&c->in.device, &s);
    s.window = e->window;
    return all + e->window_layers * bp_attention_time(&c->in.device, &s);
}

/*
** Engines run encoders by themselves before the step, kernel by kernel: no graph is captured of them. The first
** stage of a pipeline does it, tensor-parallel ranks share it.
*/
static double encoder_s(const struct bp_infer_case *c, double prompts) {
    const struct bp_infer_encoder *e = &c->encoder;
    double inputs = prompts * e->inputs / (double)c->in.plan.cp, rows = inputs * e->tok;
    double message = 2 * rows * e->hidden, sum;
    int i;
    sum =
        2 * e->layers * collective(c, BP_COLLECTIVE_OP_ALL_REDUCE, message, (double)c->in.plan.tp) +
        encoder_attention(c, inputs) +
        rows * e->elementwise_bytes / (c->in.device.mem_bw_bytes_s * ELEMENTWISE_SHARE);
    for (i = 0; i < e->linears; i++) {
        sum += e->linear[i].times * matmul(c, &e->linear[i], inputs * e->linear[i].others);
    }
    return fmax(sum, e->kernels * c->in.engine.eager_kernel_s);
}

/* Less than one prompt is a share of one. */
double bp_infer_inputs(const struct bp_infer_case *c, double prompts) {
    double whole, share, group;
    if (!(prompts > 0) || !(c->encoder.layers > 0 || c->in.model.cross_layers > 0)) {
        return 0;
    }
    whole = fmax(1, prompts);
    share = prompts / whole;
    group = whole * fullest_group(c, whole);
    return share * (other_matmuls(c, group / (double)c->in.plan.pp) +
                    (c->encoder.layers > 0 ? encoder_s(c, group) : 0));
}

/* Planning that does not overlap looks at every token that may come of a sequence. */
static double plan_s(const struct bp_infer_case *c, double sequences) {
    const struct bp_engine *e = &c->in.engine;
    return e->plan_s + e->plan_sequence_s * sequences * (1 + (double)c->in.plan.draft_tokens);
}

/*
** Host time of a step beside its launches. Where the batches of stages are not planned ahead, each of them waits for the
** tokens of the one before, and for a step of the host of its own.
*/
static double fixed_s(const struct bp_infer_case *c, double sequences) {
    const struct bp_engine *e = &c->in.engine;
    double stages = (double)c->in.plan.pp;
    int in_turn = stages > 1 && !e->stages_ahead;
    double batches = in_turn ? stages : 1, each = sequences / (double)c->in.plan.dp / batches;
    double plan = e->overlap && !in_turn ? 0 : plan_s(c, each);
    return batches * (e->step_s + plan + e->sequence_s * each);
}

/* Engines that capture pieces compile them first, unless they are told to capture none. */
static double one_by_one(const struct bp_infer_case *c) {
    const struct bp_engine *e = &c->in.engine;
    return e->graph_pieces && e->graph_tokens > 0 ? c->compiled_launches : c->launches;
}

/* What the host launches in a step, 0 where all of it is one captured graph. */
static double launches_of(const struct bp_infer_case *c, double prompt_tokens, double sequences) {
    const struct bp_engine *e = &c->in.engine;
    double graphs = bp_infer_graph_tokens(c);
    if (prompt_tokens > 0 && !e->graph_prompts) {
        return e->graph_pieces && prompt_tokens + sequences <= graphs ? c->piece_launches
                                                                      : one_by_one(c);
    }
    if (sequences > graphs) {
        return one_by_one(c);
    }
    return e->graph_whole ? 0 : c->piece_launches;
}

/* What measured steps make of one: the curve of a calibration is of those that decode. */
static double measured_of(const struct bp_infer_case *c, double sequences) {
    return sequences > 0 ? bp_calibrated_step(&c->in.engine.calibration, sequences) : 1;
}

/*
** A captured graph leaves a gap between kernels; without one the host launches them while the device
** works, and the slower of the two is seen.
*/
static double host_of(const struct bp_infer_case *c, double device_s, double sequences,
                      double launches) {
    const struct bp_engine *e = &c->in.engine;
    double paced_s = e->slowdown * device_s, fixed = fixed_s(c, sequences);
    return measured_of(c, sequences) *
           (fixed + fmax(paced_s + e->kernel_s * c->kernels, e->eager_kernel_s * launches));
}

double bp_infer_host(const struct bp_infer_case *c, double device_s, double prompt_tokens,
                     double sequences) {
    return host_of(c, device_s, sequences, launches_of(c, prompt_tokens, sequences));
}

static double one_layer(const struct bp_infer_case *c, double sequences) {
    return (bp_infer_dense(c, bp_infer_rows(c, 0, 0, sequences)) +
            bp_infer_experts(c, bp_infer_expert_tokens(c, 0, 0, sequences))) /
           c->layers;
}

/* Drafts: a layer (and the head) of the drafting module for each token it proposes. */
static double drafting(const struct bp_infer_case *c, double sequences) {
    double draft_tokens = (double)c->in.plan.draft_tokens;
    if (!(draft_tokens > 0 && sequences > 0)) {
        return 0;
    }
    return draft_tokens * (one_layer(c, sequences) + bp_infer_head(c, sequences));
}

static double verified(const struct bp_infer_case *c, double sequences) {
    return sequences * (1 + (double)c->in.plan.draft_tokens);
}

static double device_of(const struct bp_infer_case *c, const struct bp_infer_batch *b) {
    double rows = verified(c, b->sequences);
    return bp_infer_dense(c, bp_infer_rows(c, b->prompts, b->prompt_tokens, rows)) +
           bp_infer_experts(c, bp_infer_expert_tokens(c, b->prompts, b->prompt_tokens, rows)) +
           bp_infer_head(c, rows + b->prompts) +
           bp_infer_decode(c, b->sequences, b->context, b->prompt_tokens > 0) +
           bp_infer_prefill(c, b->prompts, b->prompt_tokens, b->prompt_past) +
           bp_infer_inputs(c, b->starts) + drafting(c, b->sequences);
}

double bp_infer_time(const struct bp_infer_case *c, const struct bp_infer_batch *b) {
    return bp_infer_host(c, device_of(c, b), b->prompt_tokens, b->sequences);
}

double bp_infer_mean_time(const struct bp_infer_case *c, const struct bp_infer_batch *b,
                          double over) {
    double device_s = device_of(c, b);
    return (1 - over) * host_of(c, device_s, b->sequences, c->piece_launches) +
           over * host_of(c, device_s, b->sequences, one_by_one(c));
}

static int check(const struct bp_infer_step_in *in, struct bp_error *err) {
    if ((in->prompts > 0) != (in->prompt_tokens > 0) || in->prompt_tokens < in->prompts) {
        return bp_fail(err, BP_EDOMAIN, "prompt_tokens", "%.15g tokens of %.15g prompts",
                       in->prompt_tokens, in->prompts);
    }
    if (!(in->prompts + in->sequences > 0)) {
        return bp_fail(err, BP_EDOMAIN, "sequences", "nothing is in the step");
    }
    return BP_OK;
}

static struct bp_infer_setup setup_of(const struct bp_infer_step_in *in) {
    struct bp_infer_setup s = {in->model,  in->device, in->network,
                               in->curves, in->plan,   in->engine};
    return s;
}

/* Of prompts with tokens behind them the encoder has run. */
static double starts_of(const struct bp_infer_step_in *in) {
    return in->prompt_past > 0 ? 0 : in->prompts;
}

static void set_device_parts(const struct bp_infer_case *c, const struct bp_infer_step_in *in,
                             struct bp_infer_step_out *out) {
    double checked = verified(c, in->sequences);
    double slowdown = c->in.engine.slowdown * measured_of(c, in->sequences);
    double rows = bp_infer_rows(c, in->prompts, in->prompt_tokens, checked);
    double all = bp_infer_expert_tokens(c, in->prompts, in->prompt_tokens, checked);
    int has_experts = c->moe_layers > 0, beside = in->prompt_tokens > 0;
    double experts_s = has_experts ? experts(c, all) : 0;
    out->matmul_s = slowdown * (dense_matmuls(c, rows) + drafting(c, in->sequences));
    out->moe_s = slowdown * experts_s;
    out->collective_s =
        slowdown * (traffic(c, rows) + (has_experts ? exposed_traffic(c, all, experts_s) : 0));
    out->elementwise_s = slowdown * elementwise(c, rows);
    out->prefill_s =
        slowdown * bp_infer_prefill(c, in->prompts, in->prompt_tokens, in->prompt_past);
    out->encoder_s = slowdown * bp_infer_inputs(c, starts_of(in));
    out->decode_s = slowdown * bp_infer_decode(c, in->sequences, in->context, beside);
    out->head_s = slowdown * bp_infer_head(c, checked + in->prompts);
}

int bp_infer_step(const struct bp_infer_step_in *in, struct bp_infer_step_out *out,
                  struct bp_error *err) {
    struct bp_infer_setup setup = setup_of(in);
    struct bp_infer_batch batch = {in->prompts,   in->prompt_tokens, in->prompt_past,
                                   in->sequences, in->context,       starts_of(in)};
    struct bp_infer_case c;
    int code = bp_infer_prepare(&setup, &c, err);
    if (code == BP_OK) {
        code = check(in, err);
    }
    if (code != BP_OK) {
        return code;
    }
    set_device_parts(&c, in, out);
    out->time_s = bp_infer_time(&c, &batch);
    /* Where the device takes all but a rounding of the step, the host takes nothing. */
    out->host_s =
        fmax(0, out->time_s - (out->matmul_s + out->moe_s + out->collective_s + out->elementwise_s +
                               out->prefill_s + out->encoder_s + out->decode_s + out->head_s));
    out->tokens = c.advance;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_infer_step_in, BP_INFER_STEP_IN_FIELDS, "infer_step",
                 "one step of a serving engine");
BP_DEFINE_SCHEMA(bp_infer_step_out, BP_INFER_STEP_OUT_FIELDS, "infer_step result",
                 "what the step takes");
BP_DEFINE_KERNEL(
    infer_step, "Time of one serving step",
    "time_s = step_s + sequence_s sequences + device_s + kernel_s kernels (without overlap plan_s "
    "+ "
    "plan_sequence_s tokens verified more); without a captured graph the larger of that and the "
    "host's "
    "launches; of steps that decode times the curve step_1 .. step_512 of a calibrated engine; "
    "device_s = matmuls by shape + experts hit + attention of prompts (bp_attention; "
    "those of "
    "an indexer as decoding reads them) + encoder and cross keys of prompts that start + 3 us per chunk of a scan + the larger of x / "
    "decode_stream + "
    "ramp x / (x + ramp), x = keys and values over bandwidth, and scores over decode_rate peak, + "
    "states "
    "read and written + head + collectives (tokens to experts in 8 bit where these multiply in it, once to each domain) + "
    "elementwise",
    "one replica; prompts of one step are taken as equally long; expert and attention groups as "
    "evenly "
    "filled but for the experts' skew; no communication under arithmetic but of experts between domains",
    "kernels of this program; engine coefficients fitted to public measurements, see "
    "lua/ballpark/catalog/engines.lua");
