#include "view.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

static int has_field(const struct bp_view *view, const char *name) {
    size_t i;
    for (i = 0; i < view->count; i++) {
        if (strcmp(view->fields[i].field->name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Where two structs share a name the one added first has it. */
static void add_fields(struct bp_view *view, const struct bp_schema *schema, const void *fixed,
                       size_t offset) {
    size_t i;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *field = &schema->fields[i];
        if (field->kind == BP_STRUCT || field->kind == BP_NOTE || has_field(view, field->name)) {
            continue;
        }
        assert(view->count < BP_VIEW_FIELDS);
        view->fields[view->count].field = field;
        view->fields[view->count].fixed = fixed;
        view->fields[view->count].offset = offset;
        view->count++;
    }
}

void bp_view_init(struct bp_view *view, lua_State *L, const struct bp_train_case *site) {
    view->names_state = L;
    view->candidate = NULL;
    view->count = 0;
    add_fields(view, &bp_plan_schema, NULL, offsetof(struct bp_candidate, plan));
    add_fields(view, &bp_train_memory_schema, NULL, offsetof(struct bp_candidate, memory));
    add_fields(view, &bp_train_time_schema, NULL, offsetof(struct bp_candidate, time));
    add_fields(view, &bp_worth_schema, NULL, offsetof(struct bp_candidate, worth));
    add_fields(view, &bp_network_schema, site->network, 0);
    add_fields(view, &bp_job_schema, site->job, 0);
    add_fields(view, &bp_model_schema, site->model, 0);
}

/* ballpark.near.name(key, names) in the program's own state, protected: S must not be jumped over. */
static int ask_near(lua_State *L) {
    const struct bp_view *view = lua_touserdata(L, 1);
    const char *key = lua_touserdata(L, 2);
    size_t i;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "ballpark.near");
    lua_getfield(L, -1, "name");
    lua_pushstring(L, key);
    lua_createtable(L, (int)view->count, 0);
    for (i = 0; i < view->count; i++) {
        lua_pushstring(L, view->fields[i].field->name);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_call(L, 2, 1);
    return 1;
}

static int raise_unknown(lua_State *S, const struct bp_view *view, const char *key) {
    lua_State *L = view->names_state;
    char meant[BP_FIELD_MAX] = "";
    int top = lua_gettop(L);
    if (lua_checkstack(L, 8)) {
        lua_pushcfunction(L, ask_near);
        lua_pushlightuserdata(L, (void *)(uintptr_t)view);
        lua_pushlightuserdata(L, (void *)(uintptr_t)key);
        if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING) {
            snprintf(meant, sizeof meant, "%s", lua_tostring(L, -1));
        }
        lua_settop(L, top);
    }
    if (*meant) {
        return luaL_error(S, "c.%s: unknown field, did you mean '%s'?", key, meant);
    }
    return luaL_error(S, "c.%s: unknown field", key);
}

/* Upvalues: the view, and the table of positions by name. */
static int read_field(lua_State *S) {
    const struct bp_view *view = lua_touserdata(S, lua_upvalueindex(1));
    const struct bp_view_field *entry;
    const char *at;
    lua_pushvalue(S, 2);
    if (lua_rawget(S, lua_upvalueindex(2)) != LUA_TNUMBER) {
        return raise_unknown(S, view, bp_sandbox_key(S, 2));
    }
    entry = &view->fields[lua_tointeger(S, -1)];
    at = entry->fixed ? entry->fixed : (const char *)view->candidate + entry->offset;
    at += entry->field->offset;
    switch (entry->field->kind) {
    case BP_INT:
        lua_pushinteger(S, *(const int64_t *)(const void *)at);
        break;
    case BP_NUM:
        lua_pushnumber(S, *(const double *)(const void *)at);
        break;
    case BP_FLAG:
        lua_pushboolean(S, *(const int *)(const void *)at);
        break;
    case BP_ENUM:
        lua_pushstring(S, entry->field->names[*(const int *)(const void *)at]);
        break;
    case BP_STRUCT:
    case BP_NOTE:
        lua_pushnil(S);
        break;
    }
    return 1;
}

static int refuse_write(lua_State *S) {
    return luaL_error(S, "c.%s: a rule looks at a plan, it cannot change it", bp_sandbox_key(S, 2));
}

void bp_view_push(lua_State *S, struct bp_view *view) {
    size_t i;
    lua_newuserdatauv(S, 0, 0);
    lua_createtable(S, 0, 2);
    lua_pushlightuserdata(S, view);
    lua_createtable(S, 0, (int)view->count);
    for (i = 0; i < view->count; i++) {
        lua_pushinteger(S, (lua_Integer)i);
        lua_setfield(S, -2, view->fields[i].field->name);
    }
    lua_pushcclosure(S, read_field, 2);
    lua_setfield(S, -2, "__index");
    lua_pushcfunction(S, refuse_write);
    lua_setfield(S, -2, "__newindex");
    lua_setmetatable(S, -2);
}
