#include "interrupt.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PATH_CHARS = 4096 };

/* So long Lua has to notice; people do not feel it. */
static double grace_s = 0.15;

/* When the limit of all that runs is over, on a clock that nobody sets; 0: there is none. */
static double ends_at_s;

static lua_State *interrupted_state;
static volatile sig_atomic_t is_wanted, is_counting_down, is_patient, is_held;
static char unfinished[PATH_CHARS];

/* Its address is the key of the one value that says so, in the registry. */
static const char interruption_key = 0;

static int name_of_interruption(lua_State *L) {
    lua_pushliteral(L, "interrupted");
    return 1;
}

/* The value is made once, so that raising it takes no memory. */
void bp_push_interruption(lua_State *L) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &interruption_key) != LUA_TNIL) {
        return;
    }
    lua_pop(L, 1);
    lua_newuserdatauv(L, 0, 0);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, name_of_interruption);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &interruption_key);
}

int bp_is_interruption(lua_State *L, int index) {
    int is_same;
    index = lua_absindex(L, index);
    bp_push_interruption(L);
    is_same = lua_rawequal(L, index, -1);
    lua_pop(L, 1);
    return is_same;
}

static int nothing(lua_State *L) {
    (void)L;
    return 0;
}

/* The program's interrupt is a hook on calls: it fires here, and raises. */
void bp_let_interrupt(lua_State *L) {
    lua_pushcfunction(L, nothing);
    lua_call(L, 0, 0);
}

int bp_interrupt_is_wanted(void) {
    return is_wanted;
}

void bp_interrupt_be_patient(int patient) {
    is_patient = patient;
}

static void set_timer(double seconds) {
    struct itimerval timer = {{0, 0}, {0, 0}};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) {
        timer.it_value.tv_usec = 1; /* none would be no limit */
    }
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void stop_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    lua_sethook(L, NULL, 0, 0);
    if (is_held) {
        return;
    }
    is_wanted = 0;
    /* Whoever catches it and does not say so is ended, too. */
    set_timer(grace_s);
    bp_push_interruption(L);
    lua_error(L);
}

/* Nothing has heard of it: the process ends here. All that is called may be called during a signal. */
static void end_process(void) {
    static const char text[] = "ballpark: interrupted\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    if (*unfinished) {
        unlink(unfinished);
    }
    _exit(BP_EXIT_INTERRUPTED);
}

/* What lua.c does too: of all of the API, lua_sethook may be called during a signal (ldebug.c). */
static void set_hook(void) {
    lua_sethook(interrupted_state, stop_hook, /* NOLINT(bugprone-signal-handler) */
                LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

static void ask_to_stop(void) {
    is_wanted = 1;
    is_counting_down = 1;
    set_hook();
    set_timer(grace_s);
}

static void on_interrupt(int number) {
    (void)number;
    ask_to_stop();
}

/* The time limit, or the end of the grace that a signal left. */
static void on_alarm(int number) {
    (void)number;
    if (is_counting_down && !is_patient) {
        end_process();
    }
    ask_to_stop();
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | flags;
    sigaction(number, &action, NULL);
}

static int is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
           action.sa_handler == SIG_IGN;
}

/* A second signal kills, until somebody has heard the first: the default action is back by then. */
static void listen_once(void) {
    handle(SIGINT, on_interrupt, (int)SA_RESETHAND);
    handle(SIGTERM, on_interrupt, (int)SA_RESETHAND);    /* what job schedulers send */
    if (!is_ignored(SIGHUP)) {                           /* as by nohup */
        handle(SIGHUP, on_interrupt, (int)SA_RESETHAND); /* the terminal is gone */
    }
}

void bp_interrupt_install(lua_State *L) {
    interrupted_state = L;
    bp_push_interruption(L);
    lua_pop(L, 1);
    listen_once();
    handle(SIGALRM, on_alarm, 0);
    /* A file that grows beyond its limit (ulimit -f) is one that cannot be written, and no reason to die. */
    handle(SIGXFSZ, SIG_IGN, 0);
}

/* Whether a state, or a coroutine of it, is the program's own. */
static int is_of_program(lua_State *L) {
    lua_State *main;
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    main = lua_tothread(L, -1);
    lua_pop(L, 1);
    return main == interrupted_state;
}

int bp_core_held(lua_State *L) {
    sig_atomic_t was_held = is_held;
    int status;
    luaL_checkany(L, 1);
    if (is_of_program(L)) {
        is_held = 1;
    }
    status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    if (is_of_program(L)) {
        is_held = was_held;
        if (is_wanted && !is_held) {
            set_hook();
        }
    }
    return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

int bp_core_interruption_heard(lua_State *L) {
    if (is_of_program(L) && is_counting_down) {
        set_timer(0);
        is_counting_down = 0;
        listen_once();
    }
    return 0;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bp_core_time_limit(lua_State *L) {
    double seconds = luaL_checknumber(L, 1), left_s;
    if (!is_of_program(L)) { /* inside of another program: its timers and signals are its own */
        return luaL_error(L, "a time limit is for the program alone");
    }
    if (lua_toboolean(L, 2)) {
        ends_at_s = now_s() + seconds;
    }
    left_s = ends_at_s - now_s();
    if (ends_at_s > 0 && left_s > 0 && (seconds == 0 || left_s < seconds)) {
        seconds = left_s;
    }
    set_timer(seconds);
    lua_pushboolean(L, ends_at_s > 0 && left_s <= 0);
    return 1;
}

int bp_core_interruption_grace(lua_State *L) {
    double seconds = luaL_checknumber(L, 1);
    luaL_argcheck(L, seconds > 0, 1, "must be above 0");
    lua_pushnumber(L, grace_s);
    grace_s = seconds;
    return 1;
}

int bp_core_unfinished(lua_State *L) {
    const char *path = luaL_optstring(L, 1, "");
    *unfinished = '\0';
    if (*path && strlen(path) < sizeof unfinished) {
        /* The first letter last: whoever looks during this sees no path. */
        memcpy(unfinished + 1, path + 1, strlen(path));
        *unfinished = *path;
    }
    return 0;
}
