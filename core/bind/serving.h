/*
** core.serve{model =, device =, network =, curves =, plan =, engine =, load =, pool_tokens =,
**            trace = {{arrival_s =, input_tokens =, output_tokens =}, ...}, answers = true}
** simulates a replica under load; see core/sim/serving.h. With `answers` the result has the list
** `answers` of {arrival_s, queue_s, ttft_s, e2e_s} in order of arrival.
*/
#ifndef BP_BIND_SERVING_H
#define BP_BIND_SERVING_H

#include <lua.h>

int bp_core_serve(lua_State *L);

#endif
