/* Draws of uncertain numbers, and expressions worked out for them, bound to Lua. */
#ifndef BP_BIND_DRAWS_H
#define BP_BIND_DRAWS_H

#include <lua.h>

/*
** core.spread_value(spread, u): the value that a uniform number stands for. A spread is { kind =, a =, b =, c =,
** d =, values = list, parts = list of spreads }, as stats/spread.h has it.
*/
int bp_core_spread_value(lua_State *L);

/*
** core.draw_values { inputs = list of spreads, correlations = list of { i, j, r }, samples =, seed =,
** other = true for the second matrix }: a list of values for every input.
*/
int bp_core_draw_values(lua_State *L);

/*
** core.draw_tape { inputs, correlations, samples, seed, threads, constants = list, lines = list of { op, a, b, c }
** with values counted from 0, results = list of values, shares = list, limits = list of { least =, most = } by result,
** base = draws for the indices }: for every result { mean, deviation, quantiles = list, broken = share of draws beyond
** a limit, first = list, total = list by input }.
*/
int bp_core_draw_tape(lua_State *L);

/* core.sobol_indices(a, b, ab): first and total index of one input, of three lists of values. */
int bp_core_sobol_indices(lua_State *L);

#endif
