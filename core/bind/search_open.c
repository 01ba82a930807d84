#include "search_open.h"

#include <lauxlib.h>
#include <math.h>

#include "answer.h"
#include "search.h"
#include "setters.h"

#define METATABLE "ballpark.search"

static struct bp_request *request_at(lua_State *L) {
    return luaL_checkudata(L, 1, METATABLE);
}

static int size_of(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)request_at(L)->space.size);
    return 1;
}

static int position_of(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)request_at(L)->position);
    return 1;
}

static int run(lua_State *L) {
    struct bp_request *request = request_at(L);
    lua_Integer begin = luaL_checkinteger(L, 2), end = luaL_checkinteger(L, 3);
    double seconds = luaL_optnumber(L, 4, INFINITY);
    luaL_argcheck(L, begin >= 0 && begin <= end && (uint64_t)end <= request->space.size, 2,
                  "must be a range of positions");
    bp_search_go(L, request, (uint64_t)begin, (uint64_t)end, seconds);
    return position_of(L);
}

static void collect(struct bp_request *request) {
    bp_workers_collect(request->workers, request->workers_count, &request->found);
}

static void push_top(lua_State *L, const struct bp_topk *topk) {
    size_t i;
    lua_createtable(L, (int)topk->count, 0);
    for (i = 0; i < topk->count; i++) {
        const struct bp_topk_entry *entry = &topk->entries[i];
        lua_createtable(L, 0, 6);
        bp_set_number(L, "rank", entry->rank);
        bp_set_integer(L, "index", entry->index);
        bp_set_number(L, "score", entry->score);
        bp_set_number(L, "usd_h", entry->usd_h);
        bp_set_integer(L, "group", entry->group);
        bp_set_number(L, "step_s", entry->step_s);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_front(lua_State *L, const struct bp_front *front) {
    size_t i;
    int n;
    lua_createtable(L, (int)front->count, 0);
    for (i = 0; i < front->count; i++) {
        const struct bp_front_entry *entry = &front->entries[i];
        lua_createtable(L, 0, 3);
        lua_createtable(L, BP_FRONT_OBJECTIVES, 0);
        for (n = 0; n < BP_FRONT_OBJECTIVES; n++) {
            lua_pushnumber(L, entry->ranks[n]);
            lua_rawseti(L, -2, n + 1);
        }
        lua_setfield(L, -2, "ranks");
        bp_set_integer(L, "index", entry->index);
        bp_set_number(L, "usd_h", entry->usd_h);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_slots(lua_State *L, const struct bp_tally *tally) {
    size_t i;
    int n = 0;
    lua_newtable(L);
    for (i = 0; i < BP_TALLY_SLOTS; i++) {
        if (tally->slots[i].count == 0) {
            continue;
        }
        lua_createtable(L, 0, 4);
        bp_set_integer(L, "slot", i);
        bp_set_integer(L, "count", tally->slots[i].count);
        bp_set_integer(L, "example", tally->slots[i].example);
        bp_set_number(L, "distance", tally->slots[i].distance);
        lua_rawseti(L, -2, ++n);
    }
}

static void push_state(lua_State *L, const struct bp_found *found) {
    lua_createtable(L, 0, 8);
    bp_set_integer(L, "evaluated", found->evaluated);
    bp_set_integer(L, "feasible", found->feasible);
    bp_set_integer(L, "duplicates", found->duplicates);
    push_top(L, &found->topk);
    lua_setfield(L, -2, "top");
    push_front(L, &found->front);
    lua_setfield(L, -2, "front");
    lua_pushboolean(L, found->front.is_full);
    lua_setfield(L, -2, "front_is_full");
    push_slots(L, &found->tally);
    lua_setfield(L, -2, "tally");
}

static int keep(lua_State *L) {
    collect(request_at(L));
    return 0;
}

static int state_of(lua_State *L) {
    struct bp_request *request = request_at(L);
    collect(request);
    push_state(L, &request->found);
    return 1;
}

static int kept(lua_State *L) {
    push_state(L, &request_at(L)->found);
    return 1;
}

static int take(lua_State *L) {
    struct bp_request *request = request_at(L);
    push_state(L, &request->found);
    bp_found_init(&request->found, &request->room, request->found.mark);
    return 1;
}

static uint64_t get_integer(lua_State *L, const char *name) {
    int is_integer;
    lua_Integer value;
    lua_getfield(L, -1, name);
    value = lua_tointegerx(L, -1, &is_integer);
    lua_pop(L, 1);
    if (!is_integer) {
        luaL_error(L, "%s is not a whole number", name);
    }
    return (uint64_t)value;
}

static double get_number(lua_State *L, const char *name) {
    int is_number;
    double value;
    lua_getfield(L, -1, name);
    value = lua_tonumberx(L, -1, &is_number);
    lua_pop(L, 1);
    if (!is_number) {
        luaL_error(L, "%s is not a number", name);
    }
    return value;
}

/* Raises where no plan at this index is kept, or with `kept` 0, where one is: what the sender says of it is not so. */
static void check_plan(lua_State *L, const struct bp_request *request, uint64_t index, int kept,
                       struct bp_candidate *c) {
    struct bp_error err;
    if (index >= request->space.size ||
        (bp_weigh_again(L, request, index, c, &err) == BP_REJECT_NONE) != kept) {
        luaL_error(L, "index is not of such a plan");
    }
}

/*
** Raises where the plan takes another time here: another version of the program has another model of it, and its
** plans cannot be ranked among ours. C libraries of other machines differ in the last digits only.
*/
static void check_step(lua_State *L, const struct bp_candidate *c, double step_s) {
    const double digits = 1e-9;
    double ours = c->time.step_s * (1 + c->worth.handicap);
    if (!(fabs(step_s - ours) <= digits * ours)) { /* also refuses NaN */
        luaL_error(L,
                   "a step of %f s is one of %f s here: it is of another version, or was changed",
                   step_s, ours);
    }
}

static void add_top(lua_State *L, struct bp_request *request, int foreign) {
    struct bp_topk_entry entry;
    struct bp_candidate c = {0};
    entry.rank = get_number(L, "rank");
    entry.index = get_integer(L, "index");
    entry.score = get_number(L, "score");
    entry.usd_h = get_number(L, "usd_h");
    entry.group = get_integer(L, "group");
    entry.step_s = get_number(L, "step_s");
    if (foreign) {
        check_plan(L, request, entry.index, 1, &c);
        check_step(L, &c, entry.step_s);
    }
    bp_topk_offer(&request->found.topk, &entry);
}

static void add_front(lua_State *L, struct bp_request *request, int foreign) {
    struct bp_front_entry entry;
    struct bp_candidate c;
    int n;
    entry.index = get_integer(L, "index");
    entry.usd_h = get_number(L, "usd_h");
    if (foreign) {
        check_plan(L, request, entry.index, 1, &c);
    }
    if (lua_getfield(L, -1, "ranks") != LUA_TTABLE) {
        luaL_error(L, "ranks is not a list");
    }
    for (n = 0; n < BP_FRONT_OBJECTIVES; n++) {
        lua_rawgeti(L, -1, n + 1);
        entry.ranks[n] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    bp_front_offer(&request->found.front, &entry);
}

static void add_slot(lua_State *L, struct bp_request *request, int foreign) {
    uint64_t slot = get_integer(L, "slot"), example = get_integer(L, "example");
    struct bp_candidate c;
    if (slot >= BP_REJECT_COUNT + request->rules->count && slot != BP_TALLY_BOUNDED) {
        luaL_error(L, "slot is none of the tally");
    }
    if (foreign && slot != BP_TALLY_BOUNDED) { /* of what a bound leaves out no example is shown */
        check_plan(L, request, example, slot >= BP_REJECT_COUNT, &c);
    }
    bp_tally_add(&request->found.tally, (size_t)slot, get_integer(L, "count"), example,
                 get_number(L, "distance"));
}

/* Calls add for every entry of the list in the table on top. */
static void add_list(lua_State *L, const char *name, struct bp_request *request, int foreign,
                     void (*add)(lua_State *L, struct bp_request *request, int foreign)) {
    lua_Integer i, count;
    if (lua_getfield(L, -1, name) != LUA_TTABLE) {
        luaL_error(L, "%s is not a list", name);
    }
    count = (lua_Integer)lua_rawlen(L, -1);
    for (i = 1; i <= count; i++) {
        if (lua_rawgeti(L, -1, i) != LUA_TTABLE) {
            luaL_error(L, "%s holds what is not a table", name);
        }
        add(L, request, foreign);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/*
** add(state [, foreign]). Raises plain errors for a table that no state() made; of a foreign one, from a file
** that anybody may have written, all plans are looked at, too.
*/
static int add_state(lua_State *L) {
    struct bp_request *request = request_at(L);
    int foreign = lua_toboolean(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    request->found.evaluated += get_integer(L, "evaluated");
    request->found.feasible += get_integer(L, "feasible");
    request->found.duplicates += get_integer(L, "duplicates");
    lua_getfield(L, 2, "front_is_full");
    request->found.front.is_full |= lua_toboolean(L, -1);
    lua_pop(L, 1);
    add_list(L, "top", request, foreign, add_top);
    add_list(L, "front", request, foreign, add_front);
    add_list(L, "tally", request, foreign, add_slot);
    return 0;
}

static int answer_of(lua_State *L) {
    struct bp_request *request = request_at(L);
    collect(request);
    request->rules->view.names_state = L;
    bp_push_answer(L, request, request->rules);
    return 1;
}

static const luaL_Reg methods[] = {
    {"size", size_of}, {"position", position_of}, {"run", run},
    {"keep", keep},    {"state", state_of},       {"kept", kept},
    {"take", take},    {"add", add_state},        {"answer", answer_of},
    {NULL, NULL},
};

void bp_search_set_methods(lua_State *L) {
    if (luaL_newmetatable(L, METATABLE)) {
        luaL_newlib(L, methods);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
}
