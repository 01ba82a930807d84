#include <math.h>

#include "activations.h"
#include "pipeline.h"
#include "stage.h"
#include "train_step.h"

/* fp32 master weight, first and second moment: Rajbhandari et al., arXiv:1910.02054, section 3.1. */
#define OPTIMIZER_BYTES 12.0

/*
** FSDP keeps the layer in use and prefetches the next: arXiv:2304.11277, section 3.3. Embedding and
** head belong to its outermost unit, which stays gathered.
*/
#define LIVE_LAYERS 2.0

/* Largest total that is still counted in whole bytes. */
#define BYTES_MAX 9.0e15

/* Bytes of one part, dense and expert, of one stage's parameters. */
struct states {
    double weights, gradients, optimizer, gathered;
};

struct stage_size {
    double dense, expert; /* parameters on one device */
};

/*
** What ZeRO divides a state by: shard ranks from the given stage on. A pipeline adds up the gradients
** of many micro-batches before it reduces them, so ZeRO-2 gains nothing there.
*/
static double divisor(const struct bp_plan *plan, int stage, double ranks) {
    int pipelined_gradients = stage == 2 && plan->zero == 2 && plan->pp > 1;
    return plan->zero >= stage && !pipelined_gradients ? ranks : 1;
}

static double sharded(const struct bp_train_case *c, struct stage_size size, int stage) {
    return size.dense / divisor(c->plan, stage, bp_case_shards(c->plan)) +
           size.expert / divisor(c->plan, stage, bp_case_expert_shards(c->plan));
}

/* DualPipe keeps the stages of both directions, and their gradients until they are summed. */
static double copies(const struct bp_plan *plan) {
    return plan->pp > 1 ? bp_weight_copies((enum bp_schedule)plan->schedule) : 1;
}

/* Weights are kept in the format of the residual stream. */
static double weight_bytes(const struct bp_plan *plan) {
    return bp_case_element_bytes(plan) * copies(plan);
}

/* fp32 training has no separate master copy: the weights are it. */
static double optimizer_bytes(const struct bp_plan *plan) {
    return bp_case_element_bytes(plan) > 2 ? OPTIMIZER_BYTES - 4 : OPTIMIZER_BYTES;
}

static struct states states_of(const struct bp_train_case *c, struct stage_size size,
                               struct bp_case_params params, int64_t stage) {
    struct states s;
    s.weights = weight_bytes(c->plan) * sharded(c, size, 3);
    s.gradients = (double)c->plan->grad_bytes * copies(c->plan) * sharded(c, size, 2);
    s.optimizer = optimizer_bytes(c->plan) * sharded(c, size, 1);
    s.gathered = 0;
    if (c->plan->zero == 3 && c->plan->shard > 1) {
        double layer = params.layer_dense + params.layer_expert;
        double ends =
            (stage == 0 ? params.embedding : 0) + (stage == c->plan->pp - 1 ? params.head : 0);
        s.gathered = weight_bytes(c->plan) * (LIVE_LAYERS * layer + ends) +
                     (double)c->plan->grad_bytes * layer;
    }
    return s;
}

static struct stage_size size_of(const struct bp_train_case *c, struct bp_case_params params,
                                 int64_t stage) {
    int64_t pp = c->plan->pp;
    double layers = (double)bp_stage_layers(c->model->layers, pp, stage);
    struct stage_size size;
    size.dense = layers * params.layer_dense;
    size.expert = layers * params.layer_expert;
    size.dense += stage == 0 ? params.embedding : 0;
    size.dense += stage == pp - 1 ? params.head : 0;
    return size;
}

struct layer_bytes {
    double kept, working;
};

/*
** A layer that recomputes needs all of its activations for as long as its backward takes, whatever
** share of the layers does so.
*/
static struct layer_bytes layer_bytes(const struct bp_train_case *c) {
    enum bp_recompute mode = (enum bp_recompute)c->plan->recompute;
    struct layer_bytes b;
    b.kept = bp_activations_kept(c);
    b.working = 0;
    if (mode != BP_RECOMPUTE_NONE && c->plan->recompute_share > 0) {
        b.working =
            fmax(0, bp_activations_layer(c, BP_RECOMPUTE_NONE) - bp_activations_layer(c, mode));
    }
    return b;
}

static double logits(const struct bp_train_case *c) {
    return bp_case_head_rows(c) * bp_case_head_width(c) * c->profile->logit_bytes;
}

/* One stage, in bytes as double; fills everything but capacity and probability. */
static double fill_stage(const struct bp_train_case *c, struct layer_bytes layer,
                         struct bp_case_params params, int64_t stage, struct bp_train_memory *out) {
    const struct bp_plan *plan = c->plan;
    struct states s = states_of(c, size_of(c, params, stage), params, stage);
    double layers = (double)bp_stage_layers(c->model->layers, plan->pp, stage);
    double flight =
        bp_in_flight((enum bp_schedule)plan->schedule, (double)plan->pp,
                     (double)bp_case_micro_batches(c), (double)plan->vpp, (double)stage);
    double kept = flight * layers * layer.kept;
    double working = layer.working + s.gathered;
    double head = stage == plan->pp - 1 ? logits(c) : 0;
    double allocated = s.weights + s.gradients + s.optimizer + kept + working + head;
    double overhead = c->profile->context_bytes + (c->profile->fragmentation - 1) * allocated;
    double total = allocated + overhead;
    if (!(total < BYTES_MAX)) {
        return INFINITY;
    }
    out->weights_bytes = (int64_t)s.weights;
    out->gradients_bytes = (int64_t)s.gradients;
    out->optimizer_bytes = (int64_t)s.optimizer;
    out->activations_bytes = (int64_t)kept;
    out->working_bytes = (int64_t)working;
    out->logits_bytes = (int64_t)head;
    out->overhead_bytes = (int64_t)overhead;
    out->total_bytes = out->weights_bytes + out->gradients_bytes + out->optimizer_bytes +
                       out->activations_bytes + out->working_bytes + out->logits_bytes +
                       out->overhead_bytes;
    out->stage = stage;
    out->in_flight = (int64_t)ceil(flight);
    return total;
}

/* Normal distribution of ln(measured / predicted), see bp_profile.memory_spread. */
static double fit_probability(double total, double capacity, double spread) {
    if (spread <= 0) {
        return total <= capacity ? 1 : 0;
    }
    return 0.5 * erfc(log(total / capacity) / (spread * sqrt(2.0)));
}

/*
** The fullest stage is the first (most micro-batches in flight), the second (more layers, where they
** are uneven) or the last (head and logits): in between, nothing grows.
*/
int bp_train_memory(const struct bp_train_case *c, struct bp_train_memory *out,
                    struct bp_error *err) {
    int64_t pp = c->plan->pp, candidates[] = {0, pp > 2 ? 1 : 0, pp - 1};
    struct bp_case_params params = bp_case_params(c);
    struct layer_bytes layer = layer_bytes(c);
    double fullest = -1;
    size_t i;
    for (i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct bp_train_memory stage = {0};
        double total = fill_stage(c, layer, params, candidates[i], &stage);
        if (isinf(total)) {
            return bp_fail(err, BP_EOVERFLOW, "plan", "needs more bytes than can be counted");
        }
        if (total > fullest) {
            fullest = total;
            *out = stage;
        }
    }
    out->capacity_bytes = c->device->memory_bytes;
    out->fit_probability =
        fit_probability(fullest, (double)out->capacity_bytes, c->profile->memory_spread);
    return BP_OK;
}
