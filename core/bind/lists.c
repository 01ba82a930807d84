#include "lists.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

double *bp_push_doubles(lua_State *L, size_t count) {
    return lua_newuserdatauv(L, (count ? count : 1) * sizeof(double), 0);
}

static int raise_list(lua_State *L, const char *name, const char *what, size_t i) {
    char text[96];
    snprintf(text, sizeof text, "%s (entry %zu)", what, i + 1);
    return bp_raise_input(L, name, text);
}

void bp_read_doubles(lua_State *L, int index, const char *name, double *out, size_t count) {
    size_t i;
    if (!lua_istable(L, index) || lua_rawlen(L, index) != count) {
        char text[96];
        snprintf(text, sizeof text, "must be a list of %zu numbers", count);
        bp_raise_input(L, name, text);
    }
    for (i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1))) {
            raise_list(L, name, "must be finite numbers", i);
        }
        out[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

void bp_push_list(lua_State *L, const double *values, size_t count) {
    size_t i;
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        lua_pushnumber(L, values[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

double bp_number_option(lua_State *L, int index, const char *name, double otherwise) {
    double value = otherwise;
    if (!lua_istable(L, index)) {
        return otherwise;
    }
    lua_getfield(L, index, name);
    if (!lua_isnil(L, -1)) {
        if (lua_type(L, -1) != LUA_TNUMBER || isnan(lua_tonumber(L, -1))) {
            bp_raise_input(L, name, "must be a number");
        }
        value = lua_tonumber(L, -1);
    }
    lua_pop(L, 1);
    return value;
}

/* Iterations after which a fit is good enough: they double the digits near the minimum. */
enum { ITERATIONS = 20, MOST_ITERATIONS = 1000 };

static enum bp_loss loss_option(lua_State *L, int index) {
    static const char *const names[] = {"cauchy", "huber", "square"};
    enum bp_loss found = BP_LOSS_CAUCHY;
    const char *name;
    size_t i;
    if (!lua_istable(L, index)) {
        return found;
    }
    lua_getfield(L, index, "loss");
    name = lua_tostring(L, -1);
    for (i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            lua_pop(L, 1);
            return (enum bp_loss)i;
        }
    }
    if (!lua_isnil(L, -1)) {
        bp_raise_input(L, "loss", "must be cauchy, huber or square");
    }
    lua_pop(L, 1);
    return found;
}

static void read_start(lua_State *L, int index, double *x, size_t count) {
    memset(x, 0, count * sizeof *x);
    if (!lua_istable(L, index)) {
        return;
    }
    lua_getfield(L, index, "start");
    if (!lua_isnil(L, -1)) {
        bp_read_doubles(L, lua_gettop(L), "start", x, count);
    }
    lua_pop(L, 1);
}

void bp_prepare_fit(lua_State *L, int options, struct bp_least_squares *fit) {
    double iterations = bp_number_option(L, options, "iterations", ITERATIONS);
    fit->iterations = (int)fmin(fmax(iterations, 0), MOST_ITERATIONS);
    fit->loss = loss_option(L, options);
    fit->step = bp_number_option(L, options, "step", 0);
    fit->least_scale = bp_number_option(L, options, "least_scale", 0);
    fit->most_scale = bp_number_option(L, options, "most_scale", 0);
    fit->work = bp_push_doubles(L, bp_least_squares_work(fit->rows, fit->count));
    fit->x = bp_push_doubles(L, fit->count);
    fit->residuals = bp_push_doubles(L, fit->rows);
    fit->deviations = bp_push_doubles(L, fit->count);
    read_start(L, options, fit->x, fit->count);
}
