#include "kernel/describe/calibration.h"

#include <math.h>

/*
** Sequences at which a curve is given, as the names of its fields say: 1, 8, 64, 512 (assumption: sweeps
** double them).
*/
enum { KNOTS = 4 };
#define KNOT_RATIO 8.0

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

double bp_calibrated_step(const struct bp_calibration *calibration, double sequences) {
    const double at[KNOTS] = {calibration->step_1, calibration->step_8, calibration->step_64,
                              calibration->step_512};
    return factor(at, sequences);
}

double bp_calibrated_first(const struct bp_calibration *calibration, double in_flight) {
    const double at[KNOTS] = {calibration->first_1, calibration->first_8, calibration->first_64,
                              calibration->first_512};
    return factor(at, in_flight);
}

BP_DEFINE_SCHEMA(bp_calibration, BP_CALIBRATION_FIELDS, "calibration",
                 "what a sweep of one's own left over");
