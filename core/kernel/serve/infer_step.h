/* One step of a serving engine: prompts or pieces of them, sequences that decode, or both. */
#ifndef BP_KERNEL_INFER_STEP_H
#define BP_KERNEL_INFER_STEP_H

#include "kernel/field.h"
#include "kernel/serve/infer_attention.h"
#include "kernel/serve/infer_case.h"
#include "kernel/serve/infer_host.h"
#include "kernel/serve/infer_inputs.h"
#include "kernel/serve/infer_matmul.h"
#include "kernel/serve/infer_ranks.h"
#include "kernel/serve/infer_traffic.h"
#include "kernel/status.h"

/* What is in a step, over all ranks of the replica. */
struct bp_infer_batch {
    double prompts, prompt_tokens; /* pieces of prompts; their tokens together */
    double prompt_past;            /* tokens of a piece's sequence that were computed before */
    double sequences, context;     /* sequences that decode; tokens each looks back on */
    double starts;                 /* prompts whose first piece this is; may be a fraction */
};

/* The parts of a step, so that a simulation can keep those it meets again: */
double bp_infer_dense(const struct bp_infer_case *c, double rows);     /* all but what follows */
double bp_infer_experts(const struct bp_infer_case *c, double tokens); /* with their traffic */
double bp_infer_head(const struct bp_infer_case *c, double rows);

/* Seconds of the whole step. */
double bp_infer_time(const struct bp_infer_case *c, const struct bp_infer_batch *batch);
/* The mean of steps with prompts like it, of which a share `over` is larger than graphs cut at attention hold. */
double bp_infer_mean_time(const struct bp_infer_case *c, const struct bp_infer_batch *batch,
                          double over);

#define BP_INFER_STEP_IN_FIELDS(F, S)                                                              \
    BP_INFER_SETUP_FIELDS(F, S)                                                                    \
    F(S, NUM, prompts, , "", 0, 0, 1e9, "prompts, or pieces of them, in the step")                 \
    F(S, NUM, prompt_tokens, , "tok", 0, 0, 1e12, "their tokens together")                         \
    F(S, NUM, prompt_past, , "tok", 0, 0, 1e12, "tokens of a sequence computed before its piece")  \
    F(S, NUM, sequences, , "", 0, 0, 1e9, "sequences that decode")                                 \
    F(S, NUM, context, , "tok", 0, 0, 1e12, "tokens that each of them looks back on, mean")
BP_DECLARE_STRUCT(bp_infer_step_in, BP_INFER_STEP_IN_FIELDS);

#define BP_INFER_STEP_OUT_FIELDS(F, S)                                                             \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the step")                                     \
    F(S, NUM, matmul_s, , "s", 0, 0, BP_ANY, "dense matmuls")                                      \
    F(S, NUM, moe_s, , "s", 0, 0, BP_ANY, "routed experts")                                        \
    F(S, NUM, prefill_s, , "s", 0, 0, BP_ANY, "attention of prompts")                              \
    F(S, NUM, encoder_s, , "s", 0, 0, BP_ANY,                                                      \
      "encoder or vision tower, and the keys and values the decoder makes of its tokens")          \
    F(S, NUM, decode_s, , "s", 0, 0, BP_ANY, "attention of decoding sequences, and their states")  \
    F(S, NUM, head_s, , "s", 0, 0, BP_ANY, "vocabulary head")                                      \
    F(S, NUM, collective_s, , "s", 0, 0, BP_ANY, "traffic between ranks")                          \
    F(S, NUM, elementwise_s, , "s", 0, 0, BP_ANY, "norms, additions, activations")                 \
    F(S, NUM, host_s, , "s", 0, 0, BP_ANY, "launches and scheduling that the device waits for")    \
    F(S, NUM, tokens, , "tok", 0, 0, BP_ANY, "tokens that a decoding sequence gains")
BP_DECLARE_STRUCT(bp_infer_step_out, BP_INFER_STEP_OUT_FIELDS);

int bp_infer_step(const struct bp_infer_step_in *in, struct bp_infer_step_out *out,
                  struct bp_error *err);

#endif
