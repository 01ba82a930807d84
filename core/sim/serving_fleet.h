/* Many replicas of one service: who gets a request, how many run, and what happens when one fails. */
#ifndef BP_SIM_SERVING_FLEET_H
#define BP_SIM_SERVING_FLEET_H

#include "kernel/field.h"
#include "kernel/serve/infer_case.h"

/*
** LEAST_REQUESTS: fewest in flight, join the shortest queue. What ends in one step leaves a replica that looks empty
** and gets all that comes next; where lengths are equal, that ends in one step again, and such herds grow.
** TWO_CHOICES: fewer in flight of two drawn ones (Mitzenmacher, IEEE TPDS 12 (2001); Envoy's least request).
** SESSION: where the session was served last, else fewest in flight.
** PREFIX: most of the prompt in its cache, then fewest in flight.
** SHARED_QUEUE: the router holds requests until a replica has a free place.
*/
#define BP_ROUTING(E)                                                                              \
    E(BP_ROUTING_ROUND_ROBIN, "round_robin")                                                       \
    E(BP_ROUTING_LEAST_REQUESTS, "least_requests")                                                 \
    E(BP_ROUTING_TWO_CHOICES, "two_choices")                                                       \
    E(BP_ROUTING_RANDOM, "random")                                                                 \
    E(BP_ROUTING_SESSION, "session")                                                               \
    E(BP_ROUTING_PREFIX, "prefix")                                                                 \
    E(BP_ROUTING_SHARED_QUEUE, "shared_queue")
BP_DECLARE_ENUM(bp_routing, BP_ROUTING);

#define BP_SCALE_METRIC(E)                                                                         \
    E(BP_SCALE_METRIC_REQUESTS, "requests")                                                        \
    E(BP_SCALE_METRIC_QUEUE, "queue")                                                              \
    E(BP_SCALE_METRIC_RATE, "rate")
BP_DECLARE_ENUM(bp_scale_metric, BP_SCALE_METRIC);

/* Defaults of times: Kubernetes' horizontal pod autoscaler (documentation, 2025). */
#define BP_AUTOSCALE_FIELDS(F, S)                                                                  \
    F(S, ENUM, metric, bp_scale_metric, "", BP_SCALE_METRIC_REQUESTS, 0, 0,                        \
      "what is held at the target: requests in flight, those that wait, or arrivals per second")   \
    F(S, NUM, target, , "", 0, 0, 1e9, "of the metric, per replica; 0 = no autoscaling")           \
    F(S, INT, min, , "", 1, 0, 1e5, "replicas at least")                                           \
    F(S, INT, max, , "", 0, 0, 1e5, "replicas at most; 0 = those of replicas")                     \
    F(S, NUM, interval_s, , "s", 15, 0.1, 1e6, "between two readings of the metric")               \
    F(S, NUM, up_delay_s, , "s", 0, 0, 1e6, "for so long more must be wanted before more start")   \
    F(S, NUM, down_delay_s, , "s", 300, 0, 1e6, "for so long fewer must be wanted before one goes")
BP_DECLARE_STRUCT(bp_autoscale, BP_AUTOSCALE_FIELDS);

#define BP_FAILURES_FIELDS(F, S)                                                                   \
    F(S, NUM, mtbf_s, , "s", 0, 0, 1e12,                                                           \
      "mean time between failures of a replica, exponential; 0 = never")                           \
    F(S, NUM, repair_s, , "s", 600, 0, 1e9, "until it can be started again")                       \
    F(S, FLAG, lose, , "", 0, 0, 1, "requests in flight are lost; otherwise they start over")
BP_DECLARE_STRUCT(bp_failures, BP_FAILURES_FIELDS);

/*
** Prefill replicas: KV caches then move over one link that all share, once the
** replica that answers has room for them; until then they take that of the prompts to come. Layer-wise they leave
** while the prompt is computed, where there is room by its end: at least the last layer's share comes behind it.
*/
#define BP_PREFILL_POOL_FIELDS(F, S)                                                               \
    F(S, INT, replicas, , "", 0, 0, 1e5, "that only prefill; 0 = all do both")                     \
    F(S, STRUCT, plan, bp_infer_plan, "", 0, 0, 0, "of one of them")                               \
    F(S, NOTE, method, , "", 0, 0, 0,                                                              \
      "how both pools are simulated: joint, in one run with the link between them, or loops: a "   \
      "closed loop as one of each pool, blank where nothing is said of the link")                  \
    F(S, NUM, link_bytes_s, , "B/s", 5e10, 1, 1e18,                                                \
      "of all transfers to the other pool together; serve{} takes what the devices that compute "  \
      "prompts can send to other nodes")                                                           \
    F(S, NUM, link_latency_s, , "s", 0, 0, 100, "of each transfer")                                \
    F(S, FLAG, layer_wise, , "", 0, 0, 1, "a layer leaves as soon as it is computed")
BP_DECLARE_STRUCT(bp_prefill_pool, BP_PREFILL_POOL_FIELDS);

#define BP_SERVING_FLEET_FIELDS(F, S)                                                              \
    F(S, INT, replicas, , "", 1, 1, 1e5, "replicas at the start")                                  \
    F(S, ENUM, routing, bp_routing, "", BP_ROUTING_TWO_CHOICES, 0, 0, "who gets a request")        \
    F(S, NUM, start_s, , "s", 0, 0, 1e7,                                                           \
      "from the order of a replica until it serves: machine, image, weights, graphs")              \
    F(S, STRUCT, autoscale, bp_autoscale, "", 0, 0, 0, "how many run")                             \
    F(S, STRUCT, failures, bp_failures, "", 0, 0, 0, "how they fail")                              \
    F(S, STRUCT, prefill_pool, bp_prefill_pool, "", 0, 0, 0, "disaggregated prefill and decode")

#define BP_SERVING_FLEET_OUT_FIELDS(F, S)                                                          \
    F(S, NUM, replica_s, , "s", 0, 0, BP_ANY,                                                      \
      "time of replicas that is paid: from the order until they are off, failures included")       \
    F(S, NUM, busy_s, , "s", 0, 0, BP_ANY, "time of replicas with a step running")                 \
    F(S, NUM, prefill_replica_s, , "s", 0, 0, BP_ANY, "of replica_s, the prefill pool")            \
    F(S, NUM, mean_replicas, , "", 0, 0, BP_ANY, "replicas that are paid, mean over time")         \
    F(S, INT, peak_replicas, , "", 0, 0, BP_ANY, "replicas that were paid at one time at most")    \
    F(S, INT, starts, , "", 0, 0, BP_ANY, "replicas ordered during the run")                       \
    F(S, INT, failed, , "", 0, 0, BP_ANY, "failures of replicas")                                  \
    F(S, INT, retried, , "", 0, 0, BP_ANY, "requests that started over after a failure")           \
    F(S, INT, lost, , "", 0, 0, BP_ANY, "requests lost with a replica")                            \
    F(S, NUM, link_busy_frac, , "frac", 0, 0, 1, "share of the time the pools' link was in use")

#endif
