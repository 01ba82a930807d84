#include "kernel/serve/infer_attention.h"

#include "kernel/serve/infer_matmul.h"
#include "kernel/serve/infer_ranks.h"
#include "kernel/serve/infer_traffic.h"
#include "kernel/time/attention_time.h"

#include <math.h>

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
    return bp_infer_copy_time(c, SCORE_MOVES * scores);
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
    double rows = bp_infer_attended(c, sequences), sum = 0;
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
    return a->layers * bp_infer_collective(c, BP_COLLECTIVE_OP_ALL_GATHER, seen * a->kv_bytes,
                                           (double)c->in.plan.cp);
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
    tokens *= bp_infer_fullest_batch(c, prompts);
    prompts *= bp_infer_fullest_batch(c, prompts);
    scan = SCAN_FLOP * tokens / (double)c->in.plan.cp * c->state_bytes / 4 /
           (c->in.device.bf16_flop_s * SCAN_SHARE);
    chunks = ceil(tokens / prompts / (double)c->in.plan.cp / SCAN_CHUNK);
    scan += c->scan_layers * chunks * SCAN_CHUNK_S;
    for (i = 0; i < c->attentions; i++) {
        scan += prefill_layers(c, &c->attention[i], prompts, tokens, past);
    }
    return scan;
}
