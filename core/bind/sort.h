/* Sorting that says the same in every run. */
#ifndef BP_BIND_SORT_H
#define BP_BIND_SORT_H

#include <lua.h>

/*
** core.sort(list [, is_before]), in the place of table.sort: where that has to choose a pivot for a second
** time it asks the clock, so that items of the same rank come in another order in every run. This is a merge
** sort: they stay in the order they were in.
*/
int bp_core_sort(lua_State *L);

#endif
