/* A Lua state of its own that answers questions: ballpark.embedded with the core in it. */
#ifndef BP_BIND_ENGINE_H
#define BP_BIND_ENGINE_H

#include "kernel/status.h"

struct lua_State;

/* A state with the library of the folder `dir`, or NULL and why not. */
struct lua_State *bp_engine_open(const char *dir, struct bp_error *err);

/*
** The JSON answer to a question whose input is JSON, and its exit code in `code` (which may be NULL). The text lives
** until the next answer.
*/
const char *bp_engine_answer(struct lua_State *L, const char *question, const char *input,
                             int *code);

void bp_engine_close(struct lua_State *L);

#endif
