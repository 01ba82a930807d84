#include "rules.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "copy.h"
#include "fields.h"
#include "freeze.h"

/* Notes: a rule stays a Lua table, the list only says what may be in it. */
#define BP_RULE_FIELDS(F, S)                                                                       \
    F(S, NOTE, name, , "", 0, 0, 0, "what the rule is called in results")                          \
    F(S, NOTE, why, , "", 0, 0, 0, "one sentence for people whose plan it rejects")                \
    F(S, NOTE, reject, , "", 0, 0, 0, "function(c): true to reject the plan")                      \
    F(S, NOTE, score, , "", 0, 0, 0,                                                               \
      "function(c): a number that replaces the objective, more is better")                         \
    F(S, NOTE, price, , "", 0, 0, 0, "function(c): USD per device and hour")
static const struct bp_field rule_fields[] = {BP_RULE_FIELDS(BP_DESCRIBE, bp_rule)};
static const struct bp_schema rule_schema = {"rule", "a team's own judgement of plans", 0,
                                             sizeof rule_fields / sizeof *rule_fields, rule_fields};

static int free_rules(lua_State *L) {
    struct bp_rules *rules = lua_touserdata(L, 1);
    bp_rules_close(rules);
    return 0;
}

void bp_rules_close(struct bp_rules *rules) {
    bp_sandbox_close(&rules->box);
}

/* The userdata exists, closed, before there is a state to free. */
static struct bp_rules *push_closed(lua_State *L) {
    struct bp_rules *rules = lua_newuserdatauv(L, sizeof *rules, 0);
    rules->box.state = NULL;
    rules->count = 0;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, free_rules);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return rules;
}

int bp_raise_rule(lua_State *L, const char *text) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "ballpark.errors");
    lua_getfield(L, -1, "rule");
    lua_pushstring(L, text);
    lua_call(L, 1, 0);
    return luaL_error(L, "%s", text);
}

/* What make_rule leaves. */
enum { RULE_VALUES = 7 };

/* One rule on its way from the program's state into the sandbox. */
struct load {
    lua_State *L;
    int item, units;   /* on L's stack */
    const char *text;  /* source of a rule file, or NULL: the item is the rule */
    const char *chunk; /* "@path" */
    size_t size;
    struct bp_sandbox *box;
};

static int make_view(lua_State *S) {
    bp_view_push(S, lua_touserdata(S, 1));
    return 1;
}

static int unit_function(lua_State *S) {
    luaL_checknumber(S, 1);
    lua_pushvalue(S, lua_upvalueindex(1));
    lua_pushvalue(S, 1);
    lua_arith(S, LUA_OPMUL);
    return 1;
}

/* Adds GiB(80) and the like to the table of globals on top of S. */
static void add_units(lua_State *S, const struct load *load) {
    lua_State *L = load->L;
    if (!lua_istable(L, load->units)) {
        return;
    }
    lua_pushnil(L);
    while (lua_next(L, load->units)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TNUMBER) {
            lua_pushstring(S, lua_tostring(L, -2));
            if (lua_isinteger(L, -1)) {
                lua_pushinteger(S, lua_tointeger(L, -1));
            } else {
                lua_pushnumber(S, lua_tonumber(L, -1));
            }
            lua_pushcclosure(S, unit_function, 1);
            lua_rawset(S, -3);
        }
        lua_settop(L, lua_gettop(L) - 1);
    }
}

/* Pushes what the rule file returns. */
static void run_file(lua_State *S, const struct load *load, int globals) {
    if (bp_sandbox_load(S, load->text, load->size, load->chunk) != LUA_OK) {
        lua_error(S);
    }
    lua_pushvalue(S, globals);
    lua_setupvalue(S, -2, 1);
    lua_call(S, 0, 1);
    if (!lua_istable(S, -1)) {
        luaL_error(S, "%s: must return the table of a rule, got %s", load->chunk + 1,
                   luaL_typename(S, -1));
    }
}

/* Behind the rule on top: the notes on its state, which can no longer change. */
static void push_frozen(lua_State *S) {
    int rule = lua_gettop(S);
    lua_newtable(S); /* memo */
    lua_newtable(S); /* notes */
    lua_pushvalue(S, rule);
    bp_freeze(S, rule + 1, rule + 2);
    lua_pop(S, 1);
    lua_remove(S, rule + 1);
}

/* In the sandbox: leaves the rule's table, name, why, price, reject, score and the notes on its state. */
static int make_rule(lua_State *S) {
    static const char *const parts[] = {"name", "why", "price", "reject", "score"};
    const struct load *load = lua_touserdata(S, 1);
    size_t i;
    int globals, rule;
    bp_sandbox_push_globals(S);
    globals = lua_gettop(S);
    add_units(S, load);
    if (load->text) {
        run_file(S, load, globals);
    } else {
        bp_sandbox_limit_texts(load->box, 0);
        bp_copy_value(load->L, load->item, S, globals);
        bp_sandbox_limit_texts(load->box, 1);
    }
    rule = lua_gettop(S);
    push_frozen(S);
    lua_pushvalue(S, rule);
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        lua_getfield(S, rule, parts[i]);
    }
    lua_pushvalue(S, rule + 1);
    return RULE_VALUES;
}

/* Where messages say a rule is: its file, or its place in the list. */
static void locate(char *path, size_t size, const struct load *load, size_t rule) {
    if (load->text) {
        snprintf(path, size, "%s", load->chunk + 1);
    } else {
        snprintf(path, size, "rules[%d]", (int)rule + 1);
    }
}

static int raise_part(lua_State *L, const char *path, const char *part, const char *text) {
    char full[BP_RULE_PATH + 16];
    snprintf(full, sizeof full, "%s.%s", path, part);
    return bp_raise_input(L, full, text);
}

/* Looks at S without raising there: nothing here allocates in S. */
static void check_keys(lua_State *L, lua_State *S, int table, const char *path) {
    if (!bp_push_wrong_key(S, table, &rule_schema)) {
        return;
    }
    if (lua_type(S, -1) != LUA_TSTRING) {
        bp_raise_input(L, path, "takes named fields, not a list");
    }
    bp_raise_unknown(L, &rule_schema, path, lua_tostring(S, -1));
}

static void read_text(lua_State *L, lua_State *S, int slot, const char *path, const char *part,
                      char *out, size_t size) {
    if (lua_isnil(S, slot)) {
        *out = '\0';
        return;
    }
    if (lua_type(S, slot) != LUA_TSTRING) {
        raise_part(L, path, part, "must be text");
    }
    if (lua_rawlen(S, slot) >= size) {
        raise_part(L, path, part, "is too long");
    }
    snprintf(out, size, "%s", lua_tostring(S, slot));
}

static int has_function(lua_State *L, lua_State *S, int slot, const char *path, const char *part) {
    if (!lua_isnil(S, slot) && !lua_isfunction(S, slot)) {
        raise_part(L, path, part, "must be a function");
    }
    return lua_isfunction(S, slot);
}

/* One score and one price at most, and names that tell rules apart. */
static void check_others(lua_State *L, const struct bp_rules *rules, const struct bp_rule *rule,
                         const char *path) {
    char text[BP_RULE_NAME + 64];
    size_t i;
    for (i = 0; i < rules->count; i++) {
        const struct bp_rule *other = &rules->rules[i];
        if (strcmp(rule->name, other->name) == 0) {
            raise_part(L, path, "name", "is the name of another rule already");
        }
        if ((rule->has_score && other->has_score) || (rule->has_price && other->has_price)) {
            snprintf(text, sizeof text, "rule '%s' gives it already, and only one can",
                     other->name);
            raise_part(L, path, rule->has_score && other->has_score ? "score" : "price", text);
        }
    }
}

/*
** Takes over what make_rule left on S: name and why as text, the functions stay on the stack, in the
** order of enum bp_rule_function.
*/
static void take_rule(lua_State *L, struct bp_rules *rules, const char *path) {
    lua_State *S = rules->box.state;
    struct bp_rule *rule = &rules->rules[rules->count];
    int table = lua_gettop(S) - RULE_VALUES + 1;
    check_keys(L, S, table, path);
    read_text(L, S, table + 1, path, "name", rule->name, sizeof rule->name);
    read_text(L, S, table + 2, path, "why", rule->why, sizeof rule->why);
    if (!*rule->name) {
        raise_part(L, path, "name", "is missing");
    }
    rule->has_price = has_function(L, S, table + 3, path, "price");
    rule->has_reject = has_function(L, S, table + 4, path, "reject");
    rule->has_score = has_function(L, S, table + 5, path, "score");
    if (!rule->has_price && !rule->has_reject && !rule->has_score) {
        bp_raise_input(L, path, "has none of the functions reject, score and price");
    }
    check_others(L, rules, rule, path);
    lua_rotate(S, table, BP_RULE_SLOTS);
    lua_settop(S, lua_gettop(S) - (RULE_VALUES - BP_RULE_SLOTS));
    rules->count++;
}

/* The sandbox's message mostly starts with the file and line already. */
static int raise_load(lua_State *L, struct bp_rules *rules, const char *path) {
    int located = strncmp(rules->box.text, path, strlen(path)) == 0;
    snprintf(rules->text, sizeof rules->text, "rule %s%s%s", located ? "" : path,
             located ? "" : ": ", rules->box.text);
    return bp_raise_rule(L, rules->text);
}

/* The item on top of L's stack. */
static void load_rule(lua_State *L, struct bp_rules *rules, int units) {
    struct load load = {L, lua_gettop(L), units, NULL, "=rule", 0, &rules->box};
    char path[BP_RULE_PATH];
    if (rules->count == BP_TALLY_RULES) {
        bp_raise_input(L, "rules", "are more than 64");
    }
    if (!lua_istable(L, load.item)) {
        bp_raise_input(L, "rules", "must be a list of tables");
    }
    if (lua_getfield(L, load.item, "text") == LUA_TSTRING) {
        load.text = lua_tolstring(L, -1, &load.size);
        lua_getfield(L, load.item, "chunk");
        load.chunk = luaL_checkstring(L, -1);
    }
    locate(path, sizeof path, &load, rules->count);
    if (load.size > BP_RULE_SOURCE) {
        bp_raise_input(L, path, "a file of rules holds at most 64 KiB");
    }
    lua_pushcfunction(rules->box.state, make_rule);
    lua_pushlightuserdata(rules->box.state, &load);
    if (!bp_sandbox_call(&rules->box, 1, RULE_VALUES)) {
        raise_load(L, rules, path);
    }
    lua_settop(L, load.item + (load.text ? 2 : 0));
    take_rule(L, rules, path);
    lua_settop(L, load.item);
}

struct bp_rules *bp_rules_push(lua_State *L, int list, int units, const struct bp_search *search) {
    struct bp_rules *rules = push_closed(L);
    lua_Integer i, count = lua_istable(L, list) ? (lua_Integer)lua_rawlen(L, list) : 0;
    lua_State *S;
    rules->search = search;
    bp_view_init(&rules->view, L, &search->site);
    if (!bp_sandbox_open(&rules->box)) {
        luaL_error(L, "not enough memory for a rule's sandbox");
    }
    S = rules->box.state;
    lua_pushcfunction(S, make_view);
    lua_pushlightuserdata(S, &rules->view);
    if (!lua_checkstack(S, BP_TALLY_RULES * BP_RULE_SLOTS + 32) ||
        !bp_sandbox_call(&rules->box, 1, 1)) {
        luaL_error(L, "not enough memory for a rule's sandbox");
    }
    luaL_checkstack(L, 16, "rules");
    for (i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        load_rule(L, rules, units);
        lua_pop(L, 1);
    }
    return rules;
}
