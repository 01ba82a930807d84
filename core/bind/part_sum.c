#include "part_sum.h"

#include <lauxlib.h>
#include <math.h>

#include "fields.h"
#include "lists.h"
#include "setters.h"
#include "stats/part_sum.h"

enum { PARTS_MAX = 64 };

/* Points closer than that are told apart: a part that does not vary is nearly a step. */
#define LEAST_RISE 1e-9

/* Field `name` of the table on top of the stack, a list of BP_PART_POINTS numbers at most. */
static size_t read_points(lua_State *L, const char *name, double *out) {
    size_t count;
    lua_getfield(L, -1, name);
    luaL_checktype(L, -1, LUA_TTABLE);
    count = (size_t)lua_rawlen(L, -1);
    if (count < 2 || count > BP_PART_POINTS) {
        bp_raise_input(L, name, "must be a list of 2 to 4 numbers");
    }
    bp_read_doubles(L, lua_gettop(L), name, out, count);
    lua_pop(L, 1);
    return count;
}

static void read_part(lua_State *L, struct bp_part *part) {
    double shares[BP_PART_POINTS], values[BP_PART_POINTS];
    size_t i;
    part->points = read_points(L, "shares", shares);
    if (read_points(L, "values", values) != part->points) {
        bp_raise_input(L, "values", "must be as many as shares");
    }
    for (i = 0; i < part->points; i++) {
        if (!(shares[i] > (i > 0 ? shares[i - 1] : 0) && shares[i] < 1)) {
            bp_raise_input(L, "shares", "must rise from above 0 to below 1");
        }
        if (!(values[i] > 0 && values[i] >= values[i > 0 ? i - 1 : 0])) {
            bp_raise_input(L, "values", "must be above 0 and must not fall");
        }
        part->score[i] = bp_normal_score(shares[i]);
        part->log_value[i] = log(values[i]);
        if (i > 0) {
            part->log_value[i] = fmax(part->log_value[i], part->log_value[i - 1] + LEAST_RISE);
        }
    }
}

/* A quantile of so few cells is not told by them. */
#define LEAST_CELLS 32

/* The quantile of all parts but one, whose sum is there, sought on cells of its own. */
static double without_one(const struct bp_part *parts, size_t count, size_t left_out,
                          const struct bp_sum *sum, double share, struct bp_sum *room) {
    struct bp_part others[PARTS_MAX];
    size_t i, kept = 0;
    for (i = 0; i < count; i++) {
        if (i != left_out) {
            others[kept++] = parts[i];
        }
    }
    return kept > 0 ? bp_sum_quantile_of(others, kept, sum, share, room) : 0;
}

/* Sums of the parts before each (before[i]: the first i) and after it, so that one can be left out. */
static void push_without(lua_State *L, const struct bp_part *parts, size_t count, double width,
                         double share, const struct bp_sum *before, struct bp_sum *room) {
    struct bp_sum *after = &room[0], *one = &room[1], *more = &room[2], *swap;
    double at;
    size_t i;
    lua_createtable(L, (int)count, 0);
    bp_sum_none(after, width);
    for (i = count; i-- > 0;) {
        bp_sum_add(&before[i], after, more);
        at = bp_sum_quantile(more, share);
        if (at < LEAST_CELLS * width) {
            at = without_one(parts, count, i, more, share, &room[3]);
        }
        lua_pushnumber(L, at);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
        bp_sum_part(one, &parts[i], width);
        bp_sum_add(one, after, more);
        swap = after;
        after = more;
        more = swap;
    }
}

int bp_core_part_sum(lua_State *L) {
    struct bp_part parts[PARTS_MAX];
    struct bp_sum *before, *whole, *room;
    double share, limit, width, mean = 0;
    size_t count, i;
    lua_settop(L, 3);
    luaL_checktype(L, 1, LUA_TTABLE);
    share = luaL_checknumber(L, 2);
    limit = luaL_checknumber(L, 3);
    count = (size_t)lua_rawlen(L, 1);
    luaL_argcheck(L, count >= 1 && count <= PARTS_MAX, 1, "from 1 to 64 parts");
    luaL_argcheck(L, share > 0 && share < 1, 2, "a share between 0 and 1");
    for (i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i + 1);
        read_part(L, &parts[i]);
        lua_pop(L, 1);
    }
    width = bp_sum_width(parts, count);
    before = lua_newuserdatauv(L, (count + 1) * sizeof *before, 0);
    room = lua_newuserdatauv(L, 6 * sizeof *room, 0);
    bp_sum_none(&before[0], width);
    lua_newtable(L);
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        double part_mean = bp_part_mean(&parts[i]);
        bp_sum_part(room, &parts[i], width);
        bp_sum_add(&before[i], room, &before[i + 1]);
        mean += part_mean;
        lua_pushnumber(L, part_mean);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "means");
    push_without(L, parts, count, width, share, before, room);
    lua_setfield(L, -2, "without");
    whole = &before[count];
    bp_set_number(L, "quantile", bp_sum_quantile_of(parts, count, whole, share, room));
    bp_set_number(L, "median", bp_sum_quantile_of(parts, count, whole, 0.5, room));
    bp_set_number(L, "below", bp_sum_below_of(parts, count, whole, limit, room));
    bp_set_number(L, "mean", mean);
    return 1;
}
