/*
** Replicas of a served model under load, simulated step by step: arrivals, a router, admission into
** the KV pool, prompts cut to the token budget, decoding, preemption; replicas that start, drain and
** fail; prefill pools that hand their KV caches over. Runs of pure decode steps
** are taken in one leap.
*/
#ifndef BP_SIM_SERVING_H
#define BP_SIM_SERVING_H

#include "kernel/field.h"
#include "kernel/serve/infer_case.h"
#include "kernel/serve/infer_memory.h"
#include "kernel/status.h"
#include "serving_fleet.h"
#include "serving_load.h"
#include "times.h"

#include <stddef.h>

#define BP_SERVING_IN_FIELDS(F, S)                                                                 \
    BP_INFER_SETUP_FIELDS(F, S)                                                                    \
    F(S, STRUCT, load, bp_serving_load, "", 0, 0, 0, "what arrives")                               \
    F(S, NUM, pool_tokens, , "tok", 0, 0, 1e15,                                                    \
      "tokens the KV pool of a replica holds; 0 = from the memory")                                \
    F(S, NUM, percentile, , "", 90, 1, 99.9, "of the times, answered beside 50, 90 and 99")        \
    BP_SERVING_FLEET_FIELDS(F, S)
BP_DECLARE_STRUCT(bp_serving_in, BP_SERVING_IN_FIELDS);

#define BP_SERVING_OUT_FIELDS(F, S)                                                                \
    F(S, STRUCT, ttft, bp_spread_out, "", 0, 0, 0, "time to the first token")                      \
    F(S, STRUCT, tpot, bp_spread_out, "", 0, 0, 0, "time per token after the first")               \
    F(S, STRUCT, e2e, bp_spread_out, "", 0, 0, 0, "time to the last token")                        \
    F(S, STRUCT, queue, bp_spread_out, "", 0, 0, 0, "time until the prompt starts to run")         \
    F(S, STRUCT, transfer, bp_spread_out, "", 0, 0, 0,                                             \
      "separate pools: from the prompt's end until its KV cache has moved")                        \
    F(S, NUM, duration_s, , "s", 0, 0, BP_ANY,                                                     \
      "from the first arrival to the last answer; of a closed loop that does not count its "       \
      "drain, while there is something to ask")                                                    \
    F(S, NUM, offered_per_s, , "1/s", 0, 0, BP_ANY, "requests that arrived per second")            \
    F(S, NUM, requests_per_s, , "1/s", 0, 0, BP_ANY, "requests answered per second")               \
    F(S, NUM, output_tok_s, , "tok/s", 0, 0, BP_ANY, "output tokens per second")                   \
    F(S, NUM, total_tok_s, , "tok/s", 0, 0, BP_ANY, "input and output tokens per second")          \
    F(S, NUM, mean_running, , "", 0, 0, BP_ANY,                                                    \
      "sequences that run, mean over time, all replicas")                                          \
    F(S, NUM, busy_frac, , "frac", 0, 0, 1, "share of the replicas' time with a step running")     \
    F(S, NUM, pool_tokens, , "tok", 0, 0, BP_ANY, "tokens the KV pool of a replica holds")         \
    F(S, NUM, peak_running, , "", 0, 0, BP_ANY,                                                    \
      "sequences that ran or had their prompt computed in a replica at one time at most")          \
    F(S, NUM, pool_peak_frac, , "frac", 0, 0, BP_ANY, "fullest a pool was, cached blocks apart")   \
    F(S, NUM, cached_frac, , "frac", 0, 0, 1, "share of the prompts' tokens found in a cache")     \
    F(S, INT, preemptions, , "", 0, 0, BP_ANY, "sequences thrown out to be computed again")        \
    F(S, INT, steps, , "", 0, 0, BP_ANY, "steps of the engines")                                   \
    F(S, INT, requests, , "", 0, 0, BP_ANY, "requests simulated")                                  \
    F(S, INT, counted, , "", 0, 0, BP_ANY, "requests in the means and percentiles")                \
    BP_SERVING_FLEET_OUT_FIELDS(F, S)
BP_DECLARE_STRUCT(bp_serving_out, BP_SERVING_OUT_FIELDS);

/* What a load does not say in numbers of its own. All but count may be absent. */
struct bp_serving_source {
    size_t count;                     /* requests of the run */
    const struct bp_request *trace;   /* instead of drawn ones: from its first arrival on, sorted */
    const struct bp_request *samples; /* lengths to draw from */
    size_t sample_count;
    const double *rates; /* of a period, in equal slots, relative to each other */
    size_t rate_count;   /* BP_DAY_SLOTS at most */
    /* Prefix blocks of the trace: request i begins with blocks[first[i] .. first[i + 1]). */
    const int32_t *blocks; /* numbered from 0 */
    const size_t *first;
    size_t distinct; /* block numbers */
};

/* Requests of a run where no trace says. */
size_t bp_serving_requests(const struct bp_serving_load *load);

/* Bytes of the block of memory a run needs. */
size_t bp_serving_bytes(const struct bp_serving_in *in, const struct bp_serving_source *source);

struct bp_serving_work;

/*
** The parts of bp_serving_run, so that a caller can stop in between: opens a run in `memory`; goes on for
** so many events, 0 when it is over; closes it.
*/
int bp_serving_open(const struct bp_serving_in *in, const struct bp_serving_source *source,
                    void *memory, struct bp_serving_work **work, struct bp_error *err);
int bp_serving_go(struct bp_serving_work *work, size_t events);
void bp_serving_close(struct bp_serving_work *work, struct bp_serving_out *out,
                      const struct bp_request **answered);

/*
** Simulates. `memory` has bp_serving_bytes() bytes, aligned for a double. Afterwards *answered is the
** requests inside memory, in order of arrival (sessions: turn by turn). Errors: what bp_infer_prepare
** says; BP_EDOMAIN when the model or a request has no room; BP_EPLAN for parts that exclude each other.
*/
int bp_serving_run(const struct bp_serving_in *in, const struct bp_serving_source *source,
                   void *memory, struct bp_serving_out *out, const struct bp_request **answered,
                   struct bp_error *err);

#endif
