/*
** The program: makes the Lua state, hands the command line to lua/ballpark/cli.lua under one
** protected call and turns what comes back into an exit code. Everything else is elsewhere.
*/
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bind/core.h"
#include "bind/interrupt.h"
#include "bind/library.h"
#include "bind/memory.h"
#include "bind/ranks.h"

enum { EXIT_USAGE = 2, EXIT_IO = 3, EXIT_INTERNAL = 70, PATH_CHARS = 4096, ERROR_CHARS = 400 };

/* Stack for calls of C as deep as Lua lets them get, which take more than 384; the usual is 8192. */
enum { STACK_KIB = 1024 };

/*
** Whoever started the program may have closed standard input, output or error: the first file that is opened would be it,
** and get what is printed. In its place goes one that says the same, "Bad file descriptor", to who reads or prints.
*/
static int keep_standard_files(void) {
    int file;
    for (file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) == -1 &&
            open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file) {
            return 0;
        }
    }
    return 1;
}

/* Whether the system gives the stack that a program needs which is not to end without a word. */
static int has_stack(void) {
    struct rlimit stack;
    return getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur / 1024 >= STACK_KIB;
}

/* Directory of the running program, without the trailing slash. */
static int own_directory(char *dir, size_t size) {
    ssize_t length = readlink("/proc/self/exe", dir, size - 1);
    char *slash;
    if (length <= 0) {
        return 0;
    }
    dir[length] = '\0';
    slash = strrchr(dir, '/');
    if (!slash) {
        return 0;
    }
    *slash = '\0';
    return 1;
}

/*
** The Lua library: $BALLPARK_LUA, beside the build folder, where `install` puts it, where it was
** built from.
*/
static const char *library_directory(char *dir, size_t size) {
    static const char *const beside[] = {"../lua", "../share/ballpark/lua"};
    char own[PATH_CHARS];
    const char *stated = getenv("BALLPARK_LUA");
    size_t i;
    if (stated && bp_has_library(stated)) {
        return stated;
    }
    if (own_directory(own, sizeof own)) {
        for (i = 0; i < sizeof beside / sizeof *beside; i++) {
            if (snprintf(dir, size, "%s/%s", own, beside[i]) < (int)size && bp_has_library(dir)) {
                return dir;
            }
        }
    }
    return BALLPARK_LUA_DIR;
}

static void push_arguments(lua_State *L, int argc, char **argv) {
    int i;
    lua_createtable(L, argc, 0);
    for (i = 1; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
}

struct command_line {
    int argc;
    char **argv;
};

/* The first line of a text, as a terminal shows it and does not obey. */
static void print_plain(const char *text) {
    const char *end = text + ERROR_CHARS;
    for (; *text && *text != '\n' && text < end; text++) {
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
    }
}

/* Says that the variable says what is no size of a machine. */
static int refuse_limit(void) {
    const char *said = getenv(bp_memory_variable);
    fprintf(stderr, "ballpark: %s=", bp_memory_variable);
    print_plain(said ? said : "");
    fprintf(stderr, ": must be a number of GiB above 0, at most %d\n", BP_MEMORY_MOST_GIB);
    return EXIT_USAGE;
}

/* The core as `require` gives it, which also knows the limit that errors name. */
static void load_core(lua_State *L) {
    luaL_requiref(L, "ballpark.core", luaopen_ballpark_core, 0);
    bp_memory_tell(L);
    /* What the program sorts comes in the same order in every run, too. */
    lua_getglobal(L, "table");
    lua_getfield(L, -2, "sort");
    lua_setfield(L, -2, "sort");
    lua_pop(L, 2);
}

/* Runs protected: returns the exit code that cli.main gives. */
static int run(lua_State *L) {
    const struct command_line *line = lua_touserdata(L, 1);
    char dir[PATH_CHARS + 32];
    /* Until the command is known: little of what is loaded before is garbage. */
    lua_gc(L, LUA_GCSTOP);
    /* What $LUA_PATH says is meant for other programs: no module of theirs in the place of ours. */
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    luaL_openlibs(L);
    bp_set_library_path(L, library_directory(dir, sizeof dir));
    load_core(L);
    lua_getglobal(L, "require");
    lua_pushstring(L, "ballpark.cli");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    push_arguments(L, line->argc, line->argv);
    lua_call(L, 1, 1);
    return 1;
}

static int report_memory(const struct bp_memory *memory) {
    if (memory->system_refused) {
        fprintf(stderr,
                "ballpark: the system gives no more memory (ulimit -v, or the machine's)\n");
        return EXIT_IO;
    }
    fprintf(stderr, "ballpark: needs more than %.3g GiB of memory; %s=N allows more\n",
            (double)memory->limit / 1073741824.0, bp_memory_variable);
    return EXIT_USAGE;
}

/*
** Whether the system gives no more memory or files, where nobody expected to need any; or a file of the
** library is not there, or cannot be opened, which Lua does not tell apart.
*/
static int is_of_system(const char *text) {
    static const int refusals[] = {ENOMEM, EMFILE, ENFILE};
    size_t i;
    for (i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (strstr(text, strerror(refusals[i]))) {
            return 1;
        }
    }
    return strstr(text, "' not found:\n") != NULL;
}

static int report_system(const char *text) {
    fputs("ballpark: cannot read the library: ", stderr);
    print_plain(text);
    fputc('\n', stderr);
    return EXIT_IO;
}

static int report_failure(lua_State *L, const struct bp_memory *memory) {
    const char *text;
    if (bp_is_interruption(L, -1)) {
        fprintf(stderr, "ballpark: interrupted\n");
        return BP_EXIT_INTERRUPTED;
    }
    text = luaL_tolstring(L, -1, NULL);
    if (strstr(text, "not enough memory")) { /* what Lua calls it, here while modules are loaded */
        return report_memory(memory);
    }
    if (is_of_system(text)) {
        return report_system(text);
    }
    fprintf(stderr, "ballpark: internal error, please report: %s\n", text);
    return EXIT_INTERNAL;
}

int main(int argc, char **argv) {
    struct bp_memory memory = {0, bp_memory_limit(), 0};
    struct command_line line = {argc, argv};
    lua_State *L;
    int code;
    if (!keep_standard_files()) {
        fprintf(stderr, "ballpark: cannot open /dev/null: %s\n", strerror(errno));
        return EXIT_IO;
    }
    if (!has_stack()) {
        fprintf(stderr, "ballpark: the system gives a stack of less than %d KiB (ulimit -s)\n",
                STACK_KIB);
        return EXIT_IO;
    }
    if (memory.limit == 0) {
        return refuse_limit();
    }
    L = lua_newstate(bp_memory_allocate, &memory);
    if (!L) {
        return report_memory(&memory);
    }
    bp_interrupt_install(L);
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &line);
    code = lua_pcall(L, 1, 1, 0) == LUA_OK ? (int)lua_tointeger(L, -1) : report_failure(L, &memory);
    lua_close(L);
    bp_end_ranks(code);
    return code;
}
