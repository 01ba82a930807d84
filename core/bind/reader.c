#include "fields.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MAX_CHARS = 160, TEXT_MAX_CHARS = 256 };

struct place {
    char path[PATH_MAX_CHARS];
};

static void place_of(struct place *place, const char *prefix, const char *name) {
    snprintf(place->path, sizeof place->path, "%s%s%s", prefix, *prefix ? "." : "", name);
}

/* Pushes ballpark.errors.<name>: errors are made in one place, so that C and Lua sound alike. */
static void push_raiser(lua_State *L, const char *name) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "ballpark.errors");
    if (lua_isnil(L, -1)) {
        luaL_error(L, "ballpark.errors is not loaded");
    }
    lua_getfield(L, -1, name);
}

int bp_raise_input(lua_State *L, const char *path, const char *text) {
    push_raiser(L, "input");
    lua_pushstring(L, path);
    lua_pushstring(L, text);
    lua_call(L, 2, 0);
    return luaL_error(L, "%s: %s", path, text);
}

int bp_raise_status(lua_State *L, const struct bp_error *err) {
    return bp_raise_input(L, err->field, err->text);
}

void bp_check_status(lua_State *L, int code, const struct bp_error *err) {
    if (code != BP_OK) {
        bp_raise_status(L, err);
    }
}

int bp_raise_unknown(lua_State *L, const struct bp_schema *schema, const char *prefix,
                     const char *key) {
    size_t i;
    push_raiser(L, "unknown");
    lua_pushstring(L, *prefix ? prefix : schema->name);
    lua_pushstring(L, key);
    lua_createtable(L, (int)schema->count, 0);
    for (i = 0; i < schema->count; i++) {
        lua_pushstring(L, schema->fields[i].name);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_call(L, 3, 0);
    return luaL_error(L, "%s.%s: unknown field", prefix, key);
}

static int raise_field(lua_State *L, const char *prefix, const struct bp_field *field,
                       const char *text) {
    struct place place;
    place_of(&place, prefix, field->name);
    return bp_raise_input(L, place.path, text);
}

static const char *kind_wanted(const struct bp_field *field) {
    switch (field->kind) {
    case BP_INT:
        return "a whole number";
    case BP_NUM:
        return "a number";
    case BP_FLAG:
        return "true or false";
    case BP_ENUM:
        return "a name";
    case BP_STRUCT:
        return "a table";
    case BP_NOTE:
        break;
    }
    return "text";
}

/* What was given instead, in words; a text is shown as far as a line has room for it. */
static void given_words(lua_State *L, int index, const struct bp_field *field, char *out,
                        size_t size) {
    if (lua_type(L, index) == LUA_TSTRING) {
        snprintf(out, size, "the text '%.60s'", lua_tostring(L, index));
    } else if (lua_type(L, index) == LUA_TNUMBER && isnan(lua_tonumber(L, index))) {
        snprintf(out, size, "NaN");
    } else if (field->kind == BP_INT && lua_type(L, index) == LUA_TNUMBER) {
        snprintf(out, size, "a fraction");
    } else {
        snprintf(out, size, "%s", luaL_typename(L, index));
    }
}

static int raise_type(lua_State *L, int index, const char *prefix, const struct bp_field *field) {
    char text[TEXT_MAX_CHARS], given[TEXT_MAX_CHARS / 2];
    given_words(L, index, field, given, sizeof given);
    snprintf(text, sizeof text, "must be %s%s%s, got %s", kind_wanted(field),
             *field->unit ? " in " : "", field->unit, given);
    return raise_field(L, prefix, field, text);
}

static void check_range(lua_State *L, double value, const char *prefix,
                        const struct bp_field *field) {
    struct bp_error err;
    if (bp_field_range(field, value, &err) != BP_OK) {
        raise_field(L, prefix, field, err.text);
    }
}

static void read_int(lua_State *L, const char *prefix, const struct bp_field *field, void *at) {
    int whole;
    lua_Integer value;
    if (lua_type(L, -1) != LUA_TNUMBER) {
        raise_type(L, -1, prefix, field);
    }
    value = lua_tointegerx(L, -1, &whole);
    if (!whole) {
        double given = lua_tonumber(L, -1);
        /* A float that is whole but beyond int64 is out of range, not of the wrong type. */
        check_range(L, given == floor(given) ? given : field->min, prefix, field);
        raise_type(L, -1, prefix, field);
    }
    check_range(L, (double)value, prefix, field);
    *(int64_t *)at = value;
}

static void read_num(lua_State *L, const char *prefix, const struct bp_field *field, void *at) {
    double value;
    if (lua_type(L, -1) != LUA_TNUMBER) {
        raise_type(L, -1, prefix, field);
    }
    value = lua_tonumber(L, -1);
    if (isnan(value)) {
        raise_type(L, -1, prefix, field);
    }
    check_range(L, value, prefix, field);
    *(double *)at = value;
}

static void read_flag(lua_State *L, const char *prefix, const struct bp_field *field, void *at) {
    if (!lua_isboolean(L, -1)) {
        raise_type(L, -1, prefix, field);
    }
    *(int *)at = lua_toboolean(L, -1);
}

static void read_enum(lua_State *L, const char *prefix, const struct bp_field *field, void *at) {
    struct place place;
    const char *value;
    int i;
    if (lua_type(L, -1) != LUA_TSTRING) {
        raise_type(L, -1, prefix, field);
    }
    value = lua_tostring(L, -1);
    for (i = 0; field->names[i]; i++) {
        if (strcmp(field->names[i], value) == 0) {
            *(int *)at = i;
            return;
        }
    }
    place_of(&place, prefix, field->name);
    push_raiser(L, "choice");
    lua_pushstring(L, place.path);
    lua_pushstring(L, value);
    lua_newtable(L);
    for (i = 0; field->names[i]; i++) {
        lua_pushstring(L, field->names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_call(L, 3, 0);
}

static void read_nested(lua_State *L, const char *prefix, const struct bp_field *field, void *at) {
    struct place place;
    if (!lua_istable(L, -1)) {
        raise_type(L, -1, prefix, field);
    }
    place_of(&place, prefix, field->name);
    bp_read_struct(L, lua_gettop(L), field->sub, place.path, at);
}

/* Reads the value on top of the stack into its place in the struct. */
static void read_value(lua_State *L, const char *prefix, const struct bp_field *field, void *out) {
    void *at = (char *)out + field->offset;
    switch (field->kind) {
    case BP_INT:
        read_int(L, prefix, field, at);
        break;
    case BP_NUM:
        read_num(L, prefix, field, at);
        break;
    case BP_FLAG:
        read_flag(L, prefix, field, at);
        break;
    case BP_ENUM:
        read_enum(L, prefix, field, at);
        break;
    case BP_STRUCT:
        read_nested(L, prefix, field, at);
        break;
    case BP_NOTE:
        break;
    }
}

int bp_push_wrong_key(lua_State *L, int index, const struct bp_schema *schema) {
    int wrong;
    lua_pushnil(L);
    wrong = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_settop(L, wrong + 1);
        if (lua_type(L, -1) != LUA_TSTRING) {
            lua_replace(L, wrong);
            return 1;
        }
        if (!bp_field_find(schema, lua_tostring(L, -1)) &&
            (lua_isnil(L, wrong) || strcmp(lua_tostring(L, -1), lua_tostring(L, wrong)) < 0)) {
            lua_copy(L, -1, wrong);
        }
    }
    if (lua_isnil(L, wrong)) {
        lua_settop(L, wrong - 1);
        return 0;
    }
    return 1;
}

/* Keys are checked first: a misspelt field is the better message than a missing one. */
static void check_keys(lua_State *L, int index, const struct bp_schema *schema,
                       const char *prefix) {
    if (!bp_push_wrong_key(L, index, schema)) {
        return;
    }
    if (lua_type(L, -1) != LUA_TSTRING) {
        char text[TEXT_MAX_CHARS];
        snprintf(text, sizeof text, "takes named fields, not a list (key %s)",
                 luaL_tolstring(L, -1, NULL));
        bp_raise_input(L, *prefix ? prefix : schema->name, text);
    }
    bp_raise_unknown(L, schema, prefix, lua_tostring(L, -1));
}

/* The fields of the table at index, in the schema's order; `whole`: required ones have to be there. */
static void read_fields(lua_State *L, int index, const struct bp_schema *schema, const char *prefix,
                        int whole, void *out) {
    size_t i;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *field = &schema->fields[i];
        if (field->kind == BP_NOTE) {
            continue;
        }
        lua_getfield(L, index, field->name);
        if (!lua_isnil(L, -1)) {
            read_value(L, prefix, field, out);
        } else if (whole && bp_field_is_required(field)) {
            raise_field(L, prefix, field, "is missing");
        }
        lua_pop(L, 1);
    }
}

void bp_read_struct(lua_State *L, int index, const struct bp_schema *schema, const char *prefix,
                    void *out) {
    luaL_checkstack(L, 12, "input nested too deeply");
    if (!lua_istable(L, index)) {
        bp_raise_input(L, *prefix ? prefix : schema->name, "must be a table");
    }
    check_keys(L, index, schema, prefix);
    bp_defaults(schema, out);
    read_fields(L, index, schema, prefix, 1, out);
}

void bp_check_fields(lua_State *L, int index, const struct bp_schema *schema, const char *prefix,
                     void *out) {
    luaL_checkstack(L, 12, "input nested too deeply");
    read_fields(L, index, schema, prefix, 0, out);
}
