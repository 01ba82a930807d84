/* What arrives at a fleet: when, how long, in which sessions; and the requests drawn from it. */
#ifndef BP_SIM_SERVING_LOAD_H
#define BP_SIM_SERVING_LOAD_H

#include "kernel/field.h"

#include <stddef.h>
#include <stdint.h>

#define BP_ARRIVALS(E)                                                                             \
    E(BP_ARRIVALS_CLOSED, "closed")                                                                \
    E(BP_ARRIVALS_OPEN, "open")                                                                    \
    E(BP_ARRIVALS_DIURNAL, "diurnal")
BP_DECLARE_ENUM(bp_arrivals, BP_ARRIVALS);

#define BP_LENGTHS(E)                                                                              \
    E(BP_LENGTHS_FIXED, "fixed")                                                                   \
    E(BP_LENGTHS_UNIFORM, "uniform")                                                               \
    E(BP_LENGTHS_LOGNORMAL, "lognormal")                                                           \
    E(BP_LENGTHS_EXPONENTIAL, "exponential")                                                       \
    E(BP_LENGTHS_EMPIRICAL, "empirical")
BP_DECLARE_ENUM(bp_lengths, BP_LENGTHS);

/* Slots of a period in which the rate is one number: every minute of a day. */
enum { BP_DAY_SLOTS = 1440 };

/*
** closed: `concurrency` clients, each sends its next request when it has its answer and has thought;
** without `think_s` and `ramp_s` all start at once. open: requests at `rate`, gaps gamma distributed with
** coefficient of variation `burstiness`. diurnal: the same with a rate that goes through a period. Of a
** session the later turns come `think_s` after the answer before them, and their prompts hold all that
** was said.
*/
#define BP_SERVING_LOAD_FIELDS(F, S)                                                               \
    F(S, ENUM, arrivals, bp_arrivals, "", BP_ARRIVALS_CLOSED, 0, 0,                                \
      "closed loop, open at one rate, or at a rate that changes over the day")                     \
    F(S, NOTE, protocol, , "", 0, 0, 0,                                                            \
      "closed loop: the benchmark whose client sends it, inferencex: lengths uniform from 0.8 L "  \
      "to L, ten requests per client, all in one Python loop")                                     \
    F(S, NOTE, client, , "", 0, 0, 0,                                                              \
      "what sends: python (one loop that costs as much as the front end), or light (processes of " \
      "its own); blank: light in closed loops without a protocol")                                 \
    F(S, INT, concurrency, , "", 1, 1, 1e6, "closed loop: clients")                                \
    F(S, NUM, rate_per_s, , "1/s", 1, 1e-9, 1e9, "open, diurnal: requests per second, mean")       \
    F(S, NUM, burstiness, , "", 1, 0.01, 100,                                                      \
      "open: deviation over mean of the gaps; 1 = Poisson")                                        \
    F(S, NUM, peak_over_mean, , "", 2, 1, 20, "diurnal: highest rate over the mean")               \
    F(S, NUM, period_s, , "s", 86400, 1, 1e9, "diurnal: after which the rates come again")         \
    F(S, INT, requests, , "", 0, 0, 1e8,                                                           \
      "requests in all; 0 = ten, or ten sessions, per client, of lengths that differ 1000, of "    \
      "clients that think 10000, at least; 1000 when open, a period when diurnal")                 \
    F(S, FLAG, drains, , "", 0, 0, 1,                                                              \
      "closed loop: rates count all of the run, with its start and with its end, when clients "    \
      "have nothing more to ask, as those of a protocol do; else only between (of four requests, " \
      "or sessions, per client at least)")                                                         \
    F(S, INT, skip, , "", 0, 0, 1e8, "first requests that no mean counts")                         \
    F(S, NUM, trim_frac, , "frac", 0, 0, 0.45,                                                     \
      "share of the arrivals at the start, and at the end, that no mean and no rate counts")       \
    F(S, ENUM, lengths, bp_lengths, "", BP_LENGTHS_FIXED, 0, 0, "how lengths are drawn")           \
    F(S, NUM, input_tokens, , "tok", 1024, 1, 1e9, "prompt: mean; of uniform lengths the longest") \
    F(S, NUM, output_tokens, , "tok", 1024, 1, 1e9,                                                \
      "answer: mean; of uniform lengths the longest")                                              \
    F(S, NUM, spread, , "", 0.8, 0, 10,                                                            \
      "uniform: shortest over longest; lognormal: deviation of the logarithm")                     \
    F(S, NUM, prefix_tokens, , "tok", 0, 0, 1e9,                                                   \
      "first tokens of a prompt that are in the cache already")                                    \
    F(S, NUM, shared_tokens, , "tok", 0, 0, 1e9,                                                   \
      "of these, the first that all prompts begin with, which a KV pool holds once (all of them "  \
      "in what is asked by serve{} unless said); not of sessions, of traces with blocks, nor "     \
      "where another replica computes prompts")                                                    \
    F(S, INT, turns, , "", 1, 1, 10000, "requests of a session, each with the history before it")  \
    F(S, NUM, think_s, , "s", 0, 0, 1e9,                                                           \
      "from an answer to the client's next request, and before its first; mean of an exponential") \
    F(S, NUM, ramp_s, , "s", 0, 0, 1e9,                                                            \
      "closed loop: clients begin one by one, at random over so long; 0 = all at once")            \
    F(S, NUM, speed, , "", 1, 1e-6, 1e6, "of a trace: its clock runs so many times as fast")       \
    F(S, NUM, block_tokens, , "tok", 512, 1, 1e6, "tokens of one prefix block of a trace")         \
    F(S, INT, seed, , "", 1, 0, 1e15, "of the random numbers")
BP_DECLARE_STRUCT(bp_serving_load, BP_SERVING_LOAD_FIELDS);

/* One request; the caller may give arrivals and lengths (a trace), sorted by arrival. */
struct bp_request {
    double arrival_s;       /* when the client sent it */
    double first_s, done_s; /* when it had the first and the last token; < 0: not yet */
    double late_s;          /* of first_s: what the engine's curve of first tokens adds to it */
    double front_s;         /* that the front end took */
    double start_s;         /* when its prompt started to run */
    double ready_s;         /* when the engine may see it; then, when its queue had it */
    double moved_s; /* when its KV could go to the other pool, then when it had; < 0: never */
    int64_t began, finish; /* decode steps: the last before it decodes, the one it is done at */
    int32_t input, output;
    int32_t context, left; /* tokens to compute before it decodes; answer's tokens still to come */
    int32_t done, held;    /* of context, computed so far; of the pool, since its admission */
    int32_t before, after; /* neighbours in order of admission; after: next in a line; -1 = none */
    int32_t session;       /* -1 = none */
    int32_t group;         /* of a replica that has it, or had it last; -1 = none yet */
    int32_t target;        /* group where room is promised to it; -1 = nowhere */
    int32_t cached;        /* tokens of the prompt that were in a cache when it was admitted */
    uint8_t opens;         /* arrives by itself; others follow an answer */
    uint8_t goes_on;       /* the next request is the next turn of the session */
    uint8_t whole;         /* the KV cache of its context came from another pool */
    uint8_t lost;          /* with its replica, not sent again */
    uint8_t tries;         /* times it started over */
};

struct bp_serving_source;

/* Fills source->count requests: lengths, sessions, and the arrivals unless the loop is closed. */
void bp_serving_draw(const struct bp_serving_load *load, const struct bp_serving_source *source,
                     struct bp_request *requests);

/*
** The diurnal curve by minute: exp(-k cos) of the time since the quietest, with the k that has the peak
** asked for; weights of mean 1.
*/
void bp_serving_day(double peak_over_mean, double weights[BP_DAY_SLOTS]);

#endif
