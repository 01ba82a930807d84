#include "sort.h"

#include <lauxlib.h>
#include <limits.h>

/* Stack: what is sorted, what says the order or nil, and two tables that take turns. */
enum { LIST = 1, IS_BEFORE, FROM, TO, SLOTS = TO };

/* Whether the value on top comes before the one under it; both stay. */
static int is_before(lua_State *L) {
    int before;
    if (lua_isnil(L, IS_BEFORE)) {
        return lua_compare(L, -1, -2, LUA_OPLT);
    }
    lua_pushvalue(L, IS_BEFORE);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    before = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return before;
}

/* FROM[begin, middle) and FROM[middle, end), each in order, become TO[begin, end). */
static void merge(lua_State *L, lua_Integer begin, lua_Integer middle, lua_Integer end) {
    lua_Integer left = begin, right = middle, at;
    for (at = begin; at < end; at++) {
        int takes_right = left == middle;
        if (left < middle && right < end) {
            lua_rawgeti(L, FROM, left);
            lua_rawgeti(L, FROM, right);
            takes_right = is_before(L);
            lua_pop(L, 2);
        }
        lua_rawgeti(L, FROM, takes_right ? right++ : left++);
        lua_rawseti(L, TO, at);
    }
}

static lua_Integer least(lua_Integer a, lua_Integer b) {
    return a < b ? a : b;
}

int bp_core_sort(lua_State *L) {
    lua_Integer count, width, begin, i;
    luaL_checktype(L, LIST, LUA_TTABLE);
    if (!lua_isnoneornil(L, IS_BEFORE)) {
        luaL_checktype(L, IS_BEFORE, LUA_TFUNCTION);
    }
    lua_settop(L, IS_BEFORE);
    count = luaL_len(L, LIST);
    luaL_argcheck(L, count < INT_MAX, LIST, "array too big");
    if (count < 2) {
        return 0;
    }
    luaL_checkstack(L, SLOTS + 8, "sort");
    lua_createtable(L, (int)count, 0);
    lua_createtable(L, (int)count, 0);
    for (i = 1; i <= count; i++) {
        lua_geti(L, LIST, i);
        lua_rawseti(L, FROM, i);
    }
    for (width = 1; width < count; width *= 2) {
        for (begin = 1; begin <= count; begin += 2 * width) {
            merge(L, begin, least(begin + width, count + 1), least(begin + 2 * width, count + 1));
        }
        lua_insert(L, FROM); /* TO is the next FROM */
    }
    /* What is in its place already is not written: a list that must not change may be in order. */
    for (i = 1; i <= count; i++) {
        lua_geti(L, LIST, i);
        lua_rawgeti(L, FROM, i);
        if (!lua_rawequal(L, -1, -2)) {
            lua_seti(L, LIST, i);
        }
        lua_settop(L, SLOTS);
    }
    return 0;
}
