/* Who may read and write a file. */
#ifndef BP_BIND_MODES_H
#define BP_BIND_MODES_H

#include <lua.h>

/*
 * core.take_mode(file, path): an open file gets the owner, group and permissions of the file at a path, where there is
 * one; whether it has. Where the group cannot be had, nobody may do more with it than with the file at the path.
 */
int bp_core_take_mode(lua_State *L);

#endif
