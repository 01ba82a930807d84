/*
** Carries a value from one Lua state into another: nil, booleans, numbers, strings, tables of such,
** and Lua functions with what they refer to. That is how a rule written inside a scenario gets into
** the sandbox.
*/
#ifndef BP_BIND_COPY_H
#define BP_BIND_COPY_H

#include <lua.h>

/*
** Runs inside `to` (called by bp_sandbox_call) and may raise there; in `from` it never does. Pushes
** the copy of from's value at index. Functions get the table at index `globals` of `to` for _ENV.
*/
void bp_copy_value(lua_State *from, int index, lua_State *to, int globals);

#endif
