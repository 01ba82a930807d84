#include "core.h"

#include <lauxlib.h>
#include <string.h>

#include "batch.h"
#include "digest.h"
#include "draws.h"
#include "fields.h"
#include "fingerprint.h"
#include "interrupt.h"
#include "kernel/registry.h"
#include "kernel/train/run.h"
#include "means.h"
#include "modes.h"
#include "part_sum.h"
#include "platform.h"
#include "ranks.h"
#include "ready.h"
#include "refusals.h"
#include "schedules.h"
#include "search.h"
#include "serving.h"
#include "setters.h"
#include "sim.h"
#include "sim/pipeline.h"
#include "sort.h"
#include "sources.h"
#include "stages.h"
#include "stats.h"

/* Large enough for every struct of the core; luaopen refuses to load a kernel that is larger. */
enum { STRUCT_MAX_BYTES = 8192 };

union room {
    char bytes[STRUCT_MAX_BYTES];
    double align_num;
    int64_t align_int;
};

static int call_kernel(lua_State *L) {
    const struct bp_kernel *kernel = lua_touserdata(L, lua_upvalueindex(1));
    union room in, out;
    struct bp_error err;
    lua_settop(L, 1);
    bp_read_struct(L, 1, kernel->in, "", &in);
    if (bp_kernel_answer(kernel, &in, &out, &err) != BP_OK) {
        return bp_raise_status(L, &err);
    }
    bp_push_struct(L, kernel->out, &out);
    return 1;
}

static void push_description(lua_State *L, const struct bp_kernel *kernel) {
    lua_newtable(L);
    bp_set_text(L, "name", kernel->name);
    bp_set_text(L, "title", kernel->title);
    bp_set_text(L, "formula", kernel->formula);
    bp_set_text(L, "validity", kernel->validity);
    bp_set_text(L, "source", kernel->source);
    bp_push_schema(L, kernel->in);
    lua_setfield(L, -2, "input");
    bp_push_schema(L, kernel->out);
    lua_setfield(L, -2, "output");
}

static void add_kernel(lua_State *L, const struct bp_kernel *kernel) {
    if (kernel->in->size > STRUCT_MAX_BYTES || kernel->out->size > STRUCT_MAX_BYTES) {
        luaL_error(L, "kernel %s: struct larger than %d bytes", kernel->name, STRUCT_MAX_BYTES);
    }
    lua_pushlightuserdata(L, (void *)(uintptr_t)kernel);
    lua_pushcclosure(L, call_kernel, 1);
    lua_setfield(L, -2, kernel->name);
}

/* core.kernels(name): descriptions of all kernels, sorted by name, or of that one; made when asked for. */
static int list_kernels(lua_State *L) {
    const char *only = luaL_optstring(L, 1, NULL);
    lua_Integer count = 0;
    int i;
    lua_newtable(L);
    for (i = 0; bp_kernels[i]; i++) {
        if (!only || strcmp(only, bp_kernels[i]->name) == 0) {
            push_description(L, bp_kernels[i]);
            lua_rawseti(L, -2, ++count);
        }
    }
    return 1;
}

/*
** core.check_fields(kernel, struct, values): raises an input error for a value that the field of that
** name of the kernel's struct cannot have. Missing fields and others are no mistake.
*/
static int check_fields(lua_State *L) {
    const char *kernel = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    union room room;
    int i;
    luaL_checktype(L, 3, LUA_TTABLE);
    for (i = 0; bp_kernels[i]; i++) {
        const struct bp_field *field;
        if (strcmp(kernel, bp_kernels[i]->name) != 0) {
            continue;
        }
        field = bp_field_find(bp_kernels[i]->in, name);
        if (field && field->kind == BP_STRUCT) {
            bp_check_fields(L, 3, field->sub, name, &room);
            return 0;
        }
    }
    return luaL_error(L, "no kernel '%s' with a struct '%s'", kernel, name);
}

int luaopen_ballpark_core(lua_State *L) {
    int i;
    lua_newtable(L);
    for (i = 0; bp_kernels[i]; i++) {
        add_kernel(L, bp_kernels[i]);
    }
    lua_pushcfunction(L, list_kernels);
    lua_setfield(L, -2, "kernels");
    lua_pushcfunction(L, check_fields);
    lua_setfield(L, -2, "check_fields");
    lua_pushcfunction(L, bp_core_search);
    lua_setfield(L, -2, "search");
    lua_pushcfunction(L, bp_core_search_open);
    lua_setfield(L, -2, "search_open");
    lua_pushcfunction(L, bp_core_serve);
    lua_setfield(L, -2, "serve");
    lua_pushcfunction(L, bp_core_serve_check);
    lua_setfield(L, -2, "serve_check");
    lua_pushcfunction(L, bp_core_serve_about);
    lua_setfield(L, -2, "serve_about");
    lua_pushcfunction(L, bp_core_serving_day);
    lua_setfield(L, -2, "serving_day");
    lua_pushcfunction(L, bp_core_platform);
    lua_setfield(L, -2, "platform");
    lua_pushcfunction(L, bp_core_platform_about);
    lua_setfield(L, -2, "platform_about");
    lua_pushcfunction(L, bp_core_pipeline);
    lua_setfield(L, -2, "pipeline");
    lua_pushcfunction(L, bp_core_schedules);
    lua_setfield(L, -2, "schedules");
    lua_pushcfunction(L, bp_core_train_stages);
    lua_setfield(L, -2, "train_stages");
    lua_pushcfunction(L, bp_core_simulated_step);
    lua_setfield(L, -2, "simulated_step");
    lua_pushcfunction(L, bp_core_plan_means);
    lua_setfield(L, -2, "plan_means");
    lua_pushcfunction(L, bp_core_model_modules);
    lua_setfield(L, -2, "model_modules");
    lua_pushcfunction(L, bp_core_launch_refusals);
    lua_setfield(L, -2, "launch_refusals");
    lua_pushcfunction(L, bp_core_why);
    lua_setfield(L, -2, "why");
    lua_pushcfunction(L, bp_core_batch);
    lua_setfield(L, -2, "batch");
    lua_pushcfunction(L, bp_core_least_squares);
    lua_setfield(L, -2, "least_squares");
    lua_pushcfunction(L, bp_core_conformal_width);
    lua_setfield(L, -2, "conformal_width");
    lua_pushcfunction(L, bp_core_joint_factor);
    lua_setfield(L, -2, "joint_factor");
    lua_pushcfunction(L, bp_core_joint_draws);
    lua_setfield(L, -2, "joint_draws");
    lua_pushcfunction(L, bp_core_part_sum);
    lua_setfield(L, -2, "part_sum");
    lua_pushcfunction(L, bp_core_spread_value);
    lua_setfield(L, -2, "spread_value");
    lua_pushcfunction(L, bp_core_draw_values);
    lua_setfield(L, -2, "draw_values");
    lua_pushcfunction(L, bp_core_draw_tape);
    lua_setfield(L, -2, "draw_tape");
    lua_pushcfunction(L, bp_core_sobol_indices);
    lua_setfield(L, -2, "sobol_indices");
    lua_pushcfunction(L, bp_core_digest);
    lua_setfield(L, -2, "digest");
    lua_pushcfunction(L, bp_core_sort);
    lua_setfield(L, -2, "sort");
    lua_pushcfunction(L, bp_core_fingerprint);
    lua_setfield(L, -2, "fingerprint");
    lua_pushcfunction(L, bp_core_time_limit);
    lua_setfield(L, -2, "time_limit");
    lua_pushcfunction(L, bp_core_ready);
    lua_setfield(L, -2, "ready");
    lua_pushcfunction(L, bp_core_wait);
    lua_setfield(L, -2, "wait");
    lua_pushcfunction(L, bp_core_read_ready);
    lua_setfield(L, -2, "read_ready");
    lua_pushcfunction(L, bp_core_take_mode);
    lua_setfield(L, -2, "take_mode");
    lua_pushcfunction(L, bp_core_unfinished);
    lua_setfield(L, -2, "unfinished");
    bp_push_interruption(L);
    lua_setfield(L, -2, "interruption");
    lua_pushcfunction(L, bp_core_interruption_grace);
    lua_setfield(L, -2, "interruption_grace");
    lua_pushcfunction(L, bp_core_held);
    lua_setfield(L, -2, "held");
    lua_pushcfunction(L, bp_core_interruption_heard);
    lua_setfield(L, -2, "interruption_heard");
    bp_set_text(L, "version", BALLPARK_VERSION);
    bp_set_text(L, "sources", BALLPARK_SOURCES);
    lua_pushnumber(L, BP_PUE);
    lua_setfield(L, -2, "usual_pue");
    lua_pushinteger(L, BP_PIPE_UNITS_MAX);
    lua_setfield(L, -2, "pipeline_units_max");
    bp_core_set_ranks(L);
    return 1;
}
