#include "answer.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "setters.h"

enum bp_reject bp_weigh_again(lua_State *L, const struct bp_request *request, uint64_t index,
                              struct bp_candidate *c, struct bp_error *err) {
    enum bp_reject reason;
    int code;
    c->index = index;
    bp_space_decode(&request->space, index, &c->plan);
    bp_space_settle(&request->space, request->search.site.network, &c->plan);
    code = bp_search_weigh(&request->search, c, &reason, err);
    bp_check_status(L, code, err);
    return reason;
}

void bp_set_estimate(lua_State *L, const struct bp_candidate *c) {
    bp_set_struct(L, "memory", &bp_train_memory_schema, &c->memory);
    bp_set_struct(L, "time", &bp_train_time_schema, &c->time);
    bp_set_struct(L, "worth", &bp_worth_schema, &c->worth);
}

static void push_plan(lua_State *L, const struct bp_request *request, uint64_t index,
                      double usd_h) {
    struct bp_candidate c;
    struct bp_error err;
    bp_weigh_again(L, request, index, &c, &err);
    bp_candidate_price(&request->search, &c, usd_h);
    lua_createtable(L, 0, 6);
    bp_set_integer(L, "index", index);
    bp_set_number(L, "score", c.score);
    bp_set_struct(L, "plan", &bp_plan_schema, &c.plan);
    bp_set_estimate(L, &c);
}

static void push_plans(lua_State *L, const struct bp_request *request) {
    const struct bp_topk *topk = &request->found.topk;
    size_t i;
    lua_createtable(L, (int)topk->count, 0);
    for (i = 0; i < topk->count; i++) {
        push_plan(L, request, topk->entries[i].index, topk->entries[i].usd_h);
        bp_set_number(L, "score", topk->entries[i].score);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

void bp_memory_text(char *text, size_t size, const struct bp_request *request,
                    const struct bp_train_memory *memory) {
    int64_t limit = bp_search_limit(&request->search), over = bp_memory_over(memory, limit);
    if (memory->host_capacity_bytes > 0 &&
        over == memory->host_node_bytes - memory->host_capacity_bytes) {
        snprintf(text, size, "plan: needs %lld B of a host's memory, it has %lld B",
                 (long long)memory->host_node_bytes, (long long)memory->host_capacity_bytes);
    } else if (memory->total_bytes > memory->capacity_bytes) {
        snprintf(text, size, "plan: needs %lld B of memory, the device has %lld B",
                 (long long)memory->total_bytes, (long long)memory->capacity_bytes);
    } else {
        snprintf(text, size, "plan: fits with a chance of %.3g only, %.3g is asked",
                 memory->fit_probability, request->in.fit_chance);
    }
}

void bp_rule_text(char *text, size_t size, const struct bp_rule *rule) {
    snprintf(text, size, "%s", *rule->why ? rule->why : rule->name);
}

/* One row of the tally, without its count. */
struct line {
    char reason[BP_RULE_NAME + 8];
    size_t slot;
};

static void name_line(struct line *line, size_t slot, const struct bp_rules *rules) {
    line->slot = slot;
    if (slot >= BP_REJECT_COUNT) {
        snprintf(line->reason, sizeof line->reason, "rule: %s",
                 rules->rules[slot - BP_REJECT_COUNT].name);
    } else {
        snprintf(line->reason, sizeof line->reason, "%s", bp_reject_names[slot]);
    }
}

/* A rule may have set another price. */
static void judge_again(lua_State *L, const struct bp_request *request,
                        const struct bp_rules *rules, struct bp_candidate *c) {
    enum bp_reject reason;
    if (bp_search_judge(&request->search, c, &reason)) {
        bp_raise_rule(L, rules->text);
    }
}

/* Why the example was rejected, in words and with what is known of it. */
static void set_example(lua_State *L, const struct bp_request *request,
                        const struct bp_rules *rules, const struct line *line, uint64_t index) {
    struct bp_candidate c;
    struct bp_error err;
    char text[BP_ANSWER_TEXT];
    enum bp_reject reason = bp_weigh_again(L, request, index, &c, &err);
    bp_set_struct(L, "example", &bp_plan_schema, &c.plan);
    if (line->slot >= BP_REJECT_COUNT) {
        bp_rule_text(text, sizeof text, &rules->rules[line->slot - BP_REJECT_COUNT]);
        judge_again(L, request, rules, &c);
        bp_set_estimate(L, &c);
    } else if (reason == BP_REJECT_MEMORY) {
        bp_memory_text(text, sizeof text, request, &c.memory);
        bp_set_struct(L, "memory", &bp_train_memory_schema, &c.memory);
        bp_set_integer(L, "short_bytes",
                       bp_memory_over(&c.memory, bp_search_limit(&request->search)));
    } else {
        snprintf(text, sizeof text, "%s: %s", err.field, err.text);
    }
    bp_set_text(L, "text", text);
}

static void push_line(lua_State *L, const struct bp_request *request, const struct bp_rules *rules,
                      const struct line *line) {
    const struct bp_tally_slot *slot = &request->found.tally.slots[line->slot];
    lua_createtable(L, 0, 8);
    bp_set_text(L, "reason", line->reason);
    bp_set_integer(L, "count", slot->count);
    bp_set_integer(L, "index", slot->example);
    set_example(L, request, rules, line, slot->example);
}

/* Most frequent first, then by name. */
static int goes_before(const struct bp_tally *tally, const struct line *a, const struct line *b) {
    uint64_t left = tally->slots[a->slot].count, right = tally->slots[b->slot].count;
    return left != right ? left > right : strcmp(a->reason, b->reason) < 0;
}

static size_t sort_lines(const struct bp_tally *tally, const struct bp_rules *rules,
                         struct line lines[BP_TALLY_SLOTS]) {
    size_t slot, count = 0;
    for (slot = 0; slot < BP_TALLY_SLOTS; slot++) {
        struct line line;
        size_t at = count;
        if (tally->slots[slot].count == 0 || slot == BP_TALLY_BOUNDED) {
            continue;
        }
        name_line(&line, slot, rules);
        for (; at > 0 && goes_before(tally, &line, &lines[at - 1]); at--) {
            lines[at] = lines[at - 1];
        }
        lines[at] = line;
        count++;
    }
    return count;
}

static void push_tally(lua_State *L, const struct bp_request *request,
                       const struct bp_rules *rules) {
    struct line lines[BP_TALLY_SLOTS];
    size_t i, count = sort_lines(&request->found.tally, rules, lines);
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        push_line(L, request, rules, &lines[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_rules(lua_State *L, const struct bp_rules *rules) {
    size_t i;
    lua_createtable(L, (int)rules->count, 0);
    for (i = 0; i < rules->count; i++) {
        lua_createtable(L, 0, 4);
        bp_set_text(L, "name", rules->rules[i].name);
        bp_set_text(L, "why", rules->rules[i].why);
        lua_pushboolean(L, rules->rules[i].has_price);
        lua_setfield(L, -2, "prices");
        lua_pushboolean(L, rules->rules[i].has_score);
        lua_setfield(L, -2, "scores");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_objectives(lua_State *L, const struct bp_search *search) {
    size_t i, count = search->objectives_count > 0 ? search->objectives_count : 1;
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        lua_pushstring(L, bp_objective_names[search->objectives[i]]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Of several objectives; the caller gets all of it or is told that it is too long. */
static void set_front(lua_State *L, struct bp_request *request) {
    struct bp_front *front = &request->found.front;
    size_t i;
    if (request->search.objectives_count < 2) {
        return;
    }
    if (front->is_full || front->count > (size_t)request->in.front) {
        bp_raise_input(L, "front",
                       "is too small for the Pareto front of this search: raise it, ask for fewer "
                       "objectives, or narrow the space");
    }
    bp_front_sort(front);
    lua_createtable(L, (int)front->count, 0);
    for (i = 0; i < front->count; i++) {
        push_plan(L, request, front->entries[i].index, front->entries[i].usd_h);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "front");
}

/* Plans left out because a bound says that none of them is among the best. */
static void set_bounded(lua_State *L, const struct bp_request *request) {
    const struct bp_tally_slot *slot = &request->found.tally.slots[BP_TALLY_BOUNDED];
    bp_set_integer(L, "bounded", slot->count);
    if (slot->count > 0) {
        bp_set_number(L, "bound", bp_objective_rank(request->search.objectives[0], slot->distance));
    }
}

void bp_push_answer(lua_State *L, struct bp_request *request, const struct bp_rules *rules) {
    const struct bp_found *found = &request->found;
    bp_topk_sort(&request->found.topk);
    lua_createtable(L, 0, 12);
    push_objectives(L, &request->search);
    lua_setfield(L, -2, "objectives");
    set_bounded(L, request);
    set_front(L, request);
    bp_set_text(L, "objective", bp_objective_names[request->search.objectives[0]]);
    bp_set_integer(L, "space_size", request->space.size);
    bp_set_integer(L, "evaluated", found->evaluated);
    bp_set_integer(L, "duplicates", found->duplicates);
    bp_set_integer(L, "feasible", found->feasible);
    push_plans(L, request);
    lua_setfield(L, -2, "plans");
    push_tally(L, request, rules);
    lua_setfield(L, -2, "tally");
    push_rules(L, rules);
    lua_setfield(L, -2, "rules");
}
