/*
** A layer as the list of operations that run for it. Parameters, FLOP, kept activations, KV cache, training
** time, prefill, decode and encoders are folds over this list; what a kind of attention or feed-forward part
** is made of stands in one file beside this one and nowhere else.
*/
#ifndef BP_KERNEL_LAYER_H
#define BP_KERNEL_LAYER_H

#include "kernel/describe/model.h"

/* What an operation belongs to: recomputation and serving formats go by it. */
enum bp_role {
    BP_ROLE_MIXER,  /* attention, linear attention, state space */
    BP_ROLE_HEADS,  /* queries, keys and values of every head from their latents (MLA) */
    BP_ROLE_MLP,    /* dense feed-forward part */
    BP_ROLE_ROUTER, /* scores of all experts */
    BP_ROLE_EXPERT, /* routed experts */
    BP_ROLE_LATENT, /* projections around the routed experts */
    BP_ROLE_SHARED, /* experts that every token visits */
    BP_ROLE_JOIN,   /* of hidden state and next embedding before a multi-token-prediction layer */
    BP_ROLES
};

/* How ranks share a matmul. */
enum bp_deal {
    BP_DEAL_WHOLE,   /* every rank multiplies all of it */
    BP_DEAL_COLUMNS, /* columns of the weight over tensor-parallel ranks; of an expert over its own */
    BP_DEAL_ROWS,    /* rows of the weight, likewise */
    BP_DEAL_GROUPS, /* matrices side by side over tensor-parallel ranks */
    BP_DEAL_TOKENS  /* all of the weight on every rank, which in training has its tokens only */
};

/* y = x w with w of in x out (+ kv_heads x kv_width) columns: the whole matrix, before ranks share it. */
struct bp_op_matmul {
    enum bp_role role;
    enum bp_deal deal;
    double count; /* layers that have it */
    double in, out;
    double kv_heads, kv_width; /* further columns: heads are replicated where ranks are more */
    double groups;             /* matrices of this shape side by side that all see every token */
    double others; /* tokens of another stack that it multiplies once a sequence; 0: own */
    double taps;   /* a convolution: neighbours of a token that `in` counts one by one; 0: none */
    double experts, topk; /* matrices of which a token visits topk; 0: not routed */
    int joined;           /* inference engines run it in one matmul with the one before */
    int absorbed;         /* inference engines fold it into others, in 16 bit (MLA) */
};

/* Scores and values of softmax attention. Cached keys may be other ones than the multiplied ones (MLA). */
struct bp_op_attention {
    double count;
    double heads, kv_heads, qk_dim, v_dim;
    double window;                     /* tokens a query sees; 0: all */
    double selected;                   /* keys an indexer leaves to a query; 0: all */
    double others;                     /* keys of another stack, all of them seen; 0: own keys */
    double cached_heads, cached_width; /* what is kept of a token */
    double score_width;                /* multiply-adds of a query head and a cached token */
};

/* Scores by which an indexer selects keys: small heads over one key for every `ratio` tokens. */
struct bp_op_index {
    double count, heads, dim, ratio;
};

/* State of linear attention or a state space, carried from chunk to chunk of tokens. */
struct bp_op_scan {
    double count;
    double state, taps; /* elements of a sequence: state matrices, last inputs of the convolution */
    double heads;       /* over which ranks can divide them */
};

/* What elementwise kernels move for a token, in elements of one operand. */
enum bp_pass {
    BP_PASS_ROTATE,   /* rotation of queries and keys */
    BP_PASS_ASSEMBLE, /* rotation and putting together of MLA's heads, elements read and written */
    BP_PASS_ROTATE_MLA, /* rotation of MLA as inference engines run it */
    BP_PASS_GATED,      /* activation function with a gate */
    BP_PASS_PLAIN,      /* without */
    BP_PASS_PERMUTE,    /* tokens to and from experts */
    BP_PASS_ROUTE,      /* scores of experts */
    BP_PASS_MIX,        /* convolution, scan, gate and norm of linear attention and state space */
    BP_PASS_KINDS
};
struct bp_op_pass {
    enum bp_pass kind;
    enum bp_role role;
    double count, width;
};

/* What backward needs of a token. */
enum bp_kept {
    BP_KEPT_STREAM,    /* in the format of the residual stream */
    BP_KEPT_INPUT,     /* input of a matmul, in the format it multiplies */
    BP_KEPT_ACTIVATED, /* what an activation function takes, in the format of the residual stream */
    BP_KEPT_ACTIVATION, /* what it makes, which is the input of a matmul */
    BP_KEPT_CORE,       /* output of the core of attention, in the format of the residual stream */
    BP_KEPT_COPY,       /* such an input beside the stream's format, where it is narrower */
    BP_KEPT_SCORE,      /* scores of the router in fp32 */
    BP_KEPT_KINDS
};
enum bp_kept_where {
    BP_KEPT_RANKS,    /* divided over tensor-parallel ranks, at most `heads` of them */
    BP_KEPT_WHOLE,    /* on every rank */
    BP_KEPT_SEQUENCE, /* divided under sequence parallelism only */
    BP_KEPT_VISITS,   /* once for every expert that is visited */
    BP_KEPT_SLICES,   /* the same, sliced over expert-tensor ranks */
    BP_KEPT_PLACES
};
struct bp_op_kept {
    enum bp_kept kind;
    enum bp_kept_where where;
    enum bp_role role;
    double count, width, heads;
    double others; /* tokens of another stack that have it, of one sequence; 0: every own token */
};

/* What is cached of a token beside the keys and values of bp_op_attention, one for every `ratio` tokens. */
struct bp_op_cache {
    double count, heads, width, ratio;
};

/* Parameters that are no matmul of the list: norms, biases, filters. */
struct bp_op_weights {
    enum bp_role role;
    double count, params;
    double experts; /* of each of so many experts; 0: not routed */
    int multiplies; /* every token is multiplied by them, as by a matrix */
};

enum {
    BP_LAYER_MATMULS = 48,
    BP_LAYER_ATTENTIONS = 8,
    BP_LAYER_INDEXES = 2,
    BP_LAYER_SCANS = 4,
    BP_LAYER_PASSES = 16,
    BP_LAYER_KEPT = 40,
    BP_LAYER_CACHES = 6,
    BP_LAYER_WEIGHTS = 32
};

struct bp_layer {
    struct bp_op_matmul matmul[BP_LAYER_MATMULS];
    struct bp_op_attention attention[BP_LAYER_ATTENTIONS];
    struct bp_op_index index[BP_LAYER_INDEXES];
    struct bp_op_scan scan[BP_LAYER_SCANS];
    struct bp_op_pass pass[BP_LAYER_PASSES];
    struct bp_op_kept kept[BP_LAYER_KEPT];
    struct bp_op_cache cache[BP_LAYER_CACHES];
    struct bp_op_weights weights[BP_LAYER_WEIGHTS];
    /* From here on, what bp_layer_clear sets to 0. */
    int matmuls, attentions, indexes, scans, passes, kepts, caches, weightses;
    double mixers, mlps, moes;     /* sub-layers; a layer of two has two norms and two additions */
    double mixer_syncs, mlp_syncs; /* regions that tensor-parallel ranks sum up after */
    double shared_syncs;
    double latents; /* mixers with latent keys, whose eager code has launches of its own */
    double kernels; /* launches of inference engines beyond a plain layer's */
    int one_pass;   /* inference engines are timed as one matmul over all weights of the block */
    double
        layers; /* that the list describes; an operation's count over them is its part of the mean one */
};

/* An empty list of one layer. */
void bp_layer_clear(struct bp_layer *list);

/* Parts that layers are put together from. */
enum bp_block {
    BP_BLOCK_WINDOWED, /* attention with a sliding window */
    BP_BLOCK_GLOBAL,   /* attention without */
    BP_BLOCK_INDEX,    /* what the selection of keys adds to attention */
    BP_BLOCK_COMPRESS, /* what the compression of keys adds to it */
    BP_BLOCK_CROSS,    /* attention of a decoder to an encoder */
    BP_BLOCK_LINEAR,   /* linear attention */
    BP_BLOCK_MAMBA,    /* state space */
    BP_BLOCK_MLP,      /* dense feed-forward part */
    BP_BLOCK_MOE,      /* routed and shared experts */
    BP_BLOCKS
};

/* Layers of a resolved model that have the block. */
double bp_block_layers(const struct bp_model *model, enum bp_block block);

/* Whether the block's parameters are those of softmax attention. */
int bp_block_attends(enum bp_block block);

/* Appends the block as so many layers have it. */
void bp_layer_add(struct bp_layer *list, const struct bp_model *model, enum bp_block block,
                  double count);

/* Parameters of operations. */
struct bp_part_params {
    double all, matmul; /* matmul: those that multiply every token that visits them */
};

/* The whole stack, and one multi-token-prediction layer with the matrix that joins its two inputs. */
struct bp_layers {
    struct bp_layer stack, mtp;
    struct bp_part_params
        blocks[BP_BLOCKS]; /* of one layer that has the block, all experts; 0: none has */
};
void bp_layers_of(const struct bp_model *model, struct bp_layers *out);

/* The first matrix of the routed experts, NULL without any. */
const struct bp_op_matmul *bp_layer_experts(const struct bp_layer *list);

/* Whether any matmul of the list is of the role. */
int bp_layer_has_role(const struct bp_layer *list, enum bp_role role);

/*
** Parameters of all that is in the list, `count` times each, and of one layer's operations of a role;
** experts: of each routed part, so many.
*/
struct bp_part_params bp_layer_params(const struct bp_layer *list, double experts);
struct bp_part_params bp_role_params(const struct bp_layer *list, enum bp_role role,
                                     double experts);

/* What one rank has of a matmul; key/value heads are replicated where there are fewer than ranks. */
struct bp_ranks {
    double tp, ep, etp;
};
struct bp_share {
    double in, out, groups, experts;
};
struct bp_share bp_matmul_share(const struct bp_op_matmul *op, const struct bp_ranks *ranks);
double bp_head_share(double heads, double tp);

/* For the files of the kinds: a next entry of the list, zero but for what is given. */
struct bp_op_matmul *bp_add_matmul(struct bp_layer *list, enum bp_role role, enum bp_deal deal,
                                   double count, double in, double out);
struct bp_op_attention *bp_add_attention(struct bp_layer *list, double count);
void bp_add_index_scores(struct bp_layer *list, double count, double heads, double dim,
                         double ratio);
void bp_add_scan(struct bp_layer *list, double count, double state, double taps, double heads);
void bp_add_pass(struct bp_layer *list, enum bp_pass kind, enum bp_role role, double count,
                 double width);
struct bp_op_kept *bp_add_kept(struct bp_layer *list, enum bp_kept kind, enum bp_kept_where where,
                               enum bp_role role, double count, double width);
void bp_add_cache(struct bp_layer *list, double count, double heads, double width, double ratio);
struct bp_op_weights *bp_add_weights(struct bp_layer *list, enum bp_role role, double count,
                                     double params);

/* The kinds. */
void bp_add_windowed(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_global(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_mla(struct bp_layer *list, const struct bp_model *model, double count, double window);
void bp_add_index(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_compress(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_cross_attention(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_linear_attention(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_state_space(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_mlp(struct bp_layer *list, const struct bp_model *model, double count);
void bp_add_moe(struct bp_layer *list, const struct bp_model *model, double count);

/* A feed-forward part of this role: first and second matrix, activation function, what it keeps. */
void bp_add_feed_forward(struct bp_layer *list, const struct bp_model *model, enum bp_role role,
                         double count, double width);

#endif
