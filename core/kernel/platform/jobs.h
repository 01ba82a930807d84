/* A platform's jobs: what classes of them take per day, sweeps, budgets, batch throughput. */
#ifndef BP_KERNEL_JOBS_H
#define BP_KERNEL_JOBS_H

#include "kernel/field.h"
#include "kernel/status.h"

#define BP_JOBS_IN_FIELDS(F, S)                                                                    \
    F(S, NUM, rate_per_s, , "1/s", BP_REQUIRED, 0, 1e12, "jobs started per second: per_day(50)")   \
    F(S, NUM, duration_s, , "s", BP_REQUIRED, 0, 1e10, "mean duration of one")                     \
    F(S, NUM, devices_per_job, , "", 1, 0, 1e7, "devices (or CPU cores) one holds")                \
    F(S, NUM, utilization_frac, , "frac", 1, 0.01, 1, "share of the devices to plan with")         \
    F(S, NUM, burst, , "", 1, 1, 1000, "busiest time over mean")                                   \
    F(S, NUM, activities_per_job, , "", 1, 0, 1e9, "workflow activities (tasks) of one job")
BP_DECLARE_STRUCT(bp_jobs_in, BP_JOBS_IN_FIELDS);

#define BP_JOBS_OUT_FIELDS(F, S)                                                                   \
    F(S, NUM, concurrent, , "", 0, 0, BP_ANY, "jobs that run at one time (Little's law)")          \
    F(S, NUM, sustained_devices, , "", 0, 0, BP_ANY, "devices busy on average")                    \
    F(S, NUM, planned_devices, , "", 0, 0, BP_ANY, "devices at the utilisation target")            \
    F(S, NUM, burst_devices, , "", 0, 0, BP_ANY, "devices at the target in the busiest time")      \
    F(S, NUM, device_s_per_day, , "device s", 0, 0, BP_ANY, "device time of a day's jobs")         \
    F(S, NUM, starts_per_s, , "1/s", 0, 0, BP_ANY, "starts per second")                            \
    F(S, NUM, activities_per_s, , "1/s", 0, 0, BP_ANY, "workflow activities per second")
BP_DECLARE_STRUCT(bp_jobs_out, BP_JOBS_OUT_FIELDS);

int bp_jobs(const struct bp_jobs_in *in, struct bp_jobs_out *out, struct bp_error *err);

#define BP_SWEEP_METHOD(E)                                                                         \
    E(BP_SWEEP_METHOD_TRIALS, "trials")                                                            \
    E(BP_SWEEP_METHOD_GRID, "grid")                                                                \
    E(BP_SWEEP_METHOD_HALVING, "halving")
BP_DECLARE_ENUM(bp_sweep_method, BP_SWEEP_METHOD);

#define BP_SWEEP_SIZE_IN_FIELDS(F, S)                                                              \
    F(S, ENUM, method, bp_sweep_method, "", BP_SWEEP_METHOD_TRIALS, 0, 0,                          \
      "trials (random, Bayesian), grid, or successive halving")                                    \
    F(S, INT, trials, , "", 0, 0, 1e12, "trials that are started (trials, halving)")               \
    F(S, INT, parameters, , "", 0, 0, 64, "parameters of a grid")                                  \
    F(S, INT, values, , "", 0, 0, 1e6, "values of each")                                           \
    F(S, NUM, trial_device_s, , "device s", BP_REQUIRED, 0, 1e12, "device time of one full trial") \
    F(S, NUM, pruned_frac, , "frac", 0, 0, 1, "share of the trials that is stopped early")         \
    F(S, NUM, pruned_at_frac, , "frac", 1, 0, 1,                                                   \
      "share of a full trial that a stopped one has run")                                          \
    F(S, INT, eta, , "", 3, 2, 100, "halving: one in eta goes on, eta times as long")              \
    F(S, NUM, first_frac, , "frac", 0, 0, 1,                                                       \
      "halving: share of a full trial that every trial runs; 0 = one over the trials")
BP_DECLARE_STRUCT(bp_sweep_size_in, BP_SWEEP_SIZE_IN_FIELDS);

#define BP_SWEEP_SIZE_OUT_FIELDS(F, S)                                                             \
    F(S, NUM, trials, , "", 0, 0, BP_ANY, "trials that are started")                               \
    F(S, NUM, full_device_s, , "device s", 0, 0, BP_ANY,                                           \
      "device time if every trial ran to its end")                                                 \
    F(S, NUM, device_s, , "device s", 0, 0, BP_ANY, "device time with early stops")                \
    F(S, NUM, saved_frac, , "frac", 0, 0, 1, "share that early stops save")
BP_DECLARE_STRUCT(bp_sweep_size_out, BP_SWEEP_SIZE_OUT_FIELDS);

int bp_sweep_size(const struct bp_sweep_size_in *in, struct bp_sweep_size_out *out,
                  struct bp_error *err);

#define BP_GUARDRAIL_IN_FIELDS(F, S)                                                               \
    F(S, NUM, budget_device_s, , "device s", BP_REQUIRED, 0, 1e15, "device time of the project")   \
    F(S, NUM, spent_device_s, , "device s", 0, 0, 1e15, "used so far")                             \
    F(S, NUM, reserved_device_s, , "device s", 0, 0, 1e15, "promised to running and queued jobs")  \
    F(S, NUM, request_device_s, , "device s", BP_REQUIRED, 0, 1e15, "asked for now")
BP_DECLARE_STRUCT(bp_guardrail_in, BP_GUARDRAIL_IN_FIELDS);

#define BP_GUARDRAIL_OUT_FIELDS(F, S)                                                              \
    F(S, FLAG, allowed, , "", 0, 0, 1, "it stays within the budget")                               \
    F(S, NUM, left_device_s, , "device s", 0, -BP_ANY, BP_ANY, "left before the request")          \
    F(S, NUM, over_device_s, , "device s", 0, 0, BP_ANY, "what the request is over by")            \
    F(S, NUM, scale_frac, , "frac", 0, 0, 1, "share of the request that would fit")
BP_DECLARE_STRUCT(bp_guardrail_out, BP_GUARDRAIL_OUT_FIELDS);

int bp_guardrail(const struct bp_guardrail_in *in, struct bp_guardrail_out *out,
                 struct bp_error *err);

#define BP_THROUGHPUT_IN_FIELDS(F, S)                                                              \
    F(S, NUM, items, , "", BP_REQUIRED, 0, 1e18, "examples, documents, images")                    \
    F(S, NUM, rate_per_s, , "1/s", BP_REQUIRED, 1e-9, 1e15, "items per second of one worker")      \
    F(S, INT, workers, , "", 1, 1, 1e7, "workers")                                                 \
    F(S, NUM, parallel_frac, , "frac", 1, 0.001, 1, "share of the workers' sum that is reached")   \
    F(S, NUM, deadline_s, , "s", 0, 0, 1e10, "when it must be done; 0 = not asked")
BP_DECLARE_STRUCT(bp_throughput_in, BP_THROUGHPUT_IN_FIELDS);

#define BP_THROUGHPUT_OUT_FIELDS(F, S)                                                             \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time for all items")                                   \
    F(S, NUM, rate_per_s, , "1/s", 0, 0, BP_ANY, "items per second of all workers")                \
    F(S, NUM, workers_needed, , "", 0, 0, BP_ANY, "workers that keep the deadline; 0 = not asked")
BP_DECLARE_STRUCT(bp_throughput_out, BP_THROUGHPUT_OUT_FIELDS);

int bp_throughput(const struct bp_throughput_in *in, struct bp_throughput_out *out,
                  struct bp_error *err);

#endif
