#include "kernel/describe/engine.h"

double bp_engine_ahead(const struct bp_engine *engine) {
    return engine->lag_steps + (engine->overlap ? 1 : 0);
}

BP_DEFINE_ENUM(bp_policy, BP_POLICY);
BP_DEFINE_ENUM(bp_reserve, BP_RESERVE);
BP_DEFINE_ENUM(bp_gathers, BP_GATHERS);
BP_DEFINE_ENUM(bp_sum_fusion, BP_SUM_FUSION);
BP_DEFINE_SCHEMA(bp_engine, BP_ENGINE_FIELDS, "engine", "how a serving engine works");
