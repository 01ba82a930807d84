/* How many replicas a load takes: rates, capacity of a replica, fleets, backlogs. */
#ifndef BP_KERNEL_FLEET_H
#define BP_KERNEL_FLEET_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_LOAD_IN_FIELDS(F, S)                                                                    \
    F(S, NUM, average_per_s, , "1/s", 0, 0, 1e15, "mean request rate; 0 = from users")             \
    F(S, NUM, users, , "", 0, 0, 1e12, "people (or devices) who may send; 0 = from average_per_s") \
    F(S, NUM, active_frac, , "frac", 1, 0, 1, "share of them active at one time")                  \
    F(S, NUM, interval_s, , "s", 0, 0, 1e9, "time between two requests of an active one")          \
    F(S, NUM, peak_ratio, , "", BP_REQUIRED, 1, 1000,                                              \
      "peak over mean rate, 1 when the rate given is the peak")                                    \
    F(S, NUM, window_s, , "s", 0, 0, 1e6, "time a batch is collected; 0 = not asked")
BP_DECLARE_STRUCT(bp_load_in, BP_LOAD_IN_FIELDS);

#define BP_LOAD_OUT_FIELDS(F, S)                                                                   \
    F(S, NUM, average_per_s, , "1/s", 0, 0, BP_ANY, "mean request rate")                           \
    F(S, NUM, peak_per_s, , "1/s", 0, 0, BP_ANY, "peak request rate")                              \
    F(S, NUM, per_day, , "1/day", 0, 0, BP_ANY, "requests in a day")                               \
    F(S, NUM, in_window, , "", 0, 0, BP_ANY, "requests that arrive in the window at the peak")
BP_DECLARE_STRUCT(bp_load_out, BP_LOAD_OUT_FIELDS);

int bp_load(const struct bp_load_in *in, struct bp_load_out *out, struct bp_error *err);

#define BP_REQUEST_RULE_IN_FIELDS(F, S)                                                            \
    F(S, NUM, params, , "", BP_REQUIRED, 1, 1e16, "parameters N (of a MoE: the active ones)")      \
    F(S, NUM, tokens, , "tok", BP_REQUIRED, 1, 1e9, "tokens L that are processed together")        \
    F(S, NUM, peak_flop_s, , "FLOP/s", BP_REQUIRED, 1e6, 1e21, "dense peak of one device")         \
    F(S, NUM, mfu_frac, , "frac", BP_REQUIRED, 1e-6, 1, "share of the peak that is reached")       \
    F(S, INT, devices, , "", 1, 1, 1e6, "devices of one replica")                                  \
    F(S, NUM, bytes_per_param, , "B", 2, 0.1, 16, "stored size of a weight")                       \
    F(S, NUM, mem_bw_bytes_s, , "B/s", 0, 0, 1e18,                                                 \
      "memory bandwidth of one device; 0 = decode not asked")
BP_DECLARE_STRUCT(bp_request_rule_in, BP_REQUEST_RULE_IN_FIELDS);

#define BP_REQUEST_RULE_OUT_FIELDS(F, S)                                                           \
    F(S, NUM, flop, , "FLOP", 0, 0, BP_ANY, "forward FLOP of a request, 2 N L")                    \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of that: no answer is faster")                    \
    F(S, NUM, per_s, , "1/s", 0, 0, BP_ANY, "requests per second when nothing else limits")        \
    F(S, NUM, decode_token_s, , "s", 0, 0, BP_ANY,                                                 \
      "time to read the weights once: no token of one sequence is faster")
BP_DECLARE_STRUCT(bp_request_rule_out, BP_REQUEST_RULE_OUT_FIELDS);

int bp_request_rule(const struct bp_request_rule_in *in, struct bp_request_rule_out *out,
                    struct bp_error *err);

#define BP_REPLICAS_IN_FIELDS(F, S)                                                                \
    F(S, NUM, peak_per_s, , "1/s", BP_REQUIRED, 0, 1e15, "peak request rate")                      \
    F(S, NUM, capacity_per_s, , "1/s", BP_REQUIRED, 1e-9, 1e15,                                    \
      "what one replica serves at the SLA")                                                        \
    F(S, NUM, utilization_frac, , "frac", BP_REQUIRED, 0.01, 1,                                    \
      "share of the capacity to plan with")                                                        \
    F(S, INT, spares, , "", 0, 0, 1e6,                                                             \
      "replicas that may fail at the peak, also with a zone down (N+1: 1)")                        \
    F(S, INT, zones, , "", 1, 1, 1000,                                                             \
      "zones, filled but for one replica evenly; above 1, the rest carries the peak when one is "  \
      "lost")                                                                                      \
    F(S, NUM, loss_frac, , "frac", 0, 0, 0.99,                                                     \
      "share of the replicas that may be taken away at one time (spot)")                           \
    F(S, NUM, surge_frac, , "frac", 0, 0, 1, "extra replicas while a new version is rolled out")   \
    F(S, INT, devices_per_replica, , "", 1, 1, 1e6, "devices of one replica")                      \
    F(S, NUM, price_usd_h, , "USD/h", 0, 0, 1e6, "one device for one hour; 0 = not asked")
BP_DECLARE_STRUCT(bp_replicas_in, BP_REPLICAS_IN_FIELDS);

#define BP_REPLICAS_OUT_FIELDS(F, S)                                                               \
    F(S, NUM, exact, , "", 0, 0, BP_ANY, "replicas before rounding")                               \
    F(S, NUM, needed, , "", 0, 0, BP_ANY, "replicas that carry the peak at the target")            \
    F(S, NUM, replicas, , "", 0, 0, BP_ANY, "with zones and spares")                               \
    F(S, NUM, surge_replicas, , "", 0, 0, BP_ANY, "most replicas at one time, during a roll-out")  \
    F(S, NUM, devices, , "", 0, 0, BP_ANY, "devices of all replicas")                              \
    F(S, NUM, utilization_frac, , "frac", 0, 0, BP_ANY,                                            \
      "utilisation at the peak with all replicas up")                                              \
    F(S, NUM, cost_usd_h, , "USD/h", 0, 0, BP_ANY, "all devices for one hour")
BP_DECLARE_STRUCT(bp_replicas_out, BP_REPLICAS_OUT_FIELDS);

int bp_replicas(const struct bp_replicas_in *in, struct bp_replicas_out *out, struct bp_error *err);

#define BP_BACKLOG_IN_FIELDS(F, S)                                                                 \
    F(S, NUM, burst_per_s, , "1/s", BP_REQUIRED, 0, 1e15, "rate during the burst")                 \
    F(S, NUM, burst_s, , "s", BP_REQUIRED, 0, 1e9, "how long it lasts")                            \
    F(S, NUM, base_per_s, , "1/s", 0, 0, 1e15, "rate before and after")                            \
    F(S, NUM, capacity_per_s, , "1/s", BP_REQUIRED, 1e-9, 1e15, "what the whole fleet serves")     \
    F(S, NUM, limit_s, , "s", 0, 0, 1e9, "longest wait that is acceptable; 0 = not asked")
BP_DECLARE_STRUCT(bp_backlog_in, BP_BACKLOG_IN_FIELDS);

#define BP_BACKLOG_OUT_FIELDS(F, S)                                                                \
    F(S, NUM, backlog, , "", 0, 0, BP_ANY, "requests waiting when the burst ends")                 \
    F(S, NUM, wait_s, , "s", 0, 0, BP_ANY, "wait of the last one of them")                         \
    F(S, NUM, drain_s, , "s", 0, 0, BP_ANY, "until the queue is empty again")                      \
    F(S, FLAG, within_limit, , "", 0, 0, 1, "wait_s keeps limit_s (or none was given)")            \
    F(S, NUM, capacity_needed_per_s, , "1/s", 0, 0, BP_ANY, "least capacity that keeps limit_s")
BP_DECLARE_STRUCT(bp_backlog_out, BP_BACKLOG_OUT_FIELDS);

int bp_backlog(const struct bp_backlog_in *in, struct bp_backlog_out *out, struct bp_error *err);

#endif
