/*
** Sums of independent parts for Lua, see core/stats/part_sum.h.
**
** core.part_sum(parts, share, limit) -> { quantile, below, mean, median, means, without }
**   parts    list of { shares = list, values = list }, of a part's quantile function, both rising
**   share    that is asked of the sum; limit: a value that is asked, as many stay below it
**   means    of each part; without: the quantile of the sum of all parts but each
*/
#ifndef BP_BIND_PART_SUM_H
#define BP_BIND_PART_SUM_H

#include <lua.h>

int bp_core_part_sum(lua_State *L);

#endif
