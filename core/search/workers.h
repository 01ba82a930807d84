/*
** The threads of one search, a worker each. Each has its own parts and results; blocks of positions go to
** whoever is free, and since results add up in any order the answer does not depend on who did what.
*/
#ifndef BP_SEARCH_WORKERS_H
#define BP_SEARCH_WORKERS_H

#include "search.h"

struct bp_worker {
    struct bp_memo memo;
    struct bp_found found;
    struct bp_found_room room; /* of its own, set by the owner */
    struct bp_error err;
    uint64_t failed_at; /* position of the block in which it failed first */
    int code;
};

/* Sets up workers, whose rooms are set, for a search that is ready to run. */
void bp_workers_init(const struct bp_search *search, struct bp_worker *workers, size_t count,
                     double mark);

/*
** Lets the workers go through positions begin to end. Codes and err are those of bp_search_run, of the
** first block that failed; a search with a judge needs a single worker.
*/
int bp_workers_run(const struct bp_search *search, struct bp_worker *workers, size_t count,
                   uint64_t begin, uint64_t end, struct bp_error *err);

/* Adds what the workers have found to found, and lets them start with nothing again. */
void bp_workers_collect(struct bp_worker *workers, size_t count, struct bp_found *found);

#endif
