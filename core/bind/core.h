/* The Lua module "ballpark.core": every kernel of the registry as a function of one table. */
#ifndef BP_BIND_CORE_H
#define BP_BIND_CORE_H

#include <lua.h>

int luaopen_ballpark_core(lua_State *L);

#endif
