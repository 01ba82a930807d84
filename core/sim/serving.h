/*
** A serving replica under load, simulated step by step: arrivals, admission into the KV pool, prompts
** cut to the token budget, decoding, preemption. Runs of pure decode steps are taken in one leap.
*/
#ifndef BP_SIM_SERVING_H
#define BP_SIM_SERVING_H

#include "kernel/field.h"
#include "kernel/infer_case.h"
#include "kernel/infer_memory.h"
#include "kernel/status.h"

#include <stddef.h>

#define BP_ARRIVALS(E)                                                                             \
    E(CLOSED, "closed")                                                                            \
    E(OPEN, "open")
enum bp_arrivals { BP_ARRIVALS_CLOSED, BP_ARRIVALS_OPEN };
extern const char *const bp_arrivals_names[];

#define BP_LENGTHS(E)                                                                              \
    E(FIXED, "fixed")                                                                              \
    E(UNIFORM, "uniform")                                                                          \
    E(LOGNORMAL, "lognormal")                                                                      \
    E(EXPONENTIAL, "exponential")
enum bp_lengths {
    BP_LENGTHS_FIXED,
    BP_LENGTHS_UNIFORM,
    BP_LENGTHS_LOGNORMAL,
    BP_LENGTHS_EXPONENTIAL
};
extern const char *const bp_lengths_names[];

/*
** closed: `concurrency` clients, each sends its next request when it has its answer; all start at
** once. open: requests at `rate`, gaps gamma distributed with coefficient of variation `burstiness`.
*/
#define BP_SERVING_LOAD_FIELDS(F, S)                                                               \
    F(S, ENUM, arrivals, bp_arrivals, "", BP_ARRIVALS_CLOSED, 0, 0, "closed loop or open")         \
    F(S, INT, concurrency, , "", 1, 1, 1e6, "closed loop: clients")                                \
    F(S, NUM, rate_per_s, , "1/s", 1, 1e-9, 1e9, "open: requests per second")                      \
    F(S, NUM, burstiness, , "", 1, 0.01, 100,                                                      \
      "open: deviation over mean of the gaps; 1 = Poisson")                                        \
    F(S, INT, requests, , "", 0, 0, 1e8, "requests in all; 0 = ten per client, 1000 when open")    \
    F(S, INT, skip, , "", 0, 0, 1e8, "first requests that no mean counts")                         \
    F(S, ENUM, lengths, bp_lengths, "", BP_LENGTHS_FIXED, 0, 0, "how lengths are drawn")           \
    F(S, NUM, input_tokens, , "tok", 1024, 1, 1e9, "prompt: mean; of uniform lengths the longest") \
    F(S, NUM, output_tokens, , "tok", 1024, 1, 1e9,                                                \
      "answer: mean; of uniform lengths the longest")                                              \
    F(S, NUM, spread, , "", 0.8, 0, 10,                                                            \
      "uniform: shortest over longest; lognormal: deviation of the logarithm")                     \
    F(S, NUM, prefix_tokens, , "tok", 0, 0, 1e9,                                                   \
      "first tokens of a prompt that are in the cache already")                                    \
    F(S, NUM, think_s, , "s", 0, 0, 1e9, "closed loop: time from an answer to the next request")   \
    F(S, INT, seed, , "", 1, 0, 1e15, "of the random numbers")
BP_DECLARE_STRUCT(bp_serving_load, BP_SERVING_LOAD_FIELDS);

#define BP_SERVING_IN_FIELDS(F, S)                                                                 \
    BP_INFER_SETUP_FIELDS(F, S)                                                                    \
    F(S, STRUCT, load, bp_serving_load, "", 0, 0, 0, "what arrives")                               \
    F(S, NUM, pool_tokens, , "tok", 0, 0, 1e15, "tokens the KV pool holds; 0 = from the memory")
BP_DECLARE_STRUCT(bp_serving_in, BP_SERVING_IN_FIELDS);

#define BP_SPREAD_OUT_FIELDS(F, S)                                                                 \
    F(S, NUM, mean_s, , "s", 0, 0, BP_ANY, "mean")                                                 \
    F(S, NUM, p50_s, , "s", 0, 0, BP_ANY, "median")                                                \
    F(S, NUM, p90_s, , "s", 0, 0, BP_ANY, "90th percentile")                                       \
    F(S, NUM, p99_s, , "s", 0, 0, BP_ANY, "99th percentile")
BP_DECLARE_STRUCT(bp_spread_out, BP_SPREAD_OUT_FIELDS);

#define BP_SERVING_OUT_FIELDS(F, S)                                                                \
    F(S, STRUCT, ttft, bp_spread_out, "", 0, 0, 0, "time to the first token")                      \
    F(S, STRUCT, tpot, bp_spread_out, "", 0, 0, 0, "time per token after the first")               \
    F(S, STRUCT, e2e, bp_spread_out, "", 0, 0, 0, "time to the last token")                        \
    F(S, STRUCT, queue, bp_spread_out, "", 0, 0, 0, "time until the prompt starts to run")         \
    F(S, NUM, duration_s, , "s", 0, 0, BP_ANY, "from the first arrival to the last answer")        \
    F(S, NUM, requests_per_s, , "1/s", 0, 0, BP_ANY, "requests answered per second")               \
    F(S, NUM, output_tok_s, , "tok/s", 0, 0, BP_ANY, "tokens of answers per second")               \
    F(S, NUM, total_tok_s, , "tok/s", 0, 0, BP_ANY, "tokens of prompts and answers per second")    \
    F(S, NUM, mean_running, , "", 0, 0, BP_ANY, "sequences that run, mean over time")              \
    F(S, NUM, busy_frac, , "frac", 0, 0, 1, "share of the time with a step running")               \
    F(S, NUM, pool_tokens, , "tok", 0, 0, BP_ANY, "tokens the KV pool holds")                      \
    F(S, NUM, pool_peak_frac, , "frac", 0, 0, BP_ANY, "fullest the pool was")                      \
    F(S, INT, preemptions, , "", 0, 0, BP_ANY, "sequences thrown out to be computed again")        \
    F(S, INT, steps, , "", 0, 0, BP_ANY, "steps of the engine")                                    \
    F(S, INT, requests, , "", 0, 0, BP_ANY, "requests simulated")
BP_DECLARE_STRUCT(bp_serving_out, BP_SERVING_OUT_FIELDS);

/* One request; the caller may give arrivals and lengths (a trace), sorted by arrival. */
struct bp_request {
    double arrival_s;       /* when the client sent it */
    double first_s, done_s; /* when it had the first and the last token; < 0: not yet */
    double start_s;         /* when its prompt started to run */
    double ready_s;         /* when the engine may see it */
    int64_t began, finish;  /* decode steps: the last before it decodes, the one it is done at */
    int32_t input, output;
    int32_t context, left; /* tokens to compute before it decodes; answer's tokens still to come */
    int32_t done, held;    /* of context, computed so far; of the pool, since its admission */
    int32_t before, after; /* neighbours in order of admission, -1 = none */
};

struct bp_serving_work; /* everything a run needs, in one block of memory */

/* Requests of a run, and bytes of the block that holds them. */
size_t bp_serving_requests(const struct bp_serving_load *load);
size_t bp_serving_bytes(const struct bp_serving_in *in, size_t requests);

/*
** Simulates. `memory` has bp_serving_bytes() bytes, aligned for a double. With `trace`, `requests` of
** it replace what the load would draw. Afterwards *answered is the requests inside memory, in order of
** arrival. Errors: what bp_infer_prepare says; BP_EDOMAIN when the model or a request has no room.
*/
int bp_serving_run(const struct bp_serving_in *in, const struct bp_request *trace, size_t requests,
                   void *memory, struct bp_serving_out *out, const struct bp_request **answered,
                   struct bp_error *err);

#endif
