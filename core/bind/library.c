#include "library.h"

#include <lauxlib.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_CHARS = 4128 };

int bp_has_library(const char *dir) {
    char file[PATH_CHARS];
    int length = snprintf(file, sizeof file, "%s/ballpark/cli.lua", dir);
    return length < (int)sizeof file && access(file, R_OK) == 0;
}

void bp_set_library_path(lua_State *L, const char *dir) {
    static const char drop_relative[] =
        "local dir = ...\n"
        "local function absolute(path)\n"
        "  local kept = {}\n"
        "  for entry in path:gmatch('[^;]+') do\n"
        "    if entry:sub(1, 1) == '/' then kept[#kept + 1] = entry end\n"
        "  end\n"
        "  return table.concat(kept, ';')\n"
        "end\n"
        "package.path = dir .. '/?.lua;' .. dir .. '/?/init.lua;'"
        " .. absolute(package.path)\n"
        "package.cpath = absolute(package.cpath)\n";
    if (luaL_loadstring(L, drop_relative) != LUA_OK) {
        lua_error(L);
    }
    lua_pushstring(L, dir);
    lua_call(L, 1, 0);
}
