#include "kernel/count/adapters.h"

#include <math.h>

/*
** Scales of frozen weights, in bytes per parameter. bitsandbytes: the largest of 64 elements, in 8 bit with double
** quantisation, else in fp32 (Dettmers et al., arXiv:2305.14314, section 3). GPTQ, AWQ and their kind: a 16-bit
** scale and a 4-bit zero for groups of 128. torchao's nf4 is quantised twice, too. 8 bit has a scale per row.
*/
#define DOUBLE_SCALE (1.0 / 64)
#define SINGLE_SCALE (4.0 / 64)
#define GROUP_SCALE ((2 + 0.5) / 128)

/*
** unsloth's dynamic 4-bit checkpoints leave matrices that suffer most in 16 bit: of Pixtral 12B, Llama 3.2 11B Vision and
** Qwen2-VL 2B they take 0.59, 0.69 and 0.45 GB more than plain ones, as 3, 5 and 15 % of the weights do (its post of
** December 2024; recalled). The middle.
*/
#define DYNAMIC_WIDE 0.05

/*
** Traffic of making a weight wide, in bytes of the device's memory bandwidth per parameter and pass, from published
** steps with and without it. A kernel that reads 0.5 byte and writes 2 takes 2.5; torchao, compiled, takes 5 (torchtune's
** README of 2024); GPTQ layers unpack by operations of PyTorch and take 26 to 31 (README of QwenLM/Qwen, and ms-swift).
*/
#define BITSANDBYTES_TRAFFIC 2.5
#define TORCHAO_TRAFFIC 5.0
#define GPTQ_TRAFFIC 28.0

/*
** bitsandbytes finds each weight by a tree of comparisons of which a warp walks every branch: integer operations a
** parameter and pass, on lanes that run as fast as large matmuls do of their peak (a T4 that 70 W hold down). Published
** steps of A100 ask for 79 (ms-swift, 2024) and 93 (litgpt, 2023, less what the host hides), of T4 for 100 (notebooks of
** unsloth).
*/
#define BITSANDBYTES_OPERATIONS 90.0

/* What is wide at one time: the 16-bit matrix; with PyTorch's operations 32-bit and 16-bit steps before it. */
#define WIDE_BYTES 2.0
#define WIDE_GPTQ_BYTES 10.0

int bp_is_frozen(const struct bp_plan *plan) {
    return plan->lora_rank > 0 || plan->trained_layers > 0;
}

int bp_are_ends_frozen(const struct bp_plan *plan) {
    return bp_is_frozen(plan) && !plan->lora_ends;
}

int bp_have_masters(const struct bp_plan *plan) {
    return !bp_is_frozen(plan) && bp_case_element_bytes(plan) <= 2 && plan->master_bytes > 2;
}

int bp_do_norms_learn(const struct bp_plan *plan) {
    int scales = plan->lora_rank > 0 && plan->lora_targets == BP_LORA_TARGETS_OUTPUTS;
    return !bp_is_frozen(plan) || scales;
}

double bp_trained_share(const struct bp_train_case *c) {
    double layers = (double)c->plan->trained_layers;
    return bp_is_frozen(c->plan) ? fmin(1, layers / (double)c->model->layers) : 1;
}

static struct bp_adapted times(double count, double matrices, double sides, double inputs) {
    struct bp_adapted a = {count * matrices, count * sides, count * inputs};
    return a;
}

static void add(struct bp_adapted *sum, struct bp_adapted more) {
    sum->matrices += more.matrices;
    sum->sides += more.sides;
    sum->inputs += more.inputs;
}

/* Rows plus columns of `count` matrices that have the hidden width on one side. */
static double sides_of(double params, double hidden, double count) {
    return params > 0 ? count * hidden + params / hidden : 0;
}

/* Inputs of a feed-forward part: the hidden width of every matrix but the last, whose input is the other width. */
static double inputs_of(double params, double hidden, double count) {
    return params > 0 ? (count - 1) * hidden + params / hidden / count : 0;
}

/* Outputs of a feed-forward part: the hidden width of its last matrix, the other width of those before. */
static double outputs_of(double params, double hidden, double count) {
    return params > 0 ? hidden + (count - 1) / count * params / hidden : 0;
}

/* Queries, keys, values and output of softmax attention without latents. */
static struct bp_adapted attention(const struct bp_train_case *c, enum bp_lora_targets targets) {
    const struct bp_model *m = c->model;
    double h = (double)m->hidden, query = (double)(m->heads * m->head_dim);
    double key = (double)(m->kv_heads * m->head_dim);
    int fused = c->profile->fused_qkv, joint = c->profile->joint_adapters;
    if (joint && targets == BP_LORA_TARGETS_QKV) {
        return times(1, 1, h + query + 2 * key, h);
    }
    if (joint && (targets == BP_LORA_TARGETS_ALL || targets == BP_LORA_TARGETS_ATTENTION)) {
        return times(1, 2, 2 * h + 2 * query + 2 * key, h + query);
    }
    switch (targets) {
    case BP_LORA_TARGETS_QV:
        return times(1, 2, 2 * h + query + key, (fused ? 1 : 2) * h);
    case BP_LORA_TARGETS_QKV:
        return times(1, 3, 3 * h + query + 2 * key, (fused ? 1 : 3) * h);
    case BP_LORA_TARGETS_OUTPUTS:
        return times(1, 4, h + query + 2 * key, 0);
    case BP_LORA_TARGETS_ALL:
    case BP_LORA_TARGETS_ATTENTION:
    case BP_LORA_TARGETS_MLP:
        break;
    }
    return times(1, 4, 4 * h + 2 * query + 2 * key, (fused ? 1 : 3) * h + query);
}

/* One mixer: of latent attention matrix by matrix, of linear attention and state space all of it. */
static struct bp_adapted mixer(const struct bp_train_case *c, const struct bp_layer *list) {
    const struct bp_model *m = c->model;
    struct bp_adapted sum = {0, 0, 0};
    double sides;
    int i;
    if (bp_layer_has_role(list, BP_ROLE_HEADS)) {
        for (i = 0; i < list->matmuls; i++) {
            add(&sum, times(1, 1, list->matmul[i].in + list->matmul[i].out, list->matmul[i].in));
        }
        return sum;
    }
    if (list->attentions > 0 && m->q_lora_rank == 0 && m->o_lora_rank == 0) {
        return attention(c, (enum bp_lora_targets)c->plan->lora_targets);
    }
    sides = sides_of(bp_layer_params(list, 0).all, (double)m->hidden, 2);
    return times(1, 2, sides, sides / 2);
}

/* The mean layer's, of all layers' attentions, linear attentions and state spaces. */
static struct bp_adapted mean_mixer(const struct bp_train_case *c) {
    const struct bp_model *m = c->model;
    struct bp_adapted sum = {0, 0, 0};
    struct bp_layer list;
    int block;
    for (block = 0; block < BP_BLOCKS; block++) {
        double layers = bp_block_layers(m, (enum bp_block)block), share;
        struct bp_adapted one;
        bp_layer_clear(&list);
        bp_layer_add(&list, m, (enum bp_block)block, layers > 0 ? 1 : 0);
        if (list.attentions + list.scans > 0) {
            one = mixer(c, &list);
            share = layers / (double)m->layers;
            add(&sum, times(share, one.matrices, one.sides, one.inputs));
        }
    }
    return sum;
}

/* A feed-forward part of so many layers. Gate and up read the same input. */
static struct bp_adapted feed_forward(const struct bp_train_case *c, double layers, double params) {
    double h = (double)c->model->hidden, parts = c->model->gated_mlp ? 3 : 2;
    double joined = c->profile->joint_adapters ? parts - 2 : 0;
    if (!(params > 0)) {
        return times(0, 0, 0, 0);
    }
    if (c->plan->lora_targets == BP_LORA_TARGETS_OUTPUTS) {
        return times(layers, parts, outputs_of(params, h, parts), inputs_of(params, h, parts));
    }
    return times(layers, parts - joined, sides_of(params, h, parts) - joined * h,
                 inputs_of(params, h, parts) - joined * h);
}

struct bp_adapted bp_adapted(const struct bp_train_case *c, struct bp_layer_mix mix) {
    const struct bp_params_out *p = c->params;
    enum bp_lora_targets targets = (enum bp_lora_targets)c->plan->lora_targets;
    int outputs = targets == BP_LORA_TARGETS_OUTPUTS;
    struct bp_adapted sum = {0, 0, 0}, one;
    if (targets != BP_LORA_TARGETS_MLP) {
        one = mean_mixer(c);
        add(&sum, times(mix.layers, one.matrices, one.sides, one.inputs));
    }
    if (targets == BP_LORA_TARGETS_ALL || targets == BP_LORA_TARGETS_MLP || outputs) {
        add(&sum, feed_forward(c, mix.mlp, (double)p->mlp_layer));
        add(&sum, feed_forward(c, mix.moe, (double)p->shared));
    }
    return sum;
}

/* All weights of these layers, in one of so many of which those learn that do. */
static double layer_params(const struct bp_train_case *c, struct bp_layer_mix mix) {
    const struct bp_params_out *p = c->params;
    double mixers = (double)(p->attention + p->linear + p->mamba + p->norms + p->residual);
    return mix.layers * mixers / (double)c->model->layers + mix.mlp * (double)p->mlp_layer +
           mix.moe * (double)p->moe_layer;
}

double bp_adapter_params(const struct bp_train_case *c, struct bp_layer_mix mix) {
    double params = c->plan->trained_layers > 0
                        ? bp_trained_share(c) * layer_params(c, mix)
                        : (double)c->plan->lora_rank * bp_adapted(c, mix).sides;
    return params / (double)c->plan->tp;
}

double bp_scaled_outputs(const struct bp_train_case *c, struct bp_layer_mix mix) {
    int scaled = c->plan->lora_rank > 0 && c->plan->lora_targets == BP_LORA_TARGETS_OUTPUTS;
    return scaled ? bp_adapted(c, mix).sides / (double)c->plan->tp : 0;
}

double bp_placed_outputs(const struct bp_train_case *c, struct bp_layer_mix mix) {
    double both = 2 * (double)c->model->hidden;
    int some = c->plan->lora_rank > 0 && c->plan->lora_targets == BP_LORA_TARGETS_QV;
    struct bp_adapted of = bp_adapted(c, mix);
    return some && c->profile->fused_qkv ? (of.sides - both * of.matrices / 2) / (double)c->plan->tp
                                         : 0;
}

#define DROPOUT_MASK_BYTES 1.0

double bp_dropout_bytes(const struct bp_train_case *c, struct bp_layer_mix mix) {
    int drops = c->plan->lora_rank > 0 && c->plan->lora_dropout > 0 &&
                c->plan->lora_targets != BP_LORA_TARGETS_OUTPUTS;
    double bytes = bp_case_element_bytes(c->plan) + DROPOUT_MASK_BYTES;
    return drops ? bytes * bp_adapted(c, mix).inputs / (double)c->plan->tp : 0;
}

double bp_base_bytes(const struct bp_plan *plan) {
    double bytes = (double)plan->base_bits / 8;
    if (plan->base_bits == 8 && plan->base_format != BP_BASE_FORMAT_GPTQ) {
        return bytes;
    }
    switch ((enum bp_base_format)plan->base_format) {
    case BP_BASE_FORMAT_BITSANDBYTES:
    case BP_BASE_FORMAT_BITSANDBYTES_DYNAMIC:
    case BP_BASE_FORMAT_TORCHAO:
        return bytes + DOUBLE_SCALE;
    case BP_BASE_FORMAT_BITSANDBYTES_SINGLE:
        return bytes + SINGLE_SCALE;
    case BP_BASE_FORMAT_GPTQ:
        return bytes + GROUP_SCALE;
    }
    return bytes;
}

static int is_of_bitsandbytes(const struct bp_plan *plan) {
    enum bp_base_format format = (enum bp_base_format)plan->base_format;
    return plan->base_bits < 16 && format != BP_BASE_FORMAT_TORCHAO &&
           format != BP_BASE_FORMAT_GPTQ;
}

static int has_adapters(enum bp_lora_targets targets, enum bp_role role) {
    int mixer = role == BP_ROLE_MIXER || role == BP_ROLE_HEADS;
    int mlp = role == BP_ROLE_MLP || role == BP_ROLE_SHARED;
    switch (targets) {
    case BP_LORA_TARGETS_OUTPUTS:
        return 0;
    case BP_LORA_TARGETS_ALL:
        return mixer || mlp;
    case BP_LORA_TARGETS_MLP:
        return mlp;
    case BP_LORA_TARGETS_QV:
    case BP_LORA_TARGETS_QKV:
    case BP_LORA_TARGETS_ATTENTION:
        break;
    }
    return mixer;
}

int bp_keeps_inputs(const struct bp_train_case *c, enum bp_role role) {
    const struct bp_plan *p = c->plan;
    if (p->lora_rank == 0 || (c->profile->narrow_inputs && is_of_bitsandbytes(p))) {
        return 1;
    }
    return !(p->lora_dropout > 0) && has_adapters((enum bp_lora_targets)p->lora_targets, role);
}

int bp_is_base_dynamic(const struct bp_plan *plan) {
    return plan->base_format == BP_BASE_FORMAT_BITSANDBYTES_DYNAMIC && plan->base_bits == 4;
}

double bp_wide_share(const struct bp_plan *plan) {
    return bp_is_base_dynamic(plan) ? DYNAMIC_WIDE : 0;
}

int bp_are_experts_wide(const struct bp_train_case *c) {
    return is_of_bitsandbytes(c->plan) && c->model->fused_experts;
}

int bp_is_stream_wide(const struct bp_train_case *c) {
    return bp_are_ends_wide(c) && c->profile->narrow_weights == BP_NARROW_WEIGHTS_CAST;
}

/*
** PEFT casts what is not quantised to fp32 (prepare_model_for_kbit_training), but under FSDP and ZeRO-3, which flatten
** weights of one format alone: TRL leaves them in 16 bit there (SFTTrainer, is_sharded_qlora; recalled).
*/
int bp_are_ends_wide(const struct bp_train_case *c) {
    return is_of_bitsandbytes(c->plan) && !bp_case_shares_weights(c) &&
           c->profile->base_ends == BP_BASE_ENDS_FP32;
}

int bp_is_autocast(const struct bp_train_case *c) {
    int beside = c->plan->offload == BP_OFFLOAD_NONE; /* masters; else there are 16-bit weights */
    int whole = c->plan->zero < bp_case_master_stage(c) || c->plan->shard <= 1;
    return c->profile->autocast && bp_have_masters(c->plan) && whole && beside;
}

static double widening_bytes(const struct bp_plan *plan) {
    switch ((enum bp_base_format)plan->base_format) {
    case BP_BASE_FORMAT_BITSANDBYTES:
    case BP_BASE_FORMAT_BITSANDBYTES_SINGLE:
    case BP_BASE_FORMAT_BITSANDBYTES_DYNAMIC:
        return BITSANDBYTES_TRAFFIC;
    case BP_BASE_FORMAT_TORCHAO:
        return TORCHAO_TRAFFIC;
    case BP_BASE_FORMAT_GPTQ:
        return GPTQ_TRAFFIC;
    }
    return 0;
}

/*
** Integer operations of a device in a second: 64 lanes a core from Volta on (NVIDIA's white papers). Cores have as many
** lanes for fp32, of two operations each, or twice as many. None of 64 does more than NARROW_CORE (1.64 GHz), so that what a
** core does beyond it says nothing of its integers until 128 lanes need it.
*/
#define NARROW_CORE 210e9

static double integer_rate(const struct bp_device *d) {
    double of_128 = d->fp32_flop_s / 4;
    double of_64 = fmin(d->fp32_flop_s / 2, NARROW_CORE / 2 * (double)d->cores);
    return fmax(of_128, of_64) * d->gemm16.u;
}

double bp_widening_s(const struct bp_plan *plan, const struct bp_device *device) {
    double traffic_s, tree_s;
    if (plan->base_bits >= 16) {
        return 0;
    }
    traffic_s = widening_bytes(plan) / device->mem_bw_bytes_s;
    tree_s = is_of_bitsandbytes(plan) && device->fp32_flop_s > 0
                 ? BITSANDBYTES_OPERATIONS / integer_rate(device)
                 : 0;
    return fmax(traffic_s, tree_s);
}

double bp_wide_bytes(const struct bp_plan *plan) {
    if (plan->base_bits >= 16) {
        return 0;
    }
    return plan->base_format == BP_BASE_FORMAT_GPTQ ? WIDE_GPTQ_BYTES : WIDE_BYTES;
}
