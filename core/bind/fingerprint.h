/* Fingerprints of values in memory, for noticing that somebody changed them. */
#ifndef BP_BIND_FINGERPRINT_H
#define BP_BIND_FINGERPRINT_H

#include <lua.h>

/*
** core.fingerprint(value): an integer that differs, but for chance, where the value or anything in its
** tables differs, whatever the order of their fields. Functions are told apart by their address: it holds
** for this run of the program only.
*/
int bp_core_fingerprint(lua_State *L);

#endif
