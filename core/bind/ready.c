#include "ready.h"

#include <errno.h>
#include <lauxlib.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 16, WAIT_MOST_S = 86400 };

static int number_of(lua_State *L, int index) {
    luaL_Stream *stream = luaL_checkudata(L, index, LUA_FILEHANDLE);
    luaL_argcheck(L, stream->closef != NULL, index, "a closed file");
    return fileno(stream->f);
}

int bp_core_ready(lua_State *L) {
    struct pollfd files[2] = {{0, POLLIN, 0}, {0, POLLIN, 0}};
    nfds_t count = lua_isnoneornil(L, 2) ? 1 : 2, i;
    for (i = 0; i < count; i++) {
        files[i].fd = number_of(L, (int)i + 1);
    }
    if (poll(files, count, -1) < 0) {
        files[0].revents = files[1].revents = 0;
    }
    lua_pushboolean(L, files[0].revents != 0);
    lua_pushboolean(L, files[1].revents != 0);
    return 2;
}

int bp_core_wait(lua_State *L) {
    double seconds = luaL_checknumber(L, 1);
    struct timespec t;
    luaL_argcheck(L, seconds >= 0 && seconds <= WAIT_MOST_S, 1, "from 0 to a day");
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
    return 0;
}

int bp_core_read_ready(lua_State *L) {
    int file = number_of(L, 1);
    luaL_Buffer piece;
    ssize_t count = read(file, luaL_buffinitsize(L, &piece, PIECE_BYTES), PIECE_BYTES);
    if (count == 0) {
        return 0;
    }
    if (count < 0 && errno != EINTR) {
        return luaL_fileresult(L, 0, NULL);
    }
    luaL_pushresultsize(&piece, count > 0 ? (size_t)count : 0);
    return 1;
}
