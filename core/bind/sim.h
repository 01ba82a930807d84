/* Lua functions around the event simulations. */
#ifndef BP_BIND_SIM_H
#define BP_BIND_SIM_H

#include <lua.h>

/*
** core.pipeline{stages=, micro_batches=, schedule=, ...}: simulates a pipeline schedule. Gives makespan_s,
** span_s, bubble_s, bubble_frac, closed_s (of the closed form, for even stages of a built-in
** schedule), layout, chunks, devices = one table per device, and with steps = true each device's
** operations with start and end.
*/
int bp_core_pipeline(lua_State *L);

#endif
