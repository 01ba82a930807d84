/* One step of a serving engine: prompts or pieces of them, sequences that decode, or both. */
#ifndef BP_KERNEL_INFER_STEP_H
#define BP_KERNEL_INFER_STEP_H

#include "kernel/field.h"
#include "kernel/serve/infer_case.h"
#include "kernel/status.h"

/* What is in a step, over all ranks of the replica. */
struct bp_infer_batch {
    double prompts, prompt_tokens; /* pieces of prompts; their tokens together */
    double prompt_past;            /* tokens of a piece's sequence that were computed before */
    double sequences, context;     /* sequences that decode; tokens each looks back on */
    double starts;                 /* prompts whose first piece this is; may be a fraction */
};

/*
** Batches that are under way at one time, each with the engine's budget of tokens and captured graphs: one of each
** attention group in each stage of the pipeline (max_num_batched_tokens is of a virtual engine in vLLM, max_num_tokens
** of a micro-batch in TensorRT-LLM).
*/
double bp_infer_batches(const struct bp_infer_case *c);
/* Tokens of all of them that run as captured graphs. */
double bp_infer_graph_tokens(const struct bp_infer_case *c);

/*
** The parts of a step, so that a simulation can keep those it meets again. Rows are what the fullest
** rank computes: groups of attention share sequences and whole prompts, micro-batches of a pipeline
** any tokens. With draft_tokens, every token that is verified is a row.
*/
double bp_infer_rows(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                     double decode_rows);
double bp_infer_dense(const struct bp_infer_case *c, double rows); /* all but what follows */
/* Tokens of a micro-batch, of all its groups; and the experts' time for so many, with their traffic. */
double bp_infer_expert_tokens(const struct bp_infer_case *c, double prompts, double prompt_tokens,
                              double decode_rows);
double bp_infer_experts(const struct bp_infer_case *c, double tokens);
double bp_infer_head(const struct bp_infer_case *c, double rows);
/* beside: prompts are in the same step. */
double bp_infer_decode(const struct bp_infer_case *c, double sequences, double context, int beside);
double bp_infer_prefill(const struct bp_infer_case *c, double prompts, double tokens, double past);
/* Encoder and cross attention's keys of so many prompts, which run once for each. */
double bp_infer_inputs(const struct bp_infer_case *c, double prompts);
/* Step from the device's time of it: what the host adds. */
double bp_infer_host(const struct bp_infer_case *c, double device_s, double prompt_tokens,
                     double sequences);

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
