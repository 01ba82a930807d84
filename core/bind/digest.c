#include "digest.h"

#include <lauxlib.h>
#include <stdio.h>

/* All of it is in the header: nothing more has to be there where the program runs. */
#define XXH_INLINE_ALL
#include <xxhash.h>

int bp_core_digest(lua_State *L) {
    char text[2 * sizeof(XXH128_canonical_t) + 1];
    XXH128_canonical_t bytes;
    size_t size, i;
    const char *data = luaL_checklstring(L, 1, &size);
    XXH128_canonicalFromHash(&bytes, XXH3_128bits(data, size));
    for (i = 0; i < sizeof bytes.digest; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes.digest[i]);
    }
    lua_pushstring(L, text);
    return 1;
}
