#include "kernel/fleet/fleet.h"

#include "kernel/registry.h"

#include <math.h>

#define DAY_S 86400.0

int bp_load(const struct bp_load_in *in, struct bp_load_out *out, struct bp_error *err) {
    if ((in->average_per_s > 0) == (in->users > 0)) {
        return bp_fail(err, BP_EDOMAIN, "average_per_s", "give either average_per_s or users");
    }
    if (in->users > 0 && !(in->interval_s > 0)) {
        return bp_fail(err, BP_EDOMAIN, "interval_s", "must be given with users");
    }
    out->average_per_s =
        in->users > 0 ? in->users * in->active_frac / in->interval_s : in->average_per_s;
    out->peak_per_s = out->average_per_s * in->peak_ratio;
    out->per_day = out->average_per_s * DAY_S;
    out->in_window = out->peak_per_s * in->window_s;
    return BP_OK;
}

int bp_request_rule(const struct bp_request_rule_in *in, struct bp_request_rule_out *out,
                    struct bp_error *err) {
    double devices = (double)in->devices;
    (void)err;
    out->flop = 2 * in->params * in->tokens;
    out->time_s = out->flop / (in->peak_flop_s * in->mfu_frac * devices);
    out->per_s = 1 / out->time_s;
    out->decode_token_s = in->mem_bw_bytes_s > 0
                              ? in->params * in->bytes_per_param / (in->mem_bw_bytes_s * devices)
                              : 0;
    return BP_OK;
}

/*
** The least number of which `left` are up when the fullest of zones is lost that differ by one replica
** at most: ceil(r / zones) of r go, and r - ceil(r / zones) >= left from r = left +
** ceil(left / (zones - 1)) on.
*/
static double over_zones(double left, double zones) {
    return zones > 1 ? left + ceil(left / (zones - 1)) : left;
}

int bp_replicas(const struct bp_replicas_in *in, struct bp_replicas_out *out,
                struct bp_error *err) {
    double left;
    (void)err;
    out->exact = in->peak_per_s / (in->capacity_per_s * in->utilization_frac);
    out->needed = ceil(out->exact);
    left = in->loss_frac > 0 ? ceil(out->needed / (1 - in->loss_frac)) : out->needed;
    out->replicas = over_zones(left + (double)in->spares, (double)in->zones);
    out->surge_replicas = out->replicas + ceil(in->surge_frac * out->replicas);
    out->devices = out->replicas * (double)in->devices_per_replica;
    out->utilization_frac =
        out->replicas > 0 ? in->peak_per_s / (in->capacity_per_s * out->replicas) : 0;
    out->cost_usd_h = out->devices * in->price_usd_h;
    return BP_OK;
}

int bp_backlog(const struct bp_backlog_in *in, struct bp_backlog_out *out, struct bp_error *err) {
    double over = in->burst_per_s - in->capacity_per_s;
    double spare = in->capacity_per_s - in->base_per_s;
    if (!(spare > 0)) {
        return bp_fail(err, BP_EDOMAIN, "capacity_per_s",
                       "must be above base_per_s (%.4g/s), got %.4g/s: the queue would never empty",
                       in->base_per_s, in->capacity_per_s);
    }
    out->backlog = fmax(0, over * in->burst_s);
    out->wait_s = out->backlog / in->capacity_per_s;
    out->drain_s = out->backlog / spare;
    out->within_limit = !(in->limit_s > 0) || out->wait_s <= in->limit_s;
    out->capacity_needed_per_s =
        in->burst_s > 0 ? in->burst_per_s * in->burst_s / (in->burst_s + in->limit_s) : 0;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_load_in, BP_LOAD_IN_FIELDS, "load", "who sends how many requests");
BP_DEFINE_SCHEMA(bp_load_out, BP_LOAD_OUT_FIELDS, "load result", "mean and peak rates");
BP_DEFINE_KERNEL(load, "Request rates: mean, peak, and in a batching window",
                 "average_per_s = users active_frac / interval_s; peak_per_s = average_per_s "
                 "peak_ratio; in_window = peak_per_s window_s",
                 "means: arrivals scatter around them, see queue", "arithmetic");

BP_DEFINE_SCHEMA(bp_request_rule_in, BP_REQUEST_RULE_IN_FIELDS, "request_rule",
                 "a request to a transformer, on paper");
BP_DEFINE_SCHEMA(bp_request_rule_out, BP_REQUEST_RULE_OUT_FIELDS, "request_rule result",
                 "FLOP and floor of its latency");
BP_DEFINE_KERNEL(request_rule, "FLOP, latency floor and rate of a request by the 2NL rule",
                 "flop = 2 params tokens; time_s = flop / (devices peak_flop_s mfu_frac); per_s = "
                 "1 / time_s; decode_token_s = params bytes_per_param / (devices mem_bw_bytes_s)",
                 "time_s is prefill, or an encoder; generating tokens is bound by memory bandwidth "
                 "and batches: decode_token_s is its floor for one sequence",
                 "Kaplan et al., arXiv:2001.08361 section 2.1; Pope et al., arXiv:2211.05102");

BP_DEFINE_SCHEMA(bp_replicas_in, BP_REPLICAS_IN_FIELDS, "replicas",
                 "a peak and what a replica can do");
BP_DEFINE_SCHEMA(bp_replicas_out, BP_REPLICAS_OUT_FIELDS, "replicas result", "the fleet it takes");
BP_DEFINE_KERNEL(
    replicas, "Replicas for a peak at a utilisation target, with redundancy",
    "needed = ceil(peak_per_s / (capacity_per_s utilization_frac)); of spot devices ceil(needed / "
    "(1 - loss_frac)); m = that + spares; replicas = m, with zones m + ceil(m / (zones - 1)), the "
    "least r with r - ceil(r / zones) - spares left for the peak",
    "capacity is what a replica serves while it keeps its latency; the target stands in "
    "for queueing, which the queue kernel computes",
    "arithmetic; ratio and target are assumptions that are always stated");

BP_DEFINE_SCHEMA(bp_backlog_in, BP_BACKLOG_IN_FIELDS, "backlog", "a burst into a queue");
BP_DEFINE_SCHEMA(bp_backlog_out, BP_BACKLOG_OUT_FIELDS, "backlog result", "how far behind it gets");
BP_DEFINE_KERNEL(backlog, "Backlog, wait and recovery of a queue after a burst",
                 "backlog = max(0, burst_per_s - capacity_per_s) burst_s; wait_s = backlog / "
                 "capacity_per_s; drain_s = backlog / (capacity_per_s - base_per_s); "
                 "capacity_needed_per_s = burst_per_s burst_s / (burst_s + limit_s)",
                 "fluid: rates are constant within the burst and after it, served in order",
                 "arithmetic");
