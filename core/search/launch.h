/*
** What software launches, and what nobody here has seen launched. The first refuses a plan; the second makes it
** stand behind a plain one that is next to as good. What was seen are the published runs that the coefficients
** were fitted to.
*/
#ifndef BP_SEARCH_LAUNCH_H
#define BP_SEARCH_LAUNCH_H

#include "kernel/count/train_case.h"
#include "objective.h"

/* What is looked at one after the other, from 0. */
enum { BP_LAUNCH_CHECKS = 6 };

/*
** Whether the software of the site refuses to start a plan (valid up to the check of the schedule) by one of the
** checks; err says why. Looks at nothing that the checks up to that of the schedule do not look at.
*/
int bp_launch_refuses(int check, const struct bp_train_case *site, const struct bp_plan *plan,
                      struct bp_error *err);

/*
** BP_REJECT_NONE, or BP_REJECT_SCHEDULE by the first check that refuses. `launched` (resolved; may be NULL) is a plan that
** somebody says runs: a check that refuses it refuses no other plan with the same value in the check's field.
*/
enum bp_reject bp_launch_check(const struct bp_train_case *site, const struct bp_plan *plan,
                               const struct bp_plan *launched, struct bp_error *err);

/* Whether the software has a ZeRO stage. */
int bp_launches_zero(const struct bp_profile *profile, int64_t zero);

/* Fills in what is unusual about a plan (uneven_stages to rare_sharding) and its handicap. */
void bp_launch_unusual(const struct bp_train_case *site, const struct bp_plan *plan,
                       struct bp_worth *worth);

#endif
