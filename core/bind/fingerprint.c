#include "fingerprint.h"

#include <lauxlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Deeper than any answer; guards the C stack. What is below counts as the same. */
enum { DEPTH_MAX = 100 };

struct walk {
    lua_State *L;
    int seen; /* fingerprints by table; of one that is not done yet, 0 */
    int depth;
};

static uint64_t of_any(struct walk *w, int index);

static uint64_t joined(uint64_t a, uint64_t b) {
    uint64_t both[2] = {a, b};
    return XXH3_64bits(both, sizeof both);
}

/* A sum: fields of a table come in any order. */
static uint64_t of_fields(struct walk *w, int table) {
    lua_State *L = w->L;
    uint64_t sum = 1;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        int value = lua_gettop(L);
        sum += joined(of_any(w, value - 1), of_any(w, value));
        lua_settop(L, value - 1);
    }
    return sum;
}

static uint64_t of_table(struct walk *w, int index) {
    lua_State *L = w->L;
    uint64_t print;
    if (lua_rawgetp(L, w->seen, lua_topointer(L, index)) == LUA_TNUMBER) {
        print = (uint64_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
        return print;
    }
    lua_pop(L, 1);
    if (w->depth >= DEPTH_MAX || !lua_checkstack(L, 8)) {
        return 0;
    }
    lua_pushinteger(L, 0);
    lua_rawsetp(L, w->seen, lua_topointer(L, index));
    w->depth++;
    print = of_fields(w, index);
    w->depth--;
    lua_pushinteger(L, (lua_Integer)print);
    lua_rawsetp(L, w->seen, lua_topointer(L, index));
    return print;
}

static uint64_t of_number(lua_State *L, int index) {
    lua_Integer whole = lua_tointeger(L, index);
    lua_Number number = lua_tonumber(L, index);
    return lua_isinteger(L, index) ? XXH3_64bits(&whole, sizeof whole)
                                   : XXH3_64bits(&number, sizeof number);
}

static uint64_t of_any(struct walk *w, int index) {
    lua_State *L = w->L;
    int type = lua_type(L, index);
    const void *address;
    const char *text;
    size_t size;
    uint64_t print;
    switch (type) {
    case LUA_TNIL:
        print = 0;
        break;
    case LUA_TBOOLEAN:
        print = (uint64_t)lua_toboolean(L, index);
        break;
    case LUA_TNUMBER:
        print = of_number(L, index);
        break;
    case LUA_TSTRING:
        text = lua_tolstring(L, index, &size);
        print = XXH3_64bits(text, size);
        break;
    case LUA_TTABLE:
        print = of_table(w, index);
        break;
    default:
        address = lua_topointer(L, index);
        print = XXH3_64bits(&address, sizeof address);
        break;
    }
    return joined((uint64_t)type, print);
}

int bp_core_fingerprint(lua_State *L) {
    struct walk w = {L, 2, 0};
    lua_settop(L, 1);
    lua_newtable(L);
    lua_pushinteger(L, (lua_Integer)of_any(&w, 1));
    return 1;
}
