#include "kernel/describe/network.h"

BP_DEFINE_SCHEMA(bp_tier, BP_TIER_FIELDS, "tier",
                 "one level of the network, as one device sees it");
BP_DEFINE_SCHEMA(bp_network, BP_NETWORK_FIELDS, "network",
                 "the devices of a cluster and what connects them");
