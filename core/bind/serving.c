#include "serving.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "interrupt.h"
#include "lists.h"
#include "setters.h"
#include "sim/serving.h"

/* Between two looks whether somebody wants to stop: some tenths of a second. */
enum { EVENTS = 1000000 };

/* Fields that are not of the simulation's struct: taken out of a copy of the argument. */
static void copy_without(lua_State *L, int index, const char *const *names) {
    size_t i;
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    for (i = 0; names[i]; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, names[i]);
    }
}

static double field_number(lua_State *L, const char *list, size_t row, const char *name,
                           double least) {
    char path[64];
    double value;
    int is_number;
    lua_getfield(L, -1, name);
    value = lua_tonumberx(L, -1, &is_number);
    lua_pop(L, 1);
    if (!is_number || !(value >= least) || value > 1e9) {
        snprintf(path, sizeof path, "%s[%zu].%s", list, row, name);
        bp_raise_input(L, path, is_number ? "is out of range" : "must be a number");
    }
    return value;
}

/* The list at `index` as requests in a userdata, which is pushed; arrivals only where they are asked. */
static const struct bp_request *read_requests(lua_State *L, int index, const char *name,
                                              int arrivals, size_t *count) {
    struct bp_request *requests;
    double last = 0;
    size_t i;
    *count = (size_t)lua_rawlen(L, index);
    if (*count == 0) {
        bp_raise_input(L, name, "has no requests");
    }
    requests = lua_newuserdatauv(L, *count * sizeof *requests, 0);
    memset(requests, 0, *count * sizeof *requests);
    for (i = 0; i < *count; i++) {
        struct bp_request *q = &requests[i];
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        q->arrival_s = arrivals ? field_number(L, name, i + 1, "arrival_s", 0) : 0;
        q->input = (int32_t)field_number(L, name, i + 1, "input_tokens", 1);
        q->output = (int32_t)field_number(L, name, i + 1, "output_tokens", 1);
        lua_pop(L, 1);
        if (q->arrival_s < last) {
            char path[64];
            snprintf(path, sizeof path, "%s[%zu].arrival_s", name, i + 1);
            bp_raise_input(L, path, "is before the request above it");
        }
        last = q->arrival_s;
    }
    return requests;
}

static double list_number(lua_State *L, int list, size_t i, const char *name, double least,
                          double most) {
    double value;
    int is_number;
    lua_rawgeti(L, list, (lua_Integer)i);
    value = lua_tonumberx(L, -1, &is_number);
    lua_pop(L, 1);
    if (!is_number || !(value >= least && value <= most)) {
        char path[64];
        snprintf(path, sizeof path, "%s[%zu]", name, i);
        bp_raise_input(L, path, is_number ? "is out of range" : "must be a number");
    }
    return value;
}

/* load.rates on the top of the stack: one number per slot of the period. */
static void read_rates(lua_State *L, struct bp_serving_source *source) {
    int list = lua_gettop(L);
    double *rates, sum = 0;
    size_t i;
    source->rate_count = (size_t)lua_rawlen(L, list);
    if (source->rate_count == 0 || source->rate_count > BP_DAY_SLOTS) {
        bp_raise_input(L, "load.rates", "must be a list of 1 to 1440 numbers");
    }
    rates = lua_newuserdatauv(L, source->rate_count * sizeof *rates, 0);
    for (i = 0; i < source->rate_count; i++) {
        rates[i] = list_number(L, list, i + 1, "load.rates", 0, 1e15);
        sum += rates[i];
    }
    if (!(sum > 0)) {
        bp_raise_input(L, "load.rates", "are all 0");
    }
    source->rates = rates;
}

/* Block lists of all requests of the trace at `trace`, if they have any: one after another. */
static void read_blocks(lua_State *L, int trace, struct bp_serving_source *source) {
    size_t i, total = 0, *first = lua_newuserdatauv(L, (source->count + 1) * sizeof *first, 0);
    int32_t *blocks;
    for (i = 0; i < source->count; i++) {
        first[i] = total;
        lua_rawgeti(L, trace, (lua_Integer)i + 1);
        if (lua_getfield(L, -1, "blocks") == LUA_TTABLE) {
            total += (size_t)lua_rawlen(L, -1);
        }
        lua_pop(L, 2);
    }
    first[source->count] = total;
    if (total == 0) {
        return;
    }
    blocks = lua_newuserdatauv(L, total * sizeof *blocks, 0);
    for (i = 0; i < source->count; i++) {
        size_t j, count = first[i + 1] - first[i];
        lua_rawgeti(L, trace, (lua_Integer)i + 1);
        lua_getfield(L, -1, "blocks");
        for (j = 0; j < count; j++) {
            double block = list_number(L, lua_gettop(L), j + 1, "trace.blocks", 0, 1e8);
            blocks[first[i] + j] = (int32_t)block;
            source->distinct =
                source->distinct > (size_t)block ? source->distinct : (size_t)block + 1;
        }
        lua_pop(L, 2);
    }
    source->blocks = blocks;
    source->first = first;
}

/* What stands beside the fields of the struct; its memory stays on the stack. */
static void read_source(lua_State *L, const struct bp_serving_in *in,
                        struct bp_serving_source *source) {
    memset(source, 0, sizeof *source);
    source->count = bp_serving_requests(&in->load);
    if (lua_getfield(L, 1, "trace") == LUA_TTABLE) {
        int trace = lua_gettop(L);
        source->trace = read_requests(L, trace, "trace", 1, &source->count);
        read_blocks(L, trace, source);
    }
    if (lua_getfield(L, 1, "samples") == LUA_TTABLE) {
        source->samples = read_requests(L, lua_gettop(L), "samples", 0, &source->sample_count);
    } else if (in->load.lengths == BP_LENGTHS_EMPIRICAL) {
        bp_raise_input(L, "samples", "is missing: empirical lengths are drawn from it");
    }
    if (lua_getfield(L, 1, "load") == LUA_TTABLE && lua_getfield(L, -1, "rates") == LUA_TTABLE) {
        read_rates(L, source);
    }
}

static void push_answers(lua_State *L, const struct bp_request *requests, size_t count) {
    size_t i;
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        const struct bp_request *r = &requests[i];
        lua_createtable(L, 0, 5);
        bp_set_number(L, "arrival_s", r->arrival_s);
        bp_set_number(L, "taken_s", r->ready_s - r->arrival_s);
        bp_set_number(L, "queue_s", r->start_s - r->arrival_s);
        bp_set_number(L, "ttft_s", r->first_s - r->arrival_s);
        bp_set_number(L, "e2e_s", r->done_s - r->arrival_s);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "answers");
}

/* The argument without what the struct does not have. */
static void push_plain(lua_State *L) {
    static const char *const beside[] = {"trace", "samples", "answers", NULL};
    static const char *const rates[] = {"rates", NULL};
    int copy;
    copy_without(L, 1, beside);
    copy = lua_gettop(L);
    if (lua_getfield(L, copy, "load") == LUA_TTABLE) {
        copy_without(L, lua_gettop(L), rates);
        lua_setfield(L, copy, "load");
    }
    lua_settop(L, copy);
}

int bp_core_serve_about(lua_State *L) {
    lua_newtable(L);
    bp_push_schema(L, &bp_serving_in_schema);
    lua_setfield(L, -2, "input");
    bp_push_schema(L, &bp_serving_out_schema);
    lua_setfield(L, -2, "output");
    return 1;
}

int bp_core_serve(lua_State *L) {
    struct bp_serving_in in;
    struct bp_serving_out out;
    struct bp_serving_source source;
    struct bp_serving_work *work;
    struct bp_error err;
    const struct bp_request *answered;
    void *memory;
    int answers;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    push_plain(L);
    bp_read_struct(L, 2, &bp_serving_in_schema, "", &in);
    lua_getfield(L, 1, "answers");
    answers = lua_toboolean(L, -1);
    read_source(L, &in, &source);
    memory = lua_newuserdatauv(L, bp_serving_bytes(&in, &source), 0);
    bp_defaults(&bp_serving_out_schema, &out);
    if (bp_serving_open(&in, &source, memory, &work, &err) != BP_OK) {
        return bp_raise_status(L, &err);
    }
    while (bp_serving_go(work, EVENTS)) {
        bp_let_interrupt(L);
    }
    bp_serving_close(work, &out, &answered);
    bp_push_struct(L, &bp_serving_out_schema, &out);
    if (answers) {
        push_answers(L, answered, source.count);
    }
    return 1;
}

/* The schema without what the table at `index` does not give; its fields are in a userdata, which is pushed. */
static struct bp_schema given_of(lua_State *L, int index, const struct bp_schema *all) {
    struct bp_field *fields = lua_newuserdatauv(L, all->count * sizeof *fields, 0);
    struct bp_schema given = *all;
    size_t i;
    given.fields = fields;
    given.count = 0;
    for (i = 0; i < all->count; i++) {
        if (lua_getfield(L, index, all->fields[i].name) != LUA_TNIL) {
            fields[given.count++] = all->fields[i];
        }
        lua_pop(L, 1);
    }
    return given;
}

int bp_core_serve_check(lua_State *L) {
    struct bp_serving_in in;
    struct bp_serving_source source;
    struct bp_schema given;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    push_plain(L);
    given = given_of(L, 2, &bp_serving_in_schema);
    bp_defaults(&bp_serving_in_schema, &in);
    bp_read_struct(L, 2, &given, "", &in);
    read_source(L, &in, &source);
    return 0;
}

int bp_core_serving_day(lua_State *L) {
    double weights[BP_DAY_SLOTS], peak = luaL_checknumber(L, 1);
    luaL_argcheck(L, peak >= 1 && peak <= 20, 1, "from 1 to 20");
    bp_serving_day(peak, weights);
    bp_push_list(L, weights, BP_DAY_SLOTS);
    return 1;
}
