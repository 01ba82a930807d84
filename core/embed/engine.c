/*
** An engine that answers questions: a Lua state of its own with the library of ballpark.embedded in it.
*/
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ballpark.h"
#include "bind/core.h"
#include "bind/library.h"

enum { CODE_INTERNAL = 70 };

struct ballpark {
    lua_State *L;
};

static void fail(struct ballpark_error *error, const char *field, const char *text) {
    if (error) {
        error->code = 1;
        snprintf(error->field, sizeof error->field, "%s", field);
        snprintf(error->text, sizeof error->text, "%s", text);
    }
}

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

struct ballpark *ballpark_open(const char *lua_dir, struct ballpark_error *error) {
    const char *stated = getenv("BALLPARK_LUA");
    const char *dir = lua_dir ? lua_dir : stated ? stated : BALLPARK_INSTALLED_LUA_DIR;
    struct ballpark *engine;
    if (!bp_has_library(dir)) {
        fail(error, "lua_dir", "holds no ballpark/init.lua");
        return NULL;
    }
    /* Lua modules in C expect Lua's functions among the names of the whole program. */
    dlopen("liblua5.4.so.0", RTLD_LAZY | RTLD_GLOBAL);
    engine = malloc(sizeof *engine);
    if (!engine || !(engine->L = luaL_newstate())) {
        free(engine);
        fail(error, "", "not enough memory");
        return NULL;
    }
    lua_pushcfunction(engine->L, load);
    lua_pushlightuserdata(engine->L, (void *)(uintptr_t)dir);
    if (lua_pcall(engine->L, 1, 0, 0) != LUA_OK) {
        fail(error, "lua_dir", lua_tostring(engine->L, -1));
        ballpark_close(engine);
        return NULL;
    }
    return engine;
}

const char *ballpark_answer(struct ballpark *engine, const char *question, const char *input,
                            int *code) {
    lua_State *L = engine->L;
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

void ballpark_close(struct ballpark *engine) {
    if (engine) {
        lua_close(engine->L);
        free(engine);
    }
}
