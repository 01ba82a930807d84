/* Lists of numbers between Lua and C, and options of a fit. */
#ifndef BP_BIND_LISTS_H
#define BP_BIND_LISTS_H

#include <lua.h>

#include "stats/least_squares.h"

/* Pushes a userdata of `count` doubles (at least one) and returns them. */
double *bp_push_doubles(lua_State *L, size_t count);

/* Reads the list at index, which has to have `count` finite numbers; `name` is for errors. */
void bp_read_doubles(lua_State *L, int index, const char *name, double *out, size_t count);

/* Pushes a new list. */
void bp_push_list(lua_State *L, const double *values, size_t count);

/* Number in the field `name` of the table at index (which may be nil), or `otherwise`. */
double bp_number_option(lua_State *L, int index, const char *name, double otherwise);

/*
** Fills loss, iterations, step, least_scale, most_scale and x (from `start`) from the options at index,
** which may be nil, and pushes userdata that hold work, x, residuals and deviations.
*/
void bp_prepare_fit(lua_State *L, int options, struct bp_least_squares *fit);

#endif
