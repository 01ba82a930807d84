#include "setters.h"

#include "fields.h"

void bp_set_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

void bp_set_integer(lua_State *L, const char *name, lua_Integer value) {
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

void bp_set_number(lua_State *L, const char *name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

void bp_set_struct(lua_State *L, const char *name, const struct bp_schema *schema, const void *in) {
    bp_push_struct(L, schema, in);
    lua_setfield(L, -2, name);
}
