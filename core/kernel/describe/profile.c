#include "kernel/describe/profile.h"

BP_DEFINE_ENUM(bp_launches, BP_LAUNCHES);
BP_DEFINE_ENUM(bp_gradient_sum, BP_GRADIENT_SUM);
BP_DEFINE_ENUM(bp_sends, BP_SENDS);
BP_DEFINE_ENUM(bp_tp_backward, BP_TP_BACKWARD);
BP_DEFINE_ENUM(bp_tp_parts, BP_TP_PARTS);
BP_DEFINE_ENUM(bp_context, BP_CONTEXT);
BP_DEFINE_ENUM(bp_weight_gather, BP_WEIGHT_GATHER);
BP_DEFINE_ENUM(bp_layer_gather, BP_LAYER_GATHER);
BP_DEFINE_ENUM(bp_buckets, BP_BUCKETS);
BP_DEFINE_ENUM(bp_replica_sum, BP_REPLICA_SUM);
BP_DEFINE_ENUM(bp_shard_sums, BP_SHARD_SUMS);
BP_DEFINE_ENUM(bp_expert_copies, BP_EXPERT_COPIES);
BP_DEFINE_ENUM(bp_expert_counts, BP_EXPERT_COUNTS);
BP_DEFINE_ENUM(bp_expert_casts, BP_EXPERT_CASTS);
BP_DEFINE_ENUM(bp_narrow_weights, BP_NARROW_WEIGHTS);
BP_DEFINE_ENUM(bp_selective, BP_SELECTIVE);
BP_DEFINE_ENUM(bp_pipelines, BP_PIPELINES);
BP_DEFINE_ENUM(bp_zero_stages, BP_ZERO_STAGES);
BP_DEFINE_ENUM(bp_pipe_collectives, BP_PIPE_COLLECTIVES);
BP_DEFINE_ENUM(bp_adapters, BP_ADAPTERS);
BP_DEFINE_ENUM(bp_base_ends, BP_BASE_ENDS);
BP_DEFINE_SCHEMA(bp_common, BP_COMMON_FIELDS, "common", "constants of all training software");
BP_DEFINE_SCHEMA(bp_profile, BP_PROFILE_FIELDS, "profile",
                 "how a class of software spends time and memory around the kernels");

double bp_profile_selective_mlp(const struct bp_profile *profile) {
    return profile->selective != BP_SELECTIVE_ATTENTION ? profile->common.selective_mlp : 0;
}

static void adjust(struct bp_tier *tier, double bandwidth, double latency) {
    tier->bw_bytes_s *= bandwidth;
    tier->alpha_s *= latency;
    tier->step_s *= latency;
}

struct bp_network bp_profile_network(const struct bp_profile *profile,
                                     const struct bp_network *network) {
    struct bp_network seen = *network;
    adjust(&seen.scaleup, profile->scaleup, profile->latency);
    adjust(&seen.scaleout, profile->scaleout, profile->latency);
    return seen;
}
