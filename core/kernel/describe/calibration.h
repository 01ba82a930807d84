/*
** What a sweep of one's own left over, beyond all that coefficients say: factors at numbers of sequences. Whatever
** describes software may carry them (an engine does), 1 where nothing was measured; no kernel reads them but through
** the two functions here.
*/
#ifndef BP_KERNEL_CALIBRATION_H
#define BP_KERNEL_CALIBRATION_H

#include "kernel/field.h"

#define BP_CALIBRATION_FIELDS(F, S)                                                                \
    F(S, NUM, step_1, , "", 1, 0.05, 20,                                                           \
      "time of a step that one sequence decodes in, over what all else says: measured by a sweep") \
    F(S, NUM, step_8, , "", 1, 0.05, 20, "the same for 8; between them by the logarithm")          \
    F(S, NUM, step_64, , "", 1, 0.05, 20, "for 64")                                                \
    F(S, NUM, step_512, , "", 1, 0.05, 20, "for 512 and more")                                     \
    F(S, NUM, first_1, , "", 1, 0.05, 20,                                                          \
      "front end and prompt of one request in the replica, over what all else says: what it adds " \
      "delays the answer, waiting apart")                                                          \
    F(S, NUM, first_8, , "", 1, 0.05, 20, "the same for 8; between them by the logarithm")         \
    F(S, NUM, first_64, , "", 1, 0.05, 20, "for 64")                                               \
    F(S, NUM, first_512, , "", 1, 0.05, 20, "for 512 and more")
BP_DECLARE_STRUCT(bp_calibration, BP_CALIBRATION_FIELDS);

/* Factors of a decoding step, and of the front end and prompt of a request. */
double bp_calibrated_step(const struct bp_calibration *calibration, double sequences);
double bp_calibrated_first(const struct bp_calibration *calibration, double in_flight);

#endif
