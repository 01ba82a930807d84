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
** Writes the values of a field left free, ascending, at most max of them, and sets *count.
** Parallel widths are the divisors of the device count that the model can be cut into, vpp the
** divisors of the layers (also with embedding and head as a layer each), micro_batch the
** divisors of the batch; flags and names take all their values. recompute_share takes the quarters of
** the layers above none, offload_activations none as well, first_layers and last_layers every number
** there is, master_bytes with and without, base_bits the formats there are. What a combination of
** fields rules out is left to bp_plan_check, so nothing valid is missing and the tally shows why a plan
** is not.
** Errors (field "space.<name>"): the field has more values than max, or, as lora_rank, decides what is
** learnt and not how.
*/
int bp_free_values(const struct bp_field *field, const struct bp_model *model,
                   const struct bp_network *network, const struct bp_job *job, double *values,
                   size_t max, size_t *count, struct bp_error *err);

/* Whether a search leaves the field free when nobody says anything about it. */
int bp_free_by_default(const struct bp_field *field);

#endif
