#include "ranks.h"

#ifndef BALLPARK_MPI

void bp_core_set_ranks(lua_State *L) {
    (void)L;
}

void bp_end_ranks(int code) {
    (void)code;
}

#else

#include <lauxlib.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "interrupt.h"

enum { TAG_TEXT = 1, NAP_NS = 200000 };

/* The text of a rank that has ended, which ranks.lua reads. */
#define ENDED "x"

static int rank, size;
static int abandoned; /* exit code with which to end the others, or 0 */
static int is_shared; /* whether the others know of the interrupt that ends this rank */
static volatile sig_atomic_t ending;

/*
** Says to whoever may wait for this rank that it has ended: to the first, and from the first to all. One that is
** no longer waiting does not read it.
*/
static void say_ended(void) {
    int to, first = rank == 0 ? 1 : 0, last = rank == 0 ? size - 1 : 0;
    for (to = first; to <= last; to++) {
        MPI_Request request;
        MPI_Isend(ENDED, sizeof ENDED - 1, MPI_CHAR, to, TAG_TEXT, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
}

/* Output first: ending the others ends this process as well. */
static void finish(void) {
    if (abandoned) {
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, abandoned);
    }
    say_ended();
    MPI_Finalize();
}

/* Under mpirun or a launcher that speaks its protocol; a program started alone needs no MPI. */
static int is_launched(void) {
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

/*
** mpirun passes a Ctrl-C on as SIGTERM, and does the same to the others when a rank dies; it kills a
** second later. To us it is a Ctrl-C; one that came before has left the default action in place.
*/
static void on_end(int number) {
    struct sigaction interrupt;
    (void)number;
    ending = 1;
    sigaction(SIGINT, NULL, &interrupt);
    if (interrupt.sa_handler != SIG_DFL) {
        raise(SIGINT);
    }
}

/* MPI waits at full speed, and takes no notice of a Ctrl-C. */
static void nap(void) {
    struct timespec t = {0, NAP_NS};
    nanosleep(&t, NULL);
}

static int send_text(lua_State *L) {
    int to = (int)luaL_checkinteger(L, 1), sent = 0;
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    MPI_Request request;
    luaL_argcheck(L, length <= INT_MAX, 2, "is too long");
    MPI_Isend(text, (int)length, MPI_CHAR, to, TAG_TEXT, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
    while (!sent) {
        nap();
        MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
    }
    return 0;
}

static int receive_text(lua_State *L) {
    double until = MPI_Wtime() + luaL_checknumber(L, 1);
    MPI_Status status;
    int there, length;
    char *text;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_TEXT, MPI_COMM_WORLD, &there, &status);
    while (!there) {
        if (MPI_Wtime() >= until) {
            return 0;
        }
        nap();
        bp_let_interrupt(L);
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_TEXT, MPI_COMM_WORLD, &there, &status);
    }
    MPI_Get_count(&status, MPI_CHAR, &length);
    text = lua_newuserdatauv(L, (size_t)length + 1, 0);
    MPI_Recv(text, length, MPI_CHAR, status.MPI_SOURCE, TAG_TEXT, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    lua_pushlstring(L, text, (size_t)length);
    lua_pushinteger(L, status.MPI_SOURCE);
    return 2;
}

static int is_ending(lua_State *L) {
    lua_pushboolean(L, ending);
    return 1;
}

static int abandon(lua_State *L) {
    abandoned = (int)luaL_checkinteger(L, 1);
    return 0;
}

static int share_interrupt(lua_State *L) {
    (void)L;
    is_shared = 1;
    return 0;
}

static const luaL_Reg functions[] = {{"send", send_text},
                                     {"receive", receive_text},
                                     {"is_ending", is_ending},
                                     {"abandon", abandon},
                                     {"share_interrupt", share_interrupt},
                                     {NULL, NULL}};

/* The others would wait for this rank in a search, and it for them when MPI ends. */
void bp_end_ranks(int code) {
    if (size > 1 && code == BP_EXIT_INTERRUPTED && !is_shared) {
        abandoned = code;
    }
}

void bp_core_set_ranks(lua_State *L) {
    int level;
    if (!is_launched() || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return;
    }
    atexit(finish);
    signal(SIGTERM, on_end);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    luaL_newlib(L, functions);
    lua_pushinteger(L, rank);
    lua_setfield(L, -2, "rank");
    lua_pushinteger(L, size);
    lua_setfield(L, -2, "size");
    lua_pushstring(L, ENDED);
    lua_setfield(L, -2, "ended");
    lua_setfield(L, -2, "ranks");
}

#endif
