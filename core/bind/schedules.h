/* core.schedules(): what is known of every pipeline schedule, in the order of the enum. */
#ifndef BP_BIND_SCHEDULES_H
#define BP_BIND_SCHEDULES_H

#include <lua.h>

/*
** A list of { name, about, formula, source, layout, chunks, least_vpp, weight_copies, pairs, interleaves, software, torch,
** torch_interleaved }; chunks is 1 where the schedule interleaves by vpp. Texts that it does not have are nil.
*/
int bp_core_schedules(lua_State *L);

#endif
