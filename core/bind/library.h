/* Where the engine's Lua library is, and how a Lua state finds it. */
#ifndef BP_BIND_LIBRARY_H
#define BP_BIND_LIBRARY_H

#include <lua.h>

/* Whether a folder holds the library. */
int bp_has_library(const char *dir);

/* Our library first, then the system's; entries relative to the working directory are left out. */
void bp_set_library_path(lua_State *L, const char *dir);

#endif
