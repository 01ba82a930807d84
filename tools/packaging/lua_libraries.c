/*
** Lua's libraries in a page of a browser: the standard ones, and LuaFileSystem, which is part of the program there since
** nothing can be loaded later. It stands in the place of Lua's own linit.c.
*/
#include <lauxlib.h>
#include <lualib.h>

int luaopen_lfs(lua_State *L);

void luaL_openlibs(lua_State *L) {
    static const luaL_Reg standard[] = {
        {LUA_GNAME, luaopen_base},          {LUA_LOADLIBNAME, luaopen_package},
        {LUA_COLIBNAME, luaopen_coroutine}, {LUA_TABLIBNAME, luaopen_table},
        {LUA_IOLIBNAME, luaopen_io},        {LUA_OSLIBNAME, luaopen_os},
        {LUA_STRLIBNAME, luaopen_string},   {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8},    {LUA_DBLIBNAME, luaopen_debug},
    };
    size_t i;
    for (i = 0; i < sizeof standard / sizeof *standard; i++) {
        luaL_requiref(L, standard[i].name, standard[i].func, 1);
        lua_pop(L, 1);
    }
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_lfs);
    lua_setfield(L, -2, "lfs");
    lua_pop(L, 1);
}
