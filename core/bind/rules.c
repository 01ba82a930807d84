#include "rules.h"

#include <math.h>
#include <stdio.h>

#include "freeze.h"
#include "interrupt.h"
#include "kernel/train/run.h"

static const char *const function_names[] = {"", "price", "reject", "score"};

static int fail(struct bp_rules *rules, size_t rule, const char *text) {
    snprintf(rules->text, sizeof rules->text, "rule '%s': %s", rules->rules[rule].name, text);
    return 0;
}

/* The same of a value that the function at this place has returned, with the line where it begins. */
static int fail_value(struct bp_rules *rules, size_t rule, int function, const char *wanted,
                      const char *got) {
    lua_State *S = rules->box.state;
    char text[BP_SANDBOX_TEXT];
    lua_Debug ar;
    lua_pushvalue(S, BP_RULE_VIEW + (int)rule * BP_RULE_SLOTS + function);
    lua_getinfo(S, ">S", &ar);
    if (ar.linedefined > 0) {
        snprintf(text, sizeof text, "%s:%d: %s must return %s, got %s", ar.short_src,
                 ar.linedefined, function_names[function], wanted, got);
    } else {
        snprintf(text, sizeof text, "%s must return %s, got %s", function_names[function], wanted,
                 got);
    }
    return fail(rules, rule, text);
}

/* A variable outside of its function that has changed: the next plan would be judged by the order of plans. */
static int check_state(struct bp_rules *rules, size_t rule) {
    char text[BP_SANDBOX_TEXT];
    const char *name = bp_freeze_changed(rules->box.state,
                                         BP_RULE_VIEW + (int)rule * BP_RULE_SLOTS + BP_RULE_NOTES);
    if (!name) {
        return 1;
    }
    snprintf(text, sizeof text,
             "changes '%s', but a rule keeps no state: what it says of a plan must not hang on the "
             "plans before (use a local inside of the function)",
             name);
    return fail(rules, rule, text);
}

static int try_rule(struct bp_rules *rules, size_t rule, int function) {
    lua_State *S = rules->box.state;
    lua_pushvalue(S, BP_RULE_VIEW + (int)rule * BP_RULE_SLOTS + function);
    lua_pushvalue(S, BP_RULE_VIEW);
    return bp_sandbox_call(&rules->box, 1, 1);
}

/*
** Leaves the function's value on S, to be popped; 0 with rules->text on failure. A virtual machine that is
** stopped counts the pause as CPU time of who ran: a call that was late is made once more, for a rule says
** the same again. What the late call has left in a variable the next one could read and put back, and its
** verdict would hang on the speed of the machine: state is looked for after each of the two.
*/
static int call_rule(struct bp_rules *rules, size_t rule, int function) {
    lua_State *S = rules->box.state;
    int called = try_rule(rules, rule, function);
    if (!called && rules->box.was_late) {
        if (!check_state(rules, rule)) {
            return 0;
        }
        called = try_rule(rules, rule, function);
    }
    if (!called) {
        return fail(rules, rule, rules->box.text);
    }
    if (!check_state(rules, rule)) {
        lua_pop(S, 1);
        return 0;
    }
    return 1;
}

/* Pops a finite number. There is one zero: a part of a search writes -0 as 0. */
static int pop_number(struct bp_rules *rules, size_t rule, int function, double *value) {
    lua_State *S = rules->box.state;
    int type = lua_type(S, -1);
    *value = lua_tonumber(S, -1) + 0.0;
    lua_pop(S, 1);
    if (type == LUA_TNUMBER && isfinite(*value)) {
        return 1;
    }
    return fail_value(rules, rule, function, "a finite number",
                      type == LUA_TNUMBER ? "one that is not" : lua_typename(S, type));
}

/* Pops true or false; nothing at all counts as false. */
static int pop_truth(struct bp_rules *rules, size_t rule, int *value) {
    lua_State *S = rules->box.state;
    int type = lua_type(S, -1);
    *value = lua_toboolean(S, -1);
    lua_pop(S, 1);
    if (type == LUA_TBOOLEAN || type == LUA_TNIL) {
        return 1;
    }
    return fail_value(rules, rule, BP_RULE_REJECT, "true or false", lua_typename(S, type));
}

static int take_price(struct bp_rules *rules, size_t rule, struct bp_candidate *candidate) {
    double usd_h;
    if (!call_rule(rules, rule, BP_RULE_PRICE) || !pop_number(rules, rule, BP_RULE_PRICE, &usd_h)) {
        return 0;
    }
    if (usd_h < 0) {
        return fail(rules, rule, "price must not be negative");
    }
    if (usd_h > BP_MOST_USD_H) {
        return fail(rules, rule, "price must be at most 1,000,000 USD per device-hour");
    }
    bp_candidate_price(rules->search, candidate, usd_h);
    return 1;
}

static int take_score(struct bp_rules *rules, size_t rule, struct bp_candidate *candidate) {
    candidate->scored = 1;
    return call_rule(rules, rule, BP_RULE_SCORE) &&
           pop_number(rules, rule, BP_RULE_SCORE, &candidate->score);
}

/* A price first, because the others may look at it; the score last, for what is kept. */
enum bp_judgement bp_rules_judge(void *data, struct bp_candidate *candidate) {
    struct bp_rules *rules = data;
    size_t i;
    int rejected;
    if (bp_interrupt_is_wanted()) {
        return BP_JUDGE_STOP;
    }
    rules->view.candidate = candidate;
    for (i = 0; i < rules->count; i++) {
        if (rules->rules[i].has_price && !take_price(rules, i, candidate)) {
            return BP_JUDGE_STOP;
        }
    }
    for (i = 0; i < rules->count; i++) {
        if (!rules->rules[i].has_reject) {
            continue;
        }
        if (!call_rule(rules, i, BP_RULE_REJECT) || !pop_truth(rules, i, &rejected)) {
            return BP_JUDGE_STOP;
        }
        if (rejected) {
            candidate->rule = i;
            return BP_JUDGE_REJECT;
        }
    }
    for (i = 0; i < rules->count; i++) {
        if (rules->rules[i].has_score && !take_score(rules, i, candidate)) {
            return BP_JUDGE_STOP;
        }
    }
    return BP_JUDGE_KEEP;
}
