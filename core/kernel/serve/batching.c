#include "kernel/serve/batching.h"

#include "kernel/registry.h"

#include <math.h>

/* What one more request adds to a batch. */
static double slope_of(const struct bp_batching_in *in) {
    return in->max_batch > 1 ? (in->full_s - in->one_s) / ((double)in->max_batch - 1) : 0;
}

/* Between a batch of one and a full one, time is taken as a straight line. */
static double service(const struct bp_batching_in *in, double batch) {
    return in->max_batch > 1 ? in->one_s + slope_of(in) * (batch - 1) : in->full_s;
}

/*
** A replica that is always busy takes what came during the last batch: b = rate service(b), with its
** solution on the line; below one request it waits for them.
*/
static double busy_batch(const struct bp_batching_in *in) {
    double slope = slope_of(in);
    return in->rate_per_s * (in->one_s - slope) / (1 - in->rate_per_s * slope);
}

/*
** Batches without a pause: each is what came during the one before, b' ~ Poisson(rate service(b)), so
** that their variance is b / (1 - (rate slope)^2). Most requests are in the larger ones. One that comes
** early in a batch waits for all of it and then for its own: twice a service time, and for the unlucky
** hundredth two standard deviations of two neighbours more (counted in simulations,
** tests/lua/inference_spec.lua). In the mean it waits for half of the batch before.
*/
#define MEAN_SERVICES 1.5
#define UNLUCKY 2.0
#define UNLUCKY_SHARE 0.01

static void always_busy(const struct bp_batching_in *in, struct bp_batching_out *out) {
    double feedback = in->rate_per_s * slope_of(in);
    double variance = out->mean_batch / (1 - feedback * feedback);
    double larger = fmin((double)in->max_batch, out->mean_batch + variance / out->mean_batch);
    double spread = slope_of(in) * sqrt(variance * 2 * (1 + feedback));
    out->mean_s = MEAN_SERVICES * service(in, larger);
    out->p99_s = 2 * out->service_s + UNLUCKY * spread;
}

/*
** Share of the time in service. Where the window is over before a batch is, the next one starts at once unless
** nobody came meanwhile (exp(-rate service)); then the replica waits for a request and its window. A batch is what
** comes from start to start, found by repeating (a hundred times, assumption: beyond what a full batch needs).
*/
#define REPEATS 100

static double busy_share(const struct bp_batching_in *in, const struct bp_batching_out *out) {
    double rate = in->rate_per_s, batch = 1;
    int i;
    if (in->window_s >= out->service_s) {
        return fmin(1, rate * out->service_s / out->mean_batch);
    }
    for (i = 0; i < REPEATS; i++) {
        double came = rate * service(in, batch);
        batch = fmin((double)in->max_batch, came + exp(-came) * (1 + rate * in->window_s));
    }
    return fmin(1, rate * service(in, batch) / batch);
}

/*
** The window collects 1 + rate window requests. Where a batch takes longer than that, those that come
** meanwhile are the next one: collecting takes as long as serving.
*/
static void stable(const struct bp_batching_in *in, struct bp_batching_out *out) {
    double full = (double)in->max_batch, rate = in->rate_per_s;
    double windowed = fmin(full, 1 + rate * in->window_s), busy = busy_batch(in);
    double batch = fmin(full, fmax(windowed, busy));
    double collect;
    out->mean_batch = batch;
    out->service_s = service(in, batch);
    out->utilization_frac = busy_share(in, out);
    if (busy > windowed) {
        always_busy(in, out);
        return;
    }
    collect = (windowed - 1) / rate;
    out->mean_s = collect / 2 + out->service_s;
    out->p99_s = collect + out->service_s;
    if (in->window_s < out->service_s) {
        /* Ready batches meet one in service: half of it in the mean, nearly all of it in the worst. */
        double met = fmin(1, rate * out->service_s / batch);
        out->mean_s += met * out->service_s / 2;
        out->p99_s += fmax(0, 1 - UNLUCKY_SHARE / met) * out->service_s;
    }
}

int bp_batching(const struct bp_batching_in *in, struct bp_batching_out *out,
                struct bp_error *err) {
    if (in->full_s < in->one_s) {
        return bp_fail(err, BP_EDOMAIN, "full_s", "must not be below one_s (%.15g), got %.15g",
                       in->one_s, in->full_s);
    }
    out->capacity_per_s = (double)in->max_batch / in->full_s;
    out->stable = in->rate_per_s < out->capacity_per_s;
    out->in_window = in->rate_per_s * in->window_s;
    if (out->stable) {
        stable(in, out);
        return BP_OK;
    }
    out->mean_batch = (double)in->max_batch;
    out->service_s = in->full_s;
    out->utilization_frac = 1;
    out->mean_s = out->p99_s = 0;
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
    "service(b) on the line from one_s at 1 to full_s at max_batch; b = min(max_batch, max(1 + "
    "rate window, rate service(b))); mean_s = collect / 2 + meeting + service, collect = (b - 1) / "
    "rate; without a pause between batches mean_s = 1.5 service of a batch as requests see it, "
    "p99_s = 2 service + 2 standard deviations of two batches; utilization_frac = rate service / b "
    "of the "
    "b = rate service(b) + exp(-rate service(b)) (1 + rate window)",
    "one replica, random arrivals, no burst longer than a batch; within a sixth of a simulation",
    "arithmetic; compared with a simulation in tests/lua/inference_spec.lua");

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
