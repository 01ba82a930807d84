/* Who may read and write a file. */
#ifndef BP_BIND_MODES_H
#define BP_BIND_MODES_H

#include <lua.h>

/* core.take_mode(file, path): an open file gets the permissions of the file at a path, where there is one; whether it has. */
int bp_core_take_mode(lua_State *L);

#endif
