#include "means.h"

#include "fields.h"
#include "kernel/train/plan_means.h"
#include "kernel/train/train_step.h"

static void push(lua_State *L, const struct bp_field *field, int means) {
    if (field->kind != BP_NOTE) {
        lua_pushboolean(L, means);
        lua_setfield(L, -2, field->name);
    }
}

int bp_core_plan_means(lua_State *L) {
    struct bp_train_step_in in;
    struct bp_layers layers;
    struct bp_train_case c = {&in.model, NULL,        &in.device, &in.network, &in.plan,
                              &in.job,   &in.profile, &layers,    NULL};
    struct bp_error err;
    size_t i;
    lua_settop(L, 1);
    bp_read_struct(L, 1, &bp_train_step_in_schema, "", &in);
    bp_check_status(L, bp_model_resolve(&in.model, &err), &err);
    bp_layers_of(&in.model, &layers);
    bp_plan_resolve(&in.plan, &in.network);
    lua_newtable(L);
    for (i = 0; i < bp_plan_schema.count; i++) {
        push(L, &bp_plan_schema.fields[i], bp_plan_means(&c, &bp_plan_schema.fields[i]));
    }
    return 1;
}

int bp_core_model_modules(lua_State *L) {
    struct bp_model model;
    struct bp_error err;
    size_t i;
    lua_settop(L, 1);
    bp_read_struct(L, 1, &bp_model_schema, "model", &model);
    bp_check_status(L, bp_model_resolve(&model, &err), &err);
    lua_newtable(L);
    for (i = 0; i < bp_plan_schema.count; i++) {
        push(L, &bp_plan_schema.fields[i], bp_model_has_module(&model, &bp_plan_schema.fields[i]));
    }
    return 1;
}
