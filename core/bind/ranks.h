/*
** Several processes on one search, with MPI: core.ranks, which is there only in a program built with
** BALLPARK_MPI and started by mpirun. The ranks send each other texts; what these say is up to Lua.
**   ranks.rank, ranks.size      which process this is (from 0), of how many
**   ranks.send(to, text)        sends a text; a short one does not wait for the other
**   ranks.receive(seconds)      the next text for this rank and who sent it, nil after so long
**   ranks.is_ending()           whether the launcher has told this rank to end, and will soon kill it
**   ranks.abandon(code)         when this rank ends, it ends all others with this exit code; 0: it waits
**   ranks.share_interrupt()     all ranks know of an interrupt and end by themselves
*/
#ifndef BP_BIND_RANKS_H
#define BP_BIND_RANKS_H

#include <lua.h>

/* Sets the field `ranks` of the table on top, if there are any. */
void bp_core_set_ranks(lua_State *L);

/* This process is about to end with an exit code: an interrupt that no other rank knows of ends them all. */
void bp_end_ranks(int code);

#endif
