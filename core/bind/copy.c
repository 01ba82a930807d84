#include "copy.h"

#include <lauxlib.h>
#include <string.h>

/* Deeper than any rule; guards the C stack. */
enum { DEPTH_MAX = 32 };

struct copy {
    lua_State *from, *to;
    int globals, memo; /* in `to`; memo: what has been copied already, by its address in `from` */
    int depth;
};

static void copy_any(struct copy *c, int index);

/* Pushes the earlier copy, or returns 0. */
static int push_known(struct copy *c, int index) {
    if (lua_rawgetp(c->to, c->memo, lua_topointer(c->from, index)) != LUA_TNIL) {
        return 1;
    }
    lua_pop(c->to, 1);
    return 0;
}

static void remember(struct copy *c, int index) {
    lua_pushvalue(c->to, -1);
    lua_rawsetp(c->to, c->memo, lua_topointer(c->from, index));
}

static void copy_table(struct copy *c, int index) {
    lua_newtable(c->to);
    remember(c, index);
    lua_pushnil(c->from);
    while (lua_next(c->from, index)) {
        int value = lua_gettop(c->from);
        copy_any(c, value - 1);
        copy_any(c, value);
        lua_rawset(c->to, -3);
        lua_settop(c->from, value - 1);
    }
}

static int write_chunk(lua_State *from, const void *piece, size_t size, void *buffer) {
    (void)from;
    luaL_addlstring(buffer, piece, size);
    return 0;
}

/* Whether the value on top is this C function, or charges for it: its upvalues say what it stands for. */
static int stands_for(lua_State *to, lua_CFunction function) {
    int n, is_it = lua_tocfunction(to, -1) == function;
    for (n = 1; !is_it && lua_iscfunction(to, -1) && lua_getupvalue(to, -1, n); n++) {
        is_it = lua_tocfunction(to, -1) == function;
        lua_pop(to, 1);
    }
    return is_it;
}

/* Pushes the value of the table on top of `to` that is this C function, or returns 0. */
static int push_same_function(lua_State *to, lua_CFunction function) {
    int table = lua_gettop(to);
    lua_pushnil(to);
    while (lua_next(to, table)) {
        if (stands_for(to, function)) {
            lua_insert(to, table + 1);
            lua_settop(to, table + 1);
            return 1;
        }
        lua_pop(to, 1);
    }
    return 0;
}

/* `local floor = math.floor` outside of a rule: the sandbox's own, if it has that function. */
static void copy_c_function(struct copy *c, int index) {
    static const char *const libraries[] = {"math", "string", "table"};
    lua_CFunction function = lua_tocfunction(c->from, index);
    size_t i;
    for (i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        lua_getfield(c->to, c->globals, libraries[i]);
        if (push_same_function(c->to, function)) {
            lua_remove(c->to, -2);
            return;
        }
        lua_pop(c->to, 1);
    }
    lua_pushvalue(c->to, c->globals);
    if (!push_same_function(c->to, function)) {
        luaL_error(c->to, "a function that is not available in rules cannot be carried into one");
    }
    lua_remove(c->to, -2);
}

static void copy_upvalues(struct copy *c, int index) {
    const char *name;
    int n;
    for (n = 1; (name = lua_getupvalue(c->from, index, n)) != NULL; n++) {
        if (strcmp(name, "_ENV") == 0) {
            lua_pushvalue(c->to, c->globals);
        } else {
            copy_any(c, lua_gettop(c->from));
        }
        lua_setupvalue(c->to, -2, n);
        lua_settop(c->from, lua_gettop(c->from) - 1);
    }
}

static void copy_function(struct copy *c, int index) {
    luaL_Buffer buffer;
    const char *chunk;
    size_t size;
    luaL_buffinit(c->to, &buffer);
    lua_pushvalue(c->from, index);
    lua_dump(c->from, write_chunk, &buffer, 0);
    lua_pop(c->from, 1);
    luaL_pushresult(&buffer);
    chunk = lua_tolstring(c->to, -1, &size);
    /* Bytecode of our own compiler, one line up: not a chunk somebody sent. */
    if (luaL_loadbufferx(c->to, chunk, size, "rule", "b") != LUA_OK) {
        lua_error(c->to);
    }
    lua_remove(c->to, -2);
    remember(c, index);
    copy_upvalues(c, index);
}

static void copy_string(struct copy *c, int index) {
    size_t size;
    const char *text = lua_tolstring(c->from, index, &size);
    lua_pushlstring(c->to, text, size);
}

static void copy_number(struct copy *c, int index) {
    if (lua_isinteger(c->from, index)) {
        lua_pushinteger(c->to, lua_tointeger(c->from, index));
    } else {
        lua_pushnumber(c->to, lua_tonumber(c->from, index));
    }
}

static void copy_any(struct copy *c, int index) {
    luaL_checkstack(c->to, 8, "rule nested too deeply");
    if (++c->depth > DEPTH_MAX || !lua_checkstack(c->from, 8)) {
        luaL_error(c->to, "rule nested too deeply");
    }
    switch (lua_type(c->from, index)) {
    case LUA_TNIL:
        lua_pushnil(c->to);
        break;
    case LUA_TBOOLEAN:
        lua_pushboolean(c->to, lua_toboolean(c->from, index));
        break;
    case LUA_TNUMBER:
        copy_number(c, index);
        break;
    case LUA_TSTRING:
        copy_string(c, index);
        break;
    case LUA_TTABLE:
        if (!push_known(c, index)) {
            copy_table(c, index);
        }
        break;
    case LUA_TFUNCTION:
        if (lua_iscfunction(c->from, index)) {
            copy_c_function(c, index);
        } else if (!push_known(c, index)) {
            copy_function(c, index);
        }
        break;
    default:
        luaL_error(c->to, "a %s cannot be carried into a rule", luaL_typename(c->from, index));
    }
    c->depth--;
}

void bp_copy_value(lua_State *from, int index, lua_State *to, int globals) {
    struct copy c = {from, to, lua_absindex(to, globals), 0, 0};
    lua_newtable(to);
    c.memo = lua_gettop(to);
    copy_any(&c, lua_absindex(from, index));
    lua_remove(to, c.memo);
}
