/*
** What a rule refers to, made unchangeable: the verdict on a plan must not hang on the plans before it,
** which differ from thread to thread and from shard to shard.
*/
#ifndef BP_BIND_FREEZE_H
#define BP_BIND_FREEZE_H

#include <lua.h>

/*
** All of it runs inside of a sandbox's state. bp_freeze puts, for every table that the value on top of the
** stack leads to (through fields and upvalues of functions), a read-only view of it in its place, and notes
** every upvalue on the way in the table `notes`. `memo` is a table that several calls share; the value on top
** is replaced. Raises where tables or functions are nested too deeply.
*/
void bp_freeze(lua_State *S, int memo, int notes);

/* The name of an upvalue that is not worth what it was when noted; NULL where all are. Raises nothing. */
const char *bp_freeze_changed(lua_State *S, int notes);

#endif
