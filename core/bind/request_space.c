#include "request_space.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "fields.h"
#include "search/free.h"

/* A field of the plan on its way into the space; all indices are on L's stack. */
struct reading {
    lua_State *L;
    struct bp_request *request;
    int space, plan; /* tables, or nil */
    double values[BP_SPACE_VALUES];
    size_t count;
};

static int raise_field(lua_State *L, const struct bp_field *field, const char *text) {
    struct bp_error err;
    bp_space_fail(&err, field, text);
    return bp_raise_status(L, &err);
}

/* The value on top is read as the plan's reader would, with the same errors; it stays there. */
static void read_value(struct reading *r, const struct bp_field *field) {
    struct bp_plan plan;
    lua_createtable(r->L, 0, 1);
    lua_pushvalue(r->L, -2);
    lua_setfield(r->L, -2, field->name);
    bp_read_struct(r->L, lua_gettop(r->L), &bp_plan_schema, "space", &plan);
    lua_pop(r->L, 1);
    if (r->count == BP_SPACE_VALUES) {
        raise_field(r->L, field, "lists more than 4096 values");
    }
    r->values[r->count++] = bp_plan_get(&plan, field);
}

static void read_list(struct reading *r, const struct bp_field *field) {
    lua_Integer i, count = (lua_Integer)lua_rawlen(r->L, -1), keys = 0;
    lua_pushnil(r->L);
    while (lua_next(r->L, -2)) {
        lua_pop(r->L, 1);
        keys++;
    }
    if (keys != count) {
        raise_field(r->L, field, "must be a list of values without names or gaps");
    }
    for (i = 1; i <= count; i++) {
        lua_rawgeti(r->L, -1, i);
        read_value(r, field);
        lua_pop(r->L, 1);
    }
}

/* {from =, to =, step =} or {from =, to =, times =}. */
struct range {
    double from, to, step, times;
};

#define RANGE_FIELDS(F, S)                                                                         \
    F(S, NUM, from, , "", BP_REQUIRED, 0, BP_ANY, "first value")                                   \
    F(S, NUM, to, , "", BP_REQUIRED, 0, BP_ANY, "last value, if a step meets it")                  \
    F(S, NUM, step, , "", 0, 0, BP_ANY, "added from one value to the next")                        \
    F(S, NUM, times, , "", 0, 0, BP_ANY, "factor from one value to the next")
static const struct bp_field range_fields[] = {RANGE_FIELDS(BP_DESCRIBE, range)};
static const struct bp_schema range_schema = {"range", "values of a field", sizeof(struct range),
                                              sizeof range_fields / sizeof *range_fields,
                                              range_fields};

static int is_range(lua_State *L) {
    int is = lua_getfield(L, -1, "from") != LUA_TNIL;
    lua_pop(L, 1);
    return is;
}

/* A whole number where the field takes one, as the reader wants it. */
static void push_value(lua_State *L, const struct bp_field *field, double value) {
    if (field->kind == BP_INT) {
        lua_pushinteger(L, (lua_Integer)value);
    } else {
        lua_pushnumber(L, value);
    }
}

static void add_value(struct reading *r, const struct bp_field *field, double value) {
    if (field->kind == BP_INT && value != floor(value)) {
        raise_field(r->L, field, "is a range that meets numbers that are not whole");
    }
    push_value(r->L, field, value);
    read_value(r, field);
    lua_pop(r->L, 1);
}

/* A last value that rounding has pushed a little beyond the end is the end. */
#define RANGE_SLACK 1e-9

static void add_range(struct reading *r, const struct bp_field *field, const struct range *range) {
    double value = range->from, end = range->to + RANGE_SLACK * fabs(range->to);
    int64_t n = 0;
    while (value <= end) {
        add_value(r, field, fmin(value, range->to));
        n++;
        value = range->step > 0 ? range->from + (double)n * range->step : value * range->times;
    }
}

static void read_range(struct reading *r, const struct bp_field *field) {
    struct range range;
    char path[BP_FIELD_MAX] = "space.";
    if (field->kind != BP_INT && field->kind != BP_NUM) {
        raise_field(r->L, field, "takes names, they have no range");
    }
    strncat(path, field->name, sizeof path - strlen(path) - 1);
    bp_read_struct(r->L, lua_gettop(r->L), &range_schema, path, &range);
    if ((range.step > 0) == (range.times > 0)) {
        raise_field(r->L, field, "is a range with either step or times");
    }
    if (range.times > 0 && !(range.times > 1 && range.from > 0)) {
        raise_field(r->L, field, "needs times above 1 and a value above 0 to start from");
    }
    add_range(r, field, &range);
}

static void read_free(struct reading *r, const struct bp_field *field) {
    const struct bp_search_in *in = &r->request->in;
    struct bp_error err;
    bp_check_status(r->L,
                    bp_free_values(field, &r->request->ready.model, &in->network, &in->job,
                                   r->values, BP_SPACE_VALUES, &r->count, &err),
                    &err);
}

static int is_free_word(lua_State *L, int index) {
    return lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), "free") == 0;
}

/* Whether the table (or nil) at index says something about the field; leaves it on the stack. */
static int push_given(lua_State *L, int table, const struct bp_field *field) {
    if (!lua_istable(L, table)) {
        lua_pushnil(L);
        return 0;
    }
    return lua_getfield(L, table, field->name) != LUA_TNIL;
}

/* Fills r->values with what the field may be; none when it stays as it is in the base plan. */
static void read_field(struct reading *r, const struct bp_field *field) {
    lua_State *L = r->L;
    int fixed = push_given(L, r->plan, field), given = push_given(L, r->space, field);
    r->count = 0;
    if (fixed && given) {
        raise_field(L, field, "is in plan as well, which fixes it");
    } else if (given && field->kind == BP_NOTE) {
        raise_field(L, field, "is text, it cannot vary");
    } else if (given && is_free_word(L, -1)) {
        read_free(r, field);
    } else if (given && lua_istable(L, -1)) {
        if (is_range(L)) {
            read_range(r, field);
        } else {
            read_list(r, field);
        }
        if (r->count == 0) {
            raise_field(L, field, "is an empty list");
        }
    } else if (given) {
        read_value(r, field);
    } else if (!fixed && field->searched) {
        read_free(r, field);
    }
    lua_pop(L, 2);
}

static void check_keys(struct reading *r) {
    lua_State *L = r->L;
    if (!bp_push_wrong_key(L, r->space, &bp_plan_schema)) {
        return;
    }
    if (lua_type(L, -1) != LUA_TSTRING) {
        bp_raise_input(L, "space", "takes the names of plan fields");
    }
    bp_raise_unknown(L, &bp_plan_schema, "space", lua_tostring(L, -1));
}

/* No space, or the word "free": every field that is free by default and not in plan. */
void bp_request_read_space(lua_State *L, int index, struct bp_request *request) {
    struct reading *r = lua_newuserdatauv(L, sizeof *r, 0);
    struct bp_error err;
    size_t i;
    r->L = L;
    r->request = request;
    lua_getfield(L, index, "plan");
    r->plan = lua_gettop(L);
    lua_getfield(L, index, "space");
    if (is_free_word(L, -1)) {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
    r->space = lua_gettop(L);
    if (lua_istable(L, r->space)) {
        check_keys(r);
    } else if (!lua_isnil(L, r->space)) {
        bp_raise_input(L, "space", "must be a table of plan fields, or 'free'");
    }
    bp_space_init(&request->space, &request->in.plan);
    for (i = 0; i < bp_plan_schema.count; i++) {
        const struct bp_field *field = &bp_plan_schema.fields[i];
        read_field(r, field);
        if (r->count > 0) {
            bp_check_status(L, bp_space_add(&request->space, field, r->values, r->count, &err),
                            &err);
        }
    }
    lua_settop(L, r->plan - 2);
}

/* A setting that follows, as Lua says it. */
struct follow_in {
    double value;
    int precision, sharded, sequence_parallel;
};

#define FOLLOW_IN_FIELDS(F, S)                                                                     \
    F(S, NOTE, field, , "", 0, 0, 0, "of the plan")                                                \
    F(S, NUM, value, , "", BP_REQUIRED, 0, BP_ANY, "what it is")                                   \
    F(S, ENUM, precision, bp_precision, "", BP_PRECISION_BF16, 0, 0, "where matmuls are in it")    \
    F(S, FLAG, sharded, , "", 0, 0, 1, "where ranks hold shards of the weights, or where none do") \
    F(S, FLAG, sequence_parallel, , "", 0, 0, 1, "where it is on, or off")
static const struct bp_field follow_in_fields[] = {FOLLOW_IN_FIELDS(BP_DESCRIBE, follow_in)};
static const struct bp_schema follow_in_schema = {
    "search", "follows", sizeof(struct follow_in),
    sizeof follow_in_fields / sizeof *follow_in_fields, follow_in_fields};

/* What is read, or BP_FOLLOW_ANY where the table on top says nothing. */
static int asked(lua_State *L, const char *name, int read) {
    int is_nil = lua_getfield(L, -1, name) == LUA_TNIL;
    lua_pop(L, 1);
    return is_nil ? BP_FOLLOW_ANY : read;
}

static const struct bp_field *followed_field(lua_State *L) {
    const struct bp_field *field = NULL;
    if (lua_getfield(L, -1, "field") == LUA_TSTRING) {
        field = bp_field_find(&bp_plan_schema, lua_tostring(L, -1));
    }
    if (!field || field->kind == BP_NOTE) {
        bp_raise_input(L, "follows", "names a field of plans each");
    }
    lua_pop(L, 1);
    return field;
}

static void read_follow(lua_State *L, struct bp_follows *follows) {
    struct bp_follow *follow = &follows->list[follows->count];
    struct follow_in in;
    if (follows->count == BP_FOLLOWS) {
        bp_raise_input(L, "follows", "are more than 64");
    }
    if (!lua_istable(L, -1)) {
        bp_raise_input(L, "follows", "must be a list of tables");
    }
    bp_read_struct(L, lua_gettop(L), &follow_in_schema, "follows", &in);
    follow->field = followed_field(L);
    follow->value = in.value;
    follow->precision = asked(L, "precision", in.precision);
    follow->sharded = asked(L, "sharded", in.sharded);
    follow->sequence_parallel = asked(L, "sequence_parallel", in.sequence_parallel);
    follows->count++;
}

void bp_request_read_follows(lua_State *L, int index, struct bp_request *request) {
    lua_Integer i, count = 0;
    if (lua_getfield(L, index, "follows") == LUA_TTABLE) {
        count = (lua_Integer)lua_rawlen(L, -1);
    }
    for (i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        read_follow(L, &request->space.follows);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
