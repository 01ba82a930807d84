/* core.train_stages{...}: takes what core.train_step takes, gives a list of the pipeline's stages. */
#ifndef BP_BIND_STAGES_H
#define BP_BIND_STAGES_H

#include <lua.h>

int bp_core_train_stages(lua_State *L);

#endif
