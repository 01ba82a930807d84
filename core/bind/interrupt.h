/* Long calls of C that a Ctrl-C is to end. */
#ifndef BP_BIND_INTERRUPT_H
#define BP_BIND_INTERRUPT_H

#include <lua.h>

/* Raises "interrupted" if somebody has pressed Ctrl-C since the program began. */
void bp_let_interrupt(lua_State *L);

#endif
