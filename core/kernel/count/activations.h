/* What backward needs from forward: bytes kept per layer, from the list of tensors. */
#ifndef BP_KERNEL_ACTIVATIONS_H
#define BP_KERNEL_ACTIVATIONS_H

#include "kernel/count/train_case.h"

/* A stack of layers by kind of feed-forward part: counts, which may be fractions of a mean layer. */
struct bp_layer_mix {
    double layers, mlp, moe;
};

/* The mean layer of the model. */
struct bp_layer_mix bp_mean_layer(const struct bp_train_case *c);

/*
** Bytes that one device keeps of a token under one kind of recomputation, and without the modules that the plan
** computes again: in every layer, its stored scores apart, and in the feed-forward part of one layer of each kind.
*/
struct bp_token_kept {
    enum bp_recompute recompute;
    double layer, scores, mlp, moe;
};
struct bp_token_kept bp_token_kept(const struct bp_train_case *c, enum bp_recompute recompute);

/* Bytes kept of these layers and one micro-batch. */
double bp_activations_of(const struct bp_train_case *c, const struct bp_token_kept *kept,
                         struct bp_layer_mix mix);

/* Of a plan: in a layer that it leaves alone, in one that it recomputes, and if nothing were computed again. */
struct bp_activations {
    struct bp_token_kept plain, remade, all;
};
struct bp_activations bp_activations(const struct bp_train_case *c);

/* Bytes kept of these layers and one micro-batch under the plan (a share of layers may recompute). */
double bp_activations_kept(const struct bp_train_case *c, const struct bp_activations *of,
                           struct bp_layer_mix mix);

/* What one layer has of its scores beside what it keeps, where attention is not fused: bytes of one micro-batch. */
double bp_score_steps(const struct bp_train_case *c);

/* All that one layer has of its scores at one time, with what it keeps of them. */
double bp_layer_scores(const struct bp_train_case *c);

/* Gradients of activations that one layer has at one time beside what it keeps, in one micro-batch. */
double bp_gradient_steps(const struct bp_train_case *c);

/* Bytes kept of one micro-batch of a list that is no layer, with no norms of its own; never computed again. */
double bp_activations_list(const struct bp_train_case *c, const struct bp_layer *list);

#endif
