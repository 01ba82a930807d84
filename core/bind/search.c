#include "search.h"

#include <lauxlib.h>
#include <stdio.h>

#include "answer.h"
#include "fields.h"

/* Plans between two looks at whether somebody pressed Ctrl-C; rules can be slow. */
enum { BLOCK_PLANS = 4096, BLOCK_JUDGED_PLANS = 64 };

static int nothing(lua_State *L) {
    (void)L;
    return 0;
}

/* The program's interrupt is a hook on calls: it fires here, and raises. */
static void let_interrupt(lua_State *L) {
    lua_pushcfunction(L, nothing);
    lua_call(L, 0, 0);
}

static int raise_stop(lua_State *L, const struct bp_request *request, int code,
                      const struct bp_error *err) {
    if (code < 0) {
        const struct bp_rules *rules = request->search.judge_data;
        return bp_raise_rule(L, rules->text);
    }
    return bp_raise_status(L, err);
}

static void run(lua_State *L, struct bp_request *request) {
    struct bp_memo *memo = lua_newuserdatauv(L, sizeof *memo, 0);
    uint64_t size = request->space.size, begin, end;
    struct bp_walk walk;
    uint64_t block = request->search.judge ? BLOCK_JUDGED_PLANS : BLOCK_PLANS;
    struct bp_error err;
    bp_walk_init(&walk, &request->space);
    bp_memo_init(memo, &walk);
    for (begin = 0; begin < size; begin = end) {
        int code;
        end = size - begin > block ? begin + block : size;
        code = bp_search_run(&request->search, memo, begin, end, &request->found, &err);
        if (code) {
            raise_stop(L, request, code, &err);
        }
        let_interrupt(L);
    }
    lua_pop(L, 1);
}

/* A price in USD has to come from somewhere. */
static void check_price(lua_State *L, const struct bp_request *request,
                        const struct bp_rules *rules) {
    enum bp_objective objective = request->search.objectives[0];
    size_t i;
    if (request->search.terms.usd_h > 0 ||
        (objective != BP_OBJECTIVE_STEP_USD && objective != BP_OBJECTIVE_TOK_USD)) {
        return;
    }
    for (i = 0; i < rules->count; i++) {
        if (rules->rules[i].has_price || rules->rules[i].has_score) {
            return;
        }
    }
    bp_raise_input(L, "search.usd_h", "is needed to search by price: give the cluster a price");
}

/* Pushes request and rules; the request judges by the rules if there are any. */
static struct bp_request *push_request(lua_State *L, int index, struct bp_rules **rules) {
    struct bp_request *request;
    luaL_checkstack(L, 40, "search");
    request = bp_request_push(L, index);
    lua_getfield(L, index, "rules");
    lua_getfield(L, index, "units");
    if (!lua_isnil(L, -2) && !lua_istable(L, -2)) {
        bp_raise_input(L, "rules", "must be a list of rules");
    }
    *rules = bp_rules_push(L, lua_absindex(L, -2), lua_absindex(L, -1), &request->search);
    if ((*rules)->count > 0) {
        request->search.judge = bp_rules_judge;
        request->search.judge_data = *rules;
    }
    check_price(L, request, *rules);
    return request;
}

int bp_core_search(lua_State *L) {
    struct bp_rules *rules;
    struct bp_request *request;
    lua_settop(L, 1);
    request = push_request(L, 1, &rules);
    run(L, request);
    bp_push_answer(L, request, rules);
    bp_rules_close(rules);
    return 1;
}

/* Weighs and judges one plan; text says why not. */
static enum bp_reject weigh(lua_State *L, const struct bp_request *request,
                            const struct bp_rules *rules, struct bp_candidate *c,
                            char text[BP_ANSWER_TEXT]) {
    struct bp_error err;
    enum bp_reject reason;
    int code = bp_search_weigh(&request->search, c, &reason, &err);
    text[0] = '\0';
    if (!code && !reason) {
        code = bp_search_judge(&request->search, c, &reason);
    }
    if (code) {
        raise_stop(L, request, code, &err);
    }
    if (reason == BP_REJECT_MEMORY) {
        bp_memory_text(text, BP_ANSWER_TEXT, request, &c->memory);
    } else if (reason == BP_REJECT_RULE) {
        bp_rule_text(text, BP_ANSWER_TEXT, &rules->rules[c->rule]);
    } else if (reason) {
        snprintf(text, BP_ANSWER_TEXT, "%s: %s", err.field, err.text);
    }
    return reason;
}

static void set_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

static void set_verdict(lua_State *L, const struct bp_request *request, enum bp_reject reason,
                        const struct bp_rules *rules, const struct bp_candidate *c) {
    const char *verdict = "structure";
    if (reason == BP_REJECT_NONE || reason == BP_REJECT_RULE) {
        verdict = reason ? "rule" : "feasible";
        bp_set_estimate(L, c);
        lua_pushnumber(L, c->score);
        lua_setfield(L, -2, "score");
    } else if (reason == BP_REJECT_MEMORY) {
        verdict = "memory";
        bp_push_struct(L, &bp_train_memory_schema, &c->memory);
        lua_setfield(L, -2, "memory");
        lua_pushinteger(L, c->memory.total_bytes - bp_search_limit(&request->search));
        lua_setfield(L, -2, "short_bytes");
    }
    set_text(L, "verdict", verdict);
    set_text(L, "reason",
             reason == BP_REJECT_RULE ? rules->rules[c->rule].name : bp_reject_names[reason]);
}

/* How many plans of the space are better takes a search. */
static void set_rank(lua_State *L, struct bp_request *request, double mark) {
    request->found.mark = mark;
    run(L, request);
    lua_pushinteger(L, (lua_Integer)request->found.ahead + 1);
    lua_setfield(L, -2, "rank");
    lua_pushinteger(L, (lua_Integer)request->found.feasible);
    lua_setfield(L, -2, "feasible");
}

int bp_core_why(lua_State *L) {
    struct bp_rules *rules;
    struct bp_request *request;
    struct bp_candidate c;
    enum bp_reject reason;
    char text[BP_ANSWER_TEXT];
    lua_settop(L, 2);
    request = push_request(L, 1, &rules);
    bp_read_struct(L, 2, &bp_plan_schema, "plan", &c.plan);
    c.index = 0;
    reason = weigh(L, request, rules, &c, text);
    lua_createtable(L, 0, 10);
    bp_push_struct(L, &bp_plan_schema, &c.plan);
    lua_setfield(L, -2, "plan");
    set_text(L, "text", text);
    set_verdict(L, request, reason, rules, &c);
    if (reason == BP_REJECT_NONE) {
        set_rank(L, request, c.rank);
    }
    bp_rules_close(rules);
    return 1;
}
