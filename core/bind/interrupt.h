/*
** Ctrl-C, SIGTERM and time limits. The signal sets a hook, which raises the interruption, a value of its own, at the
** next call or instruction of Lua; long calls of C let it in now and then. Where nothing does so soon, as in a library
** function that takes seconds, or nobody has heard of it who knows what it is, the process ends by itself, with what
** is unfinished removed.
*/
#ifndef BP_BIND_INTERRUPT_H
#define BP_BIND_INTERRUPT_H

#include <lua.h>

/* The exit code of whoever was interrupted. */
enum { BP_EXIT_INTERRUPTED = 130 };

/* From here on signals interrupt this state. */
void bp_interrupt_install(lua_State *L);

/* Pushes the value that an interrupt raises: core.interruption. Its text is "interrupted". */
void bp_push_interruption(lua_State *L);

int bp_is_interruption(lua_State *L, int index);

/* Raises it if somebody has asked for it since the program began. */
void bp_let_interrupt(lua_State *L);

/* Whether somebody has, and nothing was raised yet. */
int bp_interrupt_is_wanted(void);

/* Between 1 and 0: C code runs that lets interrupts in by itself, however long that takes here. */
void bp_interrupt_be_patient(int patient);

/*
** core.interruption_grace(seconds): so long Lua has to notice a signal before the process ends; 0.15 unless said. Returns
** what it was.
*/
int bp_core_interruption_grace(lua_State *L);

/* core.interruption_heard(): the interrupt was caught by who knows what to do. */
int bp_core_interruption_heard(lua_State *L);

/*
** core.held(fn, ...): what fn(...) returns, with an interruption that comes meanwhile raised as it ends: for what is to be
** done whole, such as opening a file and noting that it is open. The grace runs on.
*/
int bp_core_held(lua_State *L);

/*
** core.time_limit(seconds, whole): interrupts the program when so much time has passed; 0 takes that back. With `whole`
** it is the limit of all that runs, which later ones do not move. Returns whether that one is over: then only the
** caller can end what runs, and a later limit is the time to do so.
*/
int bp_core_time_limit(lua_State *L);

/* core.unfinished(path or nil): the file to remove where the process ends by itself. */
int bp_core_unfinished(lua_State *L);

#endif
