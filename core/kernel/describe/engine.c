#include "kernel/describe/engine.h"

#include <math.h>

/*
** Sequences at which a curve is given, as the names of its fields say: 1, 8, 64, 512 (assumption: sweeps
** double them).
*/
enum { KNOTS = 4 };
#define KNOT_RATIO 8.0

double bp_engine_ahead(const struct bp_engine *engine) {
    return engine->lag_steps + (engine->overlap ? 1 : 0);
}

/* Logarithms of the factors are linear in that of the number, and level outside. */
static double between(const double at[KNOTS], double number) {
    double place = fmin(fmax(log(number) / log(KNOT_RATIO), 0), KNOTS - 1);
    int i = (int)fmin(floor(place), KNOTS - 2);
    return at[i] * pow(at[i + 1] / at[i], place - i);
}

static double factor(const double at[KNOTS], double number) {
    int i;
    for (i = 0; i < KNOTS; i++) {
        if (at[i] != 1) {
            return between(at, fmax(number, 1));
        }
    }
    return 1;
}

double bp_engine_step_factor(const struct bp_engine *engine, double sequences) {
    const double at[KNOTS] = {engine->step_1, engine->step_8, engine->step_64, engine->step_512};
    return factor(at, sequences);
}

double bp_engine_first_factor(const struct bp_engine *engine, double in_flight) {
    const double at[KNOTS] = {engine->first_1, engine->first_8, engine->first_64,
                              engine->first_512};
    return factor(at, in_flight);
}

BP_DEFINE_ENUM(bp_policy, BP_POLICY);
BP_DEFINE_ENUM(bp_reserve, BP_RESERVE);
BP_DEFINE_SCHEMA(bp_engine, BP_ENGINE_FIELDS, "engine", "how a serving engine works");
