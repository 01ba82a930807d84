/* What runs once for each prompt before its tokens do: the encoder, and cross attention's keys; seconds. */
#ifndef BP_KERNEL_INFER_INPUTS_H
#define BP_KERNEL_INFER_INPUTS_H

#include "kernel/serve/infer_case.h"

/* Of so many prompts; less than one is a share of one. */
double bp_infer_inputs(const struct bp_infer_case *c, double prompts);

#endif
