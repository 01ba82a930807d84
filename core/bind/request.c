#include "request.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "fields.h"
#include "request_space.h"
#include "threads/crew.h"

BP_DEFINE_SCHEMA(bp_search_in, BP_SEARCH_IN_FIELDS, "search", "a search for the best plans");

/* fp16 is the one format every device has: what is left to complain of is the network. */
static void check_network(lua_State *L, struct bp_request *request) {
    struct bp_plan plan = request->in.plan;
    struct bp_train_case c = request->search.site;
    struct bp_error err;
    plan.precision = BP_PRECISION_FP16;
    c.plan = &plan;
    bp_check_status(L, bp_train_prepare(&c, &err), &err);
}

/* One name of an objective, on top of the stack. */
struct one_objective {
    int objective;
};

#define ONE_OBJECTIVE_FIELDS(F, S)                                                                 \
    F(S, ENUM, objective, bp_objective, "", BP_OBJECTIVE_STEP_S, 0, 0, "what plans are judged by")
static const struct bp_field one_objective_fields[] = {
    ONE_OBJECTIVE_FIELDS(BP_DESCRIBE, one_objective)};
static const struct bp_schema one_objective_schema = {
    "search", "objective", sizeof(struct one_objective), 1, one_objective_fields};

static void add_objective(lua_State *L, struct bp_search *search) {
    struct one_objective one;
    if (search->objectives_count == BP_FRONT_OBJECTIVES) {
        bp_raise_input(L, "objective", "are more than 4");
    }
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "objective");
    bp_read_struct(L, lua_gettop(L), &one_objective_schema, "", &one);
    lua_pop(L, 1);
    search->objectives[search->objectives_count++] = (enum bp_objective)one.objective;
}

/* Calls add for the value at the field of the request, or for each of its list. */
static void for_each(lua_State *L, int index, const char *name, struct bp_search *search,
                     void (*add)(lua_State *L, struct bp_search *search)) {
    lua_Integer i, count;
    if (lua_getfield(L, index, name) == LUA_TTABLE) {
        count = (lua_Integer)lua_rawlen(L, -1);
        for (i = 1; i <= count; i++) {
            lua_rawgeti(L, -1, i);
            add(L, search);
            lua_pop(L, 1);
        }
    } else if (!lua_isnil(L, -1)) {
        add(L, search);
    }
    lua_pop(L, 1);
}

static void add_differ(lua_State *L, struct bp_search *search) {
    const struct bp_field *field;
    if (lua_type(L, -1) != LUA_TSTRING) {
        bp_raise_input(L, "differ", "must be a list of names of plan fields");
    }
    field = bp_field_find(&bp_plan_schema, lua_tostring(L, -1));
    if (!field || field->kind == BP_NOTE) {
        bp_raise_unknown(L, &bp_plan_schema, "differ", lua_tostring(L, -1));
    }
    if (search->differ_count == BP_SPACE_DIMS) {
        bp_raise_input(L, "differ", "names too many fields");
    }
    search->differ[search->differ_count++] = field;
}

static void check_deadline(lua_State *L, const struct bp_request *request) {
    size_t i;
    for (i = 0; i < request->search.objectives_count; i++) {
        if (request->search.objectives[i] != BP_OBJECTIVE_DEADLINE_PROBABILITY) {
            continue;
        }
        if (!(request->in.deadline_s > 0 && request->in.job.tokens > 0)) {
            bp_raise_input(L, "objective", "deadline_probability needs deadline_s and job.tokens");
        }
    }
}

static void read_judgement(lua_State *L, int index, struct bp_request *request) {
    struct bp_search *search = &request->search;
    const struct bp_search_in *in = &request->in;
    for_each(L, index, "objective", search, add_objective);
    for_each(L, index, "differ", search, add_differ);
    search->terms.usd_h = in->usd_h;
    search->terms.pue = in->pue;
    search->terms.deadline_s = in->deadline_s;
    search->terms.goodput_frac = in->goodput_frac;
    search->terms.time_spread = in->time_spread;
    search->reserve = bp_search_reserve(&in->profile, in->fit_chance);
    check_deadline(L, request);
}

static void read_launched(lua_State *L, int index, struct bp_request *request) {
    if (lua_getfield(L, index, "launched") != LUA_TNIL) {
        bp_read_struct(L, lua_gettop(L), &bp_plan_schema, "launched", &request->launched);
        if (request->launched.dp == 0) {
            bp_raise_input(L, "launched.dp", "is missing");
        }
        request->search.launched = &request->launched;
    }
    lua_pop(L, 1);
}

/* A part of a front can be longer than the front: plans of other parts may beat its own. */
enum { FRONT_SLACK = 8 };

/* Memory for what is kept on top of the stack; kept is filled in. */
static void push_room(lua_State *L, const struct bp_request *request, struct bp_found_room *room) {
    size_t top = (size_t)request->in.top;
    size_t front =
        request->search.objectives_count > 1 ? (size_t)request->in.front * FRONT_SLACK : 0;
    char *bytes = lua_newuserdatauv(L, top * sizeof *room->top + front * sizeof *room->front, 0);
    room->top = (struct bp_topk_entry *)(void *)bytes;
    room->top_capacity = top;
    room->front = (struct bp_front_entry *)(void *)(bytes + top * sizeof *room->top);
    room->front_capacity = front;
}

struct bp_request *bp_request_push(lua_State *L, int index) {
    struct bp_search_in in;
    struct bp_request *request;
    struct bp_search *search;
    struct bp_error err;
    bp_read_struct(L, index, &bp_search_in_schema, "", &in);
    request = lua_newuserdatauv(L, sizeof *request, BP_REQUEST_VALUES);
    request->in = in;
    request->rules = NULL;
    request->workers = NULL;
    request->workers_count = 0;
    request->position = request->block = 0;
    request->in.network = bp_profile_network(&in.profile, &in.network);
    bp_check_status(L, bp_model_ready(&in.model, &request->ready, &err), &err);
    search = &request->search;
    bp_search_init(search);
    search->site.model = &request->ready.model;
    search->site.params = &request->ready.params;
    search->site.layers = &request->ready.layers;
    search->site.device = &request->in.device;
    search->site.network = &request->in.network;
    search->site.plan = NULL;
    search->site.job = &request->in.job;
    search->site.profile = &request->in.profile;
    search->space = &request->space;
    read_judgement(L, index, request);
    check_network(L, request);
    bp_request_read_space(L, index, request);
    bp_request_read_follows(L, index, request);
    read_launched(L, index, request);
    push_room(L, request, &request->room);
    lua_setiuservalue(L, -2, BP_REQUEST_ROOM);
    bp_found_init(&request->found, &request->room, -INFINITY);
    return request;
}

/* A table of userdata keeps the workers' memory alive. */
void bp_request_hire(lua_State *L, struct bp_request *request) {
    size_t count = request->search.judge ? 1 : (size_t)request->in.threads, i;
    size_t limit = (size_t)bp_crew_limit();
    count = count < limit ? count : limit;
    lua_createtable(L, (int)count + 1, 0);
    request->workers = lua_newuserdatauv(L, count * sizeof *request->workers, 0);
    lua_rawseti(L, -2, 1);
    for (i = 0; i < count; i++) {
        push_room(L, request, &request->workers[i].room);
        lua_rawseti(L, -2, (lua_Integer)i + 2);
    }
    request->workers_count = count;
    lua_setiuservalue(L, -2, BP_REQUEST_WORKERS);
}
