#include "engine.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdlib.h>

#include "core.h"
#include "library.h"
#include "memory.h"

enum { CODE_INTERNAL = 70 };

/* Protected: leaves ballpark.embedded's answer in the registry. */
static int load(lua_State *L) {
    luaL_openlibs(L);
    bp_set_library_path(L, lua_touserdata(L, 1));
    luaL_requiref(L, "ballpark.core", luaopen_ballpark_core, 0);
    bp_memory_tell(L);
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

/* A state that has a limit of its own; NULL and why not. */
static lua_State *new_state(struct bp_error *err) {
    struct bp_memory *memory = malloc(sizeof *memory);
    lua_State *L = NULL;
    if (memory) {
        memory->used = 0;
        memory->limit = bp_memory_limit();
        L = memory->limit > 0 ? lua_newstate(bp_memory_allocate, memory) : NULL;
    }
    if (!L && memory && memory->limit == 0) {
        bp_fail(err, BP_EDOMAIN, "", "%s must be a number of GiB above 0, at most %d",
                bp_memory_variable, BP_MEMORY_MOST_GIB);
    } else if (!L) {
        bp_fail(err, BP_EDOMAIN, "", "not enough memory");
    }
    if (!L) {
        free(memory);
    }
    return L;
}

lua_State *bp_engine_open(const char *dir, struct bp_error *err) {
    lua_State *L;
    if (!bp_has_library(dir)) {
        bp_fail(err, BP_EDOMAIN, "lua_dir", "holds no ballpark/init.lua");
        return NULL;
    }
    share_names();
    L = new_state(err);
    if (!L) {
        return NULL;
    }
    lua_pushcfunction(L, load);
    lua_pushlightuserdata(L, (void *)(uintptr_t)dir);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
        bp_fail(err, BP_EDOMAIN, "lua_dir", "%s", lua_tostring(L, -1));
        bp_engine_close(L);
        return NULL;
    }
    return L;
}

struct asked {
    const char *question, *input;
};

/* Protected: the exit code and the answer's text. */
static int ask(lua_State *L) {
    const struct asked *asked = lua_touserdata(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, "ballpark.answer");
    lua_pushstring(L, asked->question);
    lua_pushstring(L, asked->input);
    lua_call(L, 2, 2);
    return 2;
}

static const char no_memory[] =
    "{\"error\":{\"kind\":\"internal\",\"message\":\"not enough memory\"}}\n";

const char *bp_engine_answer(lua_State *L, const char *question, const char *input, int *code) {
    struct asked asked = {question, input};
    int outcome = CODE_INTERNAL;
    lua_settop(L, 0); /* lets go of the last answer */
    lua_pushcfunction(L, ask);
    lua_pushlightuserdata(L, &asked);
    if (lua_pcall(L, 1, 2, 0) == LUA_OK) {
        outcome = (int)lua_tointeger(L, 1);
        lua_remove(L, 1);
    } else {
        lua_settop(L, 0);
    }
    if (code) {
        *code = outcome;
    }
    return lua_gettop(L) > 0 ? lua_tostring(L, 1) : no_memory;
}

void bp_engine_close(lua_State *L) {
    void *memory;
    lua_getallocf(L, &memory);
    lua_close(L);
    free(memory);
}
