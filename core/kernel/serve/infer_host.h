/* What the host adds to the device's time of a serving step: planning, launches, gaps between kernels; seconds. */
#ifndef BP_KERNEL_INFER_HOST_H
#define BP_KERNEL_INFER_HOST_H

#include "kernel/serve/infer_case.h"

/* The step, from the device's time of it. */
double bp_infer_host(const struct bp_infer_case *c, double device_s, double prompt_tokens,
                     double sequences);
/* The same with so many launches. */
double bp_infer_host_of(const struct bp_infer_case *c, double device_s, double sequences,
                        double launches);
/* Launches of a step of which no piece is captured. */
double bp_infer_launches_apart(const struct bp_infer_case *c);
/* What measured steps of a calibrated engine make of one, with so many sequences that decode. */
double bp_infer_measured(const struct bp_infer_case *c, double sequences);

#endif
