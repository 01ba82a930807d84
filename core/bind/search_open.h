/* A search that is run in pieces: by shards, with checkpoints, or until somebody stops it. */
#ifndef BP_BIND_SEARCH_OPEN_H
#define BP_BIND_SEARCH_OPEN_H

#include <lua.h>

/*
** Gives the request on top of the stack its methods:
**   s:size()           positions to go through
**   s:run(begin, end [, seconds])  goes through positions begin <= position < end (0-based), or as far
**                      as it comes in about that time; returns position()
**   s:position()       where the last run ended or was interrupted
**   s:state()          what has been found, as a table of plain numbers
**   s:keep()           what was found up to here belongs to whole pieces
**   s:kept()           state of what was found up to the last keep()
**   s:take()           the same, which is then forgotten
**   s:add(state)       adds what another search of the same request found in other positions
**   s:answer()         the answer of core.search from all of this
*/
void bp_search_set_methods(lua_State *L);

#endif
