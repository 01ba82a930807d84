/*
** A fuzzer of libFuzzer around the readers of targets.lua: $BALLPARK_FUZZ_TARGET names one. Ends with exit code 0 after
** $BALLPARK_FUZZ_CPU_S seconds of CPU time, and with SIGABRT at an input that a target lets through as a bug.
**
** What of Lua was run counts as coverage, as branches of C do: every pair of lines that follow each other has a counter.
*/
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/core.h"
#include "bind/library.h"

enum { COUNTERS = 1 << 16, CHECKED_EVERY = 16 };

/* Multiplier of Knuth's hash by multiplication. */
#define SPREAD 2654435761u

__attribute__((used, section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

static lua_State *state;
static double cpu_limit_s;
static unsigned long executions;
static uint32_t last_line;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text of a chunk stays where it is for as long as its functions live: its address stands for it. */
static void count_line(lua_State *L, lua_Debug *ar) {
    uint32_t line;
    lua_getinfo(L, "S", ar);
    line = ((uint32_t)(uintptr_t)ar->source ^ (uint32_t)ar->currentline) * SPREAD;
    counters[((line ^ last_line) >> 8) % COUNTERS]++;
    last_line = line >> 1;
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    if (!value) {
        fprintf(stderr, "%s is not set; tools/check-deep fuzz sets it\n", name);
        exit(2);
    }
    return value;
}

/* Leaves the target's function in the registry. */
static int load(lua_State *L) {
    luaL_openlibs(L);
    bp_set_library_path(L, BALLPARK_LUA_DIR);
    luaL_requiref(L, "ballpark.core", luaopen_ballpark_core, 0);
    if (luaL_dofile(L, BALLPARK_FUZZ_DIR "/targets.lua") != LUA_OK) {
        return lua_error(L);
    }
    if (lua_getfield(L, -1, setting("BALLPARK_FUZZ_TARGET")) != LUA_TFUNCTION) {
        return luaL_error(L, "targets.lua has no target of that name");
    }
    lua_setfield(L, LUA_REGISTRYINDEX, "target");
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    cpu_limit_s = atof(setting("BALLPARK_FUZZ_CPU_S"));
    state = luaL_newstate();
    lua_pushcfunction(state, load);
    if (!state || lua_pcall(state, 0, 0, 0) != LUA_OK) {
        fprintf(stderr, "%s\n", state ? lua_tostring(state, -1) : "not enough memory");
        exit(2);
    }
    lua_sethook(state, count_line, LUA_MASKLINE, 0);
    return 0;
}

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* libFuzzer takes exit() for a crash. */
static void end_when_due(void) {
    executions++;
    if (executions % CHECKED_EVERY == 0 && cpu_s() > cpu_limit_s) {
        fprintf(stderr, "done: %lu executions in %.0f s of CPU time\n", executions, cpu_s());
        _exit(0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    last_line = 0;
    lua_getfield(state, LUA_REGISTRYINDEX, "target");
    lua_pushlstring(state, (const char *)data, size);
    if (lua_pcall(state, 1, 0, 0) != LUA_OK) {
        fprintf(stderr, "%s\n", luaL_tolstring(state, -1, NULL));
        abort();
    }
    lua_settop(state, 0);
    end_when_due();
    return 0;
}
