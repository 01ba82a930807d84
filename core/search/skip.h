/* Which structural check looks at which field: plans that agree in its fields share its verdict. */
#ifndef BP_SEARCH_SKIP_H
#define BP_SEARCH_SKIP_H

#include "kernel/describe/plan.h"
#include "kernel/field.h"

/* The first check that looks at the field; BP_REJECT_MEMORY if no structural one does. */
enum bp_reject bp_reject_first_look(const struct bp_field *field);

/*
** Whether a structural check up to and including the one for this reason looks at the field: plans
** that agree in all such fields are rejected for the same reason. Follows bp_plan_check.
*/
int bp_reject_looks_at(enum bp_reject reason, const struct bp_field *field);

#endif
