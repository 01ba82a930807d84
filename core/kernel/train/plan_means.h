/* Which fields of a plan make a difference, and which do nothing in this case. */
#ifndef BP_KERNEL_PLAN_MEANS_H
#define BP_KERNEL_PLAN_MEANS_H

#include "kernel/count/train_case.h"

/*
** Whether the model (resolved) has the module that backward computes again where this field of the plan
** says so; 1 for fields that name none.
*/
int bp_model_has_module(const struct bp_model *model, const struct bp_field *field);

/* Whether selective recomputation does nothing but what the field recompute_up_proj says. */
int bp_selective_is_up_proj(const struct bp_train_case *c);

/*
** Whether the field makes a difference here, where the others stay as they are. c->params may be NULL, and
** the plan invalid in structure.
*/
int bp_plan_means(const struct bp_train_case *c, const struct bp_field *field);

#endif
