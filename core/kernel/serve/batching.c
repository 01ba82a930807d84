#include "kernel/serve/batching.h"

#include "kernel/registry.h"
#include "kernel/serve/batch_chain.h"
#include "kernel/serve/batch_times.h"

#include <math.h>

static void stable(const struct bp_batching_in *in, struct bp_batching_out *out) {
    struct bp_batch_chain chain;
    struct bp_batch_times times;
    bp_batch_chain(in, &chain);
    bp_batch_times(&chain, &times);
    out->mean_batch = 1 / (chain.waiting / (chain.mean_batch * chain.unit) + (1 - chain.waiting));
    out->service_s = bp_batch_own_s(&chain, out->mean_batch / chain.unit);
    out->utilization_frac =
        fmin(1, in->rate_per_s * out->service_s / out->mean_batch / chain.replicas);
    out->mean_s = times.mean_s;
    out->p50_s = times.p50_s;
    out->p99_s = times.p99_s;
}

int bp_batching(const struct bp_batching_in *in, struct bp_batching_out *out,
                struct bp_error *err) {
    if (in->full_s < in->one_s) {
        return bp_fail(err, BP_EDOMAIN, "full_s", "must not be below one_s (%.15g), got %.15g",
                       in->one_s, in->full_s);
    }
    out->capacity_per_s = (double)in->replicas * (double)in->max_batch / in->full_s;
    out->stable = in->rate_per_s < out->capacity_per_s;
    out->in_window = in->rate_per_s * in->window_s;
    if (out->stable) {
        stable(in, out);
        return BP_OK;
    }
    out->mean_batch = (double)in->max_batch;
    out->service_s = in->full_s;
    out->utilization_frac = 1;
    out->mean_s = out->p50_s = out->p99_s = 0;
    return BP_OK;
}

/* More than anybody has; counted exactly up to here and far beyond. */
#define MOST_REPLICAS 1e12

int bp_batch_queue(const struct bp_batch_queue_in *in, struct bp_batch_queue_out *out,
                   struct bp_error *err) {
    double replica = in->replica_per_s * in->utilization_frac;
    double every = in->every_s, burst = in->burst_s, carried, for_backlog, for_mean, spare;
    if (every > 0 && every < burst) {
        return bp_fail(err, BP_EDOMAIN, "every_s", "must not be below burst_s (%.15g), got %.15g",
                       burst, every);
    }
    if (in->burst_per_s < in->base_per_s) {
        return bp_fail(err, BP_EDOMAIN, "burst_per_s", "must not be below base_per_s (%.15g)",
                       in->base_per_s);
    }
    out->mean_per_s = every > 0
                          ? in->base_per_s + (in->burst_per_s - in->base_per_s) * burst / every
                          : in->base_per_s;
    for_backlog = burst > 0 ? in->burst_per_s * burst / (burst + in->limit_s) / replica : 0;
    /* Strictly more than the mean: at the mean itself a backlog never goes away. */
    for_mean = floor(out->mean_per_s / replica) + 1;
    out->needed = fmax(ceil(for_backlog), for_mean);
    if (out->needed > MOST_REPLICAS) {
        return bp_fail(err, BP_EDOMAIN, "replica_per_s",
                       "%.3g replicas would be needed: more than %.0g are not counted", out->needed,
                       MOST_REPLICAS);
    }
    out->bound =
        ceil(for_backlog) >= for_mean ? BP_BATCH_QUEUE_BOUND_BACKLOG : BP_BATCH_QUEUE_BOUND_MEAN;
    out->replicas = out->needed + (double)in->spares;
    out->for_peak = ceil(in->burst_per_s / replica);
    carried = out->needed * replica;
    spare = carried - in->base_per_s;
    out->backlog = fmax(0, (in->burst_per_s - carried) * burst);
    out->wait_s = out->backlog / carried;
    out->drain_s = out->backlog / spare;
    out->utilization_frac = out->mean_per_s / (out->replicas * in->replica_per_s);
    out->cost_usd_h = out->replicas * in->price_usd_h;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_batching_in, BP_BATCHING_IN_FIELDS, "batching", "requests that are batched");
BP_DEFINE_SCHEMA(bp_batching_out, BP_BATCHING_OUT_FIELDS, "batching result",
                 "batches and times of requests");
BP_DEFINE_KERNEL(
    batching, "Batches that a window collects, and the time requests take with them",
    "embedded Markov chain of the requests m that are there when a batch starts: "
    "n = min(m, max_batch) of them take one_s + (full_s - one_s) (n - 1) / (max_batch - 1), "
    "Poisson(rate service) come meanwhile; the next batch starts when the replica is free and the "
    "oldest request has waited for window_s, or max_batch are there. mean_s = requests there / "
    "rate (Little). A request takes the rest of the batch under way, full batches ahead, the rest "
    "of the window, and its own batch. max_batch 1 is M/D/1. Several replicas take batches from one "
    "queue: who finds none free (ErlangC(replicas, rate one_s)) waits as for one that is replicas "
    "times as fast; max_batch 1 is M/D/c, its mean wait that of M/D/1 at that speed times ErlangC "
    "replicas / (rate one_s) (1 + (1 - u) (c - 1) (sqrt(4 + 5 c) - 2) / (16 u c)), u = rate one_s / "
    "c; with a window all wait",
    "random arrivals, stable below max_batch / full_s; exact but for numerical parts "
    "(percentiles within 2 %) while window_s <= full_s; beyond, what a full batch left has waited "
    "as long as it does in the mean (within 3 %); batches of more than 256 are counted in 256 "
    "units, which vary more than requests (p99_s up to 6 % too long); several replicas: p99_s within "
    "10 % with batches of one or a window, else up to 20 % too short",
    "M/D/1: Pollaczek-Khinchine; batches: bulk service of Bailey 1954 and Neuts 1967 (recalled); "
    "elimination: Grassmann, Taksar and Heyman 1985; M/D/c: Cosmetatos 1975 (recalled); compared with simulations in "
    "tests/lua/batching_spec.lua");

BP_DEFINE_ENUM(bp_batch_queue_bound, BP_BATCH_QUEUE_BOUND);
BP_DEFINE_SCHEMA(bp_batch_queue_in, BP_BATCH_QUEUE_IN_FIELDS, "batch_queue",
                 "bursts into a queue that may wait");
BP_DEFINE_SCHEMA(bp_batch_queue_out, BP_BATCH_QUEUE_OUT_FIELDS, "batch_queue result",
                 "replicas that keep its backlog short");
BP_DEFINE_KERNEL(
    batch_queue, "Replicas of a batch job under a limit of its backlog",
    "needed = max(ceil(burst_per_s burst_s / (burst_s + limit_s) / replica), floor(mean_per_s / "
    "replica) + 1), replica = replica_per_s utilization_frac; backlog = (burst_per_s - needed "
    "replica) "
    "burst_s; wait_s = backlog / (needed replica); drain_s = backlog / (needed replica - "
    "base_per_s)",
    "fluid: rates are constant within the burst and after it, served in order; spares carry "
    "nothing",
    "arithmetic, as in backlog");
