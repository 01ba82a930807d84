/* What a search is asked for, read from one Lua table. */
#ifndef BP_BIND_REQUEST_H
#define BP_BIND_REQUEST_H

#include <lua.h>

#include "kernel/train/run.h"
#include "rules.h"
#include "search/workers.h"

/* Assumption: about the error of step times against published runs, see `ballpark validate`. */
#define BP_TIME_SPREAD 0.1

/* Assumption: what a core looks at in about a second, so that small spaces get the whole tally. */
#define BP_BOUNDED_ABOVE 2e7

/* space, follows, launched, rules, units, objective and differ are Lua values that are read apart. */
#define BP_SEARCH_IN_FIELDS(F, S)                                                                  \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is trained")                                  \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "on what")                                        \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "how many, connected how")                      \
    F(S, STRUCT, job, bp_job, "", 0, 0, 0, "batch and length")                                     \
    F(S, STRUCT, profile, bp_profile, "", 0, 0, 0, "class of software")                            \
    F(S, STRUCT, plan, bp_plan, "", 0, 0, 0, "fields that are fixed")                              \
    F(S, NOTE, space, , "", 0, 0, 0,                                                               \
      "per field of the plan: a value, a list of values, or 'free'")                               \
    F(S, NOTE, follows, , "", 0, 0, 0,                                                             \
      "settings that plans take along: list of { field, value, precision, sharded, "               \
      "sequence_parallel }")                                                                       \
    F(S, NOTE, launched, , "", 0, 0, 0,                                                            \
      "a resolved plan that runs as it is: what refuses it refuses no plan that has the same")     \
    F(S, NOTE, rules, , "", 0, 0, 0, "list of rules, see rules.h")                                 \
    F(S, NOTE, units, , "", 0, 0, 0, "factors that rules can use as functions: GiB = 1073741824")  \
    F(S, NOTE, objective, , "", 0, 0, 0,                                                           \
      "what the best plan is best in, or a list: the best in the first, and the Pareto front")     \
    F(S, NOTE, differ, , "", 0, 0, 0,                                                              \
      "list of plan fields: of the plans that agree in all of them only the best is kept")         \
    F(S, NUM, usd_h, , "USD/h", 0, 0, 1e9, "price of one device for an hour; 0 = not known")       \
    F(S, NUM, pue, , "", BP_PUE, 1, 10, "power of the data centre over that of the devices")       \
    F(S, NUM, deadline_s, , "s", 0, 0, 1e12, "time for the run of job.tokens; 0 = none")           \
    F(S, NUM, goodput_frac, , "frac", 1, 0, 1, "share of a run's time that makes progress")        \
    F(S, NUM, time_spread, , "", BP_TIME_SPREAD, 0, 2,                                             \
      "standard deviation of ln(measured/estimated) step time")                                    \
    F(S, NUM, fit_chance, , "frac", 0.5, 0.001, 0.999,                                             \
      "least chance of fitting into memory that a plan must have; half is the estimate itself")    \
    F(S, INT, top, , "", 10, 1, 100000, "plans to keep")                                           \
    F(S, INT, front, , "", 1000, 1, 10000, "plans that a Pareto front may have")                   \
    F(S, INT, threads, , "", 1, 1, 256, "threads to use; the answer is the same")                  \
    F(S, FLAG, exhaustive, , "", 0, 0, 1, "look at every plan, however large the space")           \
    F(S, NUM, bounded_above, , "", BP_BOUNDED_ABOVE, 0, BP_ANY,                                    \
      "spaces of more plans are searched with bounds: the same best plans, a coarser tally")
BP_DECLARE_STRUCT(bp_search_in, BP_SEARCH_IN_FIELDS);

struct bp_request {
    struct bp_search_in in;
    struct bp_ready_model ready;
    struct bp_plan launched;
    struct bp_space space;
    struct bp_search search; /* refers to the above */
    struct bp_found found;
    struct bp_found_room room;
    struct bp_worker *workers;
    size_t workers_count;
    struct bp_rules *rules;
    uint64_t position; /* where the last run ended */
    uint64_t block;    /* positions between two looks at an interrupt; 0 = not run yet */
};

/* User values of the userdata: the memory that the request refers to. */
enum {
    BP_REQUEST_ROOM = 1,
    BP_REQUEST_WORKERS,
    BP_REQUEST_RULES,
    BP_REQUEST_VALUES = BP_REQUEST_RULES
};

/*
** Reads the table at index and pushes a userdata that holds the request, ready to run but for its
** rules and workers. Raises input errors.
*/
struct bp_request *bp_request_push(lua_State *L, int index);

/*
** Makes the workers of the request on top of the stack: one where there are rules, else as many as
** it asks for and can be used.
*/
void bp_request_hire(lua_State *L, struct bp_request *request);

#endif
