#include "batch.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "lists.h"
#include "stats/train_fit.h"

#define BATCH "ballpark.batch"

/* Everything is in userdata: Lua frees it, whatever raises. */
struct batch {
    struct bp_train_fit fit;
    struct bp_train_run *runs;
    struct bp_coefficient *coefficients;
};

/* Slots for the userdata that a batch refers to. */
enum { KEEP_RUNS = 1, KEEP_COEFFICIENTS, KEEP_APPLIES, KEEP_GIVEN, KEEP_COUNT = KEEP_GIVEN };

static int raise_at(lua_State *L, const char *list, size_t i, const char *field, const char *text) {
    char path[BP_FIELD_MAX + 48];
    snprintf(path, sizeof path, "%s[%zu]%s%s", list, i + 1, *field ? "." : "", field);
    return bp_raise_input(L, path, text);
}

/* Pushes the list in the field `name` of the table at index 1. */
static size_t push_list_field(lua_State *L, const char *name) {
    lua_getfield(L, 1, name);
    if (!lua_istable(L, -1)) {
        bp_raise_input(L, name, "must be a list");
    }
    return (size_t)lua_rawlen(L, -1);
}

static void read_runs(lua_State *L, struct batch *batch, size_t rows) {
    struct bp_error err;
    size_t i;
    for (i = 0; i < rows; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "inputs[%zu]", i + 1);
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        bp_read_struct(L, lua_gettop(L), &bp_train_step_in_schema, prefix, &batch->runs[i].in);
        lua_pop(L, 1);
        batch->runs[i].measured_s = 0;
        if (bp_train_run_resolve(&batch->runs[i], &err) != BP_OK) {
            raise_at(L, "inputs", i, err.field, err.text);
        }
    }
}

static void read_measured(lua_State *L, struct batch *batch) {
    size_t i;
    lua_getfield(L, 1, "measured");
    for (i = 0; lua_istable(L, -1) && i < batch->fit.rows; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (lua_type(L, -1) == LUA_TNUMBER) {
            double value = lua_tonumber(L, -1);
            if (!(value > 0 && isfinite(value))) {
                raise_at(L, "measured", i, "", "must be above 0 and finite");
            }
            batch->runs[i].measured_s = value;
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* The number that "network.scaleout.util" names, as an offset in the input. */
static const struct bp_field *find_number(const char *path, size_t *offset) {
    const struct bp_schema *schema = &bp_train_step_in_schema;
    const struct bp_field *field = NULL;
    *offset = 0;
    while (schema && *path) {
        char name[BP_FIELD_MAX];
        size_t length = strcspn(path, ".");
        if (length >= sizeof name) {
            return NULL;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        field = bp_field_find(schema, name);
        if (!field || field->kind == BP_NOTE) {
            return NULL;
        }
        *offset += field->offset;
        schema = field->kind == BP_STRUCT ? field->sub : NULL;
        path += length + (path[length] == '.');
    }
    return field && field->kind == BP_NUM && !*path ? field : NULL;
}

static void read_applies(lua_State *L, size_t j, size_t rows, unsigned char *applies) {
    lua_Integer i, n;
    lua_getfield(L, -1, "rows");
    memset(applies, lua_isnil(L, -1), rows);
    n = lua_istable(L, -1) ? (lua_Integer)lua_rawlen(L, -1) : 0;
    for (i = 1; i <= n; i++) {
        lua_Integer row;
        lua_rawgeti(L, -1, i);
        row = lua_tointeger(L, -1);
        if (row < 1 || (size_t)row > rows) {
            raise_at(L, "coefficients", j, "rows", "names an input that is not there");
        }
        applies[row - 1] = 1;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* The coefficient on top of the stack. */
static void read_coefficient(lua_State *L, const struct batch *batch, size_t j,
                             unsigned char *applies, double *given) {
    struct bp_coefficient *c = &batch->coefficients[j];
    const struct bp_field *field;
    size_t i;
    int at = lua_gettop(L);
    if (!lua_istable(L, at)) {
        raise_at(L, "coefficients", j, "", "must be a table");
    }
    lua_getfield(L, at, "field");
    field = find_number(luaL_optstring(L, -1, ""), &c->offset);
    if (!field) {
        raise_at(L, "coefficients", j, "field", "names no number of an estimate's input");
        return;
    }
    lua_pop(L, 1);
    lua_getfield(L, at, "times");
    c->times = lua_toboolean(L, -1);
    lua_pop(L, 1);
    c->prior = bp_number_option(L, at, "prior", 1);
    c->width = bp_number_option(L, at, "width", 1);
    c->low = bp_number_option(L, at, "low", 0);
    c->high = bp_number_option(L, at, "high", INFINITY);
    c->least = field->min;
    c->most = field->max;
    read_applies(L, j, batch->fit.rows, applies);
    for (i = 0; i < batch->fit.rows; i++) {
        const char *in = (const char *)&batch->runs[i].in;
        given[i] = *(const double *)(const void *)(in + c->offset);
    }
    c->applies = applies;
    c->given = given;
}

static void read_coefficients(lua_State *L, struct batch *batch, unsigned char *applies,
                              double *given) {
    size_t rows = batch->fit.rows, j;
    for (j = 0; j < batch->fit.count; j++) {
        lua_rawgeti(L, -1, (lua_Integer)j + 1);
        read_coefficient(L, batch, j, applies + j * rows, given + j * rows);
        lua_pop(L, 1);
    }
}

/* A new userdata that lives as long as the batch at index `owner`. */
static void *keep(lua_State *L, int owner, int slot, size_t size) {
    void *memory = lua_newuserdatauv(L, size ? size : 1, 0);
    lua_setiuservalue(L, owner, slot);
    return memory;
}

static struct batch *check_batch(lua_State *L) {
    return luaL_checkudata(L, 1, BATCH);
}

/* x at the stack index, in a userdata that is pushed; NULL when it is nil. */
static const double *read_point(lua_State *L, int index, const struct batch *batch) {
    double *x;
    if (lua_isnoneornil(L, index)) {
        return NULL;
    }
    x = bp_push_doubles(L, batch->fit.count);
    bp_read_doubles(L, index, "x", x, batch->fit.count);
    return x;
}

static int push_steps(lua_State *L, int as_residuals) {
    struct batch *batch = check_batch(L);
    const double *x = read_point(L, 2, batch);
    size_t i;
    lua_createtable(L, (int)batch->fit.rows, 0);
    for (i = 0; i < batch->fit.rows; i++) {
        double measured_s = batch->runs[i].measured_s;
        double step_s = bp_train_fit_step(&batch->fit, i, x);
        if (as_residuals ? measured_s > 0 && isfinite(step_s) : isfinite(step_s)) {
            lua_pushnumber(L, as_residuals ? log(step_s / measured_s) : step_s);
        } else {
            lua_pushboolean(L, 0);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int batch_steps(lua_State *L) {
    return push_steps(L, 0);
}

static int batch_residuals(lua_State *L) {
    return push_steps(L, 1);
}

static int batch_values(lua_State *L) {
    struct batch *batch = check_batch(L);
    const double *x = read_point(L, 2, batch);
    size_t j;
    lua_createtable(L, (int)batch->fit.count, 0);
    for (j = 0; j < batch->fit.count; j++) {
        lua_pushnumber(L, bp_coefficient_value(&batch->coefficients[j], x ? x[j] : 0));
        lua_rawseti(L, -2, (lua_Integer)j + 1);
    }
    return 1;
}

static int batch_spreads(lua_State *L) {
    struct batch *batch = check_batch(L);
    size_t count = batch->fit.count, i;
    double *x = bp_push_doubles(L, count), *deviations = bp_push_doubles(L, count);
    bp_read_doubles(L, 2, "x", x, count);
    bp_read_doubles(L, 3, "deviations", deviations, count);
    lua_createtable(L, (int)batch->fit.rows, 0);
    for (i = 0; i < batch->fit.rows; i++) {
        double spread = bp_train_fit_spread(&batch->fit, i, x, deviations);
        if (isfinite(spread)) {
            lua_pushnumber(L, spread);
        } else {
            lua_pushboolean(L, 0);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int batch_slopes(lua_State *L) {
    struct batch *batch = check_batch(L);
    size_t count = batch->fit.count, i;
    double *x = bp_push_doubles(L, count), *slopes = bp_push_doubles(L, count);
    bp_read_doubles(L, 2, "x", x, count);
    lua_createtable(L, (int)batch->fit.rows, 0);
    for (i = 0; i < batch->fit.rows; i++) {
        bp_train_fit_slopes(&batch->fit, i, x, slopes);
        if (count == 0 || isfinite(slopes[0])) {
            bp_push_list(L, slopes, count);
        } else {
            lua_pushboolean(L, 0);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static const double *read_weights(lua_State *L, const struct batch *batch) {
    size_t i, rows = batch->fit.rows;
    double *weights = bp_push_doubles(L, rows);
    lua_getfield(L, 2, "weights");
    if (!lua_isnil(L, -1)) {
        bp_read_doubles(L, lua_gettop(L), "weights", weights, rows);
    }
    for (i = 0; i < rows; i++) {
        weights[i] = lua_isnil(L, -1) ? 1 : fmax(0, weights[i]);
        weights[i] = batch->runs[i].measured_s > 0 ? weights[i] : 0;
    }
    lua_pop(L, 1);
    return weights;
}

static void set_list(lua_State *L, const char *name, const double *values, size_t count) {
    bp_push_list(L, values, count);
    lua_setfield(L, -2, name);
}

static int batch_fit(lua_State *L) {
    struct batch *batch = check_batch(L);
    struct bp_train_fit problem = batch->fit;
    struct bp_least_squares fit = {0};
    lua_settop(L, 2);
    luaL_checktype(L, 2, LUA_TTABLE);
    fit.rows = problem.rows;
    fit.count = problem.count;
    fit.weights = problem.weights = read_weights(L, batch);
    fit.residuals_of = bp_train_fit_residuals;
    fit.data = &problem;
    bp_prepare_fit(L, 2, &fit);
    if (!bp_least_squares_fit(&fit)) {
        bp_raise_input(L, "batch", "has no finite estimate to start from");
    }
    lua_createtable(L, 0, 3);
    set_list(L, "x", fit.x, fit.count);
    set_list(L, "deviations", fit.deviations, fit.count);
    lua_pushnumber(L, fit.scale);
    lua_setfield(L, -2, "scale");
    return 1;
}

static const luaL_Reg methods[] = {
    {"steps", batch_steps},
    {"residuals", batch_residuals},
    {"values", batch_values},
    {"spreads", batch_spreads},
    {"slopes", batch_slopes},
    {"fit", batch_fit},
    {NULL, NULL},
};

static void push_methods(lua_State *L) {
    if (luaL_newmetatable(L, BATCH)) {
        luaL_newlib(L, methods);
        lua_setfield(L, -2, "__index");
    }
}

int bp_core_batch(lua_State *L) {
    struct batch *batch;
    unsigned char *applies;
    double *given;
    size_t rows, count;
    lua_settop(L, 1);
    luaL_checkstack(L, 20, "batch");
    luaL_checktype(L, 1, LUA_TTABLE);
    batch = lua_newuserdatauv(L, sizeof *batch, KEEP_COUNT);
    memset(batch, 0, sizeof *batch);
    rows = push_list_field(L, "inputs");
    batch->runs = keep(L, 2, KEEP_RUNS, rows * sizeof *batch->runs);
    read_runs(L, batch, rows);
    batch->fit.runs = batch->runs;
    batch->fit.rows = rows;
    read_measured(L, batch);
    count = push_list_field(L, "coefficients");
    batch->coefficients = keep(L, 2, KEEP_COEFFICIENTS, count * sizeof *batch->coefficients);
    applies = keep(L, 2, KEEP_APPLIES, count * rows);
    given = keep(L, 2, KEEP_GIVEN, count * rows * sizeof *given);
    batch->fit.coefficients = batch->coefficients;
    batch->fit.count = count;
    read_coefficients(L, batch, applies, given);
    lua_settop(L, 2);
    push_methods(L);
    lua_setmetatable(L, 2);
    return 1;
}
