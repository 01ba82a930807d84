/* core.search, core.why and core.search_open. */
#ifndef BP_BIND_SEARCH_H
#define BP_BIND_SEARCH_H

#include <lua.h>

#include "request.h"

/*
** search(request) -> {objective, objectives, space_size, evaluated, feasible, duplicates, bounded,
** bound, plans, front, tally, rules}; see request.h. plans are {index, score, plan, memory, time,
** worth}, best first; front the same for several objectives; tally is {reason, count, index, example,
** text, ...}, the most frequent reason first; bounded counts plans that were not looked at because
** none can be better than bound, so that feasible says how many fit at least.
*/
int bp_core_search(lua_State *L);

/*
** why(request, plan) -> {verdict, reason, text, plan, memory, time, worth, score, rank, feasible}:
** what a search says about one plan. verdict is "feasible", "rule", or the reason as in a tally
** ("memory", "devices", ...).
*/
int bp_core_why(lua_State *L);

/*
** search_open(request) -> a search that can be run in pieces, see search_open.c for its methods.
*/
int bp_core_search_open(lua_State *L);

/*
** Runs positions begin to end, or as far as it comes in about so many seconds: request->position is
** where it stands, also when a Ctrl-C has raised in between.
*/
void bp_search_go(lua_State *L, struct bp_request *request, uint64_t begin, uint64_t end,
                  double seconds);

#endif
