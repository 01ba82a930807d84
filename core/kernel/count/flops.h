/* What has to be computed: FLOP of a training step by convention. */
#ifndef BP_KERNEL_FLOPS_H
#define BP_KERNEL_FLOPS_H

#include "kernel/count/params.h"
#include "kernel/describe/model.h"
#include "kernel/field.h"
#include "kernel/layer/layer.h"
#include "kernel/status.h"

#define BP_FLOPS_IN_FIELDS(F, S)                                                                   \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is trained")                                  \
    F(S, INT, seq_len, , "tok", BP_REQUIRED, 1, 1e9, "tokens of one sequence")
BP_DECLARE_STRUCT(bp_flops_in, BP_FLOPS_IN_FIELDS);

#define BP_FLOPS_OUT_FIELDS(F, S)                                                                  \
    F(S, NUM, matmul_forward, , "FLOP", 0, 0, BP_ANY,                                              \
      "weights times one token, forward, head included")                                           \
    F(S, NUM, encoder_forward, , "FLOP", 0, 0, BP_ANY,                                             \
      "encoder and projector over the inputs of a sequence, forward, per token of it")             \
    F(S, NUM, attention_forward, , "FLOP", 0, 0, BP_ANY,                                           \
      "scores and values per token, forward, masked pairs not counted")                            \
    F(S, NUM, attention_forward_full, , "FLOP", 0, 0, BP_ANY,                                      \
      "the same with every pair counted (no causal halving, no window)")                           \
    F(S, NUM, model_token, , "FLOP", 0, 0, BP_ANY,                                                 \
      "model FLOP per token, causal: 3 (matmul_forward + attention_forward + encoder_forward); "   \
      "1 of a frozen encoder")                                                                     \
    F(S, NUM, model_token_full, , "FLOP", 0, 0, BP_ANY,                                            \
      "model FLOP per token, full attention: 6 N + 12 L a d s")                                    \
    F(S, NUM, megatron_token, , "FLOP", 0, 0, BP_ANY,                                              \
      "Megatron-LM 2021 per token: full attention and full recomputation, 4 forward passes")
BP_DECLARE_STRUCT(bp_flops_out, BP_FLOPS_OUT_FIELDS);

/*
** Forward FLOP per token of weights: twice those that multiply every token, less what keys of another stack save,
** which are made once a sequence.
*/
double bp_flops_matmul(const struct bp_params_out *params, const struct bp_layers *layers,
                       double seq_len);

/*
** FLOP of encoder and projector per token of the decoder's sequence, 0 without one: forward, and with the
** backward of what is trained (3 times that; of a frozen encoder 1).
*/
struct bp_encoder_flops {
    double forward, model;
};
struct bp_encoder_flops bp_flops_encoder(const struct bp_model *model, double seq_len);

/* Forward FLOP per token of softmax attention: masked pairs credited only when `full`. */
double bp_flops_attention(const struct bp_model *model, const struct bp_layers *layers,
                          double seq_len, int full);

int bp_flops(const struct bp_flops_in *in, struct bp_flops_out *out, struct bp_error *err);

#endif
