#include <math.h>
#include <string.h>

#include "kernel/count/activations.h"
#include "kernel/count/adapters.h"
#include "kernel/train/train_parts.h"

/* Largest total that is still counted in whole bytes. */
#define BYTES_MAX 9.0e15

/*
** Logits and gradient in one 16-bit buffer, and its fp32 row in registers: fused kernels of Megatron
** Core and Transformer Engine work in place. A loss of parts of the logits has one of them in fp32.
*/
#define FUSED_LOGIT_BYTES 2.0
#define PART_LOGIT_BYTES 4.0

/*
** Of offloaded activations, the layer that is being copied and the one in use are on the device
** (assumption).
*/
#define LAYERS_ON_THE_WAY 2.0

/*
** A layer that recomputes needs all of its activations for as long as its backward takes, however many
** layers do so. That of modules is taken as if all of them were there at once.
*/
static struct bp_kept_bytes layer_bytes(const struct bp_train_case *c,
                                        const struct bp_activations *of, int64_t stage) {
    struct bp_layer_mix mix = bp_stage_mix(c, stage), one = bp_layer_of(c, mix);
    struct bp_kept_bytes b = {bp_activations_kept(c, of, mix), 0, 0};
    double layer = bp_activations_of(c, &of->all, one);
    double plain = bp_activations_of(c, &of->plain, one);
    b.kept += stage == 0 ? bp_encoder_kept(c) : 0;
    if (bp_plan_remakes(c->plan)) {
        b.working = fmax(0, layer - plain) * fmin(1, mix.layers);
    }
    if (c->plan->recompute != BP_RECOMPUTE_NONE) {
        double remade = fmax(0, layer - bp_activations_of(c, &of->remade, one));
        b.working = fmax(b.working, remade * fmin(1, c->plan->recompute_share * mix.layers));
    }
    b.working += fmax(bp_score_steps(c), bp_gradient_steps(c)) * fmin(1, mix.layers);
    if (c->plan->offload_activations > 0) {
        b.host = c->plan->offload_activations * b.kept;
        b.kept -= b.host;
        b.working += fmin(b.host, LAYERS_ON_THE_WAY * bp_activations_kept(c, of, one));
    }
    return b;
}

/* Autograd keeps the 16-bit copy of a head in fp32 from the logits to their gradient. */
static double head_copy(const struct bp_train_case *c) {
    return bp_is_stream_wide(c)
               ? bp_case_element_bytes(c->plan) * (double)c->model->hidden * bp_case_head_width(c)
               : 0;
}

static double fused_logit_bytes(const struct bp_profile *profile) {
    double parts = (double)profile->loss_chunks;
    return FUSED_LOGIT_BYTES + (parts > 0 ? PART_LOGIT_BYTES / parts : 0);
}

/* Each multi-token-prediction layer has logits of its own. */
static struct bp_logit_bytes logits(const struct bp_train_case *c) {
    double heads = 1 + (double)c->model->mtp_layers;
    double count = heads * bp_case_head_rows(c) * bp_case_head_width(c);
    struct bp_logit_bytes b = {head_copy(c), 0};
    switch ((enum bp_cross_entropy)c->plan->cross_entropy) {
    case BP_CROSS_ENTROPY_PLAIN:
        b.loss += count * c->profile->logit_bytes;
        b.held = count * c->profile->held_logit_bytes;
        break;
    case BP_CROSS_ENTROPY_FUSED:
        b.loss += count * fmin(fused_logit_bytes(c->profile), c->profile->logit_bytes);
        b.held = count * fmin(FUSED_LOGIT_BYTES, c->profile->held_logit_bytes);
        break;
    case BP_CROSS_ENTROPY_CHUNKED:
        break;
    }
    return b;
}

static double in_flight(const struct bp_train_case *c, double micro_batches, int64_t stage) {
    const struct bp_plan *plan = c->plan;
    if (c->simulated) {
        return c->simulated->in_flight[stage];
    }
    return bp_in_flight((enum bp_schedule)plan->schedule, (double)plan->pp, micro_batches,
                        (double)plan->vpp, (double)stage);
}

/* What is there at one moment of a step besides weights and optimizer. */
struct moment {
    double gradients, kept, working, logits;
};

static double sum_of(const struct moment *at) {
    return at->gradients + at->kept + at->working + at->logits;
}

/*
** New gradients of a head while there are logits: its own, where they have become their gradient in place; where it comes
** part by part, that of a part and the sum. Copies of logits are gone before.
*/
static double head_gradients(const struct bp_train_case *c, const struct bp_train_states *s) {
    double copies = c->profile->loss_chunks > 0 ? 2 : 1;
    return c->plan->cross_entropy == BP_CROSS_ENTROPY_FUSED ? copies * s->head_gradient : 0;
}

/* Share of the layers that keep all that backward needs, 16-bit copies of their weights among it: others make them again. */
static double kept_share(const struct bp_plan *plan) {
    return plan->recompute == BP_RECOMPUTE_FULL ? 1 - plan->recompute_share : 1;
}

static struct moment larger_moment(struct moment a, struct moment b) {
    return sum_of(&a) >= sum_of(&b) ? a : b;
}

/* Logits at the loss, and how far what is there then is below the peak. */
struct loss_memory {
    double logits, below;
};

/*
** One stage, in bytes; paged: moments that stay on the device in the room that the total leaves; gradients: the most that
** any moment has, at the peak or not.
*/
struct stage_memory {
    const struct bp_train_states *states;
    int64_t stage;
    double flight, host, overhead, total, paged, gradients;
    struct loss_memory loss;
    struct moment at;
};

/* Of the bytes of logits what half of the room beside `rest` holds, where the software takes as many at a time. */
static double in_room(const struct bp_train_case *c, double logits, double rest) {
    double memory = (double)c->device->memory_bytes - c->profile->context_bytes;
    double room = fmax(0, memory / c->profile->fragmentation - rest);
    return c->profile->loss_in_room ? fmin(logits, room / 2) : logits;
}

/*
** The peak is at the logits, where the last forward meets its backward; in the backward of the last layer, which comes
** when logits and their gradient are gone; at the end of a backward, when nothing of its micro-batch is kept but all of
** its gradients may wait to be added up; or in the update, when no activation is left. Gradients that are new grow from
** none at the loss to all at the end, where that of an embedding is added to that of the head, if they are one matrix.
*/
static void find_peak(const struct bp_train_case *c, const struct bp_kept_bytes *layers,
                      const struct bp_logit_bytes *head, struct stage_memory *m) {
    const struct bp_train_states *s = m->states;
    double kept = m->flight * layers->kept, working = s->gathered + s->working_grads;
    double casts = kept_share(c->plan) * s->casts;
    double twice = c->model->tied_embeddings ? s->head_gradient : 0;
    int are_new = bp_are_gradients_new(c);
    struct moment loss = {are_new ? head_gradients(c, s) : s->gradients, kept, working + s->casts,
                          0};
    struct moment layer = {are_new ? s->first_gradients : s->gradients, kept,
                           working + casts + layers->working, head->held};
    struct moment end = {s->gradients + twice, fmax(0, m->flight - 1) * layers->kept,
                         s->gathered + s->backward_grads, 0};
    struct moment update = {s->gradients, 0, s->update, 0};
    loss.logits = in_room(c, head->loss, s->weights + s->optimizer + sum_of(&loss));
    m->at = larger_moment(larger_moment(loss, layer), larger_moment(end, update));
    m->loss.logits = loss.logits;
    m->loss.below = sum_of(&m->at) - sum_of(&loss);
    m->gradients =
        fmax(fmax(loss.gradients, layer.gradients), fmax(end.gradients, update.gradients));
}

/*
** Share over what is allocated that an allocator cannot give back: as nanotron's runs and failures tell
** (catalog/fitted/memory.lua). What it caches beyond that is freed before an allocation fails, so that it fills a
** device at most (CUDACachingAllocator of PyTorch).
*/
#define KEPT_OF_CACHE 0.084

/*
** Whether collectives run on states in streams of their own, or weights come from the host: the allocator may not use what
** these touch again until they are over. DeepSpeed's ZeRO 1 and 2 are one optimizer (stage_1_and_2.py); FSDP has no
** ZeRO 1.
*/
static int touches_elsewhere(const struct bp_train_case *c) {
    int elsewhere = bp_case_shards(c->plan) > 1 || bp_are_weights_streamed(c->plan);
    return c->profile->sharded_fragmentation > 0 && elsewhere &&
           c->plan->zero >= (bp_case_is_of_fsdp(c) ? 2 : 1);
}

/*
** Of what is allocated the bytes that are touched so: all of it where whole weights learn, are gathered or come from the host,
** else the shards of what learns beside frozen weights, which no rank shares.
*/
static double touched(const struct bp_train_case *c, const struct bp_train_states *s,
                      const struct moment *at, double allocated) {
    if (!touches_elsewhere(c)) {
        return 0;
    }
    if (!bp_is_frozen(c->plan) || bp_case_shares_weights(c) || bp_are_weights_streamed(c->plan)) {
        return allocated;
    }
    return s->optimizer + (bp_are_gradients_shared(c) ? at->gradients : 0);
}

static double overhead(const struct bp_train_case *c, double allocated, double elsewhere) {
    double cached = (fmax(1, c->profile->sharded_fragmentation) - 1) * elsewhere +
                    (c->profile->fragmentation - 1) * (allocated - elsewhere);
    double kept = fmin(cached, KEPT_OF_CACHE * allocated);
    double room = (double)c->device->memory_bytes - c->profile->context_bytes - allocated;
    return c->profile->context_bytes + fmax(kept, fmin(cached, room));
}

static inline struct stage_memory of_stage(const struct bp_train_case *c,
                                           const struct bp_train_states *s,
                                           const struct bp_kept_bytes *kept, double flight,
                                           const struct bp_logit_bytes *logit_bytes,
                                           int64_t stage) {
    const struct bp_logit_bytes none = {0, 0};
    const struct bp_logit_bytes *head = stage == c->plan->pp - 1 ? logit_bytes : &none;
    struct stage_memory m = {0};
    double allocated;
    m.states = s;
    m.stage = stage;
    m.flight = flight;
    find_peak(c, kept, head, &m);
    allocated = s->weights + s->optimizer + sum_of(&m.at);
    m.overhead = overhead(c, allocated, touched(c, s, &m.at, allocated));
    m.total = allocated + m.overhead;
    m.paged = fmin(s->paged, fmax(0, (double)c->device->memory_bytes - m.total));
    m.host = s->host + flight * kept->host + s->paged - m.paged;
    return m;
}

double bp_paged_away(const struct bp_train_case *c) {
    struct bp_train_states states;
    struct bp_activations of;
    struct bp_kept_bytes kept;
    struct bp_logit_bytes head;
    struct stage_memory m;
    if (c->plan->optimizer != BP_OPTIMIZER_PAGED_ADAM_8BIT) {
        return 0;
    }
    states = bp_train_states(c, bp_stage_mix(c, 0), 0);
    of = bp_activations(c);
    kept = layer_bytes(c, &of, 0);
    head = logits(c);
    m = of_stage(c, &states, &kept, in_flight(c, (double)bp_case_micro_batches(c), 0), &head, 0);
    return states.paged - m.paged;
}

/*
** Normal distribution of ln(measured / predicted), see bp_profile.memory_spread. Weights, gradients and optimizer states
** are counted, not estimated: below the estimate only the rest can be smaller, with as many bytes for a standard
** deviation, so that the chance is none where what is known is more than there is.
*/
static double fit_probability(double total, double known, double capacity, double spread) {
    double rest = total - known, z;
    if (spread <= 0) {
        return total <= capacity ? 1 : 0;
    }
    if (capacity >= total) {
        z = log(capacity / total) / spread;
    } else if (capacity > known) {
        z = log((capacity - known) / rest) * rest / (spread * total);
    } else {
        return 0;
    }
    return 0.5 * erfc(-z / sqrt(2.0));
}

/* Of the stages between the ends of a simulated pipeline, the one that keeps most. */
static int64_t fullest_between(const struct bp_train_case *c) {
    const double *in_flight = c->simulated->in_flight;
    int64_t most = 1, i;
    for (i = 2; i < c->plan->pp - 1; i++) {
        if (in_flight[i] * (double)bp_case_stage_layers(c, i) >
            in_flight[most] * (double)bp_case_stage_layers(c, most)) {
            most = i;
        }
    }
    return most;
}

/*
** The fullest stage is the first (most micro-batches in flight), the second (more layers, where they
** are uneven) or the last (head and logits): in between, nothing grows. A simulated schedule may keep most
** anywhere.
*/
static int64_t candidate(const struct bp_train_case *c, int i) {
    if (i == 1 && c->plan->pp > 2) {
        return c->simulated ? fullest_between(c) : 1;
    }
    return i < 2 ? 0 : c->plan->pp - 1;
}

/* Whether the candidate is one that came before. */
static int is_again(const struct bp_train_case *c, int i) {
    return i > 0 && candidate(c, i) == candidate(c, i - 1);
}

struct bp_part_flight bp_part_flight(const struct bp_train_case *c) {
    struct bp_part_flight part;
    int i;
    part.micro_batches = (double)bp_case_micro_batches(c);
    for (i = 0; i < BP_STAGE_CANDIDATES; i++) {
        part.stages[i] = in_flight(c, part.micro_batches, candidate(c, i));
    }
    return part;
}

struct bp_part_states bp_part_states(const struct bp_train_case *c) {
    struct bp_part_states part;
    int i;
    for (i = 0; i < BP_STAGE_CANDIDATES; i++) {
        int64_t stage = candidate(c, i);
        part.stages[i] =
            is_again(c, i) ? part.stages[i - 1] : bp_train_states(c, bp_stage_mix(c, stage), stage);
    }
    part.offloaded = bp_offloaded(c);
    return part;
}

struct bp_part_kept bp_part_kept(const struct bp_train_case *c) {
    const struct bp_activations of = bp_activations(c);
    struct bp_part_kept part;
    int i;
    for (i = 0; i < BP_STAGE_CANDIDATES; i++) {
        int64_t stage = candidate(c, i);
        part.stages[i] = is_again(c, i) ? part.stages[i - 1] : layer_bytes(c, &of, stage);
    }
    part.logits = logits(c);
    return part;
}

static int is_host_full(const struct bp_train_memory *memory) {
    return memory->host_capacity_bytes > 0 && memory->host_node_bytes > memory->host_capacity_bytes;
}

int64_t bp_memory_over(const struct bp_train_memory *memory, int64_t limit_bytes) {
    int64_t of_all = memory->total_bytes - limit_bytes;
    int64_t of_known = memory->counted_bytes - memory->capacity_bytes;
    int64_t over = of_known > of_all ? of_known : of_all;
    int64_t host = is_host_full(memory) ? memory->host_node_bytes - memory->host_capacity_bytes : 0;
    return host > over ? host : over;
}

static void judge(const struct bp_train_case *c, double total, struct bp_train_memory *out) {
    double known = (double)out->counted_bytes;
    out->scores_bytes = (int64_t)fmin(BYTES_MAX, bp_layer_scores(c));
    out->capacity_bytes = c->device->memory_bytes;
    out->host_capacity_bytes = c->network->host_memory_bytes;
    out->fit_probability =
        is_host_full(out)
            ? 0
            : fit_probability(total, known, (double)out->capacity_bytes, c->profile->memory_spread);
}

static int overflow(struct bp_error *err) {
    return bp_fail(err, BP_EOVERFLOW, "plan", "needs more bytes than can be counted");
}

/* All but capacities, what a node has elsewhere and the probability. Errors: BP_EOVERFLOW. */
static int fill(const struct stage_memory *m, struct bp_train_memory *out, struct bp_error *err) {
    memset(out, 0, sizeof *out);
    if (!(m->total < BYTES_MAX)) {
        return overflow(err);
    }
    out->weights_bytes = (int64_t)m->states->weights;
    out->gradients_bytes = (int64_t)m->at.gradients;
    out->optimizer_bytes = (int64_t)m->states->optimizer;
    out->activations_bytes = (int64_t)m->at.kept;
    out->working_bytes = (int64_t)m->at.working;
    out->logits_bytes = (int64_t)m->at.logits;
    out->loss_bytes = (int64_t)m->loss.logits;
    out->above_loss_bytes = (int64_t)m->loss.below;
    out->overhead_bytes = (int64_t)m->overhead;
    out->paged_bytes = (int64_t)m->paged;
    out->total_bytes = out->weights_bytes + out->gradients_bytes + out->optimizer_bytes +
                       out->activations_bytes + out->working_bytes + out->logits_bytes +
                       out->overhead_bytes;
    out->counted_bytes = out->weights_bytes + (int64_t)m->gradients + out->optimizer_bytes;
    out->host_bytes = (int64_t)m->host;
    out->nvme_bytes = (int64_t)m->states->nvme;
    out->stage = m->stage;
    out->in_flight = (int64_t)ceil(m->flight);
    return BP_OK;
}

/* What one device has elsewhere. */
struct offloaded {
    double host, nvme;
};

/* Stages between the second and the last are taken as the second: none of them has more. */
static struct offloaded offloaded_by(const struct bp_train_case *c,
                                     const struct bp_train_parts *parts, int64_t stage) {
    int i = stage == 0 ? 0 : stage == c->plan->pp - 1 ? 2 : 1;
    const struct bp_train_states *states = &parts->states->stages[i];
    double flight = in_flight(c, parts->flight->micro_batches, stage);
    struct stage_memory m =
        of_stage(c, states, &parts->kept->stages[i], flight, &parts->kept->logits, stage);
    struct offloaded o = {m.host, states->nvme};
    return o;
}

/* Of the devices from rank `first` on that share a host. */
static struct offloaded offloaded_in_node(const struct bp_train_case *c,
                                          const struct bp_train_parts *parts, int64_t first,
                                          int64_t count) {
    int64_t of_stage = c->network->devices / c->plan->pp, rank = first;
    struct offloaded sum = {0, 0};
    while (rank < first + count) {
        int64_t end = (rank / of_stage + 1) * of_stage;
        double here = (double)((end < first + count ? end : first + count) - rank);
        struct offloaded one = offloaded_by(c, parts, rank / of_stage);
        sum.host += here * one.host;
        sum.nvme += here * one.nvme;
        rank = end;
    }
    return sum;
}

static struct offloaded larger(struct offloaded a, struct offloaded b) {
    struct offloaded most = {fmax(a.host, b.host), fmax(a.nvme, b.nvme)};
    return most;
}

/* The first stages keep most activations, the last has head and multi-token-prediction layers. */
static int place_on_hosts(const struct bp_train_case *c, const struct bp_train_parts *parts,
                          struct bp_train_memory *out) {
    const struct bp_network *n = c->network;
    int64_t count = n->node_size < n->devices ? n->node_size : n->devices;
    struct offloaded node = larger(offloaded_in_node(c, parts, 0, count),
                                   offloaded_in_node(c, parts, n->devices - count, count));
    struct offloaded device = {0, 0};
    int i;
    for (i = 0; i < BP_STAGE_CANDIDATES; i++) {
        device = larger(device, offloaded_by(c, parts, candidate(c, i)));
    }
    if (!(node.host < BYTES_MAX) || !(node.nvme < BYTES_MAX)) {
        return 0;
    }
    out->host_bytes = (int64_t)device.host;
    out->nvme_bytes = (int64_t)device.nvme;
    out->host_node_bytes = (int64_t)node.host;
    out->nvme_node_bytes = (int64_t)node.nvme;
    return 1;
}

static int offloads(const struct bp_plan *plan) {
    return bp_offloads_states(plan) || plan->offload_activations > 0;
}

int bp_train_memory_of(const struct bp_train_case *c, const struct bp_train_parts *parts,
                       struct bp_train_memory *out, struct bp_error *err) {
    struct stage_memory fullest;
    int i, code;
    for (i = 0; i < BP_STAGE_CANDIDATES; i++) {
        struct stage_memory m;
        if (is_again(c, i)) {
            continue;
        }
        m = of_stage(c, &parts->states->stages[i], &parts->kept->stages[i],
                     parts->flight->stages[i], &parts->kept->logits, candidate(c, i));
        if (i == 0 || m.total > fullest.total) {
            fullest = m;
        }
    }
    code = fill(&fullest, out, err);
    if (code == BP_OK && offloads(c->plan) && !place_on_hosts(c, parts, out)) {
        return overflow(err);
    }
    judge(c, fullest.total, out);
    return code;
}

int bp_stage_memory(const struct bp_train_case *c, int64_t stage, struct bp_train_memory *out,
                    struct bp_error *err) {
    struct bp_layer_mix mix = bp_stage_mix(c, stage);
    struct bp_train_states states = bp_train_states(c, mix, stage);
    const struct bp_activations of = bp_activations(c);
    struct bp_kept_bytes kept = layer_bytes(c, &of, stage);
    struct bp_logit_bytes head = logits(c);
    struct stage_memory m = of_stage(
        c, &states, &kept, in_flight(c, (double)bp_case_micro_batches(c), stage), &head, stage);
    int code = fill(&m, out, err);
    judge(c, m.total, out);
    return code;
}

int bp_train_memory(const struct bp_train_case *c, struct bp_train_memory *out,
                    struct bp_error *err) {
    const struct bp_part_flight flight = bp_part_flight(c);
    const struct bp_part_states states = bp_part_states(c);
    const struct bp_part_kept kept = bp_part_kept(c);
    struct bp_train_parts parts = {0};
    parts.flight = &flight;
    parts.states = &states;
    parts.kept = &kept;
    return bp_train_memory_of(c, &parts, out, err);
}
