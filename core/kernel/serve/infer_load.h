/* What requests see of a replica under steady load, in closed form: what searches call. */
#ifndef BP_KERNEL_INFER_LOAD_H
#define BP_KERNEL_INFER_LOAD_H

#include "kernel/field.h"
#include "kernel/serve/infer_case.h"
#include "kernel/serve/saturated.h"
#include "kernel/status.h"

#define BP_INFER_LOAD_IN_FIELDS(F, S)                                                              \
    BP_INFER_SETUP_FIELDS(F, S)                                                                    \
    F(S, NUM, concurrency, , "", 0, 0, 1e9, "closed loop: requests in flight; 0 = open loop")      \
    F(S, NUM, rate_per_s, , "1/s", 0, 0, 1e9, "open loop: requests per second")                    \
    F(S, NUM, input_tokens, , "tok", 1024, 1, 1e9, "tokens of a prompt, mean")                     \
    F(S, NUM, output_tokens, , "tok", 1024, 1, 1e9, "tokens of an answer, mean")                   \
    F(S, NUM, length_cv, , "", 0.1, 0, 10, "deviation over mean of the answers' lengths")          \
    F(S, NUM, input_cv, , "", 0, 0, 10, "deviation over mean of the prompts' lengths")             \
    F(S, NUM, one_token_frac, , "frac", 0, 0, 1,                                                   \
      "share of the answers that are one token: they end with their prompt")                       \
    F(S, NUM, prefix_tokens, , "tok", 0, 0, 1e9,                                                   \
      "first tokens of a prompt that need no computing: cached, or sent by another replica")       \
    F(S, NUM, shared_tokens, , "tok", 0, 0, 1e9,                                                   \
      "of these, the first that all prompts begin with, which a KV pool holds once; not of "       \
      "sessions")                                                                                  \
    F(S, NUM, history_tokens, , "tok", 0, 0, 1e9,                                                  \
      "tokens of a prompt that its session said before, mean; they wait in the pool for it")       \
    F(S, NUM, turns, , "", 1, 1, 1e9, "requests of a session")                                     \
    F(S, NUM, think_s, , "s", 0, 0, 1e9,                                                           \
      "from an answer to the next request of its client or session, mean")                         \
    F(S, NUM, same_frac, , "frac", 1, 0, 1,                                                        \
      "chance that the next turn of a session comes to the same replica")                          \
    F(S, NUM, pool_tokens, , "tok", 0, 0, 1e15, "tokens the KV pool holds; 0 = from the memory")
BP_DECLARE_STRUCT(bp_infer_load_in, BP_INFER_LOAD_IN_FIELDS);

#define BP_INFER_LOAD_OUT_FIELDS(F, S)                                                              \
    F(S, FLAG, stable, , "", 0, 0, 1, "the replica keeps up with the rate")                         \
    F(S, NUM, ttft_s, , "s", 0, 0, BP_ANY, "mean time to the first token; 0 when not stable")       \
    F(S, NUM, tpot_s, , "s", 0, 0, BP_ANY, "mean time per token after the first")                   \
    F(S, NUM, e2e_s, , "s", 0, 0, BP_ANY, "mean time to the last token; 0 when not stable")         \
    F(S, NUM, full_s, , "s", 0, 0, BP_ANY,                                                          \
      "from the first token to the last where all places are taken: with fewer it may take longer") \
    F(S, NUM, queue_s, , "s", 0, 0, BP_ANY, "of it, waiting for a place among the running")         \
    F(S, NUM, burst_s, , "s", 0, 0, BP_ANY,                                                         \
      "mean time to the first token of clients that all start at once")                             \
    F(S, NUM, running, , "", 0, 0, BP_ANY, "sequences that run")                                    \
    F(S, NUM, places, , "", 0, 0, BP_ANY, "sequences that can run at one time")                     \
    F(S, NUM, capacity_per_s, , "1/s", 0, 0, BP_ANY, "requests per second with all places taken")   \
    F(S, NUM, capacity_running, , "", 0, 0, BP_ANY,                                                 \
      "sequences that run then; fewer than the places where more would bring less")                 \
    F(S, NUM, capacity_places, , "", 0, 0, BP_ANY,                                                  \
      "sequences to limit an engine to for that; the places where no limit brings more")            \
    F(S, NUM, requests_per_s, , "1/s", 0, 0, BP_ANY, "requests answered per second")                \
    F(S, NUM, output_tok_s, , "tok/s", 0, 0, BP_ANY, "output tokens per second")                    \
    F(S, NUM, prompt_share, , "frac", 0, 0, BP_ANY, "share of the time that prefill takes")         \
    F(S, NUM, found_frac, , "frac", 0, 0, 1, "share of the history that a turn finds in the pool")
BP_DECLARE_STRUCT(bp_infer_load_out, BP_INFER_LOAD_OUT_FIELDS);

/* The same of a prepared case; never fails: an unstable load is said in the answer. */
void bp_infer_load_of(const struct bp_infer_case *c, const struct bp_infer_demand *demand,
                      struct bp_infer_load_out *out);

int bp_infer_load(const struct bp_infer_load_in *in, struct bp_infer_load_out *out,
                  struct bp_error *err);

#endif
