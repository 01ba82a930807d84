/*
** A Lua state of its own for code we do not trust to end, to stay small or to say the same twice:
** allow-listed globals, text chunks only, limits on memory and on work per call.
**
** The budget of a call counts instructions, and what library functions do in C, where no instruction is
** counted: an argument costs one, sixteen bytes of a text or an item of a table one more. No text is longer
** than BP_SANDBOX_TEXT_BYTES and no block larger than BP_SANDBOX_BLOCK_BYTES, which bounds what a single
** instruction can do. A limit on CPU time stands behind it all, far above what the budget allows.
**
** What is closed, and why: no pattern functions (they back-track in C), no setmetatable (a __gc could loop
** while the state closes), no pcall and no coroutines (they could swallow the budget error), no pairs and no
** random (their order and values differ from run to run), no addresses in texts (so do they), and libraries
** and globals that cannot be changed.
*/
#ifndef BP_BIND_SANDBOX_H
#define BP_BIND_SANDBOX_H

#include <lua.h>
#include <stddef.h>

enum {
    BP_SANDBOX_BYTES = 4 << 20,
    BP_SANDBOX_INSTRUCTIONS = 200000, /* of one call, with what C does for it */
    BP_SANDBOX_MS = 100,          /* of CPU time of one call, some fifty times what that takes */
    BP_SANDBOX_TEXT_BYTES = 4096, /* enough for any label */
    BP_SANDBOX_BLOCK_BYTES = 1 << 18, /* a table of 16384 items, or as many values on the stack */
    BP_SANDBOX_TEXT = 512,
};

struct bp_sandbox {
    lua_State *state; /* NULL when closed */
    size_t used_bytes;
    size_t text_bytes; /* longest text; SIZE_MAX while the program itself fills the state */
    int text_refused;  /* a text was longer */
    long spent;        /* of the budget of the present call */
    long looked_at;    /* what was spent when CPU time was looked at last */
    double began_s;    /* CPU time when it was looked at first, or below 0 */
    int is_called;     /* a call runs, whose CPU time counts */
    int collects_late; /* memory was asked for when CPU time was up: there is none any more */
    int was_late;      /* the last call failed for its CPU time, not for its instructions */
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

/* The key at index as a message shows it: what it is, where it has no text, and no more than a line takes. */
const char *bp_sandbox_key(lua_State *S, int index);

/* Lifts the limit on texts for what the program itself puts into the state, or sets it again. */
void bp_sandbox_limit_texts(struct bp_sandbox *box, int limited);

/*
** The rest runs inside the sandbox (called by bp_sandbox_call) and may raise there.
** Pushes a new table of the allowed globals; reading or writing another one raises.
*/
void bp_sandbox_push_globals(lua_State *S);

/* Pushes what the text compiles to and returns LUA_OK, or pushes why it does not, as lua_load does. */
int bp_sandbox_load(lua_State *S, const char *text, size_t size, const char *chunk);

#endif
