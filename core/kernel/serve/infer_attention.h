/* Attention of a serving step, with recurrent states and the indexer of sparse attention; seconds. */
#ifndef BP_KERNEL_INFER_ATTENTION_H
#define BP_KERNEL_INFER_ATTENTION_H

#include "kernel/serve/infer_case.h"

/* Of sequences that decode, which look back on so many tokens each. beside: prompts are in the same step. */
double bp_infer_decode(const struct bp_infer_case *c, double sequences, double context, int beside);
/* Of pieces of prompts with so many tokens together, behind `past` tokens of theirs that were computed before. */
double bp_infer_prefill(const struct bp_infer_case *c, double prompts, double tokens, double past);

#endif
