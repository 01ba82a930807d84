#include "modes.h"

#include <lauxlib.h>
#include <stdio.h>
#include <sys/stat.h>

int bp_core_take_mode(lua_State *L) {
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    const char *path = luaL_checkstring(L, 2);
    struct stat about;
    luaL_argcheck(L, stream->closef != NULL, 1, "a closed file");
    /* A file system without permissions takes none. */
    lua_pushboolean(
        L, stat(path, &about) == 0 &&
               fchmod(fileno(stream->f), about.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == 0);
    return 1;
}
