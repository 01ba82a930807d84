#include "freeze.h"

#include <lauxlib.h>
#include <stdint.h>
#include <string.h>

/* Deeper than any rule; guards the C stack. */
enum { DEPTH_MAX = 100 };

struct freeze {
    lua_State *S;
    int memo, notes, depth;
};

static int refuse_write(lua_State *S) {
    return luaL_error(S,
                      "a rule keeps no state: what is outside of its function cannot be changed");
}

static int length_of(lua_State *S) {
    lua_pushvalue(S, lua_upvalueindex(1));
    return 1;
}

/* Pushes an empty table that reads as the table at index. */
static void push_view(lua_State *S, int index) {
    lua_newtable(S);
    lua_createtable(S, 0, 4);
    lua_pushvalue(S, index);
    lua_setfield(S, -2, "__index");
    if (luaL_getmetafield(S, index, "__newindex") == LUA_TNIL) {
        lua_pushcfunction(S, refuse_write);
    }
    lua_setfield(S, -2, "__newindex");
    /* Counted once: of a list with holes Lua says another length after an item of it has been read. */
    lua_pushinteger(S, (lua_Integer)lua_rawlen(S, index));
    lua_pushcclosure(S, length_of, 1);
    lua_setfield(S, -2, "__len");
    lua_setmetatable(S, -2);
}

/* memo[value at index] = value on top, which stays. */
static void remember(const struct freeze *f, int index) {
    lua_pushvalue(f->S, index);
    lua_pushvalue(f->S, -2);
    lua_rawset(f->S, f->memo);
}

static void freeze_top(struct freeze *f);

static void freeze_fields(struct freeze *f, int table) {
    lua_State *S = f->S;
    lua_pushnil(S);
    while (lua_next(S, table)) {
        int type = lua_type(S, -1);
        /* A rule has only a view of that table, under which nothing stands. */
        if (lua_istable(S, -2)) {
            luaL_error(S, "a rule cannot read what stands under a table in another one");
        }
        if (type != LUA_TTABLE && type != LUA_TFUNCTION) {
            lua_pop(S, 1);
            continue;
        }
        freeze_top(f);
        lua_pushvalue(S, -2);
        lua_insert(S, -2);
        lua_rawset(S, table); /* an existing field: the traversal goes on */
    }
}

/* In front of the table on top comes its view. */
static void freeze_table(struct freeze *f) {
    lua_State *S = f->S;
    int table = lua_gettop(S);
    push_view(S, table);
    remember(f, table);
    remember(f, table + 1); /* a view is its own */
    freeze_fields(f, table);
    lua_replace(S, table);
}

static void note(const struct freeze *f, int function, int n) {
    lua_State *S = f->S;
    lua_Integer count = (lua_Integer)lua_rawlen(S, f->notes);
    lua_pushvalue(S, function);
    lua_rawseti(S, f->notes, count + 1);
    lua_pushinteger(S, n);
    lua_rawseti(S, f->notes, count + 2);
    if (!lua_getupvalue(S, function, n) || lua_isnil(S, -1)) {
        lua_pushlightuserdata(S, f->S); /* stands for nil, which ends lists */
    } else {
        lua_pushvalue(S, -1);
    }
    lua_rawseti(S, f->notes, count + 3);
    lua_pop(S, 1);
}

static void freeze_function(struct freeze *f) {
    lua_State *S = f->S;
    int n, function = lua_gettop(S);
    remember(f, function);
    if (lua_iscfunction(S, function)) {
        return;
    }
    for (n = 1; lua_getupvalue(S, function, n); n++) {
        freeze_top(f);
        lua_setupvalue(S, function, n);
        note(f, function, n);
    }
}

static void freeze_top(struct freeze *f) {
    lua_State *S = f->S;
    int type = lua_type(S, -1);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION) {
        return;
    }
    luaL_checkstack(S, 12, "rule nested too deeply");
    if (++f->depth > DEPTH_MAX) {
        luaL_error(S, "rule nested too deeply");
    }
    lua_pushvalue(S, -1);
    if (lua_rawget(S, f->memo) != LUA_TNIL) {
        lua_replace(S, -2);
    } else {
        lua_pop(S, 1);
        if (type == LUA_TTABLE) {
            freeze_table(f);
        } else {
            freeze_function(f);
        }
    }
    f->depth--;
}

void bp_freeze(lua_State *S, int memo, int notes) {
    struct freeze f = {S, lua_absindex(S, memo), lua_absindex(S, notes), 0};
    freeze_top(&f);
}

/* Numbers are the same only in every bit and as the same type: a rule can tell 1 from 1.0, and 0.0 from -0.0. */
static int same_number(lua_State *S, int a, int b) {
    lua_Number x = lua_tonumber(S, a), y = lua_tonumber(S, b);
    uint64_t bits_x, bits_y;
    if (lua_isinteger(S, a) || lua_isinteger(S, b)) {
        return lua_isinteger(S, a) && lua_isinteger(S, b) && lua_rawequal(S, a, b);
    }
    memcpy(&bits_x, &x, sizeof bits_x);
    memcpy(&bits_y, &y, sizeof bits_y);
    return bits_x == bits_y;
}

static int same(lua_State *S, int a, int b) {
    if (lua_touserdata(S, b) == S) {
        return lua_isnil(S, a);
    }
    if (lua_type(S, a) == LUA_TNUMBER && lua_type(S, b) == LUA_TNUMBER) {
        return same_number(S, a, b);
    }
    return lua_rawequal(S, a, b);
}

const char *bp_freeze_changed(lua_State *S, int notes) {
    lua_Integer i, count = (lua_Integer)lua_rawlen(S, notes);
    for (i = 1; i <= count; i += 3) {
        const char *name;
        int n, top = lua_gettop(S), kept;
        lua_rawgeti(S, notes, i + 1);
        n = (int)lua_tointeger(S, -1);
        lua_rawgeti(S, notes, i);
        name = lua_getupvalue(S, -1, n);
        lua_rawgeti(S, notes, i + 2);
        kept = same(S, -2, -1);
        lua_settop(S, top);
        if (!kept) {
            return name;
        }
    }
    return NULL;
}
