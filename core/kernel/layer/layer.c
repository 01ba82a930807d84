#include "kernel/layer/layer.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* One line for each kind: how many layers of a model have it, and what appends it. */
struct kind {
    double (*layers)(const struct bp_model *m);
    void (*add)(struct bp_layer *list, const struct bp_model *m, double count);
    int attends;
};

static double windowed_layers(const struct bp_model *m) {
    return (double)m->window_layers;
}

static double global_layers(const struct bp_model *m) {
    return (double)(m->attention_layers - m->window_layers);
}

static double index_layers(const struct bp_model *m) {
    return (double)m->index_layers;
}

static double compress_layers(const struct bp_model *m) {
    return (double)m->compress_layers;
}

static double cross_layers(const struct bp_model *m) {
    return (double)m->cross_layers;
}

static double linear_layers(const struct bp_model *m) {
    return (double)m->linear_layers;
}

static double mamba_layers(const struct bp_model *m) {
    return (double)m->mamba_layers;
}

static double mlp_layers(const struct bp_model *m) {
    return (double)m->dense_layers;
}

static double moe_layers(const struct bp_model *m) {
    return (double)(m->ffn_layers - m->dense_layers);
}

static const struct kind kinds[BP_BLOCKS] = {
    [BP_BLOCK_WINDOWED] = {windowed_layers, bp_add_windowed, 1},
    [BP_BLOCK_GLOBAL] = {global_layers, bp_add_global, 1},
    [BP_BLOCK_INDEX] = {index_layers, bp_add_index, 1},
    [BP_BLOCK_COMPRESS] = {compress_layers, bp_add_compress, 1},
    [BP_BLOCK_CROSS] = {cross_layers, bp_add_cross_attention, 1},
    [BP_BLOCK_LINEAR] = {linear_layers, bp_add_linear_attention, 0},
    [BP_BLOCK_MAMBA] = {mamba_layers, bp_add_state_space, 0},
    [BP_BLOCK_MLP] = {mlp_layers, bp_add_mlp, 0},
    [BP_BLOCK_MOE] = {moe_layers, bp_add_moe, 0},
};

double bp_block_layers(const struct bp_model *model, enum bp_block block) {
    return kinds[block].layers(model);
}

int bp_block_attends(enum bp_block block) {
    return kinds[block].attends;
}

void bp_layer_add(struct bp_layer *list, const struct bp_model *model, enum bp_block block,
                  double count) {
    if (count > 0) {
        kinds[block].add(list, model, count);
    }
}

/* The lists hold all blocks at once (tests/c/test_layer.c), so the last place is never taken twice. */
#define NEXT(list, array, used)                                                                    \
    (&(list)->array[(list)->used < LAST(list, array) ? (list)->used++ : LAST(list, array)])
#define LAST(list, array) ((int)(sizeof(list)->array / sizeof *(list)->array) - 1)

struct bp_op_matmul *bp_add_matmul(struct bp_layer *list, enum bp_role role, enum bp_deal deal,
                                   double count, double in, double out) {
    struct bp_op_matmul *op = NEXT(list, matmul, matmuls);
    memset(op, 0, sizeof *op);
    op->role = role;
    op->deal = deal;
    op->count = count;
    op->in = in;
    op->out = out;
    op->groups = 1;
    return op;
}

struct bp_op_attention *bp_add_attention(struct bp_layer *list, double count) {
    struct bp_op_attention *op = NEXT(list, attention, attentions);
    memset(op, 0, sizeof *op);
    op->count = count;
    return op;
}

void bp_add_index_scores(struct bp_layer *list, double count, double heads, double dim,
                         double ratio) {
    struct bp_op_index *op = NEXT(list, index, indexes);
    op->count = count;
    op->heads = heads;
    op->dim = dim;
    op->ratio = ratio;
}

void bp_add_scan(struct bp_layer *list, double count, double state, double taps, double heads) {
    struct bp_op_scan *op = NEXT(list, scan, scans);
    op->count = count;
    op->state = state;
    op->taps = taps;
    op->heads = heads;
}

void bp_add_pass(struct bp_layer *list, enum bp_pass kind, enum bp_role role, double count,
                 double width) {
    struct bp_op_pass *op = NEXT(list, pass, passes);
    op->kind = kind;
    op->role = role;
    op->count = count;
    op->width = width;
}

struct bp_op_kept *bp_add_kept(struct bp_layer *list, enum bp_kept kind, enum bp_kept_where where,
                               enum bp_role role, double count, double width) {
    struct bp_op_kept *op = NEXT(list, kept, kepts);
    op->kind = kind;
    op->where = where;
    op->role = role;
    op->count = count;
    op->width = width;
    op->heads = op->others = 0;
    return op;
}

void bp_add_cache(struct bp_layer *list, double count, double heads, double width, double ratio) {
    struct bp_op_cache *op = NEXT(list, cache, caches);
    op->count = count;
    op->heads = heads;
    op->width = width;
    op->ratio = ratio;
}

struct bp_op_weights *bp_add_weights(struct bp_layer *list, enum bp_role role, double count,
                                     double params) {
    struct bp_op_weights *op = NEXT(list, weights, weightses);
    op->role = role;
    op->count = count;
    op->params = params;
    op->experts = 0;
    op->multiplies = 0;
    return op;
}

const struct bp_op_matmul *bp_layer_experts(const struct bp_layer *list) {
    int i;
    for (i = 0; i < list->matmuls; i++) {
        if (list->matmul[i].experts > 0) {
            return &list->matmul[i];
        }
    }
    return NULL;
}

int bp_layer_has_role(const struct bp_layer *list, enum bp_role role) {
    int i;
    for (i = 0; i < list->matmuls && list->matmul[i].role != role; i++) {
    }
    return i < list->matmuls;
}

/* Of an operation in one layer that has it. */
static double matmul_params(const struct bp_op_matmul *op, double experts) {
    double each = op->in * (op->out + op->kv_heads * op->kv_width) * op->groups;
    return each * (op->experts > 0 ? experts : 1);
}

static struct bp_part_params add_weights(struct bp_part_params sum, const struct bp_op_weights *op,
                                         double count, double experts) {
    double params = count * op->params * (op->experts > 0 ? experts : 1);
    sum.all += params;
    sum.matmul += op->multiplies ? params : 0;
    return sum;
}

struct bp_part_params bp_layer_params(const struct bp_layer *list, double experts) {
    struct bp_part_params sum = {0, 0};
    int i;
    for (i = 0; i < list->matmuls; i++) {
        sum.matmul += list->matmul[i].count * matmul_params(&list->matmul[i], experts);
    }
    sum.all = sum.matmul;
    for (i = 0; i < list->weightses; i++) {
        sum = add_weights(sum, &list->weights[i], list->weights[i].count, experts);
    }
    return sum;
}

struct bp_part_params bp_role_params(const struct bp_layer *list, enum bp_role role,
                                     double experts) {
    struct bp_part_params sum = {0, 0};
    int i;
    for (i = 0; i < list->matmuls; i++) {
        const struct bp_op_matmul *op = &list->matmul[i];
        sum.matmul += op->role == role ? matmul_params(op, experts) : 0;
    }
    sum.all = sum.matmul;
    for (i = 0; i < list->weightses; i++) {
        if (list->weights[i].role == role) {
            sum = add_weights(sum, &list->weights[i], 1, experts);
        }
    }
    return sum;
}

/* Of one layer that has the operations from these on. */
static struct bp_part_params params_from(const struct bp_layer *list, int matmul, int weights,
                                         double experts) {
    struct bp_part_params sum = {0, 0};
    for (; matmul < list->matmuls; matmul++) {
        sum.matmul += matmul_params(&list->matmul[matmul], experts);
    }
    sum.all = sum.matmul;
    for (; weights < list->weightses; weights++) {
        sum = add_weights(sum, &list->weights[weights], 1, experts);
    }
    return sum;
}

double bp_head_share(double heads, double tp) {
    return fmax(1, heads / tp);
}

struct bp_share bp_matmul_share(const struct bp_op_matmul *op, const struct bp_ranks *ranks) {
    double tp = op->experts > 0 ? ranks->etp : ranks->tp;
    struct bp_share s = {op->in, op->out, op->groups, op->experts / ranks->ep};
    if (op->deal == BP_DEAL_COLUMNS) {
        s.out /= tp;
    } else if (op->deal == BP_DEAL_ROWS) {
        s.in /= tp;
    } else if (op->deal == BP_DEAL_GROUPS) {
        s.groups /= tp;
    }
    if (op->kv_heads > 0) {
        s.out += bp_head_share(op->kv_heads, ranks->tp) * op->kv_width;
    }
    return s;
}

static int same_matmul(const struct bp_op_matmul *a, const struct bp_op_matmul *b) {
    return a->role == b->role && a->deal == b->deal && a->in == b->in && a->out == b->out &&
           a->kv_heads == b->kv_heads && a->kv_width == b->kv_width && a->groups == b->groups &&
           a->experts == b->experts && a->topk == b->topk && a->others == b->others;
}

/* Layers with and without a window mostly have the same matmuls, which are then timed once. */
static void merge_matmuls(struct bp_layer *list) {
    int i, j, used = 0;
    for (i = 0; i < list->matmuls; i++) {
        for (j = 0; j < used && !same_matmul(&list->matmul[j], &list->matmul[i]); j++) {
        }
        if (j < used) {
            list->matmul[j].count += list->matmul[i].count;
        } else {
            list->matmul[used++] = list->matmul[i];
        }
    }
    list->matmuls = used;
}

void bp_layer_clear(struct bp_layer *list) {
    memset(&list->matmuls, 0, sizeof *list - offsetof(struct bp_layer, matmuls));
    list->layers = 1;
}

/*
** A prediction layer has attention and a feed-forward part as in the model, and a matrix that joins hidden
** state and next embedding: DeepSeek-V3, arXiv:2412.19437 (2024), section 2.2.
*/
static void add_mtp(struct bp_layer *list, const struct bp_model *m) {
    double h = (double)m->hidden;
    bp_layer_add(list, m, global_layers(m) > 0 ? BP_BLOCK_GLOBAL : BP_BLOCK_WINDOWED, 1);
    bp_layer_add(list, m, moe_layers(m) > 0 ? BP_BLOCK_MOE : BP_BLOCK_MLP, 1);
    bp_add_matmul(list, BP_ROLE_JOIN, BP_DEAL_COLUMNS, 1, 2 * h, h);
}

void bp_layers_of(const struct bp_model *model, struct bp_layers *out) {
    int block;
    bp_layer_clear(&out->stack);
    bp_layer_clear(&out->mtp);
    out->stack.layers = (double)model->layers;
    for (block = 0; block < BP_BLOCKS; block++) {
        int matmul = out->stack.matmuls, weights = out->stack.weightses;
        bp_layer_add(&out->stack, model, (enum bp_block)block,
                     bp_block_layers(model, (enum bp_block)block));
        out->blocks[block] = params_from(&out->stack, matmul, weights, (double)model->experts);
    }
    if (windowed_layers(model) > 0 && global_layers(model) > 0) {
        merge_matmuls(&out->stack);
    }
    if (model->mtp_layers > 0) {
        add_mtp(&out->mtp, model);
    }
}
