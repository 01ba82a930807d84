#include "sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest string that string.rep makes and string.find looks at: enough for any label. */
enum { STRING_MAX_BYTES = 4096 };

static const char *const base_names[] = {"assert",   "error",    "ipairs", "select",
                                         "tonumber", "tostring", "type",   NULL};
static const char *const math_names[] = {
    "abs",  "acos", "asin", "atan", "ceil",       "cos",  "deg",        "exp",  "floor",
    "fmod", "huge", "log",  "max",  "maxinteger", "min",  "mininteger", "modf", "pi",
    "rad",  "sin",  "sqrt", "tan",  "tointeger",  "type", "ult",        NULL};
static const char *const string_names[] = {"byte", "char",    "find", "format", "len", "lower",
                                           "rep",  "reverse", "sub",  "upper",  NULL};
static const char *const table_names[] = {"concat", "sort", "unpack", NULL};

static const struct {
    const char *name;
    const char *const *allowed;
} libraries[] = {
    {LUA_MATHLIBNAME, math_names},
    {LUA_STRLIBNAME, string_names},
    {LUA_TABLIBNAME, table_names},
};

/* string.find(text, what [, start]): always plain. */
static int plain_find(lua_State *S) {
    size_t length, size;
    const char *text = luaL_checklstring(S, 1, &length);
    const char *what = luaL_checklstring(S, 2, &size);
    lua_Integer start = luaL_optinteger(S, 3, 1);
    size_t at = start < 1 ? 0 : (size_t)start - 1;
    if (length > STRING_MAX_BYTES) {
        return luaL_error(S, "string.find takes at most %d bytes in a rule", STRING_MAX_BYTES);
    }
    for (; at <= length && size <= length - at; at++) {
        if (memcmp(text + at, what, size) == 0) {
            lua_pushinteger(S, (lua_Integer)at + 1);
            lua_pushinteger(S, (lua_Integer)(at + size));
            return 2;
        }
    }
    lua_pushnil(S);
    return 1;
}

static int short_rep(lua_State *S) {
    size_t size;
    luaL_Buffer buffer;
    const char *text = luaL_checklstring(S, 1, &size);
    lua_Integer count = luaL_checkinteger(S, 2);
    if (size > 0 && count > (lua_Integer)(STRING_MAX_BYTES / size)) {
        return luaL_error(S, "string.rep makes at most %d bytes in a rule", STRING_MAX_BYTES);
    }
    luaL_buffinit(S, &buffer);
    for (; size > 0 && count > 0; count--) {
        luaL_addlstring(&buffer, text, size);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static int unknown_global(lua_State *S) {
    return luaL_error(S, "'%s' is not available in a rule", luaL_tolstring(S, 2, NULL));
}

static int fixed_global(lua_State *S) {
    return luaL_error(S, "global '%s' is assigned in a rule, but rules keep no state (use local)",
                      luaL_tolstring(S, 2, NULL));
}

/* Copies the named fields of the table at index `from` into the one on top. */
static void copy_names(lua_State *S, int from, const char *const *names) {
    for (; *names; names++) {
        lua_getfield(S, from, *names);
        lua_setfield(S, -2, *names);
    }
}

static void set_function(lua_State *S, const char *name, lua_CFunction function) {
    lua_pushcfunction(S, function);
    lua_setfield(S, -2, name);
}

void bp_sandbox_push_globals(lua_State *S) {
    int from, globals;
    size_t i;
    lua_pushglobaltable(S);
    from = lua_gettop(S);
    lua_newtable(S);
    globals = lua_gettop(S);
    copy_names(S, from, base_names);
    for (i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        lua_getfield(S, from, libraries[i].name);
        lua_newtable(S);
        copy_names(S, globals + 1, libraries[i].allowed);
        lua_setfield(S, globals, libraries[i].name);
        lua_pop(S, 1);
    }
    lua_createtable(S, 0, 2);
    set_function(S, "__index", unknown_global);
    set_function(S, "__newindex", fixed_global);
    lua_setmetatable(S, globals);
    lua_remove(S, from);
}

/* Methods of strings, ("x"):rep(9), go through the library table: it is replaced as well. */
static void open_string(lua_State *S) {
    luaL_requiref(S, LUA_STRLIBNAME, luaopen_string, 1);
    set_function(S, "find", plain_find);
    set_function(S, "rep", short_rep);
    lua_newtable(S);
    copy_names(S, lua_gettop(S) - 1, string_names);
    lua_pushliteral(S, "");
    lua_getmetatable(S, -1);
    lua_pushvalue(S, -3);
    lua_setfield(S, -2, "__index");
    lua_pop(S, 4);
}

static int open_libraries(lua_State *S) {
    luaL_requiref(S, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(S, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(S, LUA_TABLIBNAME, luaopen_table, 1);
    lua_pop(S, 3);
    open_string(S);
    return 0;
}

static void *allocate(void *data, void *block, size_t old_size, size_t new_size) {
    struct bp_sandbox *box = data;
    size_t before = block ? old_size : 0;
    void *moved;
    if (new_size == 0) {
        free(block);
        box->used_bytes -= before;
        return NULL;
    }
    if (new_size > before && new_size - before > BP_SANDBOX_BYTES - box->used_bytes) {
        return NULL;
    }
    moved = realloc(block, new_size);
    if (moved) {
        box->used_bytes += new_size - before;
    }
    return moved;
}

/* Once spent, every further instruction trips again, so that nothing can carry on. */
static void on_budget(lua_State *S, lua_Debug *ar) {
    lua_getinfo(S, "Sl", ar);
    lua_sethook(S, on_budget, LUA_MASKCOUNT, 1);
    lua_pushfstring(S, "%s:%d: took more than %d instructions", ar->short_src, ar->currentline,
                    BP_SANDBOX_INSTRUCTIONS);
    lua_error(S);
}

/* Puts file:line in front of a message that has none, and makes text of what is not. */
static int on_error(lua_State *S) {
    lua_Debug ar;
    int level;
    const char *text = lua_tostring(S, 1);
    if (!text) {
        text = lua_pushfstring(S, "raised a %s", luaL_typename(S, 1));
    }
    for (level = 1; lua_getstack(S, level, &ar); level++) {
        lua_getinfo(S, "Sl", &ar);
        if (ar.currentline > 0) {
            const char *where = lua_pushfstring(S, "%s:", ar.short_src);
            if (strncmp(text, where, strlen(where)) != 0) {
                lua_pushfstring(S, "%s%d: %s", where, ar.currentline, text);
                return 1;
            }
            break;
        }
    }
    lua_pushstring(S, text);
    return 1;
}

int bp_sandbox_open(struct bp_sandbox *box) {
    box->used_bytes = 0;
    box->text[0] = '\0';
    box->state = lua_newstate(allocate, box);
    if (!box->state) {
        return 0;
    }
    lua_pushcfunction(box->state, on_error);
    lua_pushcfunction(box->state, open_libraries);
    return bp_sandbox_call(box, 0, 0);
}

void bp_sandbox_close(struct bp_sandbox *box) {
    if (box->state) {
        lua_sethook(box->state, NULL, 0, 0);
        lua_close(box->state);
        box->state = NULL;
    }
}

static void keep_text(struct bp_sandbox *box, int status) {
    const char *text = lua_type(box->state, -1) == LUA_TSTRING ? lua_tostring(box->state, -1) : "";
    if (status == LUA_ERRMEM) {
        snprintf(box->text, sizeof box->text, "took more than %d MiB of memory",
                 BP_SANDBOX_BYTES >> 20);
    } else {
        snprintf(box->text, sizeof box->text, "%s", text);
    }
}

int bp_sandbox_call(struct bp_sandbox *box, int arguments, int results) {
    lua_State *S = box->state;
    int status;
    lua_sethook(S, on_budget, LUA_MASKCOUNT, BP_SANDBOX_INSTRUCTIONS);
    status = lua_pcall(S, arguments, results, BP_SANDBOX_HANDLER);
    if (status == LUA_OK) {
        return 1;
    }
    keep_text(box, status);
    lua_pop(S, 1);
    return 0;
}
