#include "kernel/count/train_states.h"

#include <math.h>

#include "kernel/count/adapters.h"
#include "kernel/count/train_encoder.h"

/*
** FSDP keeps the layer in use and prefetches the next: arXiv:2304.11277, section 3.3. Embedding and
** head belong to its outermost unit, which stays gathered.
*/
#define LIVE_LAYERS 2.0

/*
** A compiled program gathers each matrix where it is used and sums its gradient away at once: two of the
** largest matrices of a layer and a gradient are about one layer (assumption).
*/
#define LIVE_LAYERS_COMPILED 1.0

/*
** Row-wise and column-wise copy of a quantised weight, counted: forward and dgrad read along different
** axes. One scale for a whole tensor does for both, and matmuls of Blackwell read either layout: its user guide
** keeps one copy there (Transformer Engine 2, FP8 on Blackwell; recalled). Llama 3.1 405B in fp8 on one layout
** takes 12.7 GB less on GB200 than on H200 (logs of MLPerf 5.0 and 5.1), a byte of each of its 12.7e9 weights.
*/
#define QUANTIZED_COPIES 2.0
#define QUANTIZED_COPIES_EITHER_LAYOUT 1.0

/* Scale of 32 MXFP8 or 16 NVFP4 elements in one byte: OCP MX 1.0 (2023); NVIDIA, arXiv:2509.25149. */
#define MXFP8_BYTES (1 + 1.0 / 32)
#define NVFP4_BYTES (0.5 + 1.0 / 16)

/* Leading dense layers are few (DeepSeek, GLM, Kimi); above this share they alternate (Llama 4). */
#define LEADING_SHARE 0.25

/* Parameters on one device, after all but data parallelism. */
struct stage_params {
    double layers; /* layers without routed experts */
    double expert, ends;
    double encoder; /* beside the decoder, on the first stage */
};

static struct bp_layer_mix stack_mix(const struct bp_train_case *c, int64_t stage) {
    struct bp_layer_mix mix = bp_mean_layer(c);
    double layers = (double)bp_case_stage_layers(c, stage), all = (double)c->model->layers;
    double dense = (double)c->params->mlp_layers, moe = (double)c->params->moe_layers;
    int leading = moe > 0 && dense + moe == all && dense <= LEADING_SHARE * all;
    mix.layers = layers;
    if (leading && stage == 0) {
        mix.mlp = fmin(dense, layers);
    } else if (leading) {
        mix.mlp =
            stage == 1 ? fmin(layers, fmax(0, dense - (double)bp_case_stage_layers(c, 0))) : 0;
    } else {
        mix.mlp *= layers;
        mix.moe *= layers;
        return mix;
    }
    mix.moe = layers - mix.mlp;
    return mix;
}

/* Multi-token-prediction layers are taken as further layers of the last stage. */
struct bp_layer_mix bp_stage_mix(const struct bp_train_case *c, int64_t stage) {
    struct bp_layer_mix mix = stack_mix(c, stage);
    double mtp = stage == c->plan->pp - 1 ? (double)c->model->mtp_layers : 0;
    double moe = c->params->moe_layers > 0 ? mtp : 0;
    mix.layers += mtp;
    mix.moe += moe;
    mix.mlp += mtp - moe;
    return mix;
}

struct bp_layer_mix bp_layer_of(const struct bp_train_case *c, struct bp_layer_mix mix) {
    struct bp_layer_mix one = bp_mean_layer(c);
    if (mix.layers > 0) {
        one.mlp = mix.mlp / mix.layers;
        one.moe = mix.moe / mix.layers;
    }
    return one;
}

/* What every layer has besides its feed-forward part. */
static double mixer_params(const struct bp_params_out *p, double layers) {
    return (double)(p->attention + p->linear + p->mamba + p->norms + p->residual) / layers;
}

static double routed_params(const struct bp_train_case *c) {
    return (double)c->model->experts * (double)c->params->expert;
}

static double end_params(const struct bp_train_case *c, int64_t stage) {
    struct bp_case_ends ends = bp_case_ends(c);
    return (stage == 0 ? ends.embedding : 0) + (stage == c->plan->pp - 1 ? ends.head : 0);
}

static struct stage_params all_params(const struct bp_train_case *c, struct bp_layer_mix mix,
                                      int64_t stage) {
    const struct bp_params_out *p = c->params;
    double tp = (double)c->plan->tp, routed = routed_params(c);
    struct stage_params all;
    all.layers = (mix.layers * mixer_params(p, (double)c->model->layers) +
                  mix.mlp * (double)p->mlp_layer + mix.moe * ((double)p->moe_layer - routed)) /
                 tp;
    all.expert = mix.moe * routed / (double)(c->plan->ep * c->plan->etp);
    all.ends = end_params(c, stage);
    all.encoder = stage == 0 ? bp_encoder_share(c).all : 0;
    return all;
}

/*
** Embedding and head that learn beside adapters in fp32 are copies in the format of the model (PEFT's modules_to_save),
** and so are their gradients and moments: half the bytes of everything an adapter has. The original stays with the
** frozen weights.
*/
static double end_states(const struct bp_train_case *c) {
    int narrow = c->plan->lora_rank > 0 && c->profile->adapters != BP_ADAPTERS_FUSED &&
                 c->plan->master_bytes > 0 && c->plan->base_bits >= 16;
    return narrow ? bp_case_element_bytes(c->plan) / 4 : 1;
}

/* The parameters that learn, in those of which the states are as wide as an adapter's. */
static struct stage_params trained_params(const struct bp_train_case *c, struct stage_params all,
                                          struct bp_layer_mix mix, int64_t stage) {
    struct stage_params trained = all;
    trained.encoder = stage == 0 ? bp_encoder_share(c).trained : 0;
    if (bp_is_frozen(c->plan)) {
        trained.layers = bp_adapter_params(c, mix);
        trained.expert = 0;
        trained.ends = bp_are_ends_frozen(c->plan) ? 0 : end_states(c) * all.ends;
    }
    return trained;
}

/*
** ZeRO stages from which ranks share weights and gradients. A pipeline adds up the gradients of many micro-batches before
** it reduces them, so ZeRO-2 gains nothing there; nor does ZeRO-3 in PyTorch, where torch.distributed.pipelining
** reduces once (recalled).
*/
static int weight_stage(const struct bp_train_case *c) {
    return bp_case_is_of_fsdp(c) ? 2 : 3;
}

static int gradient_stage(const struct bp_train_case *c) {
    return c->plan->pp > 1 ? (bp_case_is_of_fsdp(c) ? 4 : 3) : 2;
}

/* What ZeRO divides a state by: shard ranks from the given stage on. */
static double divisor(const struct bp_plan *plan, int stage, double ranks) {
    return plan->zero >= stage ? ranks : 1;
}

static double sharded(const struct bp_train_case *c, struct stage_params p, int stage) {
    return (p.layers + p.encoder + p.ends) / divisor(c->plan, stage, bp_case_shards(c->plan)) +
           p.expert / divisor(c->plan, stage, bp_case_expert_shards(c->plan));
}

/* A schedule of both directions keeps the stages of both, and their gradients until they are summed. */
static double copies(const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    if (c->simulated) {
        return c->simulated->weight_copies;
    }
    return plan->pp > 1 ? bp_schedule_facts((enum bp_schedule)plan->schedule)->weight_copies : 1;
}

/* Bytes of one element in the recipe's format with its scales; 0 where weights stay as they are. */
static double quantized_bytes(const struct bp_plan *plan) {
    switch ((enum bp_precision)plan->precision) {
    case BP_PRECISION_FP8:
    case BP_PRECISION_INT8:
        return 1;
    case BP_PRECISION_MXFP8:
        return MXFP8_BYTES;
    case BP_PRECISION_NVFP4:
        return NVFP4_BYTES;
    default:
        return 0;
    }
}

static double quantized_copies(const struct bp_train_case *c) {
    int either = c->plan->precision == BP_PRECISION_FP8 && c->device->fp4_flop_s > 0;
    return either ? QUANTIZED_COPIES_EITHER_LAYOUT : QUANTIZED_COPIES;
}

/*
** A matrix of a layer in use: the 16-bit weight, and its quantised copies. Frozen weights under adapters have
** base_bits instead.
*/
static double layer_weight_bytes(const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    double e = bp_case_element_bytes(plan);
    double quantized = quantized_copies(c) * quantized_bytes(plan);
    if (plan->base_bits < 16) {
        double wide = bp_wide_share(plan);
        return (1 - wide) * bp_base_bytes(plan) + wide * e;
    }
    return (quantized > 0 && plan->quantized_params ? 0 : e) + quantized;
}

/* XLA programs; graphs of a whole step in PyTorch gather as it does. */
static int is_one_program(const struct bp_profile *profile) {
    return profile->launches == BP_LAUNCHES_COMPILED &&
           profile->narrow_weights == BP_NARROW_WEIGHTS_CAST;
}

/*
** The same of one that stays from the first micro-batch to the last, as its quantised copies do (Transformer Engine 2.x
** user guide, "caching of quantised weights"). A compiled program makes them where it uses them.
*/
static double kept_weight_bytes(const struct bp_train_case *c) {
    double quantized = quantized_bytes(c->plan);
    if (!is_one_program(c->profile) || c->plan->base_bits < 16 || quantized <= 0) {
        return layer_weight_bytes(c);
    }
    return c->plan->quantized_params ? quantized : bp_case_element_bytes(c->plan);
}

/* The same of routed experts: all narrow, or none. */
static double expert_weight_bytes(const struct bp_train_case *c, double layer_bytes) {
    if (bp_are_experts_wide(c)) {
        return bp_case_element_bytes(c->plan);
    }
    return c->plan->base_bits < 16 ? bp_base_bytes(c->plan) : layer_bytes;
}

/* The same of a tower, which dynamic checkpoints leave as it is. */
static double tower_weight_bytes(const struct bp_train_case *c) {
    return bp_is_base_dynamic(c->plan) ? bp_case_element_bytes(c->plan) : kept_weight_bytes(c);
}

static int are_on_drives(const struct bp_plan *plan) {
    return plan->offload == BP_OFFLOAD_OPTIMIZER_NVME ||
           plan->offload == BP_OFFLOAD_OPTIMIZER_WEIGHTS_NVME;
}

int bp_are_weights_streamed(const struct bp_plan *plan) {
    return plan->offload == BP_OFFLOAD_OPTIMIZER_WEIGHTS ||
           plan->offload == BP_OFFLOAD_OPTIMIZER_WEIGHTS_NVME;
}

/*
** PyTorch FSDP and XLA programs cast each layer from the fp32 weight that the optimizer updates
** (arXiv:2304.11277, section 4.4), so there is no 16-bit copy of the stage. Where ranks share masters and not weights, there
** has to be one, unless there is nobody to share masters with. There has to be one, too,
** where masters are in memory of the host and weights are not.
*/
static int are_cast(const struct bp_train_case *c, double shards) {
    const struct bp_plan *plan = c->plan;
    int beside = plan->offload == BP_OFFLOAD_NONE || bp_are_weights_streamed(plan);
    int alike = (plan->zero >= bp_case_master_stage(c)) == (plan->zero >= weight_stage(c));
    return c->profile->narrow_weights == BP_NARROW_WEIGHTS_CAST && bp_have_masters(plan) &&
           beside && (alike || shards <= 1);
}

/*
** The parameters of which there are copies for matmuls. What is cast from its master needs none; a schedule of both
** directions (DualPipe) keeps the stage of the other direction besides, which has no master here.
*/
static struct stage_params copied(const struct bp_train_case *c, struct stage_params all) {
    double besides = 1 - 1 / copies(c);
    if (are_cast(c, bp_case_shards(c->plan))) {
        all.layers *= besides;
        all.ends *= besides;
        all.encoder *= besides;
    }
    if (are_cast(c, bp_case_expert_shards(c->plan))) {
        all.expert *= besides;
    }
    return all;
}

/* Whether ranks share experts, which those that share the rest need not do. */
static int shares_experts(const struct bp_train_case *c) {
    return c->plan->zero >= weight_stage(c) && bp_case_expert_shards(c->plan) > 1;
}

/* Quantised copies of what is cast from whole weights: they stay. Those of gathered weights are among these. */
static double quantized_of(const struct bp_train_case *c, struct stage_params all) {
    struct stage_params copy = copied(c, all);
    double dense = all.layers - copy.layers + all.encoder - copy.encoder;
    double bytes = is_one_program(c->profile) ? 0 : quantized_copies(c) * quantized_bytes(c->plan);
    return copies(c) * bytes *
           ((bp_case_shares_weights(c) ? 0 : dense) +
            (shares_experts(c) ? 0 : all.expert - copy.expert));
}

/* A parameter of embedding or head. */
static double end_weight_bytes(const struct bp_train_case *c) {
    return bp_are_ends_wide(c) ? 4 : bp_case_element_bytes(c->plan);
}

/* Adapters in fp32 are their own master copy; kernels of their own cast them as they read them. */
static int has_narrow_adapters(const struct bp_train_case *c) {
    int master = c->profile->adapters != BP_ADAPTERS_SEPARATE && c->plan->master_bytes > 0;
    return c->plan->lora_rank > 0 && !master;
}

static double weights_of(const struct bp_train_case *c, struct stage_params all,
                         struct stage_params trained) {
    double e = bp_case_element_bytes(c->plan);
    struct stage_params matrices = {all.layers, 0, 0, 0}, expert = {0, all.expert, 0, 0};
    struct stage_params ends = {0, 0, all.ends, 0}, encoder = {0, 0, 0, all.encoder};
    double kept = kept_weight_bytes(c);
    int from = weight_stage(c);
    double bytes = kept * sharded(c, matrices, from) +
                   expert_weight_bytes(c, kept) * sharded(c, expert, from) +
                   end_weight_bytes(c) * sharded(c, ends, from);
    bytes += tower_weight_bytes(c) * sharded(c, encoder, from);
    return copies(c) * (bytes + (has_narrow_adapters(c) ? e * sharded(c, trained, from) : 0));
}

/* fp32 training has no separate master copy: the weights are it. */
static double master_bytes(const struct bp_plan *plan) {
    return bp_case_element_bytes(plan) > 2 ? 0 : (double)plan->master_bytes;
}

/*
** Moments per parameter. adam: two in fp32, arXiv:1910.02054, section 3.1. adam_bf16: DeepSeek-V3,
** arXiv:2412.19437, section 3.3.1. adam_8bit: two bytes and an fp32 scale per 2048, arXiv:2110.02861,
** section 2. adafactor: a row and a column of fp32 per (square) matrix, arXiv:1804.04235, section 3.
** muon: one moment of matrices, Adam for the ends, arXiv:2502.16982, section 2. lion: one moment,
** arXiv:2302.06675. galore: of matrices two moments of a low rank and the projection to it, Adam for the ends, in the
** format of the weights, arXiv:2403.03507, section 4; its rank as most recipes have it (recalled).
*/
#define GALORE_RANK 128.0

static double moment_bytes(const struct bp_train_case *c, int ends) {
    switch ((enum bp_optimizer)c->plan->optimizer) {
    case BP_OPTIMIZER_ADAM:
        return 8;
    case BP_OPTIMIZER_ADAM_BF16:
        return 4;
    case BP_OPTIMIZER_ADAM_8BIT:
    case BP_OPTIMIZER_PAGED_ADAM_8BIT:
        return 2 * (1 + 4.0 / 2048);
    case BP_OPTIMIZER_ADAFACTOR:
        return 2 * 4.0 / (double)c->model->hidden;
    case BP_OPTIMIZER_MUON:
        return ends ? 8 : 4;
    case BP_OPTIMIZER_GALORE:
        return (ends ? 2 : 3 * GALORE_RANK / (double)c->model->hidden) *
               (bp_case_element_bytes(c->plan) > 2 || c->plan->master_bytes > 0 ? 4 : 2);
    case BP_OPTIMIZER_LION:
    case BP_OPTIMIZER_MOMENTUM:
        return 4;
    case BP_OPTIMIZER_SGD:
        return 0;
    }
    return 8;
}

/*
** The fp32 gradient and the master weight are read, the latter and the 16-bit weight written. Without a master the
** gradient as it is and the weight are read, and the weight written.
*/
#define MASTER_UPDATE_BYTES 14.0

double bp_update_bytes(const struct bp_train_case *c) {
    double plain = (double)c->plan->grad_bytes + 2 * bp_case_element_bytes(c->plan);
    return (master_bytes(c->plan) > 0 ? MASTER_UPDATE_BYTES : plain) + 2 * moment_bytes(c, 0);
}

/* Copies that an optimizer makes of what it updates, in the format of its moments; 8-bit kernels make none. */
static double update_copies(const struct bp_train_case *c, struct stage_params trained) {
    double params = sharded(c, trained, 1), group = c->profile->update_group;
    switch ((enum bp_optimizer)c->plan->optimizer) {
    case BP_OPTIMIZER_ADAM:
    case BP_OPTIMIZER_ADAM_BF16:
        params = c->plan->zero == 3 && group > 0 ? fmin(params, group) : params;
        return c->profile->update_bytes * moment_bytes(c, 0) / 8 * params;
    default:
        return 0;
    }
}

/* On the host each rank has its share of them. */
static double masters_of(const struct bp_train_case *c, struct stage_params trained) {
    int from = c->plan->offload == BP_OFFLOAD_NONE ? bp_case_master_stage(c) : 1;
    return master_bytes(c->plan) * sharded(c, trained, from);
}

static double optimizer_of(const struct bp_train_case *c, struct stage_params trained) {
    struct stage_params matrices = {trained.layers, trained.expert, 0, trained.encoder};
    struct stage_params ends = {0, 0, trained.ends, 0};
    return masters_of(c, trained) + moment_bytes(c, 0) * sharded(c, matrices, 1) +
           moment_bytes(c, 1) * sharded(c, ends, 1);
}

/* Moments of a paged optimizer lie in unified memory (bitsandbytes). */
static double paged_of(const struct bp_train_case *c, struct stage_params trained) {
    int paged = c->plan->optimizer == BP_OPTIMIZER_PAGED_ADAM_8BIT;
    return paged ? optimizer_of(c, trained) - masters_of(c, trained) : 0;
}

/* Gradients are computed in the format of the residual stream; where they add up in a wider one, both
** exist for a while. */
static int adds_up_wider(const struct bp_plan *plan) {
    return (double)plan->grad_bytes > bp_case_element_bytes(plan);
}

/*
** FSDP keeps what it gathered until the end of backward under ZeRO 2; a pipeline of PyTorch under ZeRO 3, too, until the
** last micro-batch: torchtitan does not reshard after forward where there are stages (recalled).
*/
static int stays_gathered(const struct bp_train_case *c) {
    return bp_case_is_of_fsdp(c) && bp_case_shares_weights(c) &&
           (c->plan->zero == 2 || c->plan->pp > 1);
}

/* The host asks for all layers before the first has run: nothing of them waits for another to be given back. */
static int is_ahead(const struct bp_train_case *c) {
    return bp_case_is_fsdp(c->plan) && bp_is_frozen(c->plan) && c->profile->gathers_ahead;
}

static double whole(struct stage_params p) {
    return p.layers + p.expert + p.ends + p.encoder;
}

static double weights_whole(const struct bp_train_case *c, struct stage_params all) {
    double kept = kept_weight_bytes(c);
    return kept * all.layers + expert_weight_bytes(c, kept) * all.expert +
           tower_weight_bytes(c) * all.encoder + end_weight_bytes(c) * all.ends;
}

/* What is gathered where it is used. What no other rank has a share of is there, or cast from there. */
static struct stage_params apart(const struct bp_train_case *c, struct stage_params p) {
    int streamed = bp_are_weights_streamed(c->plan);
    double rest = streamed || bp_case_shares_weights(c);
    struct stage_params from_elsewhere = {p.layers * rest, 0, p.ends * rest, p.encoder * rest};
    from_elsewhere.expert = streamed || shares_experts(c) ? p.expert : 0;
    return from_elsewhere;
}

/* What was gathered and not given back yet: never more than there is. */
static double left_gathered(const struct bp_train_case *c, struct stage_params all) {
    double there = whole(all), live = fmin(c->profile->live_params, there);
    return there > 0 ? weights_whole(c, all) * live / there : 0;
}

/* Layers that are whole at a time. */
static double live_layers(const struct bp_train_case *c, struct bp_layer_mix mix) {
    return fmin(mix.layers, bp_case_is_fsdp(c->plan) && is_one_program(c->profile)
                                ? LIVE_LAYERS_COMPILED
                                : LIVE_LAYERS);
}

static double gathered_of(const struct bp_train_case *c, struct bp_layer_mix mix, int64_t stage) {
    struct stage_params all = apart(c, all_params(c, mix, stage));
    struct stage_params layer = apart(c, all_params(c, bp_layer_of(c, mix), stage));
    double bytes = layer_weight_bytes(c);
    double used = bytes * layer.layers + expert_weight_bytes(c, bytes) * layer.expert;
    if (stays_gathered(c) || is_ahead(c)) {
        return copies(c) * weights_whole(c, all);
    }
    used = live_layers(c, mix) * used + end_weight_bytes(c) * layer.ends;
    return fmax(copies(c) * used, left_gathered(c, all));
}

/* A layer's gradient before ranks have their shares of it; a compiled program sums it away at once. */
static double gradient_in_use(const struct bp_train_case *c, struct bp_layer_mix mix,
                              int64_t stage) {
    struct bp_layer_mix one = bp_layer_of(c, mix);
    struct stage_params layer = apart(c, trained_params(c, all_params(c, one, stage), one, stage));
    int is_whole = stays_gathered(c) && c->plan->pp > 1; /* all of them are */
    return is_whole || is_one_program(c->profile)
               ? 0
               : (double)c->plan->grad_bytes * (layer.layers + layer.expert);
}

static double working_of(const struct bp_train_case *c, struct bp_layer_mix mix, int64_t stage) {
    struct bp_layer_mix one = bp_layer_of(c, mix);
    struct stage_params layer = trained_params(c, all_params(c, one, stage), one, stage);
    double head =
        stage == c->plan->pp - 1 && !bp_are_ends_frozen(c->plan) ? bp_case_ends(c).head : 0;
    return c->profile->working_grad_bytes * (layer.layers + layer.expert + head);
}

/*
** Whether gradients leave the device after every micro-batch and add up in memory of the host: ZeRO 2 and 3
** own a shard of them there (ZeRO-Offload, arXiv:2101.06840), and layers whose weights are streamed keep
** nothing. Otherwise they add up on the device, as under Megatron's --optimizer-cpu-offload, and cross the
** link once in a step.
*/
static int sum_on_host(const struct bp_plan *plan) {
    return plan->offload != BP_OFFLOAD_NONE && (plan->zero >= 2 || bp_are_weights_streamed(plan));
}

/*
** Gradients on the device: all that it sums up, or the largest that exists at one time where the optimizer takes
** each as backward makes it: those of a layer, or of an end of the model.
*/
static double gradients_of(const struct bp_train_case *c, struct bp_layer_mix mix, int64_t stage,
                           struct stage_params trained) {
    struct bp_layer_mix one = bp_layer_of(c, mix);
    struct stage_params layer, ends = {0, 0, 0, 0};
    int from = gradient_stage(c);
    if ((double)c->plan->grad_bytes <= bp_case_element_bytes(c->plan)) {
        trained.ends /= end_states(c); /* these gradients are narrow already */
    }
    ends.ends = trained.ends;
    if (!c->plan->update_in_backward) {
        return (double)c->plan->grad_bytes * copies(c) * sharded(c, trained, from);
    }
    layer = trained_params(c, all_params(c, one, stage), one, stage);
    layer.ends = layer.encoder = 0;
    return (double)c->plan->grad_bytes * fmax(sharded(c, layer, from), sharded(c, ends, from));
}

int bp_are_gradients_new(const struct bp_train_case *c) {
    return c->profile->gradients_freed && c->plan->pp == 1 && bp_case_micro_batches(c) <= 1;
}

int bp_are_gradients_shared(const struct bp_train_case *c) {
    return bp_case_shards(c->plan) > 1 && c->plan->zero >= gradient_stage(c);
}

/* The gradient of the head, which a tied matrix has for both ends; and with those of the last layer. */
static void first_gradients(const struct bp_train_case *c, struct bp_layer_mix mix, int64_t stage,
                            struct bp_train_states *s) {
    struct bp_layer_mix one = bp_layer_of(c, mix);
    struct stage_params all = all_params(c, one, stage);
    struct stage_params layer = trained_params(c, all, one, stage), head = {0, 0, layer.ends, 0};
    double width = c->model->tied_embeddings ? all.ends : bp_case_ends(c).head;
    int from = gradient_stage(c);
    head.ends *= all.ends > 0 ? width / all.ends : 0;
    layer.ends = head.ends;
    layer.encoder = 0;
    s->head_gradient = fmin(s->gradients, (double)c->plan->grad_bytes * sharded(c, head, from));
    s->first_gradients = fmin(s->gradients, (double)c->plan->grad_bytes * sharded(c, layer, from));
}

/* The largest matrix of a layer while it is wide: a third of a gated feed-forward part is, or near it; of experts one. */
static double widened_of(const struct bp_train_case *c) {
    const struct bp_model *m = c->model;
    double width = (double)(c->params->mlp_layers > 0 ? m->ffn_hidden : m->hidden);
    double expert = bp_are_experts_wide(c) ? 0 : (double)m->moe_ffn;
    double largest = (double)m->hidden * fmax(width, c->params->moe_layers > 0 ? expert : 0);
    return bp_wide_bytes(c->plan) * largest / (double)c->plan->tp;
}

/* An embedding is looked up in fp32. */
static double casts_of(const struct bp_train_case *c, struct stage_params all, int64_t stage) {
    double head = stage == c->plan->pp - 1 ? bp_case_ends(c).head : 0;
    double cast = all.layers + all.expert + all.encoder + head;
    return bp_is_autocast(c) ? bp_case_element_bytes(c->plan) * cast : 0;
}

/* Each rank's gradients are in its host's memory, where they meet states that may lie on drives. */
static void place_offloaded(const struct bp_train_case *c, struct stage_params all,
                            struct stage_params trained, struct bp_train_states *s) {
    double states, weights;
    if (c->plan->offload == BP_OFFLOAD_NONE) {
        s->paged = paged_of(c, trained);
        return;
    }
    states = optimizer_of(c, trained);
    s->host = (double)c->plan->grad_bytes * sharded(c, trained, 1);
    if (bp_are_weights_streamed(c->plan)) {
        weights = weights_of(c, all, trained);
        states += weights;
        s->host = c->profile->host_gradients ? fmax(s->host, weights) : s->host;
    }
    *(are_on_drives(c->plan) ? &s->nvme : &s->host) += states;
}

/* Gradients on their way to the ranks that own them, in the format that they are computed in. */
static double bucket_of(const struct bp_train_case *c) {
    return c->plan->zero >= 2 ? c->profile->bucket_params * bp_case_element_bytes(c->plan) : 0;
}

/* Gradients add up elsewhere than they are computed: in a wider format, in shards of ranks, or on the host. */
static int add_up_elsewhere(const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    int in_shards = plan->shard > 1 && plan->zero >= gradient_stage(c);
    return in_shards || sum_on_host(plan) || (adds_up_wider(plan) && !plan->update_in_backward);
}

struct bp_train_states bp_train_states(const struct bp_train_case *c, struct bp_layer_mix mix,
                                       int64_t stage) {
    const struct bp_plan *plan = c->plan;
    struct stage_params all = all_params(c, mix, stage);
    struct stage_params trained = trained_params(c, all, mix, stage);
    int on_host = plan->offload != BP_OFFLOAD_NONE, streamed = bp_are_weights_streamed(plan);
    int sums_away = sum_on_host(plan), shares = bp_case_shares_weights(c);
    int wider = adds_up_wider(plan) && !shares && !sums_away && !plan->update_in_backward;
    struct bp_train_states s = {0};
    s.weights = streamed ? 0 : weights_of(c, copied(c, all), trained) + quantized_of(c, all);
    s.gradients = sums_away ? 0 : gradients_of(c, mix, stage, trained);
    if (bp_are_gradients_new(c)) {
        first_gradients(c, mix, stage, &s);
    }
    s.optimizer = on_host ? 0 : optimizer_of(c, trained) - paged_of(c, trained);
    s.gathered = (shares || streamed || shares_experts(c) ? gathered_of(c, mix, stage) : 0) +
                 (shares ? gradient_in_use(c, mix, stage) : 0);
    s.gathered += widened_of(c) + bucket_of(c);
    s.update = on_host || plan->update_in_backward ? 0 : update_copies(c, trained);
    s.working_grads = !shares && add_up_elsewhere(c) ? working_of(c, mix, stage) : 0;
    s.backward_grads = wider ? c->profile->backward_grad_bytes * (trained.layers + trained.expert +
                                                                  trained.ends + trained.encoder)
                             : 0;
    s.casts = casts_of(c, all, stage);
    place_offloaded(c, all, trained, &s);
    return s;
}

int bp_offloads_states(const struct bp_plan *plan) {
    return plan->offload != BP_OFFLOAD_NONE || plan->optimizer == BP_OPTIMIZER_PAGED_ADAM_8BIT;
}

double bp_host_link(const struct bp_train_case *c) {
    return c->profile->common.host_link * c->device->host_bytes_s;
}

struct bp_offloaded bp_offloaded(const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    double e = bp_case_element_bytes(plan), own;
    struct bp_offloaded o = {0};
    struct stage_params all, trained;
    struct bp_layer_mix mix;
    if (plan->offload == BP_OFFLOAD_NONE) {
        return o;
    }
    mix = bp_stage_mix(c, 0);
    all = all_params(c, mix, 0);
    trained = trained_params(c, all, mix, 0);
    own = sharded(c, trained, 1);
    o.link = (2 * e + bp_update_bytes(c)) * own;
    o.shard = e * own;
    o.drives = are_on_drives(plan) ? 2 * optimizer_of(c, trained) : 0;
    if (bp_are_weights_streamed(plan)) {
        o.weights = weights_of(c, all, trained);
    }
    return o;
}

double bp_offload_time(const struct bp_train_case *c, const struct bp_offloaded *moved,
                       double micro_batches, double backward_s) {
    double passes, written, host_s;
    if (c->plan->offload == BP_OFFLOAD_NONE) {
        return 0;
    }
    passes = 2 * micro_batches * moved->weights;
    host_s = (moved->link + passes) / bp_host_link(c);
    if (sum_on_host(c->plan)) {
        host_s += (micro_batches - 1) * fmax(0, moved->shard / bp_host_link(c) - backward_s);
    }
    if (!are_on_drives(c->plan)) {
        return host_s;
    }
    written = bp_are_weights_streamed(c->plan) ? moved->shard : 0;
    return fmax(host_s, (moved->drives + (passes + written)) / c->profile->common.nvme_bytes_s);
}
