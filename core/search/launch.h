/*
** What software launches, and what nobody here has seen launched. The first refuses a plan; the second makes it
** stand behind a plain one that is next to as good. What was seen are the published runs that the coefficients
** were fitted to.
*/
#ifndef BP_SEARCH_LAUNCH_H
#define BP_SEARCH_LAUNCH_H

#include "kernel/count/train_case.h"
#include "objective.h"

/*
** BP_REJECT_NONE or BP_REJECT_SCHEDULE: what the profile's software refuses to start. Looks at nothing that the
** checks up to that of the schedule do not look at.
*/
enum bp_reject bp_launch_check(const struct bp_profile *profile, const struct bp_plan *plan,
                               struct bp_error *err);

/* Whether the software has a ZeRO stage. */
int bp_launches_zero(const struct bp_profile *profile, int64_t zero);

/* Fills in what is unusual about a plan (uneven_stages to rare_sharding) and its handicap. */
void bp_launch_unusual(const struct bp_train_case *site, const struct bp_plan *plan,
                       struct bp_worth *worth);

#endif
