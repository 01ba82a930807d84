/* core.search and core.why. */
#ifndef BP_BIND_SEARCH_H
#define BP_BIND_SEARCH_H

#include <lua.h>

/*
** search(request) -> {space_size, evaluated, feasible, duplicates, plans, tally}; see request.h.
** plans are {index, score, plan, memory, time, worth}, best first; tally is {reason, count, index,
** example, text, ...}, the most frequent reason first.
*/
int bp_core_search(lua_State *L);

/*
** why(request, plan) -> {verdict, reason, text, plan, memory, time, worth, score, rank, feasible}:
** what a search says about one plan. verdict is "structure", "memory", "rule" or "feasible".
*/
int bp_core_why(lua_State *L);

#endif
