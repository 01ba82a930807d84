/* Digests of texts, for files that are to be read as they were written. */
#ifndef BP_BIND_DIGEST_H
#define BP_BIND_DIGEST_H

#include <lua.h>

/*
** core.digest(text): 32 hexadecimal digits, XXH3 of 128 bits (xxHash by Yann Collet, BSD 2-clause), the
** same on every machine. It finds damage, not forgery: who wants to lie can compute it, too.
*/
int bp_core_digest(lua_State *L);

#endif
