#include "refusals.h"

#include "fields.h"
#include "kernel/train/train_step.h"
#include "search/launch.h"

int bp_core_launch_refusals(lua_State *L) {
    struct bp_train_step_in in;
    struct bp_train_resolved resolved;
    struct bp_train_case c;
    struct bp_error err;
    lua_Integer count = 0;
    int i;
    lua_settop(L, 1);
    bp_read_struct(L, 1, &bp_train_step_in_schema, "", &in);
    bp_check_status(L, bp_train_resolve(&in, &resolved, &c, &err), &err);
    lua_newtable(L);
    for (i = 0; i < BP_LAUNCH_CHECKS; i++) {
        if (bp_launch_refuses(i, &c, c.plan, &err)) {
            lua_pushstring(L, err.text);
            lua_rawseti(L, -2, ++count);
        }
    }
    return 1;
}
