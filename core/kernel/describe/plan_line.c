#include "kernel/describe/plan_line.h"

BP_DEFINE_ENUM(bp_part, BP_PART);
BP_DEFINE_ENUM(bp_reject, BP_REJECT);
BP_DEFINE_ENUM(bp_matters, BP_MATTERS);
BP_DEFINE_ENUM(bp_sets, BP_SETS);
BP_DEFINE_ENUM(bp_repeats_by, BP_REPEATS);
BP_DEFINE_ENUM(bp_free, BP_FREE);
