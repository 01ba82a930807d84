/*
** What is in the steps of a replica under a load, counted in its steps and not in seconds: how many prompts begin in one,
** how they share a budget, and what such steps take by bp_infer_time.
*/
#ifndef BP_KERNEL_FLOW_H
#define BP_KERNEL_FLOW_H

#include "kernel/serve/infer_case.h"
#include "kernel/serve/infer_session.h"

/* Share of an answer that a running sequence has said in the mean: arithmetic. */
#define BP_FLOW_SAID 0.5

/* Share of the pool that stays free for sequences that run when a new one asks (vLLM's watermark). */
#define BP_FLOW_WATERMARK 0.01

/* What a load is, apart from what serves it. pool_tokens is above 0. */
struct bp_infer_demand {
    double concurrency, rate_per_s, input, output, length_cv, pool_tokens;
    double input_cv;  /* deviation over mean of the prompts' lengths */
    double one_token; /* share of the answers that end with their prompt */
    double prefix;    /* tokens of the input that are in the cache already, history apart */
    double shared;    /* of these, what all prompts begin with: no room of a sequence's own */
    double beside;    /* tokens whose room a sequence takes beside its own, as in bp_infer_room */
    struct bp_infer_session session;
};

/* A replica in units of its steps. */
struct bp_flow {
    double steps;   /* of decoding that an answer takes */
    double fresh;   /* tokens of a prompt that are computed; again where sequences are thrown out */
    double prompts; /* computed for a request: 1, and those of sequences thrown out */
    double groups;  /* of attention: each has its part of budget, places and pool for itself */
    double budget;  /* tokens of a step */
    double rows;    /* of the budget that a decoding sequence takes */
    double wait;    /* steps that prompts wait for company */
    double memoryless; /* how much of the way the answers are from one length to exponential ones */
    double places;
    double room;       /* sequences that run at one time at most, whatever the memory */
    double one_token;  /* share of the answers that end with their prompt */
    double at_once;    /* prompts let in together, in the mean of those times that any is */
    double follow;     /* length of those behind the first of them, over the mean of all */
    double spread2;    /* square of the deviation over mean of the prompts' lengths */
    double none;       /* share of the prompts that are in the cache but for their last token */
    double begin, end; /* sequences that run as those grow out of the pool which began together */
    int cut;           /* prompts are cut to fit the budget */
    int varied;        /* lengths differ: prompts come one by one */
};

/*
** How places are taken: `pool` tokens are shared by them, INFINITY where they never lack memory; `crowded`: memory decides
** when a prompt is let in, and which with it.
*/
struct bp_flow_room {
    double places, pool;
    int crowded;
};

/* Tokens of a prompt that are computed; its last one always is. */
double bp_infer_fresh(const struct bp_infer_demand *d);

/* Mean answer of the sequences that run at one time: a long one is met more often (length-biased sampling). */
double bp_infer_met_output(const struct bp_infer_demand *d);

/* Tokens of the pool that a running sequence holds in the mean. */
double bp_infer_held(const struct bp_infer_case *c, const struct bp_infer_demand *d);

/* What it holds as it is let in, where memory is taken on demand. */
double bp_flow_prompt_room(const struct bp_infer_demand *d);

/* What it holds at its end. */
double bp_flow_whole_room(const struct bp_infer_demand *d);

/* Sequences that the pool has room for at one time, as a number that need not be whole. */
double bp_flow_fit(const struct bp_infer_case *c, const struct bp_infer_demand *d);

/* Tokens of the pool with which so many fit. */
double bp_flow_pool_for(const struct bp_infer_case *c, const struct bp_infer_demand *d, double fit);

/* What a load is in steps of a replica whose places are taken like this. */
struct bp_flow bp_flow_of(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                          const struct bp_flow_room *room);

/* Prompts that memory lets in together, in the mean of those times that any is; each needs so many tokens. */
double bp_flow_let_in(const struct bp_infer_demand *d, double need);

/* Requests whose prompts a step holds beside so many that decode. */
double bp_flow_prompts(const struct bp_flow *f, double decoding);

/* Prompts of one length that a step holds whole, where they are cut to the budget. */
double bp_flow_whole_held(const struct bp_flow *f, double held);

/* Steps that prompts take which are let in together, into one group, where a step of all groups holds so many. */
double bp_flow_steps_of(const struct bp_flow *f, double held);

/* The same of a Poisson number of prompts with this mean, none of which take none. */
double bp_flow_steps_of_some(const struct bp_flow *f, double prompts, double held);

/* Places with which never more decode than a captured graph holds. */
double bp_flow_graph_places(const struct bp_infer_case *c);

/* Seconds of a step without prompts, `most` places taken, of which `each` become free in a step. */
double bp_flow_plain(const struct bp_infer_case *c, const struct bp_flow *f, double most,
                     double each, double context);

/* Of a step with so many pieces of prompts, alike, whose tokens look back on `seen` others of their sequence. */
double bp_flow_whole(const struct bp_infer_case *c, const struct bp_flow *f, double pieces,
                     double tokens, double seen, double decoding, double context);

/*
** Of a step with prompts of `each` requests in the mean, whose number and lengths differ. company: the chance that
** others wait when one is cut.
*/
double bp_flow_with_prompts(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                            const struct bp_flow *f, double each, double company, double decoding,
                            double context);

/* Of a step with a part of one prompt, or all of it, that is alone in it. */
double bp_flow_with_one(const struct bp_infer_case *c, const struct bp_infer_demand *d,
                        const struct bp_flow *f, double part, double decoding, double context);

#endif
