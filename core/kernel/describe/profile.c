#include "kernel/describe/profile.h"

BP_DEFINE_SCHEMA(bp_profile, BP_PROFILE_FIELDS, "profile",
                 "how a class of software spends time and memory around the kernels");

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
