#include "stages.h"

#include <lauxlib.h>
#include <string.h>

#include "fields.h"
#include "kernel/train/train_stages.h"
#include "lists.h"

/* A case with all that it refers to. */
struct asked {
    struct bp_train_step_in in;
    struct bp_train_resolved resolved;
    struct bp_train_case c;
    struct bp_simulated simulated;
};

/* The case of the first argument, with the simulation of the second; userdata it needs stay on the stack. */
static void read_case(lua_State *L, struct asked *a) {
    struct bp_error err;
    double *in_flight;
    lua_settop(L, 2);
    bp_read_struct(L, 1, &bp_train_step_in_schema, "", &a->in);
    bp_check_status(L, bp_train_resolve(&a->in, &a->resolved, &a->c, &err), &err);
    if (lua_isnil(L, 2)) {
        return;
    }
    a->simulated.makespan_s = bp_number_option(L, 2, "makespan_s", 0);
    a->simulated.weight_copies = bp_number_option(L, 2, "weight_copies", 1);
    in_flight = bp_push_doubles(L, (size_t)a->c.plan->pp);
    lua_getfield(L, 2, "in_flight");
    bp_read_doubles(L, -1, "in_flight", in_flight, (size_t)a->c.plan->pp);
    lua_pop(L, 1);
    a->simulated.in_flight = in_flight;
    a->c.simulated = &a->simulated;
}

int bp_core_train_stages(lua_State *L) {
    struct asked a;
    struct bp_train_stage *stages;
    struct bp_error err;
    size_t bytes;
    int64_t i;
    read_case(L, &a);
    bytes = (size_t)a.c.plan->pp * sizeof *stages;
    stages = lua_newuserdatauv(L, bytes, 0);
    memset(stages, 0, bytes);
    bp_check_status(L, bp_train_stages(&a.c, stages, &err), &err);
    lua_createtable(L, (int)a.c.plan->pp, 0);
    for (i = 0; i < a.c.plan->pp; i++) {
        bp_push_struct(L, &bp_train_stage_schema, &stages[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

int bp_core_simulated_step(lua_State *L) {
    struct asked a;
    struct bp_train_step_out out;
    struct bp_error err;
    read_case(L, &a);
    bp_defaults(&bp_train_step_out_schema, &out);
    bp_check_status(L, bp_train_step_of(&a.c, &out, &err), &err);
    bp_push_struct(L, &bp_train_step_out_schema, &out);
    return 1;
}
