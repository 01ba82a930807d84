/*
** The one reader and the one writer between Lua tables and structs of the core. Both walk a field
** list; neither knows a struct.
*/
#ifndef BP_BIND_FIELDS_H
#define BP_BIND_FIELDS_H

#include <lua.h>

#include "kernel/field.h"
#include "kernel/status.h"

/*
** Fills the struct `out` of schema->size bytes from the table at index. Raises an input error with
** the dotted path under `prefix` (may be "") for an unknown, missing, mistyped or out-of-range field.
*/
void bp_read_struct(lua_State *L, int index, const struct bp_schema *schema, const char *prefix,
                    void *out);

/*
** Raises the same for a field of the table at index that the schema has and that is mistyped or out of
** range. Fields that are missing or unknown are no mistake here. Leaves what it has read in `out`.
*/
void bp_check_fields(lua_State *L, int index, const struct bp_schema *schema, const char *prefix,
                     void *out);

/* Pushes the struct as a new table. */
void bp_push_struct(lua_State *L, const struct bp_schema *schema, const void *in);

/* Pushes a table that describes the schema: {name, doc, fields = {{name, kind, unit, ...}, ...}}. */
void bp_push_schema(lua_State *L, const struct bp_schema *schema);

/* Raises what a kernel said as an input error; never returns. */
int bp_raise_status(lua_State *L, const struct bp_error *err);

/* The same unless the code is BP_OK. */
void bp_check_status(lua_State *L, int code, const struct bp_error *err);

/*
** Pushes the key of the table at index that is wrong, and returns 1: one that is no text, or else the
** first by its text that the schema lacks. 0 where there is none. Allocates nothing.
*/
int bp_push_wrong_key(lua_State *L, int index, const struct bp_schema *schema);

/* Raises "prefix.key: unknown field" with the schema's nearest name; never returns. */
int bp_raise_unknown(lua_State *L, const struct bp_schema *schema, const char *prefix,
                     const char *key);

/* Raises errors.input(path, text); never returns. */
int bp_raise_input(lua_State *L, const char *path, const char *text);

#endif
