/*
** Estimates of a plan whose pipeline somebody has simulated. `simulated` is { makespan_s =, weight_copies =,
** in_flight = a number per stage }, as bp_simulated; nil: the closed form of the plan's schedule.
*/
#ifndef BP_BIND_STAGES_H
#define BP_BIND_STAGES_H

#include <lua.h>

/* core.train_stages(input, simulated): a list of the pipeline's stages; input as of core.train_step. */
int bp_core_train_stages(lua_State *L);

/* core.simulated_step(input, simulated): what core.train_step answers. */
int bp_core_simulated_step(lua_State *L);

#endif
