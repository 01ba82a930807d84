#include "engine.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>

#include "core.h"
#include "library.h"

enum { CODE_INTERNAL = 70 };

/* Protected: leaves ballpark.embedded's answer in the registry. */
static int load(lua_State *L) {
    luaL_openlibs(L);
    bp_set_library_path(L, lua_touserdata(L, 1));
    luaL_requiref(L, "ballpark.core", luaopen_ballpark_core, 0);
    lua_pop(L, 1);
    lua_getglobal(L, "require");
    lua_pushstring(L, "ballpark.embedded");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "answer");
    lua_setfield(L, LUA_REGISTRYINDEX, "ballpark.answer");
    return 0;
}

/* Lua modules in C expect Lua's functions among the names of the whole program. WebAssembly loads no modules. */
static void share_names(void) {
#ifndef __EMSCRIPTEN__
    dlopen("liblua5.4.so.0", RTLD_LAZY | RTLD_GLOBAL);
#endif
}

lua_State *bp_engine_open(const char *dir, struct bp_error *err) {
    lua_State *L;
    if (!bp_has_library(dir)) {
        bp_fail(err, BP_EDOMAIN, "lua_dir", "holds no ballpark/init.lua");
        return NULL;
    }
    share_names();
    L = luaL_newstate();
    if (!L) {
        bp_fail(err, BP_EDOMAIN, "", "not enough memory");
        return NULL;
    }
    lua_pushcfunction(L, load);
    lua_pushlightuserdata(L, (void *)(uintptr_t)dir);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
        bp_fail(err, BP_EDOMAIN, "lua_dir", "%s", lua_tostring(L, -1));
        lua_close(L);
        return NULL;
    }
    return L;
}

const char *bp_engine_answer(lua_State *L, const char *question, const char *input, int *code) {
    int outcome = CODE_INTERNAL;
    lua_settop(L, 0); /* lets go of the last answer */
    lua_getfield(L, LUA_REGISTRYINDEX, "ballpark.answer");
    lua_pushstring(L, question);
    lua_pushstring(L, input);
    if (lua_pcall(L, 2, 2, 0) == LUA_OK) {
        outcome = (int)lua_tointeger(L, 1);
        lua_remove(L, 1);
    } else {
        lua_settop(L, 0);
        lua_pushliteral(L,
                        "{\"error\":{\"kind\":\"internal\",\"message\":\"not enough memory\"}}\n");
    }
    if (code) {
        *code = outcome;
    }
    return lua_tostring(L, 1);
}

void bp_engine_close(lua_State *L) {
    lua_close(L);
}
