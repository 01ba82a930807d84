/*
** The engine of ballpark.h: questions and answers as JSON.
*/
#include <stdlib.h>

#include "ballpark.h"
#include "bind/engine.h"
#include "bind/numerals.h"
#include "error.h"

struct ballpark {
    struct lua_State *L;
};

struct ballpark *ballpark_open(const char *lua_dir, struct ballpark_error *error) {
    const char *stated = getenv("BALLPARK_LUA");
    struct ballpark *engine = malloc(sizeof *engine);
    struct bp_error err = {BP_OK, "", ""};
    struct bp_numerals numerals;
    if (!engine) {
        bp_fail(&err, BP_EDOMAIN, "", "not enough memory");
        bp_embed_error(error, &err);
        return NULL;
    }
    numerals = bp_numerals_begin();
    engine->L = bp_engine_open(lua_dir  ? lua_dir
                               : stated ? stated
                                        : BALLPARK_INSTALLED_LUA_DIR,
                               &err);
    bp_numerals_end(&numerals);
    if (!engine->L) {
        bp_embed_error(error, &err);
        free(engine);
        return NULL;
    }
    return engine;
}

/* Of no engine: the code of a wrong input, as its answer says. */
static const char no_engine[] = "{\"error\":{\"kind\":\"input\",\"message\":\"is NULL: "
                                "ballpark_open says why\",\"path\":\"engine\"}}\n";

const char *ballpark_answer(struct ballpark *engine, const char *question, const char *input,
                            int *code) {
    struct bp_numerals numerals;
    const char *text;
    if (!engine) {
        if (code) {
            *code = 2;
        }
        return no_engine;
    }
    numerals = bp_numerals_begin();
    text = bp_engine_answer(engine->L, question, input, code);
    bp_numerals_end(&numerals);
    return text;
}

void ballpark_close(struct ballpark *engine) {
    if (engine) {
        bp_engine_close(engine->L);
        free(engine);
    }
}
