/* The space of a search as people write it: per field of the plan a value, a list, a range or "free". */
#ifndef BP_BIND_REQUEST_SPACE_H
#define BP_BIND_REQUEST_SPACE_H

#include "request.h"

/*
** Fills request->space from the fields `space` and `plan` of the table at index; model, network, job
** and plan of the request are read already. Raises input errors.
*/
void bp_request_read_space(lua_State *L, int index, struct bp_request *request);

/* Fills request->space.follows from the field `follows` of the table at index; the space is read already. */
void bp_request_read_follows(lua_State *L, int index, struct bp_request *request);

#endif
