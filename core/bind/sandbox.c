#include "sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "numerals.h"
#include "sort.h"

enum {
    HOOK_INSTRUCTIONS = 1000, /* between two looks at the budget */
    BYTES_PER_UNIT = 16, /* of text that C goes through in the time of an instruction, or less */
    COPIES_PER_UNIT = 4, /* of a short text */
    LARGE_BYTES =
        4096, /* of a block that is slow to fill: all keys of a table may stand in one chain */
    PIECE_BYTES = 1024, /* of source between two looks at CPU time */
    SORT_UNITS = 16,    /* of an item: comparisons of a sort */
    UNPACK_MOST = 250,  /* values that table.unpack gives, as many as a call in Lua takes */
};

static const char *const base_names[] = {"assert",   "error",    "ipairs", "select",
                                         "tonumber", "tostring", "type",   NULL};
static const char *const math_names[] = {
    "abs",  "acos", "asin", "atan", "ceil",       "cos",  "deg",        "exp",  "floor",
    "fmod", "huge", "log",  "max",  "maxinteger", "min",  "mininteger", "modf", "pi",
    "rad",  "sin",  "sqrt", "tan",  "tointeger",  "type", "ult",        NULL};
static const char *const string_names[] = {"byte", "char",    "find", "format", "len", "lower",
                                           "rep",  "reverse", "sub",  "upper",  NULL};
static const char *const table_names[] = {"concat", "sort", "unpack", NULL};

static const struct {
    const char *name;
    const char *const *allowed;
} libraries[] = {
    {LUA_MATHLIBNAME, math_names},
    {LUA_STRLIBNAME, string_names},
    {LUA_TABLIBNAME, table_names},
};

static struct bp_sandbox *box_of(lua_State *S) {
    return *(struct bp_sandbox **)lua_getextraspace(S);
}

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_count(lua_State *S, lua_Debug *ar);

/* Once spent, every further instruction trips again, so that nothing can carry on. */
static int raise_spent(lua_State *S, const char *what) {
    lua_sethook(S, on_count, LUA_MASKCOUNT, 1);
    return luaL_error(S, "took more than %s", what);
}

/* Whether the call has taken more than its CPU time, which begins when somebody looks at it first. */
static int is_late(struct bp_sandbox *box) {
    double now_s = cpu_s();
    if (box->began_s < 0) {
        box->began_s = now_s;
    }
    return now_s - box->began_s > 1e-3 * BP_SANDBOX_MS;
}

static void raise_late(lua_State *S) {
    char text[64];
    box_of(S)->spent = BP_SANDBOX_INSTRUCTIONS;
    box_of(S)->was_late = 1;
    snprintf(text, sizeof text, "%d ms", BP_SANDBOX_MS);
    raise_spent(S, text);
}

static void spend(lua_State *S, long units) {
    struct bp_sandbox *box = box_of(S);
    char text[64];
    if (units > BP_SANDBOX_INSTRUCTIONS - box->spent) {
        box->spent = BP_SANDBOX_INSTRUCTIONS;
        snprintf(text, sizeof text, "%d instructions", BP_SANDBOX_INSTRUCTIONS);
        raise_spent(S, text);
    }
    box->spent += units;
    if (box->spent - box->looked_at < HOOK_INSTRUCTIONS) {
        return;
    }
    box->looked_at = box->spent;
    if (is_late(box)) {
        raise_late(S);
    }
}

static void on_count(lua_State *S, lua_Debug *ar) {
    (void)ar;
    spend(S, HOOK_INSTRUCTIONS);
}

/* A table with holes may say that it has 2^62 items: more than a call may take is as good as any more. */
static long items_of(lua_State *S, int table) {
    lua_Integer items = luaL_len(S, table);
    return items < BP_SANDBOX_INSTRUCTIONS ? (long)items : BP_SANDBOX_INSTRUCTIONS;
}

/* Spends what a function of the libraries has to look at. */
static void spend_arguments(lua_State *S, long per_item) {
    int i, count = lua_gettop(S);
    spend(S, count);
    for (i = 1; i <= count; i++) {
        if (lua_type(S, i) == LUA_TSTRING) {
            spend(S, (long)(lua_rawlen(S, i) / BYTES_PER_UNIT));
        } else if (lua_istable(S, i)) {
            spend(S, per_item * items_of(S, i));
        }
    }
}

/* The function that is the first upvalue, with the arguments on the stack. */
static int call_through(lua_State *S) {
    lua_pushvalue(S, lua_upvalueindex(1));
    lua_insert(S, 1);
    lua_call(S, lua_gettop(S) - 1, LUA_MULTRET);
    return lua_gettop(S);
}

static int charged(lua_State *S) {
    spend_arguments(S, 1);
    return call_through(S);
}

/* What `<` says, except that Lua compares texts piece by piece between their zero bytes, which is slow. */
static int charged_less(lua_State *S) {
    size_t size, other_size;
    const char *text, *other;
    int order;
    if (lua_type(S, 1) != LUA_TSTRING || lua_type(S, 2) != LUA_TSTRING) {
        lua_pushboolean(S, lua_compare(S, 1, 2, LUA_OPLT));
        return 1;
    }
    text = lua_tolstring(S, 1, &size);
    other = lua_tolstring(S, 2, &other_size);
    spend(S, (long)((size < other_size ? size : other_size) / BYTES_PER_UNIT));
    order = memcmp(text, other, size < other_size ? size : other_size);
    lua_pushboolean(S, order < 0 || (order == 0 && size < other_size));
    return 1;
}

static int charged_sort(lua_State *S) {
    spend_arguments(S, SORT_UNITS);
    if (lua_istable(S, 1) && lua_isnoneornil(S, 2)) {
        lua_settop(S, 1);
        lua_pushcfunction(S, charged_less);
    }
    return bp_core_sort(S);
}

static int few_unpacked(lua_State *S) {
    lua_Integer first = luaL_optinteger(S, 2, 1);
    lua_Integer last = lua_isnoneornil(S, 3) ? luaL_len(S, 1) : luaL_checkinteger(S, 3);
    if (first <= last && (lua_Unsigned)last - (lua_Unsigned)first >= UNPACK_MOST) {
        return luaL_error(S, "table.unpack gives at most %d values in a rule", UNPACK_MOST);
    }
    spend(S, UNPACK_MOST);
    return call_through(S);
}

/* In place of what has no text but its address, which differs from run to run: what it is. */
static void name_address(lua_State *S, int index) {
    int type = lua_type(S, index);
    if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
        type == LUA_TLIGHTUSERDATA) {
        lua_pushstring(S, lua_typename(S, type));
        lua_replace(S, index);
    }
}

static int named_tostring(lua_State *S) {
    luaL_checkany(S, 1);
    name_address(S, 1);
    return charged(S);
}

static int named_format(lua_State *S) {
    size_t size;
    const char *at = luaL_checklstring(S, 1, &size), *end = at + size;
    int i, count = lua_gettop(S);
    while ((at = memchr(at, '%', (size_t)(end - at))) != NULL) {
        at += 1 + strspn(at + 1, "-+ #0123456789.");
        if (*at == 'p') {
            return luaL_error(S, "%%p is an address, which differs from run to run");
        }
        at += at < end;
    }
    for (i = 2; i <= count; i++) {
        name_address(S, i);
    }
    return charged(S);
}

static int plain_find(lua_State *S);
static int short_rep(lua_State *S);

/* Functions that are not simply charged for their arguments, and what stands for Lua's own in scenarios. */
static const struct special {
    const char *name;
    lua_CFunction function, in_scenarios;
} special[] = {
    {"tostring", named_tostring, NULL},   {"format", named_format, NULL},
    {"sort", charged_sort, bp_core_sort}, {"unpack", few_unpacked, NULL},
    {"find", plain_find, NULL},           {"rep", short_rep, NULL},
};

/* In the place of the function on top: one that charges for it, whose upvalues are what it stands for. */
static void wrap_function(lua_State *S, const char *name) {
    static const struct special plain = {NULL, charged, NULL};
    const struct special *wrapper = &plain;
    size_t i;
    for (i = 0; i < sizeof special / sizeof *special; i++) {
        if (strcmp(special[i].name, name) == 0) {
            wrapper = &special[i];
        }
    }
    if (wrapper->in_scenarios) {
        lua_pushcfunction(S, wrapper->in_scenarios);
    }
    lua_pushcclosure(S, wrapper->function, wrapper->in_scenarios ? 2 : 1);
}

/* string.find(text, what [, start]): always plain. */
static int plain_find(lua_State *S) {
    size_t length, size;
    const char *text = luaL_checklstring(S, 1, &length);
    const char *what = luaL_checklstring(S, 2, &size);
    lua_Integer start = luaL_optinteger(S, 3, 1);
    size_t at = start < 1 ? 0 : (size_t)start - 1;
    /* Each place may be compared with the whole of what is looked for. */
    spend(S, 1 + (long)(length * (size < BYTES_PER_UNIT ? BYTES_PER_UNIT : size) / BYTES_PER_UNIT /
                        BYTES_PER_UNIT));
    for (; at <= length && size <= length - at; at++) {
        if (memcmp(text + at, what, size) == 0) {
            lua_pushinteger(S, (lua_Integer)at + 1);
            lua_pushinteger(S, (lua_Integer)(at + size));
            return 2;
        }
    }
    lua_pushnil(S);
    return 1;
}

/* string.rep(text, count [, separator]) */
static int short_rep(lua_State *S) {
    size_t size, apart;
    luaL_Buffer buffer;
    const char *text = luaL_checklstring(S, 1, &size);
    lua_Integer count = luaL_checkinteger(S, 2);
    const char *separator = luaL_optlstring(S, 3, "", &apart);
    if (size + apart > 0 && count > (lua_Integer)(BP_SANDBOX_TEXT_BYTES / (size + apart))) {
        return luaL_error(S, "string.rep makes at most %d bytes in a rule", BP_SANDBOX_TEXT_BYTES);
    }
    spend(S, 1 + (count > 0 && size + apart > 0 ? (long)count / COPIES_PER_UNIT : 0));
    luaL_buffinit(S, &buffer);
    for (; size + apart > 0 && count > 0; count--) {
        luaL_addlstring(&buffer, text, size);
        luaL_addlstring(&buffer, separator, count > 1 ? apart : 0);
    }
    luaL_pushresult(&buffer);
    return 1;
}

const char *bp_sandbox_key(lua_State *S, int index) {
    enum { SHOWN = 60 };
    size_t size;
    const char *text;
    if (lua_type(S, index) != LUA_TSTRING && lua_type(S, index) != LUA_TNUMBER) {
        return luaL_typename(S, index);
    }
    text = luaL_tolstring(S, index, &size);
    return size <= SHOWN ? text : lua_pushfstring(S, "%s…", lua_pushlstring(S, text, SHOWN));
}

static int unknown_global(lua_State *S) {
    return luaL_error(S, "'%s' is not available in a rule", bp_sandbox_key(S, 2));
}

static int fixed_global(lua_State *S) {
    return luaL_error(S, "global '%s' is assigned in a rule, but rules keep no state (use local)",
                      bp_sandbox_key(S, 2));
}

/* Copies the named fields of the table at index `from` into the one on top, functions with their charge. */
static void copy_names(lua_State *S, int from, const char *const *names) {
    for (; *names; names++) {
        if (lua_getfield(S, from, *names) == LUA_TFUNCTION) {
            wrap_function(S, *names);
        }
        lua_setfield(S, -2, *names);
    }
}

static void set_function(lua_State *S, const char *name, lua_CFunction function) {
    lua_pushcfunction(S, function);
    lua_setfield(S, -2, name);
}

void bp_sandbox_push_globals(lua_State *S) {
    int from, globals;
    size_t i;
    lua_pushglobaltable(S);
    from = lua_gettop(S);
    lua_newtable(S);
    globals = lua_gettop(S);
    copy_names(S, from, base_names);
    for (i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        lua_getfield(S, from, libraries[i].name);
        lua_newtable(S);
        copy_names(S, globals + 1, libraries[i].allowed);
        lua_setfield(S, globals, libraries[i].name);
        lua_pop(S, 1);
    }
    lua_createtable(S, 0, 2);
    set_function(S, "__index", unknown_global);
    set_function(S, "__newindex", fixed_global);
    lua_setmetatable(S, globals);
    lua_remove(S, from);
}

/* Methods of strings, ("x"):rep(9), go through the library table: it is replaced as well. */
static void open_string(lua_State *S) {
    luaL_requiref(S, LUA_STRLIBNAME, luaopen_string, 1);
    lua_newtable(S);
    copy_names(S, lua_gettop(S) - 1, string_names);
    lua_pushliteral(S, "");
    lua_getmetatable(S, -1);
    lua_pushvalue(S, -3);
    lua_setfield(S, -2, "__index");
    lua_pop(S, 4);
}

static int open_libraries(lua_State *S) {
    luaL_requiref(S, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(S, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(S, LUA_TABLIBNAME, luaopen_table, 1);
    lua_pop(S, 3);
    open_string(S);
    return 0;
}

/* Source on its way to the compiler. */
struct pieces {
    const char *text;
    size_t size;
};

/* Time passes in the compiler, too: it goes through long chains of `or` once for each of their parts. */
static const char *next_piece(lua_State *S, void *data, size_t *size) {
    struct pieces *left = data;
    const char *piece = left->text;
    if (is_late(box_of(S))) {
        raise_late(S);
    }
    *size = left->size < PIECE_BYTES ? left->size : PIECE_BYTES;
    left->text += *size;
    left->size -= *size;
    return piece;
}

int bp_sandbox_load(lua_State *S, const char *text, size_t size, const char *chunk) {
    struct pieces left = {text, size};
    return lua_load(S, next_piece, &left, chunk, "t");
}

static void *allocate(void *data, void *block, size_t old_size, size_t new_size) {
    struct bp_sandbox *box = data;
    size_t before = block ? old_size : 0;
    void *moved;
    if (new_size == 0) {
        free(block);
        box->used_bytes -= before;
        return NULL;
    }
    if (!block && old_size == LUA_TSTRING && new_size > box->text_bytes) {
        box->text_refused = 1;
        return NULL;
    }
    if (new_size >= LARGE_BYTES && box->is_called) {
        box->collects_late = is_late(box);
    }
    if (new_size > before && (box->collects_late || new_size > BP_SANDBOX_BLOCK_BYTES ||
                              new_size - before > BP_SANDBOX_BYTES - box->used_bytes)) {
        /* Lua collects garbage and asks again: what is nearly full would do little else. */
        box->collects_late = is_late(box);
        return NULL;
    }
    moved = realloc(block, new_size);
    if (moved) {
        box->used_bytes += new_size - before;
    }
    return moved;
}

/* Puts file:line in front of a message that has none, and makes text of what is not. */
static int on_error(lua_State *S) {
    lua_Debug ar;
    int level;
    const char *text = lua_tostring(S, 1);
    if (!text) {
        text = lua_pushfstring(S, "raised a %s", luaL_typename(S, 1));
    }
    for (level = 1; lua_getstack(S, level, &ar); level++) {
        lua_getinfo(S, "Sl", &ar);
        if (ar.currentline > 0) {
            const char *where = lua_pushfstring(S, "%s:", ar.short_src);
            if (strncmp(text, where, strlen(where)) != 0) {
                lua_pushfstring(S, "%s%d: %s", where, ar.currentline, text);
                return 1;
            }
            break;
        }
    }
    lua_pushstring(S, text);
    return 1;
}

int bp_sandbox_open(struct bp_sandbox *box) {
    box->used_bytes = 0;
    box->is_called = 0;
    box->collects_late = 0;
    box->was_late = 0;
    box->text[0] = '\0';
    bp_sandbox_limit_texts(box, 0);
    box->state = lua_newstate(allocate, box);
    if (!box->state) {
        return 0;
    }
    bp_sandbox_limit_texts(box, 1);
    *(struct bp_sandbox **)lua_getextraspace(box->state) = box;
    lua_pushcfunction(box->state, on_error);
    lua_pushcfunction(box->state, open_libraries);
    return bp_sandbox_call(box, 0, 0);
}

void bp_sandbox_close(struct bp_sandbox *box) {
    if (box->state) {
        lua_sethook(box->state, NULL, 0, 0);
        lua_close(box->state);
        box->state = NULL;
    }
}

/* A text is stored behind a head of a few words. */
void bp_sandbox_limit_texts(struct bp_sandbox *box, int limited) {
    box->text_bytes = limited ? BP_SANDBOX_TEXT_BYTES + 64 : SIZE_MAX;
}

static void keep_text(struct bp_sandbox *box, int status) {
    const char *text = lua_type(box->state, -1) == LUA_TSTRING ? lua_tostring(box->state, -1) : "";
    if (status == LUA_ERRMEM && box->text_refused) {
        snprintf(box->text, sizeof box->text, "made a text of more than %d bytes",
                 BP_SANDBOX_TEXT_BYTES);
    } else if (status == LUA_ERRMEM && box->collects_late) {
        box->was_late = 1;
        snprintf(box->text, sizeof box->text, "took more than %d ms", BP_SANDBOX_MS);
    } else if (status == LUA_ERRMEM) {
        snprintf(box->text, sizeof box->text,
                 "took more than %d MiB of memory, or a table of more than %d items",
                 BP_SANDBOX_BYTES >> 20, BP_SANDBOX_BLOCK_BYTES / (int)sizeof(double) / 2);
    } else {
        snprintf(box->text, sizeof box->text, "%s", text);
    }
}

int bp_sandbox_call(struct bp_sandbox *box, int arguments, int results) {
    lua_State *S = box->state;
    struct bp_numerals numerals = bp_numerals_begin(); /* a thread of the search has none */
    int status;
    box->spent = 0;
    box->looked_at = 0;
    box->began_s = -1;
    box->text_refused = 0;
    box->collects_late = 0;
    box->was_late = 0;
    box->is_called = 1;
    lua_sethook(S, on_count, LUA_MASKCOUNT, HOOK_INSTRUCTIONS);
    status = lua_pcall(S, arguments, results, BP_SANDBOX_HANDLER);
    bp_numerals_end(&numerals);
    box->is_called = 0;
    if (status == LUA_OK) {
        return 1;
    }
    keep_text(box, status);
    lua_pop(S, 1);
    return 0;
}
