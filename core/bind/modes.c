#include "modes.h"

#include <lauxlib.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERMISSIONS ((mode_t)(S_IRWXU | S_IRWXG | S_IRWXO))

/*
 * Permissions by which nobody may do more than by `mode`. Without the group that they were for, its members are
 * among the others, and the group that is there instead gets nothing.
 */
static mode_t narrowed(mode_t mode, int group_kept) {
    if (group_kept)
        return mode;
    mode_t group_as_others = (mode & S_IRWXG) >> 3;
    return (mode & S_IRWXU) | (mode & S_IRWXO & group_as_others);
}

/* Owner and group of a file for another, as far as the system lets; whether it has that group now. */
static int take_owner(int file, const struct stat *wanted) {
    struct stat is;
    if (fstat(file, &is) != 0)
        return 0;
    if (is.st_uid == wanted->st_uid && is.st_gid == wanted->st_gid)
        return 1;
    if (fchown(file, wanted->st_uid, wanted->st_gid) == 0)
        return 1;
    return is.st_gid == wanted->st_gid || fchown(file, (uid_t)-1, wanted->st_gid) == 0;
}

int bp_core_take_mode(lua_State *L) {
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    const char *path = luaL_checkstring(L, 2);
    struct stat about;
    luaL_argcheck(L, stream->closef != NULL, 1, "a closed file");
    int taken = 0;
    if (stat(path, &about) == 0) {
        int file = fileno(stream->f);
        mode_t mode = about.st_mode & PERMISSIONS;
        /* A file system without permissions takes none. Until the owner is known it is for the owner alone. */
        taken = fchmod(file, mode & S_IRWXU) == 0;
        if (taken)
            taken = fchmod(file, narrowed(mode, take_owner(file, &about))) == 0;
    }
    lua_pushboolean(L, taken);
    return 1;
}
