/* Which of two files can be read without waiting. */
#ifndef BP_BIND_READY_H
#define BP_BIND_READY_H

#include <lua.h>

/*
** core.ready(first, second): waits until one of two open files can be read or has ended, and says of each whether it has;
** the second may be nil. Nothing of a file may wait in its buffer: setvbuf("no"). A signal ends the wait with both false.
*/
int bp_core_ready(lua_State *L);

#endif
