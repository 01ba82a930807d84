/*
** core.launch_refusals{...}: takes what core.train_step takes, and lists what a search refuses the plan for because the
** software does not launch it: texts, none of a plan that it launches.
*/
#ifndef BP_BIND_REFUSALS_H
#define BP_BIND_REFUSALS_H

#include <lua.h>

int bp_core_launch_refusals(lua_State *L);

#endif
