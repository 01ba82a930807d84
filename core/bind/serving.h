/*
** core.serve{model =, device =, network =, curves =, plan =, engine =, load =, pool_tokens =, replicas =,
**            routing =, start_s =, autoscale =, failures =, prefill_pool =,
**            trace = {{arrival_s =, input_tokens =, output_tokens =, blocks = {...}}, ...},
**            samples = {{input_tokens =, output_tokens =}, ...}, answers = true}
** simulates a service under load; see core/sim/serving.h. load.rates is a list: rates of a period, in
** equal slots. With `answers` the result has the list `answers` of {arrival_s, queue_s, ttft_s, e2e_s} in
** order of arrival, which of a trace is counted from its first request on.
** core.serve_check{...} refuses those of these fields that core.serve would not read; any may be absent.
** core.serve_about() describes its fields: {input =, output =}, as core.kernels() does.
** core.serving_day(peak_over_mean): weights of mean 1 by minute, see core/sim/serving_load.h
*/
#ifndef BP_BIND_SERVING_H
#define BP_BIND_SERVING_H

#include <lua.h>

int bp_core_serve(lua_State *L);
int bp_core_serve_check(lua_State *L);
int bp_core_serve_about(lua_State *L);
int bp_core_serving_day(lua_State *L);

#endif
