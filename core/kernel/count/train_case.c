#include "kernel/count/train_case.h"

#include <math.h>

#include "kernel/schedule/stage.h"

double bp_case_tokens(const struct bp_train_case *c) {
    return (double)(c->plan->micro_batch * c->job->seq_len) / (double)c->plan->cp;
}

int64_t bp_case_micro_batches(const struct bp_train_case *c) {
    return c->job->global_batch / (c->plan->dp * c->plan->micro_batch);
}

enum bp_dtype bp_case_dtype(const struct bp_plan *plan) {
    switch ((enum bp_precision)plan->precision) {
    case BP_PRECISION_FP32:
        return BP_DTYPE_FP32;
    case BP_PRECISION_TF32:
        return BP_DTYPE_TF32;
    case BP_PRECISION_FP16:
        return BP_DTYPE_FP16;
    case BP_PRECISION_BF16:
        return BP_DTYPE_BF16;
    case BP_PRECISION_FP8:
        return BP_DTYPE_FP8;
    case BP_PRECISION_MXFP8:
        return BP_DTYPE_MXFP8;
    case BP_PRECISION_INT8:
        return BP_DTYPE_INT8;
    case BP_PRECISION_NVFP4:
        return BP_DTYPE_FP4;
    }
    return BP_DTYPE_BF16;
}

enum bp_dtype bp_case_head_dtype(const struct bp_plan *plan) {
    enum bp_dtype dtype = bp_case_dtype(plan);
    return dtype > BP_DTYPE_BF16 ? BP_DTYPE_FP16 : dtype; /* fp16 and bf16 run alike */
}

int bp_case_has_units(const struct bp_device *device, const struct bp_plan *plan) {
    enum bp_dtype dtype = bp_case_dtype(plan);
    return bp_device_peak(device, dtype) > 0 &&
           (dtype != BP_DTYPE_MXFP8 || bp_device_peak(device, BP_DTYPE_FP4) > 0);
}

double bp_case_element_bytes(const struct bp_plan *plan) {
    return bp_dtype_bytes(bp_case_head_dtype(plan));
}

struct bp_ranks bp_case_ranks(const struct bp_plan *plan) {
    struct bp_ranks ranks = {(double)plan->tp, (double)plan->ep, (double)plan->etp};
    return ranks;
}

/* Software that deals heads sends keys round where the heads do not come out even. */
int bp_case_deals_heads(const struct bp_train_case *c) {
    return c->profile->context == BP_CONTEXT_HEADS && c->plan->cp > 1 &&
           c->model->heads % (c->plan->tp * c->plan->cp) == 0;
}

/* Attention that stores its scores computes all of them and masks those between documents. */
double bp_case_document(const struct bp_train_case *c) {
    double seq = (double)c->job->seq_len, document = c->job->document_tok;
    return c->plan->flash && document > 0 ? fmin(document, seq) : seq;
}

int bp_case_drops_scores(const struct bp_train_case *c) {
    return c->model->norm != BP_NORM_RMS || c->model->cross_layers > 0;
}

/*
** Passes over stored scores, forward, in the format of the plan. One operation after the other: scale, mask and softmax
** read and write them (6); in 16 bit the softmax works on fp32, and casts to it and back are operations, too (14).
** Dropout reads, writes and keeps a mask, where it is in fp32. Counted of ours.
*/
#define EAGER_PASSES 6.0
#define CAST_EAGER_PASSES 14.0
#define DROPOUT_BYTES (4.0 + 4.0 + 1.0)

static double score_passes(const struct bp_train_case *c) {
    double e = bp_case_element_bytes(c->plan);
    double passes = e < 4 ? CAST_EAGER_PASSES : EAGER_PASSES;
    if (!c->profile->eager_scores) {
        return c->profile->common.softmax_passes;
    }
    return passes + (bp_case_drops_scores(c) ? DROPOUT_BYTES / e : 0);
}

struct bp_attention_shape bp_case_attention(const struct bp_train_case *c,
                                            const struct bp_op_attention *op) {
    double tp = (double)c->plan->tp;
    struct bp_attention_shape s;
    s.seq_q = op->others > 0 ? (double)c->job->seq_len : bp_case_document(c);
    s.batch = (double)c->plan->micro_batch * (double)c->job->seq_len / s.seq_q;
    s.heads = op->heads / tp;
    s.kv_heads = bp_head_share(op->kv_heads, tp);
    s.qk_dim = op->qk_dim;
    s.v_dim = op->v_dim;
    s.seq_kv = op->others > 0 ? op->others : s.seq_q;
    s.window = bp_attention_reach(op->window, op->selected);
    s.score_passes = score_passes(c);
    s.causal = c->model->arch == BP_ARCH_DECODER && !(op->others > 0);
    s.flash = c->plan->flash;
    s.trained = 1;
    return s;
}

int bp_case_remakes_heads(const struct bp_train_case *c) {
    return c->plan->flash && bp_layer_has_role(&c->layers->stack, BP_ROLE_HEADS);
}

/* Matmul work of the head, in layers. */
static double head_layers(const struct bp_train_case *c) {
    double head = bp_case_head_width(c) * (double)c->plan->tp * (double)c->model->hidden;
    double layer = (double)(c->params->matmul_params_active) - head;
    return layer > 0 ? head * (double)c->model->layers / layer : 0;
}

int64_t bp_case_stage_layers(const struct bp_train_case *c, int64_t stage) {
    int64_t layers = c->model->layers, mtp = c->model->mtp_layers, pp = c->plan->pp;
    if (bp_plan_is_cut(c->plan)) {
        return bp_stage_layers_by_ends(layers, pp, stage, c->plan->first_layers,
                                       c->plan->last_layers);
    }
    if (c->plan->split == BP_SPLIT_WORK) {
        return bp_stage_layers_by_work(layers, pp, stage, head_layers(c));
    }
    if (mtp > 0) {
        double tail = (double)mtp + (double)(1 + mtp) * head_layers(c);
        return bp_stage_layers_before(layers, pp, stage, tail);
    }
    return bp_stage_layers(layers, pp, stage);
}

struct bp_case_ends bp_case_ends(const struct bp_train_case *c) {
    const struct bp_params_out *p = c->params;
    double tp = (double)c->plan->tp;
    struct bp_case_ends ends = {(double)(p->embedding + p->positions) / tp, (double)p->head / tp};
    if (c->model->tied_embeddings && c->model->lm_head && c->plan->pp > 1) {
        ends.head = (double)p->embedding / tp; /* kept on the last stage too */
    }
    return ends;
}

struct bp_case_params bp_case_params(const struct bp_train_case *c) {
    const struct bp_params_out *p = c->params;
    double layers = (double)c->model->layers, tp = (double)c->plan->tp;
    double expert_ranks = (double)(c->plan->ep * c->plan->etp);
    double experts = p->moe_layers > 0 ? (double)c->model->experts * (double)p->expert : 0;
    struct bp_case_params out;
    out.layer_expert = (double)p->expert_params / layers / expert_ranks;
    out.layer_dense = (double)(p->attention + p->linear + p->mamba + p->mlp + p->moe -
                               p->expert_params + p->norms + p->residual) /
                      layers / tp;
    out.mtp_expert = p->mtp_layer > 0 ? experts / expert_ranks : 0;
    out.mtp_dense = p->mtp_layer > 0 ? ((double)p->mtp_layer - experts) / tp : 0;
    return out;
}

static int has_vocabulary_head(const struct bp_model *m) {
    return m->lm_head && m->vocab > 0;
}

double bp_case_head_width(const struct bp_train_case *c) {
    const struct bp_model *m = c->model;
    return (double)(has_vocabulary_head(m) ? m->vocab : m->classes) / (double)c->plan->tp;
}

double bp_case_head_rows(const struct bp_train_case *c) {
    return has_vocabulary_head(c->model) ? bp_case_tokens(c) : (double)c->plan->micro_batch;
}

double bp_case_data_ranks(const struct bp_plan *plan) {
    return (double)(plan->dp * plan->cp);
}

double bp_case_expert_data_ranks(const struct bp_plan *plan) {
    return (double)(plan->tp * plan->cp * plan->dp) / (double)(plan->ep * plan->etp);
}

double bp_case_shards(const struct bp_plan *plan) {
    return plan->zero == 0 ? bp_case_data_ranks(plan) : (double)plan->shard;
}

int bp_case_is_fsdp(const struct bp_plan *plan) {
    return plan->zero == 3 && plan->shard > 1;
}

int bp_case_is_of_fsdp(const struct bp_train_case *c) {
    return c->profile->zero_stages == BP_ZERO_STAGES_FSDP;
}

int bp_case_shares_weights(const struct bp_train_case *c) {
    return c->plan->shard > 1 && c->plan->zero >= (bp_case_is_of_fsdp(c) ? 2 : 3);
}

int bp_case_master_stage(const struct bp_train_case *c) {
    int are_weights = c->profile->narrow_weights == BP_NARROW_WEIGHTS_CAST;
    return bp_case_is_of_fsdp(c) && are_weights ? 2 : 1;
}

double bp_case_expert_shards(const struct bp_plan *plan) {
    double replicas = bp_case_data_ranks(plan) / bp_case_shards(plan);
    return fmax(1, bp_case_expert_data_ranks(plan) / replicas);
}
