/* What a search is asked for, read from one Lua table. */
#ifndef BP_BIND_REQUEST_H
#define BP_BIND_REQUEST_H

#include <lua.h>

#include "search/search.h"

/* space, rules and units are Lua values that are read apart. */
#define BP_SEARCH_IN_FIELDS(F, S)                                                                  \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is trained")                                  \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "on what")                                        \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "how many, connected how")                      \
    F(S, STRUCT, job, bp_job, "", 0, 0, 0, "batch and length")                                     \
    F(S, STRUCT, profile, bp_profile, "", 0, 0, 0, "class of software")                            \
    F(S, STRUCT, plan, bp_plan, "", 0, 0, 0, "fields that are fixed")                              \
    F(S, NOTE, space, , "", 0, 0, 0,                                                               \
      "per field of the plan: a value, a list of values, or 'free'")                               \
    F(S, NOTE, rules, , "", 0, 0, 0, "list of rules, see rules.h")                                 \
    F(S, NOTE, units, , "", 0, 0, 0, "factors that rules can use as functions: GiB = 1073741824")  \
    F(S, ENUM, objective, bp_objective, "", BP_OBJECTIVE_STEP_S, 0, 0,                             \
      "what the best plan is best in")                                                             \
    F(S, NUM, usd_h, , "USD/h", 0, 0, 1e9, "price of one device for an hour; 0 = not known")       \
    F(S, NUM, fit_chance, , "frac", 0.5, 0.001, 0.999,                                             \
      "least chance of fitting into memory that a plan must have; half is the estimate itself")    \
    F(S, INT, top, , "", 10, 1, 100000, "plans to keep")
BP_DECLARE_STRUCT(bp_search_in, BP_SEARCH_IN_FIELDS);

struct bp_request {
    struct bp_search_in in; /* the model resolved */
    struct bp_params_out params;
    struct bp_space space;
    struct bp_search search; /* refers to the above */
    struct bp_found found;
    struct bp_found_room room;
    struct bp_topk_entry entries[]; /* in.top of them */
};

/*
** Reads the table at index and pushes a userdata that holds the request, ready to run but for its
** rules. Raises input errors.
*/
struct bp_request *bp_request_push(lua_State *L, int index);

#endif
