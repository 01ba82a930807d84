#include "search.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "answer.h"
#include "fields.h"
#include "interrupt.h"
#include "search/incumbents.h"
#include "search_open.h"
#include "setters.h"

/*
** Plans between two looks at whether somebody pressed Ctrl-C. Most are passed over at once and some
** cost a rule's time, so the number follows the clock; starting and joining threads costs more the
** more often it happens.
*/
enum { BLOCK_PLANS = 1 << 16, BLOCK_JUDGED_PLANS = 1024, BLOCK_MOST = 1 << 28 };
#define BLOCK_LEAST_S 0.03
#define BLOCK_MOST_S 0.1

static int raise_stop(lua_State *L, const struct bp_request *request, int code,
                      const struct bp_error *err) {
    bp_let_interrupt(L); /* what stops a search with rules, too */
    return code < 0 ? bp_raise_rule(L, request->rules->text) : bp_raise_status(L, err);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The next block after one that took so long. */
static uint64_t adapt(uint64_t block, double took_s) {
    if (took_s < BLOCK_LEAST_S && block < BLOCK_MOST) {
        return 2 * block;
    }
    return took_s > BLOCK_MOST_S && block > 1 ? block / 2 : block;
}

void bp_search_go(lua_State *L, struct bp_request *request, uint64_t begin, uint64_t end,
                  double seconds) {
    struct bp_error err;
    double until = now_s() + seconds;
    if (request->block == 0) {
        request->block = request->search.judge ? BLOCK_JUDGED_PLANS : BLOCK_PLANS;
    }
    request->rules->view.names_state = L;
    request->position = begin;
    while (begin < end) {
        uint64_t to = end - begin > request->block ? begin + request->block : end;
        double started = now_s();
        int code;
        bp_interrupt_be_patient(1);
        code = bp_workers_run(&request->search, request->workers, request->workers_count, begin, to,
                              &err);
        bp_interrupt_be_patient(0);
        if (code) {
            raise_stop(L, request, code, &err);
        }
        request->block = adapt(request->block, now_s() - started);
        request->position = begin = to;
        bp_let_interrupt(L);
        if (now_s() >= until) {
            return;
        }
    }
}

static int wants_price(const struct bp_search *search) {
    size_t i;
    for (i = 0; i < BP_FRONT_OBJECTIVES; i++) {
        if (search->objectives[i] == BP_OBJECTIVE_STEP_USD ||
            search->objectives[i] == BP_OBJECTIVE_TOK_USD) {
            return 1;
        }
    }
    return 0;
}

/* A price in USD has to come from somewhere. */
static void check_price(lua_State *L, const struct bp_request *request,
                        const struct bp_rules *rules) {
    size_t i;
    if (request->search.terms.usd_h > 0 || !wants_price(&request->search)) {
        return;
    }
    for (i = 0; i < rules->count; i++) {
        if (rules->rules[i].has_price || rules->rules[i].has_score) {
            return;
        }
    }
    bp_raise_input(L, "search.usd_h", "is needed to search by price: give the cluster a price");
}

/* Whether a rule changes what bounds go by. */
static int rules_order(const struct bp_rules *rules) {
    size_t i;
    for (i = 0; i < rules->count && !rules->rules[i].has_price && !rules->rules[i].has_score; i++) {
    }
    return i < rules->count;
}

/* A large space is searched with bounds, from good plans found by samples. */
static void set_threshold(lua_State *L, struct bp_request *request) {
    const struct bp_search_in *in = &request->in;
    struct bp_error err;
    if (!in->exhaustive && (double)request->space.size > in->bounded_above &&
        !rules_order(request->rules)) {
        int code = bp_incumbents(&request->search, &request->found, &err);
        if (code) {
            raise_stop(L, request, code, &err);
        }
    }
}

/* Pushes the request read from the table at index, with its rules and workers, ready to run. */
static struct bp_request *push_request(lua_State *L, int index) {
    struct bp_request *request;
    luaL_checkstack(L, 40, "search");
    request = bp_request_push(L, index);
    lua_getfield(L, index, "rules");
    lua_getfield(L, index, "units");
    if (!lua_isnil(L, -2) && !lua_istable(L, -2)) {
        bp_raise_input(L, "rules", "must be a list of rules");
    }
    request->rules = bp_rules_push(L, lua_absindex(L, -2), lua_absindex(L, -1), &request->search);
    lua_setiuservalue(L, -4, BP_REQUEST_RULES);
    lua_pop(L, 2);
    if (request->rules->count > 0) {
        request->search.judge = bp_rules_judge;
        request->search.judge_data = request->rules;
    }
    check_price(L, request, request->rules);
    bp_request_hire(L, request);
    return request;
}

/* The whole search, counting plans ahead of a mark. */
static void run_all(lua_State *L, struct bp_request *request, double mark) {
    bp_found_init(&request->found, &request->room, mark);
    bp_workers_init(&request->search, request->workers, request->workers_count, mark);
    bp_search_go(L, request, 0, request->space.size, INFINITY);
    bp_workers_collect(request->workers, request->workers_count, &request->found);
}

int bp_core_search(lua_State *L) {
    struct bp_request *request;
    lua_settop(L, 1);
    request = push_request(L, 1);
    set_threshold(L, request);
    run_all(L, request, -INFINITY);
    bp_push_answer(L, request, request->rules);
    bp_rules_close(request->rules);
    return 1;
}

/* search_open(request): set up, nothing run. */
int bp_core_search_open(lua_State *L) {
    struct bp_request *request;
    lua_settop(L, 1);
    request = push_request(L, 1);
    set_threshold(L, request);
    bp_workers_init(&request->search, request->workers, request->workers_count, -INFINITY);
    bp_search_set_methods(L);
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

static void set_verdict(lua_State *L, const struct bp_request *request, enum bp_reject reason,
                        const struct bp_rules *rules, const struct bp_candidate *c) {
    const char *verdict = bp_reject_names[reason];
    if (reason == BP_REJECT_NONE || reason == BP_REJECT_RULE) {
        verdict = reason ? "rule" : "feasible";
        bp_set_estimate(L, c);
        lua_pushnumber(L, c->score);
        lua_setfield(L, -2, "score");
    } else if (reason == BP_REJECT_MEMORY) {
        bp_push_struct(L, &bp_train_memory_schema, &c->memory);
        lua_setfield(L, -2, "memory");
        lua_pushinteger(L, bp_memory_over(&c->memory, bp_search_limit(&request->search)));
        lua_setfield(L, -2, "short_bytes");
    }
    bp_set_text(L, "verdict", verdict);
    bp_set_text(L, "reason",
                reason == BP_REJECT_RULE ? rules->rules[c->rule].name : bp_reject_names[reason]);
}

/*
** How many plans of the space are better takes a search; in a large space bounds leave out those that
** are not, which then are not counted as feasible.
*/
static void set_rank(lua_State *L, struct bp_request *request, double mark) {
    int follows = bp_search_floor(&request->search, 1) > -INFINITY && !rules_order(request->rules);
    int bounded = follows && !request->in.exhaustive &&
                  (double)request->space.size > request->in.bounded_above;
    request->search.threshold = bounded ? mark : INFINITY;
    run_all(L, request, mark);
    lua_pushinteger(L, (lua_Integer)request->found.ahead + 1);
    lua_setfield(L, -2, "rank");
    if (!bounded) {
        lua_pushinteger(L, (lua_Integer)request->found.feasible);
        lua_setfield(L, -2, "feasible");
    }
}

int bp_core_why(lua_State *L) {
    struct bp_request *request;
    struct bp_candidate c;
    enum bp_reject reason;
    char text[BP_ANSWER_TEXT];
    lua_settop(L, 2);
    request = push_request(L, 1);
    bp_read_struct(L, 2, &bp_plan_schema, "plan", &c.plan);
    c.index = 0;
    reason = weigh(L, request, request->rules, &c, text);
    lua_createtable(L, 0, 10);
    bp_push_struct(L, &bp_plan_schema, &c.plan);
    lua_setfield(L, -2, "plan");
    bp_set_text(L, "text", text);
    set_verdict(L, request, reason, request->rules, &c);
    if (reason == BP_REJECT_NONE) {
        set_rank(L, request, c.rank);
    }
    bp_rules_close(request->rules);
    return 1;
}
