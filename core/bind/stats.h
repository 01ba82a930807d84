/*
** Statistics for Lua.
**
** core.least_squares(residuals, count, weights, options) -> x, residuals, deviations, scale
**   residuals is a function from a list of `count` parameters to a list of residuals; options as for
**   batch:fit, see batch.h. See core/stats/least_squares.h.
** core.conformal_width(scores, weights, groups, coverage), see core/stats/conformal.h.
** core.joint_factor(covariance, n) -> the lower factor of n numbers, row by row; see core/stats/joint.h
** core.joint_draws{mean = list, covariance = list of its rows one after the other, samples =, seed =}
**   -> per number the list of its draws; see core/stats/joint.h.
*/
#ifndef BP_BIND_STATS_H
#define BP_BIND_STATS_H

#include <lua.h>

int bp_core_least_squares(lua_State *L);
int bp_core_conformal_width(lua_State *L);
int bp_core_joint_factor(lua_State *L);
int bp_core_joint_draws(lua_State *L);

#endif
