/* How many parameters a model has: in every part, in all, and at work for one token. */
#ifndef BP_KERNEL_PARAMS_H
#define BP_KERNEL_PARAMS_H

#include "kernel/describe/model.h"
#include "kernel/field.h"
#include "kernel/layer/layer.h"
#include "kernel/status.h"

#define BP_PARAMS_IN_FIELDS(F, S) F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is counted")
BP_DECLARE_STRUCT(bp_params_in, BP_PARAMS_IN_FIELDS);

/* *_layer is one layer of its kind, without the norms of hidden width; its plural name is the sum. */
#define BP_PARAMS_OUT_FIELDS(F, S)                                                                 \
    F(S, INT, embedding, , "", 0, 0, BP_ANY,                                                       \
      "token embedding, or patch embedding and class tokens")                                      \
    F(S, INT, positions, , "", 0, 0, BP_ANY,                                                       \
      "tables of positions and token types, embeddings of layers")                                 \
    F(S, INT, head, , "", 0, 0, BP_ANY, "vocabulary or class head and pooler; 0 where it is tied") \
    F(S, INT, attention_layer, , "", 0, 0, BP_ANY, "softmax attention of one (windowed) layer")    \
    F(S, INT, global_layer, , "", 0, 0, BP_ANY, "softmax attention of one layer without window")   \
    F(S, INT, index_layer, , "", 0, 0, BP_ANY, "what key selection adds to one indexed layer")     \
    F(S, INT, compress_layer, , "", 0, 0, BP_ANY, "what key compression adds to one such layer")   \
    F(S, INT, attention, , "", 0, 0, BP_ANY,                                                       \
      "softmax attention of all layers, with index and compression")                               \
    F(S, INT, linear_layer, , "", 0, 0, BP_ANY, "linear attention of one layer")                   \
    F(S, INT, linear, , "", 0, 0, BP_ANY, "linear attention of all layers")                        \
    F(S, INT, mamba_layer, , "", 0, 0, BP_ANY, "state-space mixer of one layer")                   \
    F(S, INT, mamba, , "", 0, 0, BP_ANY, "state-space mixers of all layers")                       \
    F(S, INT, mlp_layer, , "", 0, 0, BP_ANY, "dense feed-forward part of one layer")               \
    F(S, INT, mlp, , "", 0, 0, BP_ANY, "dense feed-forward parts of all layers")                   \
    F(S, INT, router, , "", 0, 0, BP_ANY, "router of one MoE layer")                               \
    F(S, INT, expert, , "", 0, 0, BP_ANY, "one routed expert")                                     \
    F(S, INT, shared, , "", 0, 0, BP_ANY, "shared experts of one MoE layer, with their gate")      \
    F(S, INT, moe_layer, , "", 0, 0, BP_ANY, "one MoE layer: router, routed and shared experts")   \
    F(S, INT, moe, , "", 0, 0, BP_ANY, "all MoE layers")                                           \
    F(S, INT, norm_layer, , "", 0, 0, BP_ANY, "norms of hidden width in one layer")                \
    F(S, INT, norms, , "", 0, 0, BP_ANY, "norms of hidden width: layers, final, embedding")        \
    F(S, INT, residual, , "", 0, 0, BP_ANY, "mixing of parallel residual streams")                 \
    F(S, INT, mtp_layer, , "", 0, 0, BP_ANY, "one multi-token-prediction layer, with its norms")   \
    F(S, INT, mtp, , "", 0, 0, BP_ANY, "multi-token-prediction layers; not part of total_params")  \
    F(S, INT, mtp_matmul_active, , "", 0, 0, BP_ANY,                                               \
      "weights that multiply every token in these layers, with a pass through the head in each")   \
    F(S, INT, encoder, , "", 0, 0, BP_ANY, "the encoder, with what lies before and behind it")     \
    F(S, INT, projector, , "", 0, 0, BP_ANY, "of these, between the encoder and the decoder")      \
    F(S, INT, extra, , "", 0, 0, BP_ANY, "parameters outside these stacks")                        \
    F(S, INT, attention_layers, , "", 0, 0, BP_ANY, "layers with softmax attention")               \
    F(S, INT, global_layers, , "", 0, 0, BP_ANY, "of these, layers without window")                \
    F(S, INT, linear_layers, , "", 0, 0, BP_ANY, "layers with linear attention")                   \
    F(S, INT, mamba_layers, , "", 0, 0, BP_ANY, "layers with a state-space mixer")                 \
    F(S, INT, mlp_layers, , "", 0, 0, BP_ANY, "layers with a dense feed-forward part")             \
    F(S, INT, moe_layers, , "", 0, 0, BP_ANY, "layers with experts")                               \
    F(S, INT, expert_params, , "", 0, 0, BP_ANY, "routed experts of all layers: what EP shards")   \
    F(S, INT, total_params, , "", 0, 0, BP_ANY, "all parameters, without mtp, tied matrices once") \
    F(S, INT, active_params, , "", 0, 0, BP_ANY,                                                   \
      "of total_params without encoder and extra, what one token uses: topk experts, whole "       \
      "embedding and head")                                                                        \
    F(S, INT, matmul_params_active, , "", 0, 0, BP_ANY,                                            \
      "weights that multiply every token: matrices of active_params and the vocabulary head "      \
      "(tied too), no table lookup, no norm, no bias")
BP_DECLARE_STRUCT(bp_params_out, BP_PARAMS_OUT_FIELDS);

/*
** Counts a model that bp_model_resolve() has accepted, and its layers: what other kernels call. Fails
** (BP_EOVERFLOW, no text) only where a count is not exact any more, above 2^53.
*/
int bp_params_count(const struct bp_model *model, const struct bp_layers *layers,
                    struct bp_params_out *out);

/* A model made ready for estimates, once for all of them. */
struct bp_ready_model {
    struct bp_model model; /* resolved */
    struct bp_layers layers;
    struct bp_params_out params;
};

/* Errors: those of bp_model_resolve, BP_EOVERFLOW. */
int bp_model_ready(const struct bp_model *model, struct bp_ready_model *out, struct bp_error *err);

int bp_params(const struct bp_params_in *in, struct bp_params_out *out, struct bp_error *err);

#endif
