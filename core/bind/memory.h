/* What a Lua state may take of the machine's memory. */
#ifndef BP_BIND_MEMORY_H
#define BP_BIND_MEMORY_H

#include <stddef.h>

struct lua_State;

/* Bytes that a state has, and that it may have; whether the system had less to give. */
struct bp_memory {
    size_t used, limit;
    int system_refused;
};

/* Sets another limit than the usual one, in GiB. */
extern const char bp_memory_variable[];

/* The most GiB that it may say. */
enum { BP_MEMORY_MOST_GIB = 1000000 };

/*
** The limit in bytes: what the variable says, half of the machine and at most 4 GiB unless set; 0 where it says what is no
** size of a machine.
*/
size_t bp_memory_limit(void);

/* A lua_Alloc; data is a struct bp_memory, which outlives the state. */
void *bp_memory_allocate(void *data, void *block, size_t old_size, size_t new_size);

/* Tells the core, which is on top of the stack, the limit of its state: errors name it. */
void bp_memory_tell(struct lua_State *L);

#endif
