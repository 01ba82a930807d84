#include "kernel/serve/latency.h"

#include "kernel/registry.h"

int bp_latency_budget(const struct bp_latency_budget_in *in, struct bp_latency_budget_out *out,
                      struct bp_error *err) {
    double other = in->network_s + in->features_s + in->preprocess_s + in->queue_s +
                   in->postprocess_s + in->buffer_s;
    (void)err;
    out->used_s = other + in->inference_s + in->search_s;
    out->left_s = in->sla_s - out->used_s;
    out->within = out->left_s >= 0;
    out->inference_frac = in->inference_s / in->sla_s;
    out->search_frac = in->search_s / in->sla_s;
    out->other_frac = other / in->sla_s;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_latency_budget_in, BP_LATENCY_BUDGET_IN_FIELDS, "latency_budget",
                 "the parts of a request");
BP_DEFINE_SCHEMA(bp_latency_budget_out, BP_LATENCY_BUDGET_OUT_FIELDS, "latency_budget result",
                 "what they leave of the SLO");
BP_DEFINE_KERNEL(
    latency_budget, "What the parts of a request leave of its latency budget",
    "left_s = sla_s - (network_s + features_s + preprocess_s + queue_s + inference_s + "
    "search_s + postprocess_s + buffer_s)",
    "parts one after another; the parts' high percentiles do not add up to the sum's, "
    "so give means against a mean, or one percentile as an upper bound",
    "arithmetic");
