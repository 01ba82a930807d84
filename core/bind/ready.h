/* Which of two files can be read without waiting, and what one of them has. */
#ifndef BP_BIND_READY_H
#define BP_BIND_READY_H

#include <lua.h>

/*
** core.ready(first, second): waits until one of two open files can be read or has ended, and says of each whether it has;
** the second may be nil. Nothing of a file may wait in its buffer: setvbuf("no"). A signal ends the wait with both false.
*/
int bp_core_ready(lua_State *L);

/* core.wait(seconds): nothing happens for so long, or until a signal comes. */
int bp_core_wait(lua_State *L);

/*
** core.read_ready(file): what an open file has, 64 KiB at most, past its buffer; nil at its end, nil and why
** where it cannot be read. Waits where it has nothing yet, until a signal comes: then "".
*/
int bp_core_read_ready(lua_State *L);

#endif
