/*
** Batches in front of one replica as a Markov chain: how many requests are there when a batch starts.
** Arrivals are random (Poisson), a batch of n takes one_s + slope_s (n - 1), and it starts when the
** replica is free and its oldest request has waited for the window, or it is full. What is more than
** a full batch stays.
**
** Several replicas share one queue. A request that finds all of them busy waits as for one replica that is as
** many times as fast. A request that finds one free is served alone and at once. The batch itself takes the
** time of one replica.
*/
#ifndef BP_KERNEL_BATCH_CHAIN_H
#define BP_KERNEL_BATCH_CHAIN_H

#include "kernel/serve/batching.h"

/* Larger batches are counted in units of several requests. */
#define BP_BATCH_UNITS 256
/* The last state is "so many or more": two full batches and a few. */
#define BP_BATCH_FEW 16
#define BP_BATCH_STATES (2 * BP_BATCH_UNITS + BP_BATCH_FEW + 1)

struct bp_batch_chain {
    double unit; /* requests that one unit stands for; all below is in units and seconds */
    double rate, window_s, one_s, slope_s, full_s;
    int batch, last;
    double decay;                    /* far out, one unit more is exp(-decay) times as likely */
    double batches[BP_BATCH_STATES]; /* share of the batches at whose start so many were there */
    double mean_batch, service_s;    /* units of a batch, and its time */
    double replicas;                 /* that share the queue */
    double waiting;                  /* share of requests that find no replica free */
    double
        wait_factor; /* mean wait at several replicas over that at one that is as many times as fast */
    double alone_s; /* time of a request that finds a replica free */
};

/* Shares of counts from 0 to below `count`; those outside of from to below to are zero. */
struct bp_counts {
    int from, to;
};
struct bp_counts bp_poisson(double mean, int count, double *share);

/* Requests must come more slowly than full batches leave. */
void bp_batch_chain(const struct bp_batching_in *in, struct bp_batch_chain *chain);

/* Time of a batch of so many units. */
double bp_batch_service(const struct bp_batch_chain *chain, double units);

/* The same on one of several replicas, which takes as many times as long as their common speed says. */
double bp_batch_own_s(const struct bp_batch_chain *chain, double units);

/* Share of the batches that leave nothing, and during which nobody comes until `waited_s` before their end. */
double bp_batch_first(const struct bp_batch_chain *chain, double waited_s);

/*
** How long the replica waits for company of `left` units that a full batch left, after the next one:
** for the rest of their window. The oldest of them came somewhat before, as one of a crowd that came
** in a full batch (assumption).
*/
double bp_batch_company_s(const struct bp_batch_chain *chain, double left);

#endif
