#include "fields.h"
#include "kernel/describe/plan.h"
#include "setters.h"

static void push_value(lua_State *L, const struct bp_field *field, const void *in) {
    const void *at = (const char *)in + field->offset;
    switch (field->kind) {
    case BP_INT:
        lua_pushinteger(L, *(const int64_t *)at);
        break;
    case BP_NUM:
        lua_pushnumber(L, *(const double *)at);
        break;
    case BP_FLAG:
        lua_pushboolean(L, *(const int *)at);
        break;
    case BP_ENUM:
        lua_pushstring(L, field->names[*(const int *)at]);
        break;
    case BP_STRUCT:
        bp_push_struct(L, field->sub, at);
        break;
    case BP_NOTE:
        lua_pushnil(L);
        break;
    }
}

void bp_push_struct(lua_State *L, const struct bp_schema *schema, const void *in) {
    size_t i;
    lua_checkstack(L, 4);
    lua_createtable(L, 0, (int)schema->count);
    for (i = 0; i < schema->count; i++) {
        push_value(L, &schema->fields[i], in);
        lua_setfield(L, -2, schema->fields[i].name);
    }
}

static const char *kind_name(enum bp_kind kind) {
    static const char *const names[] = {"int", "num", "flag", "enum", "struct", "note"};
    return names[kind];
}

static void push_names(lua_State *L, const struct bp_field *field) {
    int i;
    lua_newtable(L);
    for (i = 0; field->names[i]; i++) {
        lua_pushstring(L, field->names[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_default(lua_State *L, const struct bp_field *field) {
    if (field->kind == BP_ENUM) {
        lua_pushstring(L, field->names[(int)field->def]);
    } else if (field->kind == BP_FLAG) {
        lua_pushboolean(L, (int)field->def);
    } else if (field->kind == BP_INT) {
        lua_pushinteger(L, (lua_Integer)field->def);
    } else {
        lua_pushnumber(L, field->def);
    }
}

static void push_number_limits(lua_State *L, const struct bp_field *field) {
    if (field->kind == BP_INT || field->kind == BP_NUM) {
        lua_pushnumber(L, field->min);
        lua_setfield(L, -2, "min");
        lua_pushnumber(L, field->max);
        lua_setfield(L, -2, "max");
    }
}

/* Parts of an estimate that read the field, by name. */
static void push_reads(lua_State *L, const struct bp_field *field) {
    int part, count = 0;
    lua_newtable(L);
    for (part = 0; part < BP_PART_COUNT; part++) {
        if (!bp_part_ignores((enum bp_part)part, field)) {
            lua_pushstring(L, bp_part_names[part]);
            lua_rawseti(L, -2, ++count);
        }
    }
}

/* How a field of a plan behaves: see kernel/describe/plan_line.h. */
static void set_behaviour(lua_State *L, const struct bp_field *field) {
    push_reads(L, field);
    lua_setfield(L, -2, "reads");
    bp_set_text(L, "check", bp_reject_names[bp_first_check(field)]);
    bp_set_text(L, "matters", bp_matters_names[field->matters]);
    lua_pushboolean(L, bp_matters_to_experts_only((enum bp_matters)field->matters));
    lua_setfield(L, -2, "experts_only");
    if (field->free || field->kind == BP_FLAG || field->kind == BP_ENUM) {
        bp_set_text(L, "free", bp_free_names[field->free]);
    }
    bp_set_text(L, "sets", bp_sets_names[field->sets]);
    lua_pushboolean(L, field->searched);
    lua_setfield(L, -2, "searched");
    lua_pushinteger(L, field->place);
    lua_setfield(L, -2, "place");
    lua_pushboolean(L, field->always);
    lua_setfield(L, -2, "always");
    bp_set_text(L, "label", field->label ? field->label : field->name);
    if (field->unsearched) {
        bp_set_text(L, "unsearched", field->unsearched);
    }
    if (field->words) {
        bp_set_text(L, "words", field->words);
    }
}

static void push_field(lua_State *L, const struct bp_field *field) {
    int valued = field->kind != BP_STRUCT && field->kind != BP_NOTE;
    lua_newtable(L);
    lua_pushstring(L, field->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, kind_name(field->kind));
    lua_setfield(L, -2, "kind");
    lua_pushstring(L, field->unit);
    lua_setfield(L, -2, "unit");
    lua_pushstring(L, field->doc);
    lua_setfield(L, -2, "doc");
    lua_pushboolean(L, valued && isnan(field->def));
    lua_setfield(L, -2, "required");
    if (valued && !isnan(field->def)) {
        push_default(L, field);
        lua_setfield(L, -2, "default");
    }
    push_number_limits(L, field);
    if (field->kind == BP_ENUM) {
        push_names(L, field);
        lua_setfield(L, -2, "names");
    }
    if (field->kind == BP_STRUCT) {
        bp_push_schema(L, field->sub);
        lua_setfield(L, -2, "schema");
    }
}

void bp_push_schema(lua_State *L, const struct bp_schema *schema) {
    size_t i;
    lua_checkstack(L, 8);
    lua_newtable(L);
    lua_pushstring(L, schema->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, schema->doc);
    lua_setfield(L, -2, "doc");
    lua_createtable(L, (int)schema->count, 0);
    for (i = 0; i < schema->count; i++) {
        push_field(L, &schema->fields[i]);
        if (schema == &bp_plan_schema && schema->fields[i].kind != BP_NOTE) {
            set_behaviour(L, &schema->fields[i]);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "fields");
}
