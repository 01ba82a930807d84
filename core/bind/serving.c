#include "serving.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "setters.h"
#include "sim/serving.h"

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

static double trace_number(lua_State *L, size_t row, const char *name, double least) {
    char path[64];
    double value;
    int is_number;
    lua_getfield(L, -1, name);
    value = lua_tonumberx(L, -1, &is_number);
    lua_pop(L, 1);
    if (!is_number || !(value >= least) || value > 1e9) {
        snprintf(path, sizeof path, "trace[%zu].%s", row, name);
        bp_raise_input(L, path, is_number ? "is out of range" : "must be a number");
    }
    return value;
}

/* The list on top of the stack, as requests in a userdata. */
static const struct bp_request *read_trace(lua_State *L, size_t *count) {
    struct bp_request *requests;
    double last = 0;
    size_t i;
    int list = lua_gettop(L);
    *count = (size_t)lua_rawlen(L, list);
    if (*count == 0) {
        bp_raise_input(L, "trace", "has no requests");
    }
    requests = lua_newuserdatauv(L, *count * sizeof *requests, 0);
    memset(requests, 0, *count * sizeof *requests);
    for (i = 0; i < *count; i++) {
        char path[64];
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        requests[i].arrival_s = trace_number(L, i + 1, "arrival_s", 0);
        requests[i].input = (int32_t)trace_number(L, i + 1, "input_tokens", 1);
        requests[i].output = (int32_t)trace_number(L, i + 1, "output_tokens", 1);
        lua_pop(L, 1);
        if (requests[i].arrival_s < last) {
            snprintf(path, sizeof path, "trace[%zu].arrival_s", i + 1);
            bp_raise_input(L, path, "is before the request above it");
        }
        last = requests[i].arrival_s;
    }
    return requests;
}

static void push_answers(lua_State *L, const struct bp_request *requests, size_t count) {
    size_t i;
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        const struct bp_request *r = &requests[i];
        lua_createtable(L, 0, 4);
        bp_set_number(L, "arrival_s", r->arrival_s);
        bp_set_number(L, "queue_s", r->start_s - r->arrival_s);
        bp_set_number(L, "ttft_s", r->first_s - r->arrival_s);
        bp_set_number(L, "e2e_s", r->done_s - r->arrival_s);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "answers");
}

int bp_core_serve(lua_State *L) {
    static const char *const beside[] = {"trace", "answers", NULL};
    struct bp_serving_in in;
    struct bp_serving_out out;
    struct bp_error err;
    const struct bp_request *trace = NULL, *answered;
    size_t count;
    void *memory;
    int answers;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    copy_without(L, 1, beside);
    bp_read_struct(L, 2, &bp_serving_in_schema, "", &in);
    count = bp_serving_requests(&in.load);
    lua_getfield(L, 1, "answers");
    answers = lua_toboolean(L, -1);
    lua_getfield(L, 1, "trace");
    if (lua_istable(L, -1)) {
        trace = read_trace(L, &count);
    }
    memory = lua_newuserdatauv(L, bp_serving_bytes(&in, count), 0);
    bp_defaults(&bp_serving_out_schema, &out);
    if (bp_serving_run(&in, trace, count, memory, &out, &answered, &err) != BP_OK) {
        return bp_raise_status(L, &err);
    }
    bp_push_struct(L, &bp_serving_out_schema, &out);
    if (answers) {
        push_answers(L, answered, count);
    }
    return 1;
}
