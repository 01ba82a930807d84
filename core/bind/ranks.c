#include "ranks.h"

#ifndef BALLPARK_MPI

void bp_core_set_ranks(lua_State *L) {
    (void)L;
}

#else

#include <lauxlib.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

enum { TAG_ASK = 1, TAG_TURN };

/*
** Rank 0 gives out turns and takes some itself; it looks for questions between two of its own. The
** others ask for the next turn before they begin one, so that they do not wait for it.
*/
static struct {
    int rank, size;
    int64_t given; /* turns given out, at rank 0 */
    int asked;     /* a question is on its way, at the others */
    int dismissed; /* ranks that have been told that nothing is left */
} ranks;

static void finish(void) {
    MPI_Finalize();
}

/* Under mpirun or a launcher that speaks its protocol; a program started alone needs no MPI. */
static int is_launched(void) {
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

static int64_t give(int64_t turns) {
    return ranks.given < turns ? ranks.given++ : -1;
}

static void answer_one(int64_t turns, int source) {
    int64_t turn = give(turns);
    MPI_Recv(NULL, 0, MPI_BYTE, source, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&turn, 1, MPI_INT64_T, source, TAG_TURN, MPI_COMM_WORLD);
    ranks.dismissed += turn < 0;
}

static void answer_pending(int64_t turns) {
    for (;;) {
        MPI_Status status;
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &there, &status);
        if (!there) {
            return;
        }
        answer_one(turns, status.MPI_SOURCE);
    }
}

static int64_t next_of_first(int64_t turns) {
    int64_t turn;
    answer_pending(turns);
    turn = give(turns);
    while (turn < 0 && ranks.dismissed < ranks.size - 1) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &status);
        answer_one(turns, status.MPI_SOURCE);
    }
    return turn;
}

static void ask(void) {
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
    ranks.asked = 1;
}

static int64_t next_of_other(void) {
    int64_t turn;
    if (!ranks.asked) {
        ask();
    }
    MPI_Recv(&turn, 1, MPI_INT64_T, 0, TAG_TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ranks.asked = 0;
    if (turn >= 0) {
        ask();
    }
    return turn;
}

static int next_turn(lua_State *L) {
    int64_t turns = (int64_t)luaL_checkinteger(L, 1);
    int64_t turn = ranks.rank == 0 ? next_of_first(turns) : next_of_other();
    if (turn >= 0) {
        lua_pushinteger(L, (lua_Integer)turn);
        return 1;
    }
    ranks.given = 0;
    ranks.dismissed = 0;
    return 0;
}

/* Pushes the texts that lie one behind the other, and their list. */
static void push_texts(lua_State *L, const char *texts, const int *lengths, const int *starts) {
    int i;
    lua_createtable(L, ranks.size, 0);
    for (i = 0; i < ranks.size; i++) {
        lua_pushlstring(L, texts + starts[i], (size_t)lengths[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static int all_texts(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    int *lengths = lua_newuserdatauv(L, 2 * (size_t)ranks.size * sizeof *lengths, 0);
    int *starts = lengths + ranks.size, own = (int)length, sum = 0, i;
    char *texts;
    luaL_argcheck(L, length <= INT_MAX / (size_t)ranks.size, 1, "is too long");
    MPI_Allgather(&own, 1, MPI_INT, lengths, 1, MPI_INT, MPI_COMM_WORLD);
    for (i = 0; i < ranks.size; i++) {
        starts[i] = sum;
        sum += lengths[i];
    }
    texts = lua_newuserdatauv(L, (size_t)sum + 1, 0);
    MPI_Allgatherv(text, own, MPI_CHAR, texts, lengths, starts, MPI_CHAR, MPI_COMM_WORLD);
    push_texts(L, texts, lengths, starts);
    return 1;
}

static int abort_all(lua_State *L) {
    MPI_Abort(MPI_COMM_WORLD, (int)luaL_checkinteger(L, 1));
    return 0;
}

static const luaL_Reg functions[] = {
    {"next", next_turn}, {"all", all_texts}, {"abort", abort_all}, {NULL, NULL}};

void bp_core_set_ranks(lua_State *L) {
    int level;
    if (!is_launched() || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return;
    }
    atexit(finish);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    luaL_newlib(L, functions);
    lua_pushinteger(L, ranks.rank);
    lua_setfield(L, -2, "rank");
    lua_pushinteger(L, ranks.size);
    lua_setfield(L, -2, "size");
    lua_setfield(L, -2, "ranks");
}

#endif
