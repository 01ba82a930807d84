/* Batching in front of a device: what a window collects, and how long requests take with it. */
#ifndef BP_KERNEL_BATCHING_H
#define BP_KERNEL_BATCHING_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_BATCHING_IN_FIELDS(F, S)                                                                \
    F(S, NUM, rate_per_s, , "1/s", BP_REQUIRED, 1e-9, 1e15, "requests that come to all replicas")  \
    F(S, NUM, window_s, , "s", 0, 0, 1e6, "longest time the first request of a batch waits")       \
    F(S, INT, max_batch, , "", BP_REQUIRED, 1, 1e9, "requests of one batch at most")               \
    F(S, NUM, one_s, , "s", BP_REQUIRED, 1e-9, 1e6, "time of a batch of one")                      \
    F(S, NUM, full_s, , "s", BP_REQUIRED, 1e-9, 1e6, "time of a full batch")                       \
    F(S, INT, replicas, , "", 1, 1, 1e9, "that take batches from one queue")
BP_DECLARE_STRUCT(bp_batching_in, BP_BATCHING_IN_FIELDS);

#define BP_BATCHING_OUT_FIELDS(F, S)                                                               \
    F(S, NUM, capacity_per_s, , "1/s", 0, 0, BP_ANY, "requests per second in full batches")        \
    F(S, FLAG, stable, , "", 0, 0, 1, "the rate is below that")                                    \
    F(S, NUM, in_window, , "", 0, 0, BP_ANY, "requests that come in the window")                   \
    F(S, NUM, mean_batch, , "", 0, 0, BP_ANY, "requests of a batch; full when not stable")         \
    F(S, NUM, service_s, , "s", 0, 0, BP_ANY, "time of such a batch")                              \
    F(S, NUM, utilization_frac, , "frac", 0, 0, 1, "share of the time a replica works")            \
    F(S, NUM, mean_s, , "s", 0, 0, BP_ANY, "mean time of a request; 0 when not stable")            \
    F(S, NUM, p50_s, , "s", 0, 0, BP_ANY, "what half of them keep; 0 when not stable")             \
    F(S, NUM, p99_s, , "s", 0, 0, BP_ANY, "what 99 in 100 keep; 0 when not stable")
BP_DECLARE_STRUCT(bp_batching_out, BP_BATCHING_OUT_FIELDS);

int bp_batching(const struct bp_batching_in *in, struct bp_batching_out *out, struct bp_error *err);

#define BP_BATCH_QUEUE_IN_FIELDS(F, S)                                                             \
    F(S, NUM, base_per_s, , "1/s", BP_REQUIRED, 0, 1e15, "rate outside of bursts")                 \
    F(S, NUM, burst_per_s, , "1/s", BP_REQUIRED, 0, 1e15, "rate during a burst")                   \
    F(S, NUM, burst_s, , "s", BP_REQUIRED, 0, 1e9, "how long a burst lasts")                       \
    F(S, NUM, every_s, , "s", 0, 0, 1e9, "from one burst to the next; 0 = it comes once")          \
    F(S, NUM, replica_per_s, , "1/s", BP_REQUIRED, 1e-9, 1e15, "what one replica works off")       \
    F(S, NUM, limit_s, , "s", BP_REQUIRED, 0, 1e9, "longest backlog, as the time to work it off")  \
    F(S, NUM, utilization_frac, , "frac", 1, 0.01, 1, "share of a replica to plan with")           \
    F(S, INT, spares, , "", 0, 0, 1e6, "replicas that may fail in the burst (N+1: 1)")             \
    F(S, NUM, price_usd_h, , "USD/h", 0, 0, 1e6, "one replica for one hour; 0 = not asked")
BP_DECLARE_STRUCT(bp_batch_queue_in, BP_BATCH_QUEUE_IN_FIELDS);

#define BP_BATCH_QUEUE_BOUND(E)                                                                    \
    E(BP_BATCH_QUEUE_BOUND_BACKLOG, "backlog")                                                     \
    E(BP_BATCH_QUEUE_BOUND_MEAN, "mean")
BP_DECLARE_ENUM(bp_batch_queue_bound, BP_BATCH_QUEUE_BOUND);

#define BP_BATCH_QUEUE_OUT_FIELDS(F, S)                                                            \
    F(S, NUM, mean_per_s, , "1/s", 0, 0, BP_ANY, "mean rate, bursts included")                     \
    F(S, NUM, needed, , "", 0, 0, BP_ANY, "replicas that keep the limit and catch up")             \
    F(S, NUM, replicas, , "", 0, 0, BP_ANY, "with spares")                                         \
    F(S, NUM, for_peak, , "", 0, 0, BP_ANY, "replicas without any backlog")                        \
    F(S, ENUM, bound, bp_batch_queue_bound, "", 0, 0, 0,                                           \
      "the backlog in the burst, or the mean rate")                                                \
    F(S, NUM, backlog, , "", 0, 0, BP_ANY, "requests waiting when a burst ends, spares lost")      \
    F(S, NUM, wait_s, , "s", 0, 0, BP_ANY, "wait of the last one of them")                         \
    F(S, NUM, drain_s, , "s", 0, 0, BP_ANY, "until the queue is empty again")                      \
    F(S, NUM, utilization_frac, , "frac", 0, 0, BP_ANY, "mean rate over what all replicas do")     \
    F(S, NUM, cost_usd_h, , "USD/h", 0, 0, BP_ANY, "all replicas for one hour")
BP_DECLARE_STRUCT(bp_batch_queue_out, BP_BATCH_QUEUE_OUT_FIELDS);

int bp_batch_queue(const struct bp_batch_queue_in *in, struct bp_batch_queue_out *out,
                   struct bp_error *err);

#endif
