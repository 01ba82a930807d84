#include "stages.h"

#include <string.h>

#include "fields.h"
#include "kernel/train/train_stages.h"

int bp_core_train_stages(lua_State *L) {
    struct bp_train_step_in in;
    struct bp_train_resolved resolved;
    struct bp_train_case c;
    struct bp_train_stage *stages;
    struct bp_error err;
    size_t bytes;
    int64_t i;
    lua_settop(L, 1);
    bp_read_struct(L, 1, &bp_train_step_in_schema, "", &in);
    bp_check_status(L, bp_train_resolve(&in, &resolved, &c, &err), &err);
    bytes = (size_t)c.plan->pp * sizeof *stages;
    stages = lua_newuserdatauv(L, bytes, 0);
    memset(stages, 0, bytes);
    bp_check_status(L, bp_train_stages(&c, stages, &err), &err);
    lua_createtable(L, (int)c.plan->pp, 0);
    for (i = 0; i < c.plan->pp; i++) {
        bp_push_struct(L, &bp_train_stage_schema, &stages[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}
