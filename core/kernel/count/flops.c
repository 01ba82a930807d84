#include "kernel/count/flops.h"

#include "kernel/layer/attention.h"
#include "kernel/layer/encoder.h"
#include "kernel/registry.h"

static double layer_flop(const struct bp_model *m, const struct bp_op_attention *op, double seq_len,
                         int full) {
    struct bp_attention_shape s = {0};
    s.batch = 1;
    s.heads = s.kv_heads = op->heads;
    s.qk_dim = op->qk_dim;
    s.v_dim = op->v_dim;
    s.seq_q = seq_len;
    s.seq_kv = op->others > 0 ? op->others : seq_len;
    s.window = full ? 0 : bp_attention_reach(op->window, op->selected);
    s.causal = !full && m->arch == BP_ARCH_DECODER && !(op->others > 0);
    return bp_attention_flop(&s);
}

static double attention_flop(const struct bp_model *m, const struct bp_layer *list, double count,
                             double seq_len, int full) {
    double sum = 0;
    int i;
    for (i = 0; i < list->attentions; i++) {
        const struct bp_op_attention *op = &list->attention[i];
        sum += count * op->count * layer_flop(m, op, seq_len, full);
    }
    return sum;
}

/* An indexer scores all keys before a query, with no values. */
static double index_flop(const struct bp_model *m, const struct bp_layer *list, double seq_len) {
    double sum = 0;
    int i;
    for (i = 0; i < list->indexes; i++) {
        struct bp_attention_shape s = {0};
        s.batch = 1;
        s.heads = list->index[i].heads;
        s.qk_dim = list->index[i].dim;
        s.seq_q = s.seq_kv = seq_len;
        s.causal = m->arch == BP_ARCH_DECODER;
        sum += list->index[i].count * bp_attention_flop(&s) / list->index[i].ratio;
    }
    return sum;
}

double bp_flops_attention(const struct bp_model *m, const struct bp_layers *layers, double seq_len,
                          int full) {
    return (attention_flop(m, &layers->stack, 1, seq_len, full) +
            index_flop(m, &layers->stack, seq_len) +
            attention_flop(m, &layers->mtp, (double)m->mtp_layers, seq_len, full)) /
           seq_len;
}

static double op_weights(const struct bp_op_matmul *op) {
    return op->count * op->in * (op->out + op->kv_heads * op->kv_width) * op->groups;
}

double bp_flops_matmul(const struct bp_params_out *params, const struct bp_layers *layers,
                       double seq_len) {
    double weights = (double)(params->matmul_params_active + params->mtp_matmul_active);
    int i;
    for (i = 0; i < layers->stack.matmuls; i++) {
        const struct bp_op_matmul *op = &layers->stack.matmul[i];
        weights -= op->others > 0 ? op_weights(op) * (1 - op->others / seq_len) : 0;
    }
    return 2 * weights;
}

/* Weights of a list that multiply so many tokens, or as many as each operation says. */
static double list_flop(const struct bp_layer *list, double tok) {
    double sum = 0;
    int i;
    for (i = 0; i < list->matmuls; i++) {
        const struct bp_op_matmul *op = &list->matmul[i];
        sum += 2 * op_weights(op) * (op->others > 0 ? op->others : tok);
    }
    return sum;
}

struct bp_encoder_flops bp_flops_encoder(const struct bp_model *model, double seq_len) {
    struct bp_encoder_flops flops = {0, 0};
    struct bp_encoder_lists lists;
    double tower, projector;
    if (!bp_encoder_lists(model, &lists)) {
        return flops;
    }
    tower = list_flop(&lists.front, lists.tok) + list_flop(&lists.layers.stack, lists.tok) +
            attention_flop(&lists.model, &lists.layers.stack, 1, lists.tok, 0);
    projector = list_flop(&lists.projector, lists.tok);
    flops.forward = lists.inputs * (tower + projector) / seq_len;
    flops.model =
        lists.inputs * ((model->encoder_frozen ? 1 : 3) * tower + 3 * projector) / seq_len;
    return flops;
}

int bp_flops(const struct bp_flops_in *in, struct bp_flops_out *out, struct bp_error *err) {
    struct bp_ready_model ready;
    const struct bp_model *model = &ready.model;
    struct bp_encoder_flops encoder;
    double s = (double)in->seq_len;
    int code = bp_model_ready(&in->model, &ready, err);
    if (code != BP_OK) {
        return code;
    }
    encoder = bp_flops_encoder(model, s);
    out->matmul_forward = bp_flops_matmul(&ready.params, &ready.layers, s);
    out->encoder_forward = encoder.forward;
    out->attention_forward = bp_flops_attention(model, &ready.layers, s, 0);
    out->attention_forward_full = bp_flops_attention(model, &ready.layers, s, 1);
    out->model_token = 3 * (out->matmul_forward + out->attention_forward) + encoder.model;
    out->model_token_full = 3 * (out->matmul_forward + out->attention_forward_full) + encoder.model;
    out->megatron_token = 4 * (out->matmul_forward + out->attention_forward_full);
    if (model->lm_head) {
        /* The 2021 formula counts the head three times, not four: it is not recomputed. */
        out->megatron_token -= 2 * (double)((1 + model->mtp_layers) * model->vocab * model->hidden);
    }
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_flops_in, BP_FLOPS_IN_FIELDS, "flops", "a model and its sequence length");
BP_DEFINE_SCHEMA(bp_flops_out, BP_FLOPS_OUT_FIELDS, "flops result", "FLOP per token by convention");
BP_DEFINE_KERNEL(
    flops, "FLOP per trained token, by convention",
    "matmul_forward = 2 (matmul_params_active + mtp_matmul_active); attention_forward = sum over "
    "layers of 2 "
    "(qk_dim + v_dim) heads pairs / s; keys of another stack multiply its tokens, once a sequence; "
    "backward is twice forward",
    "multiply and add count as two; elementwise work is not counted; the state scans of "
    "linear and state-space layers are left out",
    "arXiv:2104.04473 (2021) appendix; arXiv:2204.02311 (2022) appendix B for MFU");
