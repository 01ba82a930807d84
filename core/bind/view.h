/*
** What a rule sees: one read-only object over the candidate in hand, made once and used for every
** plan. Its fields are those of plan, memory, time, price, network, job and model, under the names
** they have everywhere.
*/
#ifndef BP_BIND_VIEW_H
#define BP_BIND_VIEW_H

#include <lua.h>

#include "search/search.h"

enum { BP_VIEW_FIELDS = 256 };

struct bp_view {
    lua_State *names_state; /* where "did you mean" can be asked; the program's own state */
    const struct bp_candidate *candidate;
    size_t count;
    struct bp_view_field {
        const struct bp_field *field;
        const char *fixed; /* struct the field is in, or NULL: inside the candidate */
        size_t offset;     /* then of that struct in the candidate */
    } fields[BP_VIEW_FIELDS];
};

/* Lists the fields; network, job and model are borrowed for the life of the view. */
void bp_view_init(struct bp_view *view, lua_State *L, const struct bp_train_case *site);

/* Inside the sandbox: pushes the object. The view stays with its owner. */
void bp_view_push(lua_State *S, struct bp_view *view);

#endif
