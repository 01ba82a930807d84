/*
** Several processes on one search, with MPI: core.ranks, which is there only in a program built with
** BALLPARK_MPI and started by mpirun.
**   ranks.rank, ranks.size   which process this is (from 0), of how many
**   ranks.next(turns)        the next of so many turns that nobody has had, or nil when all are given
**   ranks.all(text)          list of the texts that all ranks give
**   ranks.abort(code)        ends all of them
*/
#ifndef BP_BIND_RANKS_H
#define BP_BIND_RANKS_H

#include <lua.h>

/* Sets the field `ranks` of the table on top, if there are any. */
void bp_core_set_ranks(lua_State *L);

#endif
