/*
** The incumbents of branch and bound: good plans found fast, by samples and by climbing from the best of them, so that
** an exact search knows from the start what it need not look at. Which plans are tried depends on nothing but the
** search: every thread and shard gets the same threshold.
*/
#ifndef BP_SEARCH_INCUMBENTS_H
#define BP_SEARCH_INCUMBENTS_H

#include "search.h"

/* More kept plans than this, and a threshold is not worth finding. */
enum { BP_INCUMBENTS_TOP = 1000 };

/*
** Sets search->threshold to the rank of the last of as many good plans as found has room for, and
** leaves it INFINITY where none helps: several objectives, one that does not follow time, too few
** feasible plans seen. found is used as a scratch pad and left empty. Errors: as bp_search_run.
*/
int bp_incumbents(struct bp_search *search, struct bp_found *found, struct bp_error *err);

#endif
