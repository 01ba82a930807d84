/*
** A Lua state of its own for code we do not trust to end or to stay small: allow-listed globals,
** text chunks only, a limit on memory and a limit on instructions per call.
**
** What is closed, and why: no pattern functions (they back-track in C, where no hook fires), no
** setmetatable (a __gc could loop while the state closes), no pcall and no coroutines (they could
** swallow the budget error), no pairs and no random (their order and values differ from run to run),
** string.rep capped.
*/
#ifndef BP_BIND_SANDBOX_H
#define BP_BIND_SANDBOX_H

#include <lua.h>
#include <stddef.h>

enum {
    BP_SANDBOX_BYTES = 4 << 20,
    BP_SANDBOX_INSTRUCTIONS = 200000, /* of one call */
    BP_SANDBOX_TEXT = 512,
};

struct bp_sandbox {
    lua_State *state; /* NULL when closed */
    size_t used_bytes;
    char text[BP_SANDBOX_TEXT]; /* what the last failed call said */
};

/* Stack slot of the message handler; slots above it belong to the user. */
enum { BP_SANDBOX_HANDLER = 1 };

/* 1, or 0 when memory does not suffice; close works in either case, and twice. */
int bp_sandbox_open(struct bp_sandbox *box);
void bp_sandbox_close(struct bp_sandbox *box);

/*
** Calls what is on the sandbox's stack within the budget. On failure returns 0 with the reason, file
** and line first, in box->text; function and arguments are gone in either case.
*/
int bp_sandbox_call(struct bp_sandbox *box, int arguments, int results);

/*
** The rest runs inside the sandbox (called by bp_sandbox_call) and may raise there.
** Pushes a new table of the allowed globals; reading or writing another one raises.
*/
void bp_sandbox_push_globals(lua_State *S);

#endif
