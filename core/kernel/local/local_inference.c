#include "kernel/local/local_inference.h"

#include "kernel/count/kv.h"
#include "kernel/count/params.h"
#include "kernel/layer/attention.h"
#include "kernel/registry.h"

#include <math.h>

/*
** Bits of a stored weight: up to TIGHT it is packed tightly, from BYTE on it is a byte or more, from WHOLE on it needs
** no unpacking.
*/
#define TIGHT_BITS 5.0
#define BYTE_BITS 8.0
#define WHOLE_BITS 15.0

/*
** Exponents by which two things that overlap add up: reading and computing in one kernel, the host and the device.
** Between a sum (1) and the larger of both (assumption).
*/
#define KERNEL_OVERLAP 3.0
#define HOST_OVERLAP 4.0

/* Without fused attention: fp32 passes over the scores, for writing them, mask and softmax, reading (count of kernels). */
#define SCORE_PASSES 4.0
#define SCORE_BYTES 4.0

/* Activations of the compute buffer are fp32. */
#define BUFFER_BYTES 4.0

/* Share of a host's memory that may be filled: the rest is the system's (assumption). */
#define HOST_FRAC 0.9

/*
** A part of the weights: its stored bytes, how many weights they are, and columns of its matrices, each of which is a sum
** over a row.
*/
struct part {
    double bytes, params, columns;
};

/* What a place, devices or the host, has of the model. */
struct place {
    const struct bp_device *device;
    const struct bp_local_engine *engine;
    double layers; /* of the model, with their KV cache */
    int plain;     /* blocks of weights in few bits */
    struct part dense, experts, head;
};

/* Bytes of layers and what is beside them on a card, by which layers are dealt. */
struct sizes {
    double bare, experts; /* a layer with its cache, and its experts */
    double beside;        /* context and buffer, on every card */
    double first, last;   /* embedding and head, on those cards */
};

struct local_case {
    const struct bp_local_inference_in *in;
    struct bp_ready_model ready;
    double layers;                    /* of the model */
    double hosted;                    /* of them the first ones, which the host has */
    double bared;                     /* from here on devices have a layer's experts, too */
    double parted;                    /* layers on a device whose experts are with the host */
    struct part dense, experts, head; /* of the model */
    struct sizes sizes;
    double full; /* no card is fuller than this share of its memory */
    struct place host;
};

static double norm(double a, double b, double p) {
    double most = fmax(a, b);
    return most > 0 ? most * pow(pow(a / most, p) + pow(b / most, p), 1 / p) : 0;
}

static double bits(const struct part *p) {
    return p->params > 0 ? 8 * p->bytes / p->params : 16;
}

static struct part share(struct part p, double frac) {
    return (struct part){p.bytes * frac, p.params * frac, p.columns * frac};
}

/*
** Between tight packing and a byte the time of a weight goes with its bits, in a straight line; a byte takes no less
** time than tight packing.
*/
static double stream(const struct place *place, double b) {
    const struct bp_local_engine *e = place->engine;
    double few = place->plain ? e->stream_plain : e->stream4;
    double tight = TIGHT_BITS / few, byte = fmax(BYTE_BITS / e->stream8, tight);
    if (b <= TIGHT_BITS) {
        return few;
    }
    if (b < BYTE_BITS) {
        return b / (tight + (byte - tight) * (b - TIGHT_BITS) / (BYTE_BITS - TIGHT_BITS));
    }
    return b >= WHOLE_BITS ? e->stream16 : BYTE_BITS / byte;
}

/* Seconds to read a part, of which a token uses `used`. */
static double stream_s(const struct place *place, const struct part *p, double used) {
    return p->bytes * used / (place->device->mem_bw_bytes_s * stream(place, bits(p)));
}

/* The same, and to bring it into the form that is multiplied. */
static double read_s(const struct place *place, const struct part *p, double used) {
    const struct bp_local_engine *e = place->engine;
    double b = bits(p), fp32 = place->device->fp32_flop_s;
    double packed = place->plain ? e->unpack_plain : e->unpack;
    double flop = p->params * used * (b >= WHOLE_BITS ? e->convert : packed);
    return norm(stream_s(place, p, used), fp32 > 0 ? flop / fp32 : 0, KERNEL_OVERLAP);
}

/*
** Weights that kernels of one token have time for, over those of rows of a width: blocks of blocks are taken many at a time,
** and a row of few leaves threads idle. Plain blocks and 16 bit are finer.
*/
static double padded(const struct place *place, double width) {
    int fine = place->plain || bits(&place->experts) >= WHOLE_BITS;
    double stride = fine ? 1 : (double)place->engine->stride;
    return ceil(width / stride) * stride / width;
}

/* The same of experts, whose matrices are all of one size: two or one by the width in front and one by their own. */
static double padded_experts(const struct local_case *c, const struct place *place) {
    const struct bp_model *m = &c->ready.model;
    double in = (double)(m->moe_latent > 0 ? m->moe_latent : m->hidden), ups = m->gated_mlp ? 2 : 1;
    return (ups * padded(place, in) + padded(place, (double)m->moe_ffn)) / (ups + 1);
}

static double used_experts(const struct bp_model *m) {
    return m->experts > 0 ? (double)m->topk / (double)m->experts : 0;
}

/* Experts that at least one of so many tokens visits, as a share of all: visits fall at random. */
static double visited(const struct bp_model *m, double tokens) {
    return m->experts > 0 ? 1 - pow(1 - used_experts(m), tokens) : 0;
}

/* Bytes of the cache of one sequence, states included. */
static double cache_bytes(const struct local_case *c, double tokens) {
    struct bp_kv_cache_in in;
    struct bp_kv_cache_out out = {0};
    struct bp_error ignored;
    bp_defaults(&bp_kv_cache_in_schema, &in);
    in.model = c->ready.model;
    in.tokens = tokens;
    in.bytes_per_value = c->in->kv_value_bytes;
    bp_kv_cache(&in, &out, &ignored);
    return out.sequence_bytes;
}

/* FLOP by which one token attends to so many others. */
static double score_flop(const struct local_case *c, double tokens) {
    const struct bp_layer *list = &c->ready.layers.stack;
    double sum = 0;
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        double reach = bp_attention_reach(op->window, op->selected);
        double seen = reach > 0 ? fmin(tokens, reach) : tokens;
        sum += 2 * op->count * op->heads * op->score_width * seen;
    }
    return sum;
}

/* Time of one generated token of every sequence by what takes it, of the layers of one place. */
struct spent {
    double weights, cache, launches;
};

/* Tokens of a pass over prompts, at most. */
static double ubatch(const struct local_case *c) {
    return (double)(c->in->ubatch_tok > 0 ? c->in->ubatch_tok : c->in->engine.ubatch);
}

/* Devices of both kinds. */
static double count(const struct local_case *c) {
    return (double)(c->in->devices + c->in->others);
}

static int cuts_matrices(const struct local_case *c) {
    return c->in->engine.split == BP_LOCAL_SPLIT_TENSORS;
}

/* Layers are dealt to cards one after another, those of the second kind last; cards that cut every matrix are as one. */
static int64_t cards(const struct local_case *c) {
    return cuts_matrices(c) ? 1 : c->in->devices + c->in->others;
}

static int is_other(const struct local_case *c, int64_t card) {
    return card >= c->in->devices;
}

static double usable(const struct local_case *c, int64_t card) {
    const struct bp_device *device = is_other(c, card) ? &c->in->other : &c->in->device;
    return c->in->usable_frac * (double)device->memory_bytes;
}

/* What a card has beside layers. */
static double beside(const struct local_case *c, int64_t card) {
    const struct sizes *s = &c->sizes;
    return s->beside + (card == 0 ? s->first : 0) + (card == cards(c) - 1 ? s->last : 0);
}

/* Layers from `next` on that so many bytes hold: the first ones without their experts. */
static double held(const struct local_case *c, double next, double bytes) {
    const struct sizes *s = &c->sizes;
    double bare = fmax(0, c->bared - next), few = fmin(bare, floor(bytes / s->bare));
    if (few < bare) {
        return few;
    }
    return bare + floor((bytes - bare * s->bare) / (s->bare + s->experts));
}

/* Layers of a card from `next` on, where none is fuller than `full`; nothing less than all that is left on the last one. */
static double taken(const struct local_case *c, int64_t card, double next) {
    double left = c->layers - next;
    if (card == cards(c) - 1) {
        return left;
    }
    return fmin(left, fmax(0, held(c, next, c->full * usable(c, card) - beside(c, card))));
}

/* Whether no card is fuller than `full`. */
static int has_room(const struct local_case *c) {
    double next = c->hosted;
    int64_t card, n = cards(c);
    for (card = 0; card < n; card++) {
        double room = c->full * usable(c, card) - beside(c, card);
        if (room < 0) {
            return 0;
        }
        next += fmin(c->layers - next, held(c, next, room));
    }
    return next >= c->layers;
}

/* Halvings after which a share is known to the last bits. */
#define HALVINGS 50

/*
** Cards are cut so that the fullest is as little full as can be, by what each has in the end: llama.cpp splits by free memory, which
** comes to that where layers are alike; where some leave their experts with the host, its fitting does (llama_params_fit,
** 2025, recalled), or whoever sets --tensor-split.
*/
static void cut(struct local_case *c) {
    const struct sizes *s = &c->sizes;
    double low = 0, high = 0;
    int64_t i, n = cards(c);
    if (n == 1) {
        return;
    }
    for (i = 0; i < n; i++) {
        high = fmax(high, 1 / fmax(1, usable(c, i)));
    }
    high *= s->beside + s->first + s->last + c->layers * (s->bare + s->experts) + 1;
    for (i = 0; i < HALVINGS; i++) {
        c->full = (low + high) / 2;
        *(has_room(c) ? &high : &low) = c->full;
    }
    c->full = high;
}

/* The peak of 16 bit, with the accumulation of the engine. */
static double peak16(const struct place *place) {
    return place->engine->accumulate16 ? bp_device_peak16(place->device)
                                       : place->device->bf16_flop_s;
}

/* Whether matmuls over weights of so many bits are in int8. */
static int is_narrow(const struct place *place, double b) {
    return b < WHOLE_BITS && place->engine->int8 && place->device->int8_flop_s > 0;
}

/* Weights of a part, and those that a tile's start and end take as long as: sums over short rows are mostly that. */
static double deepened(const struct place *place, const struct part *p) {
    double k0 = place->engine->k0 * (is_narrow(place, bits(p)) ? 2 : 1);
    return p->params + k0 * p->columns;
}

/*
** Seconds of one operation of matmuls over weights of so many bits: what the units multiply, of which kernels reach a
** share, what scaling the sums of blocks takes of the vector units, and the energy of it at the board's power.
*/
static double op_s(const struct place *place, double b) {
    const struct bp_local_engine *e = place->engine;
    int narrow = is_narrow(place, b);
    double peak = narrow ? place->device->int8_flop_s : peak16(place);
    double reached = peak * (b < WHOLE_BITS ? e->matmul8 : e->matmul16);
    double fp32 = place->device->fp32_flop_s, power = place->device->tdp_w;
    double scaling = narrow && fp32 > 0 ? e->scaling / fp32 : 0;
    double energy = e->op_j * (narrow ? 1 : 2);
    return norm(norm(1 / reached, scaling, KERNEL_OVERLAP), power > 0 ? energy / power : 0,
                KERNEL_OVERLAP);
}

/* Seconds to read `used` of the experts, as read_s. */
static double read_experts_s(const struct local_case *c, const struct place *place, double used) {
    return used > 0 ? read_s(place, &place->experts, used) * padded_experts(c, place) : 0;
}

/*
** Seconds of tokens that go through a part together: `work` times its weights multiplied, beside reading it once. No longer
** than one token after another takes on vector units, of which each reads and multiplies `used` of it in `alone`.
*/
static double pass_s(const struct place *place, const struct part *p, double work, double read,
                     double tokens, double used, double alone) {
    double fp32 = place->device->fp32_flop_s, together, turns;
    if (!(p->params > 0)) {
        return 0;
    }
    together = norm(2 * deepened(place, p) * work * op_s(place, bits(p)), read, KERNEL_OVERLAP);
    turns = tokens * norm(alone, fp32 > 0 ? 2 * p->params * used / fp32 : 0, KERNEL_OVERLAP);
    return fp32 > 0 ? fmin(together, turns) : together;
}

/* Matmuls of the layers in one pass of so many tokens, in tiles that compute `rows0` rows more. */
static double pass_layers_s(const struct local_case *c, const struct place *place, double tokens,
                            double rows0) {
    const struct bp_model *m = &c->ready.model;
    double topk = used_experts(m), rows = tokens * topk, dense = read_s(place, &place->dense, 1);
    return pass_s(place, &place->dense, tokens + rows0, dense, tokens, 1, dense) +
           pass_s(place, &place->experts, (rows + rows0 * fmin(1, rows)) / place->engine->experts,
                  read_experts_s(c, place, visited(m, tokens)), tokens, topk,
                  read_experts_s(c, place, topk));
}

/* With the head, of which a prompt needs the last row. */
static double pass_matmul_s(const struct local_case *c, const struct place *place, double tokens) {
    return pass_layers_s(c, place, tokens, place->engine->rows0) + read_s(place, &place->head, 1);
}

/*
** Weights of a step that every sequence takes: read once, and where there are several multiplied by a row of each. Kernels
** for few rows do not compute more than they have (Marlin, arXiv:2408.11743: near the speed of reading up to 16 rows and
** more).
*/
static double step_weights_s(const struct local_case *c, const struct place *place) {
    double rows = (double)c->in->sequences, head = read_s(place, &place->head, 1);
    if (rows > 1) {
        return pass_layers_s(c, place, rows, 0) +
               pass_s(place, &place->head, rows, head, rows, 1, head);
    }
    return read_s(place, &place->dense, 1) + head +
           read_experts_s(c, place, used_experts(&c->ready.model));
}

/* Reading alone, of what such a step reads. */
static double step_stream_s(const struct local_case *c, const struct place *place) {
    return stream_s(place, &place->dense, 1) + stream_s(place, &place->head, 1) +
           stream_s(place, &place->experts, visited(&c->ready.model, (double)c->in->sequences));
}

/*
** Kernels that a layer launches more than one that attends and feeds forward, as a share of the 14 of that: a cross
** attention beside it 7, experts in place of its feed-forward part 7 (router, choice of experts, weighing and adding), linear
** attention in place of its attention 14 (convolution, norms, gates, recurrence), a state-space mixer 7. Counted in the
** graphs of llama.cpp (src/models, 2025, recalled).
*/
#define CROSS_LAUNCHES 0.5
#define EXPERT_LAUNCHES 0.5
#define LINEAR_LAUNCHES 1.0
#define MAMBA_LAUNCHES 0.5

/* Launches of a layer in the mean, over those of one that attends and feeds forward. */
static double launched(const struct local_case *c) {
    const struct bp_params_out *p = &c->ready.params;
    double more = CROSS_LAUNCHES * (double)c->ready.model.cross_layers +
                  EXPERT_LAUNCHES * (double)p->moe_layers +
                  LINEAR_LAUNCHES * (double)p->linear_layers +
                  MAMBA_LAUNCHES * (double)p->mamba_layers;
    return 1 + more / c->layers;
}

static struct place place_of(const struct local_case *c, const struct bp_device *device,
                             const struct bp_local_engine *engine, double layers, double routed) {
    struct place place = {device,    engine,    layers,   c->in->weights.plain_blocks,
                          {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    place.dense = share(c->dense, layers / c->layers);
    place.experts = share(c->experts, routed / c->layers);
    return place;
}

/* Cards one after another, each with what it has of the model. */
struct walk {
    int64_t card; /* the next one */
    double next;  /* its first layer */
    struct place place;
};

static struct walk walk(const struct local_case *c) {
    struct walk w = {0};
    w.next = c->hosted;
    return w;
}

static int next_card(const struct local_case *c, struct walk *w) {
    const struct bp_local_inference_in *in = c->in;
    int other = is_other(c, w->card);
    double layers, routed;
    if (w->card >= cards(c)) {
        return 0;
    }
    layers = taken(c, w->card, w->next);
    routed = fmax(0, w->next + layers - fmax(w->next, c->bared));
    w->place = place_of(c, other ? &in->other : &in->device,
                        other ? &in->other_engine : &in->engine, layers, routed);
    if (w->card == cards(c) - 1 && !(c->hosted > 0)) {
        w->place.head = c->head;
    }
    w->next += layers;
    w->card++;
    return 1;
}

static struct spent token_spent(const struct local_case *c, const struct place *place) {
    struct spent s = {0, 0, 0};
    double frac = place->layers / c->layers, at = c->in->at_tok, host;
    double fp32 = place->device->fp32_flop_s, rows = (double)c->in->sequences;
    double blocks = place->layers * launched(c);
    s.weights = step_weights_s(c, place);
    s.cache =
        norm(cache_bytes(c, at) / (place->device->mem_bw_bytes_s * place->engine->stream_kv),
             fp32 > 0 ? score_flop(c, at) / (fp32 * place->engine->score) : 0, KERNEL_OVERLAP) *
        frac * rows;
    s.launches = place->engine->gap_s * blocks;
    host = place->engine->host_s * blocks;
    s.launches = norm(s.weights + s.cache + s.launches, host, HOST_OVERLAP) - s.weights - s.cache;
    return s;
}

/* What takes most of a token; of weights multiplying them, where that takes longer than `streamed`, reading them. */
static enum bp_local_bound token_bound(const struct bp_local_inference_out *out, double weights_s,
                                       double streamed) {
    double most = fmax(fmax(out->token_weights_s, out->token_cache_s),
                       fmax(out->token_offload_s, out->token_other_s));
    double even = pow(2, 1 / KERNEL_OVERLAP); /* the norm of two that are alike, over one of them */
    if (most == out->token_weights_s) {
        return weights_s > even * streamed ? BP_LOCAL_BOUND_COMPUTE : BP_LOCAL_BOUND_BANDWIDTH;
    }
    if (most == out->token_cache_s) {
        return BP_LOCAL_BOUND_CACHE;
    }
    return most == out->token_offload_s ? BP_LOCAL_BOUND_OFFLOAD : BP_LOCAL_BOUND_HOST;
}

static struct spent spent_by_all(const struct local_case *c, double *streamed) {
    struct spent all = {0, 0, 0};
    struct walk w = walk(c);
    while (next_card(c, &w)) {
        struct spent own = token_spent(c, &w.place);
        all.weights += own.weights;
        all.cache += own.cache;
        all.launches += own.launches;
        *streamed += step_stream_s(c, &w.place);
    }
    return all;
}

static void answer_token(const struct local_case *c, struct bp_local_inference_out *out) {
    const struct bp_local_engine *e = &c->in->engine;
    double n = count(c), handed = 0, streamed = 0, weights_s, on = c->layers - c->hosted;
    struct spent own = spent_by_all(c, &streamed), host = {0, 0, 0};
    if (c->host.layers > 0 || c->host.experts.bytes > 0) {
        host = token_spent(c, &c->host);
    }
    weights_s = own.weights;
    if (n > 1 && cuts_matrices(c)) {
        own.weights /= n;
        own.cache /= n;
        handed = 2 * on * e->hop_s;
    } else if (n > 1) {
        handed = (n - 1) * e->hop_s + on * e->split_s;
    }
    handed += 2 * c->parted * e->hop_s; /* to the host, and back */
    out->token_weights_s = own.weights;
    out->token_cache_s = own.cache;
    out->token_offload_s = host.weights + host.cache + host.launches;
    out->token_other_s = own.launches + handed + e->token_s;
    out->token_s =
        out->token_weights_s + out->token_cache_s + out->token_offload_s + out->token_other_s;
    out->tokens_per_s = (double)c->in->sequences / out->token_s;
    out->token_bytes =
        c->in->weights.layer_bytes + c->in->weights.head_bytes +
        c->in->weights.expert_bytes * visited(&c->ready.model, (double)c->in->sequences) +
        (double)c->in->sequences * cache_bytes(c, c->in->at_tok);
    out->token_bound = (int)token_bound(out, weights_s, streamed);
}

/* Query-key pairs of all heads are computed once over the prompt, and what is behind it. */
static double attention_s(const struct local_case *c, const struct place *place) {
    const struct bp_layer *list = &c->ready.layers.stack;
    double flop = 0, scores = 0;
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        double width = place->engine->latent_prompts ? op->score_width : op->qk_dim + op->v_dim;
        double pairs;
        struct bp_attention_shape s = {0};
        s.seq_q = (double)c->in->prompt_tok;
        s.seq_kv = s.seq_q + (double)c->in->depth_tok;
        s.window = bp_attention_reach(op->window, op->selected);
        s.causal = 1;
        pairs = (double)c->in->sequences * op->count * op->heads * bp_attention_pairs(&s);
        flop += 2 * width * pairs;
        scores += pairs;
    }
    return place->layers / c->layers *
           (flop / (peak16(place) * place->engine->attention) +
            (c->in->flash ? 0
                          : SCORE_PASSES * SCORE_BYTES * scores / place->device->mem_bw_bytes_s));
}

/*
** Times that kernels between matmuls read or write a value that a matmul has written: norms, rotation, gates, residual sums,
** weighing of experts, narrowing for the next matmul. A layer's graph in llama.cpp has 4.5 to 5 (src/llama-graph.cpp, 2025,
** counted from memory).
*/
#define BETWEEN_PASSES 5.0

/* Seconds of what lies between the matmuls of a place for so many tokens. */
static double between_s(const struct local_case *c, const struct place *place, double tokens) {
    const struct bp_local_engine *e = place->engine;
    double values = place->dense.columns + place->experts.columns * used_experts(&c->ready.model);
    return tokens * values * BETWEEN_PASSES * e->activation_bytes /
           (place->device->mem_bw_bytes_s * e->between);
}

/*
** Layers of the host in a prompt: computed there, or sent to the device for every pass, whatever is
** faster.
*/
static double host_pass_s(const struct local_case *c, double tokens) {
    const struct place *h = &c->host;
    struct place lent = *h;
    double computed, sent;
    if (!(h->dense.bytes + h->experts.bytes > 0)) {
        return 0;
    }
    computed = pass_matmul_s(c, h, tokens) + between_s(c, h, tokens);
    lent.device = &c->in->device;
    lent.engine = &c->in->engine;
    sent = (h->dense.bytes + h->experts.bytes) / c->in->device.host_bytes_s +
           pass_matmul_s(c, &lent, tokens) + between_s(c, &lent, tokens);
    return fmin(computed, sent);
}

/* What the layers of a place take of a prompt. */
struct work {
    double matmul, attention, other;
};

static double sum(struct work w) {
    return w.matmul + w.attention + w.other;
}

static struct work prompt_work(const struct local_case *c, const struct place *place, double passes,
                               double rows) {
    struct work w = {0, 0, 0};
    if (place->layers > 0) {
        w.matmul = passes * (pass_matmul_s(c, place, rows) + between_s(c, place, rows));
        w.attention = attention_s(c, place);
        w.other = passes * place->engine->pass_s * place->layers * launched(c);
    }
    return w;
}

/* What all cards take of the prompts, and the share of it that the slowest has. */
static struct work work_of_all(const struct local_case *c, double passes, double rows,
                               double *slowest) {
    struct work all = {0, 0, 0};
    struct walk w = walk(c);
    double most = 0;
    while (next_card(c, &w)) {
        struct work own = prompt_work(c, &w.place, passes, rows);
        all.matmul += own.matmul;
        all.attention += own.attention;
        all.other += own.other;
        most = fmax(most, sum(own));
    }
    *slowest = sum(all) > 0 ? most / sum(all) : 0;
    return all;
}

static void answer_prompt(const struct local_case *c, struct bp_local_inference_out *out) {
    const struct bp_local_engine *e = &c->in->engine;
    double n = count(c), tokens = (double)(c->in->sequences * c->in->prompt_tok);
    double passes = ceil(tokens / ubatch(c)), rows = tokens / passes, spread = 1, slowest;
    struct work all = work_of_all(c, passes, rows, &slowest);
    double offload =
        passes * host_pass_s(c, rows) + (c->host.layers > 0 ? attention_s(c, &c->host) : 0);
    /* A pass may follow the one before through devices: the slowest then sets the pace. */
    if (n > 1) {
        double followed = (1 + (passes - 1) * slowest) / passes;
        spread = cuts_matrices(c) ? 1 / n : 1 - e->pipelined * (1 - followed);
        offload += passes * (cuts_matrices(c) ? 2 * c->layers : n - 1) * e->hop_s;
    }
    out->prompt_matmul_s = all.matmul * spread;
    out->prompt_attention_s = all.attention * spread;
    out->prompt_other_s = all.other * spread + offload + e->token_s;
    out->prompt_s = out->prompt_matmul_s + out->prompt_attention_s + out->prompt_other_s;
    out->prompt_tokens_per_s = tokens / out->prompt_s;
    out->prompt_bound =
        (int)(offload > out->prompt_matmul_s + out->prompt_attention_s ? BP_LOCAL_BOUND_OFFLOAD
              : out->prompt_other_s > out->prompt_matmul_s + out->prompt_attention_s
                  ? BP_LOCAL_BOUND_HOST
                  : BP_LOCAL_BOUND_COMPUTE);
}

/* Logits of a pass; or the scores of a layer and what is beside them (as llama.cpp reports its compute buffers). */
static double compute_bytes(const struct local_case *c) {
    const struct bp_model *m = &c->ready.model;
    double rows = fmin(ubatch(c), (double)c->in->sequences * (double)c->in->context_tok);
    double hidden = (double)m->hidden;
    double wide = fmax((double)m->ffn_hidden, (double)(m->moe_ffn * m->topk));
    double scores = c->in->flash ? 0 : (double)m->heads * (double)c->in->context_tok;
    return BUFFER_BYTES * rows * fmax((double)m->vocab + hidden, scores + 2 * hidden + wide);
}

static double all_caches(const struct local_case *c) {
    return (double)c->in->sequences * cache_bytes(c, (double)c->in->context_tok);
}

static int embedding_with_host(const struct bp_local_inference_in *in) {
    return in->engine.host_embedding && !in->device.shared_memory;
}

/* What is on the fullest card of a kind. */
struct fullest {
    double weights, cache, layers; /* layers: of all of the kind */
};

static void answer_kinds(const struct local_case *c, struct bp_local_inference_out *out) {
    const struct bp_local_inference_in *in = c->in;
    struct fullest kinds[2] = {{0, 0, 0}, {0, 0, 0}};
    struct walk w = walk(c);
    double n = cuts_matrices(c) ? (double)in->devices : 1; /* that have a matrix together */
    while (next_card(c, &w)) {
        struct fullest *kind = &kinds[is_other(c, w.card - 1)];
        double weights = (w.place.dense.bytes + w.place.experts.bytes) / n + w.place.head.bytes +
                         (w.card == 1 ? c->sizes.first : 0);
        double cache = out->cache_bytes * w.place.layers / c->layers / n;
        if (weights + cache > kind->weights + kind->cache) {
            kind->weights = weights;
            kind->cache = cache;
        }
        kind->layers += w.place.layers;
    }
    out->device_weights_bytes = kinds[0].weights;
    out->device_cache_bytes = kinds[0].cache;
    out->device_bytes = kinds[0].weights + kinds[0].cache + c->sizes.beside;
    out->other_layers = kinds[1].layers;
    out->other_weights_bytes = kinds[1].weights;
    out->other_cache_bytes = kinds[1].cache;
    out->other_bytes = in->others > 0 ? kinds[1].weights + kinds[1].cache + c->sizes.beside : 0;
}

static void answer_memory(const struct local_case *c, struct bp_local_inference_out *out) {
    const struct bp_local_inference_in *in = c->in;
    const struct bp_local_weights *w = &in->weights;
    const struct place *h = &c->host;
    double tied = c->ready.model.tied_embeddings ? w->head_bytes : 0;
    double held_apart = embedding_with_host(in) ? w->embedding_bytes : 0;
    out->weights_bytes =
        w->embedding_bytes + w->layer_bytes + w->expert_bytes + w->head_bytes - tied;
    out->cache_bytes = all_caches(c);
    out->compute_bytes = compute_bytes(c);
    answer_kinds(c, out);
    out->host_cache_bytes = out->cache_bytes * h->layers / c->layers;
    out->host_bytes =
        h->dense.bytes + h->experts.bytes + h->head.bytes + held_apart + out->host_cache_bytes;
    out->host_usable_bytes = HOST_FRAC * (double)in->host.memory_bytes;
    out->usable_bytes = in->usable_frac * (double)in->device.memory_bytes;
    out->other_usable_bytes = in->others > 0 ? in->usable_frac * (double)in->other.memory_bytes : 0;
    if (in->device.shared_memory) {
        out->fits = out->device_bytes + out->host_bytes <= out->usable_bytes;
    } else {
        out->fits = out->device_bytes <= out->usable_bytes &&
                    out->other_bytes <= out->other_usable_bytes &&
                    out->host_bytes <= out->host_usable_bytes;
    }
}

/* Columns of the matrices of all layers, of routed experts or of all others. */
static double columns(const struct local_case *c, int routed) {
    const struct bp_layer *list = &c->ready.layers.stack;
    double sum = 0;
    int i;
    for (i = 0; i < list->matmuls; i++) {
        const struct bp_op_matmul *op = &list->matmul[i];
        if ((op->experts > 0) == routed) {
            sum += op->count * op->groups * (routed ? op->experts : 1) *
                   (op->out + op->kv_heads * op->kv_width);
        }
    }
    return sum;
}

static struct sizes sizes_of(const struct local_case *c) {
    const struct bp_local_inference_in *in = c->in;
    double tied = c->ready.model.tied_embeddings ? in->weights.head_bytes : 0;
    struct sizes s;
    s.bare = (in->weights.layer_bytes + all_caches(c)) / c->layers;
    s.experts = in->weights.expert_bytes / c->layers;
    s.beside = compute_bytes(c) + in->reserve_bytes;
    s.first = embedding_with_host(in) ? 0 : fmax(0, in->weights.embedding_bytes - tied);
    s.last = c->hosted > 0 ? 0 : in->weights.head_bytes;
    return s;
}

/* Which layers are where: the first ones and their experts stay with the host, the last ones and the head are last. */
static void deal(struct local_case *c) {
    const struct bp_local_inference_in *in = c->in;
    const struct bp_params_out *p = &c->ready.params;
    const struct bp_model *m = &c->ready.model;
    double whole = (double)m->layers;
    double on = in->device_layers < 0 ? whole : fmin((double)in->device_layers, whole);
    double routed = fmax(0, fmin(on, whole - (double)in->host_experts));
    int is_parted = m->experts > 0 && !in->device.shared_memory;
    c->dense = (struct part){
        in->weights.layer_bytes,
        fmax(1, (double)(p->total_params - p->embedding - p->head - p->expert_params)),
        columns(c, 0)};
    c->experts = (struct part){in->weights.expert_bytes, (double)p->expert_params, columns(c, 1)};
    c->head = (struct part){in->weights.head_bytes, (double)(m->vocab * m->embedding_dim),
                            (double)m->vocab};
    c->layers = whole;
    c->hosted = whole - on;
    c->bared = whole - routed;
    c->parted = is_parted ? on - routed : 0;
    c->host = place_of(c, &in->host, &in->host_engine, c->hosted, c->bared);
    if (c->hosted > 0) {
        c->host.head = c->head;
    }
    c->sizes = sizes_of(c);
    cut(c);
}

int bp_local_inference(const struct bp_local_inference_in *in, struct bp_local_inference_out *out,
                       struct bp_error *err) {
    struct local_case c = {0};
    int code = bp_model_ready(&in->model, &c.ready, err);
    if (code != BP_OK) {
        return code;
    }
    c.in = in;
    if (c.ready.model.arch != BP_ARCH_DECODER || !c.ready.model.lm_head) {
        return bp_fail(err, BP_EDOMAIN, "model", "writes no tokens");
    }
    if (in->device_layers > c.ready.model.layers) {
        return bp_fail(err, BP_EDOMAIN, "device_layers", "%lld are more than the model's %lld",
                       (long long)in->device_layers, (long long)c.ready.model.layers);
    }
    if (in->host_experts > c.ready.model.layers) {
        return bp_fail(err, BP_EDOMAIN, "host_experts",
                       "%lld are more than the model's %lld layers", (long long)in->host_experts,
                       (long long)c.ready.model.layers);
    }
    if (in->others > 0 && in->engine.split == BP_LOCAL_SPLIT_TENSORS) {
        return bp_fail(err, BP_EDOMAIN, "others",
                       "the engine cuts every matrix: devices have to be alike");
    }
    deal(&c);
    answer_token(&c, out);
    answer_prompt(&c, out);
    answer_memory(&c, out);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_local_split, BP_LOCAL_SPLIT);
BP_DEFINE_ENUM(bp_local_bound, BP_LOCAL_BOUND);
BP_DEFINE_SCHEMA(bp_local_engine, BP_LOCAL_ENGINE_FIELDS, "local_engine",
                 "how a local engine uses a device or a processor");
BP_DEFINE_SCHEMA(bp_local_weights, BP_LOCAL_WEIGHTS_FIELDS, "local_weights",
                 "stored bytes of a model by part");
BP_DEFINE_SCHEMA(bp_local_inference_in, BP_LOCAL_INFERENCE_IN_FIELDS, "local_inference",
                 "one sequence on one machine, or some in lock-step");
BP_DEFINE_SCHEMA(bp_local_inference_out, BP_LOCAL_INFERENCE_OUT_FIELDS, "local_inference result",
                 "how fast, and what is where");
BP_DEFINE_KERNEL(
    local_inference,
    "Prompt and generation speed and memory of one sequence, or some in lock-step, on one machine",
    "token_s = sum over parts of norm3(bytes / (bandwidth stream), weights unpack / fp32) + "
    "norm3(cache bytes / (bandwidth stream_kv), score FLOP / (fp32 score)) + launches + token_s; "
    "several sequences: every step reads the weights once, norm3 with a row of each multiplied as in a prompt, and each cache; "
    "experts: topk of them; layers on the host and on a second kind of device likewise with its own bandwidth; devices one after "
    "another, and 2 hop_s for every layer whose experts are with the host; prompt_s = passes of ubatch tokens: norm3(2 (weights + "
    "k0 columns) tokens / (peak matmul) (1 + rows0 / tokens), reading; of experts over `experts`; energy op_j over "
    "power; int8: scaling over fp32; no longer than one token after another) + 5 columns tokens activation_bytes / (bandwidth "
    "between) + attention FLOP / (peak attention)",
    "one sequence, or some that begin and end together; experts that a pass visits fall at random; norm_p(a, b) = (a^p + b^p)^(1/p) for "
    "what overlaps; of layers on the host in a prompt the faster of computing and sending them",
    "arithmetic from the shapes; roofline: Williams et al., CACM 52(4) (2009); passes and buffers "
    "as in llama.cpp; coefficients fitted, see lua/ballpark/catalog/fitted/local.lua");
