#include "schedules.h"

#include "kernel/schedule/schedule.h"
#include "setters.h"

static void set_flag(lua_State *L, const char *name, int value) {
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

static void push(lua_State *L, enum bp_schedule schedule) {
    const struct bp_schedule_facts *facts = bp_schedule_facts(schedule);
    lua_newtable(L);
    bp_set_text(L, "name", bp_schedule_names[schedule]);
    bp_set_text(L, "about", facts->about);
    bp_set_text(L, "formula", facts->formula);
    bp_set_text(L, "source", facts->source);
    bp_set_text(L, "layout", bp_pipe_layout_names[facts->layout]);
    bp_set_integer(L, "chunks", facts->chunks > 0 ? facts->chunks : 1);
    bp_set_integer(L, "least_vpp", facts->least_vpp > 1 ? facts->least_vpp : 1);
    bp_set_integer(L, "weight_copies", facts->weight_copies);
    set_flag(L, "pairs", facts->pairs);
    set_flag(L, "interleaves", facts->chunks == 0);
    bp_set_text(L, "software", facts->software);
    bp_set_text(L, "torch", facts->torch);
    bp_set_text(L, "torch_interleaved", facts->torch_interleaved);
}

int bp_core_schedules(lua_State *L) {
    int i;
    lua_newtable(L);
    for (i = 0; bp_schedule_names[i]; i++) {
        push(L, (enum bp_schedule)i);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}
