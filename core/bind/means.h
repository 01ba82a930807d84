/*
** core.plan_means{...}: takes what core.train_step takes (the plan need not be valid), and tells by name
** which settings of the plan make a difference. core.model_modules(model): by name of these, whether the
** model has the module that the setting has computed again; true for settings that name none.
*/
#ifndef BP_BIND_MEANS_H
#define BP_BIND_MEANS_H

#include <lua.h>

int bp_core_plan_means(lua_State *L);
int bp_core_model_modules(lua_State *L);

#endif
