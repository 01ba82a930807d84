#include "memory.h"

#include <lua.h>
#include <stdlib.h>
#include <unistd.h>

const char bp_memory_variable[] = "BALLPARK_MEMORY_GIB";

/*
** A scenario that never stops growing ends with one line before the machine does. Half of the machine, at most 4 GiB:
** assumption, the largest sweeps take far less.
*/
static size_t usual_limit(void) {
    const size_t most = (size_t)4 << 30;
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
    size_t half;
    if (pages <= 0 || page_bytes <= 0) {
        return most;
    }
    half = (size_t)pages / 2 * (size_t)page_bytes;
    return half < most ? half : most;
}

size_t bp_memory_limit(void) {
    const char *asked = getenv(bp_memory_variable);
    char *end;
    double gib;
    if (!asked || !*asked) {
        return usual_limit();
    }
    gib = strtod(asked, &end);
    if (*end == '\0' && gib > 0 && gib <= BP_MEMORY_MOST_GIB) { /* also refuses NaN */
        return (size_t)(gib * 1073741824.0);
    }
    return 0;
}

void *bp_memory_allocate(void *data, void *block, size_t old_size, size_t new_size) {
    struct bp_memory *memory = data;
    size_t old = block ? old_size : 0; /* without a block the size is a kind of object */
    void *made;
    if (new_size == 0) {
        free(block);
        memory->used -= old;
        return NULL;
    }
    if (new_size > old && new_size - old > memory->limit - memory->used) {
        return NULL;
    }
    made = realloc(block, new_size);
    if (made) {
        memory->used += new_size - old;
    } else {
        memory->system_refused = 1;
    }
    return made;
}

void bp_memory_tell(lua_State *L) {
    void *memory;
    lua_getallocf(L, &memory);
    lua_pushinteger(L, (lua_Integer)((struct bp_memory *)memory)->limit);
    lua_setfield(L, -2, "memory_limit_bytes");
}
