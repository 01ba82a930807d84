#include "stats.h"

#include <lauxlib.h>
#include <math.h>

#include "fields.h"
#include "lists.h"
#include "stats/conformal.h"
#include "stats/joint.h"
#include "stats/least_squares.h"

/* A Lua function of residuals, at stack index 1. */
struct callback {
    lua_State *L;
    size_t rows, count;
};

static void call_residuals(void *data, const double *x, size_t changed, double *residuals) {
    struct callback *callback = data;
    lua_State *L = callback->L;
    (void)changed;
    lua_pushvalue(L, 1);
    bp_push_list(L, x, callback->count);
    lua_call(L, 1, 1);
    bp_read_doubles(L, lua_gettop(L), "residuals", residuals, callback->rows);
    lua_pop(L, 1);
}

int bp_core_least_squares(lua_State *L) {
    struct bp_least_squares fit = {0};
    struct callback callback;
    double *weights;
    lua_Integer count;
    lua_settop(L, 4);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    luaL_checktype(L, 3, LUA_TTABLE);
    count = luaL_checkinteger(L, 2);
    luaL_argcheck(L, count >= 0 && count <= 1000, 2, "from 0 to 1000 parameters");
    fit.rows = (size_t)lua_rawlen(L, 3);
    fit.count = (size_t)count;
    weights = bp_push_doubles(L, fit.rows);
    bp_read_doubles(L, 3, "weights", weights, fit.rows);
    callback.L = L;
    callback.rows = fit.rows;
    callback.count = fit.count;
    fit.weights = weights;
    fit.residuals_of = call_residuals;
    fit.data = &callback;
    bp_prepare_fit(L, 4, &fit);
    if (!bp_least_squares_fit(&fit)) {
        bp_raise_input(L, "residuals", "are not finite at the start");
    }
    bp_push_list(L, fit.x, fit.count);
    bp_push_list(L, fit.residuals, fit.rows);
    bp_push_list(L, fit.deviations, fit.count);
    lua_pushnumber(L, fit.scale);
    return 4;
}

int bp_core_conformal_width(lua_State *L) {
    double *scores, *weights, groups, coverage;
    struct bp_weighted *items;
    size_t count, i;
    lua_settop(L, 4);
    luaL_checktype(L, 1, LUA_TTABLE);
    groups = luaL_checknumber(L, 3);
    coverage = luaL_checknumber(L, 4);
    luaL_argcheck(L, groups >= 0, 3, "at least 0 groups");
    luaL_argcheck(L, coverage > 0 && coverage < 1, 4, "a coverage between 0 and 1");
    count = (size_t)lua_rawlen(L, 1);
    scores = bp_push_doubles(L, count);
    weights = bp_push_doubles(L, count);
    bp_read_doubles(L, 1, "scores", scores, count);
    bp_read_doubles(L, 2, "weights", weights, count);
    items = lua_newuserdatauv(L, (count + 1) * sizeof *items, 0);
    for (i = 0; i < count; i++) {
        items[i].value = scores[i];
        items[i].weight = weights[i];
    }
    lua_pushnumber(L, bp_conformal_width(items, count, groups, coverage));
    return 1;
}

enum { MOST_JOINT = 1000, MOST_JOINT_DRAWS = 1 << 16 };

/* A whole number of the table at index 1. */
static size_t count_option(lua_State *L, const char *name, double most) {
    double value = bp_number_option(L, 1, name, 1);
    if (!(value >= 1 && value <= most) || value != floor(value)) {
        bp_raise_input(L, name, "is no number of draws that can be made");
    }
    return (size_t)value;
}

/* The list of numbers `name` of the table at index 1; its userdata stays on the stack. */
static double *numbers_of(lua_State *L, const char *name, size_t count) {
    double *values = bp_push_doubles(L, count);
    lua_getfield(L, 1, name);
    luaL_checktype(L, -1, LUA_TTABLE);
    bp_read_doubles(L, lua_gettop(L), name, values, count);
    lua_pop(L, 1);
    return values;
}

int bp_core_joint_factor(lua_State *L) {
    size_t n = (size_t)luaL_checkinteger(L, 2);
    double *factor;
    luaL_argcheck(L, n <= MOST_JOINT, 2, "at most 1000 numbers");
    luaL_checktype(L, 1, LUA_TTABLE);
    factor = bp_push_doubles(L, n * n);
    bp_read_doubles(L, 1, "covariance", factor, n * n);
    bp_joint_factor(factor, n);
    bp_push_list(L, factor, n * n);
    return 1;
}

int bp_core_joint_draws(lua_State *L) {
    struct bp_joint joint = {0};
    double *factor, *scores, *draw, *values;
    size_t samples, i, j;
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "mean");
    luaL_checktype(L, -1, LUA_TTABLE);
    joint.n = (size_t)lua_rawlen(L, -1);
    luaL_argcheck(L, joint.n <= MOST_JOINT, 1, "at most 1000 numbers");
    samples = count_option(L, "samples", MOST_JOINT_DRAWS);
    joint.seed = (uint64_t)bp_number_option(L, 1, "seed", 1);
    joint.mean = numbers_of(L, "mean", joint.n);
    joint.factor = factor = numbers_of(L, "covariance", joint.n * joint.n);
    bp_joint_factor(factor, joint.n);
    scores = bp_push_doubles(L, joint.n);
    draw = bp_push_doubles(L, joint.n);
    values = bp_push_doubles(L, joint.n * samples);
    for (i = 0; i < samples; i++) {
        bp_joint_draw(&joint, i, scores, draw);
        for (j = 0; j < joint.n; j++) {
            values[j * samples + i] = draw[j];
        }
    }
    lua_createtable(L, (int)joint.n, 0);
    for (j = 0; j < joint.n; j++) {
        bp_push_list(L, values + j * samples, samples);
        lua_rawseti(L, -2, (lua_Integer)j + 1);
    }
    return 1;
}
