#include "draws.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "fields.h"
#include "lists.h"
#include "setters.h"
#include "stats/draws.h"
#include "stats/lattice.h"
#include "threads/crew.h"

static const char *const kinds[] = {"uniform", "normal",    "lognormal", "triangular",
                                    "beta",    "empirical", "mixture",   NULL};

static void *room_of(lua_State *L, size_t count, size_t size) {
    return lua_newuserdatauv(L, (count + 1) * size, 0);
}

static size_t list_length(lua_State *L, int index, const char *name) {
    int type = lua_getfield(L, index, name);
    size_t count = type == LUA_TTABLE ? (size_t)lua_rawlen(L, -1) : 0;
    lua_pop(L, 1);
    return count;
}

/* The list of numbers `name` of the table; its userdata stays on the stack, below what the caller had on top. */
static double *numbers_of(lua_State *L, int index, const char *name, size_t *count) {
    double *values;
    *count = list_length(L, index, name);
    values = bp_push_doubles(L, *count);
    lua_getfield(L, index, name);
    if (*count > 0) {
        bp_read_doubles(L, lua_gettop(L), name, values, *count);
    }
    lua_pop(L, 1);
    return values;
}

/* Reads the spread at index; what it points to stays on the stack. */
static void read_spread(lua_State *L, int index, struct bp_spread *out) {
    struct bp_spread *parts;
    size_t i;
    luaL_checkstack(L, 16, "distributions nested too deeply");
    luaL_checktype(L, index, LUA_TTABLE);
    memset(out, 0, sizeof *out);
    lua_getfield(L, index, "kind");
    out->kind = (enum bp_spread_kind)luaL_checkoption(L, -1, NULL, kinds);
    lua_pop(L, 1);
    out->a = bp_number_option(L, index, "a", 0);
    out->b = bp_number_option(L, index, "b", 0);
    out->c = bp_number_option(L, index, "c", 0);
    out->d = bp_number_option(L, index, "d", 0);
    out->values = numbers_of(L, index, "values", &out->count);
    if (out->kind != BP_SPREAD_MIXTURE) {
        return;
    }
    parts = room_of(L, out->count, sizeof *parts);
    out->parts = parts;
    for (i = 0; i < out->count; i++) {
        lua_getfield(L, index, "parts");
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        lua_remove(L, -2);
        read_spread(L, lua_gettop(L), &parts[i]);
    }
}

int bp_core_spread_value(lua_State *L) {
    struct bp_spread spread;
    double u = luaL_checknumber(L, 2);
    luaL_argcheck(L, u > 0 && u < 1, 2, "between 0 and 1");
    read_spread(L, 1, &spread);
    lua_pushnumber(L, bp_spread_value(&spread, u));
    return 1;
}

/* Correlations at field "correlations" of the table as a factor, or NULL where there are none. */
static const double *factor_of(lua_State *L, int index, size_t count) {
    size_t pairs = list_length(L, index, "correlations"), i;
    double *matrix;
    if (pairs == 0) {
        return NULL;
    }
    matrix = bp_push_doubles(L, count * count);
    memset(matrix, 0, count * count * sizeof *matrix);
    for (i = 0; i < count; i++) {
        matrix[i * count + i] = 1;
    }
    lua_getfield(L, index, "correlations");
    for (i = 0; i < pairs; i++) {
        double pair[3];
        size_t a, b;
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        bp_read_doubles(L, lua_gettop(L), "correlations", pair, 3);
        a = (size_t)pair[0] - 1;
        b = (size_t)pair[1] - 1;
        if (a >= count || b >= count || a == b) {
            bp_raise_input(L, "correlations", "must be of two inputs");
        }
        matrix[a * count + b] = matrix[b * count + a] = pair[2];
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (!bp_cholesky(matrix, count)) {
        bp_raise_input(L, "correlations",
                       "contradict each other: no numbers hang together like that");
    }
    return matrix;
}

static size_t whole_of(lua_State *L, int index, const char *name, double least, double most) {
    double value = bp_number_option(L, index, name, least);
    if (!(value >= least && value <= most) || value != floor(value)) {
        char text[96];
        lua_Integer low = (lua_Integer)least, high = (lua_Integer)most;
        lua_pushfstring(L, "must be a whole number from %I to %I", (LUAI_UACINT)low,
                        (LUAI_UACINT)high);
        strncpy(text, lua_tostring(L, -1), sizeof text - 1);
        text[sizeof text - 1] = 0;
        bp_raise_input(L, name, text);
    }
    return (size_t)value;
}

/* What the inputs are; all they point to stays on the stack. */
static void read_inputs(lua_State *L, int index, struct bp_inputs *out) {
    struct bp_sampled *sampled;
    size_t i;
    out->count = list_length(L, index, "inputs");
    if (out->count == 0 || 2 * out->count > BP_LATTICE_DIMENSIONS) {
        char text[64];
        lua_pushfstring(L, "must be 1 to %d uncertain numbers", BP_LATTICE_DIMENSIONS / 2);
        strncpy(text, lua_tostring(L, -1), sizeof text - 1);
        text[sizeof text - 1] = 0;
        bp_raise_input(L, "inputs", text);
    }
    sampled = room_of(L, out->count, sizeof *sampled);
    for (i = 0; i < out->count; i++) {
        struct bp_spread spread;
        lua_getfield(L, index, "inputs");
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        lua_remove(L, -2);
        read_spread(L, lua_gettop(L), &spread);
        bp_sampled_init(&sampled[i], &spread);
    }
    out->sampled = sampled;
    out->factor = factor_of(L, index, out->count);
    out->seed = (uint64_t)bp_number_option(L, index, "seed", 1);
}

int bp_core_draw_values(lua_State *L) {
    struct bp_inputs inputs;
    size_t samples, first, k, i;
    enum bp_matrix matrix;
    double *block, *values;
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    samples = whole_of(L, 1, "samples", 1, BP_LATTICE_POINTS);
    lua_getfield(L, 1, "other");
    matrix = lua_toboolean(L, -1) ? BP_MATRIX_B : BP_MATRIX_A;
    read_inputs(L, 1, &inputs);
    block = bp_push_doubles(L, inputs.count * BP_TAPE_BLOCK);
    values = bp_push_doubles(L, inputs.count * samples);
    for (first = 0; first < samples; first += BP_TAPE_BLOCK) {
        size_t count = samples - first < BP_TAPE_BLOCK ? samples - first : BP_TAPE_BLOCK;
        bp_draw_block(&inputs, matrix, -1, (uint32_t)first, count, block);
        for (k = 0; k < inputs.count; k++) {
            for (i = 0; i < count; i++) {
                values[k * samples + first + i] = block[k * BP_TAPE_BLOCK + i];
            }
        }
    }
    lua_createtable(L, (int)inputs.count, 0);
    for (k = 0; k < inputs.count; k++) {
        bp_push_list(L, values + k * samples, samples);
        lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    return 1;
}

/* One line { op, a, b, c }, which is on top of the stack, with values below `known`. */
static void read_line(lua_State *L, size_t known, struct bp_tape_line *out) {
    uint32_t *operands[3];
    int i;
    operands[0] = &out->a;
    operands[1] = &out->b;
    operands[2] = &out->c;
    lua_rawgeti(L, -1, 1);
    out->op = (enum bp_tape_op)luaL_checkoption(L, -1, NULL, bp_tape_op_names);
    lua_pop(L, 1);
    for (i = 0; i < 3; i++) {
        lua_Integer at;
        lua_rawgeti(L, -1, i + 2);
        at = luaL_optinteger(L, -1, 0);
        lua_pop(L, 1);
        if (at < 0 || (size_t)at >= known) {
            bp_raise_input(L, "lines", "reads a value that is not there yet");
        }
        *operands[i] = (uint32_t)at;
    }
}

static void read_tape(lua_State *L, int index, size_t inputs, struct bp_tape *out) {
    struct bp_tape_line *lines;
    size_t i;
    out->inputs = inputs;
    out->constant = numbers_of(L, index, "constants", &out->constants);
    out->lines = list_length(L, index, "lines");
    lines = room_of(L, out->lines, sizeof *lines);
    out->line = lines;
    lua_getfield(L, index, "lines");
    for (i = 0; i < out->lines; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        read_line(L, inputs + out->constants + i, &lines[i]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void run(lua_State *L, const struct bp_draws_request *request, double *const *outputs) {
    if (bp_draws_run(request, outputs) != BP_DRAWS_OK) {
        luaL_error(L, "not enough memory");
    }
}

/* The outputs of one run, a list of `samples` doubles by result, in userdata that stay on the stack. */
static double **push_outputs(lua_State *L, size_t results, size_t samples) {
    double **outputs = room_of(L, results, sizeof *outputs);
    size_t k;
    luaL_checkstack(L, (int)results + 16, "too many results");
    for (k = 0; k < results; k++) {
        outputs[k] = bp_push_doubles(L, samples);
    }
    return outputs;
}

/* Mean, deviation and the share beyond the limits of the result, whose table is on top of the stack. */
static void set_moments(lua_State *L, int index, size_t result, const double *values, size_t n) {
    double mean = 0, squares = 0, least = -INFINITY, most = INFINITY;
    size_t broken = 0, i;
    lua_getfield(L, index, "limits");
    if (lua_istable(L, -1) && lua_rawgeti(L, -1, (lua_Integer)result + 1) == LUA_TTABLE) {
        least = bp_number_option(L, lua_gettop(L), "least", -INFINITY);
        most = bp_number_option(L, lua_gettop(L), "most", INFINITY);
    }
    for (i = 0; i < n; i++) {
        mean += values[i];
        broken += values[i] < least || values[i] > most;
    }
    mean /= (double)n;
    for (i = 0; i < n; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    lua_newtable(L);
    bp_set_number(L, "mean", mean);
    bp_set_number(L, "deviation", sqrt(squares / (double)n));
    bp_set_number(L, "broken", (double)broken / (double)n);
}

static void set_quantiles(lua_State *L, int index, double *values, size_t n) {
    size_t count, i;
    double *shares = numbers_of(L, index, "shares", &count);
    lua_newtable(L);
    for (i = 0; i < count; i++) {
        lua_pushnumber(L, bp_quantile(values, n, shares[i]));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_remove(L, -2);
    lua_setfield(L, -2, "quantiles");
}

static int all_finite(const double *values, size_t n) {
    double sum = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        sum += values[i] * 0;
    }
    return sum == 0;
}

/* Sobol indices of all results into the tables of the answer at `answer`. */
static void set_indices(lua_State *L, int answer, struct bp_draws_request request, size_t base) {
    size_t inputs = request.inputs->count, k, i;
    double **a, **b, **ab;
    request.samples = base;
    a = push_outputs(L, request.results, base);
    b = push_outputs(L, request.results, base);
    ab = push_outputs(L, request.results, base);
    run(L, &request, a);
    request.matrix = BP_MATRIX_B;
    run(L, &request, b);
    request.matrix = BP_MATRIX_A;
    for (k = 0; k < request.results; k++) {
        lua_rawgeti(L, answer, (lua_Integer)k + 1);
        lua_newtable(L);
        lua_setfield(L, -2, "first");
        lua_newtable(L);
        lua_setfield(L, -2, "total");
        lua_pop(L, 1);
    }
    for (i = 0; i < inputs; i++) {
        request.swapped = (long)i;
        run(L, &request, ab);
        for (k = 0; k < request.results; k++) {
            double first, total;
            bp_sobol_indices(a[k], b[k], ab[k], base, &first, &total);
            lua_rawgeti(L, answer, (lua_Integer)k + 1);
            lua_getfield(L, -1, "first");
            lua_pushnumber(L, first);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
            lua_getfield(L, -2, "total");
            lua_pushnumber(L, total);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
            lua_pop(L, 3);
        }
    }
}

/* The values of the tape that are asked for, at field "results". */
static uint32_t *read_results(lua_State *L, const struct bp_tape *tape, size_t *count) {
    double *places = numbers_of(L, 1, "results", count);
    uint32_t *results = room_of(L, *count, sizeof *results);
    size_t k;
    for (k = 0; k < *count; k++) {
        if (!(places[k] >= 0 &&
              places[k] < (double)(tape->inputs + tape->constants + tape->lines))) {
            bp_raise_input(L, "results", "has a value that is not there");
        }
        results[k] = (uint32_t)places[k];
    }
    return results;
}

int bp_core_draw_tape(lua_State *L) {
    struct bp_inputs inputs;
    struct bp_tape tape;
    struct bp_draws_request request = {0};
    double **outputs, threads;
    size_t base, k;
    int answer;
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    read_inputs(L, 1, &inputs);
    read_tape(L, 1, inputs.count, &tape);
    request.inputs = &inputs;
    request.tape = &tape;
    request.result = read_results(L, &tape, &request.results);
    request.samples = whole_of(L, 1, "samples", 1, BP_LATTICE_POINTS);
    request.swapped = -1;
    threads = bp_number_option(L, 1, "threads", bp_crew_limit());
    request.threads = threads >= 1 ? (int)fmin(threads, 256) : 1;
    base = whole_of(L, 1, "base", 0, BP_LATTICE_POINTS);
    outputs = push_outputs(L, request.results, request.samples);
    run(L, &request, outputs);
    lua_createtable(L, (int)request.results, 0);
    answer = lua_gettop(L);
    for (k = 0; k < request.results; k++) {
        if (!all_finite(outputs[k], request.samples)) {
            bp_raise_input(L, "ranges",
                           "a result is no finite number for some draws: a division by zero, or a "
                           "root or logarithm of what is negative");
        }
        set_moments(L, 1, k, outputs[k], request.samples);
        set_quantiles(L, 1, outputs[k], request.samples);
        lua_rawseti(L, answer, (lua_Integer)k + 1);
        lua_settop(L, answer);
    }
    if (base > 0) {
        set_indices(L, answer, request, base);
        lua_settop(L, answer);
    }
    return 1;
}

int bp_core_sobol_indices(lua_State *L) {
    double *lists[3], first, total;
    size_t count, i;
    lua_settop(L, 3);
    for (i = 0; i < 3; i++) {
        luaL_checktype(L, (int)i + 1, LUA_TTABLE);
    }
    count = (size_t)lua_rawlen(L, 1);
    for (i = 0; i < 3; i++) {
        lists[i] = bp_push_doubles(L, count);
        bp_read_doubles(L, (int)i + 1, "values", lists[i], count);
    }
    bp_sobol_indices(lists[0], lists[1], lists[2], count, &first, &total);
    lua_pushnumber(L, first);
    lua_pushnumber(L, total);
    return 2;
}
