/* What a search found, as Lua tables. */
#ifndef BP_BIND_ANSWER_H
#define BP_BIND_ANSWER_H

#include <lua.h>

#include "request.h"
#include "rules.h"

enum { BP_ANSWER_TEXT = 320 };

/* Pushes the answer of a finished run. */
void bp_push_answer(lua_State *L, struct bp_request *request, const struct bp_rules *rules);

/* Estimates the plan at index again: cheaper than keeping every estimate that might be shown. */
enum bp_reject bp_weigh_again(lua_State *L, const struct bp_request *request, uint64_t index,
                              struct bp_candidate *c, struct bp_error *err);

/* Sets memory, time and worth of the table on top. */
void bp_set_estimate(lua_State *L, const struct bp_candidate *candidate);

/* Sentences for what has no error of a kernel. */
void bp_memory_text(char *text, size_t size, const struct bp_request *request,
                    const struct bp_train_memory *memory);
void bp_rule_text(char *text, size_t size, const struct bp_rule *rule);

#endif
