#include "serving_fleet.h"

BP_DEFINE_ENUM(bp_routing, BP_ROUTING);
BP_DEFINE_ENUM(bp_scale_metric, BP_SCALE_METRIC);
BP_DEFINE_SCHEMA(bp_autoscale, BP_AUTOSCALE_FIELDS, "autoscale", "how many replicas run");
BP_DEFINE_SCHEMA(bp_failures, BP_FAILURES_FIELDS, "failures", "how replicas fail");
BP_DEFINE_SCHEMA(bp_prefill_pool, BP_PREFILL_POOL_FIELDS, "prefill_pool",
                 "replicas that only prefill");
