/* What "free" means for a field of the plan: every value that can be valid on these devices. */
#ifndef BP_SEARCH_FREE_H
#define BP_SEARCH_FREE_H

#include <stddef.h>

#include "kernel/describe/model.h"
#include "kernel/describe/network.h"
#include "kernel/describe/plan.h"
#include "kernel/field.h"
#include "kernel/status.h"

/*
** Writes the values of a field left free, ascending, at most max of them, and sets *count: what the
** field's line says (enum bp_free), else all values of a flag or name. What a combination of fields rules
** out is left to bp_plan_check, so nothing valid is missing and the tally shows why a plan is not.
** Errors (field "space.<name>"): the field has more values than max, or, as lora_rank, decides what is
** learnt and not how.
*/
int bp_free_values(const struct bp_field *field, const struct bp_model *model,
                   const struct bp_network *network, const struct bp_job *job, double *values,
                   size_t max, size_t *count, struct bp_error *err);

#endif
