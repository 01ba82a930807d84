#include "kernel/platform/jobs.h"

#include "kernel/registry.h"

#include <math.h>

#define DAY_S 86400.0
#define MOST_TRIALS 9007199254740992.0 /* 2^53: above it not every count is a double */

int bp_jobs(const struct bp_jobs_in *in, struct bp_jobs_out *out, struct bp_error *err) {
    (void)err;
    out->concurrent = in->rate_per_s * in->duration_s;
    out->sustained_devices = out->concurrent * in->devices_per_job;
    out->planned_devices = out->sustained_devices / in->utilization_frac;
    out->burst_devices = out->planned_devices * in->burst;
    out->device_s_per_day = out->sustained_devices * DAY_S;
    out->starts_per_s = in->rate_per_s;
    out->activities_per_s = in->rate_per_s * in->activities_per_job;
    return BP_OK;
}

static double trials_of(const struct bp_sweep_size_in *in) {
    return in->method == BP_SWEEP_METHOD_GRID ? pow((double)in->values, (double)in->parameters)
                                              : (double)in->trials;
}

/*
** Successive halving: rung i has n / eta^i trials, one at least, and its trials reach first eta^i of a full one. Nothing is
** run twice. Trials are rounded neither way, so that more of them never take less.
*/
static double halving_trials(double n, double eta, double first) {
    double before = 0, work = 0, reach;
    for (reach = first; before < 1; reach *= eta) {
        double until = fmin(1, reach);
        work += n * (until - before);
        before = until;
        n = fmax(1, n / eta);
    }
    return work;
}

/* As short as there are trials, so that every rung takes about as much. */
static double first_of(const struct bp_sweep_size_in *in, double trials) {
    return in->first_frac > 0 ? in->first_frac : 1 / trials;
}

static int check_sweep(const struct bp_sweep_size_in *in, struct bp_error *err) {
    if (in->method == BP_SWEEP_METHOD_GRID) {
        if (in->parameters < 1 || in->values < 1) {
            return bp_fail(err, BP_EDOMAIN, in->parameters < 1 ? "parameters" : "values",
                           "must be at least 1 for a grid");
        }
    } else if (in->trials < 1) {
        return bp_fail(err, BP_EDOMAIN, "trials", "must be at least 1, got %.0f",
                       (double)in->trials);
    }
    if (in->method == BP_SWEEP_METHOD_HALVING && in->pruned_frac > 0) {
        return bp_fail(err, BP_EDOMAIN, "pruned_frac", "halving prunes by eta: leave it out");
    }
    return BP_OK;
}

int bp_sweep_size(const struct bp_sweep_size_in *in, struct bp_sweep_size_out *out,
                  struct bp_error *err) {
    double full;
    int code = check_sweep(in, err);
    if (code != BP_OK) {
        return code;
    }
    out->trials = trials_of(in);
    if (out->trials > MOST_TRIALS) {
        return bp_fail(err, BP_EOVERFLOW, "parameters",
                       "make %.3g trials, more than can be counted", out->trials);
    }
    full = in->method == BP_SWEEP_METHOD_HALVING
               ? halving_trials(out->trials, (double)in->eta, first_of(in, out->trials))
               : out->trials * (1 - in->pruned_frac * (1 - in->pruned_at_frac));
    out->full_device_s = out->trials * in->trial_device_s;
    out->device_s = full * in->trial_device_s;
    out->saved_frac = 1 - full / out->trials;
    return BP_OK;
}

int bp_guardrail(const struct bp_guardrail_in *in, struct bp_guardrail_out *out,
                 struct bp_error *err) {
    double left = in->budget_device_s - in->spent_device_s - in->reserved_device_s;
    (void)err;
    out->left_device_s = left;
    out->over_device_s = in->request_device_s > 0 ? fmax(0, in->request_device_s - left) : 0;
    out->allowed = !(out->over_device_s > 0);
    out->scale_frac = out->allowed ? 1 : fmax(0, left) / in->request_device_s;
    return BP_OK;
}

/* One worker alone loses nothing to working side by side. */
static double workers_for(const struct bp_throughput_in *in) {
    double alone = in->items / (in->rate_per_s * in->deadline_s);
    return alone <= 1 ? 1 : ceil(alone / in->parallel_frac);
}

int bp_throughput(const struct bp_throughput_in *in, struct bp_throughput_out *out,
                  struct bp_error *err) {
    double factor = in->workers > 1 ? (double)in->workers * in->parallel_frac : 1;
    (void)err;
    out->rate_per_s = in->rate_per_s * factor;
    out->time_s = in->items / out->rate_per_s;
    out->workers_needed = in->deadline_s > 0 ? workers_for(in) : 0;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_jobs_in, BP_JOBS_IN_FIELDS, "jobs", "a class of jobs");
BP_DEFINE_SCHEMA(bp_jobs_out, BP_JOBS_OUT_FIELDS, "jobs result", "what the class takes");
BP_DEFINE_KERNEL(jobs, "Concurrency, devices and device time of a class of jobs",
                 "concurrent = rate_per_s duration_s; sustained_devices = concurrent "
                 "devices_per_job; planned_devices = sustained_devices / utilization_frac; "
                 "burst_devices = planned_devices burst",
                 "steady state, means; waiting: queue", "Little, Operations Research 9 (1961)");

BP_DEFINE_ENUM(bp_sweep_method, BP_SWEEP_METHOD);
BP_DEFINE_SCHEMA(bp_sweep_size_in, BP_SWEEP_SIZE_IN_FIELDS, "sweep_size", "a hyperparameter sweep");
BP_DEFINE_SCHEMA(bp_sweep_size_out, BP_SWEEP_SIZE_OUT_FIELDS, "sweep_size result", "what it takes");
BP_DEFINE_KERNEL(sweep_size, "Trials and device time of a sweep, with early stops",
                 "grid: trials = values^parameters; device_s = trials trial_device_s (1 - "
                 "pruned_frac (1 - pruned_at_frac)); halving: rung i runs trials / eta^i, "
                 "one at least, up to first_frac eta^i of a full one",
                 "every full trial takes the same time; halving resumes trials and repeats nothing",
                 "successive halving: Jamieson and Talwalkar, arXiv:1502.07943");

BP_DEFINE_SCHEMA(bp_guardrail_in, BP_GUARDRAIL_IN_FIELDS, "guardrail",
                 "a request against a budget");
BP_DEFINE_SCHEMA(bp_guardrail_out, BP_GUARDRAIL_OUT_FIELDS, "guardrail result", "may it run");
BP_DEFINE_KERNEL(guardrail, "Whether a request keeps a project's device-time budget",
                 "left = budget - spent - reserved; allowed = request <= left; scale_frac = left / "
                 "request",
                 "before the run, on the estimate", "arithmetic");

BP_DEFINE_SCHEMA(bp_throughput_in, BP_THROUGHPUT_IN_FIELDS, "throughput", "items through workers");
BP_DEFINE_SCHEMA(bp_throughput_out, BP_THROUGHPUT_OUT_FIELDS, "throughput result",
                 "how long it takes");
BP_DEFINE_KERNEL(throughput, "Time of a batch of items through workers",
                 "time_s = items / (rate_per_s workers parallel_frac); one worker loses nothing",
                 "items alike; start-up and reading are in the rate", "arithmetic");
