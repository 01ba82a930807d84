/* Fields of the table on top of the stack: the answers that no schema describes are made of these. */
#ifndef BP_BIND_SETTERS_H
#define BP_BIND_SETTERS_H

#include <lua.h>

#include "kernel/field.h"

void bp_set_text(lua_State *L, const char *name, const char *text);
void bp_set_integer(lua_State *L, const char *name, lua_Integer value);
void bp_set_number(lua_State *L, const char *name, double value);

/* The struct at in as a table, see bp_push_struct. */
void bp_set_struct(lua_State *L, const char *name, const struct bp_schema *schema, const void *in);

#endif
