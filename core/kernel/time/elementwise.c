#include "kernel/time/elementwise.h"

/* What the elementwise kernels of one direction move per token, in elements of each width. */
struct traffic {
    double stream, state, pass[BP_PASS_KINDS];
};

/*
** stream: from the operations of a pre-norm layer, each of two norms reads and writes h, each of two
** residual additions reads 2 h and writes h; backward of a norm reads its input and the gradient and
** writes one, additions are free.
**
** gated, plain: the activation function reads the first matmul's output and writes its own; backward
** also the gradient.
**
** route: fp32 scores of all experts are scaled, biased, selected from, masked, summed for the balance
** loss and sorted into a map: ten passes of two elements each, half of them again backward (counted from
** the operations of Megatron Core's router).
**
** rotate: queries and keys are read and written, each way. permute: passes of the profile.
**
** mix: convolution, scan, gate and norm of a linear-attention or state-space mixer each read and write
** the values and what the scan mixes them with; backward about twice.
**
** state: a scan goes chunk by chunk. fp32 states at the chunks' ends are written, summed up (read and
** written) and read; backward makes them again and does the same with their gradients, which three of
** its kernels read (counted from the kernels of state-spaces/mamba, ssd_combined).
*/
static const struct traffic forward = {.stream = 10,
                                       .state = 8,
                                       .pass = {[BP_PASS_ROTATE] = 2,
                                                [BP_PASS_ASSEMBLE] = 1,
                                                [BP_PASS_GATED] = 3,
                                                [BP_PASS_PLAIN] = 2,
                                                [BP_PASS_PERMUTE] = 1,
                                                [BP_PASS_ROUTE] = 20,
                                                [BP_PASS_MIX] = 8}};
static const struct traffic backward = {.stream = 8,
                                        .state = 20,
                                        .pass = {[BP_PASS_ROTATE] = 2,
                                                 [BP_PASS_ASSEMBLE] = 1,
                                                 [BP_PASS_GATED] = 5,
                                                 [BP_PASS_PLAIN] = 3,
                                                 [BP_PASS_PERMUTE] = 1,
                                                 [BP_PASS_ROUTE] = 10,
                                                 [BP_PASS_MIX] = 14}};

/* Tokens of a chunk, as Megatron Core sets it. */
#define CHUNK 128.0

/* Of `stream` forward, what two norms read and write. */
#define NORMS 4.0

double bp_scan_state(const struct bp_layer *list) {
    double sum = 0;
    int i;
    for (i = 0; i < list->scans; i++) {
        sum += list->scan[i].count / list->layers * list->scan[i].state;
    }
    return sum;
}

/* Two sub-layers make a layer, of two norms and two additions. */
static double sublayer_pairs(const struct bp_layer *list) {
    return (list->mixers / list->layers + list->mlps / list->layers + list->moes / list->layers) /
           2;
}

static double moved_by(const struct bp_train_case *c, const struct traffic *moved,
                       const struct bp_op_pass *op) {
    return moved->pass[op->kind] * (op->kind == BP_PASS_PERMUTE ? c->profile->moe_passes : 1);
}

/* Elements of all passes but the mixing ones. */
static double passes(const struct bp_train_case *c, const struct bp_layer *list,
                     const struct traffic *moved) {
    double sum = 0;
    int i = 0;
    while (i < list->passes) {
        double count = list->pass[i].count, width = 0;
        for (; i < list->passes && list->pass[i].count == count; i++) {
            const struct bp_op_pass *op = &list->pass[i];
            width += op->kind == BP_PASS_MIX ? 0 : moved_by(c, moved, op) * op->width;
        }
        sum += count / list->layers * width;
    }
    return sum;
}

static double mixing(const struct bp_train_case *c, const struct bp_layer *list,
                     const struct traffic *moved) {
    double width = 0;
    int i;
    for (i = 0; i < list->passes; i++) {
        const struct bp_op_pass *op = &list->pass[i];
        width += op->kind == BP_PASS_MIX ? op->count / list->layers * op->width : 0;
    }
    return c->profile->common.mixer_passes *
           (moved->pass[BP_PASS_MIX] * width + moved->state * bp_scan_state(list) / CHUNK);
}

static double elements(const struct bp_train_case *c, const struct bp_layer *list,
                       const struct traffic *moved) {
    double tp = (double)c->plan->tp, split = c->plan->sequence_parallel ? tp : 1;
    return sublayer_pairs(list) * moved->stream * (double)c->model->hidden / split +
           (mixing(c, list, moved) + passes(c, list, moved)) / tp;
}

double bp_elements_assembled(const struct bp_train_case *c, const struct bp_layer *list) {
    double sum = 0;
    int i;
    for (i = 0; i < list->passes; i++) {
        const struct bp_op_pass *op = &list->pass[i];
        if (op->kind == BP_PASS_ROTATE || op->kind == BP_PASS_ASSEMBLE) {
            sum += op->count / list->layers * (forward.pass[op->kind] * op->width);
        }
    }
    return sum / (double)c->plan->tp;
}

struct bp_elements_parts bp_elements_parts(const struct bp_train_case *c,
                                           const struct bp_layer *list) {
    double tp = (double)c->plan->tp, routed = 0;
    struct bp_elements_parts parts = {0, 0, 0, 0, 0};
    int i;
    parts.norms = sublayer_pairs(list) * NORMS * (double)c->model->hidden /
                  (c->plan->sequence_parallel ? tp : 1);
    for (i = 0; i < list->passes; i++) {
        const struct bp_op_pass *op = &list->pass[i];
        int act = op->kind == BP_PASS_GATED || op->kind == BP_PASS_PLAIN;
        double moved = op->count / list->layers * moved_by(c, &forward, op) * op->width / tp;
        parts.mlp_act += act && op->role == BP_ROLE_MLP ? moved : 0;
        parts.routed_act += act && op->role == BP_ROLE_EXPERT ? moved : 0;
        parts.shared_act += act && op->role == BP_ROLE_SHARED ? moved : 0;
        routed += !act && op->role == BP_ROLE_EXPERT ? moved_by(c, &forward, op) * op->width : 0;
    }
    parts.routed = list->moes / list->layers * routed / tp;
    return parts;
}

double bp_elements_forward(const struct bp_train_case *c, const struct bp_layer *list) {
    return elements(c, list, &forward);
}

double bp_elements_backward(const struct bp_train_case *c, const struct bp_layer *list) {
    return elements(c, list, &backward);
}
