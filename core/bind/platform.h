/*
** core.platform({nodes =, node_size =, order =, ...}, {{rate_per_s =, duration_s =, ...}, ...},
**               {submit_s = {...}, run_s = {...}, devices = {...}, class = {...}} or nil, starts)
** simulates the jobs of a platform: its fields, the classes of its jobs, and a trace (lists of one length, by
** submission, classes from 1) instead of jobs that are drawn; see core/sim/platform.h. The result has
** `classes`, a table each in the order given, and with `starts` the list of the jobs' first starts.
** core.platform_about() describes the fields: {input =, class =, output =, class_output =}.
*/
#ifndef BP_BIND_PLATFORM_H
#define BP_BIND_PLATFORM_H

#include <lua.h>

int bp_core_platform(lua_State *L);
int bp_core_platform_about(lua_State *L);

#endif
